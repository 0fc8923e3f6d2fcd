//! Energy that moving lava takes along: one formula for all rules, in scalar and in SIMD form.

use lavoxel_base::simd::Simd;
use lavoxel_base::units::ENERGY_MAX;

/// Amount and energy that move from one cell to another, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// Amount in units that leaves the giving cell; the whole amount arrives.
    pub amount: u16,
    /// Energy in units that leaves the giving cell, before the loss to friction.
    pub energy: u16,
}

/// Number of fractional bits of a ratio of energy to amount, as returned by `ratio`.
const RATIO_BITS: u32 = 14;

/// Returns the energy that one unit of amount takes along from a cell with `amount` and `energy`
/// (units): `energy · coefficient / amount`, with 14 fractional bits.
///
/// `coefficient` has 16 fractional bits (65536 = 1.0). **Decided:** a parcel carries at most 4
/// units of energy per unit of amount, which is 16 times the default of lava fresh from the vent;
/// the excess stays in the giving cell. With this bound the ratio fits 16 bits and is computed once
/// for a cell and all its neighbours.
#[inline]
pub(super) fn ratio(amount: u16, energy: u16, coefficient: u32) -> u32 {
    let scaled =
        ((u64::from(energy) * u64::from(coefficient)) >> 16).min(u64::from(ENERGY_MAX)) as u32;
    ((scaled << RATIO_BITS) / u32::from(amount)).min(u32::from(u16::MAX))
}

/// Returns the energy that the amount `moved` takes along at the energy per amount `ratio` (14
/// fractional bits), both in units; rounded down in favour of the giving cell.
#[inline]
pub(super) fn carried(moved: u16, ratio: u32) -> u16 {
    ((u64::from(moved) * u64::from(ratio)) >> RATIO_BITS).min(u64::from(ENERGY_MAX)) as u16
}

/// Fixed-point factor as SIMD vectors: integer part, and fraction with 16 bits.
pub(crate) struct Share<S: Simd> {
    whole: u32,
    rest: S::V,
}

impl<S: Simd> Share<S> {
    #[inline(always)]
    pub(crate) fn new(s: S, share: u32) -> Self {
        Self {
            whole: share >> 16,
            rest: s.splat(share as u16),
        }
    }

    /// Returns each lane of `v` times the factor, rounded down and clamped to 65535.
    #[inline(always)]
    pub(crate) fn apply(&self, s: S, v: S::V) -> S::V {
        let mut product = s.mul_high(v, self.rest);
        for _ in 0..self.whole {
            product = s.add_saturating(product, v);
        }
        product
    }
}
