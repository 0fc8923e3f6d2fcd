//! Errors of terrain files; each message names a remedy.

use std::io;
use std::path::{Path, PathBuf};

use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_base::validate::Invalid;
use lavoxel_files::input::{InputError, ending};
use lavoxel_files::output::OutputError;

/// Upper bound on the number of heights of a heightmap (8192 × 8192).
pub const MAX_SAMPLES: usize = 1 << 26;

/// Error while a heightmap or another terrain file is read, built or written.
///
/// The text of an I/O error is part of the message and is not returned by `source`, so that
/// printing a chain of causes repeats nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// A terrain file cannot be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Path of the file that cannot be read.
        path: PathBuf,
        /// Error that the operating system reported.
        cause: io::Error,
    },
    /// An output file cannot be written, or exists already.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The extension of the file name is that of no known heightmap format.
    #[error("{}: not a known heightmap format; known are {known}{}", path.display(), mend_of_kind(path))]
    UnknownFormat {
        /// Path of the file with the unknown extension.
        path: PathBuf,
        /// Extensions of the known heightmap formats, such as `.asc, .csv, .png`.
        known: String,
    },
    /// A text file does not follow its format.
    #[error("{}, line {line}: expected {expected}, found {found}", path.display())]
    Text {
        /// Path of the faulty text file.
        path: PathBuf,
        /// Line number of the fault in the text file, from 1.
        line: usize,
        /// Description of the text that the format expects in this line.
        expected: String,
        /// Text that was found in this line.
        found: String,
    },
    /// A binary file does not follow its format, or its content cannot be used.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Content {
        /// Path of the faulty binary file.
        path: PathBuf,
        /// Description of the content that the format of the file requires.
        expected: String,
        /// Description of the content that the file has.
        found: String,
    },
    /// The file is too short for the raster size that its header states.
    #[error(
        "{}: announces {cols} columns × {rows} rows, but its {bytes} bytes cannot hold them; the file is cut short or \
         its header is wrong",
        path.display()
    )]
    Truncated {
        /// Path of the file that is too short.
        path: PathBuf,
        /// Number of columns that the header of the file states.
        cols: usize,
        /// Number of rows that the header of the file states.
        rows: usize,
        /// Actual length of the file in bytes.
        bytes: u64,
    },
    /// The raster in a file has more than `MAX_SAMPLES` heights.
    #[error(
        "{}: {cols} columns × {rows} rows are more than the {MAX_SAMPLES} heights allowed; crop or coarsen the file first",
        path.display()
    )]
    TooLarge {
        /// Path of the file with the raster.
        path: PathBuf,
        /// Number of columns that the header of the file states.
        cols: usize,
        /// Number of rows that the header of the file states.
        rows: usize,
    },
    /// The heightmap in a file would need more memory than allowed.
    #[error("{}: {cause}", path.display())]
    Memory {
        /// Path of the heightmap file.
        path: PathBuf,
        /// Required and allowed memory, for the message.
        cause: TooMuchMemory,
    },
    /// The cell size of the heightmap is unknown: neither the file nor the user states it.
    #[error("{}: this format carries no cell size; give it in metres (cell_size_m, or --cell-size)", path.display())]
    NoCellSize {
        /// Path of the heightmap file.
        path: PathBuf,
    },
    /// The unit of the map coordinates in the file is unknown.
    #[error(
        "{}: cannot tell the unit of its coordinates from {found}; name another coordinate system (in its .prj file, or \
         with gdalwarp -t_srs), or give the cell size in metres (cell_size_m, or --cell-size)",
        path.display()
    )]
    UnknownUnit {
        /// Path of the heightmap file.
        path: PathBuf,
        /// Name of the unknown unit, as the file states it.
        found: String,
    },
    /// An operation on heights would need more memory than allowed.
    #[error(transparent)]
    TooMuchMemory(#[from] TooMuchMemory),
    /// A crop in cells is empty or extends beyond the heightmap.
    #[error(
        "crop [{}, {}, {}, {}] (west, north, columns, rows) does not fit into a heightmap of {cols} columns × {rows} rows",
        crop[0], crop[1], crop[2], crop[3]
    )]
    Crop {
        /// Requested crop as [west, north, columns, rows], in cells of the file.
        crop: [usize; 4],
        /// Number of columns of the heightmap that was to be cropped.
        cols: usize,
        /// Number of rows of the heightmap that was to be cropped.
        rows: usize,
    },
    /// A crop in metres is empty or extends beyond the heightmap.
    #[error(
        "crop_m [{}, {}, {}, {}] (west, north, width, depth) does not fit into a heightmap of {has_wide} m × {has_deep} m, \
         or is narrower than a cell",
        crop_m[0], crop_m[1], crop_m[2], crop_m[3]
    )]
    CropMetres {
        /// Requested crop as [west, north, width, depth], in metres from the north-west corner.
        crop_m: [f64; 4],
        /// Width of the heightmap in metres, west to east.
        has_wide: f64,
        /// Depth of the heightmap in metres, north to south.
        has_deep: f64,
    },
    /// The requested map bounds extend beyond the heightmap or contain no cell.
    #[error(
        "bounds [{}, {}, {}, {}] (west, south, east, north) do not lie within the heightmap, which covers \
         [{}, {}, {}, {}], or are narrower than a cell",
        bounds[0], bounds[1], bounds[2], bounds[3], has[0], has[1], has[2], has[3]
    )]
    Bounds {
        /// Requested bounds as [west, south, east, north], in map units.
        bounds: [f64; 4],
        /// Bounds of the heightmap as [west, south, east, north], in map units.
        has: [f64; 4],
    },
    /// Map bounds were requested for a heightmap without georeference.
    #[error(
        "bounds need a heightmap with a place on a map, and this file has none; use crop or crop_m (--crop) instead"
    )]
    NoPlace,
    /// The heightmap has cells without data, and the user chose no rule for filling them.
    #[error(
        "{missing} of {total} heights have no data; set fill_no_data to \"nearest\", \"lowest\" or \"cut\" (--fill), or \
         crop to a part without holes"
    )]
    NoData {
        /// Number of cells of the heightmap without data.
        missing: usize,
        /// Total number of heights of the heightmap.
        total: usize,
    },
    /// Many heights equal a usual no-data value that the file does not declare.
    #[error(
        "{}: {count} of {total} heights are {value} and far from all others, the first in column {}, row {}: a mark for no data that \
         the file does not name; name it (no_data = {value}, or --no-data {value})",
        path.display(), first.1, first.0
    )]
    UnnamedNoData {
        /// Path of the heightmap file.
        path: PathBuf,
        /// Suspected no-data value, in the unit of the file.
        value: f64,
        /// Number of heights that equal the suspected no-data value.
        count: usize,
        /// Total number of heights of the heightmap.
        total: usize,
        /// Row and column of the first cell with the suspected no-data value, from 0 at the
        /// north-west corner.
        first: (usize, usize),
    },
    /// No cell of the heightmap has data.
    #[error("none of the {total} heights has data; nothing can be built from them")]
    AllNoData {
        /// Total number of heights of the heightmap.
        total: usize,
    },
    /// The ground reaches the roof of the simulation box.
    #[error(
        "the highest ground is {top:.1} cells above the floor of a box of ny = {ny}; make the box at least ny = {needed}, \
         or lower the ground ({mend})"
    )]
    TooHigh {
        /// Greatest height of the ground above the floor of the simulation box, in cells.
        top: f64,
        /// Height of the simulation box, in cells.
        ny: usize,
        /// Height of the simulation box in cells that would leave enough room for a flow.
        needed: usize,
        /// Advice how to lower the ground or raise the roof, for this kind of terrain.
        mend: String,
    },
    /// The simulation box is larger than the heightmap.
    #[error(
        "a box of {nx} × {nz} cells of {cell_size_m} m is {wide:.0} m × {deep:.0} m, but the heightmap has only \
         {has_wide:.0} m × {has_deep:.0} m; use cells of {fits:.3} m or less, or leave the cell size out"
    )]
    TooWide {
        /// Number of cells of the simulation box from west to east.
        nx: usize,
        /// Number of cells of the simulation box from north to south.
        nz: usize,
        /// Requested cell width of the simulation box in metres.
        cell_size_m: f64,
        /// Width of the simulation box in metres, west to east.
        wide: f64,
        /// Depth of the simulation box in metres, north to south.
        deep: f64,
        /// Width of the heightmap in metres, west to east.
        has_wide: f64,
        /// Depth of the heightmap in metres, north to south.
        has_deep: f64,
        /// Largest cell width in metres with which the simulation box fits.
        fits: f64,
    },
    /// A parameter of the terrain is out of range.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// Returns advice for converting a heightmap file of an unsupported kind; empty for an unknown
