//! Maps as lines and polygons: GeoJSON (RFC 7946), contour lines of a quantity or the outlines of a footprint.
//!
//! Coordinates are longitude and latitude on WGS 84, as the format wants, where the map's system can be turned into them
//! ([`ToDegrees`]). Other maps keep their own coordinates; the member `crs` of the format's older edition then names their
//! system, which GDAL and QGIS read, and `note` says so.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::ExportError;
use super::shapes::{Drawing, Piece};
use crate::map::{Crs, Site, ToDegrees, contour};
use crate::output::Existing;
use crate::terrain::write::whole;

/// Bytes of a point of a line or an outline: in the tree of its neighbours, in the document, and in its text, which doubles as
/// it grows.
const BYTES_A_POINT: f64 = 420.0;

/// Writes the map.
pub(super) fn write(path: &Path, drawing: &Drawing<'_>, existing: Existing) -> Result<(), ExportError> {
    drawing.check(path, BYTES_A_POINT)?;
    let text = document(drawing).to_string();
    Ok(whole(path, existing, |out| writeln!(out, "{text}"))?)
}

fn document(drawing: &Drawing<'_>) -> Value {
    let ground = Ground::of(drawing.site);
    let features: Vec<Value> = match drawing.has_lines() {
        true => drawing.lines().map(|(level, lines)| ground.lines(drawing, level, &lines)).collect(),
        false => drawing.pieces().map(|piece| ground.polygon(drawing, &piece)).collect(),
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

/// From columns and rows of a raster to coordinates of a file.
struct Ground<'a> {
    site: &'a Site,
    degrees: Option<ToDegrees>,
}

impl<'a> Ground<'a> {
    fn of(site: &'a Site) -> Self {
        Self { site, degrees: ToDegrees::of_site(site) }
    }

    /// The lines of a level as a feature.
    fn lines(&self, drawing: &Drawing<'_>, level: f64, lines: &[Vec<contour::Point>]) -> Value {
        let points = |line: &Vec<contour::Point>| line.iter().map(|point| self.point(*point)).collect::<Value>();
        json!({
            "type": "Feature",
            "properties": { "quantity": drawing.caption.name, "level": level, "unit": drawing.caption.unit },
            "geometry": { "type": "MultiLineString", "coordinates": lines.iter().map(points).collect::<Value>() },
        })
    }

    /// A piece of a footprint as a feature.
    fn polygon(&self, drawing: &Drawing<'_>, piece: &Piece) -> Value {
        json!({
            "type": "Feature",
            "properties": {
                "quantity": drawing.caption.name, "above": drawing.caption.above,
                "cells": piece.cells, "area_m2": piece.cells as f64 * drawing.cell_area_m2(),
            },
            "geometry": { "type": "Polygon", "coordinates": piece.rings.iter().map(|ring| self.ring(ring)).collect::<Value>() },
        })
    }

    fn point(&self, point: contour::Point) -> Value {
        let [x, y] = self.site.on_the_map(point);
        // To a millimetre: more digits are those of the arithmetic.
        let (point, fine) = match &self.degrees {
            Some(way) => (way.at(x, y), 1e8),
            None if self.site.map_unit() == "degree" => ([x, y], 1e8),
            None => ([x, y], 1e3),
        };
        point.map(|value| (value * fine).round() / fine).to_vec().into()
    }

    /// A ring that ends where it begins.
    fn ring(&self, points: &[contour::Point]) -> Value {
        points.iter().chain(points.first()).map(|point| self.point(*point)).collect()
    }

    /// The member that names the system, where the format's own is not used, and a remark.
    fn system(&self, crs: Option<&Crs>) -> (Option<Value>, String) {
        if self.degrees.is_some() {
            return (None, "coordinates are longitude and latitude on WGS 84".to_owned());
        }
        let number = crs.and_then(Crs::epsg).map(|code| format!("urn:ogc:def:crs:EPSG::{code}"));
        match number.or_else(|| crs.and_then(Crs::name)) {
            Some(name) => {
                let note = format!("coordinates are those of the map, in the system {name}, and not WGS 84");
                (Some(json!({ "type": "name", "properties": { "name": name } })), note)
            }
            None => (Some(Value::Null), format!("coordinates are in {}, in a system that is not known", self.unit())),
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
