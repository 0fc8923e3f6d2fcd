//! Vorticity confinement: eddies that the grid wears out are turned on again (Fedkiw, Stam and Jensen 2001).

use crate::air::{AirGrid, BEYOND};
use crate::simd::{Level, Simd, Work};

use super::chunks::{each_chunk, planes};
use super::velocity::Faces;
use crate::parallel::*;

/// Memory that the confinement uses: the curl at the centres, its length, and the force.
pub(super) struct Scratch<'a> {
    pub curl: &'a mut Faces,
    pub length: &'a mut [f32],
    pub force: &'a mut Faces,
}

/// Turns eddies on by `strength` in a substep.
pub(super) fn confine(grid: AirGrid, u: &mut Faces, scratch: Scratch<'_>, (strength, simd): (f32, Level)) {
    let Scratch { curl, length, force } = scratch;
    let read = &*u;
    each_chunk(grid, curl, |first, curl| simd.run(Curl { grid, u: read, curl, first }));
    let (curl, size) = (&*curl, planes(grid) * grid.strides()[2]);
    length.par_chunks_mut(size).enumerate().for_each(|(j, length)| simd.run(Length { curl, length, first: j * size }));
    let length = &*length;
    each_chunk(grid, force, |first, force| simd.run(Turn { grid, curl, length, strength, force, first }));
    let force = &*force;
    each_chunk(grid, u, |first, u| simd.run(Spread { grid, force, u, first }));
}

/// Rows of the box in a chunk of planes: y, z, and where a row begins in the chunk.
#[inline(always)]
fn rows(grid: AirGrid, first: usize, length: usize) -> impl Iterator<Item = ([usize; 2], usize)> {
    let [_, row, plane] = grid.strides();
    let planes = first.max(BEYOND)..(first + length / plane).min(BEYOND + grid.cells.nz);
    planes.flat_map(move |z| {
        (0..grid.cells.ny).map(move |y| ([y, z - BEYOND], (z - first) * plane + (y + BEYOND) * row + BEYOND))
    })
}

struct Curl<'a> {
    grid: AirGrid,
    u: &'a Faces,
    curl: [&'a mut [f32]; 3],
    first: usize,
}

/// Difference of velocities at the centres: of component `a` along the axis with stride `s`, less of `b` along that with `t`.
#[inline(always)]
fn curl_row(out: &mut [f32], (a, sa, s): (&[f32], usize, usize), (b, sb, t): (&[f32], usize, usize), at: usize) {
    let n = out.len();
    let (a0, a1) = (&a[at + s..][..n], &a[at + s + sa..][..n]);
    let (a2, a3) = (&a[at - s..][..n], &a[at - s + sa..][..n]);
    let (b0, b1) = (&b[at + t..][..n], &b[at + t + sb..][..n]);
    let (b2, b3) = (&b[at - t..][..n], &b[at - t + sb..][..n]);
    for i in 0..n {
        let along = (a0[i] + a1[i]) - (a2[i] + a3[i]);
        let across = (b0[i] + b1[i]) - (b2[i] + b3[i]);
        out[i] = 0.25 * (along - across);
    }
}

impl Work for Curl<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (grid, s) = (self.grid, self.grid.strides());
        let [x, y, z] = self.curl;
        for (place, to) in rows(grid, self.first, x.len()) {
            let (at, n) = (grid.at([0, place[0], place[1]]), grid.cells.nx);
            let u = |axis: usize| &self.u[axis][..];
            curl_row(&mut x[to..to + n], (u(2), s[2], s[1]), (u(1), s[1], s[2]), at);
            curl_row(&mut y[to..to + n], (u(0), s[0], s[2]), (u(2), s[2], s[0]), at);
            curl_row(&mut z[to..to + n], (u(1), s[1], s[0]), (u(0), s[0], s[1]), at);
        }
    }
}

struct Length<'a> {
    curl: &'a Faces,
    length: &'a mut [f32],
    first: usize,
}

