//! Conversion of rotated, sheared or mirrored rasters to north up.

use std::path::Path;

use ndarray::{Array2, Axis};

use crate::terrain::cut::largest_whole;
use crate::terrain::error::MAX_SAMPLES;
use crate::terrain::{Crop, TerrainError};
use lavoxel_base::memory::MemoryEstimate;

/// Memory of one height of a heightmap (`f32`) in bytes.
const BYTES_A_HEIGHT: f64 = 4.0;

/// Affine transform of a raster: the corner of the cell in column `c` and row `r` lies at the map
/// point `origin + c · along_row + r · along_column`, in map units (east, north).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine {
    pub(super) origin: (f64, f64),
    /// Vector from the corner of a cell to that of the next cell in its row, in map units (east,
    /// north).
    pub(super) along_row: (f64, f64),
    /// Vector from the corner of a cell to that of the next cell in its column, in map units (east,
    /// north).
    pub(super) along_column: (f64, f64),
}

/// Position of a raster whose row 0 is in the north and column 0 in the west.
pub(super) struct NorthUp {
    pub(super) heights: Array2<f32>,
    /// Map coordinates of the north-west corner of the north-up raster.
    pub(super) north_west: (f64, f64),
    /// Cell size of the north-up raster along x and y, in map units.
    pub(super) cell: (f64, f64),
    /// Largest rectangle of north-up cells that all lie inside the original raster; `None` if the
    /// original was neither rotated nor sheared.
    pub(super) whole: Option<Crop>,
}

/// Converts a raster to north up. An axis-aligned raster is mirrored losslessly where columns run
/// west or rows run north. A rotated or sheared raster is interpolated bilinearly to cells of the
/// same size; points outside the raster, or next to a cell without data, get no data.
///
/// # Errors
/// [`TerrainError::Content`] when the steps span no area, [`TerrainError::TooLarge`] or
/// [`TerrainError::Memory`] when the north-up raster is too large.
pub(super) fn north_up(
    mut heights: Array2<f32>,
    affine: &Affine,
    path: &Path,
) -> Result<NorthUp, TerrainError> {
    let Affine {
        mut origin,
        along_row: (dx, skew_y),
        along_column: (skew_x, dy),
    } = *affine;
    // Programs that turn by 0° leave rounding in the skew; a thousandth of a cell at the far end
    // counts as none.
    let (rows, cols) = heights.dim();
    let straight = skew_y.abs() * cols as f64 <= 1e-3 * dy.abs()
        && skew_x.abs() * rows as f64 <= 1e-3 * dx.abs();
    if !straight {
        return resampled(&heights, affine, path);
    }
    if dx < 0.0 {
        heights.invert_axis(Axis(1));
        origin.0 += dx * cols as f64;
    }
    if dy > 0.0 {
        heights.invert_axis(Axis(0));
        origin.1 += dy * rows as f64;
    }
    let heights = heights.as_standard_layout().into_owned();
    Ok(NorthUp {
        heights,
        north_west: origin,
        cell: (dx.abs(), dy.abs()),
        whole: None,
    })
}

