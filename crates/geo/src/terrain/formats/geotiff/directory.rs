//! Reader of the directories of a TIFF, which checks the memory of their values in advance.
//!
//! In a malicious file, thousands of tags may share one long value, and one directory may refer to
//! thousands of others, so that a reader that stores everything needs gigabytes for a file of a few
//! kilobytes. [`walk`] reads the directories in small pieces, keeps only the tags that are needed,
//! adds up the memory of their values, and checks the sum before any value is read.

use std::path::Path;

use tiff_reader::source::TiffSource;

use super::wrong;
use crate::terrain::TerrainError;
use lavoxel_base::memory::MemoryEstimate;

/// Upper bound on the number of directories (pictures) in a TIFF.
const MOST_DIRECTORIES: usize = 256;

/// Upper bound on the number of tags in a directory of a TIFF.
const MOST_ENTRIES: u64 = 1 << 16;

/// Number of entries of a directory that are read from the file at a time.
const AT_ONCE: u64 = 1 << 10;

/// Upper bound on the length of a tag's value in bytes; does not apply to the tables of block
/// offsets and lengths and to GDAL's metadata.
const LONGEST_VALUE: u64 = 1 << 20;

/// Upper bound on the number of GeoTIFF keys in a file.
const MOST_KEYS: usize = 1000;
/// Upper bound on the total length in bytes of the values of GeoTIFF keys; needed because keys may
/// share values.
const MOST_KEY_BYTES: usize = 1 << 20;

/// Estimated memory in bytes per byte of a tag's value, for the bytes as in the file and the
/// decoded value.
const BYTES_A_BYTE: f64 = 4.0;
/// Estimated memory in bytes per character of a text; replacing invalid UTF-8 makes a text three
/// times as long.
const BYTES_A_LETTER: f64 = 8.0;
/// Estimated memory in bytes per offset or length of a block, including a copy as 64-bit number.
const BYTES_A_BLOCK: f64 = 40.0;

pub(super) const SUBFILE_TYPE: u16 = 254;
pub(super) const WIDTH: u16 = 256;
pub(super) const HEIGHT: u16 = 257;
pub(super) const BITS: u16 = 258;
pub(super) const COMPRESSION: u16 = 259;
pub(super) const STRIP_OFFSETS: u16 = 273;
pub(super) const SAMPLES: u16 = 277;
pub(super) const ROWS_PER_STRIP: u16 = 278;
pub(super) const STRIP_COUNTS: u16 = 279;
pub(super) const PLANAR: u16 = 284;
pub(super) const PREDICTOR: u16 = 317;
pub(super) const TILE_WIDTH: u16 = 322;
pub(super) const TILE_HEIGHT: u16 = 323;
pub(super) const TILE_OFFSETS: u16 = 324;
pub(super) const TILE_COUNTS: u16 = 325;
pub(super) const SAMPLE_FORMAT: u16 = 339;
pub(super) const PIXEL_SCALE: u16 = 33550;
pub(super) const TIE_POINTS: u16 = 33922;
pub(super) const TRANSFORMATION: u16 = 34264;
pub(super) const GEO_KEYS: u16 = 34735;
pub(super) const GEO_DOUBLES: u16 = 34736;
pub(super) const GEO_TEXTS: u16 = 34737;
pub(super) const GDAL_METADATA: u16 = 42112;
pub(super) const GDAL_NO_DATA: u16 = 42113;
const LERC_PARAMETERS: u16 = 50674;

/// Tags that readers of heights and of colours need. All other tags, such as those of sub-pictures
/// (330) or colour profiles, are never read.
const WANTED: &[u16] = &[
    SUBFILE_TYPE,
    255,
    WIDTH,
    HEIGHT,
    BITS,
    COMPRESSION,
    262,
    266,
    STRIP_OFFSETS,
    SAMPLES,
    ROWS_PER_STRIP,
    STRIP_COUNTS,
    PLANAR,
    PREDICTOR,
    320,
    TILE_WIDTH,
    TILE_HEIGHT,
    TILE_OFFSETS,
    TILE_COUNTS,
    332,
    338,
    SAMPLE_FORMAT,
    347,
    529,
    530,
    531,
    532,
    PIXEL_SCALE,
    TIE_POINTS,
    TRANSFORMATION,
    GEO_KEYS,
    GEO_DOUBLES,
    GEO_TEXTS,
    GDAL_METADATA,
    GDAL_NO_DATA,
    LERC_PARAMETERS,
];

/// Tags whose value is a table with one number per block.
const BLOCK_TABLES: [u16; 4] = [STRIP_OFFSETS, STRIP_COUNTS, TILE_OFFSETS, TILE_COUNTS];

const TEXT: u16 = 2;
const SHORT: u16 = 3;
const LONG: u16 = 4;
const LONG8: u16 = 16;

/// Variant of a TIFF file: byte order and size of offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    /// Set if the TIFF is big-endian: the most significant byte comes first.
    pub(super) big_endian: bool,
    /// Set for a BigTIFF, whose offsets and counts have 64 bits.
    pub(super) wide: bool,
}

