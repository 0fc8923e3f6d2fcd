//! Allocation of the blocks of columns near lava, and the memory that a flow needs.
//!
//! A sub-step reads and writes, for each moving column, only its own values and those of its eight
//! neighbours. So these blocks are allocated before liquid can enter: around the columns that a
//! step activates, that vents pour into and that edits change. All other columns are ground without
//! liquid, which follows from the ground height.

use std::borrow::Cow;

use super::undo;
use crate::cooling::solidify::slope_cosine;
use crate::motion::cross::Face;
use crate::motion::plan::{Plan, Planned};
use crate::store::area::Area;
use crate::store::blocks::{Blocks, WIDE};
use crate::store::column::Column;
use crate::store::column_summary::ColumnSummary;
use crate::store::heights::Heights;
use crate::{Flow, FlowBox, Lava, Mark, melt};

/// Memory in bytes per column of the lists of columns (wet, active, updated in a round, changed)
/// and of their time levels; growth of `Vec` by doubling included.
const BYTES_IN_LISTS: usize = 64;

/// Memory in bytes of a column in an allocated block.
const BYTES_A_COLUMN: usize = size_of::<Column>()
    + size_of::<ColumnSummary>()
    + size_of::<Mark>()
    + size_of::<[Face; 2]>()
    + size_of::<Planned>()
    + BYTES_IN_LISTS;

impl Flow {
    /// Allocates the blocks of the columns with the numbers `columns` and of their eight
    /// neighbours.
    pub(crate) fn reach(&mut self, columns: impl IntoIterator<Item = u32>) {
        let (nx, last) = (self.space.nx, self.space.columns() - 1);
        for c in columns {
            let c = c as usize;
            for row in [c.wrapping_sub(nx), c, c + nx]
                .into_iter()
                .filter(|&row| row <= last)
            {
                for near in [row.saturating_sub(1), (row + 1).min(last)] {
                    if !self.columns.is_made(near / WIDE) {
                        self.make_block(near / WIDE);
                    }
                }
            }
        }
    }

    /// Allocates all blocks if the lava can melt, since its heat spreads through the whole box.
    pub(crate) fn reach_all_that_melts(&mut self) {
        if self.solids.is_some() {
            self.reach_all();
        }
    }

    /// Allocates the blocks of all columns of the box.
    pub(crate) fn reach_all(&mut self) {
        let missing: Vec<usize> = (0..self.columns.count())
            .filter(|&block| !self.columns.is_made(block))
            .collect();
        missing.into_iter().for_each(|block| self.make_block(block));
    }

    fn make_block(&mut self, block: usize) {
        let (ground, tables) = (&self.ground, &self.tables);
        let made = self.columns.make(block, |c| {
            let mut column = Column::of_ground(ground.at(c));
            column.find_gaps();
            column.refresh(tables);
            column
        });
        self.leans.make(block, |_| ColumnSummary::default());
        self.marks.make(block, |_| Mark::NONE);
        self.faces.make(block, |_| <[Face; 2]>::default());
        for c in made {
            self.columns[c].cos2 = self.slope_cosine(c);
            self.leans[c] = ColumnSummary::from_column(&self.columns[c]);
        }
    }

    /// Squared cosine of the angle by which the bed below the lava at column `c` is inclined.
    pub(crate) fn slope_cosine(&self, c: usize) -> f32 {
        let floor = |c: usize| match self.columns.get(c) {
            Some(column) => column.runs.first().map(|run| run.floor),
            None => Some(self.ground.at(c)),
        };
        slope_cosine(self.space, floor, c)
    }

    /// Returns column `c`; a column without a block is built from its ground height.
    pub(crate) fn column_at(&self, c: usize) -> Cow<'_, Column> {
        let of_ground = || Cow::Owned(Column::of_ground(self.ground.at(c)));
        self.columns.get(c).map_or_else(of_ground, Cow::Borrowed)
    }

    /// Memory in bytes of a new flow over bare ground in the box `space`; for a lava that melts,
    /// all columns are included, since such a flow allocates all columns at once.
    pub fn need(space: FlowBox, lava: &Lava) -> u64 {
        if lava.melts() {
            Self::most(space, lava)
        } else {
            Self::need_of_blocks(space, 0)
        }
    }

    /// Memory in bytes of a flow in the box `space` after lava has come near every column.
    pub fn most(space: FlowBox, lava: &Lava) -> u64 {
        let melts = if lava.melts() { melt::need(space) } else { 0 };
        Self::need_of_blocks(space, space.columns().div_ceil(WIDE)) + melts
    }

    /// Upper bound of the number of columns that are allocated for lava on a rectangle of `wide`
    /// columns along x and `deep` columns along z.
    pub fn columns_around([wide, deep]: [f64; 2]) -> f64 {
        (wide + 2.0 * WIDE as f64) * (deep + 2.0)
    }

    /// Memory in bytes of `columns` columns in allocated blocks.
    pub fn need_of_columns(columns: f64) -> f64 {
        columns * BYTES_A_COLUMN as f64
    }

    /// Upper bound of the memory in bytes of the blocks of `columns` (numbers, ascending) and of
    /// the neighbouring blocks.
    pub fn need_of_blocks_around(space: FlowBox, columns: impl Iterator<Item = usize>) -> u64 {
        let mut all: Vec<usize> = columns.map(|c| c / WIDE).collect();
        all.dedup();
        let (rows, beside) = (space.nx.div_ceil(WIDE), 1);
        let near = |block: usize| {
            let row = |at: usize| at.saturating_sub(beside)..=at + beside;
            [block.saturating_sub(rows), block, block + rows]
                .into_iter()
                .flat_map(row)
        };
        let mut made: Vec<usize> = all.into_iter().flat_map(near).collect();
        made.sort_unstable();
        made.dedup();
        (made.len() * WIDE * BYTES_A_COLUMN) as u64
    }

    fn need_of_blocks(space: FlowBox, made: usize) -> u64 {
        let columns = space.columns();
        let lists = Blocks::<Column>::need(columns)
            + Blocks::<ColumnSummary>::need(columns)
            + Blocks::<Mark>::need(columns)
            + Blocks::<[Face; 2]>::need(columns)
            + Blocks::<Planned>::need(columns);
        let sets = Plan::AREAS * Area::need(space.nx, space.nz);
        Heights::need(columns) + lists + sets + (made * WIDE * BYTES_A_COLUMN) as u64
    }

    /// Estimated memory in bytes of this flow: sum of a new flow ([`Flow::need`]), the allocated
    /// blocks and the undo list of a step.
    pub fn bytes(&self) -> u64 {
        let kept = if self.stop.is_some() {
            undo::need(self.space.columns(), self.wet.len())
        } else {
            0
        };
        let melts = if self.setup.lava.melts() {
            melt::need(self.space)
        } else {
            0
        };
        Self::need_of_blocks(self.space, self.columns.made()) + melts + kept
    }
}
