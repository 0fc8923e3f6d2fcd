//! Storage of liquid: tiles of 8 × 1 × 4 cells, kept only where there is liquid.
//!
//! Four slabs of equal z form a [`Strip`], the unit of work that parallel passes hand to threads.
//! Lava is a thin skin on the ground, and flat tiles fit a skin better than cubes; a tile is also
//! the group of cells that shares a random hash.

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

/// Minimum number of emptied tiles that keep their memory slots for reuse; one more is kept for
/// every `LEFT_SHARE` allocated tiles.
const LEFT_LEAST: usize = 64;
const LEFT_SHARE: usize = 4;

/// Index of the amount lane in the quantities of a tile.
pub const AMOUNT: usize = 0;

/// Index of the energy lane in the quantities of a tile, present only if the material carries
/// energy.
pub const ENERGY: usize = 1;

/// Tile of 8 × 1 × 4 cells (32 lanes, x fastest): amounts, then energies if the material carries
/// energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile<'a>(pub &'a [Lanes]);

impl<'a> Tile<'a> {
    /// Amounts of the 32 cells, in units.
    #[inline]
    pub fn amount(self) -> &'a Lanes {
        &self.0[AMOUNT]
    }

    /// Energies of the 32 cells, in units; zero if the material carries none.
    #[inline]
    pub fn energy(self) -> &'a Lanes {
        self.0.get(ENERGY).unwrap_or(&Lanes::ZERO)
    }

    /// Amount and energy of the cell at index `lane` (0–31).
    #[inline]
    pub fn cell(self, lane: usize) -> Content {
        Content {
            amount: self.amount().0[lane],
            energy: self.energy().0[lane],
        }
    }
}

/// Index row of up to 64 tiles along x at one y of a strip: state bits and a memory slot per tile.
/// Bits and slots are adjacent in memory, because a rule that visits a tile reads its neighbours.
#[derive(Clone, Debug)]
pub struct Row {
    /// Bit set of tiles that may contain matter; a tile without a set bit is empty.
    pub held: u64,
    /// Bit set of tiles that changed, or whose heavier matter changed, since the last visit of the
    /// column rule.
    pub(crate) falling: u64,
    /// Bit set of tiles that changed since the last visit of the horizontal rule.
    pub(crate) flowing: u64,
    /// Memory slot of each tile; 0 for a tile that never contained matter.
    pub(crate) slots: [u32; ROW],
}

impl Row {
    /// Row of empty tiles.
    pub(crate) const EMPTY: Self = Self {
        held: 0,
        falling: 0,
        flowing: 0,
        slots: [0; ROW],
    };
}

/// Empty row, used for every row that is not stored.
static NO_ROW: Row = Row::EMPTY;

/// Sparse storage of four adjacent z slabs of a layer.
///
/// Invariant: a tile that holds liquid has a slot and its bit in `held`; every other tile is empty,
/// and slot 0 stands for tiles without a slot. `falling` and `flowing` have the tiles that changed
/// since the last visit of gravity and of spreading; after a step, they have at least all tiles
/// that the rules changed in the step. Outside of the rows that the fields `held`, `falling` and
/// `flowing` of the strip name, no such bit is set.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Number of tiles along x.
    pub count: usize,
    /// Number of [`Row`]s to each y.
    pub width: usize,
    ny: usize,
    /// Number of quantities per cell: 1 (amount) or 2 (amount, energy).
    quantities: usize,
    /// Rows by [`Strip::index`]; empty until the strip first contains matter.
    pub(super) rows: Vec<Row>,
    /// Quantities of the slots, `quantities` lanes per slot.
    lanes: Vec<Lanes>,
    masks: Vec<Masks>,
    /// Queue of emptied tiles, oldest first: place (row index · 64 + bit) and slot. Lava often
    /// returns to a just emptied cell in the next step, so a slot stays assigned to its place for a
    /// while.
    left: VecDeque<(u32, u32)>,
    /// Flag per slot: set while the slot is in `left`.
    is_left: Vec<bool>,
    /// Number of tiles changed by the last spreading step; estimates the work of the next one.
    pub(crate) work: usize,
    /// Counter of tile changes, including changes of heavier matter at the tile.
    pub(super) changes: u64,
    /// Range of rows with `held` bits.
    pub(crate) held: Rows,
    /// Range of rows with `falling` bits.
    pub(crate) falling: Rows,
    /// Range of rows with `flowing` bits.
    pub(crate) flowing: Rows,
    /// Change records per kind of reader; tiles still marked `falling` are not yet included.
    pub(super) records: ChangeRecords,
    /// Bit words for the rule of grains; absent in layers of other matter.
    pub(crate) grains: GrainWords,
}