impl Form {
    /// Decodes an unsigned integer of at most eight bytes in the byte order of the file.
    pub(super) fn number(self, bytes: &[u8]) -> u64 {
        let shift = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.big_endian {
            bytes.iter().fold(0, shift)
        } else {
            bytes.iter().rev().fold(0, shift)
        }
    }

    /// Encodes an unsigned integer in `length` bytes in the byte order of the file.
    pub(super) fn bytes(self, number: u64, length: usize) -> Vec<u8> {
        let mut bytes = number.to_le_bytes()[..length].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// Returns the size of a file offset in this variant of TIFF, in bytes.
    pub(super) fn word(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Returns the size in bytes of the field that states the number of tags in a directory.
    pub(super) fn count(self) -> usize {
        if self.wide { 8 } else { 2 }
    }

    /// Returns the size in bytes of a tag's entry in a directory: id, type, number of values, and
    /// the values or their offset.
    fn entry(self) -> usize {
        4 + 2 * self.word()
    }

    /// Returns the size of the file header in this variant of TIFF, in bytes.
    pub(super) fn header(self) -> usize {
        if self.wide { 16 } else { 8 }
    }

    /// Returns the TIFF type code of a file offset in this variant of TIFF.
    pub(super) fn offset_kind(self) -> u16 {
        if self.wide { LONG8 } else { LONG }
    }
}

/// Values of a TIFF tag: their bytes, or their position in the file.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Values that are in the file, at this offset in bytes.
    At(u64),
    /// Values as these bytes, encoded as in the file.
    Bytes(Vec<u8>),
}

/// Tag of a TIFF directory: id, type, number of values, and the values.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) tag: u16,
    pub(super) kind: u16,
    pub(super) count: u64,
    pub(super) value: Value,
}

impl Entry {
    /// Creates the tag with the id `tag` and the values `numbers` of the TIFF type code `kind`.
    pub(super) fn of_numbers(tag: u16, kind: u16, numbers: &[u64], form: Form) -> Self {
        let bytes = numbers
            .iter()
            .flat_map(|&number| form.bytes(number, width_of(kind) as usize))
            .collect();
        Self {
            tag,
            kind,
            count: numbers.len() as u64,
            value: Value::Bytes(bytes),
        }
    }

    /// Creates the tag with the id `tag` and `count` 16-bit values that all equal `number`.
    pub(super) fn of_short(tag: u16, number: u16, count: usize, form: Form) -> Self {
        Self::of_numbers(tag, SHORT, &vec![u64::from(number); count], form)
    }

    /// Returns the size of all values of the tag in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.count.saturating_mul(width_of(self.kind))
    }

    /// Returns the bytes of all values, read from `source` if the directory has only their offset;
    /// `None` if the values extend beyond the end of the file.
    fn raw(&self, source: &dyn TiffSource) -> Option<Vec<u8>> {
        match &self.value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::At(at) => source
                .read_exact_at(*at, usize::try_from(self.bytes()).ok()?)
                .ok(),
        }
    }

    /// Returns the values as unsigned integers, read from `source` if necessary; `None` if they
    /// have another type or extend beyond the end of the file.
    pub(super) fn numbers(&self, source: &dyn TiffSource, form: Form) -> Option<Vec<u64>> {
        let size = [1, SHORT, LONG, LONG8]
            .contains(&self.kind)
            .then(|| width_of(self.kind) as usize)?;
        Some(
            self.raw(source)?
                .chunks_exact(size)
                .map(|bytes| form.number(bytes))
                .collect(),
        )
    }

    /// Estimates the memory in bytes for reading and decoding the values of the tag.
    fn need(&self) -> f64 {
        match self.kind {
            _ if BLOCK_TABLES.contains(&self.tag) => BYTES_A_BLOCK * self.count as f64,
            TEXT => BYTES_A_LETTER * self.bytes() as f64,
            _ => BYTES_A_BYTE * self.bytes() as f64,
        }
    }
}

/// Returns the size in bytes of one value of the TIFF type code `kind`.
fn width_of(kind: u16) -> u64 {
    match kind {
        SHORT | 8 => 2,
        LONG | 9 | 11 => 4,
        5 | 10 | 12 | 16..=18 => 8,
        _ => 1,
    }
}

/// Reads the variant (byte order and size of offsets) of the TIFF `source`, and those tags of each
/// directory that readers need. Checks the memory of all values.
///
/// # Errors
/// [`TerrainError::Content`] for a file that is not a TIFF, [`TerrainError::Memory`] above the
/// memory limit.
pub(super) fn walk(
    source: &dyn TiffSource,
    path: &Path,
) -> Result<(Form, Vec<Vec<Entry>>), TerrainError> {
    let walk = Walk {
        source,
        path,
        form: form_of(source, path)?,
    };
    let form = walk.form;
    let first = walk.read((form.header() - form.word()) as u64, form.word())?;
    let mut next = form.number(&first);
    let (mut directories, mut seen) = (Vec::new(), Vec::new());
    while next != 0 {
        if directories.len() == MOST_DIRECTORIES || seen.contains(&next) {
            let found = if seen.contains(&next) {
                "directories in a circle"
            } else {
                "more than 256 pictures"
            };
            return Err(wrong(path)(found));
        }
        seen.push(next);
        let (entries, after) = walk.directory(next)?;
        directories.push(entries);
        next = after;
    }
    let bytes = directories.iter().flatten().map(Entry::need).sum::<f64>();
    MemoryEstimate::new("the tables of the TIFF", 1, bytes)
        .check("copy its heights alone into a new file, for example with gdal_translate")
        .map_err(TerrainError::memory(path))?;
    directories
        .iter()
        .try_for_each(|entries| walk.check_keys(entries))?;
    Ok((form, directories))
}

