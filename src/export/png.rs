//! A still picture as PNG, with text chunks that say where it came from.

use std::path::Path;

use ::png::{BitDepth, ColorType, Compression, Encoder};

use super::ExportError;
use crate::output::{Existing, WholeFile};

/// A text chunk: keyword and text.
pub type Label<'a> = (&'a str, String);

/// Writes 8-bit sRGB pixels, rows from the top.
pub fn write_png(
    path: &Path,
    (width, height): (u32, u32),
    rgb: &[u8],
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    encode(&mut file, (width, height), rgb, labels).map_err(|e| ExportError::encoder(path, e))?;
    Ok(file.commit()?)
}

fn encode(
    file: &mut WholeFile,
    (width, height): (u32, u32),
    rgb: &[u8],
    labels: &[Label<'_>],
) -> Result<(), ::png::EncodingError> {
    let mut encoder = Encoder::new(file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    for (keyword, text) in labels {
        encoder.add_itxt_chunk((*keyword).to_owned(), text.clone())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()
}
