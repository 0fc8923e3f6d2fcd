//! Columns that are allocated when lava comes near, and the memory of a flow.
//!
//! A sub-step reads and writes, for a column that moves, only its own record and those around,
//! faces and corners. So these blocks are allocated before liquid can enter: around the columns
//! that a step wakes, that are poured into and that edits change. All others are ground without
//! liquid, which follows from its height.

use std::borrow::Cow;

use super::undo;
use crate::cooling::set::slope_cosine;
use crate::motion::cross::Face;
use crate::motion::mag::Mag;
use crate::motion::plan::{Plan, Planned};
use crate::store::area::Area;
use crate::store::blocks::{Blocks, WIDE};
use crate::store::column::Column;
use crate::store::heights::Heights;
use crate::store::lean::Lean;
use crate::{Flow, FlowBox, Lava, Mark, melt};

/// Memory in bytes a column of the lists of wet, active, due and changed columns and their demands,
/// with the growth of `Vec` by doubling.
const BYTES_IN_LISTS: usize = 64;

/// Memory in bytes of a column whose block is allocated.
const BYTES_A_COLUMN: usize = size_of::<Column>()
    + size_of::<Lean>()
    + size_of::<Mark>()
    + size_of::<[Face; 2]>()
    + size_of::<Planned>()
    + BYTES_IN_LISTS;

impl Flow {
    /// Allocates the blocks of columns and of their neighbours.
    pub(crate) fn reach(&mut self, columns: impl IntoIterator<Item = u32>) {
        let (nx, last) = (self.space.nx, self.space.columns() - 1);
        for c in columns {
            let c = c as usize;
            for row in [c.wrapping_sub(nx), c, c + nx].into_iter().filter(|&row| row <= last) {
                for near in [row.saturating_sub(1), (row + 1).min(last)] {
                    if !self.columns.is_made(near / WIDE) {
                        self.make_block(near / WIDE);
                    }
                }
            }
        }
    }

    /// Allocates all blocks if the lava melts, since its heat spreads through the whole box.
    pub(crate) fn reach_all_that_melts(&mut self) {
        if self.solids.is_some() {
            self.reach_all();
        }
    }

    /// Allocates all blocks.
    pub(crate) fn reach_all(&mut self) {
        let missing: Vec<usize> = (0..self.columns.count()).filter(|&block| !self.columns.is_made(block)).collect();
        missing.into_iter().for_each(|block| self.make_block(block));
    }

    fn make_block(&mut self, block: usize) {
        let (ground, tables) = (&self.ground, &self.tables);
        let made = self.columns.make(block, |c| {
            let mut column = Column::of_ground(ground.of(c));
            column.find_gaps();
            column.refresh(tables);
            column
        });
        self.leans.make(block, |_| Lean::default());
        self.marks.make(block, |_| Mark::NONE);
        self.faces.make(block, |_| <[Face; 2]>::default());
        for c in made {
            self.columns[c].cos2 = self.slope_cosine(c);
            self.leans[c] = Lean::of(&self.columns[c]);
        }
    }

    /// Squared cosine of the slope of the bed at column `c`.
    pub(crate) fn slope_cosine(&self, c: usize) -> Mag {
        let floor = |c: usize| match self.columns.get(c) {
            Some(column) => column.runs.first().map(|run| run.floor),
            None => Some(self.ground.of(c)),
        };
        slope_cosine(self.space, floor, c)
    }

    /// Column `c`; made up from the ground where lava never came near.
    pub(crate) fn column_at(&self, c: usize) -> Cow<'_, Column> {
        let of_ground = || Cow::Owned(Column::of_ground(self.ground.of(c)));
        self.columns.get(c).map_or_else(of_ground, Cow::Borrowed)
    }

    /// Memory in bytes of a flow at its start, over bare ground; for a lava that melts that of all
    /// columns, which are allocated at once.
    pub fn need(space: FlowBox, lava: &Lava) -> u64 {
        if lava.melts() { Self::most(space, lava) } else { Self::need_of_blocks(space, 0) }
    }

    /// Memory in bytes of a flow once lava has come near every column.
    pub fn most(space: FlowBox, lava: &Lava) -> u64 {
        let melts = if lava.melts() { melt::need(space) } else { 0 };
        Self::need_of_blocks(space, space.columns().div_ceil(WIDE)) + melts
    }

    /// Number of columns whose blocks a body of `[wide, deep]` columns along x and z causes to be
    /// allocated.
    pub fn columns_around([wide, deep]: [f64; 2]) -> f64 {
        (wide + 2.0 * WIDE as f64) * (deep + 2.0)
    }

    /// Memory in bytes of `columns` columns in allocated blocks.
    pub fn need_of_columns(columns: f64) -> f64 {
        columns * BYTES_A_COLUMN as f64
    }

    /// Upper bound in bytes of the blocks of `columns` (ascending) and of the blocks around.
    pub fn need_of_blocks_around(space: FlowBox, columns: impl Iterator<Item = usize>) -> u64 {
        let mut all: Vec<usize> = columns.map(|c| c / WIDE).collect();
        all.dedup();
        let (rows, beside) = (space.nx.div_ceil(WIDE), 1);
        let near = |block: usize| {
            let row = |at: usize| at.saturating_sub(beside)..=at + beside;
            [block.saturating_sub(rows), block, block + rows].into_iter().flat_map(row)
        };
        let mut made: Vec<usize> = all.into_iter().flat_map(near).collect();
        made.sort_unstable();
        made.dedup();
        (made.len() * WIDE * BYTES_A_COLUMN) as u64
    }

    fn need_of_blocks(space: FlowBox, made: usize) -> u64 {
        let columns = space.columns();
        let lists = Blocks::<Column>::need(columns)
            + Blocks::<Lean>::need(columns)
            + Blocks::<Mark>::need(columns)
            + Blocks::<[Face; 2]>::need(columns)
            + Blocks::<Planned>::need(columns);
        let sets = Plan::AREAS * Area::need(space.nx, space.nz);
        Heights::need(columns) + lists + sets + (made * WIDE * BYTES_A_COLUMN) as u64
    }

    /// Memory in bytes of this flow, by the estimate of [`Flow::need`], with the allocated blocks
    /// and the columns that a step may keep for undo.
    pub fn bytes(&self) -> u64 {
        let kept = if self.stop.is_some() { undo::need(self.space.columns(), self.wet.len()) } else { 0 };
        let melts = if self.setup.lava.melts() { melt::need(self.space) } else { 0 };
        Self::need_of_blocks(self.space, self.columns.made()) + melts + kept
    }
}
