//! Polygons of a GeoJSON text: the format of RFC 7946, and the member `crs` of the earlier version.

use serde_json::Value;

use super::{Crs, ToDegrees};
use lavoxel_base::memory::MemoryEstimate;

/// Polygon: its outer ring, followed by the rings of its holes. Each ring is a list of points `[x,
/// y]` in map units.
pub type Rings = Vec<Vec<[f64; 2]>>;

/// Coordinate system of a GeoJSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum System {
    /// Longitude and latitude in degrees on WGS 84.
    Degrees,
    /// Coordinate system with this EPSG code.
    Epsg(u16),
    /// Coordinate system with this name, which is not an EPSG code.
    Named(String),
    /// Unknown coordinate system, because the document says `"crs": null`.
    Unknown,
}

impl System {
    /// Returns the conversion whose method `ToDegrees::back` converts points of this system to map
    /// coordinates in `crs`; `None` if there is no conversion.
    pub fn onto(&self, crs: &Crs) -> Option<ToDegrees> {
        let same = |same: bool| same.then_some(ToDegrees::SAME);
        match self {
            Self::Degrees => ToDegrees::from_crs(crs),
            Self::Epsg(code) => same(crs.epsg() == Some(*code)),
            Self::Named(name) => same(crs.name().as_ref() == Some(name)),
            Self::Unknown => same(*crs == Crs::default()),
        }
    }
}

/// All polygons of a GeoJSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct Polygons {
    /// Polygons in the order of the GeoJSON document.
    pub polygons: Vec<Rings>,
    /// Coordinate system of the polygons in the document.
    pub system: System,
}

/// Estimated memory in bytes per list in a GeoJSON text while the text is parsed; an upper bound.
const A_LIST: usize = 256;
/// Estimated memory in bytes per object in a GeoJSON text while the text is parsed; an upper bound.
const AN_OBJECT: usize = 720;
/// Estimated memory in bytes per comma in a GeoJSON text while the text is parsed; an upper bound.
const A_COMMA: usize = 96;

/// Estimates the memory for parsing the GeoJSON text `text` from its length and its number of
/// lists, objects and commas.
pub fn need(text: &str) -> MemoryEstimate {
    let cost = |byte| match byte {
        b'[' => A_LIST,
        b'{' => AN_OBJECT,
        b',' => A_COMMA,
        _ => 1,
    };
    MemoryEstimate::new("the polygons", text.bytes().map(cost).sum(), 1.0)
}

/// Parses the text `text` as JSON; a byte order mark is allowed.
///
/// # Errors
/// The fault, as the end of a sentence that begins with the file's name.
pub fn object(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|e| format!("is no JSON: {e}"))
}

impl Polygons {
    /// Parses all polygons of a GeoJSON text. The caller has checked the memory by [`need`].
    ///
    /// # Errors
    /// The fault, as the end of a sentence that begins with the file's name.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::from_geojson(&object(text)?)
    }

    /// Collects all polygons of a parsed GeoJSON object.
    ///
    /// # Errors
    /// The errors of [`Polygons::parse`].
    pub fn from_geojson(root: &Value) -> Result<Self, String> {
        let mut polygons = Vec::new();
        collect(root, &mut polygons)?;
        if polygons.is_empty() {
            return Err("has no polygon".to_owned());
        }
        Ok(Self {
            polygons,
            system: system(root)?,
        })
    }

    /// Returns the first point of the first polygon; `None` if there are no polygons.
    pub fn first(&self) -> Option<[f64; 2]> {
        self.polygons.iter().flatten().flatten().next().copied()
    }

    /// Returns the bounding box of all points, [west, south, east, north].
    pub fn bounds(&self) -> [f64; 4] {
        let points = self.polygons.iter().flatten().flatten();
        let none = [
            f64::INFINITY,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
        ];
        points.fold(none, |[w, s, e, n], [x, y]| {
            [w.min(*x), s.min(*y), e.max(*x), n.max(*y)]
        })
    }
}

/// Shifts the longitudes of a polygon by a multiple of 360° to within 180° of the longitude
/// `middle`, and its holes to the outer ring. No effect if the coordinate system `crs` is not in
/// degrees.
pub fn turn_rings(rings: &mut Rings, crs: &Crs, middle: f64) {
    let Some((outline, holes)) = rings.split_first_mut() else {
        return;
    };
    crs.unroll(outline, middle);
    let ends = outline
        .iter()
        .fold([f64::MAX, f64::MIN], |[west, east], [x, _]| {
            [west.min(*x), east.max(*x)]
        });
    holes
        .iter_mut()
        .for_each(|hole| crs.unroll(hole, 0.5 * (ends[0] + ends[1])));
}

pub(super) fn system(root: &Value) -> Result<System, String> {
    let name = match root.get("crs") {
        None => return Ok(System::Degrees),
        Some(Value::Null) => return Ok(System::Unknown),
        Some(crs) => crs.pointer("/properties/name").and_then(Value::as_str),
    };
    let name = name.ok_or("has a member crs without a name")?;
    let code = name
        .rsplit(':')
        .next()
        .and_then(|code| code.parse::<u16>().ok());
    Ok(
        match code.filter(|_| name.to_ascii_uppercase().contains("EPSG")) {
            _ if name.ends_with("CRS84") => System::Degrees,
            Some(4326) => System::Degrees,
            Some(code) => System::Epsg(code),
            None => System::Named(name.to_owned()),
        },
    )
}

