//! The hash as it was before materials.

use super::World;
use super::digest::{Digest, Repeated};
use crate::grid::tile::{TILE_X, TILE_Z};

/// What the hash reads of a cell: solid, amount, energy.
const CELL: usize = 5;

/// Cells without liquid, as the hash reads them.
struct Empty {
    air: Repeated<CELL>,
    rock: Repeated<CELL>,
}

impl Empty {
    fn of(&self, solid: bool) -> &Repeated<CELL> {
        if solid { &self.rock } else { &self.air }
    }
}

impl World {
    /// Hash of the whole state: shape, solids, amounts, energies and accounts, in an order that does not depend on how
    /// they are stored. The same on every machine.
    ///
    /// It is XXH3 (64 bits) of nx, ny, nz (8 bytes each, as all numbers little-endian), five bytes for each cell in
    /// [`Grid::index`](crate::grid::Grid::index) order (1 where solid, amount, energy), and [`Ledger::accounts`](super::Ledger::accounts).
    /// Rows that are all air or all rock hardly take time, however large the box.
    pub fn old_state_hash(&self) -> u64 {
        let grid = self.grid;
        let mut digest = Digest::new();
        for side in [grid.nx, grid.ny, grid.nz] {
            digest.add(&(side as u64).to_le_bytes());
        }
        let empty = Empty { air: Repeated::new([0; CELL]), rock: Repeated::new([1, 0, 0, 0, 0]) };
        let mut row = vec![0; grid.nx * CELL];
        (0..grid.nz).for_each(|z| self.hash_slab(z, &empty, &mut row, &mut digest));
        for account in self.lava().ledger.accounts() {
            digest.add(&account.to_le_bytes());
        }
        digest.value()
    }

    /// Reads the cells with equal `z`; `row` is scratch.
    fn hash_slab(&self, z: usize, empty: &Empty, row: &mut [u8], digest: &mut Digest) {
        let grid = self.grid;
        let (lowest, highest) = self.ground.heights(z);
        let held = self.lava().strips[z / TILE_Z].held.range();
        // Below these rows all is rock, and from the others on all is air.
        let from = if held.is_empty() { lowest } else { lowest.min(held.start) };
        let to = highest.max(held.end);
        digest.add_repeated(&empty.rock, from * grid.nx);
        for y in from..to {
            if self.lava().row_of_tiles(y, z).next().is_some() {
                self.write_row(y, z, row);
                digest.add(row);
            } else {
                self.ground.runs(y, z).for_each(|(solid, cells)| digest.add_repeated(empty.of(solid), cells));
            }
        }
        digest.add_repeated(&empty.air, (grid.ny - to) * grid.nx);
    }

    /// Writes what the hash reads of the row (y, z).
    fn write_row(&self, y: usize, z: usize, row: &mut [u8]) {
        let mut rest = &mut *row;
        for (solid, cells) in self.ground.runs(y, z) {
            let (run, after) = rest.split_at_mut(cells * CELL);
            run.chunks_exact_mut(CELL).for_each(|cell| cell.copy_from_slice(&[u8::from(solid), 0, 0, 0, 0]));
            rest = after;
        }
        let first = z % TILE_Z * TILE_X;
        for (tx, tile) in self.lava().row_of_tiles(y, z) {
            for x in tx * TILE_X..((tx + 1) * TILE_X).min(self.grid.nx) {
                let cell = tile.cell(first + x % TILE_X);
                row[CELL * x + 1..CELL * x + 3].copy_from_slice(&cell.amount.to_le_bytes());
                row[CELL * x + 3..CELL * x + 5].copy_from_slice(&cell.energy.to_le_bytes());
            }
        }
    }
}
