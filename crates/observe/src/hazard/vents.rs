//! Vent positions of a hazard study: from a file of points, lines and polygons, or from the scene.

use std::path::Path;

use serde_json::Value;

use super::{MOST_POINTS, Places, from_the_map, on_the_map, table};
use lavoxel_files::input::ending;
use lavoxel_files::output::protect;
use lavoxel_geo::map::Site;
use lavoxel_geo::map::features::{
    Feature, Features, Geometry, check_format, features_on, read_layer, read_text,
};
use lavoxel_scene::scene::BuiltScene;
use lavoxel_sim::source::VentSpec;

/// Tolerance for points at the sides of the simulation box, as a fraction of the length of a side;
/// covers rounding errors.
const SLACK: f64 = 1e-9;

/// Distribution of vent positions, with a description of its source.
pub(crate) struct Vents {
    pub(crate) places: Places,
    /// Description of the source of the vents, for the plan and the report.
    pub(crate) words: String,
}

impl Vents {
    /// Creates the distribution of positions over the vents of the scene `stage`, with equal
    /// weights. Returns a message if the scene has no vent.
    pub(crate) fn from_stage(stage: &BuiltScene) -> Result<Self, String> {
        let cell = stage.site.cell_size_m;
        let point = |x: f64, z: f64| Geometry::Points(vec![[x * cell, z * cell]]);
        let feature = |vent: &VentSpec| Feature::new(point(vent.x, vent.z), 1.0);
        let vents: Vec<_> = stage.simulation.lava_vents().map(feature).collect();
        if vents.is_empty() {
            return Err("nothing pours: pass --vent-area FILE or --vent X,Z, or add a [[vent]] to the scene".to_owned());
        }
        let words = match &vents[..] {
            [
                Feature {
                    geometry: Geometry::Points(points),
                    ..
                },
            ] => {
                let [x, y] = on_the_map(points[0], &stage.site);
                format!("a vent at {x:.2}, {y:.2}")
            }
            _ => format!("{} vents with equal weights", vents.len()),
        };
        let places = Places::new(vents).map_err(|wrong| format!("the scene {wrong}"))?;
        Ok(Self { places, words })
    }

    /// Reads the vent positions in the file at `path` (`.geojson`, `.gpkg` or `.csv`), which are
    /// map coordinates of `site`. Returns a message for an invalid file.
    pub(crate) fn read(path: &Path, site: &Site) -> Result<Self, String> {
        protect(path);
        let wrong = |what: String| format!("--vent-area {}: {what}", path.display());
        let text = || read_text(path).map_err(|error| format!("--vent-area: {error}"));
        let mut features = match ending(path).as_str() {
            "geojson" | "json" | "gpkg" => {
                let root = read_layer(path).map_err(|error| format!("--vent-area: {error}"))?;
                of_layer(&root, site).map_err(wrong)?
            }
            "csv" | "txt" => of_table(&text()?).map_err(wrong)?,
            _ => {
                check_format(path).map_err(|error| format!("--vent-area: {error}"))?;
                return Err(wrong("must end in .geojson, .gpkg or .csv".to_owned()));
            }
        };
        // Checked before the points are transformed and indexed.
        let points: usize = features
            .iter_mut()
            .map(|feature| feature.geometry.points_mut().count())
            .sum();
        if points > MOST_POINTS {
            return Err(wrong(format!(
                "has {points} points, more than {MOST_POINTS}: simplify it (ogr2ogr -simplify)"
            )));
        }
        for feature in &mut features {
            let words = feature.words();
            for point in feature.geometry.points_mut() {
                *point =
                    in_the_box(*point, site).map_err(|fault| wrong(format!("{words}: {fault}")))?;
            }
        }
        let places = Places::new(features).map_err(wrong)?;
        let (count, plural) = (places.len(), if places.len() == 1 { "" } else { "s" });
        let words = format!("{count} feature{plural} of {}", path.display());
        Ok(Self { places, words })
    }
}

/// Parses the text of a table of vent positions into point features.
fn of_table(text: &str) -> Result<Vec<Feature>, String> {
    table::need(text)
        .check("leave out lines of the table")
        .map_err(|error| error.to_string())?;
    table::parse(text)
}

/// Converts the features of a GeoJSON document to map coordinates of the simulation box of `site`.
/// Returns a message if a feature lies outside of the range of the map's projection.
fn of_layer(root: &Value, site: &Site) -> Result<Vec<Feature>, String> {
    let features = features_on(Features::from_geojson(root)?.weighted()?, site)?;
    match features.iter().find(|feature| feature.is_far) {
        Some(far) => Err(format!(
            "lies far from the map with {}: is it in longitude and latitude?",
            far.words()
        )),
        None => Ok(features),
    }
}

/// Converts a point in map coordinates to metres [east, south] from the north-west corner of the
/// simulation box. Returns a message if the point lies outside of the box.
fn in_the_box(point: [f64; 2], site: &Site) -> Result<[f64; 2], String> {
    let sides = [site.grid.nx, site.grid.nz].map(|cells| cells as f64 * site.cell_size_m);
    let place = from_the_map(point, site);
    let is_inside =
        |k: usize| place[k] >= -SLACK * sides[k] && place[k] <= sides[k] * (1.0 + SLACK);
    if is_inside(0) && is_inside(1) {
        return Ok([0, 1].map(|k| place[k].clamp(0.0, sides[k])));
    }
    let ([west, north], [east, south]) = (on_the_map([0.0; 2], site), on_the_map(sides, site));
    let [x, y] = point;
    Err(format!(
        "{x}, {y} lies outside of the box (x {west} to {east}, y {south} to {north}): cut it to the box, or make the box larger"
    ))
}
