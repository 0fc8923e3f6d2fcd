//! Bit masks of the ground in a tile: one bit for each of the 32 cells.

use super::{Ground, GroundStrip};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z, TilePlace};

/// Bit masks of the ground in and around a tile, one bit per cell, for one version of the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masks {
    /// Version of the ground for which the masks were computed, as returned by
    /// [`GroundStrip::version`](super::GroundStrip::version).
    pub(crate) version: u64,
    /// Bit mask of the open cells: inside of the simulation box and not solid.
    pub(crate) open: u32,
    /// Bit mask of the cells that lie directly on a solid cell or on the floor of the simulation
    /// box.
    pub(crate) bed: u32,
    /// Bit masks of the cells whose horizontal neighbour is open, one mask per direction (west,
    /// east, north, south).
    pub(crate) free: [u32; 4],
    /// Bit masks of the cells whose horizontal neighbour lies outside of the simulation box, one
    /// mask per direction (west, east, north, south).
    pub(crate) out: [u32; 4],
}

impl Masks {
    /// Placeholder whose `version` matches no version of the ground, so that the masks are computed
    /// at the first use.
    pub(super) const STALE: Self = Self {
        version: u64::MAX,
        open: 0,
        bed: 0,
        free: [0; 4],
        out: [0; 4],
    };

    /// Computes the masks of the tile (tx, y, tz), x and z in tiles and y in cells, for the ground
    /// with the version `version`.
    pub(super) fn new(ground: &Ground, [tx, y, tz]: TilePlace, version: u64) -> Self {
        let grid = ground.grid();
        let (first_x, first_z) = (tx * TILE_X, tz * TILE_Z);
        let rows = TILE_Z.min(grid.nz - first_z);
        // Reads rows from one before the tile to one after, and in each row the cells from one
        // before to one after: ten bits, or none where a row lies outside of the simulation box.
        let cells = |z: usize, y: usize| {
            let z = (first_z + z).wrapping_sub(1);
            if z < grid.nz {
                ground.solid_bits([first_x, y, z])
            } else {
                (0, 0)
            }
        };
        let mut masks = Self {
            version,
            ..Self::STALE
        };
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
            let (solid, inside) = around[row + 1];
            masks.open |= put((inside & !solid) >> 1);
            masks.bed |= put(if y == 0 {
                0xff
            } else {
                cells(row + 1, y - 1).0 >> 1
            });
        }
        masks
    }
}

impl GroundStrip<'_> {
    /// Computes the masks of the tile at (`tx`, `y`) of this strip, x in tiles and y in cells.
    #[cold]
    pub(crate) fn masks(self, tx: usize, y: usize) -> Masks {
        Masks::new(self.ground, [tx, y, self.tz], self.version(tx))
    }

    /// Returns the bit mask of open cells in the tile at (`tx`, `y`), x in tiles and y in cells.
    pub fn open(self, tx: usize, y: usize) -> u32 {
        self.rows().fold(0, |open, (row, z)| {
            let (solid, inside) = self.ground.solid_bits([tx * TILE_X, y, z]);
            open | ((inside & !solid) >> 1 & 0xff) << (TILE_X * row)
        })
    }

    /// Returns the bit mask of the cells inside of the simulation box, for the tiles with x index
    /// `tx`.
    pub fn inside(self, tx: usize) -> u32 {
        let row = (1_u32 << (self.ground.grid().nx - tx * TILE_X).min(TILE_X)) - 1;
        self.rows()
            .fold(0, |inside, (rows, _)| inside | row << (TILE_X * rows))
    }

    /// Returns the lowest height in cells from which upwards all cells of the tiles with x index
    /// `tx` are open.
    pub(crate) fn top(self, tx: usize) -> usize {
        let xs = tx * TILE_X..((tx + 1) * TILE_X).min(self.ground.grid().nx);
        let columns = self
            .rows()
            .flat_map(|(_, z)| xs.clone().map(move |x| (x, z)));
        columns
            .map(|(x, z)| self.ground.top(x, z))
            .max()
            .unwrap_or(0)
    }

    /// Iterates over the rows along x of a tile of this strip that lie inside of the simulation
    /// box: row in the tile (0–3), and z in cells.
    fn rows(self) -> impl Iterator<Item = (usize, usize)> {
        let first = self.tz * TILE_Z;
        (first..(first + TILE_Z).min(self.ground.grid().nz)).enumerate()
    }
}
