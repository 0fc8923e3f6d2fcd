//! Changes of the tiles of one strip by spreading, kept in a list until no thread reads the strip's
//! old state any more.

use crate::world::Strip;
use lavoxel_base::grid::tile::{Lanes, ROW};
use lavoxel_base::simd::Simd;

/// Upper bound, with a margin, of the number of entries that processing one tile adds to the list
/// of changes (`Deltas`) of one strip.
const OF_A_TILE: usize = 8;

/// Largest number of values per cell in a layer: 2 (amount, energy).
const MOST_QUANTITIES: usize = 2;

/// List of changes of the tiles of one strip: differences of amounts and energies modulo 2¹⁶. The
/// memory is kept for reuse.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    /// For each tile, by its number, the index of its change in `at` plus 1, or 0 without a change.
    /// A tile's number is the index of its row of tiles · 64 + its bit in the row.
    slots: Vec<u32>,
    /// Number of changes in the list. `at` and `lanes` may be longer than `count`, so that a change
    /// is stored without growing the vectors.
    count: usize,
    /// Tile number (index of the row · 64 + bit) and height y of each change.
    at: Vec<(u32, u32)>,
    /// For each change the differences of the 32 cells' amounts, followed by those of their
    /// energies if the material carries energy; in units, modulo 2¹⁶.
    lanes: Vec<Lanes>,
}

impl Deltas {
    /// Makes `slots` long enough for a strip with `rows` rows of up to 64 tiles; the list must be
    /// empty.
    pub(super) fn prepare(&mut self, rows: usize) {
        let places = rows * ROW;
        if self.slots.len() != places {
            self.slots = vec![0; places];
        }
    }

    /// Reserves memory in the list for all changes that processing one more tile can cause.
    #[inline(always)]
    pub(super) fn reserve(&mut self) {
        // `lanes` has room wherever `at` has, because both grow together.
        if self.count + OF_A_TILE > self.at.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let room = 2 * self.at.len() + 64;
        self.at.resize(room, (0, 0));
        self.lanes.resize(room * MOST_QUANTITIES, Lanes::ZERO);
    }

    /// Adds the differences `change` (amount, then energy, of all 32 cells) of the tile with the
    /// number `place` at height `y` to those already listed for this tile, modulo 2¹⁶.
    /// `Deltas::reserve` must have been called for the processed tile.
    #[inline(always)]
    pub(super) fn add<S: Simd, const Q: usize>(
        &mut self,
        s: S,
        place: usize,
        y: usize,
        change: [S::V; Q],
    ) {
        let slot = &mut self.slots[place];
        if *slot == 0 {
            let tile = &mut self.lanes.as_chunks_mut::<Q>().0[self.count];
            for (lanes, change) in tile.iter_mut().zip(change) {
                s.store(lanes, change);
            }
            self.at[self.count] = (place as u32, y as u32);
            self.count += 1;
            *slot = self.count as u32;
        } else {
            let tile = &mut self.lanes.as_chunks_mut::<Q>().0[*slot as usize - 1];
            for (lanes, change) in tile.iter_mut().zip(change) {
                s.store(lanes, s.add(s.load(lanes), change));
            }
        }
    }

    /// Adds the listed differences to the amounts and energies of `strip` and clears the list.
    #[inline(always)]
    pub(super) fn apply<S: Simd, const Q: usize>(&mut self, s: S, strip: &mut Strip) {
        for (&(place, y), change) in self
            .at
            .iter()
            .zip(self.lanes.as_chunks::<Q>().0)
            .take(self.count)
        {
            let place = place as usize;
            self.slots[place] = 0;
            let (index, bit) = (place / ROW, place % ROW);
            let tile = strip.change::<Q>(y as usize, index, bit);
            for (lanes, change) in tile.iter_mut().zip(change) {
                s.store(lanes, s.add(s.load(lanes), s.load(change)));
            }
        }
        strip.work += self.count;
        self.count = 0;
    }
}
