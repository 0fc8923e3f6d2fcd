//! Where liquid lies in memory: tiles of 8 × 1 × 4 cells, kept only where there is liquid.
//!
//! Four slabs of equal z form a [`Strip`], the unit of work that parallel passes hand to threads. Lava is a thin skin on
//! the ground, and flat tiles fit it better than cubes; a tile is also the group of cells that shares a random hash.

use std::collections::VecDeque;

use super::Ground;
use crate::grid::Grid;
use crate::rules::gravity::Cell;

/// Cells of a tile along x.
pub(crate) const TILE_X: usize = 8;
/// Cells of a tile along z, which are the slabs of a strip.
pub(crate) const TILE_Z: usize = 4;

/// Places left by liquid that keep their slots: so many, and one for so many tiles.
const LEFT_LEAST: usize = 64;
const LEFT_SHARE: usize = 4;

/// A value for each cell of a tile; lane `8 · (z mod 4) + x mod 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u16; 32]);

impl Lanes {
    /// Nothing in any cell.
    pub(crate) const ZERO: Self = Self([0; 32]);

    /// Sum over all cells.
    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().map(|&v| u64::from(v)).sum()
    }
}

/// Amounts and energies of 32 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Tile {
    pub(crate) amount: Lanes,
    pub(crate) energy: Lanes,
}

impl Tile {
    /// Air.
    pub(crate) const EMPTY: Self = Self { amount: Lanes::ZERO, energy: Lanes::ZERO };

    /// Amount and energy of one lane.
    #[inline]
    pub(crate) fn cell(&self, lane: usize) -> Cell {
        Cell { amount: self.amount.0[lane], energy: self.energy.0[lane] }
    }
}

/// What the ground says about the cells of a tile, a bit for each; worked out once for a ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masks {
    /// The ground for which it holds, by [`Ground::stamp`].
    pub(crate) stamp: u64,
    /// The cell below is solid, or this is the floor.
    pub(crate) bed: u32,
    /// The cell in each direction of spreading is inside the box and not solid.
    pub(crate) free: [u32; 4],
    /// The cell in each direction is outside of the box.
    pub(crate) out: [u32; 4],
}

impl Masks {
    /// For no ground.
    const STALE: Self = Self { stamp: u64::MAX, bed: 0, free: [0; 4], out: [0; 4] };

    /// What `ground` says about the tile at (`tx`, `y`, `tz`), counted in tiles.
    #[cold]
    pub(crate) fn new(ground: &Ground, tx: usize, y: usize, tz: usize) -> Self {
        let grid = ground.grid();
        let (first_x, first_z) = (tx * TILE_X, tz * TILE_Z);
        let rows = TILE_Z.min(grid.nz - first_z);
        // Of the rows from one before the tile to one after it, the cells from one before to one after: ten bits, or none
        // where a row lies outside of the box.
        let cells = |z: usize, y: usize| {
            let z = (first_z + z).wrapping_sub(1);
            if z < grid.nz { ground.solid_bits(first_x, y, z) } else { (0, 0) }
        };
        let mut masks = Self { stamp: ground.stamp(), ..Self::STALE };
        let around: [_; TILE_Z + 2] = std::array::from_fn(|z| cells(z, y));
        let (_, across) = around[1];
        let own = across >> 1 & 0xff;
        for row in 0..rows {
            let put = |bits: u32| (bits & own) << (TILE_X * row);
            let sides = [(row + 1, 0), (row + 1, 2), (row, 1), (row + 2, 1)];
            for (d, (z, shift)) in sides.into_iter().enumerate() {
                let (solid, inside) = around[z];
                masks.free[d] |= put((inside & !solid) >> shift);
                masks.out[d] |= put(!inside >> shift);
            }
            masks.bed |= put(if y == 0 { 0xff } else { cells(row + 1, y - 1).0 >> 1 });
        }
        masks
    }
}

/// A bit for each tile of a strip, in rows of equal y, and the rows outside of which all bits are clear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    from: usize,
    to: usize,
}

