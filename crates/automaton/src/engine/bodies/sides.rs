//! Sides of the box, as cells of tiles.

use super::near::{NORTH, WEST};
use lavoxel_base::grid::Grid;
use lavoxel_base::grid::tile::{TILE_X, TILE_Z};

/// Sides of a box through which matter leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    grid: Grid,
    are_open: bool,
}

impl Sides {
    /// Makes the sides of a box.
    pub(super) fn new(grid: Grid, are_open: bool) -> Self {
        Self { grid, are_open }
    }

    /// Returns bits of the cells of a tile at each side, west, east, north and south; `[tx, tz]` is
    /// the tile's place in tiles.
    #[inline(always)]
    fn each(&self, [tx, tz]: [usize; 2]) -> [u32; 4] {
        let Grid { nx, nz, .. } = self.grid;
        let column = |x: usize| if self.are_open && x / TILE_X == tx { WEST << (x % TILE_X) } else { 0 };
        let row = |z: usize| if self.are_open && z / TILE_Z == tz { NORTH << (TILE_X * (z % TILE_Z)) } else { 0 };
        [column(0), column(nx - 1), row(0), row(nz - 1)]
    }

    /// Returns bits of the cells of a tile at any side.
    #[inline(always)]
    pub(super) fn cells(&self, tile: [usize; 2]) -> u32 {
        self.each(tile).into_iter().fold(0, |all, cells| all | cells)
    }

    /// Returns the number of faces that `cells` of a tile have at the sides.
    #[inline(always)]
    pub(super) fn faces(&self, tile: [usize; 2], cells: u32) -> u32 {
        self.each(tile).map(|side| (side & cells).count_ones()).iter().sum()
    }
}
