//! Blocks (strips or tiles) of a TIFF, decompressed a few rows at a time.

use std::path::Path;

use ndarray::Array2;
use tiff_reader::{ByteOrder, Ifd, RasterLayout, TiffFile, TiffSample};

use super::{lerc, wrong};
use crate::terrain::TerrainError;
use crate::terrain::encoding::half;
use crate::terrain::error::MAX_SAMPLES;
use lavoxel_base::memory::MemoryEstimate;

/// Upper bound on the size of a decompressed block in bytes: a strip may contain the largest
/// heightmap as numbers of 8 bytes.
pub(super) const LARGEST_BLOCK: usize = 8 * MAX_SAMPLES;

/// Upper bound on the number of pixels of a tile that extends beyond the picture.
const LARGEST_TILE: usize = 1 << 24;

/// Number of heights that are decompressed at a time; exceeded only if a single row of blocks has
/// more heights.
const AT_ONCE: usize = 1 << 20;

/// Arrangement of the blocks (strips or tiles) of a TIFF picture.
pub(super) struct Blocks {
    /// Columns and rows of a block of a TIFF picture, in pixels.
    size: (usize, usize),
    /// Number of blocks in a row of blocks, from the west to the east side of the picture.
    across: usize,
    /// For each block of the first band, true if the file contains it; sparse files omit blocks.
    stored: Vec<bool>,
}

impl Blocks {
    pub(super) fn new(
        tiff: &TiffFile,
        image: &Ifd,
        layout: &RasterLayout,
        path: &Path,
    ) -> Result<Self, TerrainError> {
        let side = |side: Option<u32>| side.unwrap_or(0) as usize;
        let (size, offsets, counts) = if image.is_tiled() {
            let size = (side(image.tile_width()), side(image.tile_height()));
            (size, image.tile_offsets(), image.tile_byte_counts())
        } else {
            let rows = (image.rows_per_strip() as usize).min(layout.height);
            (
                (layout.width, rows),
                image.strip_offsets(),
                image.strip_byte_counts(),
            )
        };
        let bands = if layout.planar_configuration == 1 {
            layout.samples_per_pixel
        } else {
            1
        };
        let bytes = [size.0, size.1, bands, layout.bytes_per_sample]
            .into_iter()
            .try_fold(1, usize::checked_mul);
        // A tile may be larger than a small picture, within a limit.
        let fits = size.0.saturating_mul(size.1) <= LARGEST_TILE.max(layout.width * layout.height);
        let Some(bytes) = bytes.filter(|bytes| fits && (1..=LARGEST_BLOCK).contains(bytes)) else {
            let found = format!(
                "blocks of {} × {} pixels with {bands} bands",
                size.0, size.1
            );
            return Err(TerrainError::content(
                path,
                "strips or tiles of a heightmap",
                found,
            ));
        };
        let across = layout.width.div_ceil(size.0);
        let count = across.saturating_mul(layout.height.div_ceil(size.1));
        let (offsets, counts) = (offsets.unwrap_or_default(), counts.unwrap_or_default());
        if offsets.len() < count || counts.len() < count {
            let found = offsets.len().min(counts.len());
            return Err(TerrainError::content(
                path,
                format!("a table of {count} strips or tiles"),
                found.to_string(),
            ));
        }
        let packed = counts
            .iter()
            .take(count)
            .max()
            .map_or(0, |most| most.saturating_mul(across as u64));
        Self::need(
            across * size.0 * size.1 * bands,
            packed.min(tiff.source().len()),
            image,
            layout,
        )
        .check("keep the heights in smaller strips or tiles")
        .map_err(TerrainError::memory(path))?;
        lerc::check(tiff, image, bytes, path)?;
        let stored = offsets
            .iter()
            .zip(&counts)
            .take(count)
            .map(|(offset, count)| *offset > 0 && *count > 0)
            .collect();
        Ok(Self {
            size,
            across,
            stored,
        })
    }

    /// Estimates the memory of all heights of `image` and of their decompression. `numbers`: number
    /// of values in a row of blocks; `packed`: upper bound on the compressed size of a row of
    /// blocks in bytes.
    fn need(numbers: usize, packed: u64, image: &Ifd, layout: &RasterLayout) -> MemoryEstimate {
        let all = layout.width * layout.height;
        // The decoder of LERC has lists of its own, and a mask.
        let copies = if image.compression() == lerc::LERC {
            4.0
        } else {
            2.0
        };
        let unpacked = numbers.max(all.min(AT_ONCE));
        MemoryEstimate::new(
            "unpacking the heights of the file",
            unpacked,
            copies * layout.bytes_per_sample as f64,
        )
        .and(MemoryEstimate::new(
            "a row of packed blocks",
            packed as usize,
            2.0,
        ))
        .and(MemoryEstimate::new("the heights of the file", all, 4.0))
    }