impl Bits {
    /// Words for so many tiles.
    pub(crate) fn width(tiles: usize) -> usize {
        tiles.div_ceil(64)
    }

    /// No bit set, in `ny` rows of `width` words.
    pub(crate) fn new(ny: usize, width: usize) -> Self {
        Self { words: vec![0; ny * width], from: usize::MAX, to: 0 }
    }

    /// Whether no bit is set, as far as the rows tell.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.from >= self.to
    }

    /// The rows outside of which all bits are clear.
    #[inline]
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        if self.is_empty() { 0..0 } else { self.from..self.to }
    }

    /// A word of a row; 0 where there is no such row.
    #[inline]
    pub(crate) fn word(&self, y: usize, w: usize, width: usize) -> u64 {
        self.words.get(y.wrapping_mul(width).wrapping_add(w)).copied().unwrap_or(0)
    }

    /// Sets bits of a word.
    #[inline]
    pub(crate) fn set(&mut self, y: usize, w: usize, width: usize, bits: u64) {
        self.words[y * width + w] |= bits;
        self.from = self.from.min(y);
        self.to = self.to.max(y + 1);
    }

    /// Clears bits of a word.
    #[inline]
    pub(crate) fn unset(&mut self, y: usize, w: usize, width: usize, bits: u64) {
        self.words[y * width + w] &= !bits;
    }

    /// Makes room for `ny` rows, if there is none yet.
    #[inline]
    pub(crate) fn make(&mut self, ny: usize, width: usize) {
        if self.words.len() != ny * width {
            *self = Self::new(ny, width);
        }
    }

    /// Forgets which rows may have bits; the caller knows them, and puts every word of theirs anew.
    #[inline]
    pub(crate) fn forget_rows(&mut self) {
        (self.from, self.to) = (usize::MAX, 0);
    }

    /// Puts a word in place of another.
    #[inline]
    pub(crate) fn put(&mut self, y: usize, w: usize, width: usize, word: u64) {
        self.words[y * width + w] = word;
        if word != 0 {
            self.set(y, w, width, 0);
        }
    }

    /// Clears all bits.
    pub(crate) fn clear(&mut self, width: usize) {
        let rows = self.rows();
        self.words[rows.start * width..rows.end * width].fill(0);
        (self.from, self.to) = (usize::MAX, 0);
    }

    /// The rows that may have bits, with their words.
    #[inline]
    fn by_row(&self, width: usize) -> impl Iterator<Item = (usize, &[u64])> {
        let rows = self.rows();
        rows.clone().zip(self.words[rows.start * width..rows.end * width].chunks_exact(width))
    }

    /// Makes all bits those of `other`, too.
    fn add(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
        self.from = self.from.min(other.from);
        self.to = self.to.max(other.to);
    }
}

/// The tiles of four slabs of equal z.
///
/// Keeps: a tile that holds liquid has a slot and its bit in `held`; all others are empty, and slot 0 stands for those that
/// have none of their own. `falling` and `flowing` have the tiles that changed since gravity and spreading last looked;
/// after a step, they have at least all that the rules changed in it.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    /// Tiles along x.
    pub(crate) count: usize,
    /// Words of a row of bits.
    pub(crate) width: usize,
    ny: usize,
    /// Slots by [`Strip::place`]; none at all before the first liquid.
    slots: Vec<u32>,
    tiles: Vec<Tile>,
    masks: Vec<Masks>,
    /// Places of tiles that became empty, the oldest first, with their slots. Lava that is gone often comes back in the
    /// next step, so a slot stays with its place for a while.
    left: VecDeque<(u32, u32)>,
    /// For each slot, whether it is in `left`.
    is_left: Vec<bool>,
    /// For each tile along x, the number of the last cell written by hand there, at any height; none before the first.
    written: Vec<u64>,
    /// The highest of them.
    last_written: u64,
    /// Tiles that the last spreading step changed: how much work the next step may be.
    pub(crate) work: usize,
    /// Tiles that may hold liquid; the others are empty.
    pub(crate) held: Bits,
    /// Tiles that changed since gravity looked at them.
    pub(crate) falling: Bits,
    /// Tiles that changed since spreading looked at them.
    pub(crate) flowing: Bits,
}

