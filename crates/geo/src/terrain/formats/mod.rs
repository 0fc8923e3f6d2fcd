//! Formats of heightmaps, one source file each, and the choice of the format of a file.

pub mod asc;
pub mod csv;
#[cfg(not(target_family = "wasm"))]
mod exr;
pub mod geotiff;
pub mod hgt;
#[cfg(not(target_family = "wasm"))]
mod las;
#[cfg(not(target_family = "wasm"))]
mod netcdf;
pub mod npy;
pub mod png;
pub mod raw;
mod read;
mod samples;
pub mod sidecar;
mod tiles;
mod tokens;
pub mod usgs_dem;
#[cfg(not(target_family = "wasm"))]
mod vrt;
mod xyz;

use std::io::Read;
use std::path::Path;

pub use self::read::LoadOptions;
pub(in crate::terrain) use self::read::{open, open_as};
pub use self::sidecar::found as sidecar_files;
use super::{Crs, Heightmap, TerrainError};
use lavoxel_base::words::{grouped, short};
use lavoxel_files::input::{self, Reader, ending};

/// Heightmap format that can be read: its limits, and the detection of its files.
struct Format {
    /// Limits and file extensions of the format: its entry in the list of all readers.
    reader: &'static Reader,
    /// Function that returns true if the first bytes of a file, passed to it, begin a file of this
    /// format; used if the file extension is unknown.
    recognises: fn(&[u8]) -> bool,
    read: fn(&Path, &LoadOptions) -> Result<Heightmap, TerrainError>,
}

/// All formats that can be read. A new format is a new source file and an entry here.
const FORMATS: &[Format] = &[
    Format {
        reader: &input::ASC,
        recognises: starts_like_asc,
        read: asc::read,
    },
    Format {
        reader: &input::CSV,
        recognises: |_| false,
        read: csv::read,
    },
    Format {
        reader: &input::DEM,
        recognises: usgs_dem::recognises,
        read: usgs_dem::read,
    },
    #[cfg(not(target_family = "wasm"))]
    Format {
        reader: &input::EXR,
        recognises: |start| start.starts_with(exr::MAGIC),
        read: exr::read,
    },
    Format {
        reader: &input::HGT,
        recognises: |_| false,
        read: hgt::read,
    },
    #[cfg(not(target_family = "wasm"))]
    Format {
        reader: &input::LAS,
        recognises: |start| start.starts_with(las::MAGIC),
        read: las::read,
    },
    #[cfg(not(target_family = "wasm"))]
    Format {
        reader: &input::NC,
        recognises: netcdf::recognises,
        read: netcdf::read,
    },
    Format {
        reader: &input::NPY,
        recognises: |start| start.starts_with(npy::MAGIC),
        read: npy::read,
    },
    Format {
        reader: &input::PNG,
        recognises: |start| start.starts_with(png::SIGNATURE),
        read: png::read,
    },
    Format {
        reader: &input::RAW,
        recognises: |_| false,
        read: raw::read,
    },
    Format {
        reader: &input::TIF,
        recognises: geotiff::recognises,
        read: geotiff::read,
    },
    #[cfg(not(target_family = "wasm"))]
    Format {
        reader: &input::VRT,
        recognises: |start| start.starts_with(b"<VRTDataset"),
        read: vrt::read,
    },
    Format {
        reader: &input::XYZ,
        recognises: |_| false,
        read: xyz::read,
    },
];

/// Iterates over the file extensions of heightmaps, in lower case without the dot.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMATS
        .iter()
        .flat_map(|format| format.reader.endings)
        .copied()
}

/// Reads the heightmap at `path`, a file or a folder of tiles. The file extension selects the format or, if it is unknown, the
/// first bytes of the file.
///
/// # Errors
/// [`TerrainError::UnknownFormat`] with the known extensions; otherwise the errors of the format's
/// reader.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    if let Some(size) = options
        .cell_size_m
        .filter(|&size| !(size > 0.0 && size.is_finite()))
    {
        return Err(lavoxel_base::validate::Invalid::new(
            "cell_size_m",
            size,
            "a length above 0 metres",
        )
        .into());
    }
    if let Some(no_data) = options.no_data.filter(|value| !value.is_finite()) {
        return Err(lavoxel_base::validate::Invalid::new("no_data", no_data, "a number").into());
    }
    if path.is_dir() {
        return tiles::read(path, options);
    }
    let read = || (format_of(path, options)?.read)(path, options);
    let mut map = input::guard(read).map_err(TerrainError::input(path))??;
    if let Some(size) = options
        .cell_size_m
        .filter(|&size| map.cell_size_m != (size, size))
    {
        map.cell_size_m = (size, size);
        map.origin = None;
    }
    if !options.any_unit {
        check_system(&map, path)?;
        map.notes.extend(zeros_from_a_corner(&map));
    }
    Ok(map)
}

/// Ratio of the range of heights to the longer side of the map, both as if in metres. A map without
/// coordinate system whose ratio is higher is taken as a map in degrees.
const STEEPEST: f64 = 5.0;

