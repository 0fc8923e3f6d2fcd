//! Layers that only show another model, which has the account of what is in them. No rule moves these.

use super::World;

/// A set of layers, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrors(u64);

impl Mirrors {
    /// Whether there is any.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether a layer is one.
    pub fn has(self, layer: usize) -> bool {
        self.0.checked_shr(layer as u32).is_some_and(|bits| bits & 1 == 1)
    }
}

impl World {
    /// The layers that only show another model.
    pub fn mirrors(&self) -> Mirrors {
        self.mirrors
    }

    /// Has layers only show another model from now on.
    pub fn set_mirrors(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.mirrors = Mirrors(layers.into_iter().fold(0, |all, layer| all | 1 << layer));
    }

    /// Whether a layer only shows another model.
    pub fn is_mirror(&self, layer: usize) -> bool {
        self.mirrors.has(layer)
    }

    /// A step of the layers that only show another model: what changed is for their readers.
    pub fn stay_mirrored(&mut self) {
        let mirrors = self.mirrors;
        let layers = self.layers.iter_mut().enumerate().filter(|(number, _)| mirrors.has(*number));
        layers.for_each(|(_, layer)| layer.stay());
    }
}