impl Strip {
    /// No liquid.
    pub(crate) fn empty(grid: Grid) -> Self {
        let count = grid.nx.div_ceil(TILE_X);
        Self {
            count,
            width: Bits::width(count),
            ny: grid.ny,
            slots: Vec::new(),
            tiles: vec![Tile::EMPTY],
            masks: vec![Masks::STALE],
            left: VecDeque::new(),
            is_left: vec![false],
            written: Vec::new(),
            last_written: 0,
            work: 0,
            held: Bits::default(),
            falling: Bits::default(),
            flowing: Bits::default(),
        }
    }

    /// Tiles that have memory: those that hold liquid, and some that held it lately.
    pub(crate) fn tiles(&self) -> usize {
        self.tiles.len() - 1
    }

    /// Number of places of a row: one more than tiles at either end, so that every tile has neighbours.
    #[inline]
    pub(crate) fn stride(&self) -> usize {
        self.count + 2
    }

    /// Number of the place of a tile.
    #[inline]
    pub(crate) fn place(&self, tx: usize, y: usize) -> usize {
        y * self.stride() + tx + 1
    }

    /// The slot of a place, 0 where the tile is empty.
    #[inline]
    pub(crate) fn slot(&self, place: usize) -> u32 {
        self.slots.get(place).copied().unwrap_or(0)
    }

    /// The tile of a slot.
    #[inline]
    pub(crate) fn tile(&self, slot: u32) -> &Tile {
        &self.tiles[slot as usize]
    }

    /// The tile of a slot that is not 0, to be written.
    #[inline]
    pub(crate) fn tile_mut(&mut self, slot: u32) -> &mut Tile {
        debug_assert!(slot != 0, "the empty tile stays empty");
        &mut self.tiles[slot as usize]
    }