/// Appends the polygons of a GeoJSON object, and of objects inside it, to `polygons`.
fn collect(object: &Value, polygons: &mut Vec<Rings>) -> Result<(), String> {
    let each = |key: &str, polygons: &mut Vec<Rings>| -> Result<(), String> {
        array(object.get(key), key)?
            .iter()
            .try_for_each(|inner| collect(inner, polygons))
    };
    match object.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => each("features", polygons),
        Some("GeometryCollection") => each("geometries", polygons),
        Some("Feature") => match object.get("geometry") {
            None | Some(Value::Null) => Ok(()),
            Some(geometry) => collect(geometry, polygons),
        },
        Some("Polygon") => {
            let rings = rings(array(object.get("coordinates"), "coordinates")?)?;
            // A polygon without coordinates is empty.
            polygons.extend((!rings.is_empty()).then_some(rings));
            Ok(())
        }
        Some("MultiPolygon") => array(object.get("coordinates"), "coordinates")?
            .iter()
            .try_for_each(|polygon| {
                polygons.push(rings(array(Some(polygon), "coordinates")?)?);
                Ok(())
            }),
        Some(other @ ("Point" | "MultiPoint" | "LineString" | "MultiLineString")) => {
            Err(format!("has a {other}; a footprint has polygons"))
        }
        Some(_) | None => Err("is no GeoJSON: an object has no type that is known".to_owned()),
    }
}

pub(super) fn array<'a>(value: Option<&'a Value>, what: &str) -> Result<&'a Vec<Value>, String> {
    value
        .and_then(Value::as_array)
        .ok_or_else(|| format!("is no GeoJSON: {what} must be a list"))
}

/// Parses a GeoJSON position as [x, y]; coordinates after the second are ignored. `None` if `point`
/// is not a valid position.
pub(super) fn point(point: &Value) -> Option<[f64; 2]> {
    let xy = [point.get(0)?.as_f64()?, point.get(1)?.as_f64()?];
    xy.iter().all(|value| value.is_finite()).then_some(xy)
}

pub(super) fn rings(rings: &[Value]) -> Result<Rings, String> {
    let ring = |ring: &Value| -> Result<Vec<[f64; 2]>, String> {
        let points = array(Some(ring), "a ring")?
            .iter()
            .map(point)
            .collect::<Option<Vec<_>>>();
        points
            .filter(|points| points.len() > 3)
            .ok_or_else(|| "has a ring that is not four points or more".to_owned())
    };
    rings.iter().map(ring).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str =
        r#"{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 1, 7.5], [0, 1], [0, 0]]]}"#;

    #[test]
    fn polygons_are_found_wherever_they_are() {
        let ring = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]];
        let feature = format!(r#"{{"type": "Feature", "properties": null, "geometry": {SQUARE}}}"#);
        let empty = r#"{"type": "Feature", "geometry": null}"#;
        for text in [
            SQUARE.to_owned(),
            feature.clone(),
            format!(r#"{{"type": "FeatureCollection", "features": [{empty}, {feature}]}}"#),
            format!(r#"{{"type": "GeometryCollection", "geometries": [{SQUARE}]}}"#),
            SQUARE
                .replace("\"Polygon\"", "\"MultiPolygon\"")
                .replace("[[[", "[[[[")
                .replace("]]]", "]]]]"),
        ] {
            let found = Polygons::parse(&text).expect("a polygon");
            assert_eq!(
                found,
                Polygons {
                    polygons: vec![vec![ring.clone()]],
                    system: System::Degrees
                },
                "{text}"
            );
            assert_eq!(found.bounds(), [0.0, 0.0, 2.0, 1.0]);
        }
    }

    #[test]
    fn the_older_edition_names_its_system() {
        let of = |name: &str| {
            let crs =
                format!(r#"{{"crs": {{"type": "name", "properties": {{"name": "{name}"}}}}, "#);
            Polygons::parse(&SQUARE.replacen('{', &crs, 1))
                .expect("a polygon")
                .system
        };
        assert_eq!(of("urn:ogc:def:crs:OGC:1.3:CRS84"), System::Degrees);
        assert_eq!(
            [of("EPSG:32633"), of("urn:ogc:def:crs:EPSG::32633")],
            [System::Epsg(32633), System::Epsg(32633)]
        );
        assert_eq!(of("A plane"), System::Named("A plane".to_owned()));
        let unknown =
            Polygons::parse(&SQUARE.replacen('{', r#"{"crs": null, "#, 1)).expect("a polygon");
        assert_eq!(unknown.system, System::Unknown);
    }

    #[test]
    fn what_is_no_polygon_is_refused() {
        for (text, part) in [
            ("", "is no JSON"),
            ("[1, 2]", "no type that is known"),
            (
                r#"{"type": "FeatureCollection", "features": []}"#,
                "has no polygon",
            ),
            (
                r#"{"type": "FeatureCollection", "features": 7}"#,
                "features must be a list",
            ),
            (
                r#"{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}"#,
                "has a LineString",
            ),
            (
                r#"{"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]}"#,
                "four points or more",
            ),
            (
                r#"{"type": "Polygon", "coordinates": [[[0, 0], [1, "a"], [1, 0], [0, 0]]]}"#,
                "four points or more",
            ),
            (
                r#"{"type": "Polygon", "coordinates": [7]}"#,
                "a ring must be a list",
            ),
        ] {
            let error = Polygons::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        let deep = "[".repeat(100_000);
        assert!(Polygons::parse(&deep).is_err_and(|error| error.contains("is no JSON")));
    }
}
