//! Spreading (equations 6–19): liquid with enough energy moves to a random set of its four horizontal neighbours.
//!
//! A cell spreads when it holds liquid, its energy is above `threshold`, and it is supported: the cell below is solid,
//! the floor, or holds at least `support`. One of the 2⁴ patterns is drawn, uniformly among the subsets of the
//! neighbours that are inside the box and not solid. To each neighbour n of the pattern goes
//!
//! ```text
//! m = min(a_c · spread, (1 − a_n) / 4)             four givers can never overfill n
//! q = e_c · α · m / a_c
//! a_c −= m ; a_n += m ; e_c −= q ; e_n += q · (1 − friction)
//! ```
//!
//! The step is synchronous: every decision reads the state before it. Rounding is down, in favour of the giver.

use super::gravity::Cell;
use super::transfer::{carried, ratio};
use super::{Parcel, Rules};
use crate::units::{AMOUNT_ONE, ENERGY_MAX};

/// The four directions of spreading as (dx, dz): west, east, north, south. Bit `d` of a pattern means `DIRECTIONS[d]`.
pub const DIRECTIONS: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// What a liquid cell stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bed {
    /// A solid cell or the floor of the box.
    Solid,
    /// A cell that is not solid, with its amount in units (0: air).
    Liquid(u16),
}

/// Whether a cell may spread in this step.
#[inline]
pub fn spreads(cell: Cell, bed: Bed, rules: &Rules) -> bool {
    let supported = match bed {
        Bed::Solid => true,
        Bed::Liquid(amount) => amount >= rules.support,
    };
    cell.amount > 0 && cell.energy > rules.threshold && supported
}

/// A cell that spreads, with what is the same for all its neighbours worked out once.
#[derive(Clone, Copy, Debug)]
pub struct Giver {
    share: u16,
    ratio: u32,
    friction: u32,
}

impl Giver {
    /// Prepares a cell for which [`spreads`] holds.
    #[inline]
    pub fn new(cell: Cell, bed: Bed, rules: &Rules) -> Self {
        Self {
            share: ((u32::from(cell.amount) * rules.spread) >> 16) as u16,
            ratio: ratio(cell.amount, cell.energy, rules.alpha),
            friction: match bed {
                Bed::Solid => rules.friction_on_solid,
                Bed::Liquid(_) => rules.friction_on_liquid,
            },
        }
    }

    /// What goes to one neighbour of the pattern. Four such parcels never take more than the giver has: `spread` is
    /// below 1/4 and `alpha` at most 1, so at least one unit of amount stays to hold the energy that stays.
    #[inline]
    pub fn gives(self, to: Cell) -> Parcel {
        let amount = self.share.min((AMOUNT_ONE - to.amount) / 4);
        Parcel { amount, energy: carried(amount, self.ratio).min((ENERGY_MAX - to.energy) / 4) }
    }

    /// Energy of a parcel that is left after friction on the way; the difference is counted as lost.
    #[inline]
    pub fn arrives(self, energy: u16) -> u16 {
        energy - ((u32::from(energy) * self.friction) >> 16) as u16
    }
}
