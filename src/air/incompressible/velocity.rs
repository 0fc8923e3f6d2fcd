//! The velocity carried by itself: three sweeps along the axes in advective form, upwind, of third order with limited faces.

use crate::air::{AXES, AirGrid, BEYOND, Side};
use crate::simd::{Level, Simd, Work};

use super::chunks::each_chunk;

/// Values on the lower faces of all cells along each axis.
pub(super) type Faces = [Vec<f32>; 3];

/// How much of each lower face is open, and in which rows all of them are.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub faces: Faces,
    /// By rows of the fields.
    free: [Vec<bool>; 3],
    row: usize,
}

impl Open {
    /// All faces shut.
    pub(super) fn shut(grid: AirGrid) -> Self {
        let (row, rows) = (grid.strides()[1], grid.len() / grid.strides()[1]);
        let faces = || vec![0.0; grid.len()];
        let free = || vec![false; rows];
        Self { faces: [faces(), faces(), faces()], free: [free(), free(), free()], row }
    }

    /// The openness of a row of faces that begins at `at`; `None`: all are open.
    #[inline(always)]
    pub(super) fn row(&self, axis: usize, at: usize) -> Option<&[f32]> {
        (!self.free[axis][at / self.row]).then(|| &self.faces[axis][at..])
    }

    /// Finds out whether all `n` faces of the row that begins at `at` are open.
    pub(super) fn survey(&mut self, axis: usize, (at, n): (usize, usize)) {
        self.free[axis][at / self.row] = self.faces[axis][at..at + n].iter().all(|&open| open == 1.0);
    }
}

/// Half a slope after van Leer, monotonised central: the least of both differences and a quarter of their sum, 0 where they have
/// different signs.
#[inline(always)]
pub(super) fn half_slope(left: f32, right: f32) -> f32 {
    let middle = 0.25 * (left + right);
    let low = if left < right { left } else { right };
    let high = if left < right { right } else { left };
    let low = if low < middle { low } else { middle };
    let high = if high > middle { high } else { middle };
    (if low > 0.0 { low } else { 0.0 }) + (if high < 0.0 { high } else { 0.0 })
}

/// Height of a face above its giving cell in a third-order sweep (Leonard 1979), before the share that passes: from the
/// differences behind and ahead of that cell, within both of them, 0 where they have different signs.
#[inline(always)]
fn steepness(behind: f32, ahead: f32, [wide, near]: [f32; 2]) -> f32 {
    let low = if behind < ahead { behind } else { ahead };
    let high = if behind < ahead { ahead } else { behind };
    let third = near * behind + wide * ahead;
    let low = if low < third { low } else { third };
    let high = if high > third { high } else { third };
    (if low > 0.0 { low } else { 0.0 }) + (if high < 0.0 { high } else { 0.0 })
}

/// Where a row reads: the values two before to two after along the axis, and the four speeds around its faces.
struct Window {
    values: [usize; 5],
    speeds: [usize; 4],
}

/// New values of a row of faces; `share` is a quarter of the time.
#[inline(always)]
fn advect(out: &mut [f32], from: &[f32], speeds: &[f32], at: &Window, share: f32) {
    let n = out.len();
    let [f0, f1, f2, f3, f4] = at.values;
    let (f0, f1, f2) = (&from[f0..f0 + n], &from[f1..f1 + n], &from[f2..f2 + n]);
    let (f3, f4) = (&from[f3..f3 + n], &from[f4..f4 + n]);
    let [w0, w1, w2, w3] = at.speeds;
    let (w0, w1) = (&speeds[w0..w0 + n], &speeds[w1..w1 + n]);
    let (w2, w3) = (&speeds[w2..w2 + n], &speeds[w3..w3 + n]);
    for i in 0..n {
        let c = share * ((w0[i] + w1[i]) + (w2[i] + w3[i]));
        let (d0, d1) = (f1[i] - f0[i], f2[i] - f1[i]);
        let (d2, d3) = (f3[i] - f2[i], f4[i] - f3[i]);
        let size = c.abs();
        let rest = 1.0 - size;
        let weights = [(2.0 - size) * (1.0 / 6.0), (1.0 + size) * (1.0 / 6.0)];
        let up = d1 + rest * (steepness(d1, d2, weights) - steepness(d0, d1, weights));
        let down = d2 - rest * (steepness(d3, d2, weights) - steepness(d2, d1, weights));
        let east = if c > 0.0 { c } else { 0.0 };
        let west = if c < 0.0 { c } else { 0.0 };
        out[i] = f2[i] - (east * up + west * down);
    }
}

