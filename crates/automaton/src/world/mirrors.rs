//! Mirrors: layers that display the state of another model, which keeps the account. Rules of the
//! automaton do not move these layers.

use super::World;

/// Set of layer indices, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrors(u64);

impl Mirrors {
    /// Returns true if the set is not empty.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns true if `layer` belongs to the set.
    pub fn has(self, layer: usize) -> bool {
        self.0
            .checked_shr(layer as u32)
            .is_some_and(|bits| bits & 1 == 1)
    }
}

impl World {
    /// Set of layers that mirror another model.
    pub fn mirrors(&self) -> Mirrors {
        self.mirrors
    }

    /// Declares which `layers` mirror another model from now on; replaces the previous set.
    pub fn set_mirrors(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.mirrors = Mirrors(layers.into_iter().fold(0, |all, layer| all | 1 << layer));
    }

    /// Returns true if `layer` mirrors another model.
    pub fn is_mirror(&self, layer: usize) -> bool {
        self.mirrors.has(layer)
    }

    /// Performs the step of all mirror layers: records their changes for the readers.
    pub fn stay_mirrored(&mut self) {
        let mirrors = self.mirrors;
        let layers = self
            .layers
            .iter_mut()
            .enumerate()
            .filter(|(number, _)| mirrors.has(*number));
        layers.for_each(|(_, layer)| layer.stay());
    }
}
