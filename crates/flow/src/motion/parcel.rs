//! Parcels: heat and crust of the liquid that crosses a face, to second order.
//!
//! A parcel with the mean heat and crust of its column (donor cell) would mix core and margins of a
//! flow aslant to the grid, as if heat diffused with u Δx/2 · sin φ cos φ (sin φ + cos φ). So heat
//! and crust are taken to vary linearly within a column, with the slope of the MC limiter (van Leer
//! 1977), and the parcel is the part of the column next to the face:
//!
//! ```text
//! ΔT = ½ (1 − ν) mc(T − T_behind, T_taker − T),  ν: share of the giver that crosses
//! ```
//!
//! Invariants: giver and taker count the same integers; no cell gives more heat than it has.

use crate::HEAT_UNITS;
use crate::motion::face::FRACTION;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::Warmth;
use crate::store::column_summary::ColumnSummary;

/// Heat and crust of the liquid that crosses a face.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parcel {
    /// Heat in excess of the mean of the giver's cell, in kelvin.
    excess: f32,
    /// Heat deficit of the crust, averaged over the depth, in kelvin.
    pub(crate) skin: f32,
}

impl Parcel {
    /// Parcel with the mean heat of its cell and the crust `skin` (K) of its column.
    pub(crate) fn mean(skin: f32) -> Self {
        Self { excess: 0.0, skin }
    }

    #[cfg(test)]
    pub(crate) fn of(excess: f32, skin: f32) -> Self {
        Self { excess, skin }
    }

    /// Parcel of a flux of `units` (amount with [`FRACTION`] fractional bits) from `giver` to
    /// `taker`, both with one run; `behind`: the column on the other side of the giver.
    #[inline(always)]
    pub(crate) fn new([behind, giver, taker]: [&ColumnSummary; 3], units: u64) -> Self {
        if !(behind.is_wet() && taker.is_wet() && behind.is_one_run()) {
            return Self::mean(giver.skin);
        }
        let part = SoftFloat::from_units(units >> FRACTION)
            .over(SoftFloat::from_units(giver.depth() as u64));
        let half = 0.5 * (1.0 - part.to_f64() as f32).max(0.0);
        let slope = |value: fn(&ColumnSummary) -> f32| {
            half * limited(value(giver) - value(behind), value(taker) - value(giver))
        };
        Self {
            excess: slope(|lean| lean.mean),
            skin: giver.skin + slope(|lean| lean.skin),
        }
    }

    /// Heat in units of `amount` units of liquid out of a cell with `held` units and the heat
    /// `warmth` per unit. Where a cell gives more than a quarter of its liquid, the limiter
    /// [`crate::Flow::limit`] replaces it by the mean.
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

/// Heat deficit in units of heat of the crust on `amount` units of liquid with the deficit `skin`
/// in kelvin.
#[inline(always)]
pub(crate) fn crust_of(amount: i32, skin: f32) -> i64 {
    (f64::from(amount) * f64::from(skin) * HEAT_UNITS as f64) as i64
}

/// Limited slope of a quantity by its differences over both faces (monotonised central, MC): zero at
/// an extremum, so that no new extremum can form.
#[inline(always)]
fn limited(before: f32, after: f32) -> f32 {
    if before * after <= 0.0 {
        return 0.0;
    }
    let slope = (2.0 * before.abs())
        .min(2.0 * after.abs())
        .min(0.5 * (before + after).abs());
    slope.copysign(before)
}
