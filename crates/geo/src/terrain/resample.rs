//! Resampling of rasters: area average for coarser cells, Catmull–Rom for finer ones.
//!
//! Each axis is treated separately. Where a new cell covers at least one original cell, its value
//! is the mean of the covered cells, each weighted by the covered part of the cell; this preserves
//! the mean of the raster. Where it covers less, the value is interpolated from the four nearest
//! original cells by a Catmull–Rom cubic, clamped to the range of those cells.
//!
//! No data: if one of the cells that a value needs is NaN, the others are averaged with positive
//! weights (covered part, or linear interpolation); the value is NaN if cells with data have less
//! than half of the weight. Holes thus neither grow nor spread into neighbouring cells.
//!
//! Boundary: beyond the edge, a Catmull–Rom cubic uses the line through the two outermost cells, so
//! that a plane is reproduced up to the centres of the outermost cells. In the outer halves of
//! these cells, values are clamped to the range of the data, which makes the land level there.
//! The kernel `Kernel::Soft` repeats the outermost cell instead.
//!
//! For coarser cells, a plane is reproduced if the ratio of cell sizes is an integer. Where a new
//! cell ends inside an original cell, the covered part counts with the mean height of that cell,
//! which changes the result by at most an eighth of the height difference between neighbouring
//! original cells.

use lavoxel_base::parallel::*;
use ndarray::Array2;

/// Rectangle on a raster in units of its cells; sides may lie inside cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Position of the west side in columns from the raster's west edge.
    pub west: f64,
    /// Position of the north side in rows from the raster's north edge.
    pub north: f64,
    /// Width of the rectangle in columns of the raster.
    pub cols: f64,
    /// Depth of the rectangle in rows of the raster.
    pub rows: f64,
}

impl Window {
    /// Returns the rectangle that covers the whole of `raster`.
    pub fn whole(raster: &Array2<f32>) -> Self {
        Self {
            west: 0.0,
            north: 0.0,
            cols: raster.ncols() as f64,
            rows: raster.nrows() as f64,
        }
    }
}

/// Interpolation kernel for resampling a raster to smaller cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// Catmull–Rom cubic, which passes through the original values of the raster.
    #[default]
    Sharp,
    /// Cubic B-spline, which is smoother but lowers peaks; for pictures, in which kinks would be
    /// visible.
    Soft,
}

/// Original cells along one axis that contribute to one new cell, with their weights.
struct Taps {
    /// Tuples (index of the original cell; weight if all contributing cells have data; weight, at
    /// least 0, otherwise).
    taps: Vec<(usize, f64, f64)>,
}

/// Resamples `window` of `raster` to `rows` × `cols` cells; the result has shape `(rows, cols)`.
///
/// Rows are computed in parallel; every value has one writer, so that the bits do not depend on the
/// number of threads.
pub fn resample(raster: &Array2<f32>, window: Window, cols: usize, rows: usize) -> Array2<f32> {
    resample_with(raster, window, (cols, rows), Kernel::Sharp)
}

/// Resamples `raster` to `cols` × `rows` cells like [`resample`], with the interpolation kernel
/// `kernel` if the new cells are smaller.
pub fn resample_with(
    raster: &Array2<f32>,
    window: Window,
    (cols, rows): (usize, usize),
    kernel: Kernel,
) -> Array2<f32> {
    if raster.is_empty() {
        return Array2::from_elem((rows, cols), f32::NAN);
    }
    let across = axis(
        window.west,
        window.cols / cols as f64,
        (cols, raster.ncols()),
        kernel,
    );
    let down = axis(
        window.north,
        window.rows / rows as f64,
        (rows, raster.nrows()),
        kernel,
    );
    let mut out = Array2::zeros((rows, cols));
    out.as_slice_mut()
        .expect("a new array is contiguous")
        .par_chunks_mut(cols.max(1))
        .zip(&down)
        .for_each(|(line, z)| {
            for (value, x) in line.iter_mut().zip(&across) {
                *value = sample(raster, x, z);
            }
        });
    out
}

/// Returns the contributing original cells for each of `count` new cells along an axis of `old`
/// original cells. The first new cell begins at `start`, and each is `step` long (both in original
/// cells).
fn axis(start: f64, step: f64, (count, old): (usize, usize), kernel: Kernel) -> Vec<Taps> {
    (0..count)
        .map(|i| start + i as f64 * step)
        .map(|from| {
            if step >= 1.0 {
                area(from, step, old)
            } else {
                cubic(from + 0.5 * step, old, kernel)
            }
        })
        .collect()
}

