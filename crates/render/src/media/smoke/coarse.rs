//! Coarse grid on which the light in smoke is computed, with twice the edge length of air cells.
//! Light varies smoothly, and this grid has an eighth of the cells.

use std::ops::Range;

use super::absorbed::Absorbed;
use crate::math::faded;
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Coarse grid whose cells contain two air cells along each axis, or one along an axis with only
/// one air cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coarse {
    pub(super) grid: Grid,
    fine: Grid,
    /// Number of air cells in a coarse cell along each axis.
    pub(super) by: [usize; 3],
}

impl Coarse {
    pub(super) fn new(fine: Grid) -> Self {
        let size = [fine.nx, fine.ny, fine.nz];
        let by = size.map(|n| n.min(2));
        let [nx, ny, nz] = std::array::from_fn(|axis| size[axis].div_ceil(by[axis]));
        Self {
            grid: Grid::new(nx, ny, nz),
            fine,
            by,
        }
    }

    /// Returns the mean of the quantity `asked` over the air cells in each coarse cell, x fastest.
    /// `absorbed`: extinction of the air cells.
    pub(super) fn mean(&self, absorbed: &Absorbed, asked: Asked) -> Vec<f32> {
        let mut means = vec![asked.value(0.0); self.grid.cells()];
        means
            .par_chunks_mut(self.grid.slab())
            .enumerate()
            .for_each(|(k, means)| {
                Level::fastest().run(Means {
                    coarse: self,
                    absorbed,
                    asked,
                    k,
                    means,
                });
            });
        means
    }

    /// Returns the number of air cells along x.
    pub(super) fn fine_nx(&self) -> usize {
        self.fine.nx
    }

    /// Returns true if `flags`, one flag per row of coarse cells along x (row index `z · ny + y`),
    /// is set for all coarse rows from which values of the row (`y`, `z`) of air cells are
    /// interpolated.
    pub(super) fn all(&self, flags: &[bool], [y, z]: [usize; 2]) -> bool {
        let (j, _) = near(y, self.by[1], self.grid.ny);
        let (k, _) = near(z, self.by[2], self.grid.nz);
        let at = |j: usize, k: usize| flags[k * self.grid.ny + j];
        at(j[0], k[0]) && at(j[1], k[0]) && at(j[0], k[1]) && at(j[1], k[1])
    }

    /// Interpolates `values` of the coarse cells to the row (`y`, `z`) of air cells and writes the
    /// result to `to`; positions outside are clamped to the grid. `between` is a scratch buffer.
    #[inline(always)]
    pub(super) fn read(
        &self,
        values: &[f32],
        [y, z]: [usize; 2],
        to: &mut [f32],
        between: &mut Vec<f32>,
    ) {
        let Self { grid, by, .. } = *self;
        let (j, v) = near(y, by[1], grid.ny);
        let (k, w) = near(z, by[2], grid.nz);
        let row = |j: usize, k: usize| &values[grid.index([0, j, k])..][..grid.nx];
        let (a, b, c, d) = (
            row(j[0], k[0]),
            row(j[1], k[0]),
            row(j[0], k[1]),
            row(j[1], k[1]),
        );
        between.resize(grid.nx + 2, 0.0);
        for (i, between) in between[1..=grid.nx].iter_mut().enumerate() {
            let (north, south) = (a[i] + (b[i] - a[i]) * v, c[i] + (d[i] - c[i]) * v);
            *between = north + (south - north) * w;
        }
        (between[0], between[grid.nx + 1]) = (between[1], between[grid.nx]);
        if by[0] == 1 {
            return to.copy_from_slice(&between[1..=grid.nx]);
        }
        for (to, near) in to.chunks_mut(2).zip(between.windows(3)) {
            to[0] = near[1] + (near[0] - near[1]) * 0.25;
            if let Some(to) = to.get_mut(1) {
                *to = near[1] + (near[2] - near[1]) * 0.25;
            }
        }
    }
}

/// Quantity that is averaged over the air cells in a coarse cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    /// Extinction of the smoke, per cell length of the simulation.
    Absorption,
    /// Transmittance of smoke along the contained length, in cells of the simulation.
    Through(f32),
}

impl Asked {
    #[inline(always)]
    fn value(self, dense: f32) -> f32 {
        match self {
            Self::Absorption => dense,
            Self::Through(way) => faded(way * dense),
        }
    }
}

/// Task that computes the means over the air cells in one slab (one index along z) of coarse cells.
struct Means<'a> {
    coarse: &'a Coarse,
    absorbed: &'a Absorbed,
    asked: Asked,
    k: usize,
    means: &'a mut [f32],
}

