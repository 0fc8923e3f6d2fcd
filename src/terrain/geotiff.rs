//! Heights in a TIFF or GeoTIFF (`.tif`): one band of any type of number, in strips or tiles, packed as the format allows.
//!
//! What the file says is followed: pixel scale or transformation, pixels that are areas or points, the coordinate
//! reference system, the number for no data, a mask or an alpha band, scale, offset and unit of the heights. Blocks that a
//! sparse file leaves out have no data. Rasters that lie turned or sheared on their map are interpolated linearly onto one
//! that is north up, with cells of the same size; mirrored ones are turned back exactly.
//! Where the file says nothing, as a picture does, `options` give the size of a cell, and black and white.

use std::path::Path;

use geotiff_reader::GeoTiffFile;
use geotiff_reader::geokeys::GeoKeyValue;
use geotiff_reader::transform::GeoTransform;
use ndarray::Array2;
use tiff_reader::{ColorModel, ExtraSample, Ifd, OpenOptions, RasterLayout, TagValue, TiffFile, TiffSample};

use super::askew::{Affine, north_up};
use super::crs::{GeoKey, vertical_metres};
use super::error::{MAX_SAMPLES, checked_samples};
use super::load::{LoadOptions, open};
use super::samples::Heights;
use super::{Crs, Georeference, Heightmap, TerrainError, lerc};
use crate::memory::Need;

/// Largest strip or tile that is unpacked, in bytes; one strip may hold the largest heightmap of 8-byte numbers.
const LARGEST_BLOCK: usize = 8 * MAX_SAMPLES;

/// Largest tile of a smaller picture, in pixels.
const LARGEST_TILE: usize = 1 << 24;

/// Heights that are unpacked at a time, where blocks are smaller.
const AT_ONCE: usize = 1 << 20;

const SUBFILE_TYPE: u16 = 254;
const GDAL_METADATA: u16 = 42112;
const GDAL_NO_DATA: u16 = 42113;

/// Reads the heights of a TIFF or GeoTIFF.
///
/// # Errors
/// [`TerrainError::Content`] for what is no TIFF of one band of heights; [`TerrainError::NoCellSize`] when neither the
/// file nor `options` say how large a cell is. The announced size is checked against the length of the file before memory
/// is taken.
pub fn read(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    // Says clearly what is no file; the reader opens it again.
    let (_, bytes) = open(path)?;
    let file = match GeoTiffFile::open_with_options(path, limits()) {
        Ok(file) => File::Geo(Box::new(file)),
        Err(geotiff_reader::Error::NotGeoTiff) => {
            File::Plain(TiffFile::open_with_options(path, limits()).map_err(wrong(path))?)
        }
        Err(error) => return Err(wrong(path)(error)),
    };
    heights_of(&file, bytes, path, options)
}

/// Reads the heights of a TIFF or GeoTIFF in memory; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(data: &[u8], path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let bytes = data.len() as u64;
    let file = match GeoTiffFile::from_bytes_with_options(data.to_vec(), limits()) {
        Ok(file) => File::Geo(Box::new(file)),
        Err(geotiff_reader::Error::NotGeoTiff) => {
            File::Plain(TiffFile::from_bytes_with_options(data.to_vec(), limits()).map_err(wrong(path))?)
        }
        Err(error) => return Err(wrong(path)(error)),
    };
    heights_of(&file, bytes, path, options)
}

/// Whether a file starts as a TIFF or a BigTIFF does.
pub(super) fn recognises(start: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|magic| start.starts_with(*magic))
}

fn limits() -> OpenOptions {
    let mut options = OpenOptions { decode_output_bytes: LARGEST_BLOCK, ..OpenOptions::default() };
    // A table of the blocks of the largest heightmap fits.
    options.parse_budgets.max_metadata_value_bytes = 1 << 27;
    options.parse_budgets.max_ifds = 256;
    options
}

