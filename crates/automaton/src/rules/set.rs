//! Setting: a cell nearly full of a material that sets, and that lies on the ground, becomes
//! ground.
//!
//! **Decided:** a cell sets at 0.98. Other matter in the cell goes to the cell above if there is
//! room below 2; without room the cell waits. All cells of a step set by the ground before the
//! step, so that a heap sets row by row from below.

use super::shape::{Driver, Due, Listed, Point};
use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;

/// Minimum amount of a cell that turns to ground, in units (0.98 of a cell).
pub const LEAST: u16 = (AMOUNT_ONE as u32 * 98 / 100) as u16;

/// Setting rule of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Index of the layer that sets.
    pub layer: usize,
}

impl Point for Setting {
    fn site(&self) -> (usize, u16) {
        (self.layer, LEAST)
    }

    fn due(
        &self,
        world: &World,
        place @ [x, y, z]: Place,
        _draw: Draw,
        _round: u64,
    ) -> Option<Due> {
        let sets = world.layers()[self.layer].at(place).amount >= LEAST
            && (y == 0 || world.ground().is_solid([x, y - 1, z]))
            && world.can_set(self.layer, place);
        sets.then_some(Due {
            places: [place; 2],
            parts: 1,
        })
    }
}

impl Listed for Setting {
    fn run<D: Driver>(&self, driver: &mut D, (world, layer): (&mut World, usize), draw: Draw) {
        let due = driver.points(world, self, draw, 0);
        due.into_iter()
            .for_each(|due| world.set_rock(layer, due.places[0]));
    }
}