/// A sweep over some planes of all components.
struct Sweep<'a> {
    grid: AirGrid,
    axis: usize,
    share: f32,
    /// The speeds that carry; what lies beyond the sides stays as it is here.
    speeds: &'a Faces,
    from: &'a Faces,
    to: [&'a mut [f32]; 3],
    /// Plane of the fields at which `to` begins.
    first: usize,
}

impl Work for Sweep<'_> {
    #[inline(always)]
    fn with<S: Simd>(mut self, _: S) {
        let plane = self.grid.strides()[2];
        for k in 0..self.to[0].len() / plane {
            for component in AXES {
                self.plane(component, k);
            }
        }
    }
}

impl Sweep<'_> {
    /// Faces along an axis that have a value of their own: also the last one of an open side.
    #[inline(always)]
    fn count(&self, component: usize, axis: usize) -> usize {
        self.grid.size()[axis] + usize::from(component == axis && self.grid.sides[axis] == Side::Open)
    }

    #[inline(always)]
    fn plane(&mut self, component: usize, k: usize) {
        let (grid, [_, row, plane]) = (self.grid, self.grid.strides());
        let z = (self.first + k).wrapping_sub(BEYOND) as isize;
        let nz = grid.cells.nz as isize;
        let wraps = grid.sides[2] == Side::Wrap;
        let inside = (0..self.count(component, 2) as isize).contains(&z);
        if !inside && !wraps {
            let at = (self.first + k) * plane;
            self.to[component][k * plane..][..plane].copy_from_slice(&self.speeds[component][at..at + plane]);
            return;
        }
        let z = if inside { z } else { z.rem_euclid(nz) } as usize;
        let rows = self.count(component, 1);
        for y in 0..rows {
            self.row(component, [y, z], k * plane + (y + BEYOND) * row);
        }
        // Beyond the floor and the top.
        let known = &self.speeds[component][(z + BEYOND) * plane..][..plane];
        let to = &mut self.to[component][k * plane..][..plane];
        let (floor, top) = (BEYOND * row, (BEYOND + rows) * row);
        to[..floor].copy_from_slice(&known[..floor]);
        to[top..].copy_from_slice(&known[top..]);
    }

    /// A row of faces, with what lies beyond its ends; `to` is where it begins, beyond the first end.
    #[inline(always)]
    fn row(&mut self, component: usize, [y, z]: [usize; 2], to: usize) {
        let (grid, strides) = (self.grid, self.grid.strides());
        let nx = grid.cells.nx;
        let at = grid.at([0, y, z]);
        let index = [0, y, z];
        // Beyond the last face of an open side lies one more value only.
        let last = component == self.axis && self.axis > 0 && index[self.axis] == grid.size()[self.axis];
        let (from, speeds) = (&self.from[component], &self.speeds[self.axis]);
        let out = &mut self.to[component][to..to + strides[1]];
        let window = window(strides, (self.axis, component), at, last);
        advect(&mut out[BEYOND..BEYOND + nx], from, speeds, &window, self.share);
        let known = &self.speeds[component][at - BEYOND..][..strides[1]];
        if grid.sides[0] == Side::Wrap {
            for i in 0..BEYOND {
                out[i] = out[BEYOND + (i + BEYOND * nx - BEYOND) % nx];
            }
            for i in 0..BEYOND {
                out[BEYOND + nx + i] = out[BEYOND + i % nx];
            }
            return;
        }
        out[..BEYOND].copy_from_slice(&known[..BEYOND]);
        let mut end = BEYOND + nx;
        if component == 0 && grid.sides[0] == Side::Open {
            let window = self::window(strides, (self.axis, component), at + nx, last || self.axis == 0);
            advect(&mut out[end..=end], from, speeds, &window, self.share);
            end += 1;
        }
        out[end..].copy_from_slice(&known[end..]);
    }
}

#[inline(always)]
fn window(strides: [usize; 3], (axis, component): (usize, usize), at: usize, last: bool) -> Window {
    let s = strides[axis];
    let values = [at - 2 * s, at - s, at, at + s, if last { at + s } else { at + 2 * s }];
    let speeds = if axis == component {
        [at; 4]
    } else {
        let back = at - strides[component];
        [at, at + s, back, back + s]
    };
    Window { values, speeds }
}

/// One sweep along an axis, of a share of a step.
pub(super) fn sweep(
    grid: AirGrid,
    (axis, time): (usize, f32),
    (speeds, from): (&Faces, &Faces),
    to: &mut Faces,
    simd: Level,
) {
    each_chunk(grid, to, |first, to| {
        simd.run(Sweep { grid, axis, share: 0.25 * time, speeds, from, to, first });
    });
}
