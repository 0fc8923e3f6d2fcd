//! Reader of ESRI ASCII grids (`.asc`): six header lines, then heights row by row from the
//! north-west.
//!
//! ```text
//! ncols        4
//! nrows        2
//! xllcorner    1000        (or xllcenter / yllcenter)
//! yllcorner    2000
//! cellsize     10          (or dx and dy)
//! NODATA_value -9999       (may be missing: then it is -9999)
//! 1 2 3 4
//! 5 6 7 8
//! ```
//!
//! Keywords may be in any case and order, and `NODATA` is accepted; rows may be wrapped over
//! several lines, and a `#` begins a comment. A `.prj` file of the same name in the same folder
//! states the coordinate reference system; if its unit is degrees or feet, so is the unit of corner
//! and cell size.

use std::io::BufRead;
use std::path::Path;

use ndarray::Array2;

use super::read::{LoadOptions, note_of_unit, open};
use super::sidecar::Sidecars;
use super::tokens::{Tokens, decimal, height};
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};
use lavoxel_base::validate::quoted;

/// Keywords of the header; `Header` parses the values in this order.
const KEYS: [&str; 10] = [
    "ncols",
    "nrows",
    "cellsize",
    "dx",
    "dy",
    "xllcorner",
    "xllcenter",
    "yllcorner",
    "yllcenter",
    "nodata_value",
];

/// No-data value if the header states none, by the convention of the format.
const DEFAULT_NO_DATA: f64 = -9999.0;

/// Reads an ESRI ASCII grid; heights equal to its no-data value, and the word `nan`, become NaN.
///
/// # Errors
/// Names the line, and the expected content. The announced size is checked against the length of
/// the file before memory is reserved.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, bytes) = open(path)?;
    let sidecars = Sidecars::read(path)?;
    let crs = options.understood(path, sidecars.system(Crs::default()))?;
    read_on(reader, bytes, path, options, (crs, &sidecars))
}

/// Reads an ESRI ASCII grid with heights in metres from `reader`. `bytes`: length of the file;
/// `path`: its name for messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_from(reader: impl BufRead, bytes: u64, path: &Path) -> Result<Heightmap, TerrainError> {
    read_on(
        reader,
        bytes,
        path,
        &LoadOptions::default(),
        (Crs::default(), &Sidecars::default()),
    )
}

/// Reads an ESRI ASCII grid whose coordinates are in the system `crs`. `sidecars`: files next to
/// the raster; `bytes`: length of the file; `path`: its name for messages.
fn read_on(
    reader: impl BufRead,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
    (crs, sidecars): (Crs, &Sidecars),
) -> Result<Heightmap, TerrainError> {
    let mut tokens = Tokens::new(reader, path);
    let header = Header::read(&mut tokens, path)?;
    // The shortest height is one digit and a separator.
    let samples = checked_samples(path, (header.cols, header.rows), bytes, 2.0)?;
    let values = sidecars
        .heights(options, path)?
        .without(Some(header.no_data));
    let mut heights = Vec::with_capacity(samples);
    while let Some(word) = tokens.next()? {
        let value = height(word).map_err(|expected| (expected, quoted(word)));
        let line = tokens.line;
        let value =
            value.map_err(|(expected, found)| TerrainError::text(path, line, expected, found))?;
        if heights.len() == samples {
            let expected = format!(
                "the end of the file after {} columns × {} rows",
                header.cols, header.rows
            );
            return Err(TerrainError::text(path, line, expected, "more heights"));
        }
        let value = value.unwrap_or(f64::NAN);
        heights.push(values.metres(value).ok_or_else(|| {
            let expected = "a height within ±100 km, or a NODATA_value line that names it";
            TerrainError::text(path, line, expected, value.to_string())
        })?);
    }
    if heights.len() < samples {
        let expected = format!(
            "{samples} heights ({} columns × {} rows)",
            header.cols, header.rows
        );
        return Err(TerrainError::text(
            path,
            tokens.line,
            expected,
            format!("the end of the file after {}", heights.len()),
        ));
    }
    let mut heights =
        Array2::from_shape_vec((header.rows, header.cols), heights).expect("the count was checked");
    sidecars.hide(&mut heights, path)?;
    values.check(&heights, path)?;
    let Some(corner) = header.corner else {
        return Ok(Heightmap {
            heights,
            cell_size_m: header.cell_size,
            origin: None,
            notes: Vec::new(),
        });
    };
    let is_unnamed = options.height_unit.is_none() && sidecars.unit.is_none() && !options.any_unit;
    let notes = note_of_unit(&crs)
        .filter(|_| is_unnamed)
        .into_iter()
        .collect();
    let (origin, cell_size_m) =
        Georeference::north_up(path, heights.dim(), corner, header.cell_size, crs)?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes,
    })
}

