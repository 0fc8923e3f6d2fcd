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

/// Number of emptied places that keep their slots: `LEFT_LEAST`, and one for every `LEFT_SHARE`
/// tiles.
const LEFT_LEAST: usize = 64;
const LEFT_SHARE: usize = 4;

/// Index of the amounts among the quantities of a tile.
pub const AMOUNT: usize = 0;

/// Index of the energies among the quantities of a tile whose material carries energy.
pub const ENERGY: usize = 1;

/// Quantities of 32 cells: amounts, then the energies if the material carries energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile<'a>(pub &'a [Lanes]);

impl<'a> Tile<'a> {
    /// Amounts of the 32 cells.
    #[inline]
    pub fn amount(self) -> &'a Lanes {
        &self.0[AMOUNT]
    }

    /// Energies of the 32 cells; zero if the material carries none.
    #[inline]
    pub fn energy(self) -> &'a Lanes {
        self.0.get(ENERGY).unwrap_or(&Lanes::ZERO)
    }

    /// Amount and energy of one lane.
    #[inline]
    pub fn cell(self, lane: usize) -> Content {
        Content { amount: self.amount().0[lane], energy: self.energy().0[lane] }
    }
}

/// Up to 64 tiles of a strip in a row of equal y: a bit and a slot for each. Bits and slots are
/// adjacent in memory, because a rule that visits a tile reads its neighbours.
#[derive(Clone, Debug)]
pub struct Row {
    /// Tiles that may hold liquid; every tile without a bit is empty.
    pub held: u64,
    /// Tiles that changed, or whose heavier matter did, since the column rule visited them.
    pub(crate) falling: u64,
    /// Tiles that changed since the rule across visited them.
    pub(crate) flowing: u64,
    /// Slot of each tile, 0 for a tile that never held liquid.
    pub(crate) slots: [u32; ROW],
}

impl Row {
    /// Row without liquid.
    pub(crate) const EMPTY: Self = Self { held: 0, falling: 0, flowing: 0, slots: [0; ROW] };
}

/// Empty row, used for every row that is not stored.
static NO_ROW: Row = Row::EMPTY;

/// Tiles of four slabs of equal z.
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
    /// Number of lanes of a tile, one for each quantity.
    quantities: usize,
    /// Rows by [`Strip::index`]; empty before the first liquid.
    pub(super) rows: Vec<Row>,
    /// Quantities of each slot.
    lanes: Vec<Lanes>,
    masks: Vec<Masks>,
    /// Tiles that became empty, the oldest first: place, as index · 64 + bit, and slot. Lava that
    /// is gone often comes back in the next step, so a slot stays with its place for a while.
    left: VecDeque<(u32, u32)>,
    /// Set for each slot that is in `left`.
    is_left: Vec<bool>,
    /// Number of tiles that the last spreading step changed: an estimate of the next step's work.
    pub(crate) work: usize,
    /// Counter of changes of tiles, those of heavier matter included.
    pub(super) changes: u64,
    /// Rows with tiles that may hold liquid.
    pub(crate) held: Rows,
    /// Rows with tiles that changed since gravity visited them.
    pub(crate) falling: Rows,
    /// Rows with tiles that changed since spreading visited them.
    pub(crate) flowing: Rows,
    /// Tiles that changed since the last reads of the layer, without those that are still
    /// `falling`.
    pub(super) records: ChangeRecords,
    /// Words that the rule of grains reads; absent in layers of other matter.
    pub(crate) grains: GrainWords,
}

impl Strip {
    /// Makes a strip without liquid.
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

    /// Number of tiles that have memory: those that hold liquid, and some that held liquid lately.
    pub fn tiles(&self) -> usize {
        self.masks.len() - 1
    }

    /// Number of cells from the floor to the roof.
    pub(crate) fn ny(&self) -> usize {
        self.ny
    }

    /// Number of rows in all.
    pub(crate) fn len(&self) -> usize {
        self.ny * self.width
    }

    /// Index of the row that has the tiles `64 · w` and on.
    #[inline]
    pub fn index(&self, y: usize, w: usize) -> usize {
        y * self.width + w
    }

    /// Returns the row with an index; an empty row if none is stored.
    #[inline]
    pub fn row(&self, index: usize) -> &Row {
        self.rows.get(index).unwrap_or(&NO_ROW)
    }

