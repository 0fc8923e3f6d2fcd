//! Red-black Gauss-Seidel smoother. Cells of one colour do not read each other, so that the result
//! does not depend on their order or on the number of threads.
//!
//! The half sweeps of one call of `Mesh::relax` run as a wave along z: plane z of a half sweep is
//! computed right after plane z + 1 of the half sweep before, while both are in the cache. Threads
//! process ranges of planes that become narrower by one plane with every half sweep; the gaps
//! between the ranges are filled in a second round. Each cell reads the same neighbour values in
//! either case.

use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

use super::mesh::{Mesh, RowCoefficients, Rows, Shape};

/// Inputs for the new pressures of the cells of one colour in a row: pressures of their six
/// neighbours, and the right-hand side `r` of the cells.
struct Near<'a> {
    west: &'a [f32],
    east: &'a [f32],
    down: &'a [f32],
    up: &'a [f32],
    north: &'a [f32],
    south: &'a [f32],
    r: &'a [f32],
}

impl<'a> Near<'a> {
    /// Returns the inputs for the cells whose x has the parity `parity` in the row that starts at
    /// index `at`. `other`: pressure of the other colour; `r`: right-hand sides, beginning with the
    /// first of these cells.
    #[inline(always)]
    fn new(other: &'a [f32], r: &'a [f32], shape: &Shape, (at, parity): (usize, usize)) -> Self {
        let (n, half, plane) = (shape.count(parity), shape.half, shape.plane());
        Self {
            west: &other[at + parity - 1..][..n],
            east: &other[at + parity..][..n],
            down: &other[at - half..][..n],
            up: &other[at + half..][..n],
            north: &other[at - plane..][..n],
            south: &other[at + plane..][..n],
            r: &r[..n],
        }
    }
}

/// Computes the new pressure of the cells of one colour in a uniform row.
#[inline(always)]
fn relax_uniform(out: &mut [f32], near: &Near<'_>, row: &RowCoefficients) {
    let n = out.len();
    let (west, east, down, up) = (
        &near.west[..n],
        &near.east[..n],
        &near.down[..n],
        &near.up[..n],
    );
    let (north, south, r) = (&near.north[..n], &near.south[..n], &near.r[..n]);
    let (a, [d, u, b, f], inverse) = (row.along, row.across, row.inverse[0]);
    if row.across == [a; 4] {
        for i in 0..n {
            let sum = ((west[i] + east[i]) + (down[i] + up[i])) + (north[i] + south[i]);
            out[i] = inverse * (a * sum - r[i]);
        }
    } else {
        for i in 0..n {
            let sum = (a * (west[i] + east[i]) + (d * down[i] + u * up[i]))
                + (b * north[i] + f * south[i]);
            out[i] = inverse * (sum - r[i]);
        }
    }
}

/// New pressure of the first or last cell of one colour in a uniform row, at index `i`; its
/// coefficients `[west, east, inverse sum]` may differ from those of inner cells.
#[inline(always)]
fn relax_end(near: &Near<'_>, row: &RowCoefficients, i: usize, [w, e, inverse]: [f32; 3]) -> f32 {
    let [d, u, b, f] = row.across;
    let sum = ((w * near.west[i] + e * near.east[i]) + (d * near.down[i] + u * near.up[i]))
        + (b * near.north[i] + f * near.south[i]);
    inverse * (sum - near.r[i])
}

/// Computes the new pressure of the cells of one colour in a row that has a block of coefficients.
#[inline(always)]
fn relax_block(out: &mut [f32], near: &Near<'_>, block: &[f32], half: usize) {
    let n = out.len();
    let (west, east, down, up) = (
        &near.west[..n],
        &near.east[..n],
        &near.down[..n],
        &near.up[..n],
    );
    let (north, south, r) = (&near.north[..n], &near.south[..n], &near.r[..n]);
    let (w, e, d) = (&block[..n], &block[half..][..n], &block[2 * half..][..n]);
    let (u, b, f) = (
        &block[3 * half..][..n],
        &block[4 * half..][..n],
        &block[5 * half..][..n],
    );
    let inverse = &block[6 * half..][..n];
    for i in 0..n {
        let sum = ((w[i] * west[i] + e[i] * east[i]) + (d[i] * down[i] + u[i] * up[i]))
            + (b[i] * north[i] + f[i] * south[i]);
        out[i] = inverse[i] * (sum - r[i]);
    }
}

/// Inputs of the half sweeps other than the pressure.
#[derive(Clone, Copy)]
struct Given<'a> {
    shape: Shape,
    rows: &'a Rows,
    r: [&'a [f32]; 2],
    /// Colour (0 or 1) of the first half sweep.
    colour: usize,
    /// Number of half sweeps.
    halves: usize,
}

/// Half sweeps of the smoother over a range of planes, in the arrays of both colours.
struct Wave<'a> {
    given: Given<'a>,
    /// Pressure of both colours, from plane `first` on.
    p: [&'a mut [f32]; 2],
    first: usize,
    /// Range of planes of the first half sweep: first plane, and last plane plus one.
    planes: [usize; 2],
    /// Numbers (−1, 0 or 1) that are added to the two elements of `planes` with each further half
    /// sweep.
    steps: [isize; 2],
}