fn form_of(source: &dyn TiffSource, path: &Path) -> Result<Form, TerrainError> {
    let start = source
        .read_exact_at(0, source.len().min(8) as usize)
        .map_err(wrong(path))?;
    match start.get(..4) {
        Some(b"II*\0") => Ok(Form {
            big_endian: false,
            wide: false,
        }),
        Some(b"MM\0*") => Ok(Form {
            big_endian: true,
            wide: false,
        }),
        // Only offsets of eight bytes exist.
        Some(b"II+\0") if start[4..] == [8, 0, 0, 0] => Ok(Form {
            big_endian: false,
            wide: true,
        }),
        Some(b"MM\0+") if start[4..] == [0, 8, 0, 0] => Ok(Form {
            big_endian: true,
            wide: true,
        }),
        _ => Err(wrong(path)("another kind of file")),
    }
}

struct Walk<'a> {
    source: &'a dyn TiffSource,
    path: &'a Path,
    form: Form,
}

impl Walk<'_> {
    fn read(&self, at: u64, length: usize) -> Result<Vec<u8>, TerrainError> {
        self.source
            .read_exact_at(at, length)
            .map_err(wrong(self.path))
    }

    /// Reads the directory at the file offset `at`. Returns the tags that readers need, and the
    /// offset of the next directory.
    fn directory(&self, at: u64) -> Result<(Vec<Entry>, u64), TerrainError> {
        let form = self.form;
        let count = form.number(&self.read(at, form.count())?);
        if count > MOST_ENTRIES {
            return Err(wrong(self.path)(format!("{count} tags in a directory")));
        }
        let first = at + form.count() as u64;
        let place = |entry: u64| first.saturating_add(entry * form.entry() as u64);
        let mut entries = Vec::new();
        for from in (0..count).step_by(AT_ONCE as usize) {
            let some = (count - from).min(AT_ONCE) as usize;
            for bytes in self
                .read(place(from), some * form.entry())?
                .chunks_exact(form.entry())
            {
                entries.extend(self.entry(bytes)?);
            }
        }
        let next = self.read(place(count), form.word())?;
        Ok((entries, form.number(&next)))
    }

    /// Decodes a tag from the bytes of its entry in a TIFF directory; `None` if no reader needs the
    /// tag.
    fn entry(&self, bytes: &[u8]) -> Result<Option<Entry>, TerrainError> {
        let (form, word) = (self.form, self.form.word());
        let tag = form.number(&bytes[..2]) as u16;
        if !WANTED.contains(&tag) {
            return Ok(None);
        }
        let (kind, count) = (
            form.number(&bytes[2..4]) as u16,
            form.number(&bytes[4..4 + word]),
        );
        let mut entry = Entry {
            tag,
            kind,
            count,
            value: Value::Bytes(Vec::new()),
        };
        let (length, field) = (entry.bytes(), &bytes[4 + word..]);
        let long = BLOCK_TABLES.contains(&tag) || tag == GDAL_METADATA;
        if length > LONGEST_VALUE && !long || length > self.source.len() {
            return Err(wrong(self.path)(format!(
                "{length} bytes of values for tag {tag}"
            )));
        }
        entry.value = if length <= word as u64 {
            Value::Bytes(field[..length as usize].to_vec())
        } else {
            Value::At(form.number(field))
        };
        Ok(Some(entry))
    }

    /// Fails if the values of all GeoTIFF keys together are longer than `MOST_KEY_BYTES`, or if
    /// there are more than `MOST_KEYS` keys.
    fn check_keys(&self, entries: &[Entry]) -> Result<(), TerrainError> {
        let directory = entries.iter().find(|entry| entry.tag == GEO_KEYS);
        let shorts = directory
            .and_then(|entry| entry.numbers(self.source, self.form))
            .unwrap_or_default();
        let keys = shorts.get(4..).unwrap_or_default().chunks_exact(4);
        let size = |key: &[u64]| match key[1] {
            at if at == u64::from(GEO_DOUBLES) => 8 * key[2] as usize,
            at if at == u64::from(GEO_TEXTS) => key[2] as usize,
            _ => 0,
        };
        let (count, bytes) = (keys.len(), keys.map(size).sum::<usize>());
        if count > MOST_KEYS || bytes > MOST_KEY_BYTES {
            let found =
                format!("{count} GeoKeys with {bytes} bytes of values, more than any map needs");
            return Err(wrong(self.path)(found));
        }
        Ok(())
    }
}
