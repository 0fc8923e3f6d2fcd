//! Reader of heights in a grey picture (`.png`): black is the lowest height, white the highest;
//! transparent pixels have no data.
//!
//! All kinds of PNG are read: 1 to 16 bits, with or without transparency, with a palette,
//! interlaced; coloured pictures only if all their pixels are grey. The first row is north. A
//! picture states neither the cell size nor the height of white, unless it was
//! [written](crate::terrain::write::heightmap) by this library, which stores both in text chunks.
//! If the height of white is unknown, one grey level is one metre, whatever the number of bits.

use std::io::{BufRead, Seek, SeekFrom};
use std::path::Path;

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Transformations};
use ndarray::Array2;

use super::geotiff::placed;
use super::read::{LoadOptions, open};
use super::samples::Heights;
use super::sidecar::Sidecars;
use crate::terrain::error::checked_samples;
use crate::terrain::{Crs, Heightmap, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input;

/// Keyword of the PNG text chunk in which this program stores the height of black in metres.
pub(in crate::terrain) const BLACK: &str = "black_m";
/// Keyword of the PNG text chunk in which this program stores the height of white in metres.
pub(in crate::terrain) const WHITE: &str = "white_m";
/// Keyword of the PNG text chunk in which this program stores the cell width (west to east) in
/// metres.
pub(in crate::terrain) const CELL_X: &str = "cell_size_x_m";
/// Keyword of the PNG text chunk in which this program stores the cell depth (north to south) in
/// metres.
pub(in crate::terrain) const CELL_Z: &str = "cell_size_z_m";

/// First eight bytes of a PNG file.
pub(in crate::terrain) const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Memory in bytes per byte of a text chunk or colour profile of a PNG: the decoder grows a list
/// and converts the result to text.
const BYTES_A_CHUNK_BYTE: f64 = 4.0;

/// Largest ratio of decompressed to compressed size that Deflate can reach.
const BEST_COMPRESSION: f64 = 1032.0;

/// Reads a gray picture as heights from `options.black_m` to `options.white_m`.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; [`TerrainError::Content`] for a file that is
/// no gray PNG. The size in the header is checked against the length of the file before memory is
/// reserved.
pub(super) fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, bytes) = open(path)?;
    read_on(reader, bytes, path, options, &Sidecars::read(path)?)
}

/// Returns the grey level of white in the PNG at `path` if the file does not state the height of
/// white; `None` if the file states it or is not a PNG.
pub fn most_if_unscaled(path: &Path) -> Option<f64> {
    let most = || {
        let (mut file, _) = open(path).ok()?;
        weigh_chunks(&mut file, path).ok()?;
        let mut decoder = Decoder::new(file);
        decoder.set_ignore_iccp_chunk(true);
        let reader = decoder.read_info().ok()?;
        let info = reader.info();
        let says = info
            .uncompressed_latin1_text
            .iter()
            .any(|chunk| chunk.keyword == WHITE);
        (!says).then_some(if info.bit_depth == BitDepth::Sixteen {
            65535.0
        } else {
            255.0
        })
    };
    input::guard(most).ok().flatten()
}

/// Reads a grey PNG as heights from `reader`. `bytes`: length of the file; `path`: its name for
/// messages.
///
/// # Errors
/// The errors of [`load`](super::load).
pub fn read_from(
    reader: impl BufRead + Seek,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    read_on(reader, bytes, path, options, &Sidecars::default())
}

