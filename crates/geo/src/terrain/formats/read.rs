//! Reading options of all heightmap formats, and opening of files.

use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::map::crs::MapUnit;
use crate::terrain::{Crs, Encoding, Epsg, HeightUnit, TerrainError};
use lavoxel_base::memory::Held;
use lavoxel_files::input;
use lavoxel_files::input::Reader;
use lavoxel_files::inside;

/// Properties of a heightmap file that the user states, for files that lack them.
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
    /// No-data value in the numbers of the file, in addition to those of the file or its format.
    pub no_data: Option<f64>,
    /// Height unit, which replaces that of the file; `None`: the file's unit, or else metres.
    pub height_unit: Option<HeightUnit>,
    /// Coordinate system, which replaces that of the file.
    pub crs: Option<Epsg>,
    /// Columns and rows of a headerless file; `None`: a square that fits the file length.
    pub raw_size: Option<[usize; 2]>,
    /// Number encoding of a headerless file; `None`: by the file extension.
    pub raw_type: Option<Encoding>,
    /// Raw-values flag: the numbers of a GeoTIFF are no heights and stay unconverted, in whatever
    /// unit.
    pub any_unit: bool,
}

impl LoadOptions {
    /// Checks that the unit of the map's coordinate system is known, which measuring needs. If the
    /// user states a cell size, an unknown system is dropped instead.
    pub(crate) fn understood(&self, path: &Path, crs: Crs) -> Result<Crs, TerrainError> {
        let crs = self.crs.map_or(crs, Crs::from);
        match crs.known_unit() {
            Ok(_) => Ok(crs),
            Err(_) if self.cell_size_m.is_some() => Ok(Crs::default()),
            Err(found) => Err(TerrainError::UnknownUnit {
                path: path.to_owned(),
                found,
            }),
        }
    }

    /// Cell size in metres from the options, for a format that stores none; fails without one.
    pub(crate) fn cell_size_for(&self, path: &Path) -> Result<f64, TerrainError> {
        self.cell_size_m.ok_or_else(|| TerrainError::NoCellSize {
            path: path.to_owned(),
        })
    }
}

/// Seekable byte stream of a heightmap, on disk or in memory.
pub(crate) trait Bytes: Read + Seek {}

impl<T: Read + Seek> Bytes for T {}

/// File inside an archive; its memory is reserved while it is read.
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

/// Opens a raster for reading, also inside an archive; returns the stream and its length in bytes.
pub(crate) fn open(path: &Path) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    // A file without a known ending is recognized by its first bytes; all formats have the same
    // limit.
    open_as(
        Reader::of_ending(path, input::RASTERS).unwrap_or(&input::RAW),
        path,
    )
}

/// Opens a file through `format`, like [`open`].
pub(crate) fn open_as(
    format: &Reader,
    path: &Path,
) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    let reader = |bytes: Box<dyn Bytes>| BufReader::with_capacity(1 << 16, bytes);
    if let Some(inside) = inside::file(path) {
        let inside = inside.map_err(TerrainError::read(path))?;
        let length = inside.bytes.len() as u64;
        return Ok((
            reader(Box::new(Packed {
                bytes: Cursor::new(inside.bytes),
                _held: inside.held,
            })),
            length,
        ));
    }
    let (file, length) = format.open(path).map_err(TerrainError::input(path))?;
    Ok((reader(Box::new(file)), length))
}

/// Note about heights without a stated unit on a map in feet; `None` otherwise.
pub(super) fn note_of_unit(crs: &Crs) -> Option<String> {
    let MapUnit::Length(metres) = crs.unit() else {
        return None;
    };
    (0.3..0.31).contains(&metres).then(|| {
        "heights are taken for metres, though the map is in feet and nothing names their unit; for feet pass --height-unit us-ft \
         (height_unit = \"us-ft\"), for metres --height-unit m"
            .to_owned()
    })
}