/// Fails if the map has no coordinate system and `STEEPEST` shows that its coordinates are degrees
/// and not metres.
fn check_system(map: &Heightmap, path: &Path) -> Result<(), TerrainError> {
    let (Some(origin), Some((low, high))) = (&map.origin, map.range()) else {
        return Ok(());
    };
    let (wide, deep) = map.extent_m();
    let may_be_degrees =
        origin.x_west.abs() <= 360.0 && origin.y_north.abs() <= 90.0 && wide.max(deep) <= 360.0;
    if origin.crs != Crs::default()
        || !may_be_degrees
        || f64::from(high - low) < STEEPEST * wide.max(deep)
    {
        return Ok(());
    }
    let found = format!(
        "none, and heights that rise by {} m over {} map units; for degrees pass --crs EPSG:4326 (crs = \"EPSG:4326\"), for a size of \
         its own --cell-size",
        short(f64::from(high - low), 1),
        short(wide.max(deep), 6)
    );
    Err(TerrainError::content(path, "a coordinate system", found))
}

/// Threshold in metres: if the lowest height other than 0 is above it, heights of exactly 0 are
/// taken as missing data and not as sea, because land at a coast is lower.
const NO_COAST_M: f32 = 20.0;

/// Returns a note for the user if the heightmap has heights of exactly 0 at a corner while all
/// others are above `NO_COAST_M`: programs that rotate maps fill empty corners with 0. Otherwise
/// `None`.
fn zeros_from_a_corner(map: &Heightmap) -> Option<String> {
    let (rows, cols) = map.heights.dim();
    let corners = [(0, 0), (0, cols - 1), (rows - 1, 0), (rows - 1, cols - 1)];
    if !corners.iter().any(|corner| map.heights[*corner] == 0.0) {
        return None;
    }
    let zeros = map.heights.iter().filter(|height| **height == 0.0).count();
    let others = map
        .heights
        .iter()
        .filter(|height| !height.is_nan() && **height != 0.0);
    let lowest = others.copied().fold(f32::INFINITY, f32::min);
    (2 * zeros < map.heights.len() && lowest >= NO_COAST_M && lowest.is_finite()).then(|| {
        format!(
            "{} heights are exactly 0, from a corner on, and no other is below {} m: if they are no data, name it (no_data = 0, or \
             --no-data 0)",
            grouped(zeros as u64),
            short(f64::from(lowest), 1)
        )
    })
}

/// Reads a raster of values other than heights, without conversion of units. Returns the raster,
/// and the name of the unit if the file states one. `no_data`: no-data value if the file declares
/// none.
///
/// # Errors
/// The errors of [`load`].
pub fn load_values(
    path: &Path,
    no_data: Option<f64>,
) -> Result<(Heightmap, Option<String>), TerrainError> {
    let map = load(
        path,
        &LoadOptions {
            any_unit: true,
            no_data,
            ..LoadOptions::default()
        },
    )?;
    let unit = || match format_of(path, &LoadOptions::default())?.reader.name == input::TIF.name {
        true => geotiff::unit(path),
        false => Ok(None),
    };
    Ok((map, input::guard(unit).map_err(TerrainError::input(path))??))
}

/// Returns true if the file at `path` is a heightmap, or a folder of such files, judged by its extension or, if that is
/// unknown, by its first bytes.
pub fn is_heightmap(path: &Path) -> bool {
    let ending = ending(path);
    tiles::are_in(path)
        || FORMATS
            .iter()
            .any(|f| f.reader.endings.contains(&ending.as_str()))
        || input::guard(|| format_of(path, &LoadOptions::default()).is_ok()).unwrap_or(false)
}

/// Returns the file extensions of all readable formats as a list for messages, such as `.asc, .csv,
/// .png`.
pub fn known_endings() -> String {
    let endings: Vec<String> = FORMATS
        .iter()
        .flat_map(|f| f.reader.endings)
        .map(|ending| format!(".{ending}"))
        .collect();
    endings.join(", ")
}

/// Number of bytes at the beginning of a file by which its format is detected.
const START: u64 = 1024;

fn format_of(path: &Path, options: &LoadOptions) -> Result<&'static Format, TerrainError> {
    let (mut reader, _) = open(path)?;
    let ending = ending(path);
    if let Some(format) = FORMATS
        .iter()
        .find(|f| f.reader.endings.contains(&ending.as_str()))
    {
        return Ok(format);
    }
    let mut start = Vec::new();
    reader
        .by_ref()
        .take(START)
        .read_to_end(&mut start)
        .map_err(TerrainError::read(path))?;
    // With a given size any file can be bare numbers.
    let bare = |f: &&Format| options.raw_size.is_some() && f.reader.name == input::RAW.name;
    let known = FORMATS
        .iter()
        .find(|f| (f.recognises)(&start))
        .or_else(|| FORMATS.iter().find(bare));
    known.ok_or_else(|| TerrainError::UnknownFormat {
        path: path.to_owned(),
        known: known_endings(),
    })
}

fn starts_like_asc(start: &[u8]) -> bool {
    start
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"ncols"))
}
