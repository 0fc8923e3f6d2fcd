//! Export of maps as GeoTIFF: one band of 32-bit values in deflated strips, pixel-is-area
//! convention, no-data value −9999. Quantity, unit and provenance are stored in the tags that GDAL
//! and QGIS show.
//!
//! The tags are assembled here rather than by `geotiff-writer`, which does not support
//! descriptions.

use std::fmt::Write as _;
use std::path::Path;

use geotiff_writer::{GeoKeyDirectory, GeoKeyValue, RasterType};
use ndarray::{Array2, Axis};
use tiff_core::{ByteOrder, Compression, Tag, TagValue};
use tiff_writer::{ImageBuilder, TiffVariant, TiffWriteSample, TiffWriter, WriteOptions};

use super::values::Values;
use super::{Caption, ExportError, Provenance};
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_geo::map::{Crs, GeoKey, Site};

// Tags of the TIFF standard, GeoTIFF 1.1 and GDAL.
const IMAGE_DESCRIPTION: u16 = 270;
const SOFTWARE: u16 = 305;
const MODEL_PIXEL_SCALE: u16 = 33550;
const MODEL_TIEPOINT: u16 = 33922;
const GEO_KEY_DIRECTORY: u16 = 34735;
const GEO_DOUBLE_PARAMS: u16 = 34736;
const GEO_ASCII_PARAMS: u16 = 34737;
const GDAL_METADATA: u16 = 42112;
const GDAL_NODATA: u16 = 42113;

// Key of GeoTIFF 1.1.
const RASTER_TYPE: u16 = 1025;

/// Target size of a strip (group of rows of a TIFF) before compression, in bytes.
const STRIP: usize = 1 << 18;

/// Labels of a map and its provenance, as the GeoTIFF stores them.
pub(super) struct Labels<'a> {
    pub(super) caption: &'a Caption,
    pub(super) about: &'a Provenance,
}

/// Writes `values` with the metadata `labels` as a GeoTIFF to `path`.
pub(super) fn write(
    path: &Path,
    values: &Values,
    labels: &Labels<'_>,
    site: &Site,
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    let written = match values {
        // Keeps values bit by bit, such as a negative zero; only NaN is replaced.
        Values::Real(values) => {
            let numbers = values.mapv(|v| {
                if v.is_nan() {
                    Values::NO_WHOLE as f32
                } else {
                    v
                }
            });
            write_band(&mut file, &numbers, labels, site)
        }
        Values::Whole(values) => write_band(&mut file, values, labels, site),
    };
    written.map_err(|e| match e {
        tiff_writer::Error::Io(cause) => lavoxel_files::output::OutputError::io(path, cause).into(),
        other => ExportError::encoder(path, other),
    })?;
    Ok(file.commit()?)
}

fn write_band<T: TiffWriteSample>(
    file: &mut WholeFile,
    values: &Array2<T>,
    labels: &Labels<'_>,
    site: &Site,
) -> Result<(), tiff_writer::Error> {
    let (rows, cols) = values.dim();
    let rows_of_strip = (STRIP / (cols * size_of::<T>())).clamp(1, rows);
    let image = ImageBuilder::new(cols as u32, rows as u32)
        .sample_type::<T>()
        .compression(Compression::Deflate)
        .strips(rows_of_strip as u32);
    let image = tags(labels, site)
        .into_iter()
        .fold(image, ImageBuilder::tag);
    let options = WriteOptions {
        byte_order: ByteOrder::LittleEndian,
        variant: TiffVariant::Auto,
    };
    let mut writer = TiffWriter::new(file, options)?;
    let handle = writer.add_image(image)?;
    for (i, strip) in values.axis_chunks_iter(Axis(0), rows_of_strip).enumerate() {
        let strip: Vec<T> = strip.iter().copied().collect();
        writer.write_block(&handle, i, &strip)?;
    }
    writer.finish()?;
    Ok(())
}

