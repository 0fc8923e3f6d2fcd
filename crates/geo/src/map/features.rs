//! Features of a GeoJSON document: points, lines and polygons with properties and weights.

use std::path::Path;

use serde_json::Value;

use super::geojson::{self, Rings, System, array, point, rings, system, turn_rings};
use super::{Crs, Site, gpkg};
use lavoxel_base::memory::Held;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{FEATURES, InputError, Loaded, Reader, ending};

/// Names of the properties that can contain the name of a feature, in order of preference.
const NAMES: [&str; 4] = ["name", "Name", "NAME", "id"];

/// Geometry of a feature: points, lines or polygons, all in map units.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// One or more points, each [x, y] in map units.
    Points(Vec<[f64; 2]>),
    /// One or more lines, each a list of two points or more, [x, y] in map units.
    Lines(Vec<Vec<[f64; 2]>>),
    /// One or more polygons, with points in map units.
    Polygons(Vec<Rings>),
}

impl Geometry {
    /// Returns the kind of the geometry as text: `point`, `line` or `area`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Points(_) => "point",
            Self::Lines(_) => "line",
            Self::Polygons(_) => "area",
        }
    }

    /// Shifts longitudes by multiples of 360° to within 180° of the longitude `middle`; `crs`:
    /// coordinate system of the geometry. Each point, line and polygon is shifted as a whole. No
    /// effect if the coordinates are not in degrees.
    fn turn_to(&mut self, crs: &Crs, middle: f64) {
        match self {
            Self::Points(points) => points
                .iter_mut()
                .for_each(|point| point[0] = crs.near(point[0], middle)),
            Self::Lines(lines) => lines.iter_mut().for_each(|line| crs.unroll(line, middle)),
            Self::Polygons(polygons) => polygons
                .iter_mut()
                .for_each(|rings| turn_rings(rings, crs, middle)),
        }
    }

    /// Removes all coordinates; the kind of the geometry does not change.
    fn clear(&mut self) {
        match self {
            Self::Points(points) => points.clear(),
            Self::Lines(lines) => lines.clear(),
            Self::Polygons(polygons) => polygons.clear(),
        }
    }

    /// Iterates over mutable references to all points of the geometry.
    pub fn points_mut(&mut self) -> Box<dyn Iterator<Item = &mut [f64; 2]> + '_> {
        match self {
            Self::Points(points) => Box::new(points.iter_mut()),
            Self::Lines(lines) => Box::new(lines.iter_mut().flatten()),
            Self::Polygons(polygons) => Box::new(polygons.iter_mut().flatten().flatten()),
        }
    }
}

/// Feature: geometry with properties and a weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Shape and position of the feature, in map units.
    pub geometry: Geometry,
    /// Weight of the feature relative to other features, at least 0; 1 unless `Features::weighted`
    /// has set the property `weight`.
    pub weight: f64,
    /// Properties of the GeoJSON feature; null if missing.
    pub properties: Value,
    /// Index of the feature in its document, counted from 1.
    pub number: usize,
    /// Set if the feature lies where the projection of the map is not valid; such a feature has an
    /// empty geometry.
    pub is_far: bool,
}

impl Feature {
    /// Creates a feature with the geometry `geometry` and the weight `weight`, with the number 1
    /// and without properties.
    pub fn new(geometry: Geometry, weight: f64) -> Self {
        Self {
            geometry,
            weight,
            properties: Value::Null,
            number: 1,
            is_far: false,
        }
    }

    /// Returns the number in the property `name`; `usual` if the feature lacks the property, `None`
    /// if the property is not a number.
    pub fn number_or(&self, name: &str, usual: f64) -> Option<f64> {
        let given = self.properties.get(name).filter(|given| !given.is_null());
        given.map_or(Some(usual), Value::as_f64)
    }

    /// Returns the name of the feature, from the first of the properties in `NAMES` that the
    /// feature has; `None` if the feature has no such property.
    pub fn name(&self) -> Option<String> {
        let text = |value: &Value| match value {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        NAMES
            .iter()
            .find_map(|name| self.properties.get(name).and_then(text))
    }

    /// Returns the number and the name of the feature for a message, such as `feature 3 "School"`.
    pub fn words(&self) -> String {
        let name = self
            .name()
            .map(|name| format!(" {:?}", escape_for_terminal(&name)))
            .unwrap_or_default();
        format!("feature {}{name}", self.number)
    }

    /// Returns true if the geometry of the feature has no coordinates.
    pub fn is_empty(&self) -> bool {
        match &self.geometry {
            Geometry::Points(points) => points.is_empty(),
            Geometry::Lines(lines) => lines.iter().all(Vec::is_empty),
            Geometry::Polygons(polygons) => polygons.iter().flatten().all(Vec::is_empty),
        }
    }
}

/// All features of a GeoJSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// Features in the order of the document. Features without a geometry are left out.
    pub features: Vec<Feature>,
    /// Number of features that were left out because they have no geometry.
    pub without: usize,
    /// Coordinate system of the features in the document.
    pub system: System,
}

