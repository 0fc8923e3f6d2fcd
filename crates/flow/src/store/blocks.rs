//! Sparse storage of one value per column, in blocks of columns that are allocated when lava comes
//! near: for columns that lava never reaches only the pointers to their blocks are stored.
//!
//! A block contains `WIDE` columns with consecutive numbers and may span the end of a row.
//! Invariant: `Flow::reach` allocates the blocks of a column and of its eight neighbours before any
//! of their values is read or written.

use std::ops::{Index, IndexMut, Range};

use crate::motion::strips::Cut;

/// Number of columns with consecutive numbers in a block.
pub(crate) const WIDE: usize = 32;

/// Values of the `WIDE` columns of one block; `None` if the block is not allocated.
pub(crate) type Block<T> = Option<Box<[T; WIDE]>>;

/// Sparse array of one value per column, stored in blocks that are allocated on demand.
#[derive(Clone, Debug)]
pub struct Blocks<T> {
    columns: usize,
    blocks: Vec<Block<T>>,
    made: usize,
    /// Value of every column without a block; `None` if columns without a block must not be read.
    rest: Option<T>,
}

impl<T> Blocks<T> {
    /// Returns storage for `columns` columns without any allocated block; reading an unallocated
    /// column panics.
    pub(crate) fn new(columns: usize) -> Self {
        let blocks = std::iter::repeat_with(|| None)
            .take(columns.div_ceil(WIDE))
            .collect();
        Self {
            columns,
            blocks,
            made: 0,
            rest: None,
        }
    }

    /// Returns storage for `columns` columns whose values are all `rest` until their block is
    /// allocated.
    pub fn at_rest(columns: usize, rest: T) -> Self {
        Self {
            rest: Some(rest),
            ..Self::new(columns)
        }
    }

    /// Number of columns of the box, with or without an allocated block.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of blocks, allocated or not.
    pub(crate) fn count(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn is_made(&self, block: usize) -> bool {
        self.blocks[block].is_some()
    }

    /// Number of allocated blocks.
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    /// Allocates block number `block`, with the value `value(c)` for each column `c`, and returns
    /// the range of its columns. Entries beyond the end of the box are copies of the last column.
    pub(crate) fn make(&mut self, block: usize, mut value: impl FnMut(usize) -> T) -> Range<usize> {
        let last = self.columns - 1;
        self.blocks[block] = Some(Box::new(std::array::from_fn(|i| {
            value((block * WIDE + i).min(last))
        })));
        self.made += 1;
        block * WIDE..((block + 1) * WIDE).min(self.columns)
    }

    /// Value of column `c`; `None` if its block is not allocated.
    #[inline]
    pub(crate) fn get(&self, c: usize) -> Option<&T> {
        self.blocks[c / WIDE].as_ref().map(|block| &block[c % WIDE])
    }

    /// References to the values of the `N` consecutive columns from number `first` on; for a column
    /// without a block the value `rest`.
    #[inline(always)]
    pub(crate) fn some<const N: usize>(&self, first: usize) -> [&T; N] {
        if let (true, Some(block)) = (first % WIDE + N <= WIDE, &self.blocks[first / WIDE]) {
            let some = &block[first % WIDE..][..N];
            // Loops: calls of `from_fn` are not inlined into code for vector instructions.
            let mut values = [&some[0]; N];
            values
                .iter_mut()
                .zip(some)
                .for_each(|(to, from)| *to = from);
            return values;
        }
        let mut values = [&self[first]; N];
        for (i, value) in values.iter_mut().enumerate() {
            *value = &self[first + i];
        }
        values
    }

    #[cold]
    fn value_at_rest(&self) -> &T {
        self.rest.as_ref().expect("a column near lava")
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, c: usize) -> Option<&mut T> {
        self.blocks[c / WIDE]
            .as_mut()
            .map(|block| &mut block[c % WIDE])
    }

    /// Iterator over (column number, value) for all columns in allocated blocks, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let columns = self.columns;
        let made = self
            .blocks
            .iter()
            .enumerate()
            .filter_map(|(b, block)| Some((b, block.as_ref()?)));
        let all = made.flat_map(|(b, block)| (b * WIDE..).zip(block.iter()));
        all.take_while(move |&(c, _)| c < columns)
    }

