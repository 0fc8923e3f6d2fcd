//! Surroundings in a frame: sea or land beyond the simulation box.

use super::{Renderer, WHOLE};
use crate::ground::surroundings::Ends;
use crate::media::clear::Media;
use crate::media::sea::{Sea, SeaField};
use lavoxel_automaton::view::Surroundings;
use lavoxel_sim::lowpass::Volume;

impl Renderer {
    /// Returns the sea around the simulation box; `None` unless the look has a sea, the box
    /// contains water at its sides, and the whole box is visible. `shown`: visible region of the
    /// box (bounds as fractions).
    pub(super) fn sea(&self, volume: &Volume, shown: [[f32; 2]; 3]) -> Option<Sea> {
        let is_wanted = self.look.surroundings == Surroundings::Sea
            && self.contents.lava
            && self.contents.ground;
        (is_wanted && shown == WHOLE)
            .then(|| Sea::from_volume(volume))
            .flatten()
    }

    /// Returns true if land or sea floor is drawn beyond the simulation box; always false if the
    /// box is cut open. `at_sea`: true if there is a sea; `shown`: visible region of the box
    /// (bounds as fractions).
    pub(super) fn goes_on(&self, at_sea: bool, shown: [[f32; 2]; 3]) -> bool {
        let goes_on = match Ends::from_look(&self.look) {
            Some(Ends::Sea) => at_sea,
            ends => ends.is_some(),
        };
        goes_on && self.contents.ground && shown == WHOLE
    }

    /// Returns the sea prepared for the intersection with a frame's rays; `None` if its liquid is
    /// not among the drawn media.
    pub(super) fn sea_around(
        &self,
        Sea { medium, level }: Sea,
        volume: &Volume,
        media: &Media<'_>,
    ) -> Option<SeaField> {
        let look = &volume.media[medium].look;
        let medium = media
            .clear
            .iter()
            .position(|clear| std::ptr::eq(clear.look, look))?;
        Some(SeaField {
            medium,
            level,
            size: self.sides(),
        })
    }
}