impl Features {
    /// Parses the text of a GeoJSON document. The caller has checked the memory by
    /// [`need`](super::geojson::need).
    ///
    /// # Errors
    /// The fault, as the end of a sentence that begins with the file's name.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::from_geojson(&geojson::object(text)?)
    }

    /// Extracts the features from a parsed GeoJSON value, like [`Features::parse`].
    ///
    /// # Errors
    /// The fault, as the end of a sentence that begins with the file's name.
    pub fn from_geojson(root: &Value) -> Result<Self, String> {
        let all: Vec<Option<Feature>> = match root.get("type").and_then(Value::as_str) {
            Some("FeatureCollection") => {
                let list = array(root.get("features"), "features")?.iter().enumerate();
                list.map(|(i, object)| feature(object, i + 1))
                    .collect::<Result<_, _>>()?
            }
            Some("Feature") => vec![feature(root, 1)?],
            _ => {
                vec![Some(Feature::new(geometry(root)?, 1.0)).filter(|feature| !feature.is_empty())]
            }
        };
        let count = all.len();
        let features: Vec<Feature> = all.into_iter().flatten().collect();
        Ok(Self {
            without: count - features.len(),
            features,
            system: system(root)?,
        })
    }

    /// Sets the weight of each feature from its property `weight`, if it has this property.
    ///
    /// # Errors
    /// Names the first feature whose weight is not a number of 0 or more.
    pub fn weighted(mut self) -> Result<Self, String> {
        for feature in &mut self.features {
            let Some(weight) = feature
                .properties
                .get("weight")
                .filter(|weight| !weight.is_null())
            else {
                continue;
            };
            let right = weight
                .as_f64()
                .filter(|weight| *weight >= 0.0 && weight.is_finite());
            let wrong = || {
                format!(
                    "has a weight that is no number from 0 up, {weight}, in {}",
                    feature.words()
                )
            };
            feature.weight = right.ok_or_else(wrong)?;
        }
        Ok(self)
    }
}

/// Parses a GeoJSON feature, which has the number `number` in the document, from 1; `None` if it
/// has no geometry.
fn feature(object: &Value, number: usize) -> Result<Option<Feature>, String> {
    let Some(shape) = object.get("geometry").filter(|shape| !shape.is_null()) else {
        return Ok(None);
    };
    let properties = object.get("properties").cloned().unwrap_or_default();
    let bare = Feature {
        properties,
        number,
        ..Feature::new(Geometry::Points(Vec::new()), 1.0)
    };
    let geometry = geometry(shape).map_err(|fault| format!("{fault}, in {}", bare.words()))?;
    Ok(Some(Feature { geometry, ..bare }).filter(|feature| !feature.is_empty()))
}

fn geometry(object: &Value) -> Result<Geometry, String> {
    let list = || array(object.get("coordinates"), "coordinates");
    let is_empty = || {
        object
            .get("coordinates")
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty)
    };
    let inner = |value| array(Some(value), "coordinates");
    match object.get("type").and_then(Value::as_str) {
        // RFC 7946 lets a geometry have no coordinates.
        Some(
            "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon",
        ) if is_empty() => Ok(Geometry::Points(Vec::new())),
        Some("Point") => Ok(Geometry::Points(vec![
            object.get("coordinates").and_then(point).ok_or(NO_POINT)?,
        ])),
        Some("MultiPoint") => Ok(Geometry::Points(points(list()?)?)),
        Some("LineString") => Ok(Geometry::Lines(vec![line(list()?)?])),
        Some("MultiLineString") => Ok(Geometry::Lines(
            list()?
                .iter()
                .map(|part| line(inner(part)?))
                .collect::<Result<_, _>>()?,
        )),
        Some("Polygon") => Ok(Geometry::Polygons(vec![rings(list()?)?])),
        Some("MultiPolygon") => Ok(Geometry::Polygons(
            list()?
                .iter()
                .map(|part| rings(inner(part)?))
                .collect::<Result<_, _>>()?,
        )),
        Some("GeometryCollection") => {
            Err("has a GeometryCollection: make a feature of each of its geometries".to_owned())
        }
        _ => Err("is no GeoJSON: an object has no type that is known".to_owned()),
    }
}

const NO_POINT: &str = "has a point that is not two numbers";

fn points(list: &[Value]) -> Result<Vec<[f64; 2]>, String> {
    list.iter()
        .map(point)
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| NO_POINT.to_owned())
}

fn line(list: &[Value]) -> Result<Vec<[f64; 2]>, String> {
    let points = points(list)?;
    if points.len() < 2 {
        Err("has a line that is not two points or more".to_owned())
    } else {
        Ok(points)
    }
}

