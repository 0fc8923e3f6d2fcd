//! Heightmaps: heights of a piece of land in metres, north up.

use std::path::Path;

use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};

use super::resample::{Window, resample};
use super::{Bounds, Crs, Georeference, TerrainError};
use crate::map::Scale;
use lavoxel_base::memory::MemoryEstimate;

/// Memory of one height of a heightmap in bytes.
pub(super) const BYTES_A_HEIGHT: f64 = 4.0;

impl Georeference {
    /// Georeferences a north-up raster of `(rows, cols)` cells from its north-west corner `(x_west,
    /// y_north)` and the cell size `cell_units` in map units. Also returns the cell size in metres
    /// on the ground at the map's centre.
    ///
    /// # Errors
    /// [`TerrainError::Content`], naming `path`, when the numbers can be no place: cells without a
    /// size, coordinates that are not finite, degrees at or beyond a pole.
    pub(super) fn north_up(
        path: &Path,
        (rows, cols): (usize, usize),
        (x_west, y_north): (f64, f64),
        cell_units: (f64, f64),
        crs: Crs,
    ) -> Result<(Self, (f64, f64)), TerrainError> {
        if !(cell_units.0 > 0.0 && cell_units.1 > 0.0) {
            let found = format!("{} and {}", cell_units.0, cell_units.1);
            return Err(TerrainError::content(path, "cell sizes above 0", found));
        }
        let middle = y_north - 0.5 * rows as f64 * cell_units.1;
        let (east, south) = (
            x_west + cols as f64 * cell_units.0,
            y_north - rows as f64 * cell_units.1,
        );
        let scale = crs
            .scale(Bounds {
                west: x_west,
                south,
                east,
                north: y_north,
            })
            .ok_or_else(|| {
                TerrainError::content(
                    path,
                    "a latitude between the poles in the middle of the map",
                    format!("{middle}°"),
                )
            })?;
        let metres_per_unit = scale.metres_per_unit;
        let cell_size_m = (
            cell_units.0 * metres_per_unit.0,
            cell_units.1 * metres_per_unit.1,
        );
        if ![x_west, middle, cell_size_m.0, cell_size_m.1]
            .iter()
            .all(|v| v.is_finite())
        {
            return Err(TerrainError::content(
                path,
                "a place on a map",
                format!("the corner {x_west}, {y_north}"),
            ));
        }
        Ok((
            Self {
                x_west,
                y_north,
                metres_per_unit,
                crs,
            },
            cell_size_m,
        ))
    }
}

/// Heightmap: heights in metres on a rectangular raster.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightmap {
    /// Heights in metres, shape `(rows, cols)`; row 0 is north, column 0 is west; NaN means no
    /// data.
    pub heights: Array2<f32>,
    /// Width (west to east) and depth (north to south) of a cell in metres.
    pub cell_size_m: (f64, f64),
    /// Georeference of the heightmap's north-west corner; `None` if unknown.
    pub origin: Option<Georeference>,
    /// Notes on assumptions that reading the file made and on data that it ignored, one sentence
    /// each.
    pub notes: Vec<String>,
}

/// Rectangle of cells of a heightmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[usize; 4]", into = "[usize; 4]")]
pub struct Crop {
    /// Index of the westernmost column of the rectangle.
    pub west: usize,
    /// Index of the northernmost row of the rectangle.
    pub north: usize,
    /// Number of columns of the rectangle.
    pub cols: usize,
    /// Number of rows of the rectangle.
    pub rows: usize,
}

impl From<[usize; 4]> for Crop {
    fn from([west, north, cols, rows]: [usize; 4]) -> Self {
        Self {
            west,
            north,
            cols,
            rows,
        }
    }
}

impl From<Crop> for [usize; 4] {
    fn from(crop: Crop) -> Self {
        [crop.west, crop.north, crop.cols, crop.rows]
    }
}

/// Rule for cells of a heightmap that have no data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Fails if the heightmap has cells without data, because filling them invents ground.
    #[default]
    Error,
    /// Fills each cell without data with the height of the nearest cell that has data, by Chebyshev
    /// distance.
    Nearest,
    /// Fills cells without data with the lowest height of the heightmap, so that these cells become
    /// plains.
    Lowest,
    /// Crops the heightmap to the largest rectangle in which all cells have data.
    Cut,
}

