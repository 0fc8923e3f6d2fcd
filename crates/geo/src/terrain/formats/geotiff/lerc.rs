//! Check of LERC blocks in a TIFF before these are decompressed.
//!
//! The decoder trusts the sizes in a block of the first version of LERC, so that 200 bytes can take
//! 750 MB; those in a block of the second version it compares with the TIFF. The first version does
//! not occur in TIFF files and is rejected.

use std::path::Path;

use tiff_core::LercAdditionalCompression;
use tiff_reader::{Ifd, TiffFile};

use crate::terrain::TerrainError;
use lavoxel_base::memory::MemoryEstimate;

pub(super) const LERC: u16 = 34887;

/// First bytes of a block of LERC version 1.
const FIRST_VERSION: &[u8] = b"CntZImage";

/// Largest memory in bytes that the decoder was seen to use for sizes that it does not compare with
/// the TIFF.
const DECODER_MOST: f64 = 800e6;

/// Number of bytes up to which a block may be longer than eight times its decoded size; the decoder
/// rejects longer blocks.
const SPARE: u64 = 1 << 16;

/// Rejects blocks for which the decoder could need more memory than the heights; `block_bytes`:
/// size of a decompressed block. No effect for other compressions.
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
