//! Options for reading heightmaps in any format, and opening of their files.

use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::map::crs::MapUnit;
use crate::terrain::{Crs, Encoding, Epsg, HeightUnit, TerrainError};
use lavoxel_base::memory::Held;
#[cfg(not(target_family = "wasm"))]
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::archive;
use lavoxel_files::input;
use lavoxel_files::input::Reader;

/// Properties of a heightmap that the user states, because its file may lack them or state wrong
/// ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Cell width in metres. Required for formats without a cell size. If set, the cell size in a
    /// file is replaced, and the file's position on the map is dropped because it does not fit the
    /// new size.
    pub cell_size_m: Option<f64>,
    /// Height in metres of black in a picture; `None`: the height that the picture states, or else
    /// 0.
    pub black_m: Option<f64>,
    /// Height in metres of white in a picture; `None`: the height that the picture states, or else
    /// one grey level is one metre.
    pub white_m: Option<f64>,
    /// Number in the file that means no data, in addition to the no-data values that the file or
    /// its format declares.
    pub no_data: Option<f64>,
    /// Unit of heights, which replaces the unit in the file; `None`: the unit that the file states,
    /// or else metres.
    pub height_unit: Option<HeightUnit>,
    /// Coordinate system, which replaces the system in the file; `None`: the system that the file
    /// states.
    pub crs: Option<Epsg>,
    /// Columns and rows of a file without a header; `None`: a square that fits the length of the
    /// file.
    pub raw_size: Option<[usize; 2]>,
    /// Encoding of the numbers in a file without a header; `None`: by the file extension.
    pub raw_type: Option<Encoding>,
    /// Set if the values of a GeoTIFF are no heights, so that they are not converted, whatever
    /// their unit.
    pub any_unit: bool,
}

impl LoadOptions {
    /// Returns the coordinate system of the map: that of the options, or else `crs`, the file's. A
    /// system with an unknown unit is dropped if the user states a cell size; otherwise the
    /// function fails, because lengths on the map could not be measured.
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

    /// Returns the cell size in metres that the user states, for a format that stores none. Fails
    /// if the user states none.
    pub(crate) fn cell_size_for(&self, path: &Path) -> Result<f64, TerrainError> {
        self.cell_size_m.ok_or_else(|| TerrainError::NoCellSize {
            path: path.to_owned(),
        })
    }
}

/// Seekable stream of the bytes of a heightmap file, on disk or in memory.
pub(crate) trait Bytes: Read + Seek {}

impl<T: Read + Seek> Bytes for T {}

/// Content of a file inside an archive; its memory is reserved until the value is dropped.
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

/// Opens a raster on disk or inside an archive. Returns a stream of its bytes, and their number.
pub(crate) fn open(path: &Path) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    // A file without a known ending is recognized by its first bytes; all formats have the same
    // limit.
    open_as(
        Reader::of_ending(path, input::RASTERS).unwrap_or(&input::RAW),
        path,
    )
}

/// Opens a raster on disk or inside an archive, with the limits of `format`. Returns a stream of
/// its bytes, and their number.
pub(crate) fn open_as(
    format: &Reader,
    path: &Path,
) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    let reader = |bytes: Box<dyn Bytes>| BufReader::with_capacity(1 << 16, bytes);
    if let Some(inside) = archive::file(path) {
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

/// Returns the bytes of a raster on disk or inside an archive, for formats whose library needs all of
/// them. They are weighed against the memory limit first.
#[cfg(not(target_family = "wasm"))]
pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, TerrainError> {
    let (mut reader, length) = open(path)?;
    MemoryEstimate::new("the bytes of the file", length as usize, 1.0)
        .check("crop or coarsen the file first")
        .map_err(TerrainError::memory(path))?;
    let mut bytes = Vec::with_capacity(length as usize);
    reader
        .read_to_end(&mut bytes)
        .map_err(TerrainError::read(path))?;
    Ok(bytes)
}

/// Returns a note for the user if the map's coordinates are in feet, because heights without a
/// stated unit are read as metres; otherwise `None`.
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
