//! Georeference of a raster: its position on a map, in map units.

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

use super::Crs;
use super::crs::MapUnit;
use lavoxel_base::words::short;

/// Position of a north-up raster on a map, and scale and coordinate system of the map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Georeference {
    /// Easting or longitude of the west edge of the raster's column 0, in map units.
    pub x_west: f64,
    /// Northing or latitude of the north edge of the raster's row 0, in map units.
    pub y_north: f64,
    /// Metres on the ground per map unit, along x and along y ([`Scale`](super::Scale)): 1 for a
    /// surveyor's map in metres, 0.44 for Web Mercator at 64°, the length of a degree for a map in
    /// degrees.
    pub metres_per_unit: (f64, f64),
    /// Coordinate system of the map on which the raster lies.
    pub crs: Crs,
}

impl Georeference {
    /// Returns a copy of the georeference for a raster whose north-west corner lies `east_m` metres
    /// east and `south_m` metres south of this raster's corner, measured on the ground.
    #[must_use]
    pub fn moved(&self, east_m: f64, south_m: f64) -> Self {
        let (x_west, y_north) = self.to_map(east_m, south_m);
        Self {
            x_west,
            y_north,
            ..self.clone()
        }
    }

    /// Returns the map coordinates (x, y) of the point `east_m` metres east and `south_m` metres
    /// south of the raster's north-west corner.
    pub fn to_map(&self, east_m: f64, south_m: f64) -> (f64, f64) {
        (
            self.x_west + east_m / self.metres_per_unit.0,
            self.y_north - south_m / self.metres_per_unit.1,
        )
    }

    /// Returns the distances (east, south) in metres on the ground from the raster's north-west
    /// corner to the map point (`x`, `y`).
    pub fn from_map(&self, x: f64, y: f64) -> (f64, f64) {
        (
            (x - self.x_west) * self.metres_per_unit.0,
            (self.y_north - y) * self.metres_per_unit.1,
        )
    }

    /// Returns a note for the user on the map's scale factor, if a metre or foot of the map differs
    /// from one on the ground; `None` otherwise, and for maps in degrees.
    pub fn scale_in_words(&self) -> Option<String> {
        let MapUnit::Length(metres) = self.crs.unit() else {
            return None;
        };
        let (east, north) = self.metres_per_unit;
        let is_square = (east / north - 1.0).abs() < 1e-4;
        (self.metres_per_unit != (metres, metres)).then(|| {
            let unit = if metres == 1.0 { "metre" } else { "unit" };
            let size = if is_square {
                short(east, 4).to_string()
            } else {
                format!("{} × {}", short(east, 4), short(north, 4))
            };
            format!("a {unit} of this map is {size} m on the ground, in the middle")
        })
    }

    /// Returns the map coordinates of the centre of a rectangle that extends `east_m` metres east
    /// and `south_m` metres south of the raster's north-west corner.
    pub fn middle(&self, east_m: f64, south_m: f64) -> [f64; 2] {
        self.to_map(0.5 * east_m, 0.5 * south_m).into()
    }

    /// Returns the map bounds of a rectangle that extends `east_m` metres east and `south_m` metres
    /// south of the raster's north-west corner.
    pub fn bounds(&self, east_m: f64, south_m: f64) -> Bounds {
        let (east, south) = self.to_map(east_m, south_m);
        Bounds {
            west: self.x_west,
            south,
            east,
            north: self.y_north,
        }
    }
}

/// Bounding rectangle on a map, in map units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 4]", into = "[f64; 4]")]
pub struct Bounds {
    /// Easting or longitude of the rectangle's west side, in map units.
    pub west: f64,
    /// Northing or latitude of the rectangle's south side, in map units.
    pub south: f64,
    /// Easting or longitude of the rectangle's east side, in map units.
    pub east: f64,
    /// Northing or latitude of the rectangle's north side, in map units.
    pub north: f64,
}

impl Display for Bounds {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "x {} to {}, y {} to {}",
            self.west, self.east, self.south, self.north
        )
    }
}

impl From<[f64; 4]> for Bounds {
    fn from([west, south, east, north]: [f64; 4]) -> Self {
        Self {
            west,
            south,
            east,
            north,
        }
    }
}

impl From<Bounds> for [f64; 4] {
    fn from(bounds: Bounds) -> Self {
        [bounds.west, bounds.south, bounds.east, bounds.north]
    }
}
