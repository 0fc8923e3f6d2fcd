//! Outflow through an open roof: removes gas from the topmost cells of the simulation box and books
//! it as outflow.

use super::shape::{Driver, Listed};
use crate::world::World;
use lavoxel_base::random::Draw;

/// Rule that removes gas from the topmost cells below an open roof; has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoofOutflow;

impl Listed for RoofOutflow {
    fn run<D: Driver>(&self, _driver: &mut D, (world, layer): (&mut World, usize), _draw: Draw) {
        world.leave_by_roof(layer);
    }
}
