//! Reader of heights in a two-dimensional NumPy array (`.npy`), whose row 0 is in the north: any
//! real number type, either byte order, in C or Fortran order.

use std::io::{BufRead, Read};
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};

use super::read::{LoadOptions, open};
use super::samples::Heights;
use crate::terrain::encoding::Encoding;
use crate::terrain::error::checked_samples;
use crate::terrain::{Heightmap, TerrainError};
use lavoxel_base::validate::quoted;

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Upper bound on the length of the header of a NumPy file in bytes; the header of a plain array
/// has 118 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Reads an array of heights in metres; the cell size is taken from `options`.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; [`TerrainError::Content`] for a file that is
/// no array of real numbers with two axes. The size in the header is checked against the length of
/// the file before memory is reserved.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, bytes) = open(path)?;
    read_from(reader, bytes, path, options)
}

/// Reads an array of heights from `reader`. `bytes`: length of the file; `path`: its name for
/// messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_from(
    mut reader: impl BufRead,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let text = header(&mut reader, path)?;
    let Header {
        encoding,
        columns_first,
        cols,
        rows,
    } = Header::parse(&text)
        .map_err(|(expected, found)| TerrainError::content(path, expected, found))?;
    let samples = checked_samples(path, (cols, rows), bytes, encoding.bytes() as f64)?;
    let size = options.cell_size_for(path)?;
    let values = Heights::new(options);
    let heights = values.read(&mut reader, samples, encoding, path)?;
    let shape = (rows, cols).set_f(columns_first);
    let heights = Array2::from_shape_vec(shape, heights).expect("one height per number");
    values.check(&heights, path)?;
    // All further code expects row-major arrays.
    let heights = if columns_first {
        heights.as_standard_layout().into_owned()
    } else {
        heights
    };
    Ok(Heightmap {
        heights,
        cell_size_m: (size, size),
        origin: None,
        notes: Vec::new(),
    })
}

/// Reads the header of a NumPy file and returns its text, a Python dictionary.
fn header(reader: &mut impl Read, path: &Path) -> Result<String, TerrainError> {
    let no_array = |found: &str| TerrainError::content(path, "an array of NumPy", found);
    let mut start = [0; 8];
    reader
        .read_exact(&mut start)
        .map_err(|_| no_array("a file that ends in the header"))?;
    if !start.starts_with(MAGIC) {
        return Err(no_array("another kind of file"));
    }
    let mut length = [0; 4];
    let digits = if start[6] == 1 { 2 } else { 4 };
    reader
        .read_exact(&mut length[..digits])
        .map_err(|_| no_array("a file that ends in the header"))?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_HEADER {
        return Err(no_array("a header that is too long"));
    }
    let mut text = vec![0; length];
    reader
        .read_exact(&mut text)
        .map_err(|_| no_array("a file that ends in the header"))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[derive(Debug, PartialEq)]
struct Header {
    encoding: Encoding,
    columns_first: bool,
    cols: usize,
    rows: usize,
}

impl Header {
    /// Parses a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`. The
    /// error is (expected content, found content).
    fn parse(text: &str) -> Result<Self, (String, String)> {
        let missing = |key: &str| {
            (
                format!("an array of NumPy with '{key}' in its header"),
                "none".to_owned(),
            )
        };
        let descr = value(text, "descr").ok_or_else(|| missing("descr"))?;
        let name = descr
            .get(1..)
            .and_then(|rest| rest.split(['\'', '"']).next());
        let found = || {
            name.filter(|_| descr.starts_with(['\'', '"']))
                .map_or("several fields", |q| q)
                .to_owned()
        };
        let encoding = name.and_then(encoding).ok_or_else(|| {
            (
                "an array of real numbers (i1 to i8, u1 to u8, f2 to f8)".to_owned(),
                quoted(&found()),
            )
        })?;
        let order = value(text, "fortran_order").ok_or_else(|| missing("fortran_order"))?;
        let shape = value(text, "shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next());
        let shape = shape.ok_or_else(|| missing("shape"))?;
        let sides: Option<Vec<usize>> = shape
            .split(',')
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(|s| s.parse().ok())
            .collect();
        match sides.as_deref() {
            Some(&[rows, cols]) if rows > 0 && cols > 0 => Ok(Self {
                encoding,
                columns_first: order.starts_with("True"),
                cols,
                rows,
            }),
            _ => Err((
                "an array with two axes, rows and columns".to_owned(),
                format!("the shape {}", quoted(shape)),
            )),
        }
    }
}

/// Returns the text after `'key':` in the header `text`; `None` if the header has no such key.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let after = text.split_once(&format!("'{key}'"))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

/// Returns the encoding of numbers that the NumPy type `descr` names, such as `<f4`; `None` for an
/// unsupported type.
fn encoding(descr: &str) -> Option<Encoding> {
    let (order, kind) = descr.split_at_checked(1)?;
    let (letter, bytes) = kind.split_at_checked(1)?;
    let bits = 8 * bytes.parse::<u32>().ok().filter(|bytes| *bytes <= 8)?;
    let end = match order {
        "<" | "|" => "",
        ">" => "be",
        _ => return None,
    };
    // Booleans are stored as numbers, and could only be a mask.
    if letter == "b" {
        None
    } else {
        format!("{letter}{bits}{end}").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_understood() {
        let header =
            Header::parse("{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4), }   \n")
                .expect("a header");
        assert_eq!(
            (header.encoding.to_string().as_str(), header.columns_first),
            ("i16be", true)
        );
        assert_eq!((header.rows, header.cols), (3, 4));
        for wrong in [
            "",
            "{'descr': '<c8', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 5), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 4), }",
        ] {
            assert!(Header::parse(wrong).is_err(), "{wrong}");
        }
    }
}
