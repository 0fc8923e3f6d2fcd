//! Repair of TIFF directories that the reader would interpret differently from libtiff.

use tiff_reader::source::TiffSource;

use super::directory::{
    BITS, COMPRESSION, Entry, Form, HEIGHT, PLANAR, PREDICTOR, ROWS_PER_STRIP, SAMPLE_FORMAT,
    SAMPLES, STRIP_COUNTS, STRIP_OFFSETS, TILE_COUNTS, TILE_HEIGHT, TILE_OFFSETS, TILE_WIDTH,
    WIDTH,
};

/// Codes of the compressions that use the predictor tag: LZW, Deflate (two codes), LZMA and ZSTD.
/// All other compressions ignore the tag.
const PREDICTING: [u64; 5] = [5, 8, 32946, 34925, 50000];

const UNPACKED: u64 = 1;
const FLOATS: u64 = 3;

/// Ratio of compressed to decompressed size of a block that the TIFF reader accepts at most.
const MOST_PACKED: u64 = 4;
/// Number of bytes by which a compressed block may exceed `MOST_PACKED` times its decompressed
/// size.
const SPARE: u64 = 4096;

/// TIFF directory that is being repaired.
pub(super) struct Mending<'a> {
    pub(super) source: &'a dyn TiffSource,
    pub(super) form: Form,
    pub(super) entries: &'a mut Vec<Entry>,
}

impl Mending<'_> {
    /// Carries out all repairs of the directory. Returns true if the heights are 16-bit floats; the
    /// repaired directory then declares them as 16-bit integers, so that the reader returns their
    /// bits.
    pub(super) fn mend(&mut self) -> bool {
        let packing = self.first(COMPRESSION).unwrap_or(UNPACKED);
        if !PREDICTING.contains(&packing) {
            self.entries.retain(|entry| entry.tag != PREDICTOR);
        }
        self.estimate_counts(packing, [STRIP_OFFSETS, STRIP_COUNTS]);
        self.estimate_counts(packing, [TILE_OFFSETS, TILE_COUNTS]);
        self.name_half_floats()
    }

    fn numbers(&self, tag: u16) -> Option<Vec<u64>> {
        self.entries
            .iter()
            .find(|entry| entry.tag == tag)?
            .numbers(self.source, self.form)
    }

    fn first(&self, tag: u16) -> Option<u64> {
        self.numbers(tag)?.first().copied()
    }

    fn replace(&mut self, new: Entry) {
        self.entries.retain(|entry| entry.tag != new.tag);
        self.entries.push(new);
    }

    fn name_half_floats(&mut self) -> bool {
        let all = |numbers: Option<Vec<u64>>, wanted: u64| {
            numbers.filter(|numbers| {
                !numbers.is_empty() && numbers.iter().all(|number| *number == wanted)
            })
        };
        let Some(formats) = all(self.numbers(SAMPLE_FORMAT), FLOATS) else {
            return false;
        };
        if all(self.numbers(BITS), 16).is_none() {
            return false;
        }
        self.replace(Entry::of_short(SAMPLE_FORMAT, 1, formats.len(), self.form));
        true
    }

    /// Fills in missing lengths of blocks: the decompressed size for uncompressed blocks
    /// (compression code `packing` = 1), otherwise the distance to the next block. `offsets`,
    /// `counts`: ids of the tags with the positions and the lengths of the blocks.
    fn estimate_counts(&mut self, packing: u64, [offsets, counts]: [u16; 2]) {
        let Some(places) = self.numbers(offsets) else {
            return;
        };
        let lengths = self.numbers(counts).unwrap_or_default();
        let length = |block: usize| lengths.get(block).copied().unwrap_or(0);
        if places
            .iter()
            .enumerate()
            .all(|(block, place)| *place == 0 || length(block) > 0)
        {
            return;
        }
        let mut ends = places.clone();
        ends.sort_unstable();
        let estimated = |block: usize, place: u64| {
            let whole = self.block_bytes(block, offsets == TILE_OFFSETS);
            let next = ends[ends.partition_point(|end| *end <= place)..]
                .first()
                .copied();
            let room = next.unwrap_or(self.source.len()).saturating_sub(place);
            if packing == UNPACKED {
                whole
            } else {
                room.min(whole.saturating_mul(MOST_PACKED).saturating_add(SPARE))
            }
        };
        let found = places
            .iter()
            .enumerate()
            .map(|(block, place)| match (length(block), *place) {
                (0, 0) => 0,
                (0, place) => estimated(block, place),
                (length, _) => length,
            });
        let found: Vec<u64> = found.collect();
        self.replace(Entry::of_numbers(
            counts,
            self.form.offset_kind(),
            &found,
            self.form,
        ));
    }

    /// Returns the decompressed size in bytes of the block with the index `block`. `tiled`: the
    /// blocks are tiles, otherwise strips.
    fn block_bytes(&self, block: usize, tiled: bool) -> u64 {
        let of = |tag: u16, otherwise: u64| self.first(tag).unwrap_or(otherwise);
        let height = of(HEIGHT, 0);
        let (wide, deep) = if tiled {
            (of(TILE_WIDTH, 0), of(TILE_HEIGHT, 0))
        } else {
            let rows = of(ROWS_PER_STRIP, height).clamp(1, height.max(1));
            let above = (block as u64 % height.div_ceil(rows).max(1)) * rows;
            (of(WIDTH, 0), rows.min(height.saturating_sub(above)))
        };
        let bands = if of(PLANAR, 1) == 1 {
            of(SAMPLES, 1)
        } else {
            1
        };
        let bits = wide.saturating_mul(bands).saturating_mul(of(BITS, 1));
        bits.div_ceil(8).saturating_mul(deep)
    }
}
