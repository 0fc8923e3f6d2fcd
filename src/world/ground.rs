//! The ground: which cells are solid, and the smooth surface they were cut from.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::Array2;

use crate::grid::Grid;

/// The next stamp that no ground has had.
static NEXT_STAMP: AtomicU64 = AtomicU64::new(0);

fn new_stamp() -> u64 {
    NEXT_STAMP.fetch_add(1, Ordering::Relaxed)
}

/// Solid cells of the box.
///
/// Keeps: `tops[column]` is the lowest cell above the highest solid cell of that column (0 where none is solid, `ny`
/// where the column is solid to the roof).
#[derive(Clone, Debug)]
pub struct Ground {
    grid: Grid,
    surface: Array2<f32>,
    solid: Vec<bool>,
    tops: Vec<u16>,
    stamp: u64,
}

impl Ground {
    /// Cuts the box at a surface of shape (`nz`, `nx`), heights in cells above the floor at the column centres: a cell
    /// is solid when its centre lies below the surface.
    pub fn from_surface(ny: usize, surface: Array2<f32>) -> Self {
        let (nz, nx) = surface.dim();
        let grid = Grid::new(nx, ny, nz);
        let tops: Vec<u16> = surface.iter().map(|&h| (h + 0.5).floor().clamp(0.0, ny as f32) as u16).collect();
        let mut solid = vec![false; grid.cells()];
        for (i, row) in solid.chunks_exact_mut(nx).enumerate() {
            let (z, y) = (i / ny, i % ny);
            for (cell, &top) in row.iter_mut().zip(&tops[z * nx..]) {
                *cell = y < usize::from(top);
            }
        }
        Self { grid, surface, solid, tops, stamp: new_stamp() }
    }

    /// A box with no solid cell.
    pub fn none(grid: Grid) -> Self {
        Self::from_surface(grid.ny, Array2::zeros((grid.nz, grid.nx)))
    }

    /// Shape of the box.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Heights of shape (`nz`, `nx`) in cells above the floor, for drawing.
    pub fn surface(&self) -> &Array2<f32> {
        &self.surface
    }

    /// Whether a cell is solid.
    #[inline]
    pub fn is_solid(&self, x: usize, y: usize, z: usize) -> bool {
        self.solid[self.grid.index(x, y, z)]
    }

    /// Whether the cell at a flat index is solid.
    #[inline]
    pub fn is_solid_at(&self, index: usize) -> bool {
        self.solid[index]
    }

    /// A number that changes with every change of the ground: two grounds with the same stamp are equal.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.solid.len() + self.surface.len() * size_of::<f32>() + self.tops.len() * size_of::<u16>()
    }

    /// The flags of all cells in [`Grid::index`] order.
    #[inline]
    pub fn solid(&self) -> &[bool] {
        &self.solid
    }

    /// The lowest cell above the highest solid cell of a column.
    #[inline]
    pub fn top(&self, x: usize, z: usize) -> usize {
        usize::from(self.tops[self.grid.column(x, z)])
    }

    /// Makes a cell solid or not and keeps the surface in step with the highest solid cell.
    pub(super) fn set(&mut self, x: usize, y: usize, z: usize, solid: bool) {
        let index = self.grid.index(x, y, z);
        if self.solid[index] == solid {
            return;
        }
        self.solid[index] = solid;
        self.stamp = new_stamp();
        let top = (0..self.grid.ny).rev().find(|&y| self.is_solid(x, y, z)).map_or(0, |y| y + 1);
        let column = self.grid.column(x, z);
        if usize::from(self.tops[column]) != top {
            self.tops[column] = top as u16;
            self.surface[[z, x]] = top as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_cell_is_solid_when_its_centre_lies_below_the_surface() {
        let ground = Ground::from_surface(3, array![[0.0, 0.49, 0.51, 1.5, 9.0]]);
        let tops: Vec<usize> = (0..5).map(|x| ground.top(x, 0)).collect();
        assert_eq!(tops, [0, 0, 1, 2, 3]);
        assert!(ground.is_solid(3, 1, 0) && !ground.is_solid(3, 2, 0));
    }

    #[test]
    fn the_top_follows_digging_and_building() {
        let mut ground = Ground::from_surface(4, array![[2.0]]);
        ground.set(0, 3, 0, true);
        assert_eq!((ground.top(0, 0), ground.surface()[[0, 0]]), (4, 4.0));
        ground.set(0, 3, 0, false);
        assert_eq!(ground.top(0, 0), 2);
    }
}
