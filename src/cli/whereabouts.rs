//! Where the box of a report lies, and its vents.

use lavoxel::scene::Stage;
use lavoxel::source::VentSpec;
use lavoxel::terrain::{Bounds, Georeference};
use serde::Serialize;

/// Most vents that the report for people shows.
const MOST_SHOWN: usize = 3;

/// Where the box lies, and its vents.
#[derive(Debug, Serialize)]
pub(super) struct Whereabouts {
    floor_m: f64,
    vertical_exaggeration: f64,
    map: Option<MapPlace>,
    vents: Vec<VentPlace>,
}

/// The box on the map of the terrain's file.
#[derive(Debug, Serialize)]
struct MapPlace {
    /// West, south, east, north, in map units.
    bounds: Bounds,
    crs: Option<String>,
}

/// A vent in cells, and its centre on the map.
#[derive(Debug, Serialize)]
struct VentPlace {
    #[serde(flatten)]
    vent: VentSpec,
    map_x: Option<f64>,
    map_y: Option<f64>,
}

impl Whereabouts {
    /// Those of a scene that was built.
    pub(super) fn of(stage: &Stage) -> Self {
        let grid = stage.simulation.world().grid;
        let cell = stage.site.cell_size_m;
        let georeference = stage.site.georeference.as_ref();
        let map = |place: &Georeference| MapPlace {
            bounds: place.bounds(grid.nx as f64 * cell, grid.nz as f64 * cell),
            crs: place.crs.name(),
        };
        let vent = |vent: &VentSpec| {
            let (map_x, map_y) = georeference.map(|place| place.to_map(vent.x * cell, vent.z * cell)).unzip();
            VentPlace { vent: vent.clone(), map_x, map_y }
        };
        Self {
            floor_m: stage.site.floor_m,
            vertical_exaggeration: stage.site.vertical_exaggeration,
            map: georeference.map(map),
            vents: stage.simulation.vents().map(vent).collect(),
        }
    }

    /// The lines for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines =
            vec![format!("place       floor at {:.1} m, heights × {}", self.floor_m, self.vertical_exaggeration)];
        if let Some(MapPlace { bounds, crs }) = &self.map {
            lines.push(format!(
                "map         {bounds}{}",
                crs.as_ref().map(|crs| format!(" ({crs})")).unwrap_or_default()
            ));
        }
        for VentPlace { vent, map_x, map_y } in self.vents.iter().take(MOST_SHOWN) {
            let short = |number: f64| (1e6 * number).round() / 1e6;
            let on_map = map_x.zip(*map_y).map(|(x, y)| format!(" (map {}, {})", short(x), short(y)));
            let on_map = on_map.unwrap_or_default();
            lines.push(format!("vent        x = {:.2}, z = {:.2}{on_map}, {} cells a step", vent.x, vent.z, vent.rate));
        }
        if self.vents.len() > MOST_SHOWN {
            lines.push(format!("            and {} more vents", self.vents.len() - MOST_SHOWN));
        }
        lines
    }
}