/// kind.
fn mend_of_kind(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = ending(path);
    let unpack = |command: &str| format!("; unpack it first: {command} {name}");
    let convert = |command: &str| {
        format!(
            "; convert it: {command} {name} {}.tif",
            path.file_stem().unwrap_or_default().to_string_lossy()
        )
    };
    match &*ending {
        "gz" | "tgz" => unpack("gunzip"),
        "bz2" => unpack("bunzip2"),
        "xz" => unpack("unxz"),
        "zst" => unpack("unzstd"),
        "zip" | "kmz" => unpack("unzip"),
        "7z" => unpack("7z x"),
        "tar" => unpack("tar xf"),
        "img" | "adf" | "bil" | "bip" | "bsq" | "flt" | "hdf" | "h5" | "grb" | "grib" | "grb2"
        | "dt0" | "dt1" | "dt2" | "jp2" | "ter" | "sdat" | "rst" | "map" | "kap" | "ecw"
        | "sid" | "mrf" | "bt" | "gpkg" | "mbtiles" => convert("gdal_translate"),
        _ => mend_of_picture(path),
    }
}

/// Returns advice for converting a picture file of an unsupported kind; empty for other files.
pub fn mend_of_picture(path: &Path) -> String {
    const PICTURES: [&str; 5] = ["jpg", "jpeg", "gif", "bmp", "webp"];
    let ending = ending(path);
    if PICTURES.contains(&ending.as_str()) {
        "; convert the picture to a gray PNG, as with: magick IN -colorspace Gray OUT.png"
            .to_owned()
    } else {
        String::new()
    }
}

