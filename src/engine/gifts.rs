//! What spreading adds to the tiles of a strip and takes from them, put down until nobody reads the old state any more.

use super::simd::Simd;
use crate::world::{Strip, Tile};

/// Changes of the tiles of one strip, added up modulo 2^16. Memory is kept for the next use.
#[derive(Debug, Default)]
pub(super) struct Gifts {
    /// By place: one more than the number in `tiles`, 0 where there is no change.
    slots: Vec<u32>,
    /// Coordinates (x, y) in tiles.
    touched: Vec<[u16; 2]>,
    tiles: Vec<Tile>,
}

impl Gifts {
    /// Makes room for a strip with so many places.
    pub(super) fn prepare(&mut self, places: usize) {
        if self.slots.len() != places {
            self.slots = vec![0; places];
        }
    }

    /// Adds to a tile.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, s: S, place: usize, at: [usize; 2], amount: S::V, energy: S::V) {
        match self.slots[place] {
            0 => {
                self.touched.push(at.map(|v| v as u16));
                self.tiles.push(Tile::EMPTY);
                self.slots[place] = self.tiles.len() as u32;
                let last = self.tiles.len() - 1;
                let tile = &mut self.tiles[last];
                s.store(&mut tile.amount, amount);
                s.store(&mut tile.energy, energy);
            }
            slot => {
                let tile = &mut self.tiles[slot as usize - 1];
                let (old_amount, old_energy) = (s.load(&tile.amount), s.load(&tile.energy));
                s.store(&mut tile.amount, s.add(old_amount, amount));
                s.store(&mut tile.energy, s.add(old_energy, energy));
            }
        }
    }

    /// Carries the changes out and forgets them.
    #[inline(always)]
    pub(super) fn give<S: Simd>(&mut self, s: S, strip: &mut Strip) {
        for (&[tx, y], change) in self.touched.iter().zip(&self.tiles) {
            let (tx, y) = (usize::from(tx), usize::from(y));
            self.slots[strip.place(tx, y)] = 0;
            let slot = strip.make(tx, y);
            strip.changed(tx, y);
            let tile = strip.tile_mut(slot);
            let (amount, energy) = (s.load(&tile.amount), s.load(&tile.energy));
            s.store(&mut tile.amount, s.add(amount, s.load(&change.amount)));
            s.store(&mut tile.energy, s.add(energy, s.load(&change.energy)));
        }
        self.touched.clear();
        self.tiles.clear();
    }
}
