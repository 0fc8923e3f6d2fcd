//! Exposure of buildings, roads and areas on a map: assets that lava reaches, with arrival time,
//! thickness and temperature.
//!
//! Each feature of a GeoJSON file is an [`Asset`] with the columns of the simulation box that the
//! feature covers. [`Assets::after`] gives the exposure of one run; [`crate::hazard`] gives
//! probabilities over many runs. [`write()`] adds the results to the features of the file.

mod barriers;
mod write;

use std::path::Path;

use serde_json::{Value, json};

use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::protect;
use lavoxel_flow::Flow;
use lavoxel_geo::map::columns;
use lavoxel_geo::map::features::{Feature, Features, features_on, read_layer};
use lavoxel_geo::map::longitude::cut_line;
use lavoxel_geo::map::{Crs, Site};
use lavoxel_sim::records::FlowRecords;

pub(crate) use self::barriers::edge_neighbours;
pub use self::barriers::{BarrierGain, BarrierOutcome, after};
pub use self::write::{AttributeRow, write};

/// Advice in messages about a feature file that is too large.
const MEND: &str = "simplify it (ogr2ogr -simplify)";

/// Map feature that may be exposed to lava: a building, a road or an area.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Display name: property `name` of the feature, otherwise text such as `feature 3`.
    pub name: String,
    /// Kind of the asset's geometry: `point`, `line` or `area`.
    pub kind: &'static str,
    /// Indices of the columns of the simulation box that the feature covers, ascending: the column
    /// of a point, the columns that a line crosses, or the columns whose centres lie in an area.
    /// For an area without column centres: the columns of its vertices.
    pub columns: Vec<u32>,
    /// Set if a part of the feature lies outside of the simulation box.
    pub cut: bool,
}

/// All features of one feature file, with the columns of the simulation box that each feature
/// covers.
#[derive(Clone, Debug)]
pub struct Assets {
    list: Vec<Asset>,
    /// GeoJSON feature of each asset, in the order of `list`.
    features: Vec<Value>,
    /// Member `crs` of the GeoJSON file, which is written back unchanged; `None` if the file has no
    /// such member.
    crs: Option<Value>,
    /// Number of features in the file with a missing or empty geometry.
    without: usize,
}

/// Exposure of one feature in a run: arrival, thickness and temperature of lava.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Fraction of the feature's columns that lava reached: above 0, at most 1.
    pub share: f64,
    /// First arrival of lava in any of the feature's columns, in seconds from the start.
    pub arrival_s: f64,
    /// Largest thickness of lava in any of the feature's columns, in metres.
    pub thickness_m: f64,
    /// Highest surface temperature of lava in any of the feature's columns, in K; NaN if not
    /// recorded.
    pub kelvin: f64,
}

impl Assets {
    /// Reads a feature file in longitude and latitude or in the map coordinates of the simulation
    /// box of `site`.
    ///
    /// # Errors
    /// Names the file and its fault.
    pub fn read(path: &Path, site: &Site) -> Result<Self, String> {
        protect(path);
        let root = read_layer(path)?;
        Self::from_geojson(&root, site).map_err(|fault| format!("{} {fault}", path.display()))
    }

    fn from_geojson(root: &Value, site: &Site) -> Result<Self, String> {
        let features = Features::from_geojson(root)?;
        let without = features.without;
        let features = features_on(features, site)?;
        let mut held = 0;
        let mut list = Vec::with_capacity(features.len());
        for feature in &features {
            let asset = Asset::new(feature, site);
            // Checked after each feature: a few large areas can cover the whole box many times.
            held += asset.columns.len();
            let need =
                MemoryEstimate::new("the columns of its features", held, size_of::<u32>() as f64);
            need.check(MEND).map_err(|error| error.to_string())?;
            list.push(asset);
        }
        if list.is_empty() {
            return Err("has no feature with a geometry".to_owned());
        }
        if list.iter().all(|asset| asset.columns.is_empty()) {
            return Err(
                "has no feature in the box: is it in longitude and latitude, or has it another member crs?".to_owned()
            );
        }
        let numbers = features.iter().map(|feature| feature.number);
        Ok(Self {
            list,
            features: numbers.map(|number| bare(root, number)).collect(),
            crs: root.get("crs").cloned(),
            without,
        })
    }

