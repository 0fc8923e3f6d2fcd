//! Compact record of a column for the flux computation: one cache line, stored separately from the
//! column's cells.
//!
//! Nearly every column of a thin flow has a single run, under the sky, with one or two wet cells.
//! The record then contains all that the fluxes across its faces need, so the innermost loop reads
//! no cells. A column with several runs is flagged, and its faces take the general path.

use crate::cooling::heat::run_content;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::{Column, Kept, Run, UNIT, Warmth, mean_of};

/// Upper bound of the number of wet cells that a record can describe.
pub(crate) const MOST_CELLS: u8 = 2;

/// Values of `cells` for a column with several runs: `MANY` flags the several runs, `WET` is added
/// if any run contains liquid.
const MANY: u8 = 1 << 7;
const WET: u8 = 1;

/// Record of a column for the flux computation; heights in units.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct ColumnSummary {
    pub(crate) floor: i64,
    /// Hydraulic head: height of the surface; equal to `floor` in a dry run.
    pub(crate) head: i64,
    pub(crate) fluidity: SoftFloat,
    pub(crate) strength: SoftFloat,
    /// Heat per unit of amount of the lower and of the upper wet cell.
    pub(crate) warmth: [Warmth; 2],
    /// Squared cosine of the bed's slope.
    pub(crate) cos2: f32,
    /// Mean heat, and heat deficit of the crust, of a column with one run; in kelvin.
    pub(crate) mean: f32,
    pub(crate) skin: f32,
    /// Upper 24 bits: share of the flux in the lower of two wet cells. Lower 8 bits: number of wet
    /// cells (3 means 3 or more), or the flag [`MANY`] for a column with several runs.
    share_and_cells: u32,
}

/// Lower bits of `share_and_cells`.
const CELLS: u32 = 0xff;

impl ColumnSummary {
    /// Record of a column whose runs are up to date. For several runs the record describes the
    /// uppermost, which is always under the sky.
    pub(crate) fn from_column(column: &Column) -> Self {
        let Some(run) = column.runs.last() else {
            return Self::default();
        };
        let start = (run.first - column.base) as usize;
        let count = run.top + 1 - run.first;
        let (amount, heat) = run_content(column, run);
        let mut kept = Kept {
            mean: if amount > 0 {
                mean_of(heat, amount)
            } else {
                0.0
            },
            skin: if amount > 0 { column.skin() } else { 0.0 },
            ..Kept::default()
        };
        if count == 1 || count == 2 {
            let warm = column.cells[start..]
                .iter()
                .take(count as usize)
                .map(|cell| Warmth::from_cell(*cell));
            kept.warmth
                .iter_mut()
                .zip(warm)
                .for_each(|(to, warmth)| *to = warmth);
        }
        if count == 2 {
            kept.share = column.shares[start];
        }
        let lean = Self::from_run(run, column.cos2, kept);
        if column.runs.len() == 1 {
            return lean;
        }
        let cells = MANY | if column.is_wet() { WET } else { 0 };
        Self {
            share_and_cells: lean.share_and_cells & !CELLS | u32::from(cells),
            ..lean
        }
    }

    /// Record of a single run under the sky.
    #[inline(always)]
    pub(crate) fn from_run(run: &Run, cos2: f32, kept: Kept) -> Self {
        let Kept {
            warmth,
            share,
            mean,
            skin,
        } = kept;
        let cells = (run.top + 1 - run.first).clamp(0, 3) as u32;
        let Run {
            floor,
            head,
            fluidity,
            strength,
            ..
        } = *run;
        Self {
            floor,
            head,
            fluidity,
            strength,
            warmth,
            cos2,
            mean,
            skin,
            share_and_cells: share & !CELLS | cells,
        }
    }

    fn cells(&self) -> u8 {
        (self.share_and_cells & CELLS) as u8
    }

    /// Share of the flux in the lower of two wet cells, in fixed point with 32 fractional bits.
    #[inline]
    pub(crate) fn share(&self) -> u64 {
        u64::from(self.share_and_cells & !CELLS)
    }

    /// Squared cosine of the bed's slope.
    #[inline]
    pub(crate) fn cos2(&self) -> SoftFloat {
        SoftFloat::from_f32(self.cos2)
    }

    /// Returns true if the column has only one run.
    #[inline]
    pub(crate) fn is_one_run(&self) -> bool {
        self.cells() & MANY == 0
    }

    /// Returns true if the record suffices to compute the outflow of its column: one run with at
    /// most two wet cells.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.cells() <= MOST_CELLS
    }

    /// Returns true if the uppermost run contains liquid.
    #[inline]
    pub(crate) fn is_wet(&self) -> bool {
        self.head > self.floor
    }

    /// Returns true if any run contains liquid.
    #[inline]
    pub(crate) fn has_liquid(&self) -> bool {
        self.cells() & !MANY != 0
    }

    #[inline]
    pub(crate) fn depth(&self) -> i64 {
        self.head - self.floor
    }

    /// Levels (lowest, highest) of the wet cells; valid only for a run with liquid.
    #[inline]
    pub(crate) fn levels(&self) -> (i32, i32) {
        (
            self.floor.div_euclid(UNIT) as i32,
            (self.head - 1).div_euclid(UNIT) as i32,
        )
    }

    /// Amount in units in the cell at `level`; valid only for a record with one run.
    #[inline]
    pub(crate) fn amount(&self, level: i32) -> i64 {
        let bottom = i64::from(level) * UNIT;
        (bottom + UNIT).min(self.head) - bottom.max(self.floor)
    }

    /// Head to compare with a neighbouring run under the sky whose head is `head`, see
    /// [`crate::motion::face::head_beside`].
    #[inline]
    pub(crate) fn head_beside(&self, head: i64) -> i64 {
        if self.floor > head { head } else { self.head }
    }
}
