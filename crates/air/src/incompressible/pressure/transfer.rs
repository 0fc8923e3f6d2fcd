//! Transfer between a grid level and the next coarser one: restriction of the residual, and
//! prolongation of the correction.

use crate::Side;
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

use super::mesh::{Mesh, RowCoefficients, Shape};
use super::smooth::FEW;

/// Number of planes of equal z of a grid level that each thread processes, halo included.
pub(super) fn share(shape: &Shape) -> usize {
    let threads = if shape.n.iter().product::<usize>() < FEW {
        1
    } else {
        current_num_threads()
    };
    (shape.n[2] + 2).div_ceil(threads)
}

/// Restriction of the residual to a range of planes of the coarse grid.
struct Restrict<'a> {
    fine: &'a Mesh,
    shape: Shape,
    /// Right-hand side of both colours of the coarse grid, from plane `first` on.
    r: [&'a mut [f32]; 2],
    first: usize,
    /// Number of colours of the fine grid whose residuals are summed: 1, since the last half sweep
    /// left no residual in its colour; 2 if a periodic axis with an odd number of cells makes cells
    /// of one colour neighbours.
    colours: usize,
}

impl Work for Restrict<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (fine, coarse) = (&self.fine.shape, &self.shape);
        let planes = self.r[0].len() / coarse.plane();
        let mut sums = vec![0.0; (coarse.n[0] + 1).next_multiple_of(2)];
        for plane in self.first.max(1)..(self.first + planes).min(coarse.n[2] + 1) {
            for y in 0..coarse.n[1] {
                sums.fill(0.0);
                for (fine_y, fine_z) in children(fine.n, [y, plane - 1]) {
                    for colour in 0..self.colours {
                        self.fine.add_rest(&mut sums, colour, [fine_y, fine_z]);
                    }
                }
                let (even, at) = ((y + plane - 1) & 1, coarse.row(y + 1, plane - self.first));
                let (n, m) = (coarse.count(0), coarse.count(1));
                split(&mut self.r[even][at..at + n], &sums);
                split(&mut self.r[1 - even][at..at + m], &sums[1..]);
            }
        }
    }
}

/// Iterates over the rows of the fine grid (with `n` cells along each axis) that make up the row
/// `[y, z]` of the coarse grid.
#[inline(always)]
fn children(n: [usize; 3], [y, z]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    let range = move |k: usize, v: usize| {
        if n[k] > 1 {
            2 * v..(2 * v + 2).min(n[k])
        } else {
            v..v + 1
        }
    };
    range(2, z).flat_map(move |z| range(1, y).map(move |y| (y, z)))
}

/// Copies every second value of `from` to `out`, beginning with the first: the values of one colour
/// in a row.
#[inline(always)]
pub(in crate::incompressible) fn split(out: &mut [f32], from: &[f32]) {
    let pairs = from.chunks_exact(2);
    let last = pairs.remainder().first();
    let n = pairs.len().min(out.len());
    for (out, pair) in out.iter_mut().zip(pairs) {
        *out = pair[0];
    }
    if let (Some(out), Some(last)) = (out.get_mut(n), last) {
        *out = *last;
    }
}

/// Adds the residual of each cell of one colour in a uniform row to `out`, which has one sum for
/// each pair of cells. `p`: pressure of the cells; third argument: pressures of their neighbours
/// west, east, below, above, north and south, then the right-hand side.
#[inline(always)]
fn rest_uniform(out: &mut [f32], p: &[f32], beside: [&[f32]; 7], row: &RowCoefficients) {
    let n = out.len();
    let [west, east, down, up, north, south, r] = beside;
    let (west, east, down, up) = (&west[..n], &east[..n], &down[..n], &up[..n]);
    let (north, south, r, p) = (&north[..n], &south[..n], &r[..n], &p[..n]);
    let (a, [d, u, b, f]) = (row.along, row.across);
    let total = 2.0 * a + ((d + u) + (b + f));
    for i in 0..n {
        let sum =
            (a * (west[i] + east[i]) + (d * down[i] + u * up[i])) + (b * north[i] + f * south[i]);
        out[i] += (r[i] - sum) + total * p[i];
    }
}

