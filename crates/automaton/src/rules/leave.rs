//! Leaving: through an open roof of the box, a gas leaves from the topmost cells and is counted as
//! outflow.

use super::shape::{Driver, Listed};
use crate::world::World;
use lavoxel_base::random::Draw;

/// Leaving, which has no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving;

impl Listed for Leaving {
    fn run<D: Driver>(&self, _driver: &mut D, (world, layer): (&mut World, usize), _draw: Draw) {
        world.leave_by_roof(layer);
    }
}
