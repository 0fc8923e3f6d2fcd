//! Aerial pictures of the land, such as orthophotos and land cover maps: PNG, JPEG, WebP, GIF, TIFF
//! and GeoTIFF.

use std::io::BufRead;
use std::path::Path;

use geotiff_reader::transform::GeoTransform;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use jpeg_decoder::{Decoder, PixelFormat};

use super::error::MAX_SAMPLES;
use super::formats::sidecar::Sidecars;
use super::formats::{geotiff, open_as, png};
use super::{Crs, TerrainError};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input;

/// Description of the files that can be read as pictures, for messages.
const EXPECTED: &str = "a picture (PNG, JPEG, WebP, GIF, TIFF or GeoTIFF)";

/// Upper bound in bytes on the memory for a picture's text chunks and colour profile, and for the
/// working memory of its decoder.
const BESIDE: u64 = 1 << 26;

/// Memory in bytes per pixel that the JPEG decoder needs in addition to the colours.
const BYTES_A_JPEG_PIXEL: f64 = 12.0;

/// Picture with colours and opacity, and its georeference if the file states one.
pub struct Photo {
    /// Number of columns and number of rows of the picture, in pixels.
    pub size: [usize; 2],
    /// Four bytes per pixel, row-major from the top: sRGB, and opacity (alpha not premultiplied).
    pub rgba: Vec<u8>,
    /// Georeference of the picture; `None` if the file has none.
    pub place: Option<Place>,
}

/// Georeference of a picture: coordinate system and affine transform.
pub struct Place {
    pub(super) transform: GeoTransform,
    /// Coordinate system of the map on which the picture lies.
    pub crs: Crs,
}

impl Place {
    /// Returns the position [column, row] in pixels, from the upper left corner, of the map point
    /// [`x`, `y`]; `None` if the transform cannot be inverted.
    pub fn pixel_of(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        self.transform
            .geo_to_pixel(x, y)
            .map(|(column, row)| [column, row])
    }

    /// Returns the map point [x, y] at the position [`column`, `row`] in pixels from the upper left
    /// corner.
    pub fn point_of(&self, [column, row]: [f64; 2]) -> [f64; 2] {
        let (x, y) = self.transform.pixel_to_geo(column, row);
        [x, y]
    }
}

/// Reads the picture at `path`; its first bytes select the format.
///
/// # Errors
/// [`TerrainError::Read`] and [`TerrainError::Content`] for a file that is not a picture;
/// [`TerrainError::Memory`] for a picture that would need more memory than allowed, which is
/// checked before decoding.
pub fn read(path: &Path) -> Result<Photo, TerrainError> {
    input::guard(|| decoded(path)).map_err(TerrainError::input(path))?
}

fn decoded(path: &Path) -> Result<Photo, TerrainError> {
    let (mut file, _) = open_as(&input::DRAPE, path)?;
    let start = file.fill_buf().map_err(TerrainError::read(path))?;
    if geotiff::recognises(start) {
        return geotiff::read_colours(path).map_err(|error| match error {
            // The reader of TIFF files words its errors for heights.
            TerrainError::Content {
                path,
                found,
                expected,
            } if expected.contains("heights") => TerrainError::content(&path, EXPECTED, found),
            other => other,
        });
    }
    if start.starts_with(png::SIGNATURE) {
        png::weigh_chunks(&mut file, path)?;
    }
    let start = file.fill_buf().map_err(TerrainError::read(path))?;
    let (size, rgba) = match start.starts_with(&[0xff, 0xd8, 0xff]) {
        true => jpeg(file, path)?,
        false => picture(file, path)?,
    };
    Photo {
        size,
        rgba,
        place: None,
    }
    .with(&Sidecars::read(path)?, (None, Crs::default()), 0, path)
}

impl Photo {
    /// Returns the picture with a georeference, from the sidecar files or else from the file itself
    /// (`own`); pixels that a mask file hides become transparent. `points`: number of control
    /// points in the file.
    pub(super) fn with(
        mut self,
        sidecars: &Sidecars,
        own: (Option<GeoTransform>, Crs),
        points: usize,
        path: &Path,
    ) -> Result<Self, TerrainError> {
        let [cols, rows] = self.size;
        if let Some(mask) = &sidecars.mask {
            geotiff::with_mask(mask, (path, (rows, cols)), |(row, col)| {
                self.rgba[4 * (row * cols + col) + 3] = 0
            })?;
        }
        let (transform, _) = sidecars.place(own.0);
        if transform.is_none() && points.max(sidecars.points) > 1 {
            let found = "control points, between which it may be bent; bring it onto a grid, for example with gdalwarp -tps";
            return Err(TerrainError::content(
                path,
                "a picture on the grid of its map",
                found,
            ));
        }
        let crs = sidecars.system(own.1);
        self.place = transform.map(|transform| Place { transform, crs });
        Ok(self)
    }
}

