//! Reader of OGC GeoPackages: converts the layer of features to GeoJSON, so that all other code
//! handles only one format.
//!
//! The crate `rusqlite` reads the database. Geometries are well-known binary (WKB) after a header
//! of the GeoPackage format (clause 2.1.3 of the standard).

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value, json};

use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{self, GEOPACKAGE, Loaded};

/// Estimated memory in bytes per byte of a geometry or field in the GeoPackage; more than 1 because
/// numbers of 8 bytes become larger JSON values.
const WEIGHT: f64 = 24.0;

/// Estimated memory of SQLite in bytes: page cache and internal tables.
const BYTES_OF_SQLITE: f64 = 6e6;

/// Upper bound on the number of points or parts for which memory is reserved before they are read,
/// because a damaged file may state any number.
const ROOM: usize = 1024;

/// Upper bound on the nesting depth of geometries in a GeoPackage.
const DEEPEST: usize = 4;

/// Reads the only feature layer of a GeoPackage as a GeoJSON `FeatureCollection`.
///
/// # Errors
/// The fault, as the end of a sentence that begins with the file's name.
pub(super) fn collection(path: &Path) -> Result<Loaded<Value>, String> {
    input::guard(|| decoded(path)).map_err(|error| error.to_string())?
}

fn decoded(path: &Path) -> Result<Loaded<Value>, String> {
    // SQLite opens the file itself, after the check that it is a regular file.
    GEOPACKAGE
        .open(path)
        .map(drop)
        .map_err(|error| format!("cannot be read: {error}"))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
    // A file may contain its own functions and views.
    connection
        .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
        .map_err(wrong)?;
    let layer = FeatureTable::only(&connection)?;
    let held = layer.weigh(&connection)?;
    let features = layer.features(&connection)?;
    let mut collection = json!({ "type": "FeatureCollection", "features": features });
    if let Some(crs) = layer.system(&connection)? {
        collection["crs"] = crs;
    }
    Ok(Loaded::new(collection, held))
}

/// Converts `error`, an error of SQLite, to a message.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn wrong(error: rusqlite::Error) -> String {
    format!(
        "is no GeoPackage that can be read: {}",
        escape_for_terminal(&error.to_string())
    )
}

/// Feature table of a GeoPackage: names of the table and its geometry column, and the id of its
/// coordinate system.
struct FeatureTable {
    table: String,
    geometry: String,
    system: i64,
}