fn wrong<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> TerrainError {
    move |error| TerrainError::content(path, "a TIFF or GeoTIFF of heights", error.to_string())
}

/// A file with or without a place on a map.
enum File {
    Geo(Box<GeoTiffFile>),
    Plain(TiffFile),
}

impl File {
    fn tiff(&self) -> &TiffFile {
        match self {
            Self::Geo(file) => file.tiff(),
            Self::Plain(file) => file,
        }
    }

    /// The picture at full size.
    fn image(&self, path: &Path) -> Result<&Ifd, TerrainError> {
        let index = if let Self::Geo(file) = self { file.base_ifd_index() } else { 0 };
        self.tiff().ifd(index).map_err(wrong(path))
    }

    fn transform(&self) -> Option<GeoTransform> {
        if let Self::Geo(file) = self { file.transform().copied() } else { None }
    }

    fn keys(&self) -> Vec<(u16, GeoKey)> {
        let Self::Geo(file) = self else { return Vec::new() };
        let value = |value: &GeoKeyValue| match value {
            GeoKeyValue::Short(number) => GeoKey::Short(*number),
            GeoKeyValue::Double(numbers) => GeoKey::Doubles(numbers.clone()),
            GeoKeyValue::Ascii(text) => GeoKey::Text(text.clone()),
        };
        file.geokeys().keys.iter().map(|key| (key.id, value(&key.value))).collect()
    }
}

fn heights_of(file: &File, bytes: u64, path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    let image = file.image(path)?;
    let layout = image.raster_layout().map_err(wrong(path))?;
    checked_samples(path, (layout.width, layout.height), bytes, 0.0)?;
    let alpha = has_alpha(image, &layout, path)?;
    let blocks = Blocks::of(file.tiff(), image, &layout, path)?;
    checked_samples(path, (layout.width, layout.height), bytes, blocks.least_bytes(image, &layout))?;
    if file.transform().is_none() {
        options.cell_size_for(path)?;
    }

    let keys = file.keys();
    let said = Said::of(image, path)?;
    let vertical = said.unit_m.or_else(|| vertical_metres(&keys)).unwrap_or(1.0);
    let values = Heights::new(options).without(said.no_data);
    let values = match (file, picture_levels(&layout)) {
        (File::Plain(_), Some(most)) => values.gray(options.black_m, options.white_m, most),
        _ => values.scaled(said.scale * vertical, said.offset * vertical),
    };
    let reading = Reading { tiff: file.tiff(), path };
    let mut heights = Array2::from_elem((layout.height, layout.width), f32::NAN);
    reading.band(image, &layout, &blocks, 0, |at, value| {
        heights[at] = values.of(value, path)?;
        Ok(())
    })?;
    blocks.clear_missing(&mut heights);
    if alpha {
        reading.band(image, &layout, &blocks, 1, |at, value| hide(&mut heights, at, value))?;
    }
    if let Some(mask) = mask_of(file.tiff(), image) {
        let layout = mask.raster_layout().map_err(wrong(path))?;
        let blocks = Blocks::of(file.tiff(), mask, &layout, path)?;
        reading.band(mask, &layout, &blocks, 0, |at, value| hide(&mut heights, at, value))?;
    }
    placed(heights, file.transform(), Crs::from_geo_keys(keys), path, options)
}

/// Brings heights onto their map.
fn placed(
    heights: Array2<f32>,
    transform: Option<GeoTransform>,
    crs: Crs,
    path: &Path,
    options: &LoadOptions,
) -> Result<Heightmap, TerrainError> {
    let Some(t) = transform else {
        let size = options.cell_size_for(path)?;
        return Ok(Heightmap { heights, cell_size_m: (size, size), origin: None });
    };
    let affine = Affine {
        origin: (t.origin_x, t.origin_y),
        along_row: (t.pixel_width, t.skew_y),
        along_column: (t.skew_x, t.pixel_height),
    };
    let raster = north_up(heights, &affine, path)?;
    let rows = raster.heights.nrows();
    let (origin, cell_size_m) = Georeference::north_up(path, rows, raster.north_west, raster.cell, crs)?;
    Ok(Heightmap { heights: raster.heights, cell_size_m, origin: Some(origin) })
}