/// Summary of a heightmap: size, heights, slopes and position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Number of columns of the heightmap, west to east.
    pub cols: usize,
    /// Number of rows of the heightmap, north to south.
    pub rows: usize,
    /// Number of cells of the heightmap without data.
    pub no_data: usize,
    /// Lowest height of the heightmap in metres; NaN if no cell has data.
    pub min_m: f64,
    /// Highest height of the heightmap in metres; NaN if no cell has data.
    pub max_m: f64,
    /// Mean height of the heightmap in metres; NaN if no cell has data.
    pub mean_m: f64,
    /// Mean slope in degrees over all cells that, like their four neighbours, have data; NaN if
    /// there is no such cell.
    pub slope_mean_deg: f64,
    /// Largest slope in degrees over all cells that, like their four neighbours, have data; NaN if
    /// there is no such cell.
    pub slope_max_deg: f64,
    /// Width of the heightmap from west to east, in metres.
    pub width_m: f64,
    /// Depth of the heightmap from north to south, in metres.
    pub depth_m: f64,
    /// Bounds of the heightmap in map units; `None` without a georeference.
    pub bounds: Option<Bounds>,
    /// Metres on the ground per map unit along x and y, at the heightmap's centre; `None` without a
    /// georeference.
    pub metres_per_unit: Option<(f64, f64)>,
    /// Largest relative deviation of `metres_per_unit` at the corners and edge midpoints; `None`
    /// without a georeference.
    pub scale_varies: Option<f64>,
}

impl Heightmap {
    /// Returns the number of columns of the heightmap (west to east).
    pub fn cols(&self) -> usize {
        self.heights.ncols()
    }

    /// Returns the number of rows of the heightmap (north to south).
    pub fn rows(&self) -> usize {
        self.heights.nrows()
    }

    /// Returns the width (west to east) and the depth (north to south) of the heightmap in metres.
    pub fn extent_m(&self) -> (f64, f64) {
        (
            self.cols() as f64 * self.cell_size_m.0,
            self.rows() as f64 * self.cell_size_m.1,
        )
    }

    /// Returns the number of cells of the heightmap without data.
    pub fn no_data(&self) -> usize {
        self.heights.iter().filter(|h| h.is_nan()).count()
    }

    /// Returns the lowest and the highest height in metres; `None` if no cell has data.
    pub fn range(&self) -> Option<(f32, f32)> {
        self.heights
            .iter()
            .filter(|h| !h.is_nan())
            .fold(None, |range, &h| match range {
                None => Some((h, h)),
                Some((low, high)) => Some((h.min(low), h.max(high))),
            })
    }

    /// Computes size and position of the heightmap, and statistics of its heights and slopes.
    pub fn statistics(&self) -> Statistics {
        let (min, max) = self.range().unwrap_or((f32::NAN, f32::NAN));
        let known = self.heights.len() - self.no_data();
        let sum: f64 = self
            .heights
            .iter()
            .filter(|h| !h.is_nan())
            .map(|&h| f64::from(h))
            .sum();
        let (slope_mean, slope_max) = self.slopes();
        let (width_m, depth_m) = self.extent_m();
        Statistics {
            cols: self.cols(),
            rows: self.rows(),
            no_data: self.heights.len() - known,
            min_m: f64::from(min),
            max_m: f64::from(max),
            mean_m: sum / known as f64,
            slope_mean_deg: slope_mean,
            slope_max_deg: slope_max,
            width_m,
            depth_m,
            bounds: self.bounds(),
            metres_per_unit: self.origin.as_ref().map(|origin| origin.metres_per_unit),
            scale_varies: self
                .bounds()
                .zip(self.origin.as_ref())
                .and_then(|(bounds, origin)| Some(origin.crs.scale(bounds)?.varies)),
        }
    }

    /// Returns the mean and the largest slope in degrees, computed by central differences; NaN if
    /// no cell and its four neighbours have data.
    fn slopes(&self) -> (f64, f64) {
        let h = &self.heights;
        let (mut sum, mut max, mut count) = (0.0, f64::NAN, 0usize);
        for r in 1..self.rows().saturating_sub(1) {
            for c in 1..self.cols() - usize::from(self.cols() > 0) {
                let dx = f64::from(h[[r, c + 1]] - h[[r, c - 1]]) / (2.0 * self.cell_size_m.0);
                let dz = f64::from(h[[r + 1, c]] - h[[r - 1, c]]) / (2.0 * self.cell_size_m.1);
                let slope = dx.hypot(dz).atan().to_degrees();
                if !slope.is_nan() && !h[[r, c]].is_nan() {
                    sum += slope;
                    max = slope.max(max);
                    count += 1;
                }
            }
        }
        (sum / count as f64, max)
    }