/// Returns the original cells, of `old` on the axis, that overlap the new cell of the length `step`
/// that begins at `from` (both in original cells), weighted in proportion to the overlap.
fn area(from: f64, step: f64, old: usize) -> Taps {
    let to = from + step;
    let first = from.floor() as isize;
    let last = (to.ceil() as isize - 1).max(first);
    let taps = (first..=last)
        .map(|i| {
            let share = (to.min(i as f64 + 1.0) - from.max(i as f64)) / step;
            (clamp(i, old), share, share)
        })
        // Rounding can leave a sliver of the next cell; its NaN must not count as a missing
        // neighbour.
        .filter(|&(_, share, _)| share > 1e-9)
        .collect();
    Taps { taps }
}

/// Returns the four original cells, of `old` on the axis, around the position `at` (in cells), with
/// their weights for the cubic `kernel` and for linear interpolation.
fn cubic(at: f64, old: usize, kernel: Kernel) -> Taps {
    let base = (at - 0.5).floor();
    let t = at - 0.5 - base;
    let sharp = match kernel {
        Kernel::Sharp => [
            0.5 * t * (-1.0 + t * (2.0 - t)),
            0.5 * (2.0 + t * t * (-5.0 + 3.0 * t)),
            0.5 * t * (1.0 + t * (4.0 - 3.0 * t)),
            0.5 * t * t * (t - 1.0),
        ],
        Kernel::Soft => {
            let s = 1.0 - t;
            let inner = |t: f64| (4.0 + t * t * (3.0 * t - 6.0)) / 6.0;
            [s * s * s / 6.0, inner(t), inner(s), t * t * t / 6.0]
        }
    };
    // Linear weights for incomplete data: cubic weights are negative in part.
    let plain = [0.0, 1.0 - t, t, 0.0];
    let taps = (0..4)
        .flat_map(|k| {
            let i = base as isize - 1 + k as isize;
            match kernel {
                Kernel::Sharp => tap(i, old, sharp[k], plain[k]),
                Kernel::Soft => [(clamp(i, old), sharp[k], plain[k]), (0, 0.0, 0.0)],
            }
        })
        .filter(|&(_, sharp, plain)| sharp != 0.0 || plain != 0.0)
        .collect();
    Taps { taps }
}

/// Returns the contributions (index, weight with data everywhere, weight otherwise) of the original
/// cell with the index `i` on an axis of `old` cells. If `i` lies beyond the edge, `sharp` is given
/// to the two outermost cells (linear extrapolation) and `plain` to the outermost one.
fn tap(i: isize, old: usize, sharp: f64, plain: f64) -> [(usize, f64, f64); 2] {
    let nearest = clamp(i, old);
    let beyond = i.abs_diff(nearest as isize) as f64;
    let inner = if i < 0 {
        clamp(1, old)
    } else {
        clamp(old as isize - 2, old)
    };
    [
        (nearest, sharp * (1.0 + beyond), plain),
        (inner, -sharp * beyond, 0.0),
    ]
}

fn clamp(i: isize, old: usize) -> usize {
    i.clamp(0, old as isize - 1) as usize
}

/// Returns the value of a new cell of `raster`; NaN if cells with data have less than half of the
/// weight. The weight of an original cell is the product of its weights in `across` (along the row)
/// and `down` (along the column).
fn sample(raster: &Array2<f32>, across: &Taps, down: &Taps) -> f32 {
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    let (mut sum, mut plain_sum, mut plain_weight, mut complete) = (0.0, 0.0, 0.0, true);
    for &(r, sharp_z, plain_z) in &down.taps {
        for &(c, sharp_x, plain_x) in &across.taps {
            let h = raster[[r, c]];
            if h.is_nan() {
                complete = false;
                continue;
            }
            (low, high) = (low.min(h), high.max(h));
            sum += sharp_z * sharp_x * f64::from(h);
            plain_sum += plain_z * plain_x * f64::from(h);
            plain_weight += plain_z * plain_x;
        }
    }
    if complete {
        (sum as f32).clamp(low, high)
    } else if plain_weight >= 0.5 - 1e-9 {
        (plain_sum / plain_weight) as f32
    } else {
        f32::NAN
    }
}
