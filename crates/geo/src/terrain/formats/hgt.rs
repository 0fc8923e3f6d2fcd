//! Reader of tiles of the Shuttle Radar Topography Mission (`.hgt`): heights on a square of one
//! degree; the file name gives the south-west corner.
//!
//! `N35E138.hgt` extends from 35° to 36° north and from 138° to 139° east. Heights are whole metres
//! as big-endian 16-bit integers, row by row from the north-west; −32768 means no data. The heights
//! are those of points. The outer points lie on the sides of the square and belong to the
//! neighbouring tiles, too, so that cells around these points extend half a cell beyond the square.
//! A spacing of 3 arc seconds gives 1201 points per side, 1 arc second gives 3601; far in the north
//! there are tiles of 1801 × 3601 points.

use std::path::Path;

use ndarray::Array2;

use super::read::{LoadOptions, open};
use super::samples::Heights;
use crate::terrain::encoding::Encoding;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Georeference, Heightmap, TerrainError};

/// Accepted sizes (columns, rows) of a tile, in points.
const SIZES: [(usize, usize); 3] = [(1201, 1201), (3601, 3601), (1801, 3601)];

const NO_DATA: f64 = -32768.0;

/// EPSG code of longitude and latitude on WGS 84.
const WGS_84: u16 = 4326;

/// Reads a tile. Its georeference follows from the name of the file.
///
/// # Errors
/// [`TerrainError::Content`] if the length is not that of a tile, or if neither the name is that of
/// a tile nor a cell size is given.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (mut reader, bytes) = open(path)?;
    let (cols, rows) = SIZES
        .into_iter()
        .find(|(cols, rows)| 2 * (cols * rows) as u64 == bytes)
        .ok_or_else(|| {
            let expected =
                "an SRTM tile of 2884802 (3 seconds), 25934402 or 12970802 bytes (1 second)";
            TerrainError::content(
                path,
                expected,
                format!("{bytes} bytes: is it cut short, or still packed?"),
            )
        })?;
    checked_samples(path, (cols, rows), bytes, 2.0)?;
    let corner = path.file_name().and_then(|name| corner(name.to_str()?));
    if corner.is_none() && options.cell_size_m.is_none() {
        let expected = "a name that gives the south-west corner, such as N35E138.hgt, or a cell size (cell_size_m, or --cell-size)";
        return Err(TerrainError::content(path, expected, "neither"));
    }
    let heights = Heights::new(options).without(Some(NO_DATA));
    let heights = heights.read(&mut reader, cols * rows, Encoding::I16_BE, path)?;
    let heights = Array2::from_shape_vec((rows, cols), heights).expect("one height per number");
    let Some((south, west)) = corner else {
        let size = options.cell_size_for(path)?;
        return Ok(Heightmap {
            heights,
            cell_size_m: (size, size),
            origin: None,
            notes: Vec::new(),
        });
    };
    let cell = (1.0 / (cols - 1) as f64, 1.0 / (rows - 1) as f64);
    let north_west = (west - 0.5 * cell.0, south + 1.0 + 0.5 * cell.1);
    let crs = Crs::from_epsg(WGS_84).unwrap_or_default();
    let (origin, cell_size_m) = Georeference::north_up(path, heights.dim(), north_west, cell, crs)?;
    Ok(Heightmap {
        heights,
        cell_size_m,
        origin: Some(origin),
        notes: Vec::new(),
    })
}

/// Returns (latitude, longitude) in degrees of the south-west corner from a file name such as
/// `N35E138.hgt` or `s01w079_1arc_v3.hgt`; `None` for any other name.
fn corner(name: &str) -> Option<(f64, f64)> {
    let (south, rest) = degrees(name, ['N', 'S'], 2, 89)?;
    let (west, _) = degrees(rest.trim_start_matches('_'), ['E', 'W'], 3, 180)?;
    Some((south, west))
}

/// Parses degrees such as `N35`: a letter (`positive` or `negative`) that gives the sign, and
/// `digits` digits, with a value of at most `most`. Returns (signed degrees, rest of `text`);
/// `None` if `text` has another form.
fn degrees(
    text: &str,
    [positive, negative]: [char; 2],
    digits: usize,
    most: u32,
) -> Option<(f64, &str)> {
    let letter = text.chars().next()?.to_ascii_uppercase();
    let number = text
        .get(1..=digits)
        .filter(|number| number.bytes().all(|b| b.is_ascii_digit()))?;
    let number: u32 = number
        .parse()
        .ok()
        .filter(|number| *number <= most + u32::from(letter == negative))?;
    let sign = match letter {
        _ if letter == positive => 1.0,
        _ if letter == negative => -1.0,
        _ => return None,
    };
    Some((sign * f64::from(number), text.get(digits + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_corner() {
        assert_eq!(corner("N35E138.hgt"), Some((35.0, 138.0)));
        assert_eq!(corner("s01w079.SRTMGL1.hgt"), Some((-1.0, -79.0)));
        assert_eq!(corner("n46_w123_1arc_v3.hgt"), Some((46.0, -123.0)));
        for wrong in [
            "",
            "N35.hgt",
            "X35E138.hgt",
            "N3AE138.hgt",
            "N35E1é8.hgt",
            "N95E138.hgt",
            "N35E381.hgt",
        ] {
            assert_eq!(corner(wrong), None, "{wrong}");
        }
    }
}
