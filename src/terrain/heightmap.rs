//! Heights of a piece of land in metres, north up.

use std::collections::VecDeque;
use std::fmt::{Display, Formatter};

use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};

use super::TerrainError;
use super::cut::largest_whole;
use super::resample::{Window, resample};

/// What the coordinates of a map mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crs {
    /// The coordinate reference system as well-known text, where the file came with one.
    pub wkt: Option<String>,
}

impl Crs {
    /// What the coordinate system is called, such as `WGS 84 / UTM zone 33N`: the first name in its text, if that is one.
    pub fn name(&self) -> Option<&str> {
        self.wkt.as_deref()?.split('"').nth(1).filter(|name| !["", "unnamed", "unknown"].contains(name))
    }
}

/// Where a heightmap lies on the map of its file: north up, in the map's own units.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeference {
    /// Easting (or longitude) of the west edge of column 0 (the edge, not the centre of the cell), in map units.
    pub x_west: f64,
    /// Northing (or latitude) of the north edge of row 0, in map units.
    pub y_north: f64,
    /// Metres in a map unit, along x and along y: 1 for a map in metres, those of a degree for one in degrees.
    pub metres_per_unit: (f64, f64),
    /// What the coordinates mean.
    pub crs: Crs,
}

impl Georeference {
    /// The same map from another corner, so many metres further east and south.
    #[must_use]
    pub fn moved(&self, east_m: f64, south_m: f64) -> Self {
        let (x_west, y_north) = self.to_map(east_m, south_m);
        Self { x_west, y_north, ..self.clone() }
    }

    /// Coordinates on the map of a point so many metres east and south of the north-west corner.
    pub fn to_map(&self, east_m: f64, south_m: f64) -> (f64, f64) {
        (self.x_west + east_m / self.metres_per_unit.0, self.y_north - south_m / self.metres_per_unit.1)
    }

    /// Metres east and south of the north-west corner at which a point of the map lies.
    pub fn from_map(&self, x: f64, y: f64) -> (f64, f64) {
        ((x - self.x_west) * self.metres_per_unit.0, (self.y_north - y) * self.metres_per_unit.1)
    }

    /// The piece of the map that reaches so many metres east and south of the north-west corner.
    pub fn bounds(&self, east_m: f64, south_m: f64) -> Bounds {
        let (east, south) = self.to_map(east_m, south_m);
        Bounds { west: self.x_west, south, east, north: self.y_north }
    }
}

/// Heights in metres on a rectangular raster.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightmap {
    /// Heights in metres, shape `(rows, cols)`; row 0 is north, column 0 is west; NaN where there is no data.
    pub heights: Array2<f32>,
    /// Size of a cell in metres: west to east, then north to south.
    pub cell_size_m: (f64, f64),
    /// Place on the map, where known.
    pub origin: Option<Georeference>,
}

/// A part of a heightmap, in its own cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[usize; 4]", into = "[usize; 4]")]
pub struct Crop {
    /// First column.
    pub west: usize,
    /// First row.
    pub north: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of rows.
    pub rows: usize,
}

impl From<[usize; 4]> for Crop {
    fn from([west, north, cols, rows]: [usize; 4]) -> Self {
        Self { west, north, cols, rows }
    }
}

impl From<Crop> for [usize; 4] {
    fn from(crop: Crop) -> Self {
        [crop.west, crop.north, crop.cols, crop.rows]
    }
}

/// A piece of a map, in its own units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Bounds {
    /// Least easting or longitude.
    pub west: f64,
    /// Least northing or latitude.
    pub south: f64,
    /// Greatest easting or longitude.
    pub east: f64,
    /// Greatest northing or latitude.
    pub north: f64,
}

impl Display for Bounds {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "x {} to {}, y {} to {}", self.west, self.east, self.south, self.north)
    }
}

impl From<[f64; 4]> for Bounds {
    fn from([west, south, east, north]: [f64; 4]) -> Self {
        Self { west, south, east, north }
    }
}

impl From<Bounds> for [f64; 4] {
    fn from(bounds: Bounds) -> Self {
        [bounds.west, bounds.south, bounds.east, bounds.north]
    }
}

/// What to put where a heightmap has no data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Refuse: invented ground should be asked for.
    #[default]
    Error,
    /// The height of the nearest cell with data, counted in king's moves.
    Nearest,
    /// The lowest height there is: the holes become plains.
    Lowest,
    /// Nothing: only the largest rectangle without holes is used.
    Cut,
}

/// What is known of a heightmap at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Columns, west to east.
    pub cols: usize,
    /// Rows, north to south.
    pub rows: usize,
    /// Cells without data.
    pub no_data: usize,
    /// Lowest height in metres; NaN when nothing has data.
    pub min_m: f64,
    /// Highest height in metres; NaN when nothing has data.
    pub max_m: f64,
    /// Mean height in metres; NaN when nothing has data.
    pub mean_m: f64,
    /// Mean slope in degrees, where a cell and its four neighbours have data; NaN when no cell does.
    pub slope_mean_deg: f64,
    /// Steepest slope in degrees, likewise.
    pub slope_max_deg: f64,
    /// West to east, metres.
    pub width_m: f64,
    /// North to south, metres.
    pub depth_m: f64,
    /// West, south, east and north end on the map, where it has a place on one.
    pub bounds: Option<Bounds>,
}