/// Adds the residual of each cell of one colour in a row that has a block of coefficients to `out`,
/// which has one sum for each pair of cells. `p` and third argument: as for `rest_uniform`.
#[inline(always)]
fn rest_block(out: &mut [f32], p: &[f32], beside: [&[f32]; 7], (block, half): (&[f32], usize)) {
    let n = out.len();
    let [west, east, down, up, north, south, r] = beside;
    let (west, east, down, up) = (&west[..n], &east[..n], &down[..n], &up[..n]);
    let (north, south, r, p) = (&north[..n], &south[..n], &r[..n], &p[..n]);
    let (w, e, d) = (&block[..n], &block[half..][..n], &block[2 * half..][..n]);
    let (u, b, f) = (
        &block[3 * half..][..n],
        &block[4 * half..][..n],
        &block[5 * half..][..n],
    );
    for i in 0..n {
        let sum = (w[i] * (west[i] - p[i]) + e[i] * (east[i] - p[i]))
            + (d[i] * (down[i] - p[i]) + u[i] * (up[i] - p[i]))
            + (b[i] * (north[i] - p[i]) + f[i] * (south[i] - p[i]));
        out[i] += r[i] - sum;
    }
}

impl Mesh {
    /// Adds the residuals of the cells of `colour` in the row `[y, z]` to `sums`, one for each pair
    /// of cells.
    #[inline(always)]
    fn add_rest(&self, sums: &mut [f32], colour: usize, [y, z]: [usize; 2]) {
        let (shape, parity) = (&self.shape, (colour + y + z) & 1);
        let (at, n, half, plane) = (
            shape.row(y + 1, z + 1),
            shape.count(parity),
            shape.half,
            shape.plane(),
        );
        let (own, other) = (&self.p[colour], &self.p[1 - colour]);
        let beside = [
            &other[at + parity - 1..][..n],
            &other[at + parity..][..n],
            &other[at - half..][..n],
            &other[at + half..][..n],
            &other[at - plane..][..n],
            &other[at + plane..][..n],
            &self.r[colour][at..][..n],
        ];
        let row = self.rows.get(y, z);
        let p = &own[at..at + n];
        if row.block > 0 {
            return rest_block(
                &mut sums[..n],
                p,
                beside,
                (self.rows.block(row, parity), half),
            );
        }
        rest_uniform(&mut sums[..n], p, beside, row);
        // The end cells have other outer faces than the vector loop assumes.
        let last = shape.n[0] - 1;
        let end = |i: usize, k: usize| (row.ends[k] - row.along) * (beside[k][i] - p[i]);
        if parity == 0 && n > 0 {
            sums[0] -= end(0, 0);
        }
        if last & 1 == parity && n > 0 {
            sums[n - 1] -= end(n - 1, 1);
        }
    }

    /// Sets the right-hand side of the coarse grid `coarse` to the restricted residual, and the
    /// unknown of that grid (the correction) to 0. `sides`: boundaries along x, y and z; `simd`:
    /// instruction set.
    pub(super) fn restrict(&self, coarse: &mut Self, (sides, simd): ([Side; 3], Level)) {
        let shape = coarse.shape;
        // The last half sweep solved the second colour, so its residual is 0 – unless cells of one
        // colour are neighbours, where an odd number of cells wraps.
        let odd = sides
            .into_iter()
            .zip(self.shape.n)
            .any(|(side, n)| side == Side::Wrap && n % 2 == 1);
        let colours = if odd { 2 } else { 1 };
        coarse.p.iter_mut().for_each(|p| p.fill(0.0));
        let planes = share(&shape);
        let size = planes * shape.plane();
        let [red, black] = &mut coarse.r;
        red.par_chunks_mut(size)
            .zip(black.par_chunks_mut(size))
            .enumerate()
            .for_each(|(j, (red, black))| {
                simd.run(Restrict {
                    fine: self,
                    shape,
                    r: [red, black],
                    first: j * planes,
                    colours,
                });
            });
    }

    /// Copies the unknown (pressure or correction) of both colours to the array `flat`, in the
    /// order of x.
    pub(super) fn flatten(&mut self, sides: [Side; 3], simd: Level) {
        let pressure = Pressure {
            shape: self.shape,
            sides,
            p: [&self.p[0], &self.p[1]],
        };
        let (planes, plane) = (share(&self.shape), pressure.plane());
        self.flat
            .par_chunks_mut(planes * plane)
            .enumerate()
            .for_each(|(j, flat)| {
                simd.run(Flatten {
                    pressure,
                    flat,
                    first: j * planes,
                });
            });
    }

