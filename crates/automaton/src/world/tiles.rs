//! Storage of matter in tiles of 8 × 1 × 4 cells, allocated only where there is matter.
//!
//! Four slabs of equal z form a [`Strip`], the unit of work that engines hand to threads. Lava is a
//! thin skin on the ground, and flat tiles fit a skin better than cubes; a tile is also the group
//! of cells that shares a random hash.

use std::collections::VecDeque;
use std::ops::Range;

use super::grains::GrainWords;
use super::masks::Masks;
use super::record::ChangeRecords;
use super::rows::Rows;
use super::settled::Reader;
use super::{Content, GroundStrip};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{Lanes, ROW, TILE_X, bits};

/// Minimum limit of the number of emptied tiles in a strip's queue; a queued tile keeps its memory
/// slot, to be reused at the same place.
const LEFT_LEAST: usize = 64;
/// Number of allocated tiles per additional tile that the queue of emptied tiles may contain.
const LEFT_SHARE: usize = 4;

/// Index of the amounts in the array of a tile's values.
pub const AMOUNT: usize = 0;

/// Index of the energies in the array of a tile's values; present only if the material carries
/// energy.
pub const ENERGY: usize = 1;

/// Contents of a tile of 8 × 1 × 4 cells (x fastest): amounts of the 32 cells, then their energies
/// if the material carries energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile<'a>(pub &'a [Lanes]);

impl<'a> Tile<'a> {
    /// Amounts of the 32 cells, in units.
    #[inline]
    pub fn amount(self) -> &'a Lanes {
        &self.0[AMOUNT]
    }

    /// Energies of the 32 cells, in units; 0 if the material carries no energy.
    #[inline]
    pub fn energy(self) -> &'a Lanes {
        self.0.get(ENERGY).unwrap_or(&Lanes::ZERO)
    }

    /// Amount and energy of the tile's cell with index `lane` (0–31).
    #[inline]
    pub fn cell(self, lane: usize) -> Content {
        Content {
            amount: self.amount().0[lane],
            energy: self.energy().0[lane],
        }
    }
}

/// State bits and memory slots of up to 64 tiles along x, at one y of a strip. Bits and slots are
/// adjacent in memory, because a rule that processes a tile reads its neighbours.
#[derive(Clone, Debug)]
pub struct TileRow {
    /// Bit set of the tiles that may contain matter; a tile whose bit is 0 is empty.
    pub held: u64,
    /// Bit set of tiles that changed, or whose denser matter changed, since the vertical rule last
    /// processed them.
    pub(crate) falling: u64,
    /// Bit set of tiles that changed since the horizontal rule last processed them.
    pub(crate) flowing: u64,
    /// Memory slot of each tile; 0 for a tile without a slot, which is empty.
    pub(crate) slots: [u32; ROW],
}

impl TileRow {
    /// Row whose tiles are all empty.
    pub(crate) const EMPTY: Self = Self {
        held: 0,
        falling: 0,
        flowing: 0,
        slots: [0; ROW],
    };
}

/// Row of empty tiles, returned where no row is allocated.
static NO_ROW: TileRow = TileRow::EMPTY;

/// Sparse storage of a layer's tiles with one z index, that is, of four adjacent slabs of cells.
///
/// Invariant: a tile that contains matter has a slot and its bit in `held`; every other tile is
/// empty, and slot 0 stands for tiles without a slot. `falling` and `flowing` contain the tiles
/// that changed since the vertical and the horizontal rule last processed them; after a step, they
/// contain at least all tiles that the rules changed in the step. Outside of the ranges of y in the
/// fields `held`, `falling` and `flowing` of the strip, no such bit is set.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Number of tiles along x.
    pub count: usize,
    /// Number of [`TileRow`]s (of 64 tiles each) along x.
    pub width: usize,
    ny: usize,
    /// Number of values per cell: 1 (amount) or 2 (amount, energy).
    quantities: usize,
    /// Rows of tiles, at [`Strip::index`]; empty until the strip first contains matter.
    pub(super) rows: Vec<TileRow>,
    /// Contents of the tiles, `quantities` consecutive elements per memory slot.
    lanes: Vec<Lanes>,
    masks: Vec<Masks>,
    /// Queue of emptied tiles, oldest first: tile number (row index · 64 + bit) and memory slot. A
    /// slot stays assigned to its tile for a while, because lava often returns to a just emptied
    /// cell in the next step.
    left: VecDeque<(u32, u32)>,
    /// Flag per memory slot: true while the slot is in the queue `left`.
    is_left: Vec<bool>,
    /// Number of tiles that spreading changed in the last step; an estimate of its work in the next
    /// step.
    pub(crate) work: usize,
    /// Number of changes of tiles so far, including changes of denser matter in the tile.
    pub(super) changes: u64,
    /// Range of y that contains all tiles with a `held` bit.
    pub(crate) held: Rows,
    /// Range of y that contains all tiles with a `falling` bit.
    pub(crate) falling: Rows,
    /// Range of y that contains all tiles with a `flowing` bit.
    pub(crate) flowing: Rows,
    /// Records of the changed tiles, one for each kind of reader; tiles that still have a `falling`
    /// bit are not yet included.
    pub(super) records: ChangeRecords,
    /// Bit words for the rule of grains; empty in layers of other matter.
    pub(crate) grains: GrainWords,
}