impl FeatureTable {
    /// Returns the feature table of the GeoPackage. Fails if the file has none or more than one.
    fn only(connection: &Connection) -> Result<Self, String> {
        // Only tables, because a view might never end.
        const LAYERS: &str = "SELECT g.table_name, g.column_name, g.srs_id FROM gpkg_geometry_columns AS g
            JOIN sqlite_master AS m ON m.name = g.table_name AND m.type = 'table' ORDER BY 1 LIMIT 100";
        let mut query = connection.prepare(LAYERS).map_err(wrong)?;
        let layer = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                table: row.get(0)?,
                geometry: row.get(1)?,
                system: row.get(2)?,
            })
        };
        let layers = query
            .query_map([], layer)
            .map_err(wrong)?
            .collect::<Result<Vec<_>, _>>()
            .map_err(wrong)?;
        let names: Vec<&str> = layers.iter().map(|layer| layer.table.as_str()).collect();
        let names = escape_for_terminal(&names.join(", "));
        let count = layers.len();
        let mut layers = layers.into_iter();
        match (layers.next(), layers.next()) {
            (Some(layer), None) => Ok(layer),
            (None, _) => Err("has no layer of features".to_owned()),
            _ => Err(format!(
                "has {count} layers, {names}: write the one that is meant (ogr2ogr -f GeoJSON layer.geojson FILE.gpkg LAYER)"
            )),
        }
    }

    /// Returns the name of the feature table, quoted for SQL.
    fn quoted(&self) -> String {
        quoted(&self.table)
    }

    /// Reserves memory for reading the feature table until the returned value is dropped. Fails if
    /// the memory in use would exceed the memory limit.
    fn weigh(&self, connection: &Connection) -> Result<Held, String> {
        let sum = format!(
            "SELECT count(*), coalesce(sum(length({})), 0) FROM {}",
            quoted(&self.geometry),
            self.quoted()
        );
        let (rows, bytes): (i64, i64) = connection
            .query_row(&sum, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(wrong)?;
        let fields = 720.0 * rows.max(0) as f64;
        let need = MemoryEstimate::new(
            "the layer",
            1,
            WEIGHT * bytes.max(0) as f64 + fields + BYTES_OF_SQLITE,
        );
        need.check("simplify it (ogr2ogr -simplify)")
            .map_err(|error| format!("is too large: {error}"))?;
        Ok(need.held())
    }

    fn features(&self, connection: &Connection) -> Result<Vec<Value>, String> {
        let mut query = connection
            .prepare(&format!("SELECT * FROM {}", self.quoted()))
            .map_err(wrong)?;
        let names: Vec<String> = query.column_names().map(str::to_owned).collect();
        let mut rows = query.query([]).map_err(wrong)?;
        let mut features = Vec::new();
        while let Some(row) = rows.next().map_err(wrong)? {
            let (mut properties, mut geometry) = (Map::new(), Value::Null);
            for (i, name) in names.iter().enumerate() {
                let field = row.get_ref(i).map_err(wrong)?;
                if name.eq_ignore_ascii_case(&self.geometry) {
                    let shape = |bytes| {
                        shape(bytes)
                            .map_err(|fault| format!("{fault}, in feature {}", features.len() + 1))
                    };
                    geometry = field.as_blob().ok().map_or(Ok(Value::Null), shape)?;
                } else {
                    properties.insert(name.clone(), property(field));
                }
            }
            features
                .push(json!({ "type": "Feature", "properties": properties, "geometry": geometry }));
        }
        Ok(features)
    }

    /// Returns the GeoJSON member `crs` for the coordinate system of the feature table; `None` for
    /// longitude and latitude on WGS 84.
    fn system(&self, connection: &Connection) -> Result<Option<Value>, String> {
        const SYSTEM: &str = "SELECT organization, organization_coordsys_id, srs_name FROM gpkg_spatial_ref_sys WHERE srs_id = ?1";
        let row = connection.query_row(SYSTEM, [self.system], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, String>(2)?,
            ))
        });
        let (organization, number, name) =
            row.map_err(|_| "names a coordinate system that it does not describe".to_owned())?;
        let named = |name: String| json!({ "type": "name", "properties": { "name": name } });
        Ok(
            match (organization.to_ascii_uppercase().as_str(), self.system) {
                ("EPSG", _) if number == 4326 => None,
                ("EPSG", _) => Some(named(format!("urn:ogc:def:crs:EPSG::{number}"))),
                // Undefined systems of the standard, and that of GDAL.
                (_, -1 | 0 | 99_999) => Some(Value::Null),
                _ => Some(named(name)),
            },
        )
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn property(field: ValueRef<'_>) -> Value {
    match field {
        ValueRef::Integer(number) => json!(number),
        ValueRef::Real(number) => json!(number),
        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
    }
}

/// Converts a GeoPackage geometry to a GeoJSON geometry; an empty geometry becomes null. Returns a
/// message for damaged or unsupported bytes.
fn shape(bytes: &[u8]) -> Result<Value, String> {
    const CUT: &str = "has a geometry that ends early";
    let head = bytes.first_chunk::<8>().ok_or(CUT)?;
    if &head[..2] != b"GP" {
        return Err("has a geometry that is none of a GeoPackage".to_owned());
    }
    let flags = head[3];
    if flags & 0x20 != 0 {
        return Err("has a geometry of a kind of its own (GeoPackageBinary extended)".to_owned());
    }
    let bounds = match flags >> 1 & 7 {
        0 => 0,
        1 => 32,
        2 | 3 => 48,
        4 => 64,
        _ => return Err("has a geometry with bounds of no known kind".to_owned()),
    };
    let mut binary = Binary(bytes.get(8 + bounds..).ok_or(CUT)?);
    let shape = binary.geometry(0)?.ok_or(CUT)?;
    // An empty point has NaN coordinates.
    let has_none = |list: &Vec<Value>| list.is_empty() || list[0].is_null();
    let is_empty = flags & 0x10 != 0 || shape["coordinates"].as_array().is_some_and(has_none);
    Ok(if is_empty { Value::Null } else { shape })
}

