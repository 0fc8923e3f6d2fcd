//! Gravity (equations 1–5): liquid falls into the cell below as far as there is room.
//!
//! ```text
//! m = min(a_c · factor, 1 − a_b)                   c the cell, b the cell below it, not solid
//! q = e_c if m = a_c, else min(e_c, e_c · β · m / a_c)
//! a_c −= m ; a_b += m ; e_c −= q ; e_b += q
//! ```
//!
//! A column is worked from the bottom up and in place. That order makes equation 1 true: a falling stack moves down
//! as a stack, and no parcel moves more than one cell a step. The rule touches one column only.

use super::transfer::{carried, ratio};
use super::{Parcel, Rules};
use crate::units::{AMOUNT_ONE, ENERGY_MAX};

/// Amount and energy of one cell, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Amount, 0..=[`AMOUNT_ONE`].
    pub amount: u16,
    /// Energy, 0..=[`ENERGY_MAX`].
    pub energy: u16,
}

/// What falls from a liquid cell into the cell below it, which is not solid.
///
/// Rounding: the amount is rounded up, so that the last unit of a parcel falls too and nothing is left hanging in the
/// air. Energy that would pass [`ENERGY_MAX`] below stays above, and with it one unit of amount that holds it, because
/// an empty cell holds no energy.
#[inline]
pub fn fall(from: Cell, into: Cell, rules: &Rules) -> Parcel {
    let wanted = (u32::from(from.amount) * rules.factor).div_ceil(1 << 16) as u16;
    let mut amount = wanted.min(AMOUNT_ONE - into.amount);
    if amount == 0 {
        return Parcel::default();
    }
    let room = ENERGY_MAX - into.energy;
    if amount < from.amount {
        let energy = carried(amount, ratio(from.amount, from.energy, rules.beta));
        return Parcel { amount, energy: energy.min(from.energy).min(room) };
    }
    if from.energy > room {
        amount -= 1;
    }
    Parcel { amount, energy: if amount == 0 { 0 } else { from.energy.min(room) } }
}