    /// Adds the correction, interpolated from the array `flat` of the coarse grid, to the cells of
    /// colour 1. Colour 0 needs no correction, because the next half sweep computes it from colour
    /// 1 alone.
    pub(super) fn prolong(&mut self, coarse: &Self, simd: Level) {
        let (shape, planes) = (self.shape, share(&self.shape));
        self.p[1]
            .par_chunks_mut(planes * shape.plane())
            .enumerate()
            .for_each(|(j, p)| {
                simd.run(Prolong {
                    shape,
                    coarse,
                    p,
                    first: j * planes,
                });
            });
    }
}

/// Pressure with both colours in the order of x, and with halo values: the same value beyond a
/// wall, the negative value beyond an open side (so that the pressure is 0 at the face), the value
/// at the opposite end for a periodic axis.
#[derive(Clone, Copy)]
pub(in crate::incompressible) struct Pressure<'a> {
    pub(super) shape: Shape,
    pub(super) sides: [Side; 3],
    pub(super) p: [&'a [f32]; 2],
}

impl Pressure<'_> {
    /// Number of values of a plane of equal z, halo included.
    pub(in crate::incompressible) fn plane(&self) -> usize {
        self.shape.flat_plane()
    }

    pub(in crate::incompressible) fn row(&self) -> usize {
        self.shape.flat_row()
    }

    /// Writes the pressure of the plane with the index `plane` (0 is the plane beyond the north
    /// side) to `out`, including halo rows and values.
    #[inline(always)]
    pub(in crate::incompressible) fn fill(&self, out: &mut [f32], plane: usize) {
        let (shape, [nx, ny, nz]) = (&self.shape, self.shape.n);
        let (near, far) = if plane == 0 { (1, nz) } else { (nz, 1) };
        let (from, sign) = match self.sides[2] {
            _ if (1..=nz).contains(&plane) => (plane, 1.0),
            Side::Wall => (near, 1.0),
            Side::Open => (near, -1.0),
            Side::Wrap => (far, 1.0),
        };
        let (side, width) = (self.sides[0], shape.flat_row());
        for y in 0..ny {
            let (even, at) = ((y + from - 1) & 1, shape.row(y + 1, from));
            let row = &mut out[(y + 1) * width..(y + 2) * width];
            merge(
                &mut row[1..=nx],
                &self.p[even][at..],
                &self.p[1 - even][at..],
            );
            (row[0], row[nx + 1]) = (beyond(side, row[1], row[nx]), beyond(side, row[nx], row[1]));
        }
        // The floor is a wall, and nothing wraps along y.
        out.copy_within(width..2 * width, 0);
        out.copy_within(ny * width..(ny + 1) * width, (ny + 1) * width);
        if self.sides[1] == Side::Open {
            out[(ny + 1) * width..].iter_mut().for_each(|p| *p = -*p);
        }
        if sign < 0.0 {
            out.iter_mut().for_each(|p| *p = -*p);
        }
    }
}

/// Pressure in a halo cell beyond a side, next to a cell with the pressure `near`; `far` is the
/// pressure of the cell at the opposite end of the axis.
#[inline(always)]
fn beyond(side: Side, near: f32, far: f32) -> f32 {
    match side {
        Side::Wall => near,
        Side::Open => -near,
        Side::Wrap => far,
    }
}

/// Reordering of the unknown of both colours in the order of x, for a range of planes.
struct Flatten<'a> {
    pressure: Pressure<'a>,
    flat: &'a mut [f32],
    first: usize,
}

impl Work for Flatten<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let planes = self.flat.chunks_exact_mut(self.pressure.plane());
        for (k, plane) in planes.enumerate() {
            self.pressure.fill(plane, self.first + k);
        }
    }
}

/// Merges the values of two colours alternately into `out`, beginning with `even`.
#[inline(always)]
fn merge(out: &mut [f32], even: &[f32], odd: &[f32]) {
    let pairs = out.len() / 2;
    let (out, last) = out.split_at_mut(2 * pairs);
    for ((pair, first), second) in out.chunks_exact_mut(2).zip(even).zip(odd) {
        (pair[0], pair[1]) = (*first, *second);
    }
    if let Some(last) = last.first_mut() {
        *last = even[pairs];
    }
}

