//! Staying: no rule moves still matter, and what edits, sources and reactions changed of it is recorded for its readers.

use super::shape::{Driver, Listed, Site};
use crate::world::World;
use lavoxel_base::random::Draw;

/// The rule of still matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staying;

impl Listed for Staying {
    fn of(_site: &Site<'_>) -> Option<Self> {
        Some(Self)
    }

    fn run<D: Driver>(&self, _driver: &mut D, (world, layer): (&mut World, usize), _draw: Draw) {
        world.layers[layer].stay();
    }
}