/// Returns the TIFF tags of georeference and metadata; the tags of the pixel data are not included.
fn tags(labels: &Labels<'_>, site: &Site) -> Vec<Tag> {
    let place = site.placement();
    let text = |code, text: String| Tag::new(code, TagValue::Ascii(text));
    let Caption {
        description, unit, ..
    } = labels.caption;
    let what = if unit.is_empty() {
        description.clone()
    } else {
        format!("{description} ({unit})")
    };
    let when = labels.caption.when(labels.about);
    let mut tags = vec![
        text(
            IMAGE_DESCRIPTION,
            format!("{what}, {when} of {}", labels.about.scene),
        ),
        text(SOFTWARE, Provenance::SOFTWARE.to_owned()),
        Tag::new(
            MODEL_PIXEL_SCALE,
            TagValue::Double(vec![place.cell.0, place.cell.1, 0.0]),
        ),
        Tag::new(
            MODEL_TIEPOINT,
            TagValue::Double(vec![0.0, 0.0, 0.0, place.west, place.north, 0.0]),
        ),
        text(GDAL_METADATA, metadata(labels)),
        text(GDAL_NODATA, Values::NO_WHOLE.to_string()),
    ];
    // Without keys the tags of the position alone are written: an empty key directory makes GDAL
    // invent a system, and keys longer than the format allows cannot be written.
    let Some(Ok((directory, doubles, ascii))) = keys(site.crs()).map(|keys| keys.serialize())
    else {
        return tags;
    };
    tags.push(Tag::new(GEO_KEY_DIRECTORY, TagValue::Short(directory)));
    if !doubles.is_empty() {
        tags.push(Tag::new(GEO_DOUBLE_PARAMS, TagValue::Double(doubles)));
    }
    if !ascii.is_empty() {
        tags.push(Tag::new(GEO_ASCII_PARAMS, TagValue::Ascii(ascii)));
    }
    tags
}

/// Returns the metadata of the GeoTIFF and its band in the XML form of GDAL.
fn metadata(labels: &Labels<'_>) -> String {
    let Labels { caption, about } = labels;
    let (count, number) = caption.count(about);
    let mut xml = String::from("<GDALMetadata>\n");
    let mut items = [
        // Names that GDAL keeps as free items; description and unit have fixed roles below.
        ("quantity", caption.name.clone()),
        ("unit", caption.unit.to_owned()),
        ("scene", about.scene.clone()),
        ("seed", about.seed.to_string()),
        (count, number.to_string()),
        ("software", Provenance::SOFTWARE.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    items.extend(
        caption
            .note
            .map(|note| ("note".to_owned(), note.to_owned())),
    );
    items.extend(about.facts());
    let write = |xml: &mut String, rest: &str, value: &str| {
        writeln!(xml, "  <Item {rest}>{}</Item>", escaped(value))
            .expect("a string takes everything");
    };
    for (name, value) in &items {
        write(&mut xml, &format!("name=\"{name}\""), value);
    }
    write(
        &mut xml,
        "name=\"DESCRIPTION\" sample=\"0\" role=\"description\"",
        &caption.description,
    );
    write(
        &mut xml,
        "name=\"UNITTYPE\" sample=\"0\" role=\"unittype\"",
        caption.unit,
    );
    xml + "</GDALMetadata>\n"
}

/// Escapes `text` for XML twice, because GDAL expects texts in its metadata tag to be escaped
/// twice.
fn escaped(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    let once = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    once(&once(&plain))
}

/// Returns the GeoTIFF keys of the coordinate system, with the pixel-is-area flag; `None` for an
/// unknown system.
fn keys(crs: Option<&Crs>) -> Option<GeoKeyDirectory> {
    let known = crs.map(Crs::to_geo_keys).filter(|keys| !keys.is_empty())?;
    let mut keys = GeoKeyDirectory::new();
    keys.set(
        RASTER_TYPE,
        GeoKeyValue::Short(RasterType::PixelIsArea.code()),
    );
    for (id, value) in known {
        let value = match value {
            GeoKey::Short(number) => GeoKeyValue::Short(number),
            GeoKey::Doubles(numbers) => GeoKeyValue::Double(numbers),
            GeoKey::Text(text) => GeoKeyValue::Ascii(plain(&text)),
        };
        keys.set(id, value);
    }
    Some(keys)
}

/// Returns `text` without characters that are not allowed in a text value of a GeoTIFF key.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|&c| c.is_ascii() && !c.is_ascii_control() && c != '|')
        .collect()
}