/// Reads a grey PNG as heights and applies `sidecars`, the sidecar files of the picture. `bytes`:
/// length of the file; `path`: its name for messages.
fn read_on(
    mut reader: impl BufRead + Seek,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
    sidecars: &Sidecars,
) -> Result<Heightmap, TerrainError> {
    let wrong = |e: DecodingError| TerrainError::content(path, "a PNG picture", e.to_string());
    weigh_chunks(&mut reader, path)?;
    let mut decoder = Decoder::new(reader);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(wrong)?;
    let (cols, rows) = (header.width as usize, header.height as usize);
    // A row of one-bit pixels takes an eighth of a byte per pixel, plus one byte for its filter.
    let least_bytes = header.raw_row_length() as f64 / cols as f64 / BEST_COMPRESSION;
    let samples = checked_samples(path, (cols, rows), bytes, least_bytes)?;

    let mut reader = decoder.read_info().map_err(wrong)?;
    let (color, depth) = reader.output_color_type();
    let says = |key: &str| {
        let chunk = reader
            .info()
            .uncompressed_latin1_text
            .iter()
            .find(|chunk| chunk.keyword == key);
        chunk
            .and_then(|chunk| chunk.text.parse::<f64>().ok())
            .filter(|value| value.is_finite())
    };
    let wide = depth == BitDepth::Sixteen;
    // The decoder stretches levels of fewer bits to 255; those of a palette are its colours.
    let info = reader.info();
    let few = info.color_type == ColorType::Grayscale && (info.bit_depth as u32) < 8;
    let step = if few {
        255 / ((1u16 << info.bit_depth as u32) - 1)
    } else {
        1
    };
    let (black_m, white_m) = (
        options.black_m.or(says(BLACK)),
        options.white_m.or(says(WHITE)),
    );
    let most = if wide { 65535.0 } else { f64::from(255 / step) };
    let heights = match (white_m, sidecars.scale) {
        (None, Some(_)) => sidecars.heights(options, path)?,
        _ => Heights::new(options)
            .without(sidecars.no_data)
            .gray(black_m, white_m, most),
    };
    let gray = Gray {
        wide,
        step,
        heights,
    };
    let (transform, _) = sidecars.place(None);
    let cell_size_m = match (options.cell_size_m, says(CELL_X), says(CELL_Z)) {
        (None, Some(x), Some(z)) if x > 0.0 && z > 0.0 => Some((x, z)),
        (None, ..) if transform.is_some() => None,
        _ => options.cell_size_for(path).map(|size| Some((size, size)))?,
    };
    let pixel = color.samples() * if wide { 2 } else { 1 };
    let mut data = vec![0; samples * pixel];
    reader.next_frame(&mut data).map_err(wrong)?;

    let mut heights = Vec::with_capacity(samples);
    for pixel in data.chunks_exact(pixel) {
        let level = gray.level_of(pixel, color).ok_or_else(|| {
            let found =
                "colours; make it gray, as with: magick IN.png -colorspace Gray OUT.png; or use a format for heights";
            TerrainError::content(path, "gray heights", found)
        })?;
        heights.push(gray.heights.convert(level, path)?);
    }
    let mut heights = Array2::from_shape_vec((rows, cols), heights).expect("one height per pixel");
    sidecars.hide(&mut heights, path)?;
    match cell_size_m {
        Some(cell_size_m) => Ok(Heightmap {
            heights,
            cell_size_m,
            origin: None,
            notes: Vec::new(),
        }),
        None => placed(
            heights,
            transform,
            options.understood(path, sidecars.system(Crs::default()))?,
            path,
            options,
        ),
    }
}

/// Checks the chunks before the pixels: their memory must be within the limit, and the length of a
/// palette must be a multiple of three bytes, because the decoder does not check palettes. Sets
/// `reader` back to its start.
///
/// # Errors
/// [`TerrainError::Memory`] above the memory limit; [`TerrainError::Content`] for a palette of
/// another length.
pub(in crate::terrain) fn weigh_chunks(
    reader: &mut (impl BufRead + Seek),
    path: &Path,
) -> Result<(), TerrainError> {
    let read = TerrainError::read(path);
    let mut sum = 0;
    reader
        .seek(SeekFrom::Start(SIGNATURE.len() as u64))
        .map_err(&read)?;
    loop {
        let mut head = [0; 8];
        // The decoder reports a file that ends too early.
        if reader.read_exact(&mut head).is_err() || head.ends_with(b"IDAT") {
            break;
        }
        let [a, b, c, d, kind @ ..] = head;
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        if &kind == b"PLTE" && length % 3 != 0 {
            return Err(TerrainError::content(
                path,
                "a PNG picture",
                format!("a palette of {length} bytes"),
            ));
        }
        sum += length;
        reader.seek_relative(length as i64 + 4).map_err(&read)?;
    }
    MemoryEstimate::new(
        "what the picture holds beside its pixels",
        sum as usize,
        BYTES_A_CHUNK_BYTE,
    )
    .check("save it without texts and profiles")
    .map_err(TerrainError::memory(path))?;
    reader.rewind().map_err(&read)
}

/// Conversion of pixels to grey levels, and of grey levels to heights.
struct Gray {
    wide: bool,
    /// Difference between adjacent grey levels in the decoded 8-bit or 16-bit values; above 1 for
    /// pictures of fewer than 8 bits.
    step: u16,
    heights: Heights,
}

impl Gray {
    fn level(&self, pixel: &[u8], channel: usize) -> u16 {
        if self.wide {
            u16::from_be_bytes([pixel[2 * channel], pixel[2 * channel + 1]])
        } else {
            u16::from(pixel[channel])
        }
    }

    /// Returns the grey level of a pixel of the type `color`; NaN if the pixel is more than half
    /// transparent, `None` if the pixel is coloured.
    fn level_of(&self, pixel: &[u8], color: ColorType) -> Option<f64> {
        let (gray, alpha) = match color {
            ColorType::Grayscale => (true, None),
            ColorType::GrayscaleAlpha => (true, Some(1)),
            ColorType::Rgba => (false, Some(3)),
            ColorType::Rgb | ColorType::Indexed => (false, None),
        };
        let half = if self.wide { 32768 } else { 128 };
        if alpha.is_some_and(|channel| self.level(pixel, channel) < half) {
            return Some(f64::NAN);
        }
        let level = self.level(pixel, 0);
        let same = gray || (self.level(pixel, 1) == level && self.level(pixel, 2) == level);
        same.then_some(f64::from(level / self.step))
    }
}
