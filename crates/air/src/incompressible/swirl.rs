//! Vorticity confinement: amplifies eddies that the grid damps (Fedkiw, Stam and Jensen 2001), with
//! no more energy than the velocity lost in its advection, and only where all faces within the
//! stencil are open.
//!
//! The computation passes once along z: ring buffers keep the curl of three planes and the force of
//! two.

use crate::{AXES, AirGrid, BEYOND};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

use super::chunks::each_chunk;
use super::velocity::{Faces, Open};

/// Vorticity confinement, with the cells in which its force acts for the present solid cells.
#[derive(Clone, Debug)]
pub(super) struct Swirl {
    grid: AirGrid,
    /// Factor of the force in each cell: 1 where the force acts, 0 near closed faces.
    clear: Vec<f32>,
}

impl Swirl {
    /// Computes in which cells the confinement force acts, from the open shares `open` of the
    /// faces.
    pub(super) fn new(grid: AirGrid, open: &Open) -> Self {
        let strides = grid.strides();
        let mut clear = vec![false; grid.len()];
        for at in grid.cells.places().map(|place| grid.at(place)) {
            let is_open = |axis: usize| {
                [at, at + strides[axis]]
                    .iter()
                    .all(|&face| open.faces[axis][face] == 1.0)
            };
            clear[at] = AXES.into_iter().all(is_open);
        }
        // The stencil reaches two cells: the curl of a cell reads its neighbours' faces, and the
        // gradient of the curl's length the neighbours' curls.
        for _ in 0..2 {
            let before = clear.clone();
            for at in grid.cells.places().map(|place| grid.at(place)) {
                clear[at] &= strides
                    .iter()
                    .all(|stride| before[at - stride] && before[at + stride]);
            }
        }
        Self {
            grid,
            clear: clear
                .into_iter()
                .map(|clear| f32::from(u8::from(clear)))
                .collect(),
        }
    }

    /// Adds the confinement force with the strength `strength` to the velocity `u`, scaled so that
    /// the energy of the air, in the unit of `energy`, grows by at most `lost`. `to` is a buffer
    /// for velocities.
    pub(super) fn turn_on(
        &self,
        u: &mut Faces,
        to: &mut Faces,
        (open, lost): (&Open, f64),
        (strength, simd): (f32, Level),
    ) {
        let grid = self.grid;
        each_chunk(grid, to, |first, to| {
            simd.run(Confine {
                swirl: self,
                u,
                strength,
                to,
                first,
            })
        });
        let work = energy(grid, to, open) - energy(grid, u, open);
        let share = if work <= lost {
            1.0
        } else {
            (lost / work).max(0.0) as f32
        };
        if share > 0.0 {
            let step = |u: &mut f32, to: &f32| *u += share * (*to - *u);
            u.iter_mut()
                .zip(to)
                .for_each(|(u, to)| u.iter_mut().zip(to).for_each(|(u, to)| step(u, to)));
        }
    }

    /// Memory in bytes of the force factors of all cells.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.clear[..])
    }
}

/// Twice the kinetic energy of the velocities `u` on open faces, in (cells per step)² with mass 1
/// per cell. The planes are summed in order, so that the bits do not depend on the number of
/// threads.
pub(super) fn energy(grid: AirGrid, u: &Faces, open: &Open) -> f64 {
    let plane = grid.strides()[2];
    let of_plane = |z: usize| {
        let at = (z + BEYOND) * plane..(z + BEYOND + 1) * plane;
        let square = |(u, open): (&f32, &f32)| {
            if *open > 0.0 {
                f64::from(*u) * f64::from(*u)
            } else {
                0.0
            }
        };
        let of = |axis: usize| {
            u[axis][at.clone()]
                .iter()
                .zip(&open.faces[axis][at.clone()])
                .map(square)
                .sum::<f64>()
        };
        AXES.into_iter().map(of).sum::<f64>()
    };
    let planes: Vec<f64> = (0..=grid.cells.nz).into_par_iter().map(of_plane).collect();
    planes.iter().sum()
}

/// Computation of the confinement force in a range of planes; the new velocities are written to
/// `to`.
struct Confine<'a> {
    swirl: &'a Swirl,
    u: &'a Faces,
    strength: f32,
    to: [&'a mut [f32]; 3],
    first: usize,
}