/// The largest level of a picture; `None` for numbers that are no gray levels.
fn picture_levels(layout: &RasterLayout) -> Option<f64> {
    match (layout.sample_format, layout.bits_per_sample) {
        (1, bits @ 1..=16) => Some(f64::from((1u32 << bits) - 1)),
        _ => None,
    }
}

/// Takes the height of a pixel that a mask does not let through; never fails.
fn hide(heights: &mut Array2<f32>, at: (usize, usize), opaque: f64) -> Result<(), TerrainError> {
    if opaque == 0.0 {
        heights[at] = f32::NAN;
    }
    Ok(())
}

/// Whether a second band says where there is no data.
///
/// # Errors
/// For what is not one band of gray, with or without such a second one.
fn has_alpha(image: &Ifd, layout: &RasterLayout, path: &Path) -> Result<bool, TerrainError> {
    let mend = "convert it to one band of heights, for example with gdal_translate -b 1";
    let refuse = |found: &str| Err(TerrainError::content(path, "one band of heights", format!("{found}; {mend}")));
    match image.color_model().map_err(wrong(path))? {
        ColorModel::Grayscale { extra_samples, .. } => match extra_samples[..] {
            [] => Ok(false),
            [ExtraSample::AssociatedAlpha | ExtraSample::UnassociatedAlpha] => Ok(true),
            _ => refuse(&format!("{} bands", layout.samples_per_pixel)),
        },
        ColorModel::Palette { .. } => refuse("colours of a palette"),
        _ => refuse("colours"),
    }
}

/// The mask that GDAL keeps as another picture of the same size in the file.
fn mask_of<'a>(tiff: &'a TiffFile, image: &Ifd) -> Option<&'a Ifd> {
    let is_mask = |ifd: &&Ifd| {
        let kind = ifd.tag(SUBFILE_TYPE).and_then(|tag| tag.value.as_u64()).unwrap_or(0);
        kind & 4 != 0 && kind & 1 == 0 && (ifd.width(), ifd.height()) == (image.width(), image.height())
    };
    tiff.ifds().iter().find(is_mask)
}

/// What tags of GDAL say about the heights.
struct Said {
    no_data: Option<f64>,
    scale: f64,
    offset: f64,
    /// Metres in the unit of heights.
    unit_m: Option<f64>,
}

impl Said {
    fn of(image: &Ifd, path: &Path) -> Result<Self, TerrainError> {
        let text = |tag: u16| match image.tag(tag).map(|tag| &tag.value) {
            Some(TagValue::Ascii(text)) => Some(text.trim_matches(['\0', ' ', '\n'])),
            _ => None,
        };
        let metadata = text(GDAL_METADATA).unwrap_or_default();
        let number = |text: &str| text.trim().parse::<f64>();
        let finite = |role: &str, otherwise: f64| match item(metadata, role).map(number) {
            None => Ok(otherwise),
            Some(Ok(value)) if value.is_finite() => Ok(value),
            Some(_) => Err(TerrainError::content(path, format!("a number for the {role} of heights"), "none")),
        };
        let no_data = match text(GDAL_NO_DATA).filter(|text| !text.is_empty()).map(number) {
            Some(Err(_)) => return Err(TerrainError::content(path, "a number for no data (tag 42113)", "none")),
            Some(Ok(value)) => Some(value),
            None => None,
        };
        Ok(Self {
            no_data,
            scale: finite("scale", 1.0)?,
            offset: finite("offset", 0.0)?,
            unit_m: unit(metadata, path)?,
        })
    }
}

