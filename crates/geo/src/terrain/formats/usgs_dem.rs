//! Reader of digital elevation models of the United States Geological Survey (`.dem`, the ASCII
//! format in use since 1978).
//!
//! A record is 1024 characters long, or a line. The first record describes all others. Then follow
//! the profiles from west to east, each with its heights from south to north; a profile begins
//! where it enters the mapped quadrangle. Coordinates are metres in UTM, feet in a state plane
//! system, or arc seconds; heights are integers in steps of a resolution in metres or feet.

use std::io::BufRead;
use std::path::Path;

use ndarray::Array2;

use super::read::{LoadOptions, open};
use super::samples::Heights;
use crate::map::GeoKey;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::validate::quoted;

/// Length of a record of a USGS digital elevation model in characters.
const RECORD: usize = 1024;

/// Number of heights, of six characters each, in the first record of a profile.
const FIRST: usize = 146;
/// Number of heights, of six characters each, in a continuation record of a profile.
const NEXT: usize = 170;

/// Numbers that mean no data, in steps of the height resolution.
const NO_DATA: [i64; 2] = [-32767, -32766];

/// Upper bound on the ratio of the raster's cells to the heights in the file.
const SPARSEST: usize = 16;

const US_FOOT_M: f64 = 1200.0 / 3937.0;

/// Reads a USGS digital elevation model.
///
/// # Errors
/// [`TerrainError::Content`] names the record and the expected content.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, bytes) = open(path)?;
    read_from(reader, bytes, path, options)
}

/// Reads a USGS digital elevation model from `reader`. `bytes`: length of the file; `path`: its
/// name for messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_from(
    reader: impl BufRead,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let mut records = DemRecords {
        reader,
        path,
        number: 0,
        text: Vec::new(),
    };
    records.next()?;
    let head = Head::read(&records)?;
    let mut profiles = Vec::with_capacity(head.profiles.min(bytes as usize / FIRST));
    for _ in 0..head.profiles {
        profiles.push(Profile::read(&mut records, &head, options)?);
    }
    raster(&profiles, &head, bytes, path)
}

/// Returns true if the first bytes `start` are those of a USGS digital elevation model: level 1 to
/// 4, pattern code, four sides.
pub(super) fn recognises(start: &[u8]) -> bool {
    let whole = |from: usize, to: usize| {
        std::str::from_utf8(start.get(from..to)?)
            .ok()?
            .trim()
            .parse::<u32>()
            .ok()
    };
    matches!(whole(144, 150), Some(1..=4))
        && matches!(whole(150, 156), Some(1..=2))
        && whole(540, 546) == Some(4)
}

/// Reader of the records of a USGS digital elevation model, one at a time.
struct DemRecords<'a, R> {
    reader: R,
    path: &'a Path,
    /// Number of the current record, from 1.
    number: usize,
    text: Vec<u8>,
}

impl<R: BufRead> DemRecords<'_, R> {
    /// Reads the next record into the reader's buffer; a line shorter than a record is padded with
    /// blanks.
    fn next(&mut self) -> Result<(), TerrainError> {
        self.text.clear();
        self.number += 1;
        while self.text.len() < RECORD {
            let buffer = self
                .reader
                .fill_buf()
                .map_err(TerrainError::read(self.path))?;
            if buffer.is_empty() {
                break;
            }
            let wanted = &buffer[..buffer.len().min(RECORD - self.text.len())];
            match wanted.iter().position(|byte| *byte == b'\n') {
                // Skips the end of the line that the previous record filled.
                Some(end)
                    if self.text.is_empty() && wanted[..end].iter().all(|byte| *byte == b'\r') =>
                {
                    self.reader.consume(end + 1);
                }
                Some(end) => {
                    self.text.extend_from_slice(&wanted[..end]);
                    self.reader.consume(end + 1);
                    break;
                }
                None => {
                    let taken = wanted.len();
                    self.text.extend_from_slice(wanted);
                    self.reader.consume(taken);
                }
            }
        }
        if self.text.is_empty() {
            return Err(self.wrong("another record", "the end of the file: is it cut short?"));
        }
        self.text.resize(RECORD, b' ');
        Ok(())
    }

    /// Returns the text of the field of `width` characters that begins at the character `column` of
    /// the record, counted from 1 as in the standard.
    fn field(&self, column: usize, width: usize) -> &str {
        std::str::from_utf8(&self.text[column - 1..column - 1 + width])
            .unwrap_or("?")
            .trim_matches(['\0', ' ', '\r'])
    }

    /// Parses the field of `width` characters at `column` (from 1) as an integer; 0 if the field is
    /// blank. `what`: name of the field for messages.
    fn whole(&self, column: usize, width: usize, what: &str) -> Result<i64, TerrainError> {
        let text = self.field(column, width);
        let number = if text.is_empty() {
            Some(0)
        } else {
            text.parse().ok()
        };
        number.ok_or_else(|| self.wrong_at(column, width, what, text))
    }

    /// Parses the field of `width` characters at `column` (from 1) as a decimal number with the
    /// exponent letter D or E; 0 if the field is blank. `what`: name of the field for messages.
    fn fraction(&self, column: usize, width: usize, what: &str) -> Result<f64, TerrainError> {
        let text = self.field(column, width);
        let number = if text.is_empty() {
            Some(0.0)
        } else {
            text.replace(['D', 'd'], "E").parse().ok()
        };
        number
            .filter(|v: &f64| v.is_finite())
            .ok_or_else(|| self.wrong_at(column, width, what, text))
    }

    fn wrong_at(&self, column: usize, width: usize, what: &str, found: &str) -> TerrainError {
        self.wrong(
            format!("{what} in columns {column} to {}", column + width - 1),
            quoted(found),
        )
    }

    fn wrong(&self, expected: impl std::fmt::Display, found: impl Into<String>) -> TerrainError {
        let expected = format!(
            "{expected} (record {} of a USGS elevation model)",
            self.number
        );
        TerrainError::content(self.path, expected, found)
    }
}

