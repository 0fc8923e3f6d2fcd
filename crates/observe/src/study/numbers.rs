//! Checks of the scene parameters that the flags `--draw` and `--vary` change from run to run.

use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{NumberKey, Template};

/// Names for error messages of a flag that changes scene parameters from run to run.
pub(crate) struct Changed {
    flag: &'static str,
    /// Verb, `draw` or `fit`, in messages that tell the user to choose another scene parameter.
    verb: &'static str,
}

/// Flag `--draw`: scene parameters that each run of a hazard study draws at random.
pub(crate) const DRAWN: Changed = Changed {
    flag: "--draw",
    verb: "draw",
};

/// Flag `--vary`: scene parameters that a calibration searches.
pub(crate) const VARIED: Changed = Changed {
    flag: "--vary",
    verb: "fit",
};

impl Changed {
    /// Returns a message if the scene parameter `key` determines the simulation box or its cells,
    /// or is one of `others`.
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

    /// Returns a message if the scene of `template` is invalid with the value `value` of the scene
    /// parameter `key`.
    pub(crate) fn check_value(
        &self,
        template: &Template,
        key: &NumberKey,
        value: f64,
    ) -> Result<(), String> {
        let with = template.with(&[(key, value)]).map(drop);
        with.map_err(|error| format!("{} {key}: with {value}, {error}", self.flag))
    }

    /// Returns a message unless `changed`, the simulation box of a scene with varied scene
    /// parameters, equals `study`, the simulation box that all runs share.
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