/// Addition of the interpolated correction to the cells of colour 1, for a range of planes of the
/// fine grid.
struct Prolong<'a> {
    shape: Shape,
    coarse: &'a Mesh,
    p: &'a mut [f32],
    first: usize,
}

/// Rows of the coarse grid with both colours in the order of x: the row of the coarse cells that
/// contain the fine cells, and its neighbours along y, z and x.
struct Coarse<'a> {
    own: &'a [f32],
    beside: [&'a [f32]; 3],
}

/// Adds the correction `from` the coarse grid to a row of fine cells, interpolated linearly: along
/// each axis with weight ¾ for the coarse cell that contains the fine cell, and ¼ for its
/// neighbour.
#[inline(always)]
fn add_linear(out: &mut [f32], from: &Coarse<'_>, [y, z, x]: [f32; 3]) {
    let n = out.len();
    let (own, [by_y, by_z, by_x]) = (&from.own[..n], from.beside);
    let (by_y, by_z, by_x) = (&by_y[..n], &by_z[..n], &by_x[..n]);
    for i in 0..n {
        let near = y * (by_y[i] - own[i]) + z * (by_z[i] - own[i]) + x * (by_x[i] - own[i]);
        out[i] += own[i] + near;
    }
}

/// Adds the correction `from` the coarse grid to a row of fine cells, interpolated only across open
/// faces, because pressures on both sides of a closed face are unrelated.
#[inline(always)]
fn add_open(out: &mut [f32], from: &Coarse<'_>, faces: [&[f32]; 3], [y, z, x]: [f32; 3]) {
    let n = out.len();
    let (own, [by_y, by_z, by_x]) = (&from.own[..n], from.beside);
    let (by_y, by_z, by_x) = (&by_y[..n], &by_z[..n], &by_x[..n]);
    let [open_y, open_z, open_x] = faces;
    let (open_y, open_z, open_x) = (&open_y[..n], &open_z[..n], &open_x[..n]);
    for i in 0..n {
        let at_y = if open_y[i] > 0.0 { y } else { 0.0 };
        let at_z = if open_z[i] > 0.0 { z } else { 0.0 };
        let at_x = if open_x[i] > 0.0 { x } else { 0.0 };
        let near =
            at_y * (by_y[i] - own[i]) + at_z * (by_z[i] - own[i]) + at_x * (by_x[i] - own[i]);
        out[i] += own[i] + near;
    }
}

impl Work for Prolong<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (fine, mesh) = (self.shape, self.coarse);
        let (coarse, [_, ny, nz]) = (&mesh.shape, fine.n);
        let planes = self.p.len() / fine.plane();
        // An axis with one cell has nothing to interpolate.
        let weight = |axis: usize| if fine.n[axis] > 1 { 0.25 } else { 0.0 };
        let half = |axis: usize, v: usize| {
            if fine.n[axis] > 1 {
                (v / 2, v & 1)
            } else {
                (v, 0)
            }
        };
        for plane in self.first.max(1)..(self.first + planes).min(nz + 1) {
            let (z, up_z) = half(2, plane - 1);
            for y in 0..ny {
                let parity = (1 + y + plane - 1) & 1;
                let (row, up_y) = half(1, y);
                let (at, n) = (fine.row(y + 1, plane - self.first), fine.count(parity));
                let own = coarse.flat(row + 1, z + 1);
                let flat = |at: usize| &mesh.flat[at..];
                let from = Coarse {
                    own: flat(own),
                    beside: [
                        flat(coarse.flat(row + 2 * up_y, z + 1)),
                        flat(coarse.flat(row + 1, z + 2 * up_z)),
                        flat(own + 2 * parity - 1),
                    ],
                };
                let out = &mut self.p[at..at + n];
                let numbers = mesh.rows.get(row, z);
                if numbers.block == 0 {
                    let open = |k: usize, axis: usize| {
                        if numbers.across[k] > 0.0 {
                            weight(axis)
                        } else {
                            0.0
                        }
                    };
                    add_linear(out, &from, [open(up_y, 1), open(2 + up_z, 2), weight(0)]);
                } else {
                    let faces = [
                        &mesh.faces[1][coarse.faces(row + up_y, z)..],
                        &mesh.faces[2][coarse.faces(row, z + up_z)..],
                        &mesh.faces[0][coarse.faces(row, z) + parity..],
                    ];
                    add_open(out, &from, faces, [weight(1), weight(2), weight(0)]);
                }
            }
        }
    }
}
