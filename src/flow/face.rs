//! The rule: what crosses the vertical face between two columns in a sub-step.
//!
//! q = ρ g c² M G φ, the flux of a viscous layer for a metre of width (Huppert 1982), with the mobility `M` the mean of
//! h³/(3η) on both sides, `G` the slope of the heads, `c` the squared cosine of the bed's slope and φ the share of a
//! Bingham liquid that yields. `docs/flow.md` derives it.

use super::column::{Column, Run, UNIT};
use super::mag::{Mag, SHARE_ONE};
use super::tables::Tables;
use crate::random::mix64;

/// Bits of a flux after the point.
const FRACTION: i32 = 24;

/// Largest difference of heads that the limit of a flux reads.
const HIGHEST: i64 = 1 << 38;

/// The two columns of a face, and those beside them along the face; absent at a side of the box.
pub(crate) struct Pair<'a> {
    pub(crate) here: &'a Column,
    pub(crate) there: &'a Column,
    /// Before and after `here`, before and after `there`.
    pub(crate) beside: Option<[&'a Column; 4]>,
}

/// What crosses between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flux {
    /// From `here` to `there`, or back.
    pub(crate) is_forward: bool,
    /// The run that gives.
    giver: usize,
    /// Units of amount with [`FRACTION`] bits after the point.
    units: u64,
    /// Lowest and highest height at which liquid crosses.
    low: i64,
    high: i64,
    /// Whether the face is lower than the giver's surface.
    is_lidded: bool,
    pub(crate) is_capped: bool,
}

impl Pair<'_> {
    /// The fluxes of all pairs of runs that touch, for the time `Δt/2^level`.
    #[inline]
    pub(crate) fn fluxes(&self, tables: &Tables, level: i32, mut each: impl FnMut(Flux)) {
        for i in 0..self.here.runs.len() {
            for j in 0..self.there.runs.len() {
                if let Some(flux) = self.flux(i, j, tables, level) {
                    each(flux);
                }
            }
        }
    }

    #[inline]
    fn flux(&self, i: usize, j: usize, tables: &Tables, level: i32) -> Option<Flux> {
        let (a, b) = (&self.here.runs[i], &self.there.runs[j]);
        let low = a.floor.max(b.floor);
        let high = a.roof.min(b.roof);
        let is_forward = a.head > b.head;
        let (from, to) = if is_forward { (a, b) } else { (b, a) };
        let stands = from.surface().min(high) - low;
        if stands <= 0 || from.head == to.head || !from.is_wet() {
            return None;
        }
        let fall = from.head - to.head;
        let drop = from.floor - to.floor;
        let is_cliff = drop > tables.cliff;
        // What stands above the sill on the other side, as far as the giver's depth reaches.
        let beyond = to.depth.min(if is_cliff { stands } else { 2 * stands });
        let cube = |height: i64, is_roofed: bool| {
            let cube = Mag::from_units(height as u64).cubed();
            if is_roofed { cube.shifted(-2) } else { cube }
        };
        let cubes = cube(stands, from.surface() >= high).plus(cube(beyond, to.surface() >= high));
        let mut slope = Mag::from_units(fall as u64);
        if is_cliff {
            slope = slope.times(Mag::from_units(tables.cliff as u64)).over(Mag::from_units(drop as u64));
        }
        let cos2 = self.here.cos2.plus(self.there.cos2).shifted(-1);
        let mut flux = from.fluidity.times(cubes).shifted(-1 - level).times(slope).times(cos2.squared());
        if !from.strength.is_zero() {
            let across = self.slope_along(a, b);
            let steepness = if across == 0 {
                slope
            } else {
                slope.squared().plus(Mag::from_units(across).shifted(-2).squared()).root()
            };
            let stress = Mag::from_units((stands + beyond) as u64).times(steepness).times(cos2);
            if !from.strength.is_less(stress) {
                return None;
            }
            flux = flux.times(yielding(from.strength.over(stress).fixed(32, SHARE_ONE - 1)));
        }
        let slot = if from.full || to.full { 4 } else { 0 };
        let cap = ((fall.min(HIGHEST) as u64) << (FRACTION - 2)) >> slot;
        let units = flux.fixed(FRACTION, u64::MAX >> 1);
        Some(Flux {
            is_forward,
            giver: if is_forward { i } else { j },
            units: units.min(cap),
            low,
            high,
            is_lidded: from.surface() > high,
            is_capped: units > cap,
        })
    }

    /// Four times the slope of the heads along the face, as a difference between columns.
    #[inline]
    fn slope_along(&self, a: &Run, b: &Run) -> u64 {
        let Some([before_a, after_a, before_b, after_b]) = self.beside else { return 0 };
        let along = |run: &Run, before, after| head_beside(after, run) - head_beside(before, run);
        match (a.is_wet(), b.is_wet()) {
            (true, true) => along(a, before_a, after_a) + along(b, before_b, after_b),
            (true, false) => 2 * along(a, before_a, after_a),
            _ => 2 * along(b, before_b, after_b),
        }
        .unsigned_abs()
    }

    /// Shares a flux out over the cells of the giver by the profile of speed: level and amount of each part, rounded by lot.
    /// `key` belongs to the sub-step, `face` to the face.
    #[inline]
    pub(crate) fn parts(&self, flux: &Flux, key: u64, face: usize, mut each: impl FnMut(i32, i32)) {
        let giver = if flux.is_forward { self.here } else { self.there };
        let run = &giver.runs[flux.giver];
        let surface = run.surface().min(flux.high);
        let lowest = run.first.max(flux.low.div_euclid(UNIT) as i32);
        let highest = run.top.min(((surface - 1) / UNIT) as i32);
        let mut below = 0;
        for level in lowest..=highest {
            let up_to = if level == highest { SHARE_ONE } else { flux.share_below(giver, run, surface, level + 1) };
            let exact = (u128::from(flux.units) * u128::from(up_to.saturating_sub(below))) >> 32;
            below = up_to.max(below);
            let lot = mix64(key ^ ((face as u64) << 32 | level as u64)) >> (64 - FRACTION);
            let amount = (exact + u128::from(lot)) >> FRACTION;
            let amount = amount.min(giver.cell(level).amount as u128) as i32;
            if amount > 0 {
                each(level, amount);
            }
        }
    }
}

