//! A table of heights (`.csv`): one line per row of cells, north first, west first within a line.
//!
//! Numbers are separated by commas, semicolons or tabs; a first line that holds a word (`"V1","V2",…`) is a heading and
//! is skipped. An empty field, `NA` or `nan` is a cell without data. The file does not say how large a cell is.

use std::io::{BufRead, Read};
use std::path::Path;

use ndarray::Array2;

use super::error::checked_samples;
use super::load::{LoadOptions, open};
use super::samples::Heights;
use super::tokens::{height, quoted};
use super::{Heightmap, TerrainError};

/// Longest line that is read; 65,536 heights with 16 letters each fit.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a table of heights in metres; the cell size comes from `options`.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; otherwise names the line, and what was expected there.
pub fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, _) = open(path)?;
    read_from(reader, path, options)
}

/// Reads a table of heights from `reader`; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn read_from(mut reader: impl BufRead, path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let size = options.cell_size_for(path)?;
    let values = Heights::new(options);
    let mut heights: Vec<f32> = Vec::new();
    let (mut cols, mut rows, mut number) = (0, 0, 0);
    let mut line = Vec::new();
    while next_line(&mut reader, &mut line, path, number + 1)? {
        number += 1;
        let text = std::str::from_utf8(&line).ok().filter(|text| !text.contains('\0'));
        let text = text.ok_or_else(|| TerrainError::text(path, number, "a table of numbers", "binary data"))?;
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() || (rows == 0 && number == 1 && is_heading(text)) {
            continue;
        }
        let before = heights.len();
        for field in fields(text) {
            heights.push(
                metres(field, &values).map_err(|expected| TerrainError::text(path, number, expected, quoted(field)))?,
            );
        }
        let found = heights.len() - before;
        if rows > 0 && found != cols {
            return Err(TerrainError::text(
                path,
                number,
                format!("{cols} fields as in the rows above"),
                found.to_string(),
            ));
        }
        (cols, rows) = (found, rows + 1);
        checked_samples(path, (cols, rows), u64::MAX, 0.0)?;
    }
    if rows == 0 {
        return Err(TerrainError::content(path, "a table of heights", "no numbers"));
    }
    let heights = Array2::from_shape_vec((rows, cols), heights).expect("all rows have the same length");
    Ok(Heightmap { heights, cell_size_m: (size, size), origin: None })
}

/// Reads one line with a bound on its length; false at the end of the file.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>, path: &Path, number: usize) -> Result<bool, TerrainError> {
    line.clear();
    let got = reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', line).map_err(TerrainError::read(path))?;
    if got as u64 > LONGEST_LINE {
        let expected = format!("lines of at most {LONGEST_LINE} letters");
        return Err(TerrainError::text(path, number, expected, "a longer one"));
    }
    Ok(got > 0)
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split([',', ';', '\t']).map(|field| field.trim().trim_matches('"').trim())
}

/// A heading has a field that starts with a letter and does not stand for "no data".
fn is_heading(line: &str) -> bool {
    fields(line).any(|field| field.starts_with(char::is_alphabetic) && height(field).is_err())
}

fn metres(field: &str, values: &Heights) -> Result<f32, String> {
    let value = height(field)?.unwrap_or(f64::NAN);
    values.metres(value).ok_or_else(|| "a height within ±100 km".to_owned())
}