impl TerrainError {
    /// Returns a function that converts an `InputError` of the file at `path` to a `TerrainError`.
    pub(crate) fn input(path: &Path) -> impl Fn(InputError) -> Self {
        move |error| match error {
            InputError::Read(cause) => Self::Read {
                path: path.to_owned(),
                cause,
            },
            InputError::Memory(cause) => Self::Memory {
                path: path.to_owned(),
                cause,
            },
            InputError::NotRegular(found) => Self::content(path, "a file", found),
            error => Self::content(path, "a whole file", format!("one that {error}")),
        }
    }

    /// Returns a function that converts an I/O error while `path` is read to a `TerrainError`.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Read {
            path: path.to_owned(),
            cause,
        }
    }

    /// Returns a function that creates the error that the file `path` needs more memory than
    /// allowed.
    pub fn memory(path: &Path) -> impl Fn(TooMuchMemory) -> Self {
        move |cause| Self::Memory {
            path: path.to_owned(),
            cause,
        }
    }

    /// Creates the error that line `line` of the text file `path` does not follow its format.
    pub(crate) fn text(
        path: &Path,
        line: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::Text {
            path: path.to_owned(),
            line,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Creates the error that the content of the file `path` as a whole is wrong.
    pub fn content(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Content {
            path: path.to_owned(),
            expected: expected.into(),
            found: found.into(),
        }
    }
}

/// Memory in bytes per height while a file is read: four for the height and at most eight for its
/// encoding in the file.
const BYTES_A_HEIGHT: f64 = 12.0;

/// Returns the number of heights of a raster of `cols` × `rows` cells. Fails for more than
/// [`MAX_SAMPLES`] heights, for a file whose length `bytes` is less than `least_bytes` per height,
/// and above the memory limit.
pub(crate) fn checked_samples(
    path: &Path,
    (cols, rows): (usize, usize),
    bytes: u64,
    least_bytes: f64,
) -> Result<usize, TerrainError> {
    let samples = match cols.checked_mul(rows) {
        Some(samples) if samples <= MAX_SAMPLES => samples,
        _ => {
            return Err(TerrainError::TooLarge {
                path: path.to_owned(),
                cols,
                rows,
            });
        }
    };
    if samples as f64 * least_bytes > bytes as f64 + 1.0 {
        return Err(TerrainError::Truncated {
            path: path.to_owned(),
            cols,
            rows,
            bytes,
        });
    }
    MemoryEstimate::new("the heights of the file", samples, BYTES_A_HEIGHT)
        .check("crop or coarsen the file first")
        .map_err(TerrainError::memory(path))?;
    Ok(samples)
}
