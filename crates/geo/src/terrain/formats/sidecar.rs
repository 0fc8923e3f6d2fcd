//! Reader of the sidecar files of rasters; no other module reads them:
//!
//! | sidecar file of `land.tif` | content |
//! |---|---|
//! | `land.tif.aux.xml` | metadata that GDAL stores outside of the raster file: coordinate system, position, no-data value, scale, offset and unit of the first band; takes precedence over the metadata in the raster file, as in GDAL |
//! | `land.tif.msk` | a mask of the same size: 0 means no data |
//! | `land.tfw`, `land.tifw`, `land.wld` | a world file with six numbers: the position, used if the raster file states none |
//! | `land.prj` | the coordinate system as well-known text or EPSG code, used if no other file states a system |
//!
//! The world file of a picture `land.png` is `land.pgw`: the first and the last letter of the file
//! extension, followed by `w`.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use geotiff_reader::transform::GeoTransform;
use ndarray::Array2;

use super::geotiff;
use super::read::{LoadOptions, open, open_as};
use super::samples::Heights;
use crate::map::Epsg;
use crate::terrain::{Crs, HeightUnit, TerrainError};
use lavoxel_base::validate::quoted;
use lavoxel_files::input;

/// Metadata in the sidecar files of a raster; a field is `None` if no sidecar file states it.
#[derive(Clone, Debug, Default)]
pub(in crate::terrain) struct Sidecars {
    /// Coordinate system that the `.aux.xml` states.
    pub(in crate::terrain) crs: Option<Crs>,
    /// Coordinate system that the `.prj` states.
    pub(in crate::terrain) prj: Option<Crs>,
    /// Affine transform from cells to map coordinates in the `.aux.xml`.
    pub(in crate::terrain) transform: Option<GeoTransform>,
    /// Affine transform from cells to map coordinates in a world file, with the path of this file.
    pub(in crate::terrain) world: Option<(GeoTransform, PathBuf)>,
    /// Number that means no data, from the `.aux.xml`.
    pub(in crate::terrain) no_data: Option<f64>,
    /// Factor `scale` of the conversion height = `number · scale + offset`, from the `.aux.xml`.
    pub(in crate::terrain) scale: Option<f64>,
    pub(in crate::terrain) offset: Option<f64>,
    /// Name of the unit of heights, from the `.aux.xml`.
    pub(in crate::terrain) unit: Option<String>,
    /// Number of control points in the `.aux.xml`: pixels whose map coordinates are stated.
    pub(in crate::terrain) points: usize,
    /// Path of the mask file (`.msk`) of the raster.
    pub(in crate::terrain) mask: Option<PathBuf>,
}

/// Returns the paths at which sidecar files of the raster at `path` may lie, one list per kind of
/// file; names in lower case come first.
pub fn candidates(path: &Path) -> Vec<Vec<PathBuf>> {
    let longer = |ending: &str| {
        let spelt = [ending.to_owned(), ending.to_uppercase()];
        let named = |ending: String| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{ending}"));
            PathBuf::from(name)
        };
        spelt.map(named).to_vec()
    };
    let other = |ending: &str| {
        let mut capital = ending.to_owned();
        capital[..1].make_ascii_uppercase();
        [ending.to_owned(), ending.to_uppercase(), capital]
            .map(|ending| path.with_extension(ending))
            .to_vec()
    };
    let ending = input::ending(path);
    let mut kinds = vec![longer("aux.xml"), longer("msk"), other("prj")];
    let (first, last) = (ending.chars().next(), ending.chars().last());
    if let (Some(first), Some(last), true) = (first, last, ending.is_ascii()) {
        kinds.extend(
            [
                format!("{first}{last}w"),
                format!("{ending}w"),
                "wld".to_owned(),
            ]
            .iter()
            .map(|ending| other(ending)),
        );
    }
    kinds
}

