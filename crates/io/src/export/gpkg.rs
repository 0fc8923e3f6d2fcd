//! Maps as OGC GeoPackage 1.3: a table of contour lines or of footprint outlines, in the coordinate
//! system of the map.
//!
//! SQLite writes the database; tables, geometries and header numbers follow the standard. A spatial
//! index, which is an optional extension, is omitted: a file has some hundred features.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::shapes::Drawing;
use super::{ExportError, Provenance};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_geo::map::contour::Point;
use lavoxel_geo::map::{Crs, Site};

/// Application id in the header of the SQLite file: "GPKG" in ASCII.
const APPLICATION: i32 = 0x4750_4B47;
/// Version of the GeoPackage standard in the SQLite file header: 1.3.
const VERSION: i32 = 10_300;

/// SRS id that the standard reserves for an undefined Cartesian coordinate system.
const NOT_KNOWN: i32 = -1;
/// SRS id that the file uses for a known coordinate system without EPSG code.
const NO_NUMBER: i32 = 100_000;

/// Estimated memory in bytes per point of a contour line or outline: contour graph, ring, and
/// geometry in a growing `Vec`.
const BYTES_A_POINT: f64 = 160.0;

/// Estimated memory of SQLite in bytes: page cache and internal tables.
const BYTES_OF_SQLITE: usize = 6 << 20;

/// SQL statements that create the tables of every file. No timestamps are stored, so that equal
/// maps give equal bytes.
const TABLES: &str = "
CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
  CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
  z TINYINT NOT NULL, m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian', -1, 'NONE', -1, 'undefined', 'a plane whose system is not known'),
  ('Undefined geographic', 0, 'NONE', 0, 'undefined', 'degrees of a system that is not known');
";
const LAST_CHANGE: &str = "1970-01-01T00:00:00.000Z";

/// Estimates the memory of SQLite while a GeoPackage is written, without the memory of map values
/// and points.
pub(super) fn need() -> MemoryEstimate {
    MemoryEstimate::new("the GeoPackage", BYTES_OF_SQLITE, 1.0)
}

/// Writes the contour lines or outlines of `drawing` as a GeoPackage to `path`.
pub(super) fn write(
    path: &Path,
    drawing: &Drawing<'_>,
    existing: Existing,
) -> Result<(), ExportError> {
    drawing.check(path, BYTES_A_POINT)?;
    let file = WholeFile::create(path, existing)?;
    fill(file.temporary_path(), drawing).map_err(|cause| ExportError::encoder(path, cause))?;
    Ok(file.commit()?)
}

fn fill(temporary: &Path, drawing: &Drawing<'_>) -> rusqlite::Result<()> {
    let connection = Connection::open(temporary)?;
    // The file is temporary: a partial file is discarded, so no journal is needed.
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;",
    )?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("BEGIN")?;
    connection.execute_batch(TABLES)?;
    let system = put_systems(&connection, drawing.site)?;
    FeatureTable::new(&connection, drawing, system)?.fill(drawing)?;
    connection.execute_batch("COMMIT")?;
    connection.close().map_err(|(_, cause)| cause)
}

/// Inserts the coordinate systems WGS 84, which every file must have, and that of `site`. Returns
/// the SRS id of the system of `site`.
fn put_systems(connection: &Connection, site: &Site) -> rusqlite::Result<i32> {
    const PUT: &str = "INSERT INTO gpkg_spatial_ref_sys VALUES (?1, ?2, ?3, ?2, ?4, NULL)";
    let put = |crs: &Crs, number: i32, organization: &str, text: &str| {
        let name = crs
            .name()
            .unwrap_or_else(|| format!("{organization} {number}"));
        connection
            .execute(PUT, params![name, number, organization, text])
            .map(drop)
    };
    if let Some(degrees) = Crs::from_epsg(4326) {
        put(
            &degrees,
            4326,
            "EPSG",
            &degrees.to_wkt().unwrap_or_default(),
        )?;
    }
    let Some(crs) = site.crs() else {
        return Ok(NOT_KNOWN);
    };
    match (crs.epsg(), crs.to_wkt()) {
        (Some(4326), _) => Ok(4326),
        (Some(code), text) => {
            put(
                crs,
                code.into(),
                "EPSG",
                text.as_deref().unwrap_or("undefined"),
            )?;
            Ok(code.into())
        }
        (None, Some(text)) => {
            put(crs, NO_NUMBER, "NONE", &text)?;
            Ok(NO_NUMBER)
        }
        (None, None) => Ok(if crs.is_geographic() { 0 } else { NOT_KNOWN }),
    }
}

/// Feature table of the GeoPackage that is being filled.
struct FeatureTable<'a> {
    connection: &'a Connection,
    name: String,
    /// SQL statement that inserts one feature, with placeholders for its geometry and its column
    /// values.
    put: String,
    system: i32,
    around: [f64; 4],
}