impl Strip {
    /// Creates an empty strip of `grid` with `quantities` lanes per tile.
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

    /// Height of the box in cells.
    pub(crate) fn ny(&self) -> usize {
        self.ny
    }

    /// Total number of rows: height in cells × rows per y.
    pub(crate) fn len(&self) -> usize {
        self.ny * self.width
    }

    /// Returns the index of the row at `y` that contains the tiles with x index 64 `w` to 64 `w` +
    /// 63.
    #[inline]
    pub fn index(&self, y: usize, w: usize) -> usize {
        y * self.width + w
    }

    /// Returns the row with the given `index`, or an empty row if rows are not yet allocated.
    #[inline]
    pub fn row(&self, index: usize) -> &Row {
        self.rows.get(index).unwrap_or(&NO_ROW)
    }

    /// Returns the mutable row with the given `index`; rows must be allocated.
    #[inline]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut Row {
        &mut self.rows[index]
    }

    /// Returns the tile stored in `slot`.
    #[inline]
    pub(crate) fn tile(&self, slot: u32) -> Tile<'_> {
        Tile(&self.lanes[slot as usize * self.quantities..][..self.quantities])
    }

    /// Returns the quantities of `slot` as a fixed-size array; `Q` must equal the number of
    /// quantities of the strip.
    #[inline(always)]
    pub(crate) fn lanes<const Q: usize>(&self, slot: u32) -> &[Lanes; Q] {
        debug_assert!(Q == self.quantities);
        &self.lanes.as_chunks().0[slot as usize]
    }

    /// Returns the quantities of `slot` as a slice.
    #[inline]
    pub(crate) fn lanes_of(&self, slot: u32) -> &[Lanes] {
        self.tile(slot).0
    }

    /// Returns the mutable quantities of `slot`, which must not be 0.
    #[inline(always)]
    fn lanes_mut<const Q: usize>(&mut self, slot: u32) -> &mut [Lanes; Q] {
        debug_assert!(
            slot != 0 && Q == self.quantities,
            "the empty tile stays empty"
        );
        &mut self.lanes.as_chunks_mut().0[slot as usize]
    }

    /// Returns the tile at (`tx`, `y`), x in tiles and y in cells; an empty tile if none is stored.
    #[inline]
    pub fn at(&self, tx: usize, y: usize) -> Tile<'_> {
        self.tile(self.slot(tx, y))
    }

    /// Returns the slot of the tile at (`tx`, `y`), x in tiles; 0 for a tile without a slot.
    #[inline]
    pub(crate) fn slot(&self, tx: usize, y: usize) -> u32 {
        self.row(self.index(y, tx / ROW)).slots[tx % ROW]
    }

    /// Returns the cached ground masks of `slot`, possibly of an older ground version.
    #[inline]
    pub(crate) fn masks(&self, slot: u32) -> &Masks {
        &self.masks[slot as usize]
    }

    /// Returns the mutable cached ground masks of `slot`.
    #[inline]
    pub(crate) fn masks_mut(&mut self, slot: u32) -> &mut Masks {
        &mut self.masks[slot as usize]
    }

    /// Returns up-to-date ground masks of the tile at (`tx`, `y`) with the given `slot` (0: none);
    /// refreshes the cache of the slot if the ground changed.
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

    /// Returns the mutable quantities of the tile at bit `bit` of the row `index` (at height `y`),
    /// marks the tile as changed, so that both rules visit the tile and its neighbours, and creates
    /// the tile if needed.
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

    /// Returns the mutable amounts of the tile at bit `bit` of the row `index` in a layer of
    /// grains, and creates the tile if needed. The caller must call [`Strip::changed`] afterwards.
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

    /// Marks the tiles of the bit set `tiles` in the row `index` (at height `y`) as changed.
    #[inline(always)]
    pub(crate) fn changed(&mut self, y: usize, index: usize, tiles: u64) {
        if tiles != 0 && !self.rows.is_empty() {
            self.rows[index].falling |= tiles;
            self.rows[index].flowing |= tiles;
            self.held.add(y);
            self.falling.add(y);
            self.flowing.add(y);
        }
    }

    /// Marks the tile at bit `bit` of the row `index` (at height `y`) as changed; returns its slot.
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

    /// Writes the content `cell` to the lane `lane` (0–31) of the tile at (`tx`, `y`), x in tiles.
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

    /// Stores the quantities `tile` at the empty place (`tx`, `y`) without marking any change.
    pub(crate) fn put(&mut self, tx: usize, y: usize, tile: &[Lanes]) {
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

    /// Assigns a memory slot to bit `bit` of the row `index`; returns the slot.
    #[cold]
    fn make(&mut self, index: usize, bit: usize) -> u32 {
        if self.rows.is_empty() {
            self.rows = vec![Row::EMPTY; self.len()];
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

    /// Releases the slot of the tile that has been empty for the longest time and returns the slot
    /// for reuse; `None` while the queue of emptied tiles is within its limit.
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

    /// Queues the slot of the tile at bit `bit` of the row `index`, which became empty, for later
    /// reuse.
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

    /// Marks every non-empty tile for a visit by the rule `reader`.
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

    /// Marks unchanged tiles for another visit of the column rule: the bit set `tiles` of row word
    /// `w` at height `y`.
    pub(crate) fn wait(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            let index = self.index(y, w);
            self.rows[index].falling |= tiles;
            self.falling.add(y);
        }
    }

    /// Marks the tile at (`tx`, `y`) as changed because its surroundings, such as the ground,
    /// changed.
    pub(super) fn change_around(&mut self, tx: usize, y: usize) {
        if self.rows.is_empty() {
            self.rows = vec![Row::EMPTY; self.len()];
        }
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        self.rows[index].falling |= 1 << bit;
        self.rows[index].flowing |= 1 << bit;
        self.falling.add(y);
        self.flowing.add(y);
    }

    /// Marks the tile at (`tx`, `y`) and the tile above for a visit of the column rule, without
    /// recording a change. Returns true if one of these tiles contains matter; for layers that are
    /// `squeezed`, the tile below is included.
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

    /// Clears all change marks, so that no rule has tiles to visit.
    pub(crate) fn sleep(&mut self) {
        let rows = self.falling.union(self.flowing).range();
        for row in &mut self.rows[rows.start * self.width..rows.end * self.width] {
            (row.falling, row.flowing) = (0, 0);
        }
        (self.falling, self.flowing, self.work) = (Rows::NONE, Rows::NONE, 0);
    }

    /// Clears the `flowing` marks after spreading has read all tiles and before the computed
    /// changes are applied.
    pub(crate) fn spread_read(&mut self) {
        self.work = 0;
        let rows = std::mem::replace(&mut self.flowing, Rows::NONE).range();
        let rows = &mut self.rows[rows.start * self.width..rows.end * self.width];
        rows.iter_mut().for_each(|row| row.flowing = 0);
    }

    /// Iterator over the non-empty tiles in the order y, x: x in tiles, y in cells, contents.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, Tile<'_>)> {
        self.held
            .range()
            .flat_map(move |y| self.tiles_at(y).map(move |(tx, tile)| (tx, y, tile)))
    }

    /// Iterator over the non-empty tiles at height `y`, each with its x index in tiles.
    pub(crate) fn tiles_at(&self, y: usize) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.tiles_among(y, 0..self.count)
    }

    /// Iterator over the non-empty tiles at height `y` with an x index within `txs`, in tiles.
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

    /// Calls `see` with x index (in tiles) and contents of every non-empty tile, row by row from
    /// the bottom, whose x index is set in the bit set `columns`.
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

    /// Returns the x index of the first non-empty tile at height `y`, and of the last one plus one;
    /// `None` if all are empty.
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
        self.rows.len() * (size_of::<Row>() + size_of::<u64>())
            + self.masks.len() * (self.quantities * size_of::<Lanes>() + size_of::<Masks>())
            + self.grains.bytes()
    }
}