    /// Crops to the cell rectangle `crop` and moves the georeference accordingly.
    ///
    /// # Errors
    /// [`TerrainError::Crop`] when the crop is empty or reaches outside.
    pub fn crop(&self, crop: Crop) -> Result<Self, TerrainError> {
        let east = crop
            .west
            .checked_add(crop.cols)
            .filter(|&e| e <= self.cols() && crop.cols > 0);
        let south = crop
            .north
            .checked_add(crop.rows)
            .filter(|&e| e <= self.rows() && crop.rows > 0);
        let (Some(east), Some(south)) = (east, south) else {
            return Err(TerrainError::Crop {
                crop: crop.into(),
                cols: self.cols(),
                rows: self.rows(),
            });
        };
        let mut part = Self {
            heights: self
                .heights
                .slice(s![crop.north..south, crop.west..east])
                .to_owned(),
            cell_size_m: self.cell_size_m,
            origin: self.moved_origin(crop.west as f64, crop.north as f64),
            notes: self.notes.clone(),
        };
        part.measure_again();
        Ok(part)
    }

    /// Computes the cell size of a cropped heightmap again, with the scale of the map at the new
    /// centre.
    fn measure_again(&mut self) {
        let (Some(bounds), Some(origin)) = (self.bounds(), &mut self.origin) else {
            return;
        };
        // A map without a system keeps its original size of cells.
        if origin.crs == Crs::default() {
            return;
        }
        let Some(Scale {
            metres_per_unit: (east, north),
            ..
        }) = origin.crs.scale(bounds)
        else {
            return;
        };
        if origin.metres_per_unit != (east, north) {
            self.cell_size_m.0 *= east / origin.metres_per_unit.0;
            self.cell_size_m.1 *= north / origin.metres_per_unit.1;
            origin.metres_per_unit = (east, north);
        }
    }

    /// Returns an error message with a remedy if the scale varies by more than `MOST_VARIATION`
    /// over the map; otherwise `None`.
    pub(super) fn fault_of_scale(&self) -> Option<String> {
        let (bounds, origin) = (self.bounds()?, self.origin.as_ref()?);
        origin.crs.scale(bounds)?.fault(&origin.crs, bounds)
    }

    /// Returns the georeference of the heightmap without its `cols` western columns and `rows`
    /// northern rows; `None` without a georeference.
    pub(crate) fn moved_origin(&self, cols: f64, rows: f64) -> Option<Georeference> {
        self.origin
            .as_ref()
            .map(|origin| origin.moved(cols * self.cell_size_m.0, rows * self.cell_size_m.1))
    }

    /// Exaggerates the relief: multiplies the difference of each height from `about_m` (metres) by
    /// `factor`.
    pub fn exaggerate(&mut self, factor: f64, about_m: f64) {
        self.heights
            .mapv_inplace(|h| (about_m + (f64::from(h) - about_m) * factor) as f32);
    }

    /// Resamples the land to `cols × rows` cells; see [`resample()`](super::resample::resample) for
    /// the method.
    ///
    /// # Errors
    /// [`TerrainError::TooMuchMemory`] when the new heights take more than allowed.
    pub fn resampled(&self, cols: usize, rows: usize) -> Result<Self, TerrainError> {
        MemoryEstimate::new("the heights of the map", self.heights.len(), BYTES_A_HEIGHT)
            .and(MemoryEstimate::new(
                "the new heights",
                cols.saturating_mul(rows),
                BYTES_A_HEIGHT,
            ))
            .check("bring them onto fewer cells, or crop the map first")?;
        let (wide, deep) = self.extent_m();
        Ok(Self {
            heights: resample(&self.heights, Window::whole(&self.heights), cols, rows),
            cell_size_m: (wide / cols as f64, deep / rows as f64),
            origin: self.origin.clone(),
            notes: self.notes.clone(),
        })
    }
}
