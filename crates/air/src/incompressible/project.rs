//! Pressure projection: divergence of the velocity, and subtraction of the pressure gradient.

use crate::{AirGrid, BEYOND, Side};
use lavoxel_base::parallel::*;
use lavoxel_base::simd::{Level, Simd, Work};

use super::FASTEST;
use super::chunks::planes;
use super::pace::Pace;
use super::pressure::{Layout, Multigrid, Pressure, split};
use super::velocity::{Faces, Open};

/// Speed in cells per step below which a velocity is set to 0: crossing one cell would take 10⁹
/// steps.
const STILL: f32 = 1e-9;

/// Computation of the divergence of the velocity for a range of planes, for both colours of the
/// checkerboard.
struct Divergence<'a> {
    grid: AirGrid,
    u: &'a Faces,
    open: &'a Open,
    layout: Layout,
    r: [&'a mut [f32]; 2],
    first: usize,
}

#[inline(always)]
fn flow_out(out: &mut [f32], [low, high]: [&[f32]; 2], open: [Option<&[f32]>; 2]) {
    let n = out.len();
    let (low, high) = (&low[..n], &high[..n]);
    match open {
        [None, None] => {
            for i in 0..n {
                out[i] += high[i] - low[i];
            }
        }
        [Some(shut), Some(free)] => {
            let (shut, free) = (&shut[..n], &free[..n]);
            for i in 0..n {
                out[i] += free[i] * high[i] - shut[i] * low[i];
            }
        }
        [one, other] => {
            for i in 0..n {
                let (shut, free) = (
                    one.map_or(1.0, |open| open[i]),
                    other.map_or(1.0, |open| open[i]),
                );
                out[i] += free * high[i] - shut * low[i];
            }
        }
    }
}

impl Work for Divergence<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let (grid, layout) = (self.grid, self.layout);
        let [nx, ny, nz] = grid.size();
        // One more value, so that the row splits into pairs.
        let mut row = vec![0.0; nx + 1];
        let planes = self.r[0].len() / layout.plane();
        for plane in self.first.max(1)..(self.first + planes).min(nz + 1) {
            for y in 0..ny {
                let at = grid.at([0, y, plane - 1]);
                row.fill(0.0);
                for (axis, stride) in grid.strides().into_iter().enumerate() {
                    let u = &self.u[axis];
                    let low = self.open.row(axis, at);
                    // In a row along x the upper faces are the next lower ones.
                    let high = if axis == 0 {
                        low.map(|open| &open[1..])
                    } else {
                        self.open.row(axis, at + stride)
                    };
                    flow_out(&mut row[..nx], [&u[at..], &u[at + stride..]], [low, high]);
                }
                let (even, to) = ((y + plane - 1) & 1, layout.row(y + 1, plane - self.first));
                split(&mut self.r[even][to..to + layout.count(0)], &row);
                split(&mut self.r[1 - even][to..to + layout.count(1)], &row[1..]);
            }
        }
    }
}

/// Subtraction of the pressure gradient from the velocity, for a range of planes.
struct Gradient<'a> {
    grid: AirGrid,
    open: &'a Open,
    pressure: Pressure<'a>,
    u: [&'a mut [f32]; 3],
    first: usize,
    /// Largest speed along each axis in each row of the processed planes, as bits (`f32::to_bits`).
    pace: &'a mut [[u32; 3]],
}

/// Clamps the velocity component `u` to ± `most` (cells per step); NaN becomes −`most`, and
/// magnitudes below `STILL` become 0.
#[inline(always)]
pub(super) fn limited(u: f32, most: f32) -> f32 {
    let u = if u > -most { u } else { -most };
    let u = if u < most { u } else { most };
    if u.abs() < STILL { 0.0 } else { u }
}

#[inline(always)]
fn subtract(out: &mut [f32], open: Option<&[f32]>, [low, high]: [&[f32]; 2]) {
    let n = out.len();
    let (low, high) = (&low[..n], &high[..n]);
    for i in 0..n {
        out[i] = limited(out[i] - (high[i] - low[i]), FASTEST);
    }
    if let Some(open) = open {
        let open = &open[..n];
        for i in 0..n {
            out[i] = if open[i] > 0.0 { out[i] } else { 0.0 };
        }
    }
}

/// Returns the bits of the largest magnitude in `row`, or `before` if that is larger; the bits of
/// positive floats are ordered like the values.
#[inline(always)]
pub(super) fn largest(row: &[f32], before: u32) -> u32 {
    let mut most = before as i32;
    for u in row {
        let bits = (u.to_bits() & 0x7fff_ffff) as i32;
        most = if bits > most { bits } else { most };
    }
    most as u32
}

impl Work for Gradient<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let (plane, nz) = (self.grid.strides()[2], self.grid.cells.nz);
        let low = self.first.max(BEYOND);
        let high = (self.first + self.u[0].len() / plane).min(BEYOND + nz + 1);
        if low >= high {
            return;
        }
        let mut pressures = [
            vec![0.0; self.pressure.plane()],
            vec![0.0; self.pressure.plane()],
        ];
        self.pressure.fill(&mut pressures[1], low - BEYOND);
        for at in low..high {
            pressures.swap(0, 1);
            self.pressure.fill(&mut pressures[1], at - BEYOND + 1);
            self.plane(at, &pressures);
        }
    }
}

