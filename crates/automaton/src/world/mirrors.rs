//! Mirrors: layers that show the matter of another model, which has the account of that matter. No
//! rule of the automaton moves matter in these layers.

use super::{Layer, World};

/// Set of layers that mirror another model, one bit per layer index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrors(u64);

impl Mirrors {
    /// Returns true if the set is not empty.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns true if the layer with index `layer` belongs to the set.
    pub fn has(self, layer: usize) -> bool {
        self.0
            .checked_shr(layer as u32)
            .is_some_and(|bits| bits & 1 == 1)
    }
}

impl World {
    /// Set of the layers whose contents are copied from another model.
    pub fn mirrors(&self) -> Mirrors {
        self.mirrors
    }

    /// Makes exactly the layers with the indices `layers` mirrors of another model.
    pub fn set_mirrors(&mut self, layers: impl IntoIterator<Item = usize>) {
        self.mirrors = Mirrors(layers.into_iter().fold(0, |all, layer| all | 1 << layer));
    }

    /// Returns true if the contents of the layer with index `layer` are copied from another model.
    pub fn is_mirror(&self, layer: usize) -> bool {
        self.mirrors.has(layer)
    }

    /// Performs the step of all layers that mirror another model: moves no matter, but records the
    /// changes of these layers for their readers.
    pub fn stay_mirrored(&mut self) {
        let mirrors = self.mirrors;
        let layers = self
            .layers
            .iter_mut()
            .enumerate()
            .filter(|(number, _)| mirrors.has(*number));
        layers.for_each(|(_, layer)| layer.stay());
    }

    /// Iterates over the layers that mirror another model.
    pub fn mirrored(&self) -> impl Iterator<Item = &Layer> {
        let layers = self.layers.iter().enumerate();
        layers.filter_map(|(number, layer)| self.is_mirror(number).then_some(layer))
    }

    /// Iterates over the layers that have an account of their own: all layers except the mirrors.
    pub(super) fn accounted_mut(&mut self) -> impl Iterator<Item = &mut Layer> {
        let (mirrors, layers) = (self.mirrors, self.layers.iter_mut().enumerate());
        layers.filter_map(move |(number, layer)| (!mirrors.has(number)).then_some(layer))
    }
}