/// Ring buffers for curl and force in planes of cells: plane z is in slot z modulo 3 (curl) or z
/// modulo 2 (force).
struct Rings {
    /// Curl of the velocity at the cell centres, in 1/step.
    curl: [Vec<f32>; 3],
    /// Magnitude of the curl at the cell centres, in 1/step.
    length: Vec<f32>,
    /// Confinement force at the cell centres, along x, y and z.
    force: [Vec<f32>; 3],
    /// Strength divided by the magnitude of the gradient of `length`, for the cells of one row.
    factor: Vec<f32>,
}

impl Work for Confine<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let (nz, plane) = (self.swirl.grid.cells.nz, self.swirl.grid.strides()[2]);
        let end = self.first + self.to[0].len() / plane;
        for k in self.first..end {
            for (to, from) in self.to.iter_mut().zip(self.u) {
                let at = (k - self.first) * plane;
                to[at..at + plane].copy_from_slice(&from[k * plane..(k + 1) * plane]);
            }
        }
        let planes = |n: usize| {
            [
                vec![0.0; n * plane],
                vec![0.0; n * plane],
                vec![0.0; n * plane],
            ]
        };
        let (length, factor) = (vec![0.0; 3 * plane], vec![0.0; self.swirl.grid.cells.nx]);
        let mut rings = Rings {
            curl: planes(3),
            length,
            force: planes(2),
            factor,
        };
        let [low, high] = [self.first, end].map(|k| k.clamp(BEYOND, BEYOND + nz) - BEYOND);
        if low == high {
            return;
        }
        // The lower faces of the first plane need the force of the plane before.
        let first = low.saturating_sub(1);
        let mut next = first.saturating_sub(1);
        for z in first..high {
            while next < (z + 2).min(nz) {
                self.curl(&mut rings, next);
                next += 1;
            }
            self.force(&mut rings, z);
            if z >= low {
                self.spread(&rings, z);
            }
        }
    }
}

impl Confine<'_> {
    #[inline(always)]
    fn curl(&self, rings: &mut Rings, z: usize) {
        let (grid, s) = (self.swirl.grid, self.swirl.grid.strides());
        let [x, y, w] = &mut rings.curl;
        let u = |axis: usize| &self.u[axis][..];
        for row in 0..grid.cells.ny {
            let to = z % 3 * s[2] + (row + BEYOND) * s[1] + BEYOND;
            let (at, n) = (grid.at([0, row, z]), grid.cells.nx);
            curl_row(
                &mut x[to..to + n],
                (u(2), s[2], s[1]),
                (u(1), s[1], s[2]),
                at,
            );
            curl_row(
                &mut y[to..to + n],
                (u(0), s[0], s[2]),
                (u(2), s[2], s[0]),
                at,
            );
            curl_row(
                &mut w[to..to + n],
                (u(1), s[1], s[0]),
                (u(0), s[0], s[1]),
                at,
            );
            lengths(&mut rings.length[to..to + n], &x[to..], &y[to..], &w[to..]);
        }
    }

    /// Computes the confinement force at the cell centres of plane `z`: strength · (N × ω), where ω
    /// is the curl and N the unit vector along the gradient of |ω|.
    #[inline(always)]
    fn force(&self, rings: &mut Rings, z: usize) {
        let (grid, [nx, ny, nz]) = (self.swirl.grid, self.swirl.grid.size());
        let [_, row, plane] = grid.strides();
        for y in 0..ny {
            let inside = (y + BEYOND) * row + BEYOND;
            let to = z % 2 * plane + inside;
            // The outermost cells lack neighbours for the gradient.
            if y == 0 || z == 0 || y + 1 == ny || z + 1 == nz || nx < 3 {
                rings
                    .force
                    .iter_mut()
                    .for_each(|force| force[to..to + nx].fill(0.0));
                continue;
            }
            let slot = |z: usize| z % 3 * plane + inside;
            let here = slot(z);
            let length = |at: usize| &rings.length[at..];
            let along = [
                [length(here - 1), length(here + 1)],
                [length(here - row), length(here + row)],
                [length(slot(z - 1)), length(slot(z + 1))],
            ];
            factors(
                &mut rings.factor,
                &along,
                self.strength,
                &self.swirl.clear[grid.at([0, y, z])..],
            );
            for (axis, force) in rings.force.iter_mut().enumerate() {
                let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
                let curl = [&rings.curl[a][here..], &rings.curl[b][here..]];
                let force = &mut force[to..to + nx];
                turn_row(force, &rings.factor, [along[a], along[b]], curl);
                (force[0], force[nx - 1]) = (0.0, 0.0);
            }
        }
    }

    /// Adds the confinement force to the velocities on the lower faces of plane `z`, as the mean
    /// over the two cells at each face.
    #[inline(always)]
    fn spread(&mut self, rings: &Rings, z: usize) {
        let (grid, [_, row, plane]) = (self.swirl.grid, self.swirl.grid.strides());
        let (nx, [x, y, w]) = (grid.cells.nx, &rings.force);
        let start = (z + BEYOND - self.first) * plane;
        for k in 0..grid.cells.ny {
            let inside = (k + BEYOND) * row + BEYOND;
            let (to, here) = (start + inside, z % 2 * plane + inside);
            spread_row(&mut self.to[0][to + 1..to + nx], &x[here..], &x[here + 1..]);
            if k > 0 {
                spread_row(&mut self.to[1][to..to + nx], &y[here - row..], &y[here..]);
            }
            if z > 0 {
                let before = (z - 1) % 2 * plane + inside;
                spread_row(&mut self.to[2][to..to + nx], &w[before..], &w[here..]);
            }
        }
    }
}