impl Gradient<'_> {
    /// Subtracts the pressure gradient from the velocity in one plane of equal z; `before` and
    /// `here` are the pressures of the previous plane and of this plane.
    #[inline(always)]
    fn plane(&mut self, plane: usize, [before, here]: &[Vec<f32>; 2]) {
        let (grid, [_, row, slab]) = (self.grid, self.grid.strides());
        let (size, z, width) = (grid.size(), plane - BEYOND, self.pressure.row());
        for axis in 0..3 {
            let count = |along: usize| size[along] + usize::from(axis == along);
            let nx = count(0);
            if z >= count(2) {
                continue;
            }
            for y in 0..count(1) {
                let at = (plane - self.first) * slab + (y + BEYOND) * row + BEYOND;
                let open = self.open.row(axis, grid.at([0, y, z]));
                let to = (y + 1) * width + 1;
                let low = [&here[to - 1..], &here[to - width..], &before[to..]][axis];
                let out = &mut self.u[axis][at..at + nx];
                subtract(out, open, [low, &here[to..]]);
                self.pace[at / row][axis] = largest(out, 0);
            }
        }
    }
}

/// Clamping of the velocity for a range of planes.
struct Limit<'a> {
    grid: AirGrid,
    u: [&'a mut [f32]; 3],
    first: usize,
    /// Largest speed along each axis in each row of the processed planes, as bits (`f32::to_bits`).
    pace: &'a mut [[u32; 3]],
}

impl Work for Limit<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let [_, row, plane] = self.grid.strides();
        for (axis, u) in self.u.into_iter().enumerate() {
            let mut n = self.grid.size();
            n[axis] += 1;
            for (k, u) in u.chunks_mut(plane).enumerate() {
                if (self.first + k).wrapping_sub(BEYOND) >= n[2] {
                    continue;
                }
                for y in 0..n[1] {
                    let u = &mut u[(y + BEYOND) * row + BEYOND..][..n[0]];
                    for u in &mut *u {
                        *u = limited_number(*u);
                    }
                    self.pace[k * (plane / row) + y + BEYOND][axis] = largest(u, 0);
                }
            }
        }
    }
}

/// Clamps the velocity component `u` to ± `FASTEST` (cells per step); NaN becomes 0, and magnitudes
/// below `STILL` become 0.
#[inline(always)]
pub(super) fn limited_number(u: f32) -> f32 {
    if u.is_nan() { 0.0 } else { limited(u, FASTEST) }
}

/// Clamps all velocities to ± `FASTEST` (NaN becomes 0), and updates the largest speed of each row.
pub(super) fn limit(grid: AirGrid, u: &mut Faces, pace: &mut Pace, simd: Level) {
    each_paced(grid, u, pace, |first, u, pace| {
        simd.run(Limit {
            grid,
            u,
            first,
            pace,
        })
    });
}

/// Calls `work` in parallel for ranges of planes of the velocity and of the largest speeds per row.
/// Arguments of `work`: index of the first plane, halo included; the planes of the three velocity
/// components; and the largest speeds of their rows.
fn each_paced(
    grid: AirGrid,
    u: &mut Faces,
    pace: &mut Pace,
    work: impl Fn(usize, [&mut [f32]; 3], &mut [[u32; 3]]) + Sync + Send,
) {
    let planes = planes(grid);
    let (size, rows) = (planes * grid.strides()[2], planes * Pace::plane(grid));
    let [x, y, z] = u;
    let chunks = x
        .par_chunks_mut(size)
        .zip(y.par_chunks_mut(size))
        .zip(z.par_chunks_mut(size));
    chunks
        .zip(pace.rows_mut().par_chunks_mut(rows))
        .enumerate()
        .for_each(|(j, (((x, y), z), pace))| {
            work(j * planes, [x, y, z], pace);
        });
}

/// Makes the velocity `u` free of divergence by subtracting the pressure gradient, clamps its
/// components, and updates the largest speed of each row. `cycles`: number of multigrid cycles.
pub(super) fn project(
    grid: AirGrid,
    u: &mut Faces,
    (open, pace): (&Open, &mut Pace),
    pressure: &mut Multigrid,
    (cycles, simd): (usize, Level),
) {
    join_ends(grid, u);
    divergence(grid, u, open, pressure, simd);
    pressure.solve(cycles);
    let pressure = pressure.solved();
    each_paced(grid, u, pace, |first, u, pace| {
        simd.run(Gradient {
            grid,
            open,
            pressure,
            u,
            first,
            pace,
        })
    });
}

/// Computes the divergence of the velocity `u` and stores it as the right-hand side of the pressure
/// equation.
pub(super) fn divergence(
    grid: AirGrid,
    u: &Faces,
    open: &Open,
    pressure: &mut Multigrid,
    simd: Level,
) {
    let (r, layout) = pressure.right_side();
    let planes = (grid.cells.nz + 2).div_ceil(if grid.cells.cells() < 8192 {
        1
    } else {
        current_num_threads()
    });
    let size = planes * layout.plane();
    let [red, black] = r;
    red.par_chunks_mut(size)
        .zip(black.par_chunks_mut(size))
        .enumerate()
        .for_each(|(j, (red, black))| {
            simd.run(Divergence {
                grid,
                u,
                open,
                layout,
                r: [red, black],
                first: j * planes,
            });
        });
}

/// Copies the velocity on the first face of each periodic axis to the last face, because both are
/// the same face.
fn join_ends(grid: AirGrid, u: &mut Faces) {
    let (size, strides) = (grid.size(), grid.strides());
    for axis in [0, 2]
        .into_iter()
        .filter(|&axis| grid.sides[axis] == Side::Wrap)
    {
        for place in grid.cells.places().filter(|place| place[axis] == 0) {
            let at = grid.at(place);
            u[axis][at + size[axis] * strides[axis]] = u[axis][at];
        }
    }
}