    /// Creates assets of the kind line, one from each item (name, lines, column indices) of `all`;
    /// the points of the lines are in map coordinates of `site`. An asset without lines gets a null
    /// geometry.
    pub fn of_lines(
        all: impl Iterator<Item = (String, Vec<Vec<[f64; 2]>>, Vec<u32>)>,
        site: &Site,
    ) -> Self {
        let (mut list, mut features) = (Vec::new(), Vec::new());
        let is_in_degrees = site.map_unit() == "degree";
        for (name, lines, columns) in all {
            let lines = if is_in_degrees {
                lines.iter().flat_map(|line| cut_line(line)).collect()
            } else {
                lines
            };
            let shape = json!({ "type": "MultiLineString", "coordinates": lines });
            let shape = if lines.is_empty() { Value::Null } else { shape };
            features.push(json!({ "type": "Feature", "properties": {}, "geometry": shape }));
            list.push(Asset {
                name,
                kind: "line",
                columns,
                cut: false,
            });
        }
        let code = site.crs().and_then(Crs::epsg);
        let crs = code
            .map(|code| json!({ "type": "name", "properties": { "name": format!("urn:ogc:def:crs:EPSG::{code}") } }));
        Self {
            list,
            features,
            crs: Some(crs.unwrap_or(Value::Null)),
            without: 0,
        }
    }

    /// Returns the number of features in the file with a missing or empty geometry; they are no
    /// assets.
    pub fn without_geometry(&self) -> usize {
        self.without
    }

    /// Returns all assets in the order of the feature file.
    pub fn list(&self) -> &[Asset] {
        &self.list
    }

    /// Returns the exposure of each asset at the end of a run, in the order of the file; `None` for
    /// an asset that lava did not reach. A column counts as reached if its lava was at some time
    /// thicker than `above_m` metres.
    pub fn after(&self, flow: &Flow, records: &FlowRecords, above_m: f64) -> Vec<Option<Reach>> {
        let reach = |asset: &Asset| {
            let reached = asset.columns.iter().filter_map(|&number| {
                let (thickness, arrival_s) = (
                    f64::from(records.thickness_m()[number as usize]),
                    flow.column(number as usize).arrival_s?,
                );
                let kelvin = records
                    .kelvin()
                    .map_or(f64::NAN, |kelvin| f64::from(kelvin[number as usize]));
                (thickness > above_m).then_some((arrival_s, thickness, kelvin))
            });
            Reach::from_columns(reached, asset.columns.len())
        };
        self.list.iter().map(reach).collect()
    }
}

impl Reach {
    /// Combines the reached columns of an asset to the asset's exposure. `reached`: arrival in
    /// seconds, thickness in metres and temperature in K of each reached column; `columns`: number
    /// of all columns of the asset. `None` if no column was reached.
    pub fn from_columns(
        reached: impl Iterator<Item = (f64, f64, f64)>,
        columns: usize,
    ) -> Option<Self> {
        let (mut count, mut all) = (
            0,
            Self {
                share: 0.0,
                arrival_s: f64::INFINITY,
                thickness_m: 0.0,
                kelvin: f64::NAN,
            },
        );
        for (arrival_s, thickness_m, kelvin) in reached {
            count += 1;
            all.arrival_s = all.arrival_s.min(arrival_s);
            all.thickness_m = all.thickness_m.max(thickness_m);
            all.kelvin = all.kelvin.max(kelvin);
        }
        (count > 0).then(|| Self {
            share: f64::from(count) / columns as f64,
            ..all
        })
    }
}

