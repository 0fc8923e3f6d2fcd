//! Flux law: the amount of liquid that crosses the vertical face between two columns in a sub-step.
//!
//! q = ρ g c² G ½ (M₁ φ₁ + M₂ φ₂), the flux of a viscous layer per metre of width (Huppert 1982),
//! with the mobility `M` = h³/(3η) and the yielding factor φ of a Bingham liquid on each side, `G`
//! the slope of the heads and `c` the squared cosine of the bed's slope. Each side has its own
//! viscosity and yield strength: with those of the donor alone, hot and cold columns at an angle to
//! the grid would resist in series, and the flow would run less far. `docs/flow.md` derives the
//! equation.

use crate::motion::soft_float::{SHARE_ONE, SoftFloat};
use crate::motion::tables::Tables;
use crate::store::column::{Column, Run, SKY, SLOT, UNIT};
use crate::store::column_summary::ColumnSummary;
use lavoxel_base::random::mix64;

/// Number of fractional bits of the amount that crosses a face, before rounding to whole units.
pub(crate) const FRACTION: i32 = 24;

/// Upper limit, in units of height, to which the driving head difference is clamped before the flux
/// is computed.
pub(crate) const HIGHEST: i64 = 1 << 38;

/// Head difference in units of height that causes no flux. Stochastic rounding leaves differences
/// of a few units, and liquid exchanged over such differences would never come to rest. With cells
/// of 5 m the threshold is 2.4 µm from column to column.
pub(crate) const REST: i64 = 8;

/// Binary logarithm of [`SLOT`], the ratio of head to excess amount under a roof.
const SLOT_BITS: i32 = SLOT.trailing_zeros() as i32;

/// Yield strength, as a share of the driving stress, from which a Bingham liquid does not move.
/// Close to 1 the flux decreases with the square of the missing stress, so no dome would ever come
/// to rest. No yield strength of a lava is known to better than 1/128.
pub(crate) const HELD: f64 = 1.0 - 1.0 / 128.0;

/// Binary logarithm of a divisor: a head difference that exceeds the yield threshold by at most
/// tolerance/2^CREEP causes no flux. The tolerance is the head difference that sub-steps need not
/// resolve.
pub(crate) const CREEP: i32 = 5;

/// Binary logarithm of a divisor: the tolerance, the head difference that sub-steps need not
/// resolve, is at most depth/2^THIN.
const THIN: i32 = 6;

/// Factor by which a clamped head difference may exceed the tolerance and still count as deferred
/// to later sub-steps, and not as an error: more liquid may arrive within a sub-step than the plan
/// assumed.
const PUT_OFF: i64 = 8;

/// The two columns of a face (`there` lies east or south of `here`), and the neighbours of both in
/// the direction parallel to the face.
pub(crate) struct Pair<'a> {
    pub(crate) here: &'a Column,
    pub(crate) there: &'a Column,
    /// Neighbours parallel to the face, in the order: before and after `here`, before and after
    /// `there`; `None` if one of the four lies outside the box.
    pub(crate) beside: Option<[&'a Column; 4]>,
}

/// State of a run on one side of a face: all that the flux law reads.
struct RunFlux {
    floor: i64,
    roof: i64,
    depth: i64,
    head: i64,
    fluidity: SoftFloat,
    strength: SoftFloat,
    full: bool,
}

impl RunFlux {
    #[inline(always)]
    fn from_run(run: &Run) -> Self {
        let Run {
            floor,
            roof,
            depth,
            head,
            fluidity,
            strength,
            full,
            ..
        } = *run;
        Self {
            floor,
            roof,
            depth,
            head,
            fluidity,
            strength,
            full,
        }
    }

    #[inline(always)]
    fn of_lean(lean: &ColumnSummary) -> Self {
        let ColumnSummary {
            floor,
            head,
            fluidity,
            strength,
            ..
        } = *lean;
        Self {
            floor,
            roof: SKY,
            depth: head - floor,
            head,
            fluidity,
            strength,
            full: false,
        }
    }

    #[inline(always)]
    fn surface(&self) -> i64 {
        self.floor + self.depth
    }
}