impl Strip {
    /// Creates a strip of `grid` without matter, with `quantities` values per cell.
    pub(crate) fn empty(grid: Grid, quantities: usize) -> Self {
        let count = grid.nx.div_ceil(TILE_X);
        Self {
            count,
            width: count.div_ceil(ROW),
            ny: grid.ny,
            quantities,
            rows: Vec::new(),
            lanes: vec![Lanes::ZERO; quantities],
            masks: vec![Masks::STALE],
            left: VecDeque::new(),
            is_left: vec![false],
            work: 0,
            changes: 0,
            held: Rows::NONE,
            falling: Rows::NONE,
            flowing: Rows::NONE,
            records: ChangeRecords::NONE,
            grains: GrainWords::default(),
        }
    }

    /// Number of tiles with allocated memory: non-empty tiles plus recently emptied ones.
    pub fn tiles(&self) -> usize {
        self.masks.len() - 1
    }

    /// Height of the simulation box in cells.
    pub(crate) fn ny(&self) -> usize {
        self.ny
    }

    /// Total number of rows of tiles: height in cells × rows for each y.
    pub(crate) fn len(&self) -> usize {
        self.ny * self.width
    }

    /// Returns the index of the row of tiles at height `y` whose x indices lie from 64 `w` to
    /// 64 `w` + 63.
    #[inline]
    pub fn index(&self, y: usize, w: usize) -> usize {
        y * self.width + w
    }

    /// Returns the row of tiles with the index `index`; a row of empty tiles if the index is out of
    /// range or no rows are allocated yet.
    #[inline]
    pub fn row(&self, index: usize) -> &TileRow {
        self.rows.get(index).unwrap_or(&NO_ROW)
    }

