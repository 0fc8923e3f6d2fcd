//! Mirrors: layers that only show another model, which keeps their account. No rule moves these
//! layers.

use super::World;

/// Set of layers, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrors(u64);

impl Mirrors {
    /// Returns true if the set has any layer.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns true if `layer` belongs to the set.
    pub fn has(self, layer: usize) -> bool {
        self.0.checked_shr(layer as u32).is_some_and(|bits| bits & 1 == 1)
    }
}

impl World {
    /// Layers that only show another model.
    pub fn mirrors(&self) -> Mirrors {
        self.mirrors
    }

    /// Declares layers that only show another model from now on.
    pub fn set_mirrors(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.mirrors = Mirrors(layers.into_iter().fold(0, |all, layer| all | 1 << layer));
    }

    /// Returns true if a layer only shows another model.
    pub fn is_mirror(&self, layer: usize) -> bool {
        self.mirrors.has(layer)
    }

    /// Runs a step of the mirrors, which records their changes for the readers.
    pub fn stay_mirrored(&mut self) {
        let mirrors = self.mirrors;
        let layers = self.layers.iter_mut().enumerate().filter(|(number, _)| mirrors.has(*number));
        layers.for_each(|(_, layer)| layer.stay());
    }
}