impl Flux {
    /// Share of the flux below the bottom of the cell at a level, in 32 bits after the point.
    fn share_below(&self, giver: &Column, run: &Run, surface: i64, level: i32) -> u64 {
        if self.low <= run.floor && !self.is_lidded {
            return u64::from(giver.shares[(level - 1 - giver.base) as usize]);
        }
        let height = Mag::from_units((i64::from(level) * UNIT - self.low).max(0) as u64);
        let x = height.over(Mag::from_units((surface - self.low) as u64)).fixed(32, SHARE_ONE - 1);
        if self.is_lidded {
            return x;
        }
        // Of one viscosity above a sill: (3x² − x³)/2.
        let square = (x * x) >> 32;
        (3 * square - ((square * x) >> 32)) >> 1
    }
}

/// Share of a Bingham liquid's flux for the share `b` of the depth that does not yield: 1 − 3b/2 + b³/2.
#[inline]
fn yielding(b: u64) -> Mag {
    let cube = (((b * b) >> 32) * b) >> 32;
    Mag::from_units((SHARE_ONE + (cube >> 1)).saturating_sub((3 * b) >> 1)).shifted(-32)
}

/// Head of the run in a neighbouring column that overlaps a run most; a dry one counts its floor where that is lower, and
/// what cannot be compared mirrors the run.
#[inline]
pub(crate) fn head_beside(column: &Column, run: &Run) -> i64 {
    let overlap = |other: &&Run| run.roof.min(other.roof) - run.floor.max(other.floor);
    let Some(other) = column.runs.iter().rev().max_by_key(overlap).filter(|other| overlap(other) > 0) else {
        return run.head;
    };
    if other.is_wet() { if other.floor > run.head { run.head } else { other.head } } else { other.floor.min(run.head) }
}
