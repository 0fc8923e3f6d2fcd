//! Light is worked out in cells of twice the edge, and read between them: it is soft, and an eighth of the cells.

use super::absorbed::Absorbed;
use crate::grid::Grid;
use crate::parallel::*;

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

    /// The mean in each of what a function makes of the absorption of the cells of the air; where there is none it gives `none`.
    pub(super) fn mean(&self, absorbed: &Absorbed, none: f32, of: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
        let Self { grid, fine, by } = *self;
        let mut means = vec![none; grid.cells()];
        means.par_chunks_mut(grid.slab()).enumerate().for_each(|(k, means)| {
            let mut sums = vec![0.0; grid.nx * by[0]];
            for (j, means) in means.chunks_mut(grid.nx).enumerate() {
                let part = |n: usize, by: usize, count: usize| n * by..((n + 1) * by).min(count);
                let (ys, zs) = (part(j, by[1], fine.ny), part(k, by[2], fine.nz));
                let count = (ys.len() * zs.len()) as f32;
                let rows = || zs.clone().flat_map(|z| ys.clone().map(move |y| z * fine.ny + y));
                let held = rows().filter(|row| absorbed.held[*row]).count() as f32;
                if held == 0.0 {
                    continue;
                }
                sums.fill(none * (count - held));
                for row in rows().filter(|row| absorbed.held[*row]) {
                    let cells = &absorbed.cells[row * fine.nx..][..fine.nx];
                    sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += of(*cell));
                }
                if fine.nx < sums.len() {
                    // The last one has only half of its cells.
                    sums[fine.nx] = sums[fine.nx - 1];
                }
                let scale = 1.0 / (count * by[0] as f32);
                let parts = means.iter_mut().zip(sums.chunks_exact(by[0]));
                parts.for_each(|(mean, cells)| *mean = cells.iter().sum::<f32>() * scale);
            }
        });
        means
    }

    /// Cells of the air along x.
    pub(super) fn fine_nx(&self) -> usize {
        self.fine.nx
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
        Absorbed { cells, held: vec![true; rows], most: 1.0 }
    }

    #[test]
    fn what_is_even_or_rises_evenly_comes_back() {
        for [nx, ny, nz] in [[8, 6, 4], [7, 5, 3], [9, 1, 2], [1, 4, 1]] {
            let fine = Grid::new(nx, ny, nz);
            let coarse = Coarse::of(fine);
            let rising: Vec<f32> = fine.places().map(|[x, y, z]| 1.0 + (x + 2 * y + 3 * z) as f32).collect();
            let means = coarse.mean(&absorbed(rising.clone(), ny * nz), 0.0, |cell| cell);
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
            let even = coarse.mean(&absorbed(vec![2.5; fine.cells()], ny * nz), 0.0, |cell| 2.0 * cell);
            assert!(even.iter().all(|mean| (mean - 5.0).abs() < 1e-6));
            let none = Absorbed { held: vec![false; ny * nz], ..absorbed(vec![0.0; fine.cells()], 0) };
            assert!(coarse.mean(&none, 1.0, |_| 0.0).iter().all(|mean| *mean == 1.0));
        }
    }
}