/// Flux between two runs across a face in a sub-step, after the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flux {
    /// Direction flag: true if the liquid moves from `here` to `there`.
    pub(crate) is_forward: bool,
    /// Index of the run that liquid leaves, among the runs of the donor column.
    giver: usize,
    /// Amount that crosses the face, in units with [`FRACTION`] fractional bits.
    pub(crate) units: u64,
    /// Lower end of the face's opening in units of height: the higher of the floors on its two
    /// sides.
    low: i64,
    /// Upper end of the face's opening in units of height: the lower of the roofs on its two sides.
    high: i64,
    /// Roof flag: true if the opening of the face ends below the liquid's surface on the donor's
    /// side.
    is_lidded: bool,
    pub(crate) is_capped: bool,
    /// Head difference in units of height whose levelling is deferred to later sub-steps, as
    /// [`Tables::tolerance`] allows; 0 if nothing is deferred.
    pub(crate) eased: i64,
}

/// Flux between two runs by the flux law, with the quantities that the limiter and the time step
/// criterion need.
pub(crate) struct Drive {
    is_forward: bool,
    /// Amount in units that would cross the face without the limiter in the time Δt/2^`level`
    /// passed to `drive`.
    flux: SoftFloat,
    /// Driving head difference in units of height: the difference of the heads, reduced by the
    /// share that the yield strength balances.
    excess: i64,
    /// Depth in units of height of the donor's liquid above the sill (the higher of both floors).
    stands: i64,
    /// Binary logarithm of the rise of the head per unit of amount: 0 under the sky, `SLOT_BITS`
    /// if one of the runs is full.
    slot: i32,
    low: i64,
    high: i64,
    is_lidded: bool,
}

impl Pair<'_> {
    /// Calls `each` with the limited flux of every pair of runs between which liquid flows across
    /// the face, for a sub-step of Δt/2^`level`.
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
        let flux = self.drive(i, j, tables, level)?.limited(tables);
        Some(Flux {
            giver: if flux.is_forward { i } else { j },
            ..flux
        })
    }

    #[inline]
    fn drive(&self, i: usize, j: usize, tables: &Tables, level: i32) -> Option<Drive> {
        let (a, b) = (&self.here.runs[i], &self.there.runs[j]);
        let cos2 = mean_cos2([self.here.cos2, self.there.cos2].map(SoftFloat::from_f32));
        drive::<false>(
            &RunFlux::from_run(a),
            &RunFlux::from_run(b),
            cos2,
            || self.slope_along(a, b),
            tables,
            level,
        )
    }

    /// Iterator over the fluxes before the limiter of all pairs of runs between which liquid flows
    /// across the face, for a whole step.
    pub(crate) fn pair_fluxes(&self, tables: &Tables) -> impl Iterator<Item = Drive> {
        let pairs =
            (0..self.here.runs.len()).flat_map(|i| (0..self.there.runs.len()).map(move |j| (i, j)));
        pairs.filter_map(|(i, j)| self.drive(i, j, tables, 0))
    }

    /// Amount in units that would leave a cell across the face in a whole step, without the
    /// limiter. `level`: index of the cell from the floor of the box; `of_here`: true for a cell of
    /// `here`, false for a cell of `there`.
    pub(crate) fn leaves(&self, of_here: bool, level: i32, tables: &Tables) -> f64 {
        let giver = if of_here { self.here } else { self.there };
        let pairs =
            (0..self.here.runs.len()).flat_map(|i| (0..self.there.runs.len()).map(move |j| (i, j)));
        let drives = pairs
            .filter_map(|(i, j)| Some((if of_here { i } else { j }, self.drive(i, j, tables, 0)?)));
        let of_cell =
            drives
                .filter(|(_, drive)| drive.is_forward == of_here)
                .map(|(run, drive)| {
                    drive.flux.to_f64()
                        * drive
                            .limited(tables)
                            .share_of(giver, &giver.runs[run], level)
                });
        of_cell.sum()
    }

    /// Absolute slope of the heads parallel to the face, as the mean over its wet sides (`a`: run
    /// in `here`, `b`: run in `there`), as four times the head difference between neighbouring
    /// columns, in units of height; 0 at a side of the box.
    #[inline]
    fn slope_along(&self, a: &Run, b: &Run) -> u64 {
        let Some([before_a, after_a, before_b, after_b]) = self.beside else {
            return 0;
        };
        let along = |run: &Run, before, after| head_beside(after, run) - head_beside(before, run);
        match (a.is_wet(), b.is_wet()) {
            (true, true) => along(a, before_a, after_a) + along(b, before_b, after_b),
            (true, false) => 2 * along(a, before_a, after_a),
            _ => 2 * along(b, before_b, after_b),
        }
        .unsigned_abs()
    }

    /// Splits `flux` into portions, one for each cell of the donor, by the velocity profile; calls
    /// `each(level, amount)` for each portion that is not zero, with the index of the cell from the
    /// floor of the box and the amount in units. Rounding is stochastic: `key` is the random key of
    /// the sub-step, `face` the number of the face.
    #[inline]
    pub(crate) fn parts(&self, flux: &Flux, key: u64, face: usize, mut each: impl FnMut(i32, i32)) {
        let giver = if flux.is_forward {
            self.here
        } else {
            self.there
        };
        let run = &giver.runs[flux.giver];
        let surface = run.surface().min(flux.high);
        let lowest = run.first.max(flux.low.div_euclid(UNIT) as i32);
        let highest = run.top.min(((surface - 1) / UNIT) as i32);
        let lots = lots(key, face);
        let mut below = 0;
        for level in lowest..=highest {
            let up_to = if level == highest {
                SHARE_ONE
            } else {
                flux.share_below(giver, run, surface, level + 1)
            };
            let exact = (u128::from(flux.units) * u128::from(up_to.saturating_sub(below))) >> 32;
            below = up_to.max(below);
            let lot = lot(lots, level - lowest);
            let amount = (exact + u128::from(lot)) >> FRACTION;
            let amount = amount.min(giver.cell(level).amount as u128) as i32;
            if amount > 0 {
                each(level, amount);
            }
        }
    }
}

