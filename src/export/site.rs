//! What turns the cells of a box into metres, elevations and map coordinates, and what every data file tells of itself.

use crate::grid::Grid;
use crate::scene::Stage;
use crate::terrain::{Crs, Georeference, Placement};

/// Where a box stands and how large it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Shape of the box.
    pub grid: Grid,
    /// Edge of a cell in metres.
    pub cell_size_m: f64,
    /// Elevation of the floor (y = 0) in metres.
    pub floor_m: f64,
    /// How much heights are stretched.
    pub vertical_exaggeration: f64,
    /// Place of the north-west corner on the map, where there is one.
    pub georeference: Option<Georeference>,
}

impl From<&Stage> for Site {
    fn from(stage: &Stage) -> Self {
        Self {
            grid: stage.simulation.world().grid,
            cell_size_m: stage.cell_size_m,
            floor_m: stage.floor_m,
            vertical_exaggeration: stage.vertical_exaggeration,
            georeference: stage.georeference.clone(),
        }
    }
}

impl Site {
    /// Height of a cell in true metres, not stretched.
    pub fn cell_height_m(&self) -> f64 {
        self.cell_size_m / self.vertical_exaggeration
    }

    /// Elevation in metres of a height in cells above the floor.
    pub fn elevation_m(&self, cells: f64) -> f64 {
        self.floor_m + cells * self.cell_height_m()
    }

    /// The columns of the box as a raster on the map; without a map the box's south-west corner is (0, 0), in metres.
    pub fn placement(&self) -> Placement {
        let cell = (self.cell_size_m, self.cell_size_m);
        Placement::new(self.georeference.as_ref(), cell, (self.grid.nz, self.grid.nx))
    }

    /// What the map's coordinates mean, where that is known.
    pub fn crs(&self) -> Option<&Crs> {
        self.georeference.as_ref().map(|place| &place.crs)
    }

    /// The unit of the map's coordinates.
    pub fn map_unit(&self) -> &'static str {
        match &self.georeference {
            Some(place) if place.metres_per_unit.1 > 1e4 => "degree",
            Some(place) if place.metres_per_unit != (1.0, 1.0) => "map unit",
            _ => "m",
        }
    }
}

/// Where a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name of the scene.
    pub scene: String,
    /// Seed of the random patterns.
    pub seed: u64,
    /// Steps that were made.
    pub step: u64,
}

impl About {
    /// The program that writes, with its version.
    pub const SOFTWARE: &str = concat!("lavoxel ", env!("CARGO_PKG_VERSION"));
}