/// First record of a USGS digital elevation model (type A), which describes all others.
struct Head {
    crs: Crs,
    /// Number of map units in one unit of the file's coordinates.
    unit: f64,
    /// Length in metres of the unit in which the file states heights.
    height_m: f64,
    /// Distance between profiles, distance between heights within a profile (both in coordinate
    /// units of the file), and resolution of heights in the file's unit of heights.
    step: (f64, f64, f64),
    profiles: usize,
}

impl Head {
    fn read(records: &DemRecords<'_, impl BufRead>) -> Result<Self, TerrainError> {
        if !recognises(&records.text) {
            return Err(records.wrong(
                "the head of a USGS elevation model in ASCII",
                "something else",
            ));
        }
        // Turned profiles would need resampling, which this reader does not do.
        let turned = records.fraction(787, 24, "an angle")?;
        if turned != 0.0 {
            return Err(records.wrong(
                "profiles that run north",
                format!("ones that are turned by {turned}"),
            ));
        }
        let (system, unit) = (
            records.whole(157, 6, "the system of coordinates")?,
            records.whole(529, 6, "a unit")?,
        );
        let zone = records.whole(163, 6, "a zone")?;
        let datum = records.whole(891, 2, "a datum").unwrap_or(0);
        let (crs, unit) = place(system, zone, unit, datum).ok_or_else(|| {
            records.wrong(
                "degrees, UTM or a state plane",
                format!("system {system}, unit {unit}"),
            )
        })?;
        let height_m = match records.whole(535, 6, "a unit of heights")? {
            1 => 0.3048,
            2 => 1.0,
            other => {
                return Err(records.wrong("heights in feet (1) or metres (2)", other.to_string()));
            }
        };
        let mut steps = [0.0; 3];
        for (i, step) in steps.iter_mut().enumerate() {
            *step = records.fraction(817 + 12 * i, 12, "a distance")?;
            if *step <= 0.0 {
                return Err(
                    records.wrong("distances above 0 in columns 817 to 852", step.to_string())
                );
            }
        }
        let profiles = records.whole(859, 6, "the number of profiles")?;
        let profiles = usize::try_from(profiles).ok().filter(|count| *count > 0);
        let profiles = profiles
            .ok_or_else(|| records.wrong("a number of profiles in columns 859 to 864", "none"))?;
        Ok(Self {
            crs,
            unit,
            height_m,
            step: (steps[0], steps[1], steps[2]),
            profiles,
        })
    }
}

/// Returns the coordinate system and the number of map units in one coordinate unit of the file,
/// from the codes of the coordinate `system`, its `zone`, the `unit` and the `datum` in the first
/// record; `None` for unsupported codes.
fn place(system: i64, zone: i64, unit: i64, datum: i64) -> Option<(Crs, f64)> {
    let zone = u16::try_from(zone).ok();
    // The number of the system implies no unit, so that the file's unit is added.
    let unit_key = |model: u16| {
        if model == 1 {
            (3076, 9001)
        } else {
            (2054, 9102)
        }
    };
    let key = |model: u16, id: u16, code: u16| {
        let keys = [(1024, model), (id, code), unit_key(model)];
        Crs::from_geo_keys(keys.map(|(id, number)| (id, GeoKey::Short(number))))
    };
    let numbered = |code: u16, model: u16, id: u16| {
        Crs::from_epsg(code).unwrap_or_else(|| key(model, id, code))
    };
    match (system, unit) {
        // Numbers of NAD27, WGS 72, WGS 84 and NAD83.
        (0, 0 | 3) => {
            let code = [4267, 4267, 4322, 4326, 4269]
                .get(datum as usize)
                .copied()
                .unwrap_or(4267);
            Some((
                numbered(code, 2, 2048),
                if unit == 3 {
                    1.0 / 3600.0
                } else {
                    1f64.to_degrees()
                },
            ))
        }
        (1, 2) => {
            let base = [26700, 26700, 32200, 32600, 26900]
                .get(datum as usize)
                .copied()
                .unwrap_or(26700);
            let zone = zone.filter(|zone| (1..=60).contains(zone))?;
            Some((numbered(base + zone, 1, 3072), 1.0))
        }
        (2, 1) => {
            // One number cannot name the plane; it can name the unit.
            let keys = [
                (1024, GeoKey::Short(1)),
                (3072, GeoKey::Short(32767)),
                (3076, GeoKey::Short(9003)),
            ];
            Some((Crs::from_geo_keys(keys), 1.0))
        }
        (2, 2) => Some((Crs::default(), 1.0)),
        (1, 1) => Some((Crs::default(), US_FOOT_M)),
        _ => None,
    }
}

