//! Reader of heights as numbers without a header (`.r16`, `.r32`, `.raw`), row by row from the
//! north-west, as terrain editors and game engines store them.
//!
//! The length of the file must match the numbers of columns and rows that the user states; without
//! these, the raster must be a square. By default, numbers are unsigned 16-bit integers in `.r16`
//! and `.raw`, and 32-bit floats in `.r32`, both little-endian. Integers are heights in metres, or
//! grey levels from `black_m` to `white_m` as in a picture.

use std::path::Path;

use ndarray::Array2;

use super::read::{LoadOptions, open};
use super::samples::Heights;
use crate::terrain::encoding::Encoding;
use crate::terrain::error::checked_samples;
use crate::terrain::{Heightmap, TerrainError};
use lavoxel_files::input::ending;

/// Reads a raster of numbers without a header as heights.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; [`TerrainError::Content`] when the length does
/// not fit the size, or there is no size and the heights make no square.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (mut reader, bytes) = open(path)?;
    let floats = ending(path) == "r32";
    let encoding = options
        .raw_type
        .unwrap_or(if floats { Encoding::F32 } else { Encoding::U16 });
    let each = encoding.bytes() as u64;
    let (cols, rows) = match options.raw_size {
        Some([cols, rows]) => (cols, rows),
        None => square(bytes, each).ok_or_else(|| {
            let expected = format!(
                "a square of {encoding} heights, or the size given (raw_size, or --raw-size)"
            );
            TerrainError::content(path, expected, format!("{bytes} bytes"))
        })?,
    };
    let samples = checked_samples(path, (cols, rows), bytes, each as f64)?;
    if samples == 0 || samples as u64 * each != bytes {
        let needed = samples as u64 * each;
        let expected = format!(
            "{needed} bytes for {cols} columns × {rows} rows of {encoding}; mend raw_size or raw_type (--raw-size, --raw-type)"
        );
        return Err(TerrainError::content(
            path,
            expected,
            format!("{bytes} bytes"),
        ));
    }
    let size = options.cell_size_for(path)?;
    let values = Heights::new(options);
    let values = match encoding.most() {
        Some(most) => values.gray(options.black_m, options.white_m, most),
        None => values,
    };
    let heights = values.read(&mut reader, samples, encoding, path)?;
    let heights = Array2::from_shape_vec((rows, cols), heights).expect("one height per number");
    // Among gray levels, the highest is white and no marker.
    if options.white_m.is_none() {
        values.check(&heights, path)?;
    }
    Ok(Heightmap {
        heights,
        cell_size_m: (size, size),
        origin: None,
        notes: Vec::new(),
    })
}

/// Returns (columns, rows) of a square raster in a file of `bytes` bytes, with `each` bytes per
/// number; `None` if `bytes` is not `each` times a square number.
fn square(bytes: u64, each: u64) -> Option<(usize, usize)> {
    let side = (bytes / each).isqrt();
    (side > 0 && side * side * each == bytes).then_some((side as usize, side as usize))
}
