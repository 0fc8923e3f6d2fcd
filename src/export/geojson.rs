//! Maps as lines and polygons: GeoJSON (RFC 7946), contour lines of a quantity or the outlines of a footprint.
//!
//! Coordinates are longitude and latitude on WGS 84, as the format wants, where the map's system can be turned into them
//! ([`ToDegrees`]). Other maps keep their own coordinates; the member `crs` of the format's older edition then names their
//! system, which GDAL and QGIS read, and `note` says so.

use std::io::Write;
use std::path::Path;

use ndarray::Array2;
use serde_json::{Map, Value, json};

use super::maps::BYTES_OF_LINES;
use super::style::MapStyle;
use super::{About, Caption, ExportError, MEND};
use crate::map::outline::{Corner, edges, outlines};
use crate::map::{Crs, Site, ToDegrees, contour, rounded};
use crate::memory::MemoryEstimate;
use crate::output::Existing;
use crate::terrain::write::whole;

/// A map to be drawn as lines or polygons.
pub(super) struct Drawing<'a> {
    pub(super) caption: &'a Caption,
    /// NaN where there is no data.
    pub(super) values: Array2<f64>,
    pub(super) style: &'a MapStyle,
    /// Of contour lines; those of the legend without it.
    pub(super) levels: Option<&'a [f64]>,
    /// Whether corners are rounded.
    pub(super) smooth: bool,
    pub(super) about: &'a About,
    pub(super) site: &'a Site,
}

/// Bytes of a point of a line or an outline: in the tree of its neighbours, in the document, and in its text, which doubles as
/// it grows.
const BYTES_A_POINT: f64 = 420.0;

/// Writes the map.
pub(super) fn write(path: &Path, drawing: &Drawing<'_>, existing: Existing) -> Result<(), ExportError> {
    let points = MemoryEstimate::of("the lines of the map", drawing.points(), BYTES_A_POINT);
    let columns = MemoryEstimate::of("the map", drawing.values.len(), BYTES_OF_LINES);
    points.and(columns).check(MEND).map_err(ExportError::memory(path))?;
    let text = drawing.document().to_string();
    Ok(whole(path, existing, |out| writeln!(out, "{text}"))?)
}

impl Drawing<'_> {
    /// How many points its lines and outlines have at most.
    fn points(&self) -> usize {
        let sharp: usize = match self.caption.above {
            Some(_) => edges(&self.values.mapv(|value| value > 0.0)),
            None => {
                let values = self.values_of_lines();
                self.levels().into_iter().map(|level| contour::pieces(&values, level)).sum()
            }
        };
        if self.smooth { sharp * rounded::MOST } else { sharp }
    }

    /// The numbers between which contour lines run.
    fn values_of_lines(&self) -> Array2<f64> {
        let none_at_zero = self.style.none_at_zero;
        self.values.mapv(|value| if none_at_zero && value.is_nan() { 0.0 } else { value })
    }

    fn document(&self) -> Value {
        let ground = Ground::of(self.site);
        let features = match self.caption.above {
            Some(_) => self.polygons(&ground),
            None => {
                let values = self.values_of_lines();
                self.levels().into_iter().filter_map(|level| self.lines(&values, level, &ground)).collect()
            }
        };
        let mut document = Map::new();
        document.insert("type".into(), "FeatureCollection".into());
        document.insert("name".into(), self.caption.name.clone().into());
        let (crs, note) = ground.system(self.site.crs());
        crs.into_iter().for_each(|crs| {
            document.insert("crs".into(), crs);
        });
        document.insert("note".into(), note.into());
        document.insert("about".into(), self.caption.about(self.about));
        document.insert("features".into(), features.into());
        document.into()
    }

    /// The levels of contour lines, rising.
    fn levels(&self) -> Vec<f64> {
        let legend = || {
            let inside = |value: &f64| !self.style.none_at_zero || *value > 0.0;
            self.style.ticks().into_iter().map(|(value, _)| value).filter(inside).collect()
        };
        self.levels.map_or_else(legend, <[f64]>::to_vec)
    }

    /// The lines of a level as a feature; none where there are no lines.
    fn lines(&self, values: &Array2<f64>, level: f64, ground: &Ground<'_>) -> Option<Value> {
        let lines = contour::lines(values, level);
        let points = |line: Vec<contour::Point>| line.into_iter().map(|[x, y]| ground.point(x, y)).collect::<Value>();
        let smooth = |line| if self.smooth { rounded::line(line) } else { line };
        let lines: Vec<Value> = lines.into_iter().filter(|line| line.len() > 1).map(smooth).map(points).collect();
        (!lines.is_empty()).then(|| {
            json!({
                "type": "Feature",
                "properties": { "quantity": self.caption.name, "level": level, "unit": self.caption.unit },
                "geometry": { "type": "MultiLineString", "coordinates": lines },
            })
        })
    }

    /// The pieces of a footprint as features.
    fn polygons(&self, ground: &Ground<'_>) -> Vec<Value> {
        let area = self.site.cell_size_m * self.site.cell_size_m;
        let pieces = outlines(&self.values.mapv(|value| value > 0.0));
        let feature = |piece: crate::map::outline::Outline| {
            let rings = std::iter::once(&piece.outer).chain(&piece.holes);
            let sharp = |ring: &[Corner]| ring.iter().map(|corner| corner.map(|along| along as f64)).collect();
            let corners = |ring: &Vec<Corner>| if self.smooth { rounded::outline(ring) } else { sharp(ring) };
            let rings: Vec<Value> = rings.map(|ring| ground.ring(&corners(ring))).collect();
            json!({
                "type": "Feature",
                "properties": {
                    "quantity": self.caption.name, "above": self.caption.above,
                    "cells": piece.cells, "area_m2": piece.cells as f64 * area,
                },
                "geometry": { "type": "Polygon", "coordinates": rings },
            })
        };
        pieces.into_iter().map(feature).collect()
    }
}

/// From columns and rows of a raster to coordinates of a file.
struct Ground<'a> {
    site: &'a Site,
    degrees: Option<ToDegrees>,
}

impl<'a> Ground<'a> {
    fn of(site: &'a Site) -> Self {
        Self { site, degrees: site.crs().and_then(ToDegrees::of) }
    }

    fn point(&self, col: f64, row: f64) -> Value {
        let place = self.site.placement();
        let (x, y) = (place.west + col * place.cell.0, place.north - row * place.cell.1);
        // To a millimetre: more digits are those of the arithmetic.
        let (point, fine) = match self.degrees {
            Some(way) => (way.at(x, y), 1e8),
            None if self.site.map_unit() == "degree" => ([x, y], 1e8),
            None => ([x, y], 1e3),
        };
        point.map(|value| (value * fine).round() / fine).to_vec().into()
    }

    /// A ring that ends where it begins.
    fn ring(&self, points: &[contour::Point]) -> Value {
        points.iter().chain(points.first()).map(|[col, row]| self.point(*col, *row)).collect()
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