/// File extensions of vector formats that this program cannot read and the program ogr2ogr can
/// convert to GeoJSON.
const OTHERS: [&str; 12] = [
    "shp", "shx", "dbf", "kml", "kmz", "gml", "fgb", "dxf", "gpx", "tab", "sqlite", "parquet",
];

/// Reads the vector layer of a GeoJSON or GeoPackage file as a GeoJSON object.
///
/// # Errors
/// Names the file, the fault and a remedy.
pub fn read_layer(path: &Path) -> Result<Loaded<Value>, String> {
    let wrong = |fault: String| format!("{} {fault}", path.display());
    let ending = ending(path);
    if ending == "gpkg" {
        return gpkg::collection(path).map_err(wrong);
    }
    check_format(path)?;
    let text = read_text(path)?;
    let need = geojson::need(&text);
    need.check("simplify it (ogr2ogr -simplify)")
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Loaded::new(
        geojson::object(&text).map_err(wrong)?,
        need.held(),
    ))
}

/// Checks that the extension of `path` is not that of an unsupported vector format.
///
/// # Errors
/// Names the file and the command that converts it to GeoJSON.
pub fn check_format(path: &Path) -> Result<(), String> {
    let ending = ending(path);
    if !OTHERS.contains(&ending.as_str()) {
        return Ok(());
    }
    let (name, there) = (path.display(), path.with_extension("geojson"));
    Err(format!(
        "{name}: is neither GeoJSON nor a GeoPackage: bring it into one (ogr2ogr {} {name})",
        there.display()
    ))
}

/// Reads the text of the vector file at `path`. Returns a message if the file cannot be read.
pub fn read_text(path: &Path) -> Result<Loaded<String>, String> {
    read_text_as(&FEATURES, path)
}

/// Reads the text of the file at `path` with the limits of `reader`. Returns a message if the file
/// cannot be read.
pub(crate) fn read_text_as(reader: &Reader, path: &Path) -> Result<Loaded<String>, String> {
    reader.text(path, |text| text).map_err(|error| match error {
        InputError::Read(cause) => format!("cannot read {}: {cause}", path.display()),
        error => format!("{}: {error}", path.display()),
    })
}

/// Reads the features of the file at `path`, which may be inside a session file, and converts them
/// to map coordinates of `site`.
///
/// # Errors
/// The fault, as the end of a sentence that begins with the file's name.
pub fn features_of(path: &Path, site: &Site) -> Result<Vec<Feature>, String> {
    let Some(file) = lavoxel_files::archive::file(path) else {
        let root = read_layer(path).map_err(|fault| format!("cannot be read: {fault}"))?;
        return features_on(Features::from_geojson(&root)?, site);
    };
    let bytes = file
        .map_err(|error| format!("cannot be read: {error}"))?
        .bytes;
    if ending(path) == "gpkg" {
        // SQLite reads only files on the disk.
        let copy = tempfile::NamedTempFile::new()
            .and_then(|copy| std::fs::write(copy.path(), &bytes).map(|()| copy));
        let copy = copy.map_err(|error| format!("cannot be copied: {error}"))?;
        let root = gpkg::collection(copy.path())?;
        return features_on(Features::from_geojson(&root)?, site);
    }
    let _held = Held::bytes(bytes.len() as u64);
    let text = String::from_utf8(bytes.into_owned()).map_err(|_| "is no text".to_owned())?;
    let need = geojson::need(&text).check("simplify it (ogr2ogr -simplify)");
    need.map_err(|error| format!("is too long: {error}"))?;
    features_on(Features::parse(&text)?, site)
}

/// Converts `features` to map coordinates of `site`, the place of the simulation box.
///
/// # Errors
/// If there is no conversion between both coordinate systems; as the end of a sentence that begins
/// with the file's name.
pub fn features_on(features: Features, site: &Site) -> Result<Vec<Feature>, String> {
    features_in(
        features,
        &site.crs().cloned().unwrap_or_default(),
        site.middle_x(),
    )
}

/// Converts features to the coordinate system `crs`. Longitudes are shifted to within 180° of
/// `middle`, the longitude of the map's centre; `middle` has no effect on maps that are not in
/// degrees.
///
/// # Errors
/// The errors of [`features_on`].
pub fn features_in(features: Features, crs: &Crs, middle: f64) -> Result<Vec<Feature>, String> {
    let Features {
        mut features,
        system,
        ..
    } = features;
    let way = system.onto(crs).ok_or_else(|| other_system(&system, crs))?;
    if !way.is_same() {
        for feature in &mut features {
            // A feature on the other side of the earth must not make the rest of the layer fail.
            let mut there = feature.geometry.points_mut();
            feature.is_far =
                !there.all(|point| way.back(*point).map(|back| *point = back).is_some());
            drop(there);
            if feature.is_far {
                feature.geometry.clear();
            }
        }
    }
    features
        .iter_mut()
        .for_each(|feature| feature.geometry.turn_to(crs, middle));
    Ok(features)
}

