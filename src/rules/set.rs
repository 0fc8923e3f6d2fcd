//! Setting: a cell nearly full of a material that sets, and that lies on the ground, becomes ground.
//!
//! **Decided:** a cell sets at 0.98. What else is in it goes to the cell above if there is room below 2; without room the
//! cell waits. All cells of a step set by the ground before it, so that a heap sets row by row from below.

use crate::grid::Place;
use crate::units::AMOUNT_ONE;
use crate::world::World;

/// Least amount that sets.
pub const LEAST: u16 = (AMOUNT_ONE as u32 * 98 / 100) as u16;

/// Whether a cell of a layer sets.
pub(crate) fn sets(world: &World, layer: usize, [x, y, z]: Place) -> bool {
    world.layers()[layer].at([x, y, z]).amount >= LEAST
        && (y == 0 || world.ground().is_solid([x, y - 1, z]))
        && world.can_set(layer, [x, y, z])
}