    /// The tile of a place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &Tile {
        self.tile(self.slot(place))
    }

    /// What the ground says about the tile of a slot; it may be out of date.
    #[inline]
    pub(crate) fn masks(&self, slot: u32) -> &Masks {
        &self.masks[slot as usize]
    }

    /// The same, to be written.
    #[inline]
    pub(crate) fn masks_mut(&mut self, slot: u32) -> &mut Masks {
        &mut self.masks[slot as usize]
    }

    /// The slot of a tile, a new one where there was none.
    #[inline]
    pub(crate) fn make(&mut self, tx: usize, y: usize) -> u32 {
        let place = self.place(tx, y);
        let slot = match self.slot(place) {
            0 => self.make_new(place),
            slot => slot,
        };
        self.held.set(y, tx / 64, self.width, 1 << (tx % 64));
        slot
    }

    #[cold]
    fn make_new(&mut self, place: usize) -> u32 {
        if self.slots.is_empty() {
            self.slots = vec![0; self.ny * self.stride()];
            let none = Bits::new(self.ny, self.width);
            (self.held, self.falling, self.flowing) = (none.clone(), none.clone(), none);
        }
        let slot = self.take_left().unwrap_or_else(|| {
            self.tiles.push(Tile::EMPTY);
            self.masks.push(Masks::STALE);
            self.is_left.push(false);
            (self.tiles.len() - 1) as u32
        });
        self.masks[slot as usize] = Masks::STALE;
        self.slots[place] = slot;
        slot
    }

    /// The slot of the place that was left longest ago and is still empty, when there are more such than are worth keeping.
    fn take_left(&mut self) -> Option<u32> {
        while self.left.len() > LEFT_LEAST + self.tiles.len() / LEFT_SHARE {
            let (place, slot) = self.left.pop_front()?;
            let (y, tx) = (place as usize / self.stride(), place as usize % self.stride() - 1);
            let held = self.held.word(y, tx / 64, self.width) >> (tx % 64) & 1 == 1;
            self.is_left[slot as usize] = false;
            if !held {
                self.slots[place as usize] = 0;
                return Some(slot);
            }
        }
        None
    }

    /// A tile that was held is empty now.
    #[inline]
    pub(crate) fn leave(&mut self, tx: usize, y: usize) {
        let place = self.place(tx, y);
        let slot = self.slots[place];
        debug_assert!(self.tiles[slot as usize] == Tile::EMPTY, "there is liquid in a tile that is left");
        if !std::mem::replace(&mut self.is_left[slot as usize], true) {
            self.left.push_back((place as u32, slot));
        }
        self.held.unset(y, tx / 64, self.width, 1 << (tx % 64));
    }

    /// The tile changed: both rules have to look at it and its neighbours.
    #[inline]
    pub(crate) fn changed(&mut self, tx: usize, y: usize) {
        self.falling.set(y, tx / 64, self.width, 1 << (tx % 64));
        self.flowing.set(y, tx / 64, self.width, 1 << (tx % 64));
    }

    /// The cell with this number was written in a tile at `tx`.
    pub(crate) fn write(&mut self, tx: usize, number: u64) {
        self.written.resize(self.count, 0);
        self.written[tx] = number;
        self.last_written = number;
    }

    /// Puts a bit into `columns`, of [`Bits::width`] words, for each tile along x that may have changed at any height in the
    /// last step, or by the cells written after the first `writes`. Whether there is any.
    pub(crate) fn changed_columns(&self, writes: u64, columns: &mut [u64]) -> bool {
        let written = self.last_written > writes;
        if !written && self.falling.is_empty() && self.flowing.is_empty() {
            return false;
        }
        columns.fill(0);
        for bits in [&self.falling, &self.flowing] {
            for (_, row) in bits.by_row(self.width) {
                columns.iter_mut().zip(row).for_each(|(column, word)| *column |= word);
            }
        }
        if written {
            for (tx, _) in self.written.iter().enumerate().filter(|&(_, &number)| number > writes) {
                columns[tx / 64] |= 1 << (tx % 64);
            }
        }
        true
    }

    /// Both rules have to look at every tile.
    pub(crate) fn wake(&mut self) {
        self.falling.add(&self.held);
        self.flowing.add(&self.held);
    }

    /// All tiles that hold liquid, by y, then x: their coordinates in tiles, and what they hold.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, &Tile)> {
        self.held.rows().flat_map(move |y| self.row(y).map(move |(tx, tile)| (tx, y, tile)))
    }

    /// The tiles of one row that hold liquid.
    pub(crate) fn row(&self, y: usize) -> impl Iterator<Item = (usize, &Tile)> {
        (0..self.width).flat_map(move |w| {
            bits(self.held.word(y, w, self.width)).map(move |bit| {
                let tx = w * 64 + bit;
                (tx, self.at(self.place(tx, y)))
            })
        })
    }

    /// Visits the tiles that hold liquid, row by row, among those at the tx whose bits are set in `columns`.
    #[inline]
    pub(crate) fn visit(&self, columns: &[u64], mut see: impl FnMut(usize, &Tile)) {
        for (y, row) in self.held.by_row(self.width) {
            for (w, (held, among)) in row.iter().zip(columns).enumerate() {
                for bit in bits(held & among) {
                    let tx = w * 64 + bit;
                    see(tx, self.at(self.place(tx, y)));
                }
            }
        }
    }

    /// First tile of a row that holds liquid and one past the last.
    pub(crate) fn row_ends(&self, y: usize) -> Option<(usize, usize)> {
        let word = |w: usize| self.held.word(y, w, self.width);
        let first = (0..self.width).find(|&w| word(w) != 0)?;
        let last = (0..self.width).rfind(|&w| word(w) != 0)?;
        Some((first * 64 + word(first).trailing_zeros() as usize, last * 64 + 64 - word(last).leading_zeros() as usize))
    }

    /// Memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let bits = 3 * self.held.words.len() * size_of::<u64>();
        let tile = size_of::<Tile>() + size_of::<Masks>();
        self.slots.len() * size_of::<u32>() + self.tiles.len() * tile + bits
    }
}

/// Numbers of the bits that are set, from the lowest.
#[inline]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}