impl<'a> FeatureTable<'a> {
    fn new(
        connection: &'a Connection,
        drawing: &Drawing<'_>,
        system: i32,
    ) -> rusqlite::Result<Self> {
        let name = table_name(&drawing.caption.name);
        let (kind, columns): (_, &[&str]) = match drawing.has_lines() {
            true => (
                "MULTILINESTRING",
                &["quantity TEXT", "level DOUBLE", "unit TEXT"],
            ),
            false => (
                "POLYGON",
                &[
                    "quantity TEXT",
                    "above DOUBLE",
                    "cells INTEGER",
                    "area_m2 DOUBLE",
                ],
            ),
        };
        let list = columns.join(", ");
        connection.execute_batch(&format!(
            "CREATE TABLE \"{name}\" (fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom {kind}, {list})"
        ))?;
        let cautions: String = drawing
            .about
            .cautions
            .iter()
            .map(|text| format!("; caution: {text}"))
            .collect();
        let about = format!(
            "{}, {} of {}, {}{cautions}",
            drawing.caption.description,
            drawing.caption.when(drawing.about),
            drawing.about.scene,
            Provenance::SOFTWARE
        );
        connection.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change, srs_id)
             VALUES (?1, 'features', ?1, ?2, ?3, ?4)",
            params![name, about, LAST_CHANGE, system],
        )?;
        connection.execute(
            "INSERT INTO gpkg_geometry_columns VALUES (?1, 'geom', ?2, ?3, 0, 0)",
            params![name, kind, system],
        )?;
        // One placeholder for the geometry and one per column; the `fid` is left to SQLite.
        let marks = vec!["?"; columns.len() + 1].join(", ");
        let put = format!("INSERT INTO \"{name}\" VALUES (NULL, {marks})");
        Ok(Self {
            connection,
            name,
            put,
            system,
            around: NOWHERE,
        })
    }

    fn fill(mut self, drawing: &Drawing<'_>) -> rusqlite::Result<()> {
        let quantity = || Value::Text(drawing.caption.name.clone());
        if drawing.has_lines() {
            for (level, lines) in drawing.lines() {
                let unit = Value::Text(drawing.caption.unit.to_owned());
                self.insert(
                    &Geometry::lines(drawing.site, &lines),
                    [quantity(), Value::Real(level), unit],
                )?;
            }
        } else {
            let above = drawing.caption.above.map_or(Value::Null, Value::Real);
            for piece in drawing.pieces() {
                let area = Value::Real(piece.cells as f64 * drawing.cell_area_m2());
                let values = [
                    quantity(),
                    above.clone(),
                    Value::Integer(piece.cells as i64),
                    area,
                ];
                self.insert(&Geometry::polygon(drawing.site, &piece.rings), values)?;
            }
        }
        if self.around == NOWHERE {
            return Ok(());
        }
        let [west, south, east, north] = self.around;
        self.connection.execute(
            "UPDATE gpkg_contents SET min_x = ?2, min_y = ?3, max_x = ?4, max_y = ?5 WHERE table_name = ?1",
            params![self.name, west, south, east, north],
        )?;
        Ok(())
    }

    fn insert<const N: usize>(
        &mut self,
        geometry: &Geometry,
        values: [Value; N],
    ) -> rusqlite::Result<()> {
        let [west, south, east, north] = geometry.around;
        let [w, s, e, n] = self.around;
        self.around = [w.min(west), s.min(south), e.max(east), n.max(north)];
        let all = std::iter::once(Value::Blob(geometry.bytes(self.system))).chain(values);
        self.connection
            .prepare(&self.put)?
            .execute(params_from_iter(all))
            .map(drop)
    }
}

/// Initial value of a bounding box [west, south, east, north] before its first point is added.
const NOWHERE: [f64; 4] = [
    f64::INFINITY,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NEG_INFINITY,
];

/// Returns a name for the feature table of the map named `name`: characters that need quotes in SQL
/// become `_`.
fn table_name(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// Geometry of a feature in the encoding "well-known binary", with its bounding box [west, south,
/// east, north].
struct Geometry {
    wkb: Vec<u8>,
    around: [f64; 4],
}

impl Geometry {
    fn lines(site: &Site, lines: &[Vec<Point>]) -> Self {
        let mut all = Self {
            wkb: Vec::new(),
            around: NOWHERE,
        };
        all.head(5, lines.len());
        for line in lines {
            all.head(2, line.len());
            line.iter().for_each(|point| all.point(site, *point));
        }
        all
    }

    fn polygon(site: &Site, rings: &[Vec<Point>]) -> Self {
        let mut all = Self {
            wkb: Vec::new(),
            around: NOWHERE,
        };
        all.head(3, rings.len());
        for ring in rings {
            all.count(ring.len() + 1);
            ring.iter()
                .chain(ring.first())
                .for_each(|point| all.point(site, *point));
        }
        all
    }

    /// Appends the header of a well-known binary geometry to the bytes `wkb`: byte order, type code
    /// `kind` and number of parts.
    fn head(&mut self, kind: u32, parts: usize) {
        // Byte order: little-endian.
        self.wkb.push(1);
        self.wkb.extend(kind.to_le_bytes());
        self.count(parts);
    }

    fn count(&mut self, count: usize) {
        self.wkb.extend((count as u32).to_le_bytes());
    }

    fn point(&mut self, site: &Site, point: Point) {
        let [x, y] = site.on_the_map(point);
        self.wkb.extend([x, y].map(f64::to_le_bytes).concat());
        let [w, s, e, n] = self.around;
        self.around = [w.min(x), s.min(y), e.max(x), n.max(y)];
    }

    /// Returns the geometry in the GeoPackage encoding: a header with the SRS id `system` and the
    /// bounding box, followed by the well-known binary.
    fn bytes(&self, system: i32) -> Vec<u8> {
        let [west, south, east, north] = self.around;
        // Version 0; little-endian, with bounds of two axes.
        let mut bytes = b"GP\0\x03".to_vec();
        bytes.extend(system.to_le_bytes());
        bytes.extend([west, east, south, north].map(f64::to_le_bytes).concat());
        bytes.extend(&self.wkb);
        bytes
    }
}