    /// Returns a lower bound on the file's bytes per height: the size of a number divided by the
    /// best possible compression ratio, reduced for omitted blocks and for padding at the sides.
    pub(super) fn least_bytes(&self, image: &Ifd, layout: &RasterLayout) -> f64 {
        let best = match image.compression() {
            1 => 1.0,
            32773 => 64.0,
            5 => 3000.0,
            8 | 32946 => 1032.0,
            // Some programs write a whole block of one height in a few bytes.
            _ => (self.size.0 * self.size.1) as f64,
        };
        let stored = self.stored.iter().filter(|stored| **stored).count() as f64
            / self.stored.len().max(1) as f64;
        stored * f64::from(layout.bits_per_sample) / 8.0 / best / self.padding(layout)
    }

    /// Returns the ratio of the pixels in all blocks to the pixels of the picture, at least 1:
    /// blocks at the sides extend beyond the picture.
    fn padding(&self, layout: &RasterLayout) -> f64 {
        let (rows, pixels) = (
            self.stored.len() / self.across,
            layout.width * layout.height,
        );
        (self.across * self.size.0) as f64 * (rows * self.size.1) as f64 / pixels as f64
    }

    /// Returns the number of rows of pixels that are decompressed at a time: those of one or more
    /// whole rows of blocks.
    pub(super) fn rows_at_once(&self, layout: &RasterLayout) -> usize {
        self.size.1 * (AT_ONCE / (layout.width * self.size.1)).max(1)
    }

    /// Sets the heights in blocks that the file omits to NaN; the decoder has returned zeros for
    /// these blocks.
    pub(super) fn clear_missing(&self, heights: &mut Array2<f32>) {
        let (rows, cols) = heights.dim();
        for block in (0..self.stored.len()).filter(|block| !self.stored[*block]) {
            let (west, north) = (
                block % self.across * self.size.0,
                block / self.across * self.size.1,
            );
            let (east, south) = (
                (west + self.size.0).min(cols),
                (north + self.size.1).min(rows),
            );
            heights
                .slice_mut(ndarray::s![north..south, west..east])
                .fill(f32::NAN);
        }
    }
}

pub(super) struct Reading<'a> {
    pub(super) tiff: &'a TiffFile,
    pub(super) path: &'a Path,
    /// Set if the file's numbers are 16-bit floats, which the directory declares as 16-bit integers
    /// so that their bits are read.
    pub(super) half: bool,
}

impl Reading<'_> {
    /// Calls `take` with the position (row, column) and the value of every pixel of the band with
    /// the index `band`.
    pub(super) fn band(
        &self,
        image: &Ifd,
        layout: &RasterLayout,
        blocks: &Blocks,
        band: usize,
        take: impl FnMut((usize, usize), f64) -> Result<(), TerrainError>,
    ) -> Result<(), TerrainError> {
        let step = blocks.rows_at_once(layout);
        // libtiff swaps the bytes of numbers before packing by LERC, which stores numbers in its
        // own order.
        let turned =
            image.compression() == lerc::LERC && self.tiff.byte_order() == ByteOrder::BigEndian;
        let part = BandReader {
            reading: self,
            image,
            layout,
            band,
            step,
            turned,
        };
        match (layout.sample_format, layout.bits_per_sample) {
            (1, 1..=8) => part.each::<u8>(f64::from, take),
            (1, 16) if self.half => part.each::<u16>(half, take),
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
                let expected = "whole numbers of 1 to 64 bits, or fractions of 16, 32 or 64 bits";
                Err(TerrainError::content(
                    self.path,
                    expected,
                    format!("another type of {bits} bits"),
                ))
            }
        }
    }
}

/// Reader of one band of a TIFF that decompresses a few rows of pixels at a time.
struct BandReader<'a> {
    reading: &'a Reading<'a>,
    image: &'a Ifd,
    layout: &'a RasterLayout,
    band: usize,
    step: usize,
    /// Set if the byte order of decompressed values must be reversed.
    turned: bool,
}

/// Type of number whose byte order can be reversed.
trait Bytes: TiffSample + Copy {
    fn turned(self) -> Self;
}

macro_rules! bytes {
    ($($whole:ty)+; $($float:ty)+) => {
        $(impl Bytes for $whole {
            fn turned(self) -> Self {
                self.swap_bytes()
            }
        })+
        $(impl Bytes for $float {
            fn turned(self) -> Self {
                Self::from_bits(self.to_bits().swap_bytes())
            }
        })+
    };
}

bytes!(u8 i8 u16 i16 u32 i32 u64 i64; f32 f64);

impl BandReader<'_> {
    fn each<T: Bytes>(
        &self,
        number: impl Fn(T) -> f64,
        mut take: impl FnMut((usize, usize), f64) -> Result<(), TerrainError>,
    ) -> Result<(), TerrainError> {
        let (rows, cols) = (self.layout.height, self.layout.width);
        for top in (0..rows).step_by(self.step) {
            let deep = self.step.min(rows - top);
            let window = self
                .reading
                .tiff
                .read_band_window_from_ifd::<T>(self.image, self.band, top, 0, deep, cols);
            let window = window.map_err(wrong(self.reading.path))?;
            for (i, value) in window.iter().enumerate() {
                take(
                    (top + i / cols, i % cols),
                    number(if self.turned { value.turned() } else { *value }),
                )?;
            }
        }
        Ok(())
    }
}
