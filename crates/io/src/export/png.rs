//! Export of still pictures as PNG, with text chunks for provenance.

use std::io::Write;
use std::path::Path;

use ::png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};

use super::ExportError;
use lavoxel_files::output::{Existing, WholeFile};

/// Text chunk of a PNG: keyword and text.
pub type Label<'a> = (&'a str, String);

/// Options of a PNG file: compression level, and print resolution in pixels per inch (`None`: not
/// stated).
pub(super) type Options = (Compression, Option<f64>);

/// Options of PNG files for the screen, which state no print resolution.
pub(super) const PLAIN: Options = (Compression::Balanced, None);

/// Writes a picture of 8-bit sRGB pixels, row-major from the top, to `path`: three bytes per pixel
/// (RGB), or four (RGBA, alpha not premultiplied). `labels` become text chunks.
///
/// # Errors
/// When the file cannot be written, or the number of bytes does not match the size.
pub fn write_png(
    path: &Path,
    size: (u32, u32),
    pixels: &[u8],
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    write_png_at(path, (size, None::<f64>), pixels, labels, existing)
}

/// Writes a picture like [`write_png`], with a print resolution of `dpi` pixels per inch.
///
/// # Errors
/// The errors of [`write_png`].
pub fn write_png_at(
    path: &Path,
    (size, dpi): ((u32, u32), impl Into<Option<f64>>),
    pixels: &[u8],
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    encode((PLAIN.0, dpi.into()), &mut file, size, pixels, labels)
        .map_err(|e| ExportError::encoder(path, e))?;
    Ok(file.commit()?)
}

/// Returns the bytes of the PNG file that `write_png_at` would write; `path` is only used in the
/// message.
///
/// # Errors
/// When the number of bytes does not match the size.
pub fn png_at(
    path: &Path,
    (size, dpi): ((u32, u32), f64),
    pixels: &[u8],
    labels: &[Label<'_>],
) -> Result<Vec<u8>, ExportError> {
    let mut bytes = Vec::new();
    encode((PLAIN.0, Some(dpi)), &mut bytes, size, pixels, labels)
        .map_err(|e| ExportError::encoder(path, e))?;
    Ok(bytes)
}

/// Length of an inch in metres.
const INCH_M: f64 = 0.0254;

/// Encodes `pixels`, in the layout of [`write_png`], as PNG and writes the bytes to `file`. `dpi`:
/// print resolution in pixels per inch; `labels`: texts stored in the file.
pub(super) fn encode(
    (compression, dpi): Options,
    file: impl Write,
    (width, height): (u32, u32),
    pixels: &[u8],
    labels: &[Label<'_>],
) -> Result<(), ::png::EncodingError> {
    let mut encoder = Encoder::new(file, width, height);
    let opaque = pixels.len() as u64 == 3 * u64::from(width) * u64::from(height);
    encoder.set_color(if opaque {
        ColorType::Rgb
    } else {
        ColorType::Rgba
    });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(compression);
    encoder.set_pixel_dims(dpi.map(|dpi| {
        let a_metre = (dpi / INCH_M).round() as u32;
        PixelDimensions {
            xppu: a_metre,
            yppu: a_metre,
            unit: Unit::Meter,
        }
    }));
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    for (keyword, text) in labels {
        encoder.add_itxt_chunk((*keyword).to_owned(), text.clone())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()
}
