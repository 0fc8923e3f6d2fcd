//! Where the box is in the world: the one place where cells become metres for files that lie in space.
//!
//! Inside, x runs east, y up and z south. Programs for volumes want z up, so files count cells `[east, north, up]` from
//! the south-west corner of the floor:
//!
//! ```text
//!        up = y                 cell (x, y, z) of the box is cell [x, nz − 1 − z, y] of a file
//!        │   north = nz − z     its elevation is floor_m + up · cell_size_m / vertical_exaggeration
//!        │  ╱
//!        │ ╱                    glTF is y-up: (east, up, −north)
//!        └────── east = x
//! ```
//!
//! Lengths are metres; up is the true elevation, without the exaggeration. Where the terrain came with a map in metres,
//! the corner has that map's coordinates. They may be millions, which 32-bit floats cannot hold to the centimetre: formats
//! with a 64-bit origin place the box on the map, the others have their zero at the corner and carry
//! [`Frame::offset_m`] in words.

use crate::grid::Grid;
use crate::scene::Stage;
use crate::terrain::Georeference;

/// Where the box is in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Shape of the box, axes as inside.
    pub grid: Grid,
    /// Width of a cell from west to east and from north to south, in metres.
    pub cell_m: f64,
    /// True height of a cell in metres.
    pub height_m: f64,
    /// Elevation of the floor in metres.
    pub floor_m: f64,
    /// Easting and northing of the south-west corner in metres; zero where there is no map in metres.
    pub corner_m: [f64; 2],
    /// The map that the terrain came with, its corner that of the box in the north-west.
    pub map: Option<Georeference>,
}

impl Frame {
    /// The place of a scene's box.
    pub fn of(stage: &Stage) -> Self {
        let grid = stage.simulation.world().grid;
        let deep_m = grid.nz as f64 * stage.cell_size_m;
        let map = stage.georeference.clone();
        let metric = map.as_ref().filter(|map| map.metres_per_unit == (1.0, 1.0));
        Self {
            grid,
            cell_m: stage.cell_size_m,
            height_m: stage.cell_size_m / stage.vertical_exaggeration,
            floor_m: stage.floor_m,
            corner_m: metric.map_or([0.0; 2], |map| [map.x_west, map.y_north - deep_m]),
            map,
        }
    }

    /// Number of cells `[east, north, up]`.
    pub fn shape(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.nz, self.grid.ny]
    }

    /// Size of a cell in metres `[east, north, up]`.
    pub fn spacing_m(&self) -> [f64; 3] {
        [self.cell_m, self.cell_m, self.height_m]
    }

    /// The cell `[east, north, up]` of a file for cell (x, y, z) of the box.
    #[inline]
    pub fn cell(&self, [x, y, z]: [usize; 3]) -> [usize; 3] {
        [x, self.grid.nz - 1 - z, y]
    }

    /// What leads from local metres to those of the map, `[east, north, up]`.
    pub fn offset_m(&self) -> [f64; 3] {
        [self.corner_m[0], self.corner_m[1], 0.0]
    }

    /// South-west corner of the floor in the map's metres, `[easting, northing, elevation]`.
    pub fn origin_m(&self) -> [f64; 3] {
        [self.corner_m[0], self.corner_m[1], self.floor_m]
    }

    /// Local metres `[east, north, up]` of a point in cells `[east, north, up]` from the corner.
    #[inline]
    pub fn local_m(&self, point: [f64; 3]) -> [f64; 3] {
        [point[0] * self.cell_m, point[1] * self.cell_m, self.floor_m + point[2] * self.height_m]
    }
}
