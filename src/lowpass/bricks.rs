//! Bricks of a volume: which of them changed, and the largest density that a sample inside one can meet, so that
//! whoever draws may skip the empty ones.

use std::ops::Range;

use rayon::prelude::*;

use super::Volume;
use crate::grid::Grid;
use crate::world::Span;

/// Edge of a brick in cells.
pub const BRICK: usize = 8;

/// For each brick the largest density in it and one cell around it, kept in step with a [`Volume`].
#[derive(Clone, Debug)]
pub struct Bricks {
    grid: Grid,
    /// Bricks along x, y and z; the last of each axis may reach out of the box.
    count: [usize; 3],
    densest: Vec<u8>,
}

impl Bricks {
    /// The bricks of an empty volume.
    pub fn new(grid: Grid) -> Self {
        let count = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK));
        Self { grid, count, densest: vec![0; count.iter().product()] }
    }

    /// Bricks along x, y and z.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// The largest densities, x fastest, then y, then z.
    pub fn densest(&self) -> &[u8] {
        &self.densest
    }

    /// Whether each brick has a cell inside the spans `changed` (one for each row, numbered `z · ny + y`), or at most
    /// `margin` cells away from one.
    pub fn touched(&self, changed: &[Span], margin: usize) -> Vec<bool> {
        let [nx, ny, nz] = self.count;
        let mut touched = vec![false; nx * ny * nz];
        for (row, span) in changed.iter().enumerate().filter(|(_, span)| !span.is_empty()) {
            let near = |range: Range<usize>, count: usize| {
                range.start.saturating_sub(margin) / BRICK..((range.end - 1 + margin) / BRICK + 1).min(count)
            };
            let (z, y) = (row / self.grid.ny, row % self.grid.ny);
            let along = near(span.range(), nx);
            for k in near(z..z + 1, nz) {
                for j in near(y..y + 1, ny) {
                    touched[(k * ny + j) * nx..][along.clone()].fill(true);
                }
            }
        }
        touched
    }

    /// Works out again the bricks that the changes can reach, and tells whether any of them is another now.
    pub fn refresh(&mut self, volume: &Volume, changed: &[Span]) -> bool {
        let touched = self.touched(changed, 1);
        let (grid, [nx, ny, _]) = (self.grid, self.count);
        let bricks = self.densest.par_iter_mut().zip(touched).enumerate().filter(|(_, (_, touched))| *touched);
        bricks
            .map(|(i, (old, _))| {
                let new = densest(volume, grid, [i % nx, i / nx % ny, i / (nx * ny)]);
                std::mem::replace(old, new) != new
            })
            .reduce(|| false, |a, b| a | b)
    }
}

/// The largest density of a brick with one cell around it.
fn densest(volume: &Volume, grid: Grid, [i, j, k]: [usize; 3]) -> u8 {
    let cells = |brick: usize, n: usize| (brick * BRICK).saturating_sub(1)..((brick + 1) * BRICK + 1).min(n);
    let (xs, ys, zs) = (cells(i, grid.nx), cells(j, grid.ny), cells(k, grid.nz));
    let rows = zs.flat_map(|z| ys.clone().map(move |y| grid.index(0, y, z)));
    let largest = |row: usize| volume.density[row..][xs.clone()].iter().copied().max();
    rows.filter_map(largest).max().unwrap_or(0)
}
