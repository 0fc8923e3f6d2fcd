//! Calming: lava that nothing feeds any longer, and that still could spread, loses energy until it rests.
//!
//! Spreading gives to random neighbours, fuller ones too, and without friction no energy is lost on the way. Where the lava cannot
//! run off, cells above `threshold` in the topmost layer hand each other their amounts for ever: 0.9 with an energy of 1 at the vent
//! never came to rest. So once nothing was poured and no event took place for [`AFTER`] steps, in one step of [`EVERY`]
//!
//! ```text
//! e_c −= max(1, e_c / 16)     where the cell spreads and a neighbour takes something
//! ```
//!
//! The loss is counted as friction. A cell that could give nothing, whatever the pattern, keeps its energy, so that lava at rest
//! stays as it is. **Decided:** the wait. A flow under way obeys the published rules alone, to the same bits; each rule that
//! would end the stirring from the start would also act on what flows.

use super::spreading::{Giver, Spreading, spreads};
use super::{Bed, DIRECTIONS};
use crate::grid::Place;
use crate::world::{Content, World};

/// Steps after the last pour or event from which lava calms down.
pub const AFTER: u64 = 1000;

/// The rule runs in the last of so many steps.
pub const EVERY: u64 = 16;

impl World {
    /// Lets the lava calm down. `stirring` is memory for the cells that could still spread.
    pub(crate) fn calm(&mut self, layer: usize, rule: &Spreading, stirring: &mut Vec<(Place, Content)>) {
        if self.layers[layer].is_asleep() {
            return;
        }
        stirring.clear();
        stirring.reserve(self.layers[layer].tally().cells as usize);
        let stirs = |&(place, cell): &(Place, Content)| self.stirs(layer, (place, cell), rule);
        stirring.extend(self.layers[layer].held().filter(stirs));
        let layer = &mut self.layers[layer];
        for (place, cell) in stirring.drain(..) {
            let lost = (cell.energy / 16).max(1);
            layer.set(place, Content { energy: cell.energy - lost, ..cell });
            layer.ledger.energy.friction += u64::from(lost);
        }
    }

    /// Whether a cell of lava could give anything to a neighbour.
    fn stirs(&self, layer: usize, ([x, y, z], cell): (Place, Content), rule: &Spreading) -> bool {
        let bed = Bed::under(self, layer, [x, y, z]);
        if !spreads(cell, bed, rule) {
            return false;
        }
        let giver = Giver::new(cell, bed, rule);
        DIRECTIONS.into_iter().any(|(dx, dz)| {
            let near = x.checked_add_signed(dx).zip(z.checked_add_signed(dz));
            let inside = near.filter(|&(x, z)| x < self.grid.nx && z < self.grid.nz);
            inside.is_some_and(|(x, z)| {
                let there = self.layers[layer].at([x, y, z]);
                !self.ground.is_solid([x, y, z]) && giver.gives(there, self.heavier_than(layer, [x, y, z])).amount > 0
            })
        })
    }
}
