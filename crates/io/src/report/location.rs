//! Position of the simulation box and its vents on the map, for the report.

use lavoxel_geo::map::{Bounds, Georeference};
use lavoxel_scene::scene::BuiltScene;
use lavoxel_sim::source::VentSpec;
use serde::ser::Error;
use serde::{Serialize, Serializer};

/// Position of the simulation box and of its vents on the map, for a report.
#[derive(Debug, Serialize)]
pub(super) struct Location {
    floor_m: f64,
    /// Factor by which heights of the simulation box are stretched; 1 in the physical model, which
    /// never stretches heights.
    vertical_exaggeration: f64,
    map: Option<MapPlace>,
    vents: Vec<VentPlace>,
}

/// Bounds of the simulation box in the coordinate reference system of the terrain's file.
#[derive(Debug, Serialize)]
struct MapPlace {
    /// West, south, east and north side of the simulation box, in map units.
    bounds: Bounds,
    crs: Option<String>,
}

/// Vent in cell coordinates, with the position of its centre on the map (`None` without a map).
#[derive(Debug, Serialize)]
struct VentPlace {
    #[serde(flatten, serialize_with = "without_unused")]
    vent: VentSpec,
    map_x: Option<f64>,
    map_y: Option<f64>,
}

/// Serialises a vent without fields that its model does not use: a vent of the physical model has
/// neither `rate` nor `energy`.
fn without_unused<S: Serializer>(vent: &VentSpec, serializer: S) -> Result<S::Ok, S::Error> {
    let mut table = serde_json::to_value(vent).map_err(S::Error::custom)?;
    if let (Some(table), true) = (table.as_object_mut(), vent.flow.is_some()) {
        table.retain(|key, _| !["rate", "energy"].contains(&key.as_str()));
    }
    table.serialize(serializer)
}

impl Location {
    /// Returns the position of the simulation box and the vents of a built scene.
    pub(super) fn from_stage(stage: &BuiltScene) -> Self {
        let grid = stage.simulation.world().grid();
        let cell = stage.site.cell_size_m;
        let georeference = stage.site.georeference.as_ref();
        let map = |place: &Georeference| MapPlace {
            bounds: place.bounds(grid.nx as f64 * cell, grid.nz as f64 * cell),
            crs: place.crs.name(),
        };
        let vent = |vent: &VentSpec| {
            let (map_x, map_y) = georeference
                .map(|place| place.to_map(vent.x * cell, vent.z * cell))
                .unzip();
            VentPlace {
                vent: vent.clone(),
                map_x,
                map_y,
            }
        };
        Self {
            floor_m: stage.site.floor_m,
            vertical_exaggeration: stage
                .simulation
                .world()
                .flow()
                .map_or(stage.site.vertical_exaggeration, |_| 1.0),
            map: georeference.map(map),
            vents: stage.simulation.vents().map(vent).collect(),
        }
    }
}
