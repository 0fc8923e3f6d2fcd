//! Maps as lines and polygons: GeoJSON (RFC 7946), contour lines of a quantity or outlines of a
//! footprint.
//!
//! Coordinates are longitude and latitude on WGS 84, as the format requires, if the coordinate
//! system of the map can be converted ([`ToDegrees`]). All other maps keep their own coordinates;
//! the member `crs` of the earlier format version then names their system, which GDAL and QGIS
//! read, and `note` states this.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::ExportError;
use super::shapes::{Component, Drawing};
use lavoxel_files::output::{Existing, whole};
use lavoxel_geo::map::geojson::Rings;
use lavoxel_geo::map::longitude::{cut_line, cut_polygon};
use lavoxel_geo::map::{Crs, Site, ToDegrees, contour};

/// Estimated memory in bytes per point of a contour line or outline: contour graph, JSON document,
/// and text in a growing `String`.
const BYTES_A_POINT: f64 = 420.0;

/// Writes the contour lines or outlines of `drawing` as GeoJSON to `path`.
pub(super) fn write(
    path: &Path,
    drawing: &Drawing<'_>,
    existing: Existing,
) -> Result<(), ExportError> {
    drawing.check(path, BYTES_A_POINT)?;
    let text = document(drawing).to_string();
    Ok(whole(path, existing, |out| writeln!(out, "{text}"))?)
}

/// Line of a GeoJSON document: its properties, and its points (column, row) in cells.
pub type LineFeature = (Map<String, Value>, Vec<[f64; 2]>);

/// Returns a GeoJSON document of `lines` in the box of `site`. `name`: name of the layer; `caution`:
/// note on the values.
pub fn document_of_lines(
    site: &Site,
    (name, caution): (&str, &str),
    lines: &[LineFeature],
) -> Value {
    let ground = ToCoordinates::new(site);
    let feature = |(properties, points): &LineFeature| {
        let points: Vec<_> = points.iter().map(|point| ground.point(*point)).collect();
        json!({
            "type": "Feature",
            "properties": properties,
            "geometry": { "type": "LineString", "coordinates": ground.rounded(&points) },
        })
    };
    let features: Vec<Value> = lines.iter().map(feature).collect();
    let (crs, note) = ground.system(site.crs());
    let mut document = json!({
        "type": "FeatureCollection", "name": name, "note": note, "caution": caution, "features": features,
    });
    crs.into_iter().for_each(|crs| document["crs"] = crs);
    document
}

fn document(drawing: &Drawing<'_>) -> Value {
    let ground = ToCoordinates::new(drawing.site);
    let features: Vec<Value> = match drawing.has_lines() {
        true => drawing
            .lines()
            .map(|(level, lines)| ground.lines(drawing, level, &lines))
            .collect(),
        false => drawing
            .pieces()
            .map(|piece| ground.polygon(drawing, &piece))
            .collect(),
    };
    let mut document = Map::new();
    document.insert("type".into(), "FeatureCollection".into());
    document.insert("name".into(), drawing.caption.name.clone().into());
    let (crs, note) = ground.system(drawing.site.crs());
    crs.into_iter().for_each(|crs| {
        document.insert("crs".into(), crs);
    });
    document.insert("note".into(), note.into());
    document.insert("about".into(), drawing.caption.about(drawing.about));
    document.insert("features".into(), features.into());
    document.into()
}

/// Conversion from raster positions (column, row) to the coordinates of the GeoJSON file: longitude
/// and latitude if possible, otherwise map coordinates.
struct ToCoordinates<'a> {
    site: &'a Site,
    degrees: Option<ToDegrees>,
}

impl<'a> ToCoordinates<'a> {
    fn new(site: &'a Site) -> Self {
        Self {
            site,
            degrees: ToDegrees::of_site(site),
        }
    }