impl Asset {
    fn new(feature: &Feature, site: &Site) -> Self {
        let (columns, cut) = columns::columns_of(&feature.geometry, site);
        let name = feature
            .name()
            .unwrap_or_else(|| format!("feature {}", feature.number));
        Self {
            name,
            kind: feature.geometry.kind(),
            columns,
            cut: cut || feature.is_far,
        }
    }
}

/// Returns the GeoJSON feature with the number `number` (from 1) in the document `root`; a bare
/// geometry is wrapped in a feature.
fn bare(root: &Value, number: usize) -> Value {
    match root.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => root["features"][number - 1].clone(),
        Some("Feature") => root.clone(),
        _ => json!({ "type": "Feature", "properties": {}, "geometry": root }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;
    use lavoxel_geo::map::geojson;

    pub(super) fn site() -> Site {
        let grid = Grid::new(20, 10, 10);
        Site {
            grid,
            cell_size_m: 10.0,
            floor_m: 0.0,
            vertical_exaggeration: 1.0,
            georeference: None,
        }
    }

    pub(super) fn assets(features: &str) -> Result<Assets, String> {
        let text =
            format!(r#"{{"type": "FeatureCollection", "crs": null, "features": [{features}]}}"#);
        Assets::from_geojson(&geojson::object(&text)?, &site())
    }

    #[test]
    fn features_have_columns() {
        let read = assets(
            r#"{"type": "Feature", "properties": {"name": "School"}, "geometry": {"type": "Point", "coordinates": [35, 95]}},
               {"type": "Feature", "properties": null, "geometry": null},
               {"type": "Feature", "properties": {"id": 7}, "geometry": {"type": "LineString", "coordinates": [[5, 5], [95, 5]]}},
               {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[[10, 10], [30, 10], [30, 30], [10, 30], [10, 10]]]}},
               {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[101, 51], [103, 51], [103, 53], [101, 51]]]}},
               {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[195, 5], [295, 5]]}}"#,
        )
        .expect("right");
        let about: Vec<_> = read
            .list
            .iter()
            .map(|asset| (&*asset.name, asset.kind, asset.columns.len(), asset.cut))
            .collect();
        assert_eq!(about[0], ("School", "point", 1, false));
        assert_eq!(about[1], ("7", "line", 10, false));
        assert_eq!(about[2], ("feature 4", "area", 4, false));
        assert_eq!(about[3], ("feature 5", "area", 1, false));
        assert_eq!(about[4], ("feature 6", "line", 1, true));
        assert_eq!(read.without_geometry(), 1);
        // Row 0 is north; the south-west corner is (0, 0).
        assert_eq!(
            (read.list[0].columns[0], read.list[1].columns[0]),
            (3, 9 * 20)
        );
        assert_eq!(
            read.list[2].columns,
            [7 * 20 + 1, 7 * 20 + 2, 8 * 20 + 1, 8 * 20 + 2]
        );
        assert_eq!(read.features.len(), read.list.len());
    }

    #[test]
    fn a_file_that_has_nothing_in_the_box_is_refused() {
        let far = r#"{"type": "Feature", "geometry": {"type": "Point", "coordinates": [1e6, 5]}}"#;
        assert!(
            assets(far)
                .expect_err("far")
                .contains("no feature in the box")
        );
        assert!(
            assets("")
                .expect_err("empty")
                .contains("no feature with a geometry")
        );
    }

    #[test]
    fn the_first_and_the_most_count() {
        let reached = [(50.0, 1.0, 900.0), (20.0, 0.5, 1300.0)];
        let reach = Reach::from_columns(reached.into_iter(), 8).expect("reached");
        assert_eq!(
            (
                reach.share,
                reach.arrival_s,
                reach.thickness_m,
                reach.kelvin
            ),
            (0.25, 20.0, 1.0, 1300.0)
        );
        assert_eq!(Reach::from_columns(std::iter::empty(), 8), None);
    }
}