struct Header {
    cols: usize,
    rows: usize,
    /// Width and depth of a cell of the grid, in map units.
    cell_size: (f64, f64),
    /// Map coordinates of the north-west corner; `None` if the header states none.
    corner: Option<(f64, f64)>,
    no_data: f64,
}

impl Header {
    fn read(tokens: &mut Tokens<impl BufRead>, path: &Path) -> Result<Self, TerrainError> {
        let mut values = [None; KEYS.len()];
        loop {
            let key = match tokens.peek()? {
                None if values == [None; KEYS.len()] => {
                    return Err(TerrainError::content(
                        path,
                        "an ESRI ASCII grid",
                        "an empty file",
                    ));
                }
                // `nan` is a height, not a keyword: the header ends before it.
                Some(word)
                    if word.starts_with(char::is_alphabetic)
                        && !word.eq_ignore_ascii_case("nan") =>
                {
                    word.to_ascii_lowercase()
                }
                _ => break,
            };
            tokens.next()?;
            let line = tokens.line;
            let key = if key == "nodata" {
                "nodata_value".to_owned()
            } else {
                key
            };
            let Some(slot) = KEYS.iter().position(|known| *known == key) else {
                let expected = "a header keyword such as ncols, nrows, xllcorner, cellsize";
                return Err(TerrainError::text(path, line, expected, quoted(&key)));
            };
            if values[slot].is_some() {
                return Err(TerrainError::text(
                    path,
                    line,
                    format!("{key} once"),
                    "it a second time",
                ));
            }
            let word = tokens.next()?.unwrap_or_default();
            let value = decimal(word).filter(|v| v.is_finite() || key == "nodata_value");
            let found = quoted(word);
            let expected = format!("a number after {key}");
            values[slot] =
                Some(value.ok_or_else(|| TerrainError::text(path, line, expected, found))?);
        }
        Self::check(values, path)
    }

    /// Validates the values of the header, which are in the order of [`KEYS`].
    fn check(values: [Option<f64>; KEYS.len()], path: &Path) -> Result<Self, TerrainError> {
        let [
            cols,
            rows,
            cellsize,
            dx,
            dy,
            x_corner,
            x_centre,
            y_corner,
            y_centre,
            no_data,
        ] = values;
        let count = |key: &str, value: Option<f64>| match value {
            Some(v) if v >= 1.0 && v.fract() == 0.0 && v <= f64::from(u32::MAX) => Ok(v as usize),
            Some(v) => Err(TerrainError::content(
                path,
                format!("{key} to be a whole number from 1"),
                v.to_string(),
            )),
            None => Err(TerrainError::content(
                path,
                format!("a header with {key}"),
                "none",
            )),
        };
        let (cols, rows) = (count("ncols", cols)?, count("nrows", rows)?);
        let cell_size = match (cellsize, dx, dy) {
            (Some(size), None, None) => (size, size),
            (None, Some(dx), Some(dy)) => (dx, dy),
            _ => {
                return Err(TerrainError::content(
                    path,
                    "a header with cellsize, or with dx and dy",
                    "another choice",
                ));
            }
        };
        if !(cell_size.0 > 0.0 && cell_size.1 > 0.0) {
            let found = format!("{} and {}", cell_size.0, cell_size.1);
            return Err(TerrainError::content(path, "cell sizes above 0", found));
        }
        let west = corner(x_corner, x_centre, cell_size.0);
        let south = corner(y_corner, y_centre, cell_size.1);
        // Both axes or none: half a corner is no place.
        let corner = match (west, south) {
            (Ok(Some(x_west)), Ok(Some(south))) => {
                Some((x_west, south + rows as f64 * cell_size.1))
            }
            (Ok(None), Ok(None)) => None,
            _ => {
                let expected = "one of xllcorner and xllcenter, and one of yllcorner and yllcenter";
                return Err(TerrainError::content(path, expected, "another choice"));
            }
        };
        Ok(Self {
            cols,
            rows,
            cell_size,
            corner,
            no_data: no_data.unwrap_or(DEFAULT_NO_DATA),
        })
    }
}

/// Returns the coordinate of the grid's lower-left corner along one axis, from the header's value
/// for that `corner` or for the `centre` of the corner cell. `size`: cell size along the axis.
/// `None` if the header has neither value, `Err` if it has both.
fn corner(corner: Option<f64>, centre: Option<f64>, size: f64) -> Result<Option<f64>, ()> {
    match (corner, centre) {
        (Some(_), Some(_)) => Err(()),
        (Some(corner), None) => Ok(Some(corner)),
        (None, Some(centre)) => Ok(Some(centre - 0.5 * size)),
        (None, None) => Ok(None),
    }
}
