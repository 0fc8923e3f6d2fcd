//! Heights as a gray picture (`.png`): black is low, white is high, transparent is no data.
//!
//! All PNG kinds are read: 1 to 16 bits, with or without transparency, with a palette, interlaced; colours only as long
//! as they are gray. The first row is north. A picture says neither how large a cell nor how high white is, unless it was
//! [written](super::write::heightmap) by this library, which puts that into text chunks.

use std::io::{BufRead, Seek};
use std::path::Path;

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Transformations};
use ndarray::Array2;

use super::error::checked_samples;
use super::load::{LoadOptions, open};
use super::{Heightmap, TerrainError};

/// Keywords of the text chunks that make a heightmap picture complete; their values are numbers in metres.
pub(super) const BLACK: &str = "black_m";
pub(super) const WHITE: &str = "white_m";
pub(super) const CELL_X: &str = "cell_size_x_m";
pub(super) const CELL_Z: &str = "cell_size_z_m";

/// Deflate packs at most this many bytes into one.
const BEST_COMPRESSION: f64 = 1032.0;

/// Reads a gray picture as heights from `options.black_m` to `options.white_m`.
///
/// # Errors
/// [`TerrainError::NoCellSize`] without a cell size; [`TerrainError::Content`] for what is no gray PNG. The size in the
/// header is checked against the length of the file before memory is taken.
pub fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let (reader, bytes) = open(path)?;
    read_from(reader, bytes, path, options)
}

/// Reads a gray picture of `bytes` bytes from `reader`; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    reader: impl BufRead + Seek,
    bytes: u64,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let wrong = |e: DecodingError| TerrainError::content(path, "a PNG picture", e.to_string());
    let mut decoder = Decoder::new(reader);
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(wrong)?;
    let (cols, rows) = (header.width as usize, header.height as usize);
    // A row of one-bit pixels is an eighth of a byte each, plus one byte for its filter.
    let least_bytes = header.raw_row_length() as f64 / cols as f64 / BEST_COMPRESSION;
    let samples = checked_samples(path, (cols, rows), bytes, least_bytes)?;

    let mut reader = decoder.read_info().map_err(wrong)?;
    let (color, depth) = reader.output_color_type();
    let says = |key: &str| {
        let chunk = reader.info().uncompressed_latin1_text.iter().find(|chunk| chunk.keyword == key);
        chunk.and_then(|chunk| chunk.text.parse::<f64>().ok()).filter(|value| value.is_finite())
    };
    let gray = Gray::new(depth, options.black_m.or(says(BLACK)), options.white_m.or(says(WHITE)));
    let cell_size_m = match (options.cell_size_m, says(CELL_X), says(CELL_Z)) {
        (None, Some(x), Some(z)) if x > 0.0 && z > 0.0 => (x, z),
        _ => options.cell_size_for(path).map(|size| (size, size))?,
    };
    let pixel = color.samples() * if depth == BitDepth::Sixteen { 2 } else { 1 };
    let mut data = vec![0; samples * pixel];
    reader.next_frame(&mut data).map_err(wrong)?;

    let heights: Option<Vec<f32>> = data.chunks_exact(pixel).map(|pixel| gray.metres(pixel, color)).collect();
    let heights = heights.ok_or_else(|| {
        TerrainError::content(path, "gray heights", "colours; convert the picture to gray, or use a format for heights")
    })?;
    let heights = Array2::from_shape_vec((rows, cols), heights).expect("one height per pixel");
    Ok(Heightmap { heights, cell_size_m, origin: None })
}

/// From gray levels to metres.
struct Gray {
    wide: bool,
    black_m: f64,
    /// Metres per gray level.
    step_m: f64,
}

impl Gray {
    fn new(depth: BitDepth, black_m: Option<f64>, white_m: Option<f64>) -> Self {
        let wide = depth == BitDepth::Sixteen;
        let most = if wide { 65535.0 } else { 255.0 };
        let black_m = black_m.unwrap_or(0.0);
        let step_m = white_m.map_or(1.0, |white_m| (white_m - black_m) / most);
        Self { wide, black_m, step_m }
    }

    fn level(&self, pixel: &[u8], channel: usize) -> u16 {
        if self.wide {
            u16::from_be_bytes([pixel[2 * channel], pixel[2 * channel + 1]])
        } else {
            u16::from(pixel[channel])
        }
    }

    /// Metres, NaN where the pixel is more transparent than not; `None` when it has a colour.
    fn metres(&self, pixel: &[u8], color: ColorType) -> Option<f32> {
        let (gray, alpha) = match color {
            ColorType::Grayscale => (true, None),
            ColorType::GrayscaleAlpha => (true, Some(1)),
            ColorType::Rgba => (false, Some(3)),
            ColorType::Rgb | ColorType::Indexed => (false, None),
        };
        let half = if self.wide { 32768 } else { 128 };
        if alpha.is_some_and(|channel| self.level(pixel, channel) < half) {
            return Some(f32::NAN);
        }
        let level = self.level(pixel, 0);
        let same = gray || (self.level(pixel, 1) == level && self.level(pixel, 2) == level);
        same.then(|| (self.black_m + self.step_m * f64::from(level)) as f32)
    }
}
