//! Flux law for up to [`BATCH`] faces at once, in a loop without branches that compiles to vector
//! instructions: the same bits as [`LeanPair::drive`], for faces between two columns with a single
//! run each, under the sky.

use crate::motion::face::{CREEP, Flux, HIGHEST, LeanPair, OpenDrive, REST};
use crate::motion::soft_float::{SHARE_ONE, SoftFloat};
use crate::motion::tables::Tables;

/// Number of faces in a batch.
pub(crate) const BATCH: usize = 16;

/// Smallest number of faces that the loop takes: a vector of 256 bits.
pub(crate) const VECTOR: usize = 4;

/// One value for each face of a batch.
pub(crate) type Each<T> = [T; BATCH];

/// Quantities of faces across which liquid may flow; heights in units.
#[derive(Clone, Debug)]
pub(crate) struct FluxBatch {
    pub(crate) count: usize,
    is_forward: Each<bool>,
    /// Higher of the two floors, head difference, and depth of the donor's liquid above the sill.
    low: Each<i64>,
    fall: Each<i64>,
    stands: Each<i64>,
    laws: Laws,
    found: Found,
}

/// Quantities of the flux law, as numbers.
#[derive(Clone, Debug)]
struct Laws {
    fall: Each<f64>,
    stands: Each<f64>,
    /// Depth of the receiver in units of height, limited to twice that of the giver.
    beyond: Each<f64>,
    /// Difference of the floors in units of height on a cliff; else 0.
    drop: Each<f64>,
    /// Four times the head difference between neighbouring columns along the face, in units of
    /// height.
    across: Each<f64>,
    /// Fluidity of the giver and of the receiver, from the tables.
    fluidity: [Each<f64>; 2],
    /// Yield strength of the giver and of the receiver, from the tables.
    strength: [Each<f64>; 2],
    /// Squared cosine of the bed's slope in both columns.
    cos2: [Each<f64>; 2],
    /// 2^(−1 − level).
    part: Each<f64>,
}

/// Unlimited fluxes, and the shares of the depths that do not yield, in fixed point with 32
/// fractional bits.
#[derive(Clone, Debug)]
struct Found {
    flux: Each<f64>,
    plug: Each<u64>,
}

impl Default for FluxBatch {
    fn default() -> Self {
        Self {
            count: 0,
            is_forward: [false; BATCH],
            low: [0; BATCH],
            fall: [0; BATCH],
            stands: [0; BATCH],
            laws: Laws {
                fall: [0.0; BATCH],
                stands: [0.0; BATCH],
                beyond: [0.0; BATCH],
                drop: [0.0; BATCH],
                across: [0.0; BATCH],
                fluidity: [[0.0; BATCH]; 2],
                strength: [[0.0; BATCH]; 2],
                cos2: [[0.0; BATCH]; 2],
                part: [0.0; BATCH],
            },
            found: Found {
                flux: [0.0; BATCH],
                plug: [0; BATCH],
            },
        }
    }
}

impl FluxBatch {
    /// Adds the face of `pair` at time level `level`; returns false if nothing flows.
    #[inline(always)]
    pub(crate) fn add(&mut self, pair: &LeanPair<'_>, tables: &Tables, level: i32) -> bool {
        let (a, b) = (pair.here, pair.there);
        let is_forward = a.head > b.head;
        let (from, to) = if is_forward { (a, b) } else { (b, a) };
        let low = a.floor.max(b.floor);
        let (stands, fall) = (from.head - low, from.head - to.head);
        if stands <= 0 || fall <= REST || from.depth() <= 0 {
            return false;
        }
        let drop = from.floor - to.floor;
        let is_cliff = drop > tables.cliff;
        let most = if is_cliff { stands } else { 2 * stands };
        let i = self.count % BATCH;
        self.count = i + 1;
        (self.is_forward[i], self.low[i]) = (is_forward, low);
        (self.fall[i], self.stands[i]) = (fall, stands);
        let laws = &mut self.laws;
        (laws.fall[i], laws.stands[i]) = (fall as f64, stands as f64);
        laws.beyond[i] = to.depth().min(most) as f64;
        laws.drop[i] = if is_cliff { drop as f64 } else { 0.0 };
        laws.across[i] = pair.slope_along() as i64 as f64;
        laws.fluidity[0][i] = from.fluidity.to_f64();
        laws.fluidity[1][i] = to.fluidity.to_f64();
        laws.strength[0][i] = from.strength.to_f64();
        laws.strength[1][i] = to.strength.to_f64();
        laws.cos2[0][i] = f64::from(a.cos2);
        laws.cos2[1][i] = f64::from(b.cos2);
        laws.part[i] = SoftFloat::from_units(1).shifted(-1 - level).to_f64();
        true
    }

    /// Computes the fluxes of all faces of the batch, to be read with [`FluxBatch::flux`].
    #[inline(always)]
    pub(crate) fn find(&mut self, tables: &Tables) {
        let count = self.count.next_multiple_of(VECTOR).min(BATCH);
        self.laws.find(tables, count, &mut self.found);
    }