/// Checks the `size` (columns, rows) of a picture against the largest allowed and the memory limit.
/// Returns the number of pixels. `decoder`: memory of the decoder in bytes per pixel, in addition
/// to four bytes of the picture.
pub(super) fn check_size(
    path: &Path,
    size: [usize; 2],
    decoder: f64,
) -> Result<usize, TerrainError> {
    let most = format!("a picture of at most {MAX_SAMPLES} pixels");
    let found = || {
        format!(
            "{} × {}; make it smaller, for example with gdal_translate -outsize 25% 0",
            size[0], size[1]
        )
    };
    let pixels = size[0]
        .checked_mul(size[1])
        .filter(|pixels| (1..=MAX_SAMPLES).contains(pixels));
    let pixels = pixels.ok_or_else(|| TerrainError::content(path, most, found()))?;
    MemoryEstimate::new("the picture over the ground", pixels, 4.0 + decoder)
        .check("make it smaller, for example with gdal_translate -outsize 25% 0")
        .map_err(TerrainError::memory(path))?;
    Ok(pixels)
}

fn wrong<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> TerrainError {
    move |error| TerrainError::content(path, EXPECTED, error.to_string())
}

/// Decodes a PNG, a WebP, or the first frame of a GIF. Returns its size in pixels and RGBA bytes.
fn picture<'a>(
    file: impl BufRead + std::io::Seek + 'a,
    path: &Path,
) -> Result<([usize; 2], Vec<u8>), TerrainError> {
    let mut reader = ImageReader::new(file)
        .with_guessed_format()
        .map_err(TerrainError::read(path))?;
    if !matches!(
        reader.format(),
        Some(ImageFormat::Png | ImageFormat::WebP | ImageFormat::Gif)
    ) {
        return Err(TerrainError::content(
            path,
            EXPECTED,
            "another kind of file",
        ));
    }
    let limits = |bytes: u64| {
        let mut limits = Limits::default();
        limits.max_alloc = Some(bytes);
        limits
    };
    reader.limits(limits(BESIDE));
    let mut decoder = reader.into_decoder().map_err(wrong(path))?;
    let size = <[u32; 2]>::from(decoder.dimensions()).map(|side| side as usize);
    let pixels = size[0].saturating_mul(size[1]).max(1);
    check_size(path, size, decoder.total_bytes() as f64 / pixels as f64)?;
    decoder
        .set_limits(limits(
            decoder
                .total_bytes()
                .saturating_mul(2)
                .saturating_add(BESIDE),
        ))
        .map_err(wrong(path))?;
    let picture = DynamicImage::from_decoder(decoder).map_err(wrong(path))?;
    Ok((size, picture.into_rgba8().into_raw()))
}

fn jpeg(file: impl std::io::Read, path: &Path) -> Result<([usize; 2], Vec<u8>), TerrainError> {
    let mut decoder = Decoder::new(file);
    decoder.read_info().map_err(wrong(path))?;
    let info = decoder
        .info()
        .ok_or_else(|| wrong(path)("a JPEG without a size"))?;
    let size = [info.width, info.height].map(usize::from);
    let pixels = check_size(path, size, BYTES_A_JPEG_PIXEL)?;
    let channels = match info.pixel_format {
        PixelFormat::L8 => 1,
        PixelFormat::RGB24 => 3,
        _ => {
            return Err(wrong(path)(
                "a JPEG for printers; save it in the colours of screens (sRGB)",
            ));
        }
    };
    decoder.set_max_decoding_buffer_size(channels * pixels);
    let bytes = decoder.decode().map_err(wrong(path))?;
    let rgba = |pixel: &[u8]| [pixel[0], pixel[channels / 2], pixel[channels - 1], 255];
    Ok((size, bytes.chunks_exact(channels).flat_map(rgba).collect()))
}