/// The unit of heights that GDAL's metadata name.
fn unit(metadata: &str, path: &Path) -> Result<Option<f64>, TerrainError> {
    let Some(name) = item(metadata, "unittype") else { return Ok(None) };
    match name.trim().to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "m" | "metre" | "metres" | "meter" | "meters" => Ok(Some(1.0)),
        "cm" | "centimetre" | "centimeter" => Ok(Some(0.01)),
        "ft" | "foot" | "feet" => Ok(Some(0.3048)),
        "us survey foot" | "ftus" | "us-ft" | "us_survey_foot" => Ok(Some(1200.0 / 3937.0)),
        _ => Err(TerrainError::content(path, "heights in metres or feet", super::tokens::quoted(name))),
    }
}

/// The text of `<Item … sample="0" role="…">text</Item>` in GDAL's metadata.
fn item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let role = format!("role=\"{role}\"");
    metadata.split("<Item").skip(1).find_map(|item| {
        let (attributes, rest) = item.split_once('>')?;
        let first = !attributes.contains("sample=") || attributes.contains("sample=\"0\"");
        let text = rest.split('<').next()?;
        (first && attributes.contains(&role)).then_some(text)
    })
}

/// The strips or tiles of a picture.
struct Blocks {
    /// Columns and rows of a block.
    size: (usize, usize),
    /// Blocks side by side.
    across: usize,
    /// Whether each block of the first band is there; sparse files leave some out.
    stored: Vec<bool>,
}

impl Blocks {
    fn of(tiff: &TiffFile, image: &Ifd, layout: &RasterLayout, path: &Path) -> Result<Self, TerrainError> {
        let side = |side: Option<u32>| side.unwrap_or(0) as usize;
        let (size, offsets, counts) = if image.is_tiled() {
            let size = (side(image.tile_width()), side(image.tile_height()));
            (size, image.tile_offsets(), image.tile_byte_counts())
        } else {
            let rows = (image.rows_per_strip() as usize).min(layout.height);
            ((layout.width, rows), image.strip_offsets(), image.strip_byte_counts())
        };
        let bands = if layout.planar_configuration == 1 { layout.samples_per_pixel } else { 1 };
        let bytes = [size.0, size.1, bands, layout.bytes_per_sample].into_iter().try_fold(1, usize::checked_mul);
        // A tile may be larger than a small picture, but not without measure.
        let fits = size.0.saturating_mul(size.1) <= LARGEST_TILE.max(layout.width * layout.height);
        let Some(bytes) = bytes.filter(|bytes| fits && (1..=LARGEST_BLOCK).contains(bytes)) else {
            let found = format!("blocks of {} × {} pixels with {bands} bands", size.0, size.1);
            return Err(TerrainError::content(path, "strips or tiles of a heightmap", found));
        };
        let across = layout.width.div_ceil(size.0);
        Self::need(across * size.0 * size.1 * bands, layout)
            .check("keep the heights in smaller strips or tiles")
            .map_err(|cause| TerrainError::Memory { path: path.to_owned(), cause })?;
        lerc::check(tiff, image, bytes, path)?;
        let count = across.saturating_mul(layout.height.div_ceil(size.1));
        let (offsets, counts) = (offsets.unwrap_or_default(), counts.unwrap_or_default());
        if offsets.len() < count || counts.len() < count {
            let found = offsets.len().min(counts.len());
            return Err(TerrainError::content(path, format!("a table of {count} strips or tiles"), found.to_string()));
        }
        let stored = offsets.iter().zip(&counts).take(count).map(|(offset, count)| *offset > 0 && *count > 0).collect();
        Ok(Self { size, across, stored })
    }

    /// What unpacking takes of memory, for so many numbers in a row of blocks: they are unpacked, and copied together.
    fn need(numbers: usize, layout: &RasterLayout) -> Need {
        Need::of("unpacking the heights of the file", numbers, 2.0 * layout.bytes_per_sample as f64)
    }

