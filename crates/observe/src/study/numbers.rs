//! Checks of the scene numbers that a flag varies from run to run.

use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{NumberKey, Template};

/// Names of a flag that varies scene numbers, for error messages.
pub(crate) struct Changed {
    flag: &'static str,
    /// Verb in messages that tells the user which other numbers to choose.
    verb: &'static str,
}

/// Flag `--draw`, with the scene numbers that each run of a hazard map draws.
pub(crate) const DRAWN: Changed = Changed {
    flag: "--draw",
    verb: "draw",
};

/// Flag `--vary`, with the scene numbers that a calibration searches.
pub(crate) const VARIED: Changed = Changed {
    flag: "--vary",
    verb: "fit",
};

impl Changed {
    /// Returns a message if `key` determines the simulation box or its cells, or if `others`
    /// contains `key`.
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

    /// Returns a message if the scene of `template` is invalid when its number `key` has the value
    /// `value`.
    pub(crate) fn check_value(
        &self,
        template: &Template,
        key: &NumberKey,
        value: f64,
    ) -> Result<(), String> {
        let with = template.with(&[(key, value)]).map(drop);
        with.map_err(|error| format!("{} {key}: with {value}, {error}", self.flag))
    }

    /// Returns a message unless the simulation box of a scene with varied numbers, `changed`,
    /// equals that of the study.
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
