//! Turning to rock (setting): a nearly full cell of a material with the flag `sets` that lies on
//! solid ground becomes solid ground.
//!
//! **Decided:** a cell turns to rock from 0.98 of a full cell. Other matter in the cell moves to
//! the cell above if it fits there (below 2 full cells); otherwise the cell stays as it is until
//! the matter fits. All cells of a step are tested with the ground before the step, so that a heap
//! turns to rock from below, one cell of height per step.

use super::shape::{Driver, Due, Listed, Point};
use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;
use lavoxel_base::units::AMOUNT_ONE;

/// Smallest amount with which a cell turns to rock, in units: 0.98 of a full cell.
pub const LEAST: u16 = (AMOUNT_ONE as u32 * 98 / 100) as u16;

/// Rule by which nearly full cells of one layer that lie on solid ground turn to rock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solidifying {
    /// Index of the layer whose cells turn to rock.
    pub layer: usize,
}

impl Point for Solidifying {
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

impl Listed for Solidifying {
    fn run<D: Driver>(&self, driver: &mut D, (world, layer): (&mut World, usize), draw: Draw) {
        let due = driver.points(world, self, draw, 0);
        due.into_iter()
            .for_each(|due| world.set_rock(layer, due.places[0]));
    }
}
