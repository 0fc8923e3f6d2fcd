//! Position and size of a raster on a map.

use super::{Bounds, Georeference};

/// Position, size and cell size of a north-up raster, in map units (metres if there is no map).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Number of columns of the raster, west to east.
    pub cols: usize,
    /// Number of rows of the raster, north to south.
    pub rows: usize,
    /// Easting or longitude of the west edge of the raster's column 0, in map units.
    pub west: f64,
    /// Northing or latitude of the north edge of the raster's row 0, in map units.
    pub north: f64,
    /// Cell size of the raster along x and along y, in map units.
    pub cell: (f64, f64),
}

impl Placement {
    /// Creates the placement of a raster of `(rows, cols)` cells. `origin`: georeference of its
    /// north-west corner; `None`: the south-west corner is (0, 0), in metres. `cell_size_m`: width
    /// and depth of a cell in metres.
    pub fn new(
        origin: Option<&Georeference>,
        cell_size_m: (f64, f64),
        (rows, cols): (usize, usize),
    ) -> Self {
        match origin {
            Some(origin) => {
                let cell = (
                    cell_size_m.0 / origin.metres_per_unit.0,
                    cell_size_m.1 / origin.metres_per_unit.1,
                );
                Self {
                    cols,
                    rows,
                    west: origin.x_west,
                    north: origin.y_north,
                    cell,
                }
            }
            None => Self {
                cols,
                rows,
                west: 0.0,
                north: rows as f64 * cell_size_m.1,
                cell: cell_size_m,
            },
        }
    }

    /// Returns the map coordinates of the point `[col, row]`, in cells from the north-west corner.
    pub fn at(&self, [col, row]: [f64; 2]) -> [f64; 2] {
        [
            self.west + col * self.cell.0,
            self.north - row * self.cell.1,
        ]
    }

    /// Returns the position `[col, row]`, in cells from the north-west corner, of the map point
    /// `[x, y]`.
    pub fn cells_of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            (x - self.west) / self.cell.0,
            (self.north - y) / self.cell.1,
        ]
    }

    /// Returns (row, column) of the cell that contains the map point `point`; `None` west and north
    /// of the raster. East and south of the raster, indices beyond its last row or column are
    /// returned.
    pub fn cell_of(&self, point: [f64; 2]) -> Option<(usize, usize)> {
        let [col, row] = self.cells_of(point).map(f64::floor);
        (row >= 0.0 && col >= 0.0).then_some((row as usize, col as usize))
    }

    /// Returns the map coordinates [x, y] of the centre of the cell (`row`, `col`) of the raster.
    pub fn middle(&self, (row, col): (usize, usize)) -> [f64; 2] {
        self.at([col as f64 + 0.5, row as f64 + 0.5])
    }

    /// Returns the easting or longitude of the raster's centre, in map units.
    pub fn middle_x(&self) -> f64 {
        self.west + 0.5 * self.cols as f64 * self.cell.0
    }

    /// Returns the bounds of the raster, in map units.
    pub fn bounds(&self) -> Bounds {
        let [east, south] = self.at([self.cols as f64, self.rows as f64]);
        [self.west, south, east, self.north].into()
    }

    /// Returns the northing or latitude of the south edge of the last row, in map units.
    pub fn south(&self) -> f64 {
        self.north - self.rows as f64 * self.cell.1
    }

    /// Iterates over the x coordinates of the column centres in map units, from west to east.
    pub fn xs(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.cols).map(|col| self.west + (col as f64 + 0.5) * self.cell.0)
    }

    /// Iterates over the y coordinates of the row centres in map units, from north to south.
    pub fn ys(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.rows).map(|row| self.north - (row as f64 + 0.5) * self.cell.1)
    }
}