/// Reads the first of the files `names` that exists. Returns (text, path); `None` if none exists.
fn text_of(names: &[PathBuf]) -> Result<Option<(String, PathBuf)>, TerrainError> {
    for name in names {
        let (mut file, _) = match open_as(&input::PRJ, name) {
            Ok(found) => found,
            Err(TerrainError::Read { cause, .. }) if cause.kind() == ErrorKind::NotFound => {
                continue;
            }
            Err(TerrainError::Content { .. }) if !name.is_file() => continue,
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(TerrainError::read(name))?;
        // Older programs write names in Latin-1, whose letters have the numbers of Unicode.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|e| e.as_bytes().iter().map(|&byte| char::from(byte)).collect());
        return Ok(Some((
            text.trim_start_matches('\u{feff}').to_owned(),
            name.clone(),
        )));
    }
    Ok(None)
}

/// Returns the length in metres of the unit of heights: the user's unit, or else the unit `named`
/// in the file. `None` if both are missing, and for values that are no heights.
pub(super) fn unit_m(
    options: &LoadOptions,
    named: Option<&str>,
    path: &Path,
) -> Result<Option<f64>, TerrainError> {
    let unit = match (options.height_unit, named) {
        _ if options.any_unit => None,
        (Some(unit), _) => Some(unit),
        (None, Some(name)) => Some(name.parse::<HeightUnit>().map_err(|_| {
            let expected =
                "heights in metres or feet, or their unit named (height_unit, or --height-unit)";
            TerrainError::content(path, expected, quoted(name))
        })?),
        (None, None) => None,
    };
    Ok(unit.map(HeightUnit::metres))
}

/// Returns the paths of a raster's sidecar files that exist, so that these can be copied or
/// protected.
pub fn found(path: &Path) -> Vec<PathBuf> {
    let there = |names: Vec<PathBuf>| names.into_iter().find(|name| open(name).is_ok());
    input::guard(|| candidates(path).into_iter().filter_map(there).collect()).unwrap_or_default()
}

impl Sidecars {
    /// Reads all sidecar files of the raster at `path`.
    ///
    /// # Errors
    /// The name of the sidecar file whose content does not match its name, or that cannot be read.
    pub(in crate::terrain) fn read(path: &Path) -> Result<Self, TerrainError> {
        let mut kinds = candidates(path).into_iter();
        let mut next = || kinds.next().unwrap_or_default();
        let (xml, mask, prj) = (next(), next(), next());
        let mut sidecars = match text_of(&xml)? {
            Some((text, name)) => Self::of_xml(&text, &name)?,
            None => Self::default(),
        };
        sidecars.mask = mask.into_iter().find(|name| open(name).is_ok());
        sidecars.prj = text_of(&prj)?
            .map(|(text, _)| crs_of(&text))
            .filter(|crs| *crs != Crs::default());
        for names in kinds {
            if let Some((text, name)) = text_of(&names)? {
                sidecars.world = Some((world(&text, &name)?, name));
                break;
            }
        }
        Ok(sidecars)
    }

    /// Returns the conversion of numbers to heights for a raster whose own file has no metadata.
    pub(super) fn heights(
        &self,
        options: &LoadOptions,
        path: &Path,
    ) -> Result<Heights, TerrainError> {
        let values = Heights::new(options).without(self.no_data);
        let unit_m = unit_m(options, self.unit.as_deref(), path)?.unwrap_or(1.0);
        Ok(values.scaled(
            self.scale.unwrap_or(1.0) * unit_m,
            self.offset.unwrap_or(0.0) * unit_m,
        ))
    }

    /// Sets the heights to NaN that the mask file marks as missing; no effect without a mask file.
    pub(super) fn hide(&self, heights: &mut Array2<f32>, path: &Path) -> Result<(), TerrainError> {
        let Some(mask) = &self.mask else {
            return Ok(());
        };
        geotiff::with_mask(mask, (path, heights.dim()), |at| heights[at] = f32::NAN)
    }

    /// Returns the coordinate system that takes precedence: of the `.aux.xml`, else `own`, that of
    /// the raster file, else of the `.prj`.
    pub(in crate::terrain) fn system(&self, own: Crs) -> Crs {
        let own = (own != Crs::default()).then_some(own);
        self.crs
            .clone()
            .or(own)
            .or_else(|| self.prj.clone())
            .unwrap_or_default()
    }

    /// Returns the affine transform from cells to map coordinates, by the precedence of the sidecar
    /// files, and a note if an unused world file contradicts it; `own` is the transform in the
    /// raster file.
    pub(in crate::terrain) fn place(
        &self,
        own: Option<GeoTransform>,
    ) -> (Option<GeoTransform>, Option<String>) {
        let Some(said) = self.transform.or(own) else {
            return (self.world.as_ref().map(|(world, _)| *world), None);
        };
        let note = self
            .world
            .as_ref()
            .filter(|(world, _)| !is_same(world, &said))
            .map(|(_, name)| {
                let name = name
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                format!("{name} is not used: the raster itself says another place")
            });
        (Some(said), note)
    }

    /// Parses the text of an `.aux.xml`, the XML file in which GDAL stores metadata. `name`: path
    /// for messages.
    fn of_xml(text: &str, name: &Path) -> Result<Self, TerrainError> {
        if !text.contains("<PAMDataset") {
            return Err(TerrainError::content(
                name,
                "a sidecar file of GDAL (PAMDataset)",
                "another kind of file",
            ));
        }
        let bands = text.split("<PAMRasterBand").skip(1);
        let first = |band: &&str| {
            band.split('>')
                .next()
                .is_some_and(|head| head.contains("band=\"1\"") || !head.contains("band="))
        };
        let band = bands.clone().find(first).unwrap_or_default();
        let number = |key: &str, in_words: &str, may_be: fn(f64) -> bool| {
            let Some(text) = element(band, key) else {
                return Ok(None);
            };
            let value = number(&text).filter(|value| may_be(*value)).map(Some);
            let expected = || format!("a number for {in_words} ({key})");
            value.ok_or_else(|| TerrainError::content(name, expected(), "none"))
        };
        // Place and system belong to the whole file, whose elements come before those of the bands.
        let whole = text.split("<PAMRasterBand").next().unwrap_or_default();
        let transform = match element(whole, "GeoTransform") {
            Some(text) => {
                let numbers: Option<Vec<f64>> = text.split(',').map(number_of).collect();
                let six = numbers.and_then(|numbers| <[f64; 6]>::try_from(numbers).ok());
                let six = six.ok_or_else(|| {
                    TerrainError::content(name, "six numbers in GeoTransform", quoted(&text))
                })?;
                Some(GeoTransform {
                    origin_x: six[0],
                    pixel_width: six[1],
                    skew_x: six[2],
                    origin_y: six[3],
                    skew_y: six[4],
                    pixel_height: six[5],
                })
            }
            None => None,
        };
        Ok(Self {
            crs: element(whole, "SRS")
                .map(|text| crs_of(&text))
                .filter(|crs| *crs != Crs::default()),
            transform,
            no_data: number("NoDataValue", "no data", |_| true)?,
            scale: number("Scale", "the scale of heights", f64::is_finite)?,
            offset: number("Offset", "the offset of heights", f64::is_finite)?,
            unit: element(band, "UnitType").filter(|unit| !unit.is_empty()),
            points: text.matches("<GCP ").count() + text.matches("<SourceGCPs").count(),
            ..Self::default()
        })
    }
}

/// Parses the text of a `.prj`: well-known text, or an EPSG code alone.
pub(super) fn crs_of(text: &str) -> Crs {
    let text = text.replace(|c: char| c.is_control() && !c.is_ascii_whitespace(), " ");
    let text = text.trim();
    match text.parse::<Epsg>() {
        Ok(epsg) => Crs::from(epsg),
        Err(_) => Crs::from_wkt(text),
    }
}

/// Returns the text inside the first element named `name` in `xml`; `None` if there is no such
/// element.
fn element(xml: &str, name: &str) -> Option<String> {
    let open = format!("<{name}");
    let is_end = |rest: &&str| rest.starts_with(['>', ' ', '\n', '\r', '\t']);
    let inside = xml
        .match_indices(&open)
        .map(|(at, _)| &xml[at + open.len()..])
        .find(is_end)?;
    let (_, rest) = inside.split_once('>')?;
    let text = rest.split('<').next()?;
    let plain = text
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    Some(plain.replace("&amp;", "&").trim().to_owned())
}

/// Parses a number as GDAL writes it, including `nan`; `None` if `text` is not a number.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        text.to_ascii_lowercase()
            .contains("nan")
            .then_some(f64::NAN)
    })
}

