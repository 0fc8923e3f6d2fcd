//! Parcels: heat and crust of the liquid that crosses a face, to second order.
//!
//! A parcel with the mean heat and crust of its column (donor cell) would mix core and margins of a
//! flow at an angle to the grid, as if heat diffused with u Δx/2 · sin φ cos φ (sin φ + cos φ). So
//! heat and crust are taken to vary linearly within a column, with a limited slope, and the parcel
//! is the part of the column next to the face:
//!
//! ```text
//! ΔT = ½ (1 − ν) limited(T − T_behind, T_taker − T),  ν: share of the giver that crosses
//! ```
//!
//! Invariants: donor and receiver count the same integers; no cell gives more heat than it has.

use crate::HEAT_UNITS;
use crate::motion::face::FRACTION;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::Warmth;
use crate::store::column_summary::ColumnSummary;

/// Heat and crust of the liquid that crosses a face (parcel).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parcel {
    /// Heat of the parcel minus the mean heat of the donor cell, in kelvin.
    excess: f32,
    /// Heat deficit of the crust on the parcel relative to its core, in kelvin, averaged over the
    /// depth.
    pub(crate) skin: f32,
}

impl Parcel {
    /// Parcel with the mean heat of the donor cell and the crust of its column, whose heat deficit
    /// is `skin` (K, averaged over the depth).
    pub(crate) fn mean(skin: f32) -> Self {
        Self { excess: 0.0, skin }
    }

    #[cfg(test)]
    pub(crate) fn of(excess: f32, skin: f32) -> Self {
        Self { excess, skin }
    }

    /// Parcel of the liquid that crosses from the column `giver` to `taker`, both with one run.
    /// `behind`: the column on the other side of `giver`; `units`: amount that crosses, with
    /// [`FRACTION`] fractional bits; `coldest`, `hottest`: bounds of the liquid's heat in kelvin.
    #[inline(always)]
    pub(crate) fn new(
        [behind, giver, taker]: [&ColumnSummary; 3],
        units: u64,
        [coldest, hottest]: [f32; 2],
    ) -> Self {
        if !taker.is_wet() || !behind.is_one_run() {
            return Self::mean(giver.skin);
        }
        let part = SoftFloat::from_units(units >> FRACTION)
            .over(SoftFloat::from_units(giver.depth() as u64));
        let half = 0.5 * (1.0 - part.to_f64() as f32).max(0.0);
        let ahead = [taker.mean - giver.mean, taker.skin - giver.skin];
        if behind.is_wet() {
            let [excess, skin] = [
                limited(giver.mean - behind.mean, ahead[0]),
                limited(giver.skin - behind.skin, ahead[1]),
            ];
            return Self {
                excess: half * excess,
                skin: giver.skin + half * skin,
            };
        }
        // A margin has its slope on one side alone, and its outer edge is no colder than liquid.
        let (colder, hotter) = (giver.mean - coldest, hottest - giver.mean);
        Self {
            excess: (half * ahead[0]).clamp(-hotter.max(0.0), colder.max(0.0)),
            skin: giver.skin + (half * ahead[1]).min(giver.skin),
        }
    }

    /// Heat in units of `amount` units of liquid of this parcel, from a cell with `held` units of
    /// liquid and the heat `warmth` per unit of amount. If the cell gives more than a quarter of
    /// its liquid, the limiter ([`crate::Flow::limit`]) later replaces this heat by the cell's
    /// mean.
    #[inline(always)]
    pub(crate) fn heat(self, amount: i32, held: i64, warmth: Warmth) -> i64 {
        let mean = warmth.times(amount);
        if self.excess == 0.0 {
            return mean;
        }
        // Four parcels of a quarter each may leave: none takes more than its quarter of the heat.
        let most =
            warmth.times((held / 4 - i64::from(amount)).clamp(0, i64::from(i32::MAX)) as i32);
        let excess = (f64::from(amount) * f64::from(self.excess) * HEAT_UNITS as f64) as i64;
        mean + excess.clamp(-mean, most)
    }
}

/// Heat deficit, in units of heat, of the crust on `amount` units of liquid; `skin`: heat deficit
/// in kelvin, averaged over the depth.
#[inline(always)]
pub(crate) fn crust_of(amount: i32, skin: f32) -> i64 {
    (f64::from(amount) * f64::from(skin) * HEAT_UNITS as f64) as i64
}

/// Limited difference of a quantity across a column, from its differences to the column before and
/// to the column after (superbee limiter, Roe 1985): zero at an extremum, so that no new extremum
/// can form; elsewhere the largest that both differences allow. So hot and cold lava next to each
/// other do not mix, as in nature, where heat conducts less than a metre in a day.
#[inline(always)]
fn limited(before: f32, after: f32) -> f32 {
    if before * after <= 0.0 {
        return 0.0;
    }
    let (a, b) = (before.abs(), after.abs());
    (2.0 * a).min(b).max(a.min(2.0 * b)).copysign(before)
}
