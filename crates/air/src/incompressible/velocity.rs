//! Advection of the velocity by itself: one sweep along each axis in advective form, upwind, of
//! third order with limited face values. Faces whose values move by whole cells are in `far`.

use crate::{AXES, AirGrid, BEYOND, Side};
use lavoxel_base::simd::{Level, Simd, Work};

use super::chunks::each_chunk;
use super::far::Rows;

/// Values on the lower faces of all cells: one array each for the faces along x, y and z.
pub(super) type Faces = [Vec<f32>; 3];

/// Open share (0 to 1) of each lower face, with a flag for each row of faces that are all fully
/// open.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub faces: Faces,
    /// Flag of each row of faces along each axis: true if all faces of the row are fully open.
    free: [Vec<bool>; 3],
    row: usize,
}

impl Open {
    /// Returns a state with all faces closed.
    pub(super) fn shut(grid: AirGrid) -> Self {
        let (row, rows) = (grid.strides()[1], grid.len() / grid.strides()[1]);
        let faces = || vec![0.0; grid.len()];
        let free = || vec![false; rows];
        Self {
            faces: [faces(), faces(), faces()],
            free: [free(), free(), free()],
            row,
        }
    }

    /// Open shares of the row of faces along `axis` that starts at index `at`; `None` if all faces
    /// of the row are fully open.
    #[inline(always)]
    pub(super) fn row(&self, axis: usize, at: usize) -> Option<&[f32]> {
        (!self.free[axis][at / self.row]).then(|| &self.faces[axis][at..])
    }

    /// Updates the flag of the row of `n` faces along `axis` that starts at index `at`: true if all
    /// faces are fully open.
    pub(super) fn survey(&mut self, axis: usize, (at, n): (usize, usize)) {
        self.free[axis][at / self.row] =
            self.faces[axis][at..at + n].iter().all(|&open| open == 1.0);
    }
}

/// Half the slope in a cell after van Leer's monotonised central limiter, from the differences
/// `left` and `right` to its neighbours: the smallest in magnitude of `left`, `right` and a quarter
/// of their sum; 0 if `left` and `right` have different signs.
#[inline(always)]
pub(super) fn half_slope(left: f32, right: f32) -> f32 {
    let middle = 0.25 * (left + right);
    let low = if left < right { left } else { right };
    let high = if left < right { right } else { left };
    let low = if low < middle { low } else { middle };
    let high = if high > middle { high } else { middle };
    (if low > 0.0 { low } else { 0.0 }) + (if high < 0.0 { high } else { 0.0 })
}

/// Limited difference between the value on a face and the value of the donor cell in a third-order
/// sweep (Leonard 1979), without the factor of the Courant number: `near` · `behind` + `wide` ·
/// `ahead`, where `behind` and `ahead` are the differences from the donor cell to its neighbours,
/// but at most as large as each of these differences; 0 if their signs differ.
#[inline(always)]
fn steepness(behind: f32, ahead: f32, [wide, near]: [f32; 2]) -> f32 {
    let low = if behind < ahead { behind } else { ahead };
    let high = if behind < ahead { ahead } else { behind };
    let third = near * behind + wide * ahead;
    let low = if low < third { low } else { third };
    let high = if high > third { high } else { third };
    (if low > 0.0 { low } else { 0.0 }) + (if high < 0.0 { high } else { 0.0 })
}

/// Start indices of the five rows of a stencil along the axis of the sweep, from two cells before
/// to two after.
type Window = [usize; 5];

/// New value of a face whose value moves by `c` cells (−1 to 1). `f0` to `f4`: five old values
/// along the axis; `f2` is that of the face.
#[inline(always)]
pub(super) fn advected([f0, f1, f2, f3, f4]: [f32; 5], c: f32) -> f32 {
    let (d0, d1, d2, d3) = (f1 - f0, f2 - f1, f3 - f2, f4 - f3);
    let size = c.abs();
    let rest = 1.0 - size;
    let weights = [(2.0 - size) * (1.0 / 6.0), (1.0 + size) * (1.0 / 6.0)];
    // Difference behind the donor, difference between donor and the face's own value, and
    // difference ahead, by the direction of motion.
    let is_east = c > 0.0;
    let behind = if is_east { d0 } else { d3 };
    let near = if is_east { d1 } else { d2 };
    let ahead = if is_east { d2 } else { d1 };
    f2 - c * (near + rest * (steepness(near, ahead, weights) - steepness(behind, near, weights)))
}

/// Computes new values of a row of faces whose values move by less than one cell. `at`: start
/// indices of the stencil's rows in `from`; `around`: start indices of the four advecting
/// velocities in `speeds`; `share`: a quarter of the time in steps.
#[inline(always)]
fn advect(
    out: &mut [f32],
    from: &[f32],
    at: Window,
    (speeds, around, share): (&[f32], [usize; 4], f32),
) {
    let n = out.len();
    let [f0, f1, f2, f3, f4] = at;
    let (f0, f1, f2) = (&from[f0..f0 + n], &from[f1..f1 + n], &from[f2..f2 + n]);
    let (f3, f4) = (&from[f3..f3 + n], &from[f4..f4 + n]);
    let [w0, w1, w2, w3] = around;
    let (w0, w1) = (&speeds[w0..w0 + n], &speeds[w1..w1 + n]);
    let (w2, w3) = (&speeds[w2..w2 + n], &speeds[w3..w3 + n]);
    for i in 0..n {
        let c = share * ((w0[i] + w1[i]) + (w2[i] + w3[i]));
        out[i] = advected([f0[i], f1[i], f2[i], f3[i], f4[i]], c);
    }
}