/// Parses a finite number, with a decimal point or comma; `None` if `text` is no such number.
fn number_of(text: &str) -> Option<f64> {
    text.trim()
        .replace(',', ".")
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

/// Parses the text of a world file: six numbers, one per line. `name`: path for messages.
fn world(text: &str, name: &Path) -> Result<GeoTransform, TerrainError> {
    let words: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| (i + 1, line))
        .collect();
    let mut six = [0.0; 6];
    for (k, value) in six.iter_mut().enumerate() {
        let (line, word) = words
            .get(k)
            .copied()
            .unwrap_or((text.lines().count().max(1), ""));
        let found = if word.is_empty() {
            "the end of the file".to_owned()
        } else {
            quoted(word.trim())
        };
        *value = number_of(word).ok_or_else(|| {
            TerrainError::text(name, line, "a number of a world file (six in all)", found)
        })?;
    }
    let [pixel_width, skew_y, skew_x, pixel_height, x, y] = six;
    // A world file names the centre of the first cell.
    let (origin_x, origin_y) = (
        x - 0.5 * (pixel_width + skew_x),
        y - 0.5 * (skew_y + pixel_height),
    );
    let place = GeoTransform {
        origin_x,
        pixel_width,
        skew_x,
        origin_y,
        skew_y,
        pixel_height,
    };
    let spans = (pixel_width * pixel_height - skew_x * skew_y).abs() > 0.0;
    if spans {
        Ok(place)
    } else {
        Err(TerrainError::content(
            name,
            "cells of some size in a world file",
            "none",
        ))
    }
}