/// Flux before the limiter between the runs `a` and `b`, for a sub-step of Δt/2^`level`; `None` if
/// no liquid crosses. `cos2`: squared cosine of the bed's slope; `along()`: absolute slope of the
/// heads parallel to the face, as four times the head difference between neighbouring columns;
/// `OPEN`: true if both runs are under the sky.
#[inline(always)]
fn drive<const OPEN: bool>(
    a: &RunFlux,
    b: &RunFlux,
    cos2: SoftFloat,
    along: impl FnOnce() -> u64,
    tables: &Tables,
    level: i32,
) -> Option<Drive> {
    let low = a.floor.max(b.floor);
    let high = if OPEN { SKY } else { a.roof.min(b.roof) };
    let is_forward = a.head > b.head;
    let (from, to) = if is_forward { (a, b) } else { (b, a) };
    let stands = if OPEN {
        from.head
    } else {
        from.surface().min(high)
    } - low;
    let slot = if !OPEN && (from.full || to.full) {
        SLOT_BITS
    } else {
        0
    };
    let fall = from.head - to.head;
    if stands <= 0 || fall <= REST << slot || from.depth <= 0 {
        return None;
    }
    let drop = from.floor - to.floor;
    let is_cliff = drop > tables.cliff;
    // The receiver's depth counts up to twice the giver's. With the giver's depth as the bound the
    // flux becomes upwind on slopes, and flows diagonal to the grid widen by 28 %. Beyond a cliff
    // the bound is the giver's depth.
    let beyond = to.depth.min(if is_cliff { stands } else { 2 * stands });
    let cube = |height: i64, is_roofed: bool| {
        let cube = SoftFloat::from_units(height as u64).cubed();
        if is_roofed { cube.shifted(-2) } else { cube }
    };
    let mut slope = SoftFloat::from_units(fall as u64);
    // Beyond a cliff (30°) the slope is scaled down by cliff/drop: lubrication theory fails there.
    if is_cliff {
        slope = slope
            .times(SoftFloat::from_units(tables.cliff as u64))
            .over(SoftFloat::from_units(drop as u64));
    }
    let mobility = |side: &RunFlux, height: i64| {
        side.fluidity
            .times(cube(height, !OPEN && side.surface() >= high))
    };
    let mut mobilities = [mobility(from, stands), mobility(to, beyond)];
    let mut excess = fall.min(HIGHEST);
    if !(from.strength.is_zero() && to.strength.is_zero()) {
        let (across, sum) = (along(), SoftFloat::from_units((stands + beyond) as u64));
        let mut stress = sum.times(slope);
        if across > 0 {
            let along = SoftFloat::from_units(across).shifted(-2);
            let depth = if is_open_margin(along, beyond, from.strength) {
                SoftFloat::from_units(2 * stands as u64)
            } else {
                sum
            };
            stress = stress.squared().plus(depth.times(along).squared()).root();
        }
        stress = stress.times(cos2);
        let held = stress.times(tables.held);
        let mut plug = SHARE_ONE;
        for (mobility, side) in mobilities.iter_mut().zip([from, to]) {
            if mobility.is_zero() || !side.strength.is_less(held) {
                *mobility = SoftFloat::ZERO;
            } else {
                let share = side.strength.over(stress).fixed(32, SHARE_ONE - 1);
                *mobility = mobility.times(yielding(share));
                plug = plug.min(share);
            }
        }
        excess = ((excess as u128 * u128::from(SHARE_ONE - plug)) >> 32) as i64;
        if excess <= tables.tolerance >> CREEP {
            return None;
        }
    }
    let [of_giver, of_taker] = mobilities;
    let flux = of_giver
        .plus(of_taker)
        .shifted(-1 - level)
        .times(slope)
        .times(cos2.squared());
    Some(Drive {
        is_forward,
        flux,
        excess,
        stands,
        slot,
        low,
        high,
        is_lidded: !OPEN && from.surface() > high,
    })
}

