//! Calming: lava that still could spread although nothing feeds it any longer loses energy until it
//! rests.
//!
//! Spreading gives to random neighbours, including fuller ones, and without friction no energy is
//! lost on the way. Where the lava cannot run off, the topmost lava cells with an energy above
//! `threshold` would exchange their amounts for ever: with a threshold of 0.9 and an energy of 1 at
//! the vent, lava never came to rest. So if nothing was poured and no event of the scene took place
//! for [`AFTER`] steps, then in one of every [`EVERY`] steps
//!
//! ```text
//! e_c −= max(1, e_c / 16)     where the cell spreads and a neighbour takes something
//! ```
//!
//! The loss is booked as friction. A cell that could give nothing, whatever the random numbers,
//! keeps its energy, so that lava at rest does not change. **Decided:** the waiting time. While
//! lava flows, only the published rules act, with the same bits; any rule that would damp these
//! exchanges from the start would also act on flowing lava.

use super::shape::{Driver, Each, Listed, Site};
use super::spreading::{Giver, Spreading, spreads};
use super::{Bed, DIRECTIONS};
use crate::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::random::Draw;

/// Number of steps without inflow and without an event of the scene after which lava begins to lose
/// energy by calming.
pub const AFTER: u64 = 1000;

/// Number of steps from one application of the calming rule to the next; the rule acts in the last
/// step of each such period.
pub const EVERY: u64 = 16;

/// Calming of lava that spreads with the parameters in the field: takes energy from cells that
/// could spread, until the lava rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damping(pub Spreading);

impl Listed for Damping {
    fn from_site(site: &Site<'_>) -> Option<Self> {
        Some(Self(site.spec.into()))
    }

    fn is_due(&self, step: u64) -> bool {
        (step + 1).is_multiple_of(EVERY)
    }

    fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), _draw: Draw) {
        driver.each(on, self);
    }
}

impl Each for Damping {
    fn loses(&self, world: &World, layer: usize, cell: (Place, Content)) -> u16 {
        if self.stirs(world, layer, cell) {
            (cell.1.energy / 16).max(1)
        } else {
            0
        }
    }
}

impl Damping {
    /// Returns true if the lava in `cell`, at `place`, could flow to a neighbour for some values of
    /// the random numbers.
    fn stirs(&self, world: &World, layer: usize, (place, cell): (Place, Content)) -> bool {
        let bed = Bed::under(world, layer, place);
        if !spreads(cell, bed, &self.0) {
            return false;
        }
        let giver = Giver::new(cell, bed, &self.0);
        DIRECTIONS
            .into_iter()
            .filter_map(|(dx, dz)| world.grid.neighbour(place, [dx, 0, dz]))
            .any(|near| {
                let there = world.layers[layer].at(near);
                !world.ground.is_solid(near)
                    && giver
                        .parcel_for(there, world.heavier_than(layer, near))
                        .amount
                        > 0
            })
    }
}
