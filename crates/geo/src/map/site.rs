//! Position of the simulation box in the world. Only this module converts cells into metres,
//! elevations and map coordinates.
//!
//! In the simulation, x runs east, y up and z south. Programs for volumes and meshes expect z up,
//! so that files count cells `[east, north, up]` from the south-west corner of the floor:
//!
//! ```text
//!        up = y                 cell (x, y, z) of the box is cell [x, nz − 1 − z, y] of a file
//!        │   north = nz − z     its elevation is floor_m + up · cell_size_m / vertical_exaggeration
//!        │  ╱
//!        │ ╱                    glTF is y-up: (east, up, −north)
//!        └────── east = x
//! ```
//!
//! Lengths are in metres; `up` is the true height, without the vertical exaggeration. If the
//! terrain came with a map in metres, the corner has the coordinates of that map. Such coordinates
//! may be millions, which 32-bit floats cannot represent to a centimetre. Formats with a 64-bit
//! origin therefore place the simulation box on the map; in all other files, coordinates start from
//! 0 at the corner, and [`Site::offset_m`] is stored as text.

use super::{Crs, Georeference, Placement};
use lavoxel_base::grid::{Grid, Place};

/// Position and size of the simulation box on the map, and the size of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Number of cells of the simulation box along x (east), y (up) and z (south).
    pub grid: Grid,
    /// Width and depth of a cell of the simulation box, in metres.
    pub cell_size_m: f64,
    /// Elevation of the simulation box's floor (y = 0), in metres.
    pub floor_m: f64,
    /// Vertical stretch factor of the simulation box; `elevation = floor_m + y · cell_size_m /
    /// vertical_exaggeration`.
    pub vertical_exaggeration: f64,
    /// Georeference of the simulation box's north-west corner; `None` if the terrain has no map.
    pub georeference: Option<Georeference>,
}

impl Site {
    /// Returns the height of a cell in true metres, without the vertical exaggeration.
    #[inline]
    pub fn cell_height_m(&self) -> f64 {
        self.cell_size_m / self.vertical_exaggeration
    }

    /// Returns the volume of a cell in true m³, without the vertical exaggeration.
    pub fn cell_volume_m3(&self) -> f64 {
        self.cell_size_m * self.cell_size_m * self.cell_height_m()
    }

    /// Returns the elevation in metres of a point `cells` cells above the floor of the simulation
    /// box.
    pub fn elevation_m(&self, cells: f64) -> f64 {
        self.floor_m + cells * self.cell_height_m()
    }

    /// Returns the position and size of the raster of the simulation box's columns on the map.
    /// Without a map, the south-west corner of the box is (0, 0), in metres.
    pub fn placement(&self) -> Placement {
        let cell = (self.cell_size_m, self.cell_size_m);
        Placement::new(
            self.georeference.as_ref(),
            cell,
            (self.grid.nz, self.grid.nx),
        )
    }

    /// Returns the map coordinates of the point [`col`, `row`], in cells from the simulation box's
    /// north-west corner.
    pub fn on_the_map(&self, point: [f64; 2]) -> [f64; 2] {
        self.placement().at(point)
    }

    /// Returns the position `[col, row]`, in cells from the simulation box's north-west corner, of
    /// the map point `[x, y]`.
    pub fn cells_of(&self, point: [f64; 2]) -> [f64; 2] {
        self.placement().cells_of(point)
    }

    /// Returns the position [col, row], in cells from the simulation box's north-west corner, of
    /// the map point [`x`, `y`], whose longitude is first shifted by a multiple of 360° to the box.
    pub fn cells_near(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        self.cells_of([self.crs().map_or(x, |crs| crs.near(x, self.middle_x())), y])
    }

    /// Returns the easting or longitude of the simulation box's centre, in map units.
    pub fn middle_x(&self) -> f64 {
        self.placement().middle_x()
    }

    /// Returns the coordinate system of the map; `None` without a map.
    pub fn crs(&self) -> Option<&Crs> {
        self.georeference.as_ref().map(|place| &place.crs)
    }

    /// Returns the name of the unit of map coordinates for messages: `m`, `degree` or `map unit`.
    pub fn map_unit(&self) -> &'static str {
        match &self.georeference {
            Some(place) if place.crs.is_geographic() => "degree",
            Some(place) if place.metres_per_unit != (1.0, 1.0) => "map unit",
            _ => "m",
        }
    }

    /// Returns the size `[east, north, up]` of the simulation box in cells, in the order of axes
    /// that files use.
    pub fn shape(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.nz, self.grid.ny]
    }

    /// Returns the size `[east, north, up]` of a cell in true metres, without the vertical
    /// exaggeration.
    pub fn spacing_m(&self) -> [f64; 3] {
        [self.cell_size_m, self.cell_size_m, self.cell_height_m()]
    }

    /// Returns the index `[east, north, up]` that the cell `[x, y, z]` of the simulation box has in
    /// files.
    #[inline]
    pub fn cell(&self, [x, y, z]: Place) -> [usize; 3] {
        [x, self.grid.nz - 1 - z, y]
    }

    /// Returns the offset `[east, north, up]` in metres from the local coordinates of files to map
    /// coordinates; 0 without a map in metres.
    pub fn offset_m(&self) -> [f64; 3] {
        let metric = self
            .georeference
            .as_ref()
            .filter(|map| map.metres_per_unit == (1.0, 1.0));
        metric.map_or([0.0; 3], |map| {
            [
                map.x_west,
                map.y_north - self.grid.nz as f64 * self.cell_size_m,
                0.0,
            ]
        })
    }

    /// Returns the map coordinates `[easting, northing, elevation]` in metres of the south-west
    /// corner of the floor; easting and northing are 0 without a map in metres.
    pub fn origin_m(&self) -> [f64; 3] {
        let [east, north, _] = self.offset_m();
        [east, north, self.floor_m]
    }

    /// Returns the local coordinates in metres `[east, north, up]` of `point`, in cells `[east,
    /// north, up]` from the south-west corner of the floor.
    #[inline]
    pub fn local_m(&self, point: [f64; 3]) -> [f64; 3] {
        [
            point[0] * self.cell_size_m,
            point[1] * self.cell_size_m,
            self.elevation_m(point[2]),
        ]
    }
}
