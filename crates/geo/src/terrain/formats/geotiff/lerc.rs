//! Check of LERC blocks in a TIFF before these are decompressed.
//!
//! The decoder does not check the sizes that a block of LERC version 1 states, so that 200 bytes
//! can make it use 750 MB. Version 1 does not occur in TIFF files and is rejected. In version 2,
//! the decoder compares the sizes with those of the TIFF.

use std::path::Path;

use tiff_core::LercAdditionalCompression;
use tiff_reader::{Ifd, TiffFile};

use crate::terrain::TerrainError;
use lavoxel_base::memory::MemoryEstimate;

pub(super) const LERC: u16 = 34887;

/// First bytes of a block of LERC version 1.
const FIRST_VERSION: &[u8] = b"CntZImage";

/// Largest memory in bytes that the decoder was observed to use for a LERC block, for those sizes
/// in the block which the decoder does not compare with the TIFF.
const DECODER_MOST: f64 = 800e6;

/// Number of bytes by which a compressed block may exceed eight times its decoded size; the decoder
/// rejects longer blocks.
const SPARE: u64 = 1 << 16;

/// Checks that no LERC block needs more memory for decoding than the heights; `block_bytes`: size
/// of a decompressed block. Other compressions pass.
///
/// # Errors
/// [`TerrainError::Content`] for the first version of LERC. Blocks that are packed once more cannot
/// be inspected: [`TerrainError::Memory`] where the limit does not allow the worst case.
pub(super) fn check(
    tiff: &TiffFile,
    image: &Ifd,
    block_bytes: usize,
    path: &Path,
) -> Result<(), TerrainError> {
    if image.compression() != LERC {
        return Ok(());
    }
    let wrong = |found: String| TerrainError::content(path, "a TIFF or GeoTIFF of heights", found);
    let parameters = image
        .lerc_parameters()
        .map_err(|error| wrong(error.to_string()))?;
    if parameters.is_some_and(|p| p.additional_compression != LercAdditionalCompression::None) {
        return MemoryEstimate::new("LERC in another packing", 1, DECODER_MOST)
            .check("pack the file otherwise, for example with gdal_translate -co COMPRESS=DEFLATE")
            .map_err(TerrainError::memory(path));
    }
    let (offsets, counts) = if image.is_tiled() {
        (image.tile_offsets(), image.tile_byte_counts())
    } else {
        (image.strip_offsets(), image.strip_byte_counts())
    };
    let (source, most) = (tiff.source(), 8 * block_bytes as u64 + SPARE);
    for (offset, count) in offsets
        .into_iter()
        .flatten()
        .zip(counts.into_iter().flatten())
    {
        let there = count.min(most).min(source.len().saturating_sub(offset)) as usize;
        let block = source
            .read_exact_at(offset, there)
            .map_err(|error| wrong(error.to_string()))?;
        // Bits may be in reverse order (FillOrder), which the decoder reverses.
        let is_first = |bytes: &[u8]| {
            let turned = || {
                bytes
                    .iter()
                    .zip(FIRST_VERSION)
                    .all(|(found, byte)| found.reverse_bits() == *byte)
            };
            bytes == FIRST_VERSION || turned()
        };
        if block.windows(FIRST_VERSION.len()).any(is_first) {
            return Err(wrong("the first version of LERC".to_owned()));
        }
    }
    Ok(())
}