/// Remaining bytes of a well-known binary geometry that is being read.
struct Binary<'a>(&'a [u8]);

impl Binary<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn whole(&mut self, little: bool) -> Option<u32> {
        self.take().map(if little {
            u32::from_le_bytes
        } else {
            u32::from_be_bytes
        })
    }

    /// Reads a point of `axes` coordinates and returns the first two; `None` if the bytes end
    /// early. `little`: numbers are little-endian.
    fn point(&mut self, little: bool, axes: usize) -> Option<Value> {
        let mut place = [0.0; 2];
        for axis in 0..axes {
            let number = self.take().map(if little {
                f64::from_le_bytes
            } else {
                f64::from_be_bytes
            })?;
            if let Some(place) = place.get_mut(axis) {
                *place = number;
            }
        }
        Some(json!(place))
    }

    /// Reads the number of parts of a geometry, and calls `part` once per part to read it; `None`
    /// if the bytes end early. `little`: the number is little-endian.
    fn parts(
        &mut self,
        little: bool,
        mut part: impl FnMut(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let count = self.whole(little)? as usize;
        let mut all = Vec::with_capacity(count.min(ROOM));
        for _ in 0..count {
            all.push(part(self)?);
        }
        Some(Value::Array(all))
    }

    /// Reads a geometry of the nesting depth `depth` (0: not part of a collection); `None` if the
    /// bytes end early. Returns a message for an unsupported geometry.
    fn geometry(&mut self, depth: usize) -> Result<Option<Value>, String> {
        let Some([order]) = self.take::<1>() else {
            return Ok(None);
        };
        let little = order != 0;
        let Some(code) = self.whole(little) else {
            return Ok(None);
        };
        // Offsets of 1000, 2000 and 3000 (the standard) or high bits (PostGIS) mark heights,
        // measures or both.
        let (high, measured) = (code & 0x8000_0000 != 0, code & 0x4000_0000 != 0);
        let code = code & 0x1fff_ffff;
        let axes = match code / 1000 {
            0 => 2 + usize::from(high) + usize::from(measured),
            1 | 2 => 3,
            3 => 4,
            _ => return Err(format!("has a geometry of kind {code}, which is not known")),
        };
        let line = |from: &mut Self| from.parts(little, |from| from.point(little, axes));
        let polygon = |from: &mut Self| from.parts(little, line);
        let (name, coordinates) = match code % 1000 {
            1 => ("Point", self.point(little, axes)),
            2 => ("LineString", line(self)),
            3 => ("Polygon", polygon(self)),
            kind @ 4..=6 if depth < DEEPEST => {
                let mut fault = None;
                let part = |from: &mut Self| match from.geometry(depth + 1) {
                    Ok(part) => part.map(|mut part| part["coordinates"].take()),
                    Err(wrong) => {
                        fault = Some(wrong);
                        None
                    }
                };
                let parts = self.parts(little, part);
                if let Some(fault) = fault {
                    return Err(fault);
                }
                (
                    ["MultiPoint", "MultiLineString", "MultiPolygon"][kind as usize - 4],
                    parts,
                )
            }
            7 => {
                return Err(
                    "has a GeometryCollection: make a feature of each of its geometries".to_owned(),
                );
            }
            kind => {
                return Err(format!(
                    "has a geometry of kind {kind}: bring curves into lines (ogr2ogr -nlt CONVERT_TO_LINEAR)"
                ));
            }
        };
        Ok(coordinates.map(|coordinates| json!({ "type": name, "coordinates": coordinates })))
    }
}