    /// Returns a mutable reference to the row of tiles with the index `index`; the rows must be
    /// allocated.
    #[inline]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut TileRow {
        &mut self.rows[index]
    }

    /// Returns the contents of the tile in the memory slot `slot`.
    #[inline]
    pub(crate) fn tile(&self, slot: u32) -> Tile<'_> {
        Tile(&self.lanes[slot as usize * self.quantities..][..self.quantities])
    }

    /// Returns the contents of the tile in the memory slot `slot` as an array of known length; `Q`
    /// must be the strip's number of values per cell.
    #[inline(always)]
    pub(crate) fn lanes<const Q: usize>(&self, slot: u32) -> &[Lanes; Q] {
        debug_assert!(Q == self.quantities);
        &self.lanes.as_chunks().0[slot as usize]
    }

    /// Returns the contents of the tile in the memory slot `slot` as a slice.
    #[inline]
    pub(crate) fn lanes_of(&self, slot: u32) -> &[Lanes] {
        self.tile(slot).0
    }

    /// Returns a mutable reference to the contents of the tile in the memory slot `slot`, which
    /// must not be 0; `Q` must be the strip's number of values per cell.
    #[inline(always)]
    fn lanes_mut<const Q: usize>(&mut self, slot: u32) -> &mut [Lanes; Q] {
        debug_assert!(
            slot != 0 && Q == self.quantities,
            "the empty tile stays empty"
        );
        &mut self.lanes.as_chunks_mut().0[slot as usize]
    }

    /// Returns the contents of the tile at (`tx`, `y`), x in tiles and y in cells; an empty tile if
    /// none is stored.
    #[inline]
    pub fn at(&self, tx: usize, y: usize) -> Tile<'_> {
        self.tile(self.slot(tx, y))
    }

    /// Returns the memory slot of the tile at (`tx`, `y`), x in tiles and y in cells; 0 if the tile
    /// has none.
    #[inline]
    pub(crate) fn slot(&self, tx: usize, y: usize) -> u32 {
        self.row(self.index(y, tx / ROW)).slots[tx % ROW]
    }

    /// Returns the cached ground masks of the tile in the memory slot `slot`; they may belong to an
    /// older version of the ground.
    #[inline]
    pub(crate) fn masks(&self, slot: u32) -> &Masks {
        &self.masks[slot as usize]
    }

    /// Returns a mutable reference to the cached ground masks of the tile in the memory slot
    /// `slot`.
    #[inline]
    pub(crate) fn masks_mut(&mut self, slot: u32) -> &mut Masks {
        &mut self.masks[slot as usize]
    }

    /// Returns the masks of the present ground for the tile at (tx, y) with the memory slot `slot`
    /// (0 for a tile without a slot); updates the cache of the slot if the ground changed.
    #[inline]
    pub(crate) fn masks_of(
        &mut self,
        slot: u32,
        ground: GroundStrip<'_>,
        [tx, y]: [usize; 2],
    ) -> Masks {
        if slot == 0 {
            return ground.masks(tx, y);
        }
        let masks = &mut self.masks[slot as usize];
        if masks.version != ground.version(tx) {
            *masks = ground.masks(tx, y);
        }
        *masks
    }

    /// Returns a mutable reference to the contents of the tile at bit `bit` of the row `index` (at
    /// height `y`), and allocates the tile if it has no memory. Marks the tile as changed, so that
    /// the vertical and the horizontal rule will process this tile and its neighbours.
    #[inline(always)]
    pub(crate) fn change<const Q: usize>(
        &mut self,
        y: usize,
        index: usize,
        bit: usize,
    ) -> &mut [Lanes; Q] {
        let slot = self.mark(y, index, bit);
        self.lanes_mut(slot)
    }

    /// Returns a mutable reference to the amounts of the tile at bit `bit` of the row `index`, in a
    /// layer of grains, and allocates the tile if it has no memory. The caller must mark the tile
    /// with [`Strip::changed`] afterwards.
    #[inline(always)]
    pub(crate) fn grain_tile(&mut self, index: usize, bit: usize) -> &mut Lanes {
        let slot = match self.row(index).slots[bit] {
            0 => self.make(index, bit),
            slot => slot,
        };
        self.rows[index].held |= 1 << bit;
        let [lanes] = self.lanes_mut(slot);
        lanes
    }

    /// Marks the tiles in the bit set `tiles` of the row `index` (at height `y`) as changed.
    #[inline(always)]
    pub(crate) fn changed(&mut self, y: usize, index: usize, tiles: u64) {
        if tiles != 0 && !self.rows.is_empty() {
            self.rows[index].falling |= tiles;
            self.rows[index].flowing |= tiles;
            self.changes += 1;
            self.held.add(y);
            self.falling.add(y);
            self.flowing.add(y);
        }
    }

    /// Marks the tile at bit `bit` of the row `index` (at height `y`) as changed, and allocates the
    /// tile if it has no memory; returns its memory slot.
    #[inline(always)]
    fn mark(&mut self, y: usize, index: usize, bit: usize) -> u32 {
        let slot = match self.row(index).slots[bit] {
            0 => self.make(index, bit),
            slot => slot,
        };
        let row = &mut self.rows[index];
        row.held |= 1 << bit;
        row.falling |= 1 << bit;
        row.flowing |= 1 << bit;
        self.changes += 1;
        self.held.add(y);
        self.falling.add(y);
        self.flowing.add(y);
        slot
    }

    /// Sets amount and energy of the cell with index `lane` (0–31) of the tile at (`tx`, `y`) to
    /// `cell`, and marks the tile as changed.
    pub(super) fn set(&mut self, tx: usize, y: usize, lane: usize, cell: Content) {
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        let first = self.mark(y, index, bit) as usize * self.quantities;
        let tile = &mut self.lanes[first..first + self.quantities];
        tile[AMOUNT].0[lane] = cell.amount;
        self.grains.set(tx, y, lane, cell.amount > 0);
        if let Some(energies) = tile.get_mut(ENERGY) {
            energies.0[lane] = cell.energy;
        }
        let empty = cell.amount == 0 && tile.iter().all(|lanes| *lanes == Lanes::ZERO);
        if empty {
            self.leave(index, bit);
        }
    }

    /// Stores the contents `tile` at (`tx`, `y`), where no tile is stored yet, without marking a
    /// change.
    pub(crate) fn store_tile(&mut self, tx: usize, y: usize, tile: &[Lanes]) {
        debug_assert!(
            self.grains.held.is_none(),
            "the rule of grains has not run yet"
        );
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        let slot = self.make(index, bit) as usize;
        self.rows[index].held |= 1 << bit;
        self.held.add(y);
        self.lanes[slot * self.quantities..][..self.quantities].copy_from_slice(tile);
    }

    /// Assigns a memory slot to the tile at bit `bit` of the row `index`, which must have none;
    /// returns the slot.
    #[cold]
    fn make(&mut self, index: usize, bit: usize) -> u32 {
        if self.rows.is_empty() {
            self.rows = vec![TileRow::EMPTY; self.len()];
        }
        let slot = self.take_left().unwrap_or_else(|| {
            self.lanes
                .resize(self.lanes.len() + self.quantities, Lanes::ZERO);
            self.masks.push(Masks::STALE);
            self.is_left.push(false);
            (self.masks.len() - 1) as u32
        });
        self.masks[slot as usize] = Masks::STALE;
        self.rows[index].slots[bit] = slot;
        slot
    }

    /// Takes the memory slot of the tile that has been empty for the longest time, for reuse by a
    /// different tile; `None` while the queue of emptied tiles does not exceed its limit.
    fn take_left(&mut self) -> Option<u32> {
        while self.left.len() > LEFT_LEAST + self.masks.len() / LEFT_SHARE {
            let (place, slot) = self.left.pop_front()?;
            let (row, bit) = (&mut self.rows[place as usize / ROW], place as usize % ROW);
            self.is_left[slot as usize] = false;
            if row.held >> bit & 1 == 0 {
                row.slots[bit] = 0;
                return Some(slot);
            }
        }
        None
    }

    /// Appends the tile at bit `bit` of the row `index`, which became empty, to the queue of tiles
    /// whose memory slots can be reused.
    #[inline]
    pub(crate) fn leave(&mut self, index: usize, bit: usize) {
        let slot = self.rows[index].slots[bit];
        debug_assert!(
            self.tile(slot).0.iter().all(|lanes| *lanes == Lanes::ZERO),
            "there is liquid in a tile that is left"
        );
        self.rows[index].held &= !(1 << bit);
        if !std::mem::replace(&mut self.is_left[slot as usize], true) {
            self.left.push_back(((index * ROW + bit) as u32, slot));
        }
    }

    /// Marks every non-empty tile to be processed by the rule of the kind `reader`.
    pub(crate) fn wake(&mut self, reader: Reader) {
        for row in &mut self.rows {
            match reader {
                Reader::Column => row.falling |= row.held,
                Reader::Across => row.flowing |= row.held,
            }
        }
        match reader {
            Reader::Column => self.falling = self.falling.union(self.held),
            Reader::Across => self.flowing = self.flowing.union(self.held),
        }
    }

    /// Marks unchanged tiles to be processed by the vertical rule in the next step: the tiles in
    /// the bit set `tiles` of the row of tiles `w` (64 tiles along x each) at height `y`.
    pub(crate) fn wait(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            let index = self.index(y, w);
            self.rows[index].falling |= tiles;
            self.falling.add(y);
        }
    }

    /// Marks the tile at (`tx`, `y`) as changed because the ground or denser matter around it
    /// changed.
    pub(super) fn change_around(&mut self, tx: usize, y: usize) {
        if self.rows.is_empty() {
            self.rows = vec![TileRow::EMPTY; self.len()];
        }
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        self.rows[index].falling |= 1 << bit;
        self.rows[index].flowing |= 1 << bit;
        self.falling.add(y);
        self.flowing.add(y);
    }

    /// Marks the tile at (`tx`, `y`) to be processed by the vertical rule if this tile, the tile
    /// above or, if `squeezed` is true, the tile below contains matter; does not count as a change.
    /// Returns true if the tile was marked.
    pub(super) fn fall_above(&mut self, y: usize, tx: usize, squeezed: bool) -> bool {
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        let above = if y + 1 < self.ny {
            self.row(index + self.width).held
        } else {
            0
        };
        let below = if squeezed {
            self.row(index.wrapping_sub(self.width)).held
        } else {
            0
        };
        let wakes = (self.row(index).held | above | below) >> bit & 1 == 1;
        if wakes {
            self.rows[index].falling |= 1 << bit;
            self.falling.add(y);
        }
        wakes
    }

    /// Clears all change marks, so that no rule has tiles to process.
    pub(crate) fn sleep(&mut self) {
        let rows = self.falling.union(self.flowing).range();
        for row in &mut self.rows[rows.start * self.width..rows.end * self.width] {
            (row.falling, row.flowing) = (0, 0);
        }
        (self.falling, self.flowing, self.work) = (Rows::NONE, Rows::NONE, 0);
    }

    /// Clears the `flowing` bits; called when spreading has read all tiles and before it applies
    /// the computed changes.
    pub(crate) fn spread_read(&mut self) {
        self.work = 0;
        let rows = std::mem::replace(&mut self.flowing, Rows::NONE).range();
        let rows = &mut self.rows[rows.start * self.width..rows.end * self.width];
        rows.iter_mut().for_each(|row| row.flowing = 0);
    }

    /// Iterates over the non-empty tiles of the strip, sorted by y, then x: x index in tiles, y in
    /// cells, contents.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, Tile<'_>)> {
        self.held
            .range()
            .flat_map(move |y| self.tiles_at(y).map(move |(tx, tile)| (tx, y, tile)))
    }

    /// Iterates over the non-empty tiles at height `y`, each with its x index in tiles.
    pub(crate) fn tiles_at(&self, y: usize) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.tiles_among(y, 0..self.count)
    }

    /// Iterates over the non-empty tiles at height `y` whose x index lies in `txs`, each with its x
    /// index.
    pub(crate) fn tiles_among(
        &self,
        y: usize,
        txs: Range<usize>,
    ) -> impl Iterator<Item = (usize, Tile<'_>)> {
        (txs.start / ROW..txs.end.div_ceil(ROW)).flat_map(move |w| {
            let row = self.row(self.index(y, w));
            let (from, to) = (
                txs.start.max(w * ROW) % ROW,
                txs.end.min((w + 1) * ROW) - w * ROW,
            );
            let among = u64::MAX << from & u64::MAX >> (ROW - to);
            bits(row.held & among).map(move |bit| (w * ROW + bit, self.tile(row.slots[bit])))
        })
    }

    /// Calls `see` for every non-empty tile whose x index is in the bit set `columns`, row by row
    /// from the bottom, with the x index and the contents.
    #[inline]
    pub fn visit(&self, columns: &[u64], mut see: impl FnMut(usize, Tile<'_>)) {
        for y in self.held.range() {
            for (w, among) in columns.iter().enumerate() {
                let row = self.row(self.index(y, w));
                bits(row.held & among)
                    .for_each(|bit| see(w * ROW + bit, self.tile(row.slots[bit])));
            }
        }
    }

    /// Returns the x index in tiles of the first non-empty tile at height `y`, and that of the last
    /// one plus one; `None` if there is no such tile.
    pub(crate) fn ends_at(&self, y: usize) -> Option<(usize, usize)> {
        let word = |w: usize| self.row(self.index(y, w)).held;
        let first = (0..self.width).find(|&w| word(w) != 0)?;
        let last = (0..self.width).rfind(|&w| word(w) != 0)?;
        Some((
            first * 64 + word(first).trailing_zeros() as usize,
            last * 64 + 64 - word(last).leading_zeros() as usize,
        ))
    }

    /// Heap memory of the strip in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() * (size_of::<TileRow>() + size_of::<u64>())
            + self.masks.len() * (self.quantities * size_of::<Lanes>() + size_of::<Masks>())
            + self.grains.bytes()
    }
}