impl Heightmap {
    /// Number of columns (west to east).
    pub fn cols(&self) -> usize {
        self.heights.ncols()
    }

    /// Number of rows (north to south).
    pub fn rows(&self) -> usize {
        self.heights.nrows()
    }

    /// West–east and north–south size in metres.
    pub fn extent_m(&self) -> (f64, f64) {
        (self.cols() as f64 * self.cell_size_m.0, self.rows() as f64 * self.cell_size_m.1)
    }

    /// Number of cells without data.
    pub fn no_data(&self) -> usize {
        self.heights.iter().filter(|h| h.is_nan()).count()
    }

    /// Lowest and highest height in metres, or `None` when nothing has data.
    pub fn range(&self) -> Option<(f32, f32)> {
        self.heights.iter().filter(|h| !h.is_nan()).fold(None, |range, &h| match range {
            None => Some((h, h)),
            Some((low, high)) => Some((h.min(low), h.max(high))),
        })
    }

    /// Measures heights and slopes.
    pub fn statistics(&self) -> Statistics {
        let (min, max) = self.range().unwrap_or((f32::NAN, f32::NAN));
        let known = self.heights.len() - self.no_data();
        let sum: f64 = self.heights.iter().filter(|h| !h.is_nan()).map(|&h| f64::from(h)).sum();
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
        }
    }

    /// Mean and largest slope in degrees by central differences.
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

    /// The part inside `crop`, with its origin moved along.
    ///
    /// # Errors
    /// [`TerrainError::Crop`] when the crop is empty or reaches outside.
    pub fn crop(&self, crop: Crop) -> Result<Self, TerrainError> {
        let east = crop.west.checked_add(crop.cols).filter(|&e| e <= self.cols() && crop.cols > 0);
        let south = crop.north.checked_add(crop.rows).filter(|&e| e <= self.rows() && crop.rows > 0);
        let (Some(east), Some(south)) = (east, south) else {
            return Err(TerrainError::Crop { crop: crop.into(), cols: self.cols(), rows: self.rows() });
        };
        Ok(Self {
            heights: self.heights.slice(s![crop.north..south, crop.west..east]).to_owned(),
            cell_size_m: self.cell_size_m,
            origin: self.moved_origin(crop.west as f64, crop.north as f64),
        })
    }

    /// The origin after cutting away `cols` cells in the west and `rows` in the north.
    pub(crate) fn moved_origin(&self, cols: f64, rows: f64) -> Option<Georeference> {
        self.origin.as_ref().map(|origin| origin.moved(cols * self.cell_size_m.0, rows * self.cell_size_m.1))
    }

    /// Fills cells without data, or cuts them away, by the rule; a heightmap without holes stays as it is.
    ///
    /// # Errors
    /// [`TerrainError::AllNoData`] when there is nothing to fill from, [`TerrainError::NoData`] when the rule is
    /// [`Fill::Error`] and there are holes.
    pub fn fill(&mut self, rule: Fill) -> Result<(), TerrainError> {
        let total = self.heights.len();
        let missing = self.no_data();
        let Some((lowest, _)) = self.range() else {
            return Err(TerrainError::AllNoData { total });
        };
        match rule {
            _ if missing == 0 => {}
            Fill::Error => return Err(TerrainError::NoData { missing, total }),
            Fill::Lowest => self.heights.iter_mut().filter(|h| h.is_nan()).for_each(|h| *h = lowest),
            Fill::Nearest => self.fill_nearest(),
            Fill::Cut => *self = self.crop(largest_whole(&self.heights))?,
        }
        Ok(())
    }

    /// Breadth-first from all known cells at once: each hole takes the height of the cell that reaches it first.
    fn fill_nearest(&mut self) {
        let (rows, cols) = self.heights.dim();
        let mut queue: VecDeque<(usize, usize)> =
            self.heights.indexed_iter().filter(|(_, h)| !h.is_nan()).map(|(at, _)| at).collect();
        while let Some((r, c)) = queue.pop_front() {
            let height = self.heights[[r, c]];
            for nr in r.saturating_sub(1)..=(r + 1).min(rows - 1) {
                for nc in c.saturating_sub(1)..=(c + 1).min(cols - 1) {
                    if self.heights[[nr, nc]].is_nan() {
                        self.heights[[nr, nc]] = height;
                        queue.push_back((nr, nc));
                    }
                }
            }
        }
    }

    /// Stretches heights about `about_m`: 1 leaves them, 2 doubles all differences.
    pub fn exaggerate(&mut self, factor: f64, about_m: f64) {
        self.heights.mapv_inplace(|h| (about_m + (f64::from(h) - about_m) * factor) as f32);
    }

    /// The same land on `cols × rows` cells; see [`resample()`](super::resample::resample) for how.
    pub fn resampled(&self, cols: usize, rows: usize) -> Self {
        let (wide, deep) = self.extent_m();
        Self {
            heights: resample(&self.heights, Window::whole(&self.heights), cols, rows),
            cell_size_m: (wide / cols as f64, deep / rows as f64),
            origin: self.origin.clone(),
        }
    }
}
