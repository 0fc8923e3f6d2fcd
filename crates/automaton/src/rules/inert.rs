//! Rule of layers of still matter: moves nothing, but makes changes by edits, sources and reactions
//! known to the readers of the layer.

use super::shape::{Driver, Listed, Site};
use crate::world::World;
use lavoxel_base::random::Draw;

/// Rule of layers of still matter, which moves nothing; has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inert;

impl Listed for Inert {
    fn from_site(_site: &Site<'_>) -> Option<Self> {
        Some(Self)
    }

    fn run<D: Driver>(&self, _driver: &mut D, (world, layer): (&mut World, usize), _draw: Draw) {
        world.layers[layer].stay();
    }
}
