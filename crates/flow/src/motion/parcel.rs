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
use crate::motion::face_lanes::{BATCH, Each, VECTOR};
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

/// Parcels of a batch of faces, computed in a loop without branches: the same bits as
/// [`Parcel::new`].
#[derive(Clone, Debug)]
pub(crate) struct ParcelBatch {
    /// Heat and crust of the column behind the giver, of the giver and of the taker.
    mean: [Each<f32>; 3],
    skin: [Each<f32>; 3],
    /// Depth of the giver, and amount that crosses, in units.
    depth: Each<f64>,
    crosses: Each<f64>,
    /// True (1) for a parcel with the mean of its column, and for liquid behind the giver.
    is_mean: Each<u32>,
    is_wet: Each<u32>,
    excess: Each<f32>,
    skin_of_parcel: Each<f32>,
}

impl Default for ParcelBatch {
    fn default() -> Self {
        Self {
            mean: [[0.0; BATCH]; 3],
            skin: [[0.0; BATCH]; 3],
            depth: [0.0; BATCH],
            crosses: [0.0; BATCH],
            is_mean: [0; BATCH],
            is_wet: [0; BATCH],
            excess: [0.0; BATCH],
            skin_of_parcel: [0.0; BATCH],
        }
    }
}

impl ParcelBatch {
    /// Sets the columns of the parcel with the index `i`, as [`Parcel::new`] takes them.
    #[inline(always)]
    pub(crate) fn put(&mut self, i: usize, columns: [&ColumnSummary; 3], units: u64) {
        let [behind, giver, taker] = columns;
        for (side, column) in columns.into_iter().enumerate() {
            self.mean[side][i] = column.mean;
            self.skin[side][i] = column.skin;
        }
        self.depth[i] = giver.depth() as f64;
        self.crosses[i] = (units >> FRACTION) as i64 as f64;
        self.is_mean[i] = u32::from(!taker.is_wet() || !behind.is_one_run());
        self.is_wet[i] = u32::from(behind.is_wet());
    }

    /// Computes the first `count` parcels; `heats`: heats in kelvin of the coldest and of the
    /// hottest liquid.
    #[inline(always)]
    pub(crate) fn find(&mut self, count: usize, [coldest, hottest]: [f32; 2]) {
        let cut = |value: f64| SoftFloat::truncated(value).to_f64();
        for i in 0..count.next_multiple_of(VECTOR).min(BATCH) {
            let [behind, giver, taker] = [self.mean[0][i], self.mean[1][i], self.mean[2][i]];
            let [skin_behind, skin, skin_of_taker] =
                [self.skin[0][i], self.skin[1][i], self.skin[2][i]];
            let part = cut(cut(self.crosses[i]) / cut(self.depth[i]));
            let rest = 1.0 - part as f32;
            let half = 0.5 * pick(rest > 0.0, rest, 0.0);
            let ahead = [taker - giver, skin_of_taker - skin];
            let inner = half * limited(giver - behind, ahead[0]);
            let skin_of_inner = skin + half * limited(skin - skin_behind, ahead[1]);
            let (colder, hotter) = (giver - coldest, hottest - giver);
            let most = pick(colder > 0.0, colder, 0.0);
            let least = -pick(hotter > 0.0, hotter, 0.0);
            let at_margin = half * ahead[0];
            let at_margin = pick(at_margin < least, least, at_margin);
            let at_margin = pick(at_margin > most, most, at_margin);
            let more = half * ahead[1];
            let skin_at_margin = skin + pick(more < skin, more, skin);
            let is_inner = self.is_wet[i] != 0;
            let is_mean = self.is_mean[i] != 0;
            self.excess[i] = pick(is_mean, 0.0, pick(is_inner, inner, at_margin));
            let skin_of_slope = pick(is_inner, skin_of_inner, skin_at_margin);
            self.skin_of_parcel[i] = pick(is_mean, skin, skin_of_slope);
        }
    }

    /// Parcel with the index `i`.
    #[inline(always)]
    pub(crate) fn parcel(&self, i: usize) -> Parcel {
        Parcel {
            excess: self.excess[i],
            skin: self.skin_of_parcel[i],
        }
    }
}

#[inline(always)]
fn pick(is_first: bool, first: f32, second: f32) -> f32 {
    if is_first { first } else { second }
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
    let (a, b) = (before.abs(), after.abs());
    let least = |a: f32, b: f32| pick(a < b, a, b);
    let (one, other) = (least(2.0 * a, b), least(a, 2.0 * b));
    let slope = pick(one > other, one, other).copysign(before);
    pick(before * after > 0.0, slope, 0.0)
}