fn resampled(heights: &Array2<f32>, affine: &Affine, path: &Path) -> Result<NorthUp, TerrainError> {
    let (rows, cols) = heights.dim();
    let Affine {
        origin,
        along_row: u,
        along_column: v,
    } = *affine;
    let area = u.0 * v.1 - u.1 * v.0;
    let (along_row, along_column) = (u.0.hypot(u.1), v.0.hypot(v.1));
    // After a quarter turn a raster's columns run along the map's rows.
    let turned = u.1.abs() > u.0.abs();
    let cell = if turned {
        (along_column, along_row)
    } else {
        (along_row, along_column)
    };
    if !(area.abs() > 1e-6 * cell.0 * cell.1 && area.is_finite()) {
        return Err(TerrainError::content(
            path,
            "a transformation that spans an area",
            "one that does not",
        ));
    }
    let at = |c: f64, r: f64| (origin.0 + c * u.0 + r * v.0, origin.1 + c * u.1 + r * v.1);
    let (wide, deep) = (cols as f64, rows as f64);
    let corners = [at(0.0, 0.0), at(wide, 0.0), at(0.0, deep), at(wide, deep)];
    let bound = |pick: fn(f64, f64) -> f64, axis: fn(&(f64, f64)) -> f64| {
        corners.iter().map(axis).fold(f64::NAN, pick)
    };
    let (west, east) = (bound(f64::min, |p| p.0), bound(f64::max, |p| p.0));
    let (south, north) = (bound(f64::min, |p| p.1), bound(f64::max, |p| p.1));
    // A raster that fits to a millionth of a cell needs no further column.
    let count = |length: f64, cell: f64| (length / cell - 1e-6).ceil().max(1.0);
    let (across, down) = (count(east - west, cell.0), count(north - south, cell.1));
    if !(0.0..=MAX_SAMPLES as f64).contains(&(across * down)) {
        return Err(TerrainError::TooLarge {
            path: path.to_owned(),
            cols: across as usize,
            rows: down as usize,
        });
    }
    MemoryEstimate::new("the heights of the file", heights.len(), BYTES_A_HEIGHT)
        .and(MemoryEstimate::new(
            "the raster turned north up",
            (across * down) as usize,
            2.0 * BYTES_A_HEIGHT,
        ))
        .check("turn and cut it first, for example with gdalwarp")
        .map_err(TerrainError::memory(path))?;
    let place = |(row, col): (usize, usize)| {
        let x = west + (col as f64 + 0.5) * cell.0 - origin.0;
        let y = north - (row as f64 + 0.5) * cell.1 - origin.1;
        [
            (v.1 * x - v.0 * y) / area - 0.5,
            (u.0 * y - u.1 * x) / area - 0.5,
        ]
    };
    let size = (down as usize, across as usize);
    let is_inside = |at| {
        if contains(place(at), heights.dim()) {
            0.0
        } else {
            f32::NAN
        }
    };
    let whole = largest_whole(&Array2::from_shape_fn(size, is_inside));
    let is_all = (whole.rows, whole.cols) == size;
    let heights = Array2::from_shape_fn(size, |at| linear(heights, place(at)));
    Ok(NorthUp {
        heights,
        north_west: (west, north),
        cell,
        whole: (!is_all).then_some(whole),
    })
}

/// Returns true if the position `[col, row]`, in cells from the centre of the north-west cell, lies
/// in a raster of `(rows, cols)` cells.
fn contains([col, row]: [f64; 2], (rows, cols): (usize, usize)) -> bool {
    let edge = 0.5 + 1e-6;
    (-edge..=cols as f64 - 1.0 + edge).contains(&col)
        && (-edge..=rows as f64 - 1.0 + edge).contains(&row)
}

/// Returns the height at the position `[col, row]`, in cells from the centre of the cell (0, 0),
/// interpolated bilinearly; NaN outside of the raster.
fn linear(heights: &Array2<f32>, [col, row]: [f64; 2]) -> f32 {
    let (rows, cols) = heights.dim();
    if !contains([col, row], (rows, cols)) {
        return f32::NAN;
    }
    let (west, right) = between(col, cols);
    let (north, below) = between(row, rows);
    let corners = [
        (north, west, (1.0 - right) * (1.0 - below)),
        (north, west + 1, right * (1.0 - below)),
        (north + 1, west, (1.0 - right) * below),
        (north + 1, west + 1, right * below),
    ];
    // A cell without a share must not spread its missing data.
    let shares = corners.iter().filter(|(_, _, share)| *share > 0.0);
    shares
        .map(|(r, c, share)| f64::from(heights[[*r, *c]]) * share)
        .sum::<f64>() as f32
}

