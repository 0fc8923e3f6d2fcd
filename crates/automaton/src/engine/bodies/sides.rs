//! Sides of the box as masks of tile cells.

use super::near::{NORTH, WEST};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};

/// Open sides of a box, through which matter leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    grid: Grid,
    are_open: bool,
}

impl Sides {
    /// Creates the sides of a box; `are_open` is clear if the sides are walls.
    pub(super) fn new(grid: Grid, are_open: bool) -> Self {
        Self { grid, are_open }
    }

    /// Returns the masks of cells adjacent to the west, east, north and south side of the box, for
    /// the tile at `[tx, tz]`, in tiles.
    #[inline(always)]
    fn each(&self, [tx, tz]: [usize; 2]) -> [u32; 4] {
        let Grid { nx, nz, .. } = self.grid;
        let column = |x: usize| {
            if self.are_open && x / TILE_X == tx {
                WEST << (x % TILE_X)
            } else {
                0
            }
        };
        let row = |z: usize| {
            if self.are_open && z / TILE_Z == tz {
                NORTH << (TILE_X * (z % TILE_Z))
            } else {
                0
            }
        };
        [column(0), column(nx - 1), row(0), row(nz - 1)]
    }

    /// Returns the mask of cells of a tile adjacent to any side of the box; 0 for closed sides.
    #[inline(always)]
    pub(super) fn cells(&self, tile: [usize; 2]) -> u32 {
        self.each(tile)
            .into_iter()
            .fold(0, |all, cells| all | cells)
    }

    /// Returns the number of faces on open box sides of the cells `cells` of a tile.
    #[inline(always)]
    pub(super) fn faces(&self, tile: [usize; 2], cells: u32) -> u32 {
        self.each(tile)
            .map(|side| (side & cells).count_ones())
            .iter()
            .sum()
    }
}
