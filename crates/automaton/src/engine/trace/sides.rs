//! Cells of a tile at the sides of the simulation box, as bit masks.

use super::near::{NORTH, WEST};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};

/// Sides of the simulation box, with the boundary condition: open sides let matter out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    grid: Grid,
    are_open: bool,
}

impl Sides {
    /// Creates the sides of the simulation box of `grid`; `are_open` is false for closed sides.
    pub(super) fn new(grid: Grid, are_open: bool) -> Self {
        Self { grid, are_open }
    }

    /// Returns the bit masks of the cells of the tile at (tx, tz) that touch the west, east, north
    /// and south side of the simulation box.
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

    /// Returns the bit mask of the cells of the tile at (tx, tz) that touch any side of the
    /// simulation box; 0 if the sides are closed.
    #[inline(always)]
    pub(super) fn cells(&self, tile: [usize; 2]) -> u32 {
        self.each(tile)
            .into_iter()
            .fold(0, |all, cells| all | cells)
    }

    /// Returns the number of faces that the `cells` of the tile at (tx, tz) have on sides of the
    /// simulation box; 0 if the sides are closed.
    #[inline(always)]
    pub(super) fn faces(&self, tile: [usize; 2], cells: u32) -> u32 {
        self.each(tile)
            .map(|side| (side & cells).count_ones())
            .iter()
            .sum()
    }
}
