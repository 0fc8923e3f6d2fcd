//! Values of columns in blocks of neighbours, which are made when lava comes near: a column that it never reaches costs its share of a
//! list of blocks.
//!
//! A block holds `WIDE` columns that follow each other in their numbers, from row to row where a row ends. `Flow::reach` makes
//! the blocks of columns and of those around them, faces and corners, before anything of these is read or written.

use std::ops::{Index, IndexMut, Range};

use crate::motion::strips::Cut;

/// Columns of a block.
pub(crate) const WIDE: usize = 32;

/// A block, if it is made.
pub(crate) type Block<T> = Option<Box<[T; WIDE]>>;

/// A value for each column of a box, as far as its block is made.
#[derive(Clone, Debug)]
pub struct Blocks<T> {
    columns: usize,
    blocks: Vec<Block<T>>,
    made: usize,
    /// Value of the columns of all other blocks, where these are read.
    rest: Option<T>,
}

impl<T> Blocks<T> {
    /// Those of so many columns; none is made.
    pub(crate) fn new(columns: usize) -> Self {
        let blocks = std::iter::repeat_with(|| None).take(columns.div_ceil(WIDE)).collect();
        Self { columns, blocks, made: 0, rest: None }
    }

    /// Makes blocks with a value that all columns have until theirs are made.
    pub fn at_rest(columns: usize, rest: T) -> Self {
        Self { rest: Some(rest), ..Self::new(columns) }
    }

    /// Columns of the box.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Number of blocks, made or not.
    pub(crate) fn count(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn is_made(&self, block: usize) -> bool {
        self.blocks[block].is_some()
    }

    /// Number of blocks that are made.
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    /// Makes a block that is not made; gives its columns. Those beyond the end of the box are copies of its last one.
    pub(crate) fn make(&mut self, block: usize, mut value: impl FnMut(usize) -> T) -> Range<usize> {
        let last = self.columns - 1;
        self.blocks[block] = Some(Box::new(std::array::from_fn(|i| value((block * WIDE + i).min(last)))));
        self.made += 1;
        block * WIDE..((block + 1) * WIDE).min(self.columns)
    }

    /// The value of a column whose block is made.
    #[inline]
    pub(crate) fn get(&self, c: usize) -> Option<&T> {
        self.blocks[c / WIDE].as_ref().map(|block| &block[c % WIDE])
    }

    /// The values of so many columns that follow each other, made or at rest.
    #[inline(always)]
    pub(crate) fn some<const N: usize>(&self, first: usize) -> [&T; N] {
        if let (true, Some(block)) = (first % WIDE + N <= WIDE, &self.blocks[first / WIDE]) {
            let some = &block[first % WIDE..][..N];
            return std::array::from_fn(|i| &some[i]);
        }
        std::array::from_fn(|i| &self[first + i])
    }

    #[cold]
    fn value_at_rest(&self) -> &T {
        self.rest.as_ref().expect("a column near lava")
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, c: usize) -> Option<&mut T> {
        self.blocks[c / WIDE].as_mut().map(|block| &mut block[c % WIDE])
    }

    /// Numbers and values of all columns whose blocks are made, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let columns = self.columns;
        let made = self.blocks.iter().enumerate().filter_map(|(b, block)| Some((b, block.as_ref()?)));
        let all = made.flat_map(|(b, block)| (b * WIDE..).zip(block.iter()));
        all.take_while(move |&(c, _)| c < columns)
    }

    /// Mutable access to them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let columns = self.columns;
        let made = self.blocks.iter_mut().enumerate().filter_map(|(b, block)| Some((b, block.as_mut()?)));
        let all = made.flat_map(|(b, block)| (b * WIDE..).zip(block.iter_mut()));
        all.take_while(move |&(c, _)| c < columns)
    }

    /// All blocks, made or not.
    pub(crate) fn all_mut(&mut self) -> &mut [Block<T>] {
        &mut self.blocks
    }

    /// All of them, to change them and to cut them between threads.
    pub(crate) fn part(&mut self) -> BlocksMut<'_, T> {
        BlocksMut { blocks: &mut self.blocks, first: 0 }
    }

    /// Bytes of the list of blocks of so many columns.
    pub(crate) fn need(columns: usize) -> u64 {
        (columns.div_ceil(WIDE) * size_of::<Block<T>>()) as u64
    }
}

impl<T: Clone + PartialEq> Blocks<T> {
    /// Changes the value of a column; its block is made where it is another one than that of all others.
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

/// Blocks of neighbouring columns that are changed.
pub(crate) struct BlocksMut<'a, T> {
    blocks: &'a mut [Block<T>],
    /// Number of the first block.
    first: usize,
}

impl<T> Cut for BlocksMut<'_, T> {
    /// Cuts between two blocks.
    fn cut(self, columns: usize) -> (Self, Self) {
        let count = columns.div_ceil(WIDE);
        let (few, more) = self.blocks.split_at_mut(count);
        (Self { blocks: few, first: self.first }, Self { blocks: more, first: self.first + count })
    }
}

impl<T> Index<usize> for BlocksMut<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, c: usize) -> &T {
        self.blocks[c / WIDE - self.first].as_ref().map(|block| &block[c % WIDE]).expect("a column near lava")
    }
}

impl<T> IndexMut<usize> for BlocksMut<'_, T> {
    #[inline]
    fn index_mut(&mut self, c: usize) -> &mut T {
        self.blocks[c / WIDE - self.first].as_mut().map(|block| &mut block[c % WIDE]).expect("a column near lava")
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
                let (c, value) = ((mix64(seed << 32 | i) % columns as u64) as usize, mix64(i) % 3 + 6);
                blocks.set(c, value);
                list[c] = value;
            }
            assert!((0..columns).all(|c| blocks[c] == list[c]), "{columns} columns");
            assert!(blocks.iter().all(|(c, &value)| list[c] == value) && blocks.iter().map(|(c, _)| c).is_sorted());
            let held = list.chunks(WIDE).filter(|block| block.iter().any(|&value| value != 7)).count();
            let made = (0..blocks.count()).filter(|&block| blocks.is_made(block)).count();
            assert!(made >= held && blocks.made() == made);
            let middle = (columns / 2).next_multiple_of(WIDE).min(columns);
            let (few, more) = blocks.part().cut(middle);
            let there = |c: &usize| list[*c] != 7;
            assert!((0..middle).filter(there).all(|c| few[c] == list[c]));
            assert!((middle..columns).filter(there).all(|c| more[c] == list[c]));
        }
    }
}