impl Work for Length<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let n = self.length.len();
        let [x, y, z] = self.curl;
        let (x, y, z) = (&x[self.first..][..n], &y[self.first..][..n], &z[self.first..][..n]);
        lengths(self.length, x, y, z);
    }
}

#[inline(always)]
fn lengths(out: &mut [f32], x: &[f32], y: &[f32], z: &[f32]) {
    let n = out.len();
    let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
    for i in 0..n {
        out[i] = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt();
    }
}

/// The force at the centres: strength · (N × ω), where N points to where the curl is longest.
struct Turn<'a> {
    grid: AirGrid,
    curl: &'a Faces,
    length: &'a [f32],
    strength: f32,
    force: [&'a mut [f32]; 3],
    first: usize,
}

/// One component of the force: N_a · ω_b − N_b · ω_a for the two other axes.
#[inline(always)]
fn turn_row(
    out: &mut [f32],
    length: &[f32],
    (a, b): (&[f32], &[f32]),
    (at, [sa, sb, sc]): (usize, [usize; 3]),
    strength: f32,
) {
    let n = out.len();
    let (a, b) = (&a[at..][..n], &b[at..][..n]);
    let (a0, a1) = (&length[at - sa..][..n], &length[at + sa..][..n]);
    let (b0, b1) = (&length[at - sb..][..n], &length[at + sb..][..n]);
    let (c0, c1) = (&length[at - sc..][..n], &length[at + sc..][..n]);
    for i in 0..n {
        let (ga, gb, gc) = (a1[i] - a0[i], b1[i] - b0[i], c1[i] - c0[i]);
        let steep = (ga * ga + gb * gb + gc * gc).sqrt() + 1e-6;
        out[i] = (strength / steep) * (ga * b[i] - gb * a[i]);
    }
}

impl Work for Turn<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let (grid, s) = (self.grid, self.grid.strides());
        let [nx, ny, nz] = grid.size();
        for (place @ [y, z], to) in rows(grid, self.first, self.force[0].len()) {
            let at = grid.at([0, place[0], place[1]]);
            // The outermost cells have no neighbours to find the steepest way.
            let inner = y > 0 && z > 0 && y + 1 < ny && z + 1 < nz && nx > 2;
            for (axis, force) in [0, 1, 2].into_iter().zip(self.force.iter_mut().map(|f| &mut f[to..to + nx])) {
                if !inner {
                    force.fill(0.0);
                    continue;
                }
                let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
                let strides = (at, [s[a], s[b], s[axis]]);
                turn_row(force, self.length, (&self.curl[a], &self.curl[b]), strides, self.strength);
                (force[0], force[nx - 1]) = (0.0, 0.0);
            }
        }
    }
}

/// The force on the faces: the mean of both cells.
struct Spread<'a> {
    grid: AirGrid,
    force: &'a Faces,
    u: [&'a mut [f32]; 3],
    first: usize,
}

#[inline(always)]
fn spread_row(out: &mut [f32], low: &[f32], high: &[f32]) {
    let n = out.len();
    let (low, high) = (&low[..n], &high[..n]);
    for i in 0..n {
        out[i] += 0.5 * (low[i] + high[i]);
    }
}

impl Work for Spread<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (grid, strides) = (self.grid, self.grid.strides());
        let [u, v, w] = self.u;
        for ([y, z], to) in rows(grid, self.first, u.len()) {
            let (at, nx) = (grid.at([0, y, z]), grid.cells.nx);
            let of = |axis: usize, skip: usize| &self.force[axis][at + skip..];
            spread_row(&mut u[to + 1..to + nx], of(0, 0), of(0, 1));
            if y > 0 {
                spread_row(&mut v[to..to + nx], &self.force[1][at - strides[1]..], of(1, 0));
            }
            if z > 0 {
                spread_row(&mut w[to..to + nx], &self.force[2][at - strides[2]..], of(2, 0));
            }
        }
    }
}