/// Advection sweep of all velocity components along one axis.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub grid: AirGrid,
    pub axis: usize,
    /// A quarter of the time by which the sweep advances the velocity, in steps; multiplies the sum
    /// of four velocities.
    pub share: f32,
    /// Velocity by which the values `from` are moved; also the source of the values beyond the
    /// sides.
    pub speeds: &'a Faces,
    pub open: &'a Open,
    pub from: &'a Faces,
    /// Far flag: true if the value of some face may move by one or more whole cells.
    pub is_far: bool,
}

/// Advection sweep of all velocity components for a range of planes of equal z.
struct Planes<'a> {
    sweep: Sweep<'a>,
    to: [&'a mut [f32]; 3],
    /// Index in the fields, halo included, of the first plane of `to`.
    first: usize,
}

impl Work for Planes<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let Self { sweep, to, first } = self;
        let plane = sweep.grid.strides()[2];
        let mut far = Rows::new(sweep.grid.cells.nx);
        for k in 0..to[0].len() / plane {
            for component in AXES {
                let to = &mut to[component][k * plane..][..plane];
                sweep.plane(component, first + k, to, &mut far);
            }
        }
    }
}

impl Sweep<'_> {
    /// Number of faces of `component` along `axis` whose values are computed, including the last
    /// face at an open side.
    #[inline(always)]
    fn count(&self, component: usize, axis: usize) -> usize {
        self.grid.size()[axis]
            + usize::from(component == axis && self.grid.sides[axis] == Side::Open)
    }

    #[inline(always)]
    fn plane(&self, component: usize, at: usize, to: &mut [f32], far: &mut Rows) {
        let (grid, [_, row, plane]) = (self.grid, self.grid.strides());
        let z = at.wrapping_sub(BEYOND) as isize;
        let nz = grid.cells.nz as isize;
        let wraps = grid.sides[2] == Side::Wrap;
        let inside = (0..self.count(component, 2) as isize).contains(&z);
        if !inside && !wraps {
            to.copy_from_slice(&self.speeds[component][at * plane..(at + 1) * plane]);
            return;
        }
        let z = if inside { z } else { z.rem_euclid(nz) } as usize;
        let rows = self.count(component, 1);
        for y in 0..rows {
            self.row(
                component,
                [y, z],
                &mut to[(y + BEYOND) * row..(y + BEYOND + 1) * row],
                far,
            );
        }
        // Values beyond the floor and the top stay as known.
        let known = &self.speeds[component][(z + BEYOND) * plane..][..plane];
        let (floor, top) = (BEYOND * row, (BEYOND + rows) * row);
        to[..floor].copy_from_slice(&known[..floor]);
        to[top..].copy_from_slice(&known[top..]);
    }

    /// Computes new velocities of `component` on the row `[y, z]` of faces, with [`BEYOND`] halo
    /// values at both ends.
    #[inline(always)]
    fn row(&self, component: usize, [y, z]: [usize; 2], out: &mut [f32], far: &mut Rows) {
        let (grid, nx, n) = (self.grid, self.grid.cells.nx, self.count(component, 0));
        let known = &self.speeds[component][grid.at([0, y, z]) - BEYOND..];
        for k in 0..BEYOND {
            // The first value beyond the end may be the last face of an open side, which is
            // computed below.
            (out[k], out[BEYOND + nx + k]) = (known[k], known[BEYOND + nx + k]);
        }
        if !self.is_far || !self.far_row(component, [y, z], &mut out[BEYOND..BEYOND + n], far) {
            self.near_row(component, [y, z], &mut out[BEYOND..BEYOND + n]);
        }
        if grid.sides[0] == Side::Wrap {
            for k in 0..BEYOND {
                out[k] = out[BEYOND + (k + BEYOND * nx - BEYOND) % nx];
                out[BEYOND + nx + k] = out[BEYOND + k % nx];
            }
        }
    }

    /// Computes new velocities of `component` on the row `[y, z]` of faces, whose values move by
    /// less than one cell.
    #[inline(always)]
    fn near_row(&self, component: usize, [y, z]: [usize; 2], out: &mut [f32]) {
        let (grid, nx) = (self.grid, self.grid.cells.nx);
        let (at, index, s) = (grid.at([0, y, z]), [0, y, z], grid.strides()[self.axis]);
        // Beyond the last face of an open side lies only one more value.
        let last =
            component == self.axis && self.axis > 0 && index[self.axis] == grid.size()[self.axis];
        let window = |at: usize, last: bool| {
            [
                at - 2 * s,
                at - s,
                at,
                at + s,
                if last { at + s } else { at + 2 * s },
            ]
        };
        let from = &self.from[component];
        let moved = (
            &self.speeds[self.axis][..],
            self.advecting_starts(component, [y, z]),
            self.share,
        );
        let (row, end) = out.split_at_mut(nx);
        advect(row, from, window(at, last), moved);
        let (speeds, around, share) = moved;
        let end_window = window(at + nx, last || self.axis == 0);
        advect(
            end,
            from,
            end_window,
            (speeds, around.map(|at| at + nx), share),
        );
    }

    /// Start indices of the rows of the four advecting velocities around the faces of the row `[y,
    /// z]`; their mean moves the value of `component` on a face.
    #[inline(always)]
    pub(super) fn advecting_starts(&self, component: usize, [y, z]: [usize; 2]) -> [usize; 4] {
        let (at, strides) = (self.grid.at([0, y, z]), self.grid.strides());
        if component == self.axis {
            return [at; 4];
        }
        let (s, back) = (strides[self.axis], at - strides[component]);
        [at, at + s, back, back + s]
    }
}

/// Advects all velocity components along one axis, and writes the results to `to`.
pub(super) fn sweep(sweep: Sweep<'_>, to: &mut Faces, simd: Level) {
    each_chunk(sweep.grid, to, |first, to| {
        simd.run(Planes { sweep, to, first })
    });
}
