//! The record of a column that the fluxes read: one cache line, stored alongside the columns.
//!
//! Nearly every column of a thin flow is one run under the sky with one or two cells. Its record
//! has everything that its faces need, so that the innermost loop reads no cells. A column of
//! several runs is marked, and its faces take the general path.

use crate::motion::mag::Mag;
use crate::store::column::{Column, Kept, Run, UNIT, Warmth};

/// Number of wet cells that a record can hold.
pub(crate) const MOST_CELLS: u8 = 2;

/// Flags in place of the number of cells, for a column with several runs: the flag of several runs,
/// and one for liquid in any run.
const MANY: u8 = 1 << 7;
const WET: u8 = 1;

/// A column as its faces read it; heights in units.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(crate) struct Lean {
    pub(crate) floor: i64,
    /// Head, which is the surface; the floor in a dry run.
    pub(crate) head: i64,
    pub(crate) fluidity: Mag,
    pub(crate) strength: Mag,
    pub(crate) cos2: Mag,
    /// Heat per unit of amount of the lower and of the upper cell.
    pub(crate) warmth: [Warmth; 2],
    /// Share of the flux in the lower of two cells, with 32 bits after the point.
    pub(crate) share: u32,
    /// Number of wet cells, where 3 stands for 3 or more; or the flag [`MANY`].
    cells: u8,
}

impl Lean {
    /// Record of a column whose runs are fresh. For several runs the record is that of the
    /// uppermost, which is always under the sky.
    pub(crate) fn of(column: &Column) -> Self {
        let Some(run) = column.runs.last() else { return Self::default() };
        let start = (run.first - column.base) as usize;
        let mut kept = Kept::default();
        let count = run.top + 1 - run.first;
        if count == 1 || count == 2 {
            let warm = column.cells[start..].iter().take(count as usize).map(|cell| Warmth::of(*cell));
            kept.warmth.iter_mut().zip(warm).for_each(|(to, warmth)| *to = warmth);
        }
        if count == 2 {
            kept.share = column.shares[start];
        }
        let lean = Self::of_run(run, column.cos2, kept);
        let cells = if column.runs.len() == 1 { lean.cells } else { MANY | if column.is_wet() { WET } else { 0 } };
        Self { cells, ..lean }
    }

    /// Record of a run under the sky.
    #[inline(always)]
    pub(crate) fn of_run(run: &Run, cos2: Mag, Kept { warmth, share }: Kept) -> Self {
        let Run { floor, head, fluidity, strength, .. } = *run;
        Self {
            floor,
            head,
            fluidity,
            strength,
            cos2,
            warmth,
            share,
            cells: (run.top + 1 - run.first).clamp(0, 3) as u8,
        }
    }

    /// Returns true if the column has one run only.
    #[inline]
    pub(crate) fn is_one_run(&self) -> bool {
        self.cells & MANY == 0
    }

    /// Returns true if the record has everything that a giver needs.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.cells <= MOST_CELLS
    }

    /// Returns true if there is liquid in the uppermost run.
    #[inline]
    pub(crate) fn is_wet(&self) -> bool {
        self.head > self.floor
    }

    /// Returns true if there is liquid in any run.
    #[inline]
    pub(crate) fn has_liquid(&self) -> bool {
        self.cells & !MANY != 0
    }

    #[inline]
    pub(crate) fn depth(&self) -> i64 {
        self.head - self.floor
    }

    /// Levels of the lowest and of the highest wet cell of a wet run.
    #[inline]
    pub(crate) fn levels(&self) -> (i32, i32) {
        (self.floor.div_euclid(UNIT) as i32, (self.head - 1).div_euclid(UNIT) as i32)
    }

    /// Amount in the cell at a level, for a whole record.
    #[inline]
    pub(crate) fn amount(&self, level: i32) -> i64 {
        let bottom = i64::from(level) * UNIT;
        (bottom + UNIT).min(self.head) - bottom.max(self.floor)
    }

    /// Head that a neighbouring run under the sky with head `head` compares with, see
    /// [`crate::motion::face::head_beside`].
    #[inline]
    pub(crate) fn head_beside(&self, head: i64) -> i64 {
        if self.floor > head { head } else { self.head }
    }
}
