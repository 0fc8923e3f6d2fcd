//! Options of all readers of heightmaps, and how files are opened.

use std::borrow::Cow;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use crate::map::crs::MapUnit;
use crate::terrain::{Crs, Encoding, Epsg, HeightUnit, TerrainError};
use lavoxel_base::memory::Held;
use lavoxel_files::input;
use lavoxel_files::input::Reader;
use lavoxel_files::inside;

/// Facts about a heightmap file from the user, for what the file itself does not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadOptions {
    /// Edge of a cell in metres. Needed by formats that carry none; where the file carries one, this is used instead,
    /// and the place on the map is dropped, because it no longer fits.
    pub cell_size_m: Option<f64>,
    /// Height of black in a picture, in metres; left out, what the picture says, or else 0.
    pub black_m: Option<f64>,
    /// Height of white in a picture, in metres; left out, what the picture says, or else one gray level is one metre.
    pub white_m: Option<f64>,
    /// A number that means no data, as it stands in the file, besides those that the file or its format names.
    pub no_data: Option<f64>,
    /// The unit of the numbers, in place of what the file says; metres where neither says one.
    pub height_unit: Option<HeightUnit>,
    /// The system of the coordinates, in place of what the file says.
    pub crs: Option<Epsg>,
    /// Columns and rows of a file of bare numbers; left out, the square that its length makes.
    pub raw_size: Option<[usize; 2]>,
    /// How a file of bare numbers keeps them; left out, as its ending says.
    pub raw_type: Option<Encoding>,
    /// Whether the numbers of a GeoTIFF are taken as they are, in whatever unit: they are no heights.
    pub any_unit: bool,
}

impl LoadOptions {
    /// The system of a map, if it is understood: coordinates in an unknown unit are nothing to measure with. With a cell
    /// size the place on the map is not asked for.
    pub(crate) fn understood(&self, path: &Path, crs: Crs) -> Result<Crs, TerrainError> {
        let crs = self.crs.map_or(crs, Crs::from);
        match crs.known_unit() {
            Ok(_) => Ok(crs),
            Err(_) if self.cell_size_m.is_some() => Ok(Crs::default()),
            Err(found) => Err(TerrainError::UnknownUnit { path: path.to_owned(), found }),
        }
    }

    /// The cell size for a format that carries none.
    pub(crate) fn cell_size_for(&self, path: &Path) -> Result<f64, TerrainError> {
        self.cell_size_m.ok_or_else(|| TerrainError::NoCellSize { path: path.to_owned() })
    }
}

/// Bytes of a heightmap, on disk or inside the program.
pub(crate) trait Bytes: Read + Seek {}

impl<T: Read + Seek> Bytes for T {}

/// A file from inside of another one, which counts as memory as long as it is read.
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

/// Opens a raster for reading, also one from inside of another file; gives its length in bytes too.
pub(crate) fn open(path: &Path) -> Result<(BufReader<Box<dyn Bytes>>, u64), TerrainError> {
    // One without a known ending is of the format that its first bytes say; all of them may be as long.
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

/// A remark on heights whose unit nothing names, on a map in feet.
pub(super) fn note_of_unit(crs: &Crs) -> Option<String> {
    let MapUnit::Length(metres) = crs.unit() else { return None };
    (0.3..0.31).contains(&metres).then(|| {
        "heights are taken for metres, though the map is in feet and nothing names their unit; for feet pass --height-unit us-ft \
         (height_unit = \"us-ft\"), for metres --height-unit m"
            .to_owned()
    })
}
