//! What spreading adds to the tiles of a strip and takes from them, kept until no thread reads the old state any more.

use crate::grid::tile::ROW;
use crate::simd::Simd;
use crate::world::{Strip, Tile};

/// Changes of the tiles of one strip, added up modulo 2^16. Memory is kept for the next use.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    /// For each place, which is number of the row · 64 + bit: number of its change plus one, or 0 where there is none.
    slots: Vec<u32>,
    /// Number of changes. The two that follow are longer, so that a change is written without a call.
    count: usize,
    /// Places, and their y.
    at: Vec<(u32, u32)>,
    tiles: Vec<Tile>,
}

impl Deltas {
    /// Makes room for a strip with so many rows.
    pub(super) fn prepare(&mut self, rows: usize) {
        let places = rows * ROW;
        if self.slots.len() != places {
            self.slots = vec![0; places];
        }
    }

    /// Makes room for a few more changes: those of one tile.
    #[inline(always)]
    pub(super) fn reserve(&mut self) {
        if self.count + 4 > self.tiles.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let room = 2 * self.tiles.len() + 64;
        self.at.resize(room, (0, 0));
        self.tiles.resize(room, Tile::EMPTY);
    }

    /// Adds to the tile at a place, which lies at `y`; there is room.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, s: S, place: usize, y: usize, amount: S::V, energy: S::V) {
        let slot = &mut self.slots[place];
        if *slot == 0 {
            let tile = &mut self.tiles[self.count];
            s.store(&mut tile.amount, amount);
            s.store(&mut tile.energy, energy);
            self.at[self.count] = (place as u32, y as u32);
            self.count += 1;
            *slot = self.count as u32;
        } else {
            let tile = &mut self.tiles[*slot as usize - 1];
            let (old_amount, old_energy) = (s.load(&tile.amount), s.load(&tile.energy));
            s.store(&mut tile.amount, s.add(old_amount, amount));
            s.store(&mut tile.energy, s.add(old_energy, energy));
        }
    }

    /// Applies the changes to the strip and clears the list.
    #[inline(always)]
    pub(super) fn apply<S: Simd>(&mut self, s: S, strip: &mut Strip) {
        for (&(place, y), change) in self.at.iter().zip(&self.tiles).take(self.count) {
            let place = place as usize;
            self.slots[place] = 0;
            let tile = strip.change(y as usize, place / ROW, place % ROW);
            let (amount, energy) = (s.load(&tile.amount), s.load(&tile.energy));
            s.store(&mut tile.amount, s.add(amount, s.load(&change.amount)));
            s.store(&mut tile.energy, s.add(energy, s.load(&change.energy)));
        }
        strip.work += self.count;
        self.count = 0;
    }
}