impl Work for Wave<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let (from, to) = (self.planes[0] as isize, self.planes[1] as isize);
        let halves = self.given.halves as isize;
        // Earliest and latest plane of any half sweep.
        let low = from + self.steps[0].min(0) * (halves - 1);
        let high = to + self.steps[1].max(0) * (halves - 1);
        for front in low..high + halves - 1 {
            for k in 0..halves {
                let plane = front - k;
                if plane >= from + k * self.steps[0] && plane < to + k * self.steps[1] {
                    self.half(k as usize, plane as usize);
                }
            }
        }
    }
}

impl Wave<'_> {
    /// Computes the half sweep number `k` (from 0) of the wave in the plane with index `plane`.
    #[inline(always)]
    fn half(&mut self, k: usize, plane: usize) {
        let given = &self.given;
        let colour = (given.colour + k) & 1;
        let [red, black] = &mut self.p;
        let (out, other) = if colour == 0 {
            (red, &*black)
        } else {
            (black, &*red)
        };
        let shape = &given.shape;
        for y in 0..shape.n[1] {
            let parity = (colour + y + plane - 1) & 1;
            let at = shape.row(y + 1, plane - self.first);
            let near = Near::new(
                other,
                &given.r[colour][shape.row(y + 1, plane)..],
                shape,
                (at, parity),
            );
            let n = shape.count(parity);
            let out = &mut out[at..at + n];
            let row = given.rows.get(y, plane - 1);
            if row.block > 0 {
                relax_block(out, &near, given.rows.block(row, parity), shape.half);
                continue;
            }
            // The ends are overwritten below: a vector loop needs one set of coefficients.
            relax_uniform(out, &near, row);
            let last = shape.n[0] - 1;
            let [west, east] = row.ends;
            if parity == 0 {
                let along = if last == 0 { east } else { row.along };
                out[0] = relax_end(&near, row, 0, [west, along, row.inverse[1]]);
            }
            if last > 0 && last & 1 == parity {
                out[n - 1] = relax_end(&near, row, n - 1, [row.along, east, row.inverse[2]]);
            }
        }
    }
}

/// Number of cells of a grid level below which a single thread processes the level.
pub(super) const FEW: usize = 16_384;

/// Number of planes for each thread, chosen so that the last range of planes is wide enough for the
/// gaps that the second round fills. `most`: upper limit of the number of ranges; `halves`: number
/// of half sweeps.
fn chunk(planes: usize, most: usize, halves: usize) -> usize {
    let enough = |size: usize| planes - (planes.div_ceil(size) - 1) * size >= 2 * halves + 2;
    (1..=most)
        .rev()
        .map(|chunks| planes.div_ceil(chunks))
        .find(|&size| enough(size))
        .unwrap_or(planes)
}

impl Mesh {
    /// Smooths the pressure by `halves` half sweeps, the first one for `colour`, without regard to
    /// periodic sides.
    pub(super) fn relax(&mut self, colour: usize, halves: usize, simd: Level) {
        let planes = self.shape.n[2] + 2;
        // A chunk must keep some planes for the last half sweep, and the gaps must lie within its
        // planes.
        let least = 4 * halves + 4;
        let threads = if self.shape.n.iter().product::<usize>() < FEW {
            1
        } else {
            current_num_threads()
        };
        let size = chunk(planes, threads.min(planes / least), halves);
        let last = planes.div_ceil(size) - 1;
        let [red, black] = &mut self.p;
        let plane = self.shape.plane();
        let given = Given {
            shape: self.shape,
            rows: &self.rows,
            r: [&self.r[0], &self.r[1]],
            colour,
            halves,
        };
        let length = size * plane;
        if last == 0 {
            return simd.run(Wave {
                given,
                p: [red, black],
                first: 0,
                planes: [1, planes - 1],
                steps: [0, 0],
            });
        }
        red.par_chunks_mut(length)
            .zip(black.par_chunks_mut(length))
            .enumerate()
            .for_each(|(j, (red, black))| {
                let first = j * size;
                let end = (first + size).min(planes);
                let (low, narrower) = if j == 0 { (1, 0) } else { (first + 1, 1) };
                let (high, shorter) = if j == last {
                    (planes - 1, 0)
                } else {
                    (end - 1, -1)
                };
                simd.run(Wave {
                    given,
                    p: [red, black],
                    first,
                    planes: [low, high],
                    steps: [narrower, shorter],
                });
            });
        let skip = size / 2;
        let (red, black) = (&mut red[skip * plane..], &mut black[skip * plane..]);
        red.par_chunks_mut(length)
            .zip(black.par_chunks_mut(length))
            .enumerate()
            .for_each(|(j, (red, black))| {
                let border = (j + 1) * size;
                if j < last {
                    let planes = [border - 1, border + 1];
                    simd.run(Wave {
                        given,
                        p: [red, black],
                        first: skip + j * size,
                        planes,
                        steps: [-1, 1],
                    });
                }
            });
    }
}