    /// Flux across the face with the index `i`; `None` where the yield strength prevents it.
    #[inline(always)]
    pub(crate) fn flux(&self, i: usize, tables: &Tables) -> Option<Flux> {
        let mut excess = self.fall[i].min(HIGHEST);
        let [of_giver, of_taker] = &self.laws.strength;
        if of_giver[i] != 0.0 || of_taker[i] != 0.0 {
            let moves = SHARE_ONE - self.found.plug[i];
            excess = ((excess as u128 * u128::from(moves)) >> 32) as i64;
            if excess <= tables.tolerance >> CREEP {
                return None;
            }
        }
        let drive = OpenDrive {
            is_forward: self.is_forward[i],
            flux: SoftFloat::from_truncated(self.found.flux[i]),
            excess,
            stands: self.stands[i],
            low: self.low[i],
        };
        Some(drive.limited(tables))
    }
}

/// Number truncated to the bits of a [`SoftFloat`].
#[inline(always)]
fn cut(value: f64) -> f64 {
    SoftFloat::truncated(value).to_f64()
}

#[inline(always)]
fn pick(is_first: bool, first: f64, second: f64) -> f64 {
    if is_first { first } else { second }
}

#[inline(always)]
fn cubed(value: f64) -> f64 {
    cut(cut(value * value) * value)
}

/// 2^52: adding it rounds a smaller number to an integer, which then fills the lower bits.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// Number below 1 in fixed point with 32 fractional bits, truncated, as [`SoftFloat::fixed`].
#[inline(always)]
fn share(value: f64) -> u64 {
    let exact = value * SHARE_ONE as f64;
    let rounded = (exact + WHOLE) - WHOLE;
    let whole = rounded - pick(exact < rounded, 1.0, 0.0);
    (whole + WHOLE).to_bits() & (SHARE_ONE - 1)
}

/// Yielding factor 1 − 3b/2 + b³/2 for `b` in fixed point with 32 fractional bits.
#[inline(always)]
fn yielding(b: u64) -> f64 {
    let cube = (((b * b) >> 32) * b) >> 32;
    let (sum, less) = (SHARE_ONE + (cube >> 1), (3 * b) >> 1);
    let rest = sum.saturating_sub(less);
    cut(f64::from_bits(WHOLE.to_bits() | rest) - WHOLE) * (1.0 / SHARE_ONE as f64)
}

impl Laws {
    /// Computes `found` for the first `count` faces.
    #[inline(always)]
    fn find(&self, tables: &Tables, count: usize, found: &mut Found) {
        let cliff = SoftFloat::from_units(tables.cliff as u64).to_f64();
        let held_share = tables.held.to_f64();
        let margin = SoftFloat::from_f64(core::f64::consts::PI / 16.0).to_f64();
        for i in 0..count.min(BATCH) {
            let (stands, beyond) = (cut(self.stands[i]), cut(self.beyond[i]));
            let cos2 = cut(self.cos2[0][i] + self.cos2[1][i]) * 0.5;
            let fall = cut(self.fall[i]);
            let scaled = cut(cut(fall * cliff) / cut(self.drop[i]));
            let slope = pick(self.drop[i] > 0.0, scaled, fall);
            // The stress that drives the flow, by the slopes across and along the face.
            let sum = cut(self.stands[i] + self.beyond[i]);
            let through = cut(sum * slope);
            let along = cut(self.across[i]) * 0.25;
            let giver = self.strength[0][i];
            let edge = cut(cut(giver * giver) * margin);
            let is_open = cut(beyond * cubed(along)) < edge;
            let aslant = cut(pick(is_open, 2.0 * stands, sum) * along);
            let both = cut(cut(cut(through * through) + cut(aslant * aslant)).sqrt());
            let stress = cut(pick(self.across[i] > 0.0, both, through) * cos2);
            let held = cut(stress * held_share);
            let (mut sum_of_both, mut plug) = (0.0, SHARE_ONE);
            for (side, height) in [(0, stands), (1, beyond)] {
                let mobility = cut(self.fluidity[side][i] * cubed(height));
                let strength = self.strength[side][i];
                let moves = (strength < held) & (mobility > 0.0);
                let b = share(pick(moves, cut(strength / stress), 0.0));
                let moved = pick(moves, cut(mobility * yielding(b)), 0.0);
                let is_stiff = (self.strength[0][i] != 0.0) | (self.strength[1][i] != 0.0);
                sum_of_both += pick(is_stiff, moved, mobility);
                let own = if moves { b } else { SHARE_ONE };
                plug = if own < plug { own } else { plug };
            }
            let flux = cut(cut(cut(sum_of_both) * self.part[i] * slope) * cut(cos2 * cos2));
            (found.flux[i], found.plug[i]) = (flux, plug);
        }
    }
}