impl Drive {
    /// Returns the flux clamped so that the head of the donor remains the higher one: at most a
    /// quarter of the head difference is levelled.
    #[inline(always)]
    fn limited(&self, tables: &Tables) -> Flux {
        let &Self {
            is_forward,
            low,
            high,
            is_lidded,
            ..
        } = self;
        let cap = ((self.excess as u64) << (FRACTION - 2)) >> self.slot;
        let units = self.flux.fixed(FRACTION, u64::MAX >> 1);
        let is_held = units > cap;
        let is_eased = self.excess <= PUT_OFF * self.tolerance(tables);
        Flux {
            is_forward,
            giver: 0,
            units: units.min(cap),
            low,
            high,
            is_lidded,
            is_capped: is_held && !is_eased,
            eased: if is_held && is_eased { self.excess } else { 0 },
        }
    }

    /// Head difference in units of height whose levelling may be deferred, see
    /// [`Tables::tolerance`].
    #[inline(always)]
    fn tolerance(&self, tables: &Tables) -> i64 {
        tables
            .tolerance
            .max(self.stands >> tables.deep)
            .min(self.stands >> THIN)
            .max(REST << self.slot)
    }

    /// Time level (binary logarithm of the number of sub-steps in a step) at which the flux is
    /// stable: explicit diffusion may remove 0.168 of the head difference in a sub-step, and a wave
    /// may cross 0.42 columns. A head difference within the tolerance may lose as much as the whole
    /// tolerance would.
    #[inline]
    pub(crate) fn level(&self, tables: &Tables) -> i32 {
        let tolerance = self.tolerance(tables);
        let most = SoftFloat::from_units(self.excess.max(tolerance) as u64);
        let spread = self
            .flux
            .times(tables.diffusion)
            .shifted(self.slot)
            .over(most);
        let wave = self
            .flux
            .times(tables.wave)
            .over(SoftFloat::from_units(self.stands as u64));
        if self.excess > tolerance {
            spread.max(wave)
        } else {
            spread
        }
        .power_above()
    }
}

/// Unlimited flux between two runs under the sky, as [`Drive`].
pub(crate) struct OpenDrive {
    pub(crate) is_forward: bool,
    pub(crate) flux: SoftFloat,
    pub(crate) excess: i64,
    pub(crate) stands: i64,
    pub(crate) low: i64,
}

impl OpenDrive {
    /// See [`Drive::limited`].
    #[inline(always)]
    pub(crate) fn limited(self, tables: &Tables) -> Flux {
        let Self {
            is_forward,
            flux,
            excess,
            stands,
            low,
        } = self;
        Drive {
            is_forward,
            flux,
            excess,
            stands,
            slot: 0,
            low,
            high: SKY,
            is_lidded: false,
        }
        .limited(tables)
    }
}

