//! Reader of tables of heights (`.csv`): one line per row of cells, from north to south, and from
//! west to east within a line.
//!
//! The separator is the first of semicolon, tab and comma that the first line contains outside of
//! quotation marks; a first line such as `sep=;` states the separator. A first line that contains a
//! word (`"V1","V2",…`) is a heading and is skipped. A comma within a number (`1,5;2,5`) is a
//! decimal comma. An empty field, `NA` or `nan` is a cell without data. The file does not state the
//! cell size.

use std::io::{BufRead, Read};
use std::path::Path;

use ndarray::Array2;

use super::read::{LoadOptions, open};
use super::samples::Heights;
use super::tokens::height;
use crate::terrain::error::checked_samples;
use crate::terrain::{Heightmap, TerrainError};
use lavoxel_base::validate::quoted;
use lavoxel_files::table::{named_separator, outside_quotes, separator_of, with_point};

/// Upper bound on the length of a line in bytes; 65,536 heights of 16 characters fit.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a table of heights in metres; the cell size is taken from `options`.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; otherwise names the line, and the expected
/// content.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, _) = open(path)?;
    read_from(reader, path, options)
}

/// Reads a table of heights in metres from `reader`; `path` is its name for messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_from(
    mut reader: impl BufRead,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let size = options.cell_size_for(path)?;
    let values = Heights::new(options);
    let mut heights: Vec<f32> = Vec::new();
    let (mut cols, mut rows, mut number) = (0, 0, 0);
    let mut line = Vec::new();
    let (mut separator, mut begun) = (None, false);
    while next_line(&mut reader, &mut line, path, number + 1)? {
        number += 1;
        // Named separately from other binary data: spreadsheets write UTF-16, which the user can
        // save as UTF-8.
        if number == 1
            && [[0xff, 0xfe], [0xfe, 0xff]]
                .iter()
                .any(|mark| line.starts_with(mark))
        {
            return Err(TerrainError::text(
                path,
                number,
                "a table of numbers in UTF-8",
                "UTF-16",
            ));
        }
        let text = std::str::from_utf8(&line)
            .ok()
            .filter(|text| !text.contains('\0'));
        let text = text
            .ok_or_else(|| TerrainError::text(path, number, "a table of numbers", "binary data"))?;
        let text = text
            .trim_start_matches('\u{feff}')
            .trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() {
            continue;
        }
        if separator.is_none()
            && let Some(named) = named_separator(text)
        {
            separator = Some(named);
            continue;
        }
        let is_first = !std::mem::replace(&mut begun, true);
        let separator = *separator.get_or_insert_with(|| separator_of(text));
        if is_first && is_heading(text, separator) {
            continue;
        }
        let before = heights.len();
        for field in fields(text, separator) {
            heights.push(
                metres(field, &values).map_err(|expected| {
                    TerrainError::text(path, number, expected, quoted(field))
                })?,
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
        return Err(TerrainError::content(
            path,
            "a table of heights",
            "no numbers",
        ));
    }
    let heights =
        Array2::from_shape_vec((rows, cols), heights).expect("all rows have the same length");
    values.check(&heights, path)?;
    Ok(Heightmap {
        heights,
        cell_size_m: (size, size),
        origin: None,
        notes: Vec::new(),
    })
}

/// Reads a line of at most `LONGEST_LINE` bytes into `line`; returns false at the end of the file.
/// `number`: line number for messages.
pub(super) fn next_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    path: &Path,
    number: usize,
) -> Result<bool, TerrainError> {
    line.clear();
    let got = reader
        .by_ref()
        .take(LONGEST_LINE + 1)
        .read_until(b'\n', line)
        .map_err(TerrainError::read(path))?;
    if got as u64 > LONGEST_LINE {
        let expected = format!("lines of at most {LONGEST_LINE} letters");
        return Err(TerrainError::text(path, number, expected, "a longer one"));
    }
    Ok(got > 0)
}

/// Returns the fields of `line`, without the blanks and quotation marks around them.
pub(super) fn fields(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let ends = outside_quotes(line, separator).chain([line.len()]);
    ends.scan(0, |start, end| {
        let field = &line[*start..end];
        *start = end + 1;
        Some(field.trim().trim_matches('"').trim())
    })
}

/// Returns true if `line`, the first line of a table, is a heading: a field begins with a letter
/// and is not a word for no data.
fn is_heading(line: &str, separator: char) -> bool {
    fields(line, separator)
        .any(|field| field.starts_with(char::is_alphabetic) && height(field).is_err())
}

fn metres(field: &str, values: &Heights) -> Result<f32, String> {
    let value = height(&with_point(field, true))?;
    values
        .metres(value.unwrap_or(f64::NAN))
        .ok_or_else(|| "a height within ±100 km".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Array2<f32>, String> {
        let options = LoadOptions {
            cell_size_m: Some(1.0),
            ..LoadOptions::default()
        };
        read_from(text.as_bytes(), Path::new("a.csv"), &options)
            .map(|map| map.heights)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn commas_within_numbers_are_decimal_points() {
        let expected = Ok(ndarray::arr2(&[[1.5, 2.5], [-3.0, 4.25]]));
        for text in [
            "1.5,2.5\n-3,4.25",
            "1,5;2,5\n-3;4,25",
            "1,5\t2,5\r\n-3\t4,25\r\n",
            "\"1,5\",\"2,5\"\n\"-3\",\"4,25\"",
            "\"a;b\",\"c\"\n1.5,2.5\n-3,4.25",
            "\"west, m\";east\n1,5;2,5\n-3;4,25",
            "\n1,5; 2.5\n-3;4,25",
            "sep=;\r\n1,5;2,5\r\n-3;4,25\r\n",
            "sep=;\nwest;east\n1,5;2,5\n-3;4,25",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        for wrong in [
            "1,234,5;2",
            "1,234.5;2",
            "1;2\n3,4",
            "1,2\n3;4",
            "1\t2\n1;2\t3",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