    /// Returns the row with an index, to be written. The strip must have held liquid before.
    #[inline]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut Row {
        &mut self.rows[index]
    }

    /// Returns the tile of a slot.
    #[inline]
    pub(crate) fn tile(&self, slot: u32) -> Tile<'_> {
        Tile(&self.lanes[slot as usize * self.quantities..][..self.quantities])
    }

    /// Returns the `Q` quantities of a slot; `Q` must be the number of quantities of the strip.
    #[inline(always)]
    pub(crate) fn lanes<const Q: usize>(&self, slot: u32) -> &[Lanes; Q] {
        debug_assert!(Q == self.quantities);
        &self.lanes.as_chunks().0[slot as usize]
    }

    /// Returns the quantities of a slot, whatever their number.
    #[inline]
    pub(crate) fn lanes_of(&self, slot: u32) -> &[Lanes] {
        self.tile(slot).0
    }

    /// Returns the quantities of a slot that is not 0, to be written.
    #[inline(always)]
    fn lanes_mut<const Q: usize>(&mut self, slot: u32) -> &mut [Lanes; Q] {
        debug_assert!(slot != 0 && Q == self.quantities, "the empty tile stays empty");
        &mut self.lanes.as_chunks_mut().0[slot as usize]
    }

    /// Returns the tile at x = `tx`, counted in tiles.
    #[inline]
    pub fn at(&self, tx: usize, y: usize) -> Tile<'_> {
        self.tile(self.slot(tx, y))
    }

    /// Returns the slot of the tile at x = `tx`, counted in tiles; 0 for a tile without a slot.
    #[inline]
    pub(crate) fn slot(&self, tx: usize, y: usize) -> u32 {
        self.row(self.index(y, tx / ROW)).slots[tx % ROW]
    }

    /// Returns the ground masks of the tile of a slot, which may be out of date.
    #[inline]
    pub(crate) fn masks(&self, slot: u32) -> &Masks {
        &self.masks[slot as usize]
    }

    /// Returns the ground masks of the tile of a slot, to be written.
    #[inline]
    pub(crate) fn masks_mut(&mut self, slot: u32) -> &mut Masks {
        &mut self.masks[slot as usize]
    }

    /// Returns up-to-date ground masks of the tile at (`tx`, `y`), which has this `slot`, or 0 for
    /// none.
    #[inline]
    pub(crate) fn masks_of(&mut self, slot: u32, ground: GroundStrip<'_>, [tx, y]: [usize; 2]) -> Masks {
        if slot == 0 {
            return ground.masks(tx, y);
        }
        let masks = &mut self.masks[slot as usize];
        if masks.version != ground.version(tx) {
            *masks = ground.masks(tx, y);
        }
        *masks
    }

    /// Returns the quantities of the tile at a place to be written, and marks the tile as changed,
    /// so that both rules visit it and its neighbours; creates the tile if needed. The place is the
    /// index of its row, which lies at `y`, and its bit there.
    #[inline(always)]
    pub(crate) fn change<const Q: usize>(&mut self, y: usize, index: usize, bit: usize) -> &mut [Lanes; Q] {
        let slot = self.mark(y, index, bit);
        self.lanes_mut(slot)
    }

    /// Returns the amounts of the tile at a place of a layer of grains to be written, and marks the
    /// tile as held; creates the tile if needed. A call of [`Strip::changed`] must follow.
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

    /// Marks tiles of the row with this index, which lies at `y`, as changed.
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

    /// Marks the tile at a place as changed, and returns its slot.
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

    /// Writes one cell of a tile.
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

    /// Stores a tile with liquid at an empty place without waking any rule.
    pub(crate) fn put(&mut self, tx: usize, y: usize, tile: &[Lanes]) {
        debug_assert!(self.grains.held.is_none(), "the rule of grains has not run yet");
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        let slot = self.make(index, bit) as usize;
        self.rows[index].held |= 1 << bit;
        self.held.add(y);
        self.lanes[slot * self.quantities..][..self.quantities].copy_from_slice(tile);
    }

    /// Assigns a slot to a place that has none.
    #[cold]
    fn make(&mut self, index: usize, bit: usize) -> u32 {
        if self.rows.is_empty() {
            self.rows = vec![Row::EMPTY; self.len()];
        }
        let slot = self.take_left().unwrap_or_else(|| {
            self.lanes.resize(self.lanes.len() + self.quantities, Lanes::ZERO);
            self.masks.push(Masks::STALE);
            self.is_left.push(false);
            (self.masks.len() - 1) as u32
        });
        self.masks[slot as usize] = Masks::STALE;
        self.rows[index].slots[bit] = slot;
        slot
    }

    /// Frees the slot of the place that was left longest ago and is still empty; `None` while not
    /// more places are left than are worth keeping.
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

    /// Records that the tile at a place was held and is empty now.
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

    /// Makes a rule visit every tile.
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

    /// Makes the column rule look again at tiles `64 · w` and on at `y`, in which nothing changed.
    pub(crate) fn wait(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            let index = self.index(y, w);
            self.rows[index].falling |= tiles;
            self.falling.add(y);
        }
    }

    /// Counts a change around a tile, such as a change of the ground, as a change of the tile.
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

    /// Makes the column rule visit the tile at (`tx`, `y`) and the tile above, without a change of
    /// either. Returns true if one of these tiles holds liquid; for layers that are `squeezed`,
    /// also the tile below.
    pub(super) fn fall_above(&mut self, y: usize, tx: usize, squeezed: bool) -> bool {
        let (index, bit) = (self.index(y, tx / ROW), tx % ROW);
        let above = if y + 1 < self.ny { self.row(index + self.width).held } else { 0 };
        let below = if squeezed { self.row(index.wrapping_sub(self.width)).held } else { 0 };
        let wakes = (self.row(index).held | above | below) >> bit & 1 == 1;
        if wakes {
            self.rows[index].falling |= 1 << bit;
            self.falling.add(y);
        }
        wakes
    }

    /// Clears all marks, so that no rule has a tile to visit.
    pub(crate) fn sleep(&mut self) {
        let rows = self.falling.union(self.flowing).range();
        for row in &mut self.rows[rows.start * self.width..rows.end * self.width] {
            (row.falling, row.flowing) = (0, 0);
        }
        (self.falling, self.flowing, self.work) = (Rows::NONE, Rows::NONE, 0);
    }

    /// Clears the marks of spreading after it has read all tiles; their changes are still to be
    /// applied.
    pub(crate) fn spread_read(&mut self) {
        self.work = 0;
        let rows = std::mem::replace(&mut self.flowing, Rows::NONE).range();
        let rows = &mut self.rows[rows.start * self.width..rows.end * self.width];
        rows.iter_mut().for_each(|row| row.flowing = 0);
    }

    /// Returns all tiles that hold liquid, by y, then x: x in tiles, y, contents.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize, Tile<'_>)> {
        self.held.range().flat_map(move |y| self.tiles_at(y).map(move |(tx, tile)| (tx, y, tile)))
    }

    /// Returns the tiles at one y that hold liquid, each with its tx.
    pub(crate) fn tiles_at(&self, y: usize) -> impl Iterator<Item = (usize, Tile<'_>)> {
        self.tiles_among(y, 0..self.count)
    }

    /// Returns the tiles at one y that hold liquid, among those at `txs`.
    pub(crate) fn tiles_among(&self, y: usize, txs: Range<usize>) -> impl Iterator<Item = (usize, Tile<'_>)> {
        (txs.start / ROW..txs.end.div_ceil(ROW)).flat_map(move |w| {
            let row = self.row(self.index(y, w));
            let (from, to) = (txs.start.max(w * ROW) % ROW, txs.end.min((w + 1) * ROW) - w * ROW);
            let among = u64::MAX << from & u64::MAX >> (ROW - to);
            bits(row.held & among).map(move |bit| (w * ROW + bit, self.tile(row.slots[bit])))
        })
    }

    /// Calls `see` with tx and contents of the tiles that hold liquid, row by row, among those at
    /// the tx whose bits are set in `columns`.
    #[inline]
    pub fn visit(&self, columns: &[u64], mut see: impl FnMut(usize, Tile<'_>)) {
        for y in self.held.range() {
            for (w, among) in columns.iter().enumerate() {
                let row = self.row(self.index(y, w));
                bits(row.held & among).for_each(|bit| see(w * ROW + bit, self.tile(row.slots[bit])));
            }
        }
    }

    /// Returns the first tile at one y that holds liquid and one past the last.
    pub(crate) fn ends_at(&self, y: usize) -> Option<(usize, usize)> {
        let word = |w: usize| self.row(self.index(y, w)).held;
        let first = (0..self.width).find(|&w| word(w) != 0)?;
        let last = (0..self.width).rfind(|&w| word(w) != 0)?;
        Some((first * 64 + word(first).trailing_zeros() as usize, last * 64 + 64 - word(last).leading_zeros() as usize))
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() * (size_of::<Row>() + size_of::<u64>())
            + self.masks.len() * (self.quantities * size_of::<Lanes>() + size_of::<Masks>())
            + self.grains.bytes()
    }
}