    /// The fewest bytes of the file that can stand for one height, by how well its packing packs.
    fn least_bytes(&self, image: &Ifd, layout: &RasterLayout) -> f64 {
        let best = match image.compression() {
            1 => 1.0,
            32773 => 64.0,
            5 => 3000.0,
            8 | 32946 => 1032.0,
            // Others may write a whole block of one height in a few bytes.
            _ => (self.size.0 * self.size.1) as f64,
        };
        let stored = self.stored.iter().filter(|stored| **stored).count() as f64 / self.stored.len().max(1) as f64;
        stored * f64::from(layout.bits_per_sample) / 8.0 / best / self.padding(layout)
    }

    /// How many more pixels the blocks have than the picture.
    fn padding(&self, layout: &RasterLayout) -> f64 {
        let (rows, pixels) = (self.stored.len() / self.across, layout.width * layout.height);
        (self.across * self.size.0) as f64 * (rows * self.size.1) as f64 / pixels as f64
    }

    /// Takes away the zeros that stand for blocks left out.
    fn clear_missing(&self, heights: &mut Array2<f32>) {
        let (rows, cols) = heights.dim();
        for block in (0..self.stored.len()).filter(|block| !self.stored[*block]) {
            let (west, north) = (block % self.across * self.size.0, block / self.across * self.size.1);
            let (east, south) = ((west + self.size.0).min(cols), (north + self.size.1).min(rows));
            heights.slice_mut(ndarray::s![north..south, west..east]).fill(f32::NAN);
        }
    }
}

struct Reading<'a> {
    tiff: &'a TiffFile,
    path: &'a Path,
}

impl Reading<'_> {
    /// Gives every number of a band with its row and column to `take`.
    fn band(
        &self,
        image: &Ifd,
        layout: &RasterLayout,
        blocks: &Blocks,
        band: usize,
        take: impl FnMut((usize, usize), f64) -> Result<(), TerrainError>,
    ) -> Result<(), TerrainError> {
        let step = blocks.size.1 * (AT_ONCE / (layout.width * blocks.size.1)).max(1);
        let part = Part { reading: self, image, layout, band, step };
        match (layout.sample_format, layout.bits_per_sample) {
            (1, 1..=8) => part.each::<u8>(f64::from, take),
            (1, 9..=16) => part.each::<u16>(f64::from, take),
            (1, 32) => part.each::<u32>(f64::from, take),
            (1, 64) => part.each::<u64>(|v| v as f64, take),
            (2, 8) => part.each::<i8>(f64::from, take),
            (2, 16) => part.each::<i16>(f64::from, take),
            (2, 32) => part.each::<i32>(f64::from, take),
            (2, 64) => part.each::<i64>(|v| v as f64, take),
            (3, 32) => part.each::<f32>(f64::from, take),
            (3, 64) => part.each::<f64>(|v| v, take),
            (_, bits) => {
                let expected = "whole numbers of 1 to 64 bits, or fractions of 32 or 64 bits";
                Err(TerrainError::content(self.path, expected, format!("another type of {bits} bits")))
            }
        }
    }
}

/// A band, read some rows of blocks at a time.
struct Part<'a> {
    reading: &'a Reading<'a>,
    image: &'a Ifd,
    layout: &'a RasterLayout,
    band: usize,
    step: usize,
}

impl Part<'_> {
    fn each<T: TiffSample + Copy>(
        &self,
        number: impl Fn(T) -> f64,
        mut take: impl FnMut((usize, usize), f64) -> Result<(), TerrainError>,
    ) -> Result<(), TerrainError> {
        let (rows, cols) = (self.layout.height, self.layout.width);
        for top in (0..rows).step_by(self.step) {
            let deep = self.step.min(rows - top);
            let window = self.reading.tiff.read_band_window_from_ifd::<T>(self.image, self.band, top, 0, deep, cols);
            let window = window.map_err(wrong(self.reading.path))?;
            for (i, value) in window.iter().enumerate() {
                take((top + i / cols, i % cols), number(*value))?;
            }
        }
        Ok(())
    }
}