fn other_system(system: &System, crs: &Crs) -> String {
    let mend = if *crs == Crs::default() {
        "name the system of the heightmap (--crs EPSG:N), or write the coordinates as those of \
         the heightmap, with \"crs\": null in the file"
            .to_owned()
    } else {
        let told = told(crs);
        format!("bring it into the system of the heightmap (ogr2ogr -t_srs {told})")
    };
    format!(
        "is in {}, the heightmap in {}: {mend}",
        told_polygons(system),
        told(crs)
    )
}

/// Returns the name of the coordinate system `crs`, as messages state it.
pub fn told(crs: &Crs) -> String {
    let number = crs.epsg().map(|code| format!("EPSG:{code}"));
    number
        .or_else(|| crs.name())
        .unwrap_or_else(|| "a coordinate system that is not known".to_owned())
}

/// Returns the name of `system`, the coordinate system of a vector layer, as messages state it.
pub fn told_polygons(system: &System) -> String {
    match system {
        System::Degrees => "longitude and latitude (WGS 84)".to_owned(),
        System::Epsg(code) => format!("EPSG:{code}"),
        System::Named(name) => name.clone(),
        System::Unknown => "a coordinate system that is not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(features: &str) -> String {
        format!(r#"{{"type": "FeatureCollection", "crs": null, "features": [{features}]}}"#)
    }

    #[test]
    fn features_have_weights() {
        let text = collection(
            r#"{"type": "Feature", "properties": {"weight": 2.5}, "geometry": {"type": "Point", "coordinates": [1, 2, 9]}},
               {"type": "Feature", "properties": null, "geometry": {"type": "LineString", "coordinates": [[0, 0], [3, 4]]}},
               {"type": "Feature", "geometry": null},
               {"type": "Feature", "properties": {"weight": null},
                "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 1], [0, 0]]]}}"#,
        );
        let read = Features::parse(&text)
            .and_then(Features::weighted)
            .expect("right");
        assert_eq!((read.system.clone(), read.without), (System::Unknown, 1));
        assert_eq!(
            read.features
                .iter()
                .map(|feature| feature.weight)
                .collect::<Vec<_>>(),
            [2.5, 1.0, 1.0]
        );
        assert_eq!(
            read.features[0].geometry,
            Geometry::Points(vec![[1.0, 2.0]])
        );
        assert_eq!(
            read.features[1].geometry,
            Geometry::Lines(vec![vec![[0.0, 0.0], [3.0, 4.0]]])
        );
        assert!(
            matches!(&read.features[2].geometry, Geometry::Polygons(polygons) if polygons[0][0].len() == 4)
        );
        let bare = Features::parse(r#"{"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}"#)
            .expect("right");
        assert_eq!((bare.features.len(), bare.system), (1, System::Degrees));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (feature, part) in [
            (
                r#"{"properties": {"weight": -1}, "geometry": {"type": "Point", "coordinates": [1, 2]}}"#,
                "no number from 0 up, -1, in feature 1",
            ),
            (
                r#"{"properties": {"weight": "x", "name": "A"}, "geometry": {"type": "Point", "coordinates": [1, 2]}}"#,
                "from 0 up, \"x\", in feature 1 \"A\"",
            ),
            (
                r#"{"geometry": {"type": "Point", "coordinates": [1]}}"#,
                "a point that is not two numbers, in feature 1",
            ),
            (
                r#"{"geometry": {"type": "LineString", "coordinates": [[1, 2]]}}"#,
                "a line that is not two points",
            ),
            (
                r#"{"geometry": {"type": "Curve"}}"#,
                "no type that is known",
            ),
            (
                r#"{"geometry": {"type": "GeometryCollection", "geometries": []}}"#,
                "make a feature of each",
            ),
            (
                r#"{"geometry": {"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 1]]]]}}"#,
                "four points or more",
            ),
        ] {
            let error = Features::parse(&collection(feature))
                .and_then(Features::weighted)
                .expect_err(feature);
            assert!(error.contains(part), "{feature}: {error}");
        }
        let kept = r#"{"properties": {"weight": "x"}, "geometry": {"type": "Point", "coordinates": [1, 2]}},
                      {"geometry": {"type": "Polygon", "coordinates": []}}, {"geometry": {"type": "LineString", "coordinates": []}}"#;
        let read = Features::parse(&format!("\u{feff}{}", collection(kept)))
            .expect("no weight is asked for");
        assert_eq!((read.features.len(), read.without), (1, 2));
        assert!(Features::parse("{").is_err_and(|error| error.contains("is no JSON")));
    }
}