/// The two columns of a face, if each has a single run under the sky: gives the same flux as
/// `Pair`, computed from the summaries of the columns alone.
pub(crate) struct LeanPair<'a> {
    pub(crate) here: &'a ColumnSummary,
    pub(crate) there: &'a ColumnSummary,
    /// Summaries of the neighbours parallel to the face, in the order: before and after `here`,
    /// before and after `there`.
    pub(crate) beside: [&'a ColumnSummary; 4],
}

impl LeanPair<'_> {
    /// Flux before the limiter in a sub-step of Δt/2^`level`; `None` if no liquid crosses the face.
    #[inline(always)]
    pub(crate) fn drive(&self, tables: &Tables, level: i32) -> Option<Drive> {
        let cos2 = mean_cos2([self.here.cos2(), self.there.cos2()]);
        drive::<true>(
            &RunFlux::of_lean(self.here),
            &RunFlux::of_lean(self.there),
            cos2,
            || self.slope_along(),
            tables,
            level,
        )
    }

    #[inline(always)]
    pub(crate) fn slope_along(&self) -> u64 {
        let [before_a, after_a, before_b, after_b] = self.beside;
        let along = |lean: &ColumnSummary, before: &ColumnSummary, after: &ColumnSummary| {
            after.head_beside(lean.head) - before.head_beside(lean.head)
        };
        match (self.here.is_wet(), self.there.is_wet()) {
            (true, true) => {
                along(self.here, before_a, after_a) + along(self.there, before_b, after_b)
            }
            (true, false) => 2 * along(self.here, before_a, after_a),
            _ => 2 * along(self.there, before_b, after_b),
        }
        .unsigned_abs()
    }
}

/// Random bits for the rounding at a face in a sub-step: a hash of the sub-step's `key` and the
/// number of the `face`.
#[inline(always)]
fn lots(key: u64, face: usize) -> u64 {
    mix64(key ^ face as u64)
}

/// [`FRACTION`] random bits for the rounding of one portion of a flux, taken from the face's bits
/// `lots`; `part`: index of the portion, from the lowest cell up.
#[inline(always)]
fn lot(lots: u64, part: i32) -> u64 {
    match part {
        0 => lots >> (64 - FRACTION),
        1 => (lots << FRACTION) >> (64 - FRACTION),
        _ => mix64(lots.wrapping_add(part as u64)) >> (64 - FRACTION),
    }
}

/// Share of a flux over a sill that passes below the bottom of the cell with index `level`, for
/// uniform viscosity: (3x² − x³)/2, in fixed point with 32 fractional bits. `low`, `surface`:
/// heights of sill and surface in units.
#[inline]
fn share_above_sill(low: i64, surface: i64, level: i32) -> u64 {
    let x = share_of_height(low, surface, level);
    let square = (x * x) >> 32;
    (3 * square - ((square * x) >> 32)) >> 1
}

/// Share x of the height from the sill (`low`) to the `surface` that lies below the bottom of the
/// cell with index `level`, in fixed point with 32 fractional bits; heights in units.
#[inline]
fn share_of_height(low: i64, surface: i64, level: i32) -> u64 {
    let height = SoftFloat::from_units((i64::from(level) * UNIT - low).max(0) as u64);
    height
        .over(SoftFloat::from_units((surface - low) as u64))
        .fixed(32, SHARE_ONE - 1)
}

impl Flux {
    /// Parts of a flux from a donor with at most two wet cells: level of the first part, and the
    /// amounts in units at that level and one level above.
    #[inline(always)]
    pub(crate) fn lean_parts(
        &self,
        giver: &ColumnSummary,
        key: u64,
        face: usize,
    ) -> (i32, [i32; 2]) {
        let (first, top) = giver.levels();
        let lowest = first.max(self.low.div_euclid(UNIT) as i32);
        let lots = lots(key, face);
        let units = |share: u64| ((u128::from(self.units) * u128::from(share)) >> 32) as u64;
        let amount = |level: i32, exact: u64, lot: u64| {
            ((exact + lot) >> FRACTION).min(giver.amount(level) as u64) as i32
        };
        if lowest == top {
            return (lowest, [amount(lowest, self.units, lot(lots, 0)), 0]);
        }
        let below = if self.low <= giver.floor {
            giver.share()
        } else {
            share_above_sill(self.low, giver.head, lowest + 1)
        };
        let lower = amount(lowest, units(below), lot(lots, 0));
        (
            lowest,
            [
                lower,
                amount(lowest + 1, units(SHARE_ONE - below), lot(lots, 1)),
            ],
        )
    }

