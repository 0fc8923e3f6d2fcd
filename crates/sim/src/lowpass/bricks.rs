//! Bricks of a volume for empty-space skipping: for each brick, an upper bound of the densities
//! that a sample inside can have, and which bricks contain changes.

use std::ops::Range;

use lavoxel_base::parallel::*;

use super::Volume;
use super::changes::{BRICK, Change};
use lavoxel_base::grid::Grid;

/// Maximum low-passed density in and next to each brick (8 × 8 × 8 cells), updated as a [`Volume`]
/// changes.
#[derive(Clone, Debug)]
pub struct Bricks {
    grid: Grid,
    /// Number of bricks along x, y and z; the last brick along an axis may extend beyond the
    /// simulation box.
    count: [usize; 3],
    densest: Vec<u8>,
}

impl Bricks {
    /// Creates bricks for an empty volume of shape `grid`; all maxima are 0.
    pub fn new(grid: Grid) -> Self {
        let count = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK));
        Self {
            grid,
            count,
            densest: vec![0; count.iter().product()],
        }
    }

    /// Returns the number of bricks along x, y and z.
    pub fn count(&self) -> [usize; 3] {
        self.count
    }

    /// Returns the maximum density (0 to 255) of each brick; x varies fastest, then y, then z.
    pub fn densest(&self) -> &[u8] {
        &self.densest
    }

    /// Returns one flag per brick: true if the brick contains a cell of `changed` or lies within
    /// `margin` cells of such a cell; x varies fastest, then y, then z.
    pub fn touched(&self, changed: &[Change], margin: usize) -> Vec<bool> {
        let [nx, ny, nz] = self.count;
        let mut touched = vec![false; nx * ny * nz];
        for &Change { row, cells } in changed {
            let near = |range: Range<usize>, count: usize| {
                range.start.saturating_sub(margin) / BRICK
                    ..((range.end - 1 + margin) / BRICK + 1).min(count)
            };
            let (z, y) = (row / self.grid.ny, row % self.grid.ny);
            let along = near(cells.range(), nx);
            for k in near(z..z + 1, nz) {
                for j in near(y..y + 1, ny) {
                    touched[(k * ny + j) * nx..][along.clone()].fill(true);
                }
            }
        }
        touched
    }

    /// Updates the maxima near the cells `changed` from the lava's density in `volume`. Returns
    /// true if any maximum changed.
    pub fn refresh(&mut self, volume: &Volume, changed: &[Change]) -> bool {
        self.refresh_largest(&[&volume.density], changed)
    }

    /// Updates the maxima near the cells `changed`, over all density fields in `fields`. Returns
    /// true if any maximum changed.
    pub fn refresh_largest(&mut self, fields: &[&[u8]], changed: &[Change]) -> bool {
        // A margin of one cell: interpolation at the edge of a brick reads the adjacent cell.
        let touched = self.touched(changed, 1);
        let (grid, [nx, ny, _]) = (self.grid, self.count);
        let rows = self
            .densest
            .par_chunks_mut(nx)
            .zip(touched.par_chunks(nx))
            .enumerate();
        rows.map_init(Vec::new, |largest, (row, (densest, touched))| {
            let Some(from) = touched.iter().position(|&touched| touched) else {
                return false;
            };
            let to = touched
                .iter()
                .rposition(|&touched| touched)
                .map_or(from, |last| last + 1);
            let covered = |bricks: Range<usize>, n: usize| {
                (bricks.start * BRICK).saturating_sub(1)..(bricks.end * BRICK + 1).min(n)
            };
            let (j, k) = (row % ny, row / ny);
            let xs = covered(from..to, grid.nx);
            largest_of_rows(
                (grid, fields),
                (&xs, covered(j..j + 1, grid.ny), covered(k..k + 1, grid.nz)),
                largest,
            );
            let mut another = false;
            for (i, old) in densest.iter_mut().enumerate().take(to).skip(from) {
                let cells = covered(i..i + 1, grid.nx);
                let cells = &largest[cells.start - xs.start..cells.end - xs.start];
                let new = cells.iter().copied().max().unwrap_or(0);
                another |= std::mem::replace(old, new) != new;
            }
            another
        })
        .reduce(|| false, |a, b| a | b)
    }
}

/// Stores in `largest` the maximum density for each x in `xs`, over the rows `ys` × `zs` of all
/// `fields`. Works on whole rows, so that the compiler vectorises the loop.
fn largest_of_rows(
    (grid, fields): (Grid, &[&[u8]]),
    (xs, ys, zs): (&Range<usize>, Range<usize>, Range<usize>),
    largest: &mut Vec<u8>,
) {
    largest.clear();
    largest.resize(xs.len(), 0);
    for z in zs {
        for y in ys.clone() {
            let start = grid.index([xs.start, y, z]);
            for field in fields {
                let row = &field[start..][..xs.len()];
                largest
                    .iter_mut()
                    .zip(row)
                    .for_each(|(largest, density)| *largest = (*largest).max(*density));
            }
        }
    }
}