/// Profile of a USGS digital elevation model: heights along a line from south to north.
struct Profile {
    /// Coordinate x of the southernmost height of the profile, in coordinate units of the file.
    x: f64,
    y: f64,
    heights: Vec<f32>,
}

impl Profile {
    fn read(
        records: &mut DemRecords<'_, impl BufRead>,
        head: &Head,
        options: &LoadOptions,
    ) -> Result<Self, TerrainError> {
        records.next()?;
        let count = records.whole(13, 6, "the number of heights")?;
        let columns = records.whole(19, 6, "the number of columns")?;
        if !(1..=99_999).contains(&count) || columns > 1 {
            return Err(records.wrong(
                "one column of heights",
                format!("{columns} with {count} heights"),
            ));
        }
        let (x, y) = (
            records.fraction(25, 24, "an easting")?,
            records.fraction(49, 24, "a northing")?,
        );
        let datum = records.fraction(73, 24, "an elevation")?;
        let values =
            Heights::new(options).scaled(head.step.2 * head.height_m, datum * head.height_m);
        // Grown as records are read, so that a large number in a short file takes no memory.
        let mut heights = Vec::new();
        let (mut column, mut left) = (145, FIRST);
        for _ in 0..count {
            if left == 0 {
                records.next()?;
                (column, left) = (1, NEXT);
            }
            let step = records.whole(column, 6, "a height")?;
            let value = if NO_DATA.contains(&step) {
                f64::NAN
            } else {
                step as f64
            };
            heights.push(values.convert(value, records.path)?);
            (column, left) = (column + 6, left - 1);
        }
        Ok(Self { x, y, heights })
    }
}

/// Combines `profiles` to a north-up raster. `head`: first record; `bytes`: length of the file;
/// cells beyond the ends of a profile are NaN.
fn raster(
    profiles: &[Profile],
    head: &Head,
    bytes: u64,
    path: &Path,
) -> Result<Heightmap, TerrainError> {
    let (dx, dy, _) = head.step;
    let west = profiles
        .iter()
        .map(|profile| profile.x)
        .fold(f64::INFINITY, f64::min);
    let east = profiles
        .iter()
        .map(|profile| profile.x)
        .fold(f64::NEG_INFINITY, f64::max);
    let south = profiles
        .iter()
        .map(|profile| profile.y)
        .fold(f64::INFINITY, f64::min);
    let top = |profile: &Profile| profile.y + dy * (profile.heights.len() - 1) as f64;
    let north = profiles.iter().map(top).fold(f64::NEG_INFINITY, f64::max);
    let count = |length: f64, step: f64| ((length / step).round() as usize).saturating_add(1);
    let (cols, rows) = (count(east - west, dx), count(north - south, dy));
    checked_samples(path, (cols, rows), bytes, 0.0)?;
    // Quadrangles are askew by a few degrees; profiles far apart would need memory for heights that
    // the file does not have.
    let stored: usize = profiles.iter().map(|profile| profile.heights.len()).sum();
    if cols * rows > SPARSEST * stored {
        let found = format!("{stored} heights scattered over {cols} columns × {rows} rows");
        return Err(TerrainError::content(
            path,
            "profiles side by side (a USGS elevation model)",
            found,
        ));
    }
    let mut heights = Array2::from_elem((rows, cols), f32::NAN);
    for profile in profiles {
        let col = ((profile.x - west) / dx).round() as usize;
        let lowest = ((profile.y - south) / dy).round() as usize;
        for (i, height) in profile.heights.iter().enumerate() {
            if let Some(cell) = (rows - 1)
                .checked_sub(lowest + i)
                .and_then(|row| heights.get_mut((row, col)))
            {
                *cell = *height;
            }
        }
    }
    let cell = (dx * head.unit, dy * head.unit);
    // Heights stand at points, in the centres of cells.
    let corner = (
        west * head.unit - 0.5 * cell.0,
        (south + (rows - 1) as f64 * dy) * head.unit + 0.5 * cell.1,
    );
    let (origin, cell_size_m) =
        Georeference::north_up(path, heights.dim(), corner, cell, head.crs.clone())?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes: Vec::new(),
    })
}