    /// Share (0 to 1) of this flux that comes from the cell with index `level` of the donor column
    /// `giver`; `run`: the donor run.
    fn share_of(&self, giver: &Column, run: &Run, level: i32) -> f64 {
        let surface = run.surface().min(self.high);
        let lowest = run.first.max(self.low.div_euclid(UNIT) as i32);
        let highest = run.top.min(((surface - 1) / UNIT) as i32);
        if level < lowest || level > highest {
            return 0.0;
        }
        let below = if level == lowest {
            0
        } else {
            self.share_below(giver, run, surface, level)
        };
        let up_to = if level == highest {
            SHARE_ONE
        } else {
            self.share_below(giver, run, surface, level + 1)
        };
        up_to.saturating_sub(below) as f64 / SHARE_ONE as f64
    }

    /// Share of this flux that passes below the bottom of the donor's cell with index `level`, in
    /// fixed point with 32 fractional bits. `surface`: upper end in units of height of the liquid
    /// that crosses.
    fn share_below(&self, giver: &Column, run: &Run, surface: i64, level: i32) -> u64 {
        if self.low <= run.floor && !self.is_lidded {
            return u64::from(giver.shares[(level - 1 - giver.base) as usize]);
        }
        if self.is_lidded {
            share_of_height(self.low, surface, level)
        } else {
            share_above_sill(self.low, surface, level)
        }
    }
}

/// Returns true if the slope `along` the face makes the margin of a stream yield, although the mean
/// depth of the two sides would resist: with the mean alone, a narrow stream stays one column wide.
///
/// Next to its margin, a stream on a slope G has a depth h with h² h'² = c² − (h G)² and c = τ/(ρ
/// g): the edge of a levee, which rises from depth 0 to c/G within c/G² (cf. Hulme 1974). Where
/// columns are wider than this edge, the depth of the donor decides, until the receiver contains as
/// much liquid as such an edge, (π/4) c²/G³. `beyond`: depth of the receiver in units of height;
/// `strength`: yield strength of the donor.
#[inline(always)]
fn is_open_margin(along: SoftFloat, beyond: i64, strength: SoftFloat) -> bool {
    // The strength holds 2 c.
    let edge = strength
        .squared()
        .times(SoftFloat::from_f64(core::f64::consts::PI / 16.0));
    SoftFloat::from_units(beyond as u64)
        .times(along.cubed())
        .is_less(edge)
}

/// Mean of the squared cosines of the bed's slope in the two columns of a face.
#[inline(always)]
fn mean_cos2([here, there]: [SoftFloat; 2]) -> SoftFloat {
    here.plus(there).shifted(-1)
}

/// Factor by which a yield strength reduces the flux of a Bingham liquid: 1 − 3b/2 + b³/2, where
/// `b` is the share of the depth that does not yield (plug), in fixed point with 32 fractional
/// bits.
#[inline]
fn yielding(b: u64) -> SoftFloat {
    let cube = (((b * b) >> 32) * b) >> 32;
    SoftFloat::from_units((SHARE_ONE + (cube >> 1)).saturating_sub((3 * b) >> 1)).shifted(-32)
}

/// Head in units of height that the liquid of `run` meets in the neighbouring `column`: the head of
/// the column's run with the largest vertical overlap, or the floor of that run if it is dry. The
/// head of `run` itself, so that no flux results, if that floor lies higher or no run overlaps.
#[inline]
pub(crate) fn head_beside(column: &Column, run: &Run) -> i64 {
    let overlap = |other: &&Run| run.roof.min(other.roof) - run.floor.max(other.floor);
    let Some(other) = column
        .runs
        .iter()
        .rev()
        .max_by_key(overlap)
        .filter(|other| overlap(other) > 0)
    else {
        return run.head;
    };
    if other.is_wet() {
        if other.floor > run.head {
            run.head
        } else {
            other.head
        }
    } else {
        other.floor.min(run.head)
    }
}
