//! Calming: lava that nothing feeds any longer, and that still could spread, loses energy until it
//! rests.
//!
//! Spreading gives to random neighbours, fuller ones too, and without friction no energy is lost on
//! the way. Where the lava cannot run off, cells above `threshold` in the topmost layer hand each
//! other their amounts for ever: 0.9 with an energy of 1 at the vent never came to rest. So if
//! nothing was poured and no event took place for [`AFTER`] steps, in one step of [`EVERY`]
//!
//! ```text
//! e_c −= max(1, e_c / 16)     where the cell spreads and a neighbour takes something
//! ```
//!
//! The loss is counted as friction. A cell that could give nothing, whatever the pattern, keeps its
//! energy, so that lava at rest stays unchanged. **Decided:** the wait. A flow under way obeys the
//! published rules alone, to the same bits; each rule that would end the stirring from the start
//! would also act on flowing lava.

use super::shape::{Driver, Each, Listed, Site};
use super::spreading::{Giver, Spreading, spreads};
use super::{Bed, DIRECTIONS};
use crate::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;

/// Number of steps without a pour or event after which lava starts to calm down.
pub const AFTER: u64 = 1000;

/// Period of the rule in steps: the rule runs in the last step of each period.
pub const EVERY: u64 = 16;

/// Calming rule of lava that spreads with these parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calming(pub Spreading);

impl Listed for Calming {
    fn of(site: &Site<'_>) -> Option<Self> {
        Some(Self(site.spec.into()))
    }

    fn is_due(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(EVERY)
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.each(on, self);
    }
}

impl Each for Calming {
    fn loses(&self, world: &World, layer: usize, cell: (Place, Content)) -> u16 {
        if self.stirs(world, layer, cell) {
            (cell.1.energy / 16).max(1)
        } else {
            0
        }
    }
}

impl Calming {
    /// Returns true if a cell of lava could give anything to some neighbour with some random
    /// pattern.
    fn stirs(&self, world: &World, layer: usize, (place, cell): (Place, Content)) -> bool {
        let bed = Bed::under(world, layer, place);
        if !spreads(cell, bed, &self.0) {
            return false;
        }
        let giver = Giver::new(cell, bed, &self.0);
        DIRECTIONS
            .into_iter()
            .filter_map(|(dx, dz)| world.grid.beside(place, [dx, 0, dz]))
            .any(|near| {
                let there = world.layers[layer].at(near);
                !world.ground.is_solid(near)
                    && giver.gives(there, world.heavier_than(layer, near)).amount > 0
            })
    }
}