/// Computes one component of the curl at the cell centres of a row: derivative of the velocity
/// component `a` along the axis with index distance `s`, minus derivative of the component `b`
/// along the axis with index distance `t`.
#[inline(always)]
fn curl_row(
    out: &mut [f32],
    (a, sa, s): (&[f32], usize, usize),
    (b, sb, t): (&[f32], usize, usize),
    at: usize,
) {
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

#[inline(always)]
fn lengths(out: &mut [f32], x: &[f32], y: &[f32], z: &[f32]) {
    let n = out.len();
    let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
    for i in 0..n {
        out[i] = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt();
    }
}

/// Computes for each cell of a row `strength` divided by the magnitude of the gradient of |ω|, or 0
/// where `clear` is 0; `along` contains |ω| in the cells before and after on each axis.
#[inline(always)]
fn factors(out: &mut [f32], along: &[[&[f32]; 2]; 3], strength: f32, clear: &[f32]) {
    let n = out.len();
    let [[a0, a1], [b0, b1], [c0, c1]] = *along;
    let (a0, a1, b0) = (&a0[..n], &a1[..n], &b0[..n]);
    let (b1, c0, c1, clear) = (&b1[..n], &c0[..n], &c1[..n], &clear[..n]);
    for i in 0..n {
        let (a, b, c) = (a1[i] - a0[i], b1[i] - b0[i], c1[i] - c0[i]);
        out[i] = clear[i] * strength / ((a * a + b * b + c * c).sqrt() + 1e-6);
    }
}

/// Computes one component of the confinement force for each cell of a row: N_a · ω_b − N_b · ω_a,
/// where a and b are the other two axes.
#[inline(always)]
fn turn_row(
    out: &mut [f32],
    factor: &[f32],
    [[a0, a1], [b0, b1]]: [[&[f32]; 2]; 2],
    [a, b]: [&[f32]; 2],
) {
    let n = out.len();
    let (a0, a1, b0, b1) = (&a0[..n], &a1[..n], &b0[..n], &b1[..n]);
    let (a, b, factor) = (&a[..n], &b[..n], &factor[..n]);
    for i in 0..n {
        out[i] = factor[i] * ((a1[i] - a0[i]) * b[i] - (b1[i] - b0[i]) * a[i]);
    }
}

#[inline(always)]
fn spread_row(out: &mut [f32], low: &[f32], high: &[f32]) {
    let n = out.len();
    let (low, high) = (&low[..n], &high[..n]);
    for i in 0..n {
        out[i] += 0.5 * (low[i] + high[i]);
    }
}