/// Returns the index of the cell whose centre is at or before `position` on an axis of `count`
/// cells, and the weight (0 to 1) of the cell after it, which is 0 in the outer halves of the first
/// and the last cell.
fn between(position: f64, count: usize) -> (usize, f64) {
    let position = position.clamp(0.0, (count - 1) as f64);
    let nearest = position.round();
    // A residue from rounding of the map's coordinates is no distance.
    let position = if (position - nearest).abs() < 1e-6 {
        nearest
    } else {
        position
    };
    (position as usize, position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(rows: usize, cols: usize) -> Array2<f32> {
        Array2::from_shape_fn((rows, cols), |(r, c)| 10.0 * r as f32 + c as f32)
    }

    #[test]
    fn mirrored_rasters_are_turned_back() {
        let affine = Affine {
            origin: (30.0, 0.0),
            along_row: (-10.0, 0.0),
            along_column: (0.0, 5.0),
        };
        let raster = north_up(plane(2, 3), &affine, Path::new("a")).expect("a raster");
        assert_eq!((raster.north_west, raster.cell), ((0.0, 10.0), (10.0, 5.0)));
        assert_eq!(
            raster.heights,
            ndarray::arr2(&[[12.0, 11.0, 10.0], [2.0, 1.0, 0.0]])
        );
    }

    #[test]
    fn a_quarter_turn_is_exact() {
        // Columns run south, rows run west.
        let affine = Affine {
            origin: (100.0, 100.0),
            along_row: (0.0, -10.0),
            along_column: (-5.0, 0.0),
        };
        let raster = north_up(plane(2, 3), &affine, Path::new("a")).expect("a raster");
        assert_eq!(
            (raster.north_west, raster.cell),
            ((90.0, 100.0), (5.0, 10.0))
        );
        assert_eq!(
            raster.heights,
            ndarray::arr2(&[[10.0, 0.0], [11.0, 1.0], [12.0, 2.0]])
        );
    }

    #[test]
    fn a_turned_plane_stays_a_plane() {
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let affine = Affine {
            origin: (500.0, 700.0),
            along_row: (10.0 * cos, 10.0 * sin),
            along_column: (10.0 * sin, -10.0 * cos),
        };
        // Heights that fall to the south by one metre in ten on the map.
        let middle = |r: usize, c: usize| {
            let (r, c) = (r as f64 + 0.5, c as f64 + 0.5);
            700.0 + c * affine.along_row.1 + r * affine.along_column.1
        };
        let heights = Array2::from_shape_fn((20, 30), |(r, c)| (0.1 * middle(r, c)) as f32);
        let raster = north_up(heights, &affine, Path::new("a")).expect("a raster");
        let known: Vec<_> = raster
            .heights
            .indexed_iter()
            .filter(|(_, h)| !h.is_nan())
            .collect();
        assert!(known.len() > 550 && known.len() < raster.heights.len());
        let mut checked = 0;
        for ((r, c), h) in known {
            let y = raster.north_west.1 - 10.0 * (r as f64 + 0.5);
            // At the edge the outer cell is extended by half a cell, which makes no plane.
            let around = [(-2, 0), (2, 0), (0, -2), (0, 2)]
                .map(|(dr, dc)| (r as isize + dr, c as isize + dc));
            let known = |(r, c): &(isize, isize)| {
                raster
                    .heights
                    .get([*r as usize, *c as usize])
                    .is_some_and(|h| !h.is_nan())
            };
            if around.iter().all(known) {
                assert!(
                    (f64::from(*h) - 0.1 * y).abs() < 1e-3,
                    "{r}, {c}: {h} at {y}"
                );
                checked += 1;
            }
        }
        assert!(checked > 350);
    }

    #[test]
    fn what_spans_no_area_is_refused() {
        let affine = Affine {
            origin: (0.0, 0.0),
            along_row: (1.0, 1.0),
            along_column: (1.0, 1.0),
        };
        assert!(north_up(plane(2, 2), &affine, Path::new("a")).is_err());
        let affine = Affine {
            origin: (0.0, 0.0),
            along_row: (1.0, 0.0),
            along_column: (1e9, 1.0),
        };
        assert!(north_up(plane(2, 2), &affine, Path::new("a")).is_err());
    }
}
