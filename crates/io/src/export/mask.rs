//! Export of maps as 16-bit masks for terrain programs: gray pictures (`.mask.png`) and bare numbers
//! (`.r16`), in the rows and columns of the ground.
//!
//! 0 is the lower end of the map's legend or no data, 65535 the upper end.

use std::io::Write;
use std::path::Path;

use png::{BitDepth, ColorType, Encoder};

use super::style::MapStyle;
use super::values::Values;
use super::{ExportError, Label};
use lavoxel_files::output::{Existing, WholeFile, whole};

/// Number of the upper end.
const WHITE: f64 = 65_535.0;
/// Memory per value in bytes: its float, and its two bytes.
pub(super) const BYTES_A_VALUE: f64 = 10.0;

/// Returns true if `path` names a mask in place of a picture: `.mask.png`.
pub(super) fn is_mask(path: &Path) -> bool {
    let stem = Path::new(path.file_stem().unwrap_or_default());
    stem.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("mask"))
}

/// Returns the numbers of the mask of `values`, row by row from the north.
fn numbers(values: &Values, style: &MapStyle) -> impl Iterator<Item = u16> {
    let (black, white) = style.range;
    let share = move |value: f64| (value - black) / (white - black).max(f64::MIN_POSITIVE);
    let number = move |value: f64| (share(value).clamp(0.0, 1.0) * WHITE).round();
    let reals = values.to_reals();
    reals.into_iter().map(move |value| {
        if value.is_nan() {
            0
        } else {
            number(value) as u16
        }
    })
}

/// Returns number of rows and columns of `values`.
fn size(values: &Values) -> (usize, usize) {
    match values {
        Values::Real(values) => values.dim(),
        Values::Whole(values) => values.dim(),
    }
}

/// Writes `values` as a gray picture to `path`; `labels` and the ends of the gray scale become texts.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write_png(
    path: &Path,
    (values, style): (&Values, &MapStyle),
    labels: &[Label<'_>],
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    encode(&mut file, (values, style), labels)
        .map_err(|error| ExportError::encoder(path, error))?;
    Ok(file.commit()?)
}

fn encode(
    file: impl Write,
    (values, style): (&Values, &MapStyle),
    labels: &[Label<'_>],
) -> Result<(), png::EncodingError> {
    let (rows, cols) = size(values);
    let mut encoder = Encoder::new(file, cols as u32, rows as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Sixteen);
    let (black, white) = style.range;
    let ends = [("Black", black), ("White", white)];
    for (keyword, text) in labels {
        encoder.add_itxt_chunk((*keyword).to_owned(), text.clone())?;
    }
    for (keyword, end) in ends {
        encoder.add_itxt_chunk(keyword.to_owned(), end.to_string())?;
    }
    let mut writer = encoder.write_header()?;
    let bytes: Vec<u8> = numbers(values, style).flat_map(u16::to_be_bytes).collect();
    writer.write_image_data(&bytes)?;
    writer.finish()
}

/// Writes `values` as bare numbers to `path`, low byte first, and what they mean to a `.r16.json`
/// file beside it: columns, rows, black, white and unit.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write_r16(
    path: &Path,
    (values, style): (&Values, &MapStyle),
    existing: Existing,
) -> Result<(), ExportError> {
    let (rows, columns) = size(values);
    let (black, white) = style.range;
    let about = serde_json::json!({
        "title": style.title, "columns": columns, "rows": rows,
        "black": black, "white": white, "unit": style.unit,
    });
    let bytes: Vec<u8> = numbers(values, style).flat_map(u16::to_le_bytes).collect();
    whole(path, existing, |out| out.write_all(&bytes))?;
    let text = format!("{about:#}\n");
    Ok(whole(&path.with_extension("r16.json"), existing, |out| {
        out.write_all(text.as_bytes())
    })?)
}
