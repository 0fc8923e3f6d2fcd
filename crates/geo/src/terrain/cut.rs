//! Crops of a heightmap: by cells, by metres, by map coordinates, or to the largest rectangle
//! without holes.

use ndarray::Array2;

use super::{Bounds, Crop, Heightmap, TerrainError};

/// Returns (first index, number) of the cells between the positions `from` and `to`, in cells, on
/// an axis of `count` cells; both positions are rounded to cell edges. `None` if the range is empty
/// or extends beyond the axis.
fn span(from: f64, to: f64, count: usize) -> Option<(usize, usize)> {
    let (first, end) = (from.round(), to.round());
    (first >= 0.0 && end <= count as f64 && end > first)
        .then_some((first as usize, (end - first) as usize))
}

impl Heightmap {
    /// Returns the bounds of the heightmap in map units; `None` if the heightmap has no
    /// georeference.
    pub fn bounds(&self) -> Option<Bounds> {
        let (wide, deep) = self.extent_m();
        self.origin.as_ref().map(|origin| origin.bounds(wide, deep))
    }

    /// Crops to `bounds` in map units, rounded to the nearest cell edges.
    ///
    /// # Errors
    /// [`TerrainError::Bounds`] when nothing is left or the bounds reach outside, with the bounds
    /// of the heightmap; [`TerrainError::NoPlace`] for a heightmap that has no place on a map.
    pub fn crop_to(&self, bounds: Bounds) -> Result<Self, TerrainError> {
        let (Some(origin), Some(has)) = (&self.origin, self.bounds()) else {
            return Err(TerrainError::NoPlace);
        };
        let [west, east] = origin
            .crs
            .span_near([bounds.west, bounds.east], 0.5 * (has.west + has.east));
        let (west_m, north_m) = origin.from_map(west, bounds.north);
        let (east_m, south_m) = origin.from_map(east, bounds.south);
        self.between((west_m, north_m), (east_m, south_m))
            .ok_or_else(|| TerrainError::Bounds {
                bounds: bounds.into(),
                has: has.into(),
            })
            .and_then(|crop| self.crop(crop))
    }

    /// Crops to `crop_m` = `[west, north, width, depth]` in metres from the north-west corner,
    /// rounded to the nearest cell edges.
    ///
    /// # Errors
    /// [`TerrainError::CropMetres`] when nothing is left or the part reaches outside.
    pub fn crop_metres(&self, crop_m: [f64; 4]) -> Result<Self, TerrainError> {
        let [west, north, wide, deep] = crop_m;
        let (has_wide, has_deep) = self.extent_m();
        self.between((west, north), (west + wide, north + deep))
            .ok_or(TerrainError::CropMetres {
                crop_m,
                has_wide,
                has_deep,
            })
            .and_then(|crop| self.crop(crop))
    }

    /// Returns the rectangle of cells between the corners (`west`, `north`) and (`east`, `south`),
    /// given in metres from the north-west corner; `None` if it is empty or extends beyond the
    /// heightmap.
    fn between(&self, (west, north): (f64, f64), (east, south): (f64, f64)) -> Option<Crop> {
        let (wide, deep) = self.cell_size_m;
        let (west, cols) = span(west / wide, east / wide, self.cols())?;
        let (north, rows) = span(north / deep, south / deep, self.rows())?;
        Some(Crop {
            west,
            north,
            cols,
            rows,
        })
    }
}

/// Returns the largest rectangle of cells without NaN; if several are equal, the one whose last row
/// is northernmost. Empty if all values are NaN.
///
/// For each row, the numbers of consecutive cells with data that end in this row form a histogram
/// over the columns. The largest rectangle under the histogram is found with a stack of increasing
/// heights, in a time proportional to the number of cells.
pub(super) fn largest_whole(heights: &Array2<f32>) -> Crop {
    let mut best = Crop {
        west: 0,
        north: 0,
        cols: 0,
        rows: 0,
    };
    let mut known = vec![0usize; heights.ncols()];
    let mut steps: Vec<(usize, usize)> = Vec::new();
    for (r, row) in heights.rows().into_iter().enumerate() {
        for (count, h) in known.iter_mut().zip(row) {
            *count = if h.is_nan() { 0 } else { *count + 1 };
        }
        // A last step down to 0 closes all rectangles.
        for (c, &count) in known.iter().chain(&[0]).enumerate() {
            let mut start = c;
            while let Some((west, rows)) = steps.pop_if(|(_, rows)| *rows >= count) {
                if rows * (c - west) > best.rows * best.cols {
                    best = Crop {
                        west,
                        north: r + 1 - rows,
                        cols: c - west,
                        rows,
                    };
                }
                start = west;
            }
            if count > 0 {
                steps.push((start, count));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the number of cells of the largest rectangle without NaN, found by trying all
    /// rectangles.
    fn area_by_trial(heights: &Array2<f32>) -> usize {
        let (rows, cols) = heights.dim();
        let whole = |n: usize, s: usize, w: usize, e: usize| {
            heights
                .slice(ndarray::s![n..s, w..e])
                .iter()
                .all(|h| !h.is_nan())
                .then_some((s - n) * (e - w))
        };
        let all = (0..rows).flat_map(|n| {
            (n + 1..=rows).flat_map(move |s| {
                (0..cols).flat_map(move |w| (w + 1..=cols).map(move |e| (n, s, w, e)))
            })
        });
        all.filter_map(|(n, s, w, e)| whole(n, s, w, e))
            .max()
            .unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_largest_part_without_holes_is_found(
            rows in 1usize..7,
            cols in 1usize..7,
            holes in proptest::collection::vec(0.0f32..1.0, 36),
            share in 0.0f32..1.0,
        ) {
            let cell = |(r, c): (usize, usize)| if holes[r * 6 + c] < share { f32::NAN } else { 1.0 };
            let heights = Array2::from_shape_fn((rows, cols), cell);
            let found = largest_whole(&heights);
            prop_assert_eq!(found.rows * found.cols, area_by_trial(&heights));
            let part = heights.slice(ndarray::s![
                found.north..found.north + found.rows,
                found.west..found.west + found.cols
            ]);
            prop_assert!(part.iter().all(|h| !h.is_nan()));
        }
    }
}
