//! Light is worked out in cells of twice the edge, and read between them: it is soft, and an eighth of the cells.

use std::ops::Range;

use super::absorbed::Absorbed;
use crate::media::plume::faded;
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

/// Cells of the light, of which each holds two of the air along an axis, or the only one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coarse {
    pub(super) grid: Grid,
    fine: Grid,
    /// Cells of the air along the edges of one.
    pub(super) by: [usize; 3],
}

impl Coarse {
    pub(super) fn of(fine: Grid) -> Self {
        let size = [fine.nx, fine.ny, fine.nz];
        let by = size.map(|n| n.min(2));
        let [nx, ny, nz] = std::array::from_fn(|axis| size[axis].div_ceil(by[axis]));
        Self { grid: Grid::new(nx, ny, nz), fine, by }
    }

    /// The mean in each of what is asked of the cells of the air.
    pub(super) fn mean(&self, absorbed: &Absorbed, asked: Asked) -> Vec<f32> {
        let mut means = vec![asked.of(0.0); self.grid.cells()];
        means.par_chunks_mut(self.grid.slab()).enumerate().for_each(|(k, means)| {
            Level::fastest().run(Means { coarse: self, absorbed, asked, k, means });
        });
        means
    }

    /// Cells of the air along x.
    pub(super) fn fine_nx(&self) -> usize {
        self.fine.nx
    }

    /// Whether a flag, given for each row of cells of the light, is set in all from which a row of cells of the air is read.
    pub(super) fn all(&self, flags: &[bool], [y, z]: [usize; 2]) -> bool {
        let (j, _) = near(y, self.by[1], self.grid.ny);
        let (k, _) = near(z, self.by[2], self.grid.nz);
        let at = |j: usize, k: usize| flags[k * self.grid.ny + j];
        at(j[0], k[0]) && at(j[1], k[0]) && at(j[0], k[1]) && at(j[1], k[1])
    }

    /// The values of a row of cells of the air, at this y and z; at the sides they are held.
    #[inline(always)]
    pub(super) fn read(&self, values: &[f32], [y, z]: [usize; 2], to: &mut [f32], between: &mut Vec<f32>) {
        let Self { grid, by, .. } = *self;
        let (j, v) = near(y, by[1], grid.ny);
        let (k, w) = near(z, by[2], grid.nz);
        let row = |j: usize, k: usize| &values[grid.index([0, j, k])..][..grid.nx];
        let (a, b, c, d) = (row(j[0], k[0]), row(j[1], k[0]), row(j[0], k[1]), row(j[1], k[1]));
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

/// Questions about the absorption of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    /// The absorption itself.
    Absorption,
    /// The share of light that comes through so many voxels.
    Through(f32),
}

impl Asked {
    #[inline(always)]
    fn of(self, dense: f32) -> f32 {
        match self {
            Self::Absorption => dense,
            Self::Through(way) => faded(way * dense),
        }
    }
}

/// The means in a slab of the cells of the light.
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
        let Self { coarse, absorbed, asked, k, means } = self;
        let Coarse { grid, fine, by } = *coarse;
        let mut sums = vec![0.0; grid.nx * by[0]];
        let zs = part(k, by[2], fine.nz);
        for (j, means) in means.chunks_mut(grid.nx).enumerate() {
            let ys = part(j, by[1], fine.ny);
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
                // The last one has only half of its cells.
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

/// The cells of the air in one of the light.
fn part(n: usize, by: usize, count: usize) -> Range<usize> {
    n * by..((n + 1) * by).min(count)
}

/// Adds what is asked of a row of cells, of which those outside of a span are clear.
#[inline(always)]
fn add(sums: &mut [f32], cells: &[f32], held: Span, asked: Asked) {
    let (part, clear) = (held.range(), asked.of(0.0));
    if clear != 0.0 {
        for sum in &mut sums[..part.start] {
            *sum += clear;
        }
        for sum in &mut sums[part.end..] {
            *sum += clear;
        }
    }
    for (sum, cell) in sums[part.clone()].iter_mut().zip(&cells[part]) {
        *sum += asked.of(*cell);
    }
}

/// The two cells of the light around the middle of a cell of the air, and the place between them.
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
        let held = vec![Span { from: 0, to: (cells.len() / rows.max(1)) as u16 }; rows];
        Absorbed { cells, held, most: 1.0 }
    }

    #[test]
    fn what_is_even_or_rises_evenly_comes_back() {
        for [nx, ny, nz] in [[8, 6, 4], [7, 5, 3], [9, 1, 2], [1, 4, 1]] {
            let fine = Grid::new(nx, ny, nz);
            let coarse = Coarse::of(fine);
            let rising: Vec<f32> = fine.places().map(|[x, y, z]| 1.0 + (x + 2 * y + 3 * z) as f32).collect();
            let means = coarse.mean(&absorbed(rising.clone(), ny * nz), Asked::Absorption);
            let (mut to, mut between) = (vec![0.0; nx], Vec::new());
            for (y, z) in (0..ny).flat_map(|y| (0..nz).map(move |z| (y, z))) {
                coarse.read(&means, [y, z], &mut to, &mut between);
                for (x, to) in to.iter().enumerate() {
                    // The last cell of an odd number is one of the light alone, which lies off its middle.
                    let inner = |n: usize, count: usize| count == 1 || (1..count - 1 - count % 2).contains(&n);
                    let expected = rising[fine.index([x, y, z])];
                    let is_inner = inner(x, nx) && inner(y, ny) && inner(z, nz);
                    assert!(!is_inner || (to - expected).abs() < 1e-4, "{fine:?} {x} {y} {z}: {to}, not {expected}");
                    assert!((to - expected).abs() <= 0.5 * 6.0 + 1e-4, "at a side: {to}, not {expected}");
                }
            }
            let even = coarse.mean(&absorbed(vec![2.5; fine.cells()], ny * nz), Asked::Through(0.2));
            assert!(even.iter().all(|mean| (mean - (-0.5_f32).exp()).abs() < 1e-5));
            let none = Absorbed { held: vec![Span::EMPTY; ny * nz], ..absorbed(vec![0.0; fine.cells()], 1) };
            assert!(coarse.mean(&none, Asked::Through(1.0)).iter().all(|mean| *mean == 1.0));
        }
    }
}
