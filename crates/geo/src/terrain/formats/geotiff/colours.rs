//! Reader of colours in a TIFF or GeoTIFF: one to four bands of 8 or 16 bits, palettes, and JPEG
//! compression.

use std::path::Path;

use tiff_reader::{ColorModel, ExtraSample, Ifd, RasterLayout};

use super::blocks::{Blocks, Reading};
use super::said::Said;
use super::{File, check_kind, mask_of, source_of, with_file, wrong};
use crate::map::Crs;
use crate::terrain::TerrainError;
use crate::terrain::formats::sidecar::Sidecars;
use crate::terrain::photo::{Photo, check_size};

/// Memory in bytes per pixel for decompression, in addition to the resulting picture: the pixel as
/// stored in the file, and its colour.
const BYTES_A_PIXEL: f64 = 4.0;

/// Reads the colours of the TIFF or GeoTIFF at `path`.
///
/// # Errors
/// [`TerrainError::Content`] for a file that is no TIFF of colours; its size is checked before
/// memory is reserved.
pub(in crate::terrain) fn read(path: &Path) -> Result<Photo, TerrainError> {
    let sidecars = Sidecars::read(path)?;
    with_file(source_of(path)?, path, |file| file.colours(&sidecars))
}

impl File<'_> {
    fn colours(self, sidecars: &Sidecars) -> Result<Photo, TerrainError> {
        let Self {
            tiff, place, path, ..
        } = &self;
        let image = tiff.ifd(place.image).map_err(wrong(path))?;
        check_kind(image, path)?;
        let layout = image.raster_layout().map_err(wrong(path))?;
        let size = [layout.width, layout.height];
        let pixels = check_size(path, size, BYTES_A_PIXEL)?;
        let channels = Channels::read(image, path)?;
        let blocks = Blocks::new(tiff, image, &layout, path)?;
        let mut rgba = Vec::with_capacity(4 * pixels);
        for top in (0..layout.height).step_by(blocks.rows_at_once(&layout)) {
            let deep = blocks.rows_at_once(&layout).min(layout.height - top);
            let bytes = tiff.read_decoded_window_bytes_from_ifd(image, top, 0, deep, layout.width);
            channels.add(&bytes.map_err(wrong(path))?, &mut rgba);
        }
        let none = sidecars.no_data.or(Said::read(image, path)?.no_data);
        self.hide_no_data((image, none), (&layout, &blocks), &mut rgba)?;
        let photo = Photo {
            size,
            rgba,
            place: None,
        };
        let own = (
            place.transform,
            Crs::from_geo_keys(place.keys.iter().cloned()),
        );
        photo.with(sidecars, own, place.points.max(sidecars.points), path)
    }

    /// Sets the opacity to 0 in `rgba` (four bytes per pixel, row-major) for pixels with the
    /// no-data value `none`, and for pixels that a mask hides.
    fn hide_no_data(
        &self,
        (image, none): (&Ifd, Option<f64>),
        (layout, blocks): (&RasterLayout, &Blocks),
        rgba: &mut [u8],
    ) -> Result<(), TerrainError> {
        let Self { tiff, path, .. } = self;
        let reading = Reading {
            tiff,
            path,
            half: false,
        };
        if let Some(none) = none {
            // A colour counts as no data only if all its bands hold the number.
            let bands = if layout.samples_per_pixel < 3 { 1 } else { 3 };
            let mut counts = vec![0_u8; layout.width * layout.height];
            for band in 0..bands {
                reading.band(image, layout, blocks, band, |(row, column), value| {
                    counts[row * layout.width + column] += u8::from(value == none);
                    Ok(())
                })?;
            }
            let all = |count: &u8| usize::from(*count) == bands;
            rgba.chunks_exact_mut(4)
                .zip(&counts)
                .filter(|(_, count)| all(count))
                .for_each(|(pixel, _)| pixel[3] = 0);
        }
        if let Some(mask) = mask_of(tiff, image) {
            check_kind(mask, path)?;
            let layout = mask.raster_layout().map_err(wrong(path))?;
            let blocks = Blocks::new(tiff, mask, &layout, path)?;
            reading.band(mask, &layout, &blocks, 0, |(row, column), value| {
                if value == 0.0 {
                    rgba[4 * (row * layout.width + column) + 3] = 0;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Channels of a pixel: their number, size and meaning.
struct Channels {
    /// Number of channels (numbers) per pixel of a TIFF.
    count: usize,
    /// Size of one channel of a pixel in bytes.
    bytes: usize,
    /// Set if the first three channels of a pixel are red, green and blue; otherwise the first
    /// channel is a grey level.
    colour: bool,
    /// Index of the channel that is the opacity; `None` if pixels are opaque.
    alpha: Option<usize>,
}

impl Channels {
    fn read(image: &Ifd, path: &Path) -> Result<Self, TerrainError> {
        let refuse = |found: &str| {
            let expected = "a picture of eight bits in gray, colours or a palette";
            let mend = "convert it, for example with gdal_translate -ot Byte -scale -b 1 -b 2 -b 3";
            Err(TerrainError::content(
                path,
                expected,
                format!("{found}; {mend}"),
            ))
        };
        let decoded = image.decoded_raster_layout().map_err(wrong(path))?;
        let model = image.color_model().map_err(wrong(path))?;
        let (colours, extra) = match &model {
            ColorModel::Grayscale { extra_samples, .. } => (1, extra_samples),
            ColorModel::Palette { extra_samples, .. }
            | ColorModel::Rgb { extra_samples }
            | ColorModel::YCbCr { extra_samples, .. } => (3, extra_samples),
            _ => return refuse("colours of a printer or a laboratory"),
        };
        let of_palette = matches!(model, ColorModel::Palette { .. });
        if decoded.sample_format != 1 || !(decoded.bits_per_sample == 8 || of_palette) {
            return refuse(&format!("numbers of {} bits", decoded.bits_per_sample));
        }
        let is_alpha = |extra: &ExtraSample| {
            matches!(
                extra,
                ExtraSample::AssociatedAlpha | ExtraSample::UnassociatedAlpha
            )
        };
        let alpha = extra.iter().position(is_alpha).map(|at| colours + at);
        let bytes = if decoded.bits_per_sample == 8 { 1 } else { 2 };
        // From three bands on, bands without a declared meaning are colours.
        let colour = colours == 3 || alpha.unwrap_or(decoded.samples_per_pixel) >= 3;
        Ok(Self {
            count: decoded.samples_per_pixel,
            bytes,
            colour,
            alpha,
        })
    }

    /// Converts `pixels`, consecutive pixels as stored in the file, to RGBA and appends the result
    /// to `rgba`.
    fn add(&self, pixels: &[u8], rgba: &mut Vec<u8>) {
        // The higher of two bytes, which are in the order of this machine.
        let high = if cfg!(target_endian = "little") {
            self.bytes - 1
        } else {
            0
        };
        for pixel in pixels.chunks_exact(self.count * self.bytes) {
            let number = |channel: usize| pixel[channel * self.bytes + high];
            let [red, green, blue] = if self.colour { [0, 1, 2] } else { [0; 3] }.map(number);
            rgba.extend([red, green, blue, self.alpha.map_or(255, number)]);
        }
    }
}