impl Work for Means<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self {
            coarse,
            absorbed,
            asked,
            k,
            means,
        } = self;
        let Coarse { grid, fine, by } = *coarse;
        let mut sums = vec![0.0; grid.nx * by[0]];
        let zs = fine_range(k, by[2], fine.nz);
        for (j, means) in means.chunks_mut(grid.nx).enumerate() {
            let ys = fine_range(j, by[1], fine.ny);
            let count = (ys.len() * zs.len()) as f32;
            let mut is_clear = true;
            sums.fill(0.0);
            for z in zs.clone() {
                for row in z * fine.ny + ys.start..z * fine.ny + ys.end {
                    let held = absorbed.held[row];
                    is_clear &= held.is_empty();
                    let cells = &absorbed.cells[row * fine.nx..][..fine.nx];
                    add(&mut sums, cells, held, asked);
                }
            }
            if is_clear {
                continue;
            }
            if fine.nx < sums.len() {
                // With an odd number of air cells, the last coarse cell has only half of its cells.
                sums[fine.nx] = sums[fine.nx - 1];
            }
            let scale = 1.0 / (count * by[0] as f32);
            for (mean, cells) in means.iter_mut().zip(sums.chunks_exact(by[0])) {
                let mut sum = 0.0;
                for cell in cells {
                    sum += cell;
                }
                *mean = sum * scale;
            }
        }
    }
}

/// Returns the index range of the air cells in the coarse cell with the index `n` along an axis;
/// `by`: air cells per coarse cell, `count`: air cells along the axis.
fn fine_range(n: usize, by: usize, count: usize) -> Range<usize> {
    n * by..((n + 1) * by).min(count)
}

/// Adds the quantity `asked` of each cell of a row of air cells to the element of `sums` with the
/// cell's x index. `cells`: extinction of the air cells; only the cells in the x range `held`
/// contain smoke.
#[inline(always)]
fn add(sums: &mut [f32], cells: &[f32], held: Span, asked: Asked) {
    let (part, clear) = (held.range(), asked.value(0.0));
    if clear != 0.0 {
        for sum in &mut sums[..part.start] {
            *sum += clear;
        }
        for sum in &mut sums[part.end..] {
            *sum += clear;
        }
    }
    for (sum, cell) in sums[part.clone()].iter_mut().zip(&cells[part]) {
        *sum += asked.value(*cell);
    }
}

/// Returns the indices along an axis of the two coarse cells whose centres surround the centre of
/// the air cell `n`, and the fraction (0 to 1) of the way from the first to the second. `by`: air
/// cells per coarse cell, `count`: number of coarse cells.
#[inline(always)]
fn near(n: usize, by: usize, count: usize) -> ([usize; 2], f32) {
    let place = ((n as f32 + 0.5) / by as f32 - 0.5).clamp(0.0, (count - 1) as f32);
    let first = place as usize;
    ([first, (first + 1).min(count - 1)], place - first as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absorbed(cells: Vec<f32>, rows: usize) -> Absorbed {
        let held = vec![
            Span {
                from: 0,
                to: (cells.len() / rows.max(1)) as u16
            };
            rows
        ];
        Absorbed {
            cells,
            held,
            most: 1.0,
        }
    }

    #[test]
    fn what_is_even_or_rises_evenly_comes_back() {
        for [nx, ny, nz] in [[8, 6, 4], [7, 5, 3], [9, 1, 2], [1, 4, 1]] {
            let fine = Grid::new(nx, ny, nz);
            let coarse = Coarse::new(fine);
            let rising: Vec<f32> = fine
                .places()
                .map(|[x, y, z]| 1.0 + (x + 2 * y + 3 * z) as f32)
                .collect();
            let means = coarse.mean(&absorbed(rising.clone(), ny * nz), Asked::Absorption);
            let (mut to, mut between) = (vec![0.0; nx], Vec::new());
            for (y, z) in (0..ny).flat_map(|y| (0..nz).map(move |z| (y, z))) {
                coarse.read(&means, [y, z], &mut to, &mut between);
                for (x, to) in to.iter().enumerate() {
                    // With an odd number of air cells, the last coarse cell holds a single one, off
                    // its centre.
                    let inner = |n: usize, count: usize| {
                        count == 1 || (1..count - 1 - count % 2).contains(&n)
                    };
                    let expected = rising[fine.index([x, y, z])];
                    let is_inner = inner(x, nx) && inner(y, ny) && inner(z, nz);
                    assert!(
                        !is_inner || (to - expected).abs() < 1e-4,
                        "{fine:?} {x} {y} {z}: {to}, not {expected}"
                    );
                    assert!(
                        (to - expected).abs() <= 0.5 * 6.0 + 1e-4,
                        "at a side: {to}, not {expected}"
                    );
                }
            }
            let even = coarse.mean(
                &absorbed(vec![2.5; fine.cells()], ny * nz),
                Asked::Through(0.2),
            );
            assert!(
                even.iter()
                    .all(|mean| (mean - (-0.5_f32).exp()).abs() < 1e-5)
            );
            let none = Absorbed {
                held: vec![Span::EMPTY; ny * nz],
                ..absorbed(vec![0.0; fine.cells()], 1)
            };
            assert!(
                coarse
                    .mean(&none, Asked::Through(1.0))
                    .iter()
                    .all(|mean| *mean == 1.0)
            );
        }
    }
}
