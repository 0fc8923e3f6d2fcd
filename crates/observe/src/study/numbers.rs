//! Checks of the scene numbers that a flag changes from run to run.

use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{NumberKey, Template};

/// Scene numbers of a flag.
pub(crate) struct Changed {
    flag: &'static str,
    /// Verb of the mend in messages.
    verb: &'static str,
}

/// Numbers that each run of a hazard map draws.
pub(crate) const DRAWN: Changed = Changed {
    flag: "--draw",
    verb: "draw",
};

/// Numbers that a calibration searches.
pub(crate) const VARIED: Changed = Changed {
    flag: "--vary",
    verb: "fit",
};

impl Changed {
    /// Fails if `key` is a number of the box, or one of `others`.
    pub(crate) fn check_key<'a>(
        &self,
        key: &NumberKey,
        mut others: impl Iterator<Item = &'a NumberKey>,
    ) -> Result<(), String> {
        let Self { flag, verb } = self;
        if key.is_of_the_box() {
            return Err(format!(
                "{flag} {key}: changes the box; {verb} numbers that leave it where it is"
            ));
        }
        match others.any(|other| other == key) {
            true => Err(format!("{flag} {key}: is named twice")),
            false => Ok(()),
        }
    }

    /// Fails if the scene of `template` is wrong with `value` as its number `key`.
    pub(crate) fn check_value(
        &self,
        template: &Template,
        key: &NumberKey,
        value: f64,
    ) -> Result<(), String> {
        let with = template.with(&[(key, value)]).map(drop);
        with.map_err(|error| format!("{} {key}: with {value}, {error}", self.flag))
    }

    /// Fails unless a scene with changed numbers has the box of the study.
    pub(crate) fn check_box(&self, changed: &Site, study: &Site) -> Result<(), String> {
        let Self { flag, verb } = self;
        match (changed.grid, changed.placement()) == (study.grid, study.placement()) {
            true => Ok(()),
            false => Err(format!(
                "{flag}: a number changes the box or its cells; {verb} numbers that leave the box where it is"
            )),
        }
    }
}