    /// Mutable iterator over (column number, value) for all columns in allocated blocks, ascending.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let columns = self.columns;
        let made = self
            .blocks
            .iter_mut()
            .enumerate()
            .filter_map(|(b, block)| Some((b, block.as_mut()?)));
        let all = made.flat_map(|(b, block)| (b * WIDE..).zip(block.iter_mut()));
        all.take_while(move |&(c, _)| c < columns)
    }

    /// Mutable slice of all blocks, allocated or not.
    pub(crate) fn all_mut(&mut self) -> &mut [Block<T>] {
        &mut self.blocks
    }

    /// Mutable view of all blocks, which can be split into two views for two threads.
    pub(crate) fn view_mut(&mut self) -> BlocksMut<'_, T> {
        BlocksMut {
            blocks: &mut self.blocks,
            first: 0,
        }
    }

    /// Memory in bytes of the list of blocks for `columns` columns, without the blocks.
    pub(crate) fn need(columns: usize) -> u64 {
        (columns.div_ceil(WIDE) * size_of::<Block<T>>()) as u64
    }
}

impl<T: Clone + PartialEq> Blocks<T> {
    /// Sets the value of column `c`. A missing block is allocated only if `value` differs from
    /// `rest`, the value of columns without a block; if there is no `rest`, nothing is stored.
    #[inline]
    pub fn set(&mut self, c: usize, value: T) {
        match &mut self.blocks[c / WIDE] {
            Some(block) => block[c % WIDE] = value,
            None => self.set_at_rest(c, value),
        }
    }

    #[cold]
    fn set_at_rest(&mut self, c: usize, value: T) {
        if let Some(rest) = self.rest.clone().filter(|rest| *rest != value) {
            self.make(c / WIDE, |_| rest.clone());
            self[c] = value;
        }
    }
}

impl<T> Index<usize> for Blocks<T> {
    type Output = T;

    #[inline]
    fn index(&self, c: usize) -> &T {
        match &self.blocks[c / WIDE] {
            Some(block) => &block[c % WIDE],
            None => self.value_at_rest(),
        }
    }
}

impl<T> IndexMut<usize> for Blocks<T> {
    #[inline]
    fn index_mut(&mut self, c: usize) -> &mut T {
        self.get_mut(c).expect("a column near lava")
    }
}

/// Mutable view of a contiguous range of the blocks of a `Blocks`.
pub(crate) struct BlocksMut<'a, T> {
    blocks: &'a mut [Block<T>],
    /// Number of the view's first block among all blocks of the box.
    first: usize,
}

impl<T> Cut for BlocksMut<'_, T> {
    /// Splits the view at a block boundary, `columns` columns (rounded up to whole blocks) after
    /// its start.
    fn cut(self, columns: usize) -> (Self, Self) {
        let count = columns.div_ceil(WIDE);
        let (few, more) = self.blocks.split_at_mut(count);
        (
            Self {
                blocks: few,
                first: self.first,
            },
            Self {
                blocks: more,
                first: self.first + count,
            },
        )
    }
}

impl<T> Index<usize> for BlocksMut<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, c: usize) -> &T {
        self.blocks[c / WIDE - self.first]
            .as_ref()
            .map(|block| &block[c % WIDE])
            .expect("a column near lava")
    }
}

impl<T> IndexMut<usize> for BlocksMut<'_, T> {
    #[inline]
    fn index_mut(&mut self, c: usize) -> &mut T {
        self.blocks[c / WIDE - self.first]
            .as_mut()
            .map(|block| &mut block[c % WIDE])
            .expect("a column near lava")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    #[test]
    fn blocks_hold_what_a_list_holds() {
        for seed in 0..60u64 {
            let columns = 1 + (mix64(seed) % 200) as usize;
            let (mut blocks, mut list) = (Blocks::at_rest(columns, 7u64), vec![7; columns]);
            for i in 0..columns as u64 / 8 {
                let (c, value) = (
                    (mix64(seed << 32 | i) % columns as u64) as usize,
                    mix64(i) % 3 + 6,
                );
                blocks.set(c, value);
                list[c] = value;
            }
            assert!(
                (0..columns).all(|c| blocks[c] == list[c]),
                "{columns} columns"
            );
            assert!(
                blocks.iter().all(|(c, &value)| list[c] == value)
                    && blocks.iter().map(|(c, _)| c).is_sorted()
            );
            let held = list
                .chunks(WIDE)
                .filter(|block| block.iter().any(|&value| value != 7))
                .count();
            let made = (0..blocks.count())
                .filter(|&block| blocks.is_made(block))
                .count();
            assert!(made >= held && blocks.made() == made);
            let middle = (columns / 2).next_multiple_of(WIDE).min(columns);
            let (few, more) = blocks.view_mut().cut(middle);
            let there = |c: &usize| list[*c] != 7;
            assert!((0..middle).filter(there).all(|c| few[c] == list[c]));
            assert!((middle..columns).filter(there).all(|c| more[c] == list[c]));
        }
    }
}
