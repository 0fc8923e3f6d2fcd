//! Writing of heightmaps and pictures; a file is written completely or not at all.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use super::formats::png::{BLACK, CELL_X, CELL_Z, WHITE};
use super::{Crs, Heightmap, Picture, Placement, TerrainError};
use ::png::{BitDepth, ColorType, Encoder, EncodingError};
use lavoxel_files::input::ending;
use lavoxel_files::output::{Existing, OutputError, whole};

/// Value that means no data in ESRI ASCII grids and maps that this program writes.
pub const NO_DATA: i32 = -9999;

/// Writes a heightmap as ESRI ASCII grid (`.asc`, with a `.prj` if the projection is known) or as a
/// 16-bit grey picture (`.png`; black is the lowest and white the highest height, transparent is no
/// data).
///
/// # Errors
/// [`TerrainError::UnknownFormat`] for another extension; [`TerrainError::Output`] if the file
/// exists and must not be replaced, or cannot be written. Then no partial file is left.
pub fn heightmap(map: &Heightmap, path: &Path, existing: Existing) -> Result<(), TerrainError> {
    match ending(path).as_str() {
        "asc" => {
            whole(path, existing, |out| asc(map, out))?;
            // The projection belongs to the grid, whose replacement was allowed just now.
            Ok(prj(
                map.origin.as_ref().map(|origin| &origin.crs),
                path,
                Existing::Replace,
            )?)
        }
        "png" => Ok(whole(path, existing, |out| png16(map, out))?),
        _ => Err(TerrainError::UnknownFormat {
            path: path.to_owned(),
            known: ".asc, .png".to_owned(),
        }),
    }
}

/// Writes a picture as 8-bit RGB PNG to `path`, which must end in `.png`.
///
/// # Errors
/// The errors of [`heightmap`].
pub fn picture(picture: &Picture, path: &Path, existing: Existing) -> Result<(), TerrainError> {
    if ending(path) != "png" {
        return Err(TerrainError::UnknownFormat {
            path: path.to_owned(),
            known: ".png".to_owned(),
        });
    }
    let written = whole(path, existing, |out| {
        let mut encoder = Encoder::new(out, picture.width as u32, picture.height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder
            .write_header()
            .and_then(|mut png| png.write_image_data(&picture.rgb))
            .map_err(encoding)
    });
    Ok(written?)
}

/// Writes the coordinate system `crs`, if known, as well-known text to the `.prj` file next to the
/// grid at `path`.
pub fn prj(crs: Option<&Crs>, path: &Path, existing: Existing) -> Result<(), OutputError> {
    let wkt = crs.and_then(Crs::to_wkt);
    wkt.map_or(Ok(()), |wkt| {
        whole(&path.with_extension("prj"), existing, |out| {
            writeln!(out, "{wkt}")
        })
    })
}

fn asc(map: &Heightmap, out: &mut impl Write) -> io::Result<()> {
    let place = Placement::new(map.origin.as_ref(), map.cell_size_m, map.heights.dim());
    asc_grid(
        &place,
        map.heights.iter().map(|h| (!h.is_nan()).then_some(h)),
        out,
    )
}

/// Writes an ESRI ASCII grid with the position `place` to `out`. `values`: row by row from the
/// north; `None` means no data.
pub fn asc_grid<T: Display>(
    place: &Placement,
    values: impl Iterator<Item = Option<T>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (dx, dy) = place.cell;
    writeln!(out, "ncols {}\nnrows {}", place.cols, place.rows)?;
    writeln!(out, "xllcorner {}\nyllcorner {}", place.west, place.south())?;
    if (dx - dy).abs() <= 1e-9 * dx {
        writeln!(out, "cellsize {dx}")?;
    } else {
        writeln!(out, "dx {dx}\ndy {dy}")?;
    }
    writeln!(out, "NODATA_value {NO_DATA}")?;
    for (i, value) in values.enumerate() {
        let end = if (i + 1) % place.cols == 0 { '\n' } else { ' ' };
        match value {
            Some(value) => write!(out, "{value}{end}")?,
            None => write!(out, "{NO_DATA}{end}")?,
        }
    }
    Ok(())
}

fn png16(map: &Heightmap, out: &mut impl Write) -> io::Result<()> {
    let (low, high) = map.range().unwrap_or((0.0, 1.0));
    let (low, high) = (f64::from(low), f64::from(high));
    let step = if high > low {
        (high - low) / 65535.0
    } else {
        1.0
    };
    let holes = map.no_data() > 0;
    let mut data = Vec::with_capacity(map.heights.len() * if holes { 4 } else { 2 });
    for &h in &map.heights {
        // The saturating cast makes a level of 0 for NaN; its alpha marks the level as meaningless.
        let level = ((f64::from(h) - low) / step).round() as u16;
        data.extend_from_slice(&level.to_be_bytes());
        if holes {
            data.extend_from_slice(&(if h.is_nan() { 0u16 } else { u16::MAX }).to_be_bytes());
        }
    }
    let mut encoder = Encoder::new(out, map.cols() as u32, map.rows() as u32);
    encoder.set_color(if holes {
        ColorType::GrayscaleAlpha
    } else {
        ColorType::Grayscale
    });
    encoder.set_depth(BitDepth::Sixteen);
    let white = low + 65535.0 * step;
    for (key, value) in [
        (BLACK, low),
        (WHITE, white),
        (CELL_X, map.cell_size_m.0),
        (CELL_Z, map.cell_size_m.1),
    ] {
        encoder
            .add_text_chunk(key.to_owned(), value.to_string())
            .map_err(encoding)?;
    }
    encoder
        .write_header()
        .and_then(|mut png| png.write_image_data(&data))
        .map_err(encoding)
}

fn encoding(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(cause) => cause,
        other => io::Error::other(other),
    }
}
