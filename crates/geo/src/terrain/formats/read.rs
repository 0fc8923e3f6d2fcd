//! Options of all readers of heightmaps, and opening of files.

use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::map::crs::MapUnit;
use crate::terrain::{Crs, Encoding, Epsg, HeightUnit, TerrainError};
use lavoxel_base::memory::Held;
use lavoxel_files::input;
use lavoxel_files::input::Reader;
use lavoxel_files::inside;

/// Facts about a heightmap file from the user, where the file itself lacks them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Edge of a cell in metres. Required for formats without a cell size; replaces the size in a
    /// file, and then the place on the map is dropped, because it no longer fits.
    pub cell_size_m: Option<f64>,
    /// Height of black in a picture, in metres; `None`: the value in the picture, or else 0.
    pub black_m: Option<f64>,
    /// Height of white in a picture, in metres; `None`: the value in the picture, or else one gray
    /// level is one metre.
    pub white_m: Option<f64>,
    /// Number that means no data, as it stands in the file, in addition to those of the file or its
    /// format.
    pub no_data: Option<f64>,
    /// Unit of the numbers, in place of the file's; metres where neither names one.
    pub height_unit: Option<HeightUnit>,
    /// System of the coordinates, in place of the file's.
    pub crs: Option<Epsg>,
    /// Columns and rows of a file of bare numbers; `None`: a square that fits its length.
    pub raw_size: Option<[usize; 2]>,
    /// Encoding of a file of bare numbers; `None`: by its ending.
    pub raw_type: Option<Encoding>,
    /// Raw-values flag: the numbers of a GeoTIFF are no heights and stay unconverted, in whatever
    /// unit.
    pub any_unit: bool,
}

impl LoadOptions {
    /// Checks that the unit of a map's system is known: otherwise nothing can be measured. With a
    /// cell size given by the user an unknown system is dropped.
    pub(crate) fn understood(&self, path: &Path, crs: Crs) -> Result<Crs, TerrainError> {
        let crs = self.crs.map_or(crs, Crs::from);
        match crs.known_unit() {
            Ok(_) => Ok(crs),
            Err(_) if self.cell_size_m.is_some() => Ok(Crs::default()),
            Err(found) => Err(TerrainError::UnknownUnit { path: path.to_owned(), found }),
        }
    }

    /// Cell size in metres for a format without one.
    pub(crate) fn cell_size_for(&self, path: &Path) -> Result<f64, TerrainError> {
        self.cell_size_m.ok_or_else(|| TerrainError::NoCellSize { path: path.to_owned() })
    }
}

/// Byte stream of a heightmap, on disk or inside the program.
pub(crate) trait Bytes: Read + Seek {}

impl<T: Read + Seek> Bytes for T {}

/// File from inside of another one, whose memory is counted while it is read.
struct Packed {
    bytes: Cursor<Cow<'static, [u8]>>,
    _held: Held,
}

impl Read for Packed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(into)
    }
}

impl Seek for Packed {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

/// Opens a raster for reading, also one from inside of another file; also returns its length in
/// bytes.
pub(crate) fn open(path: &Path) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    // A file without a known ending is recognized by its first bytes; all formats have the same
    // limit.
    open_as(Reader::of_ending(path, input::RASTERS).unwrap_or(&input::RAW), path)
}

/// Opens a file of a reader, as [`open`] does.
pub(crate) fn open_as(format: &Reader, path: &Path) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    let reader = |bytes: Box<dyn Bytes>| BufReader::with_capacity(1 << 16, bytes);
    if let Some(inside) = inside::file(path) {
        let inside = inside.map_err(TerrainError::read(path))?;
        let length = inside.bytes.len() as u64;
        return Ok((reader(Box::new(Packed { bytes: Cursor::new(inside.bytes), _held: inside.held })), length));
    }
    let (file, length) = format.open(path).map_err(TerrainError::input(path))?;
    Ok((reader(Box::new(file)), length))
}

/// Remark on heights without a declared unit, on a map in feet; `None` otherwise.
pub(super) fn note_of_unit(crs: &Crs) -> Option<String> {
    let MapUnit::Length(metres) = crs.unit() else { return None };
    (0.3..0.31).contains(&metres).then(|| {
        "heights are taken for metres, though the map is in feet and nothing names their unit; for feet pass --height-unit us-ft \
         (height_unit = \"us-ft\"), for metres --height-unit m"
            .to_owned()
    })
}
