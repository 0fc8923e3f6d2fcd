//! Compact summary of a column for the flux computation: one cache line, stored separately from the
//! column's cells.
//!
//! Nearly every column of a thin flow has a single run, under the sky, with one or two wet cells.
//! The summary then contains all that the fluxes across its faces need, so the innermost loop reads
//! no cells. A column with several runs is flagged, and the fluxes across its faces are computed
//! from its cells.

use crate::cooling::heat::run_content;
use crate::motion::soft_float::SoftFloat;
use crate::store::column::{Column, Kept, Run, UNIT, Warmth, mean_of};

/// Largest number of wet cells of a column that a summary can describe.
pub(crate) const MOST_CELLS: u8 = 2;

/// Flag in the lower 8 bits of `share_and_cells`: the column has several runs.
const MANY: u8 = 1 << 7;
/// Value added to [`MANY`] if any of the several runs contains liquid.
const WET: u8 = 1;

/// Summary of a column for the flux computation: values of its only run, or of the uppermost of
/// several runs. Heights are in units of height from the floor of the box.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct ColumnSummary {
    pub(crate) floor: i64,
    /// Hydraulic head of the run: height of its surface; equal to `floor` in a dry run.
    pub(crate) head: i64,
    pub(crate) fluidity: SoftFloat,
    pub(crate) strength: SoftFloat,
    /// Heat per unit of amount of the run's lower and upper wet cell, in this order.
    pub(crate) warmth: [Warmth; 2],
    /// Squared cosine of the angle by which the bed below the lava is inclined.
    pub(crate) cos2: f32,
    /// Mean enthalpy over heat capacity of the run's liquid, in K.
    pub(crate) mean: f32,
    /// Heat deficit of the crust relative to the core, in kelvin, averaged over the depth of the
    /// liquid.
    pub(crate) skin: f32,
    /// Upper 24 bits: share of the flux that passes in the lower of two wet cells. Lower 8 bits:
    /// number of wet cells (3 means 3 or more), or [`MANY`] for a column with several runs.
    share_and_cells: u32,
}

/// Mask of the bits of `share_and_cells` that contain the number of wet cells or the flag.
const CELLS: u32 = 0xff;

impl ColumnSummary {
    /// Returns the summary of `column`, whose runs must be up to date. The summary of a column with
    /// several runs describes the uppermost run, which is always under the sky.
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

    /// Returns the summary of a column with a single run under the sky. `cos2`: squared cosine of
    /// the bed's slope; `kept`: values that `Column::refresh_run` returned.
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

    /// Share of the flux that passes in the lower of two wet cells, in fixed point with 32
    /// fractional bits.
    #[inline]
    pub(crate) fn share(&self) -> u64 {
        u64::from(self.share_and_cells & !CELLS)
    }

    /// Squared cosine of the angle by which the bed below the lava is inclined, in the number
    /// format of fluxes.
    #[inline]
    pub(crate) fn cos2(&self) -> SoftFloat {
        SoftFloat::from_f32(self.cos2)
    }

    /// Returns true if the column has only one run.
    #[inline]
    pub(crate) fn is_one_run(&self) -> bool {
        self.cells() & MANY == 0
    }

    /// Returns true if the summary suffices to compute the outflow of its column: one run with at
    /// most two wet cells.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.cells() <= MOST_CELLS
    }

    /// Returns true if the column's uppermost run contains liquid.
    #[inline]
    pub(crate) fn is_wet(&self) -> bool {
        self.head > self.floor
    }

    /// Returns true if any run of the column contains liquid.
    #[inline]
    pub(crate) fn has_liquid(&self) -> bool {
        self.cells() & !MANY != 0
    }

    #[inline]
    pub(crate) fn depth(&self) -> i64 {
        self.head - self.floor
    }

    /// Indices (lowest, highest) of the wet cells, counted from the floor of the box; valid only
    /// for a run with liquid.
    #[inline]
    pub(crate) fn levels(&self) -> (i32, i32) {
        (
            self.floor.div_euclid(UNIT) as i32,
            (self.head - 1).div_euclid(UNIT) as i32,
        )
    }

    /// Amount of liquid in units in the cell with the index `level`; valid only for a column with
    /// one run.
    #[inline]
    pub(crate) fn amount(&self, level: i32) -> i64 {
        let bottom = i64::from(level) * UNIT;
        (bottom + UNIT).min(self.head) - bottom.max(self.floor)
    }

    /// Head of this column as seen from a neighbouring run whose head is `head` (both in units of
    /// height): this column's head, or `head` if the floor of this column lies higher; see
    /// [`crate::motion::face::head_beside`].
    #[inline]
    pub(crate) fn head_beside(&self, head: i64) -> i64 {
        if self.floor > head { head } else { self.head }
    }
}