/// Returns true if the transforms `a` and `b` differ by less than 0.01 cells at the corner (0, 0)
/// and at 1000 cells from there along each axis.
fn is_same(a: &GeoTransform, b: &GeoTransform) -> bool {
    let cell = b
        .pixel_width
        .hypot(b.skew_y)
        .max(b.pixel_height.hypot(b.skew_x));
    let off = |t: &GeoTransform, [col, row]: [f64; 2]| t.pixel_to_geo(col, row);
    [[0.0, 0.0], [1000.0, 0.0], [0.0, 1000.0]]
        .into_iter()
        .all(|at| {
            let ((ax, ay), (bx, by)) = (off(a, at), off(b, at));
            (ax - bx).hypot(ay - by) < 0.01 * cell
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_raster() {
        let names: Vec<_> = candidates(Path::new("a/land.tif"))
            .into_iter()
            .map(|names| names[0].clone())
            .collect();
        let expected = [
            "a/land.tif.aux.xml",
            "a/land.tif.msk",
            "a/land.prj",
            "a/land.tfw",
            "a/land.tifw",
            "a/land.wld",
        ];
        assert_eq!(names, expected.map(PathBuf::from));
        assert!(
            candidates(Path::new("x.JPG"))
                .iter()
                .flatten()
                .any(|name| name == Path::new("x.jgw"))
        );
    }

    #[test]
    fn a_world_file_names_middles() {
        let place = world("10\n0\n0\n-10\n500005\n4200095\n", Path::new("a.tfw")).expect("right");
        assert_eq!(
            (
                place.origin_x,
                place.origin_y,
                place.pixel_width,
                place.pixel_height
            ),
            (5e5, 4_200_100.0, 10.0, -10.0)
        );
        let error = world("10\n0\nten\n-10\n1\n2\n", Path::new("a.tfw"))
            .expect_err("wrong")
            .to_string();
        assert!(
            error.contains("a.tfw, line 3") && error.contains("ten"),
            "{error}"
        );
        assert!(
            world("10\n0\n0\n-10\n", Path::new("a.tfw")).is_err()
                && world("0\n0\n0\n0\n0\n0\n", Path::new("a.tfw")).is_err()
        );
    }

    #[test]
    fn gdal_keeps_facts_of_the_first_band() {
        let text = "<PAMDataset>\n  <SRS dataAxisToSRSAxisMapping=\"1,2\">EPSG:32633</SRS>\n  <GeoTransform>  5.0e5,  1.0e1, 0, 4.2e6, 0, -1.0e1</GeoTransform>\n\
                    <PAMRasterBand band=\"2\"><NoDataValue>7</NoDataValue></PAMRasterBand>\
                    <PAMRasterBand band=\"1\"><NoDataValue le_hex_equiv=\"0\">-9.99E+03</NoDataValue><UnitType>ft</UnitType>\
                    <Offset>100</Offset><Scale>0.1</Scale></PAMRasterBand></PAMDataset>";
        let sidecars = Sidecars::of_xml(text, Path::new("a.aux.xml")).expect("right");
        assert_eq!(
            (sidecars.no_data, sidecars.scale, sidecars.offset),
            (Some(-9990.0), Some(0.1), Some(100.0))
        );
        assert_eq!(
            (
                sidecars.unit.as_deref(),
                sidecars.crs.and_then(|crs| crs.epsg())
            ),
            (Some("ft"), Some(32633))
        );
        assert_eq!(
            sidecars.transform.map(|t| (t.origin_x, t.pixel_height)),
            Some((5e5, -10.0))
        );
        let wrong = text.replace("0.1</Scale>", "much</Scale>");
        assert!(
            Sidecars::of_xml(&wrong, Path::new("a"))
                .is_err_and(|error| error.to_string().contains("the scale of heights (Scale)"))
        );
    }
}