    /// Returns the contour lines `lines` at the value `level` as one GeoJSON feature.
    fn lines(&self, drawing: &Drawing<'_>, level: f64, lines: &[Vec<contour::Point>]) -> Value {
        let pieces = lines.iter().flat_map(|line| {
            let points: Vec<_> = line.iter().map(|point| self.point(*point)).collect();
            if self.is_in_degrees() {
                cut_line(&points)
            } else {
                vec![points]
            }
        });
        let lines: Value = pieces.map(|line| self.rounded(&line)).collect();
        json!({
            "type": "Feature",
            "properties": { "quantity": drawing.caption.name, "level": level, "unit": drawing.caption.unit },
            "geometry": { "type": "MultiLineString", "coordinates": lines },
        })
    }

    /// Returns the connected component `piece` of a footprint as a GeoJSON feature with polygons.
    fn polygon(&self, drawing: &Drawing<'_>, piece: &Component) -> Value {
        let rings: Rings = piece.rings.iter().map(|ring| self.ring(ring)).collect();
        let parts = if self.is_in_degrees() {
            cut_polygon(&rings)
        } else {
            vec![rings]
        };
        let mut parts: Vec<Value> = parts
            .iter()
            .map(|rings| rings.iter().map(|ring| self.rounded(ring)).collect())
            .collect();
        let geometry = match parts.len() {
            1 => json!({ "type": "Polygon", "coordinates": parts.remove(0) }),
            // RFC 7946 requires geometries to be cut at the date line.
            _ => json!({ "type": "MultiPolygon", "coordinates": parts }),
        };
        json!({
            "type": "Feature",
            "properties": {
                "quantity": drawing.caption.name, "above": drawing.caption.above,
                "cells": piece.cells, "area_m2": piece.cells as f64 * drawing.cell_area_m2(),
            },
            "geometry": geometry,
        })
    }

    /// Returns true if the coordinates in the GeoJSON file are longitude and latitude.
    fn is_in_degrees(&self) -> bool {
        self.degrees.is_some() || self.site.map_unit() == "degree"
    }

    /// Returns the coordinates in the GeoJSON file of the raster position `point`. Longitudes
    /// continue beyond ±180° if the map crosses the date line.
    fn point(&self, point: contour::Point) -> [f64; 2] {
        let [x, y] = self.site.on_the_map(point);
        self.degrees.as_ref().map_or([x, y], |way| way.at(x, y))
    }

    /// Returns `points` as JSON, with coordinates rounded to about 1 mm because smaller digits are
    /// numerical noise.
    fn rounded(&self, points: &[[f64; 2]]) -> Value {
        let fine = if self.is_in_degrees() { 1e8 } else { 1e3 };
        let point = |point: &[f64; 2]| {
            Value::from(point.map(|value| (value * fine).round() / fine).to_vec())
        };
        points.iter().map(point).collect()
    }

    /// Converts `points`, a closed ring of raster positions whose first point is not repeated, to
    /// coordinates in the GeoJSON file, with the first point repeated at the end.
    fn ring(&self, points: &[contour::Point]) -> Vec<[f64; 2]> {
        points
            .iter()
            .chain(points.first())
            .map(|point| self.point(*point))
            .collect()
    }

    /// Returns the value of the GeoJSON member `crs` (`None` for WGS 84), and a note on the
    /// coordinate system for the member `note`. `crs`: coordinate system of the map.
    fn system(&self, crs: Option<&Crs>) -> (Option<Value>, String) {
        if self.degrees.is_some() {
            return (
                None,
                "coordinates are longitude and latitude on WGS 84".to_owned(),
            );
        }
        let number = crs
            .and_then(Crs::epsg)
            .map(|code| format!("urn:ogc:def:crs:EPSG::{code}"));
        match number.or_else(|| crs.and_then(Crs::name)) {
            Some(name) => {
                let note = format!(
                    "coordinates are those of the map, in the system {name}, and not WGS 84"
                );
                (
                    Some(json!({ "type": "name", "properties": { "name": name } })),
                    note,
                )
            }
            None => (
                Some(Value::Null),
                format!(
                    "coordinates are in {}, in a system that is not known",
                    self.unit()
                ),
            ),
        }
    }

    fn unit(&self) -> &'static str {
        match self.site.map_unit() {
            "m" => "metres",
            "degree" => "degrees",
            _ => "map units",
        }
    }
}
