//! Errors of a terrain, each with its place and a remedy.

use std::io;
use std::path::{Path, PathBuf};

use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_base::validate::Invalid;
use lavoxel_files::input::InputError;
use lavoxel_files::output::OutputError;

/// Largest number of heights of a heightmap (8192 × 8192).
pub const MAX_SAMPLES: usize = 1 << 26;

/// Reason why a terrain could not be read, built or written.
///
/// The text of an IO error is part of the message and not a `source`, so that printing a whole
/// chain of causes repeats nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        cause: io::Error,
    },
    /// The file could not be written, or exists already.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// No reader or writer knows the ending of the name.
    #[error("{}: not a known heightmap format; known are {known}{}", path.display(), mend_of_kind(path))]
    UnknownFormat {
        /// Path of the file.
        path: PathBuf,
        /// Known endings, such as `.asc, .csv, .png`.
        known: String,
    },
    /// A text file violates its format.
    #[error("{}, line {line}: expected {expected}, found {found}", path.display())]
    Text {
        /// Path of the file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Form that the format requires here.
        expected: String,
        /// Text that was found.
        found: String,
    },
    /// A file without lines does not match its name.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Content {
        /// Path of the file.
        path: PathBuf,
        /// Form that the format requires.
        expected: String,
        /// Text that was found.
        found: String,
    },
    /// The file ends before all the heights it announces.
    #[error(
        "{}: announces {cols} columns × {rows} rows, but its {bytes} bytes cannot hold them; the file is cut short or \
         its header is wrong",
        path.display()
    )]
    Truncated {
        /// Path of the file.
        path: PathBuf,
        /// Columns announced.
        cols: usize,
        /// Rows announced.
        rows: usize,
        /// Length of the file in bytes.
        bytes: u64,
    },
    /// More heights than a heightmap may have.
    #[error(
        "{}: {cols} columns × {rows} rows are more than the {MAX_SAMPLES} heights allowed; crop or coarsen the file first",
        path.display()
    )]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Columns announced.
        cols: usize,
        /// Rows announced.
        rows: usize,
    },
    /// More heights than the memory limit allows.
    #[error("{}: {cause}", path.display())]
    Memory {
        /// Path of the file.
        path: PathBuf,
        /// Required and allowed memory.
        cause: TooMuchMemory,
    },
    /// Neither the file nor the user gives the size of its cells.
    #[error("{}: this format carries no cell size; give it in metres (cell_size_m, or --cell-size)", path.display())]
    NoCellSize {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file has coordinates in an unknown unit.
    #[error(
        "{}: cannot tell the unit of its coordinates from {found}; name another coordinate system (in its .prj file, or \
         with gdalwarp -t_srs), or give the cell size in metres (cell_size_m, or --cell-size)",
        path.display()
    )]
    UnknownUnit {
        /// Path of the file.
        path: PathBuf,
        /// Unit in the file.
        found: String,
    },
    /// Work on heights would take more memory than allowed.
    #[error(transparent)]
    TooMuchMemory(#[from] TooMuchMemory),
    /// A crop that reaches outside the heightmap, or is empty.
    #[error(
        "crop [{}, {}, {}, {}] (west, north, columns, rows) does not fit into a heightmap of {cols} columns × {rows} rows",
        crop[0], crop[1], crop[2], crop[3]
    )]
    Crop {
        /// West, north, columns, rows, in cells of the file.
        crop: [usize; 4],
        /// Columns of the heightmap.
        cols: usize,
        /// Rows of the heightmap.
        rows: usize,
    },
    /// A crop in metres that reaches outside the heightmap, or is empty.
    #[error(
        "crop_m [{}, {}, {}, {}] (west, north, width, depth) does not fit into a heightmap of {has_wide} m × {has_deep} m, \
         or is narrower than a cell",
        crop_m[0], crop_m[1], crop_m[2], crop_m[3]
    )]
    CropMetres {
        /// West, north, width, depth, in metres.
        crop_m: [f64; 4],
        /// Width of the heightmap in metres, west to east.
        has_wide: f64,
        /// Depth of the heightmap in metres, north to south.
        has_deep: f64,
    },
    /// Bounds that reach outside the heightmap, or hold none of its cells.
    #[error(
        "bounds [{}, {}, {}, {}] (west, south, east, north) do not lie within the heightmap, which covers \
         [{}, {}, {}, {}], or are narrower than a cell",
        bounds[0], bounds[1], bounds[2], bounds[3], has[0], has[1], has[2], has[3]
    )]
    Bounds {
        /// West, south, east, north, in map units.
        bounds: [f64; 4],
        /// Bounds of the heightmap, in map units.
        has: [f64; 4],
    },
    /// Coordinates of a map for a heightmap without a place on one.
    #[error(
        "bounds need a heightmap with a place on a map, and this file has none; use crop or crop_m (--crop) instead"
    )]
    NoPlace,
    /// Holes in the data, and no rule for filling them.
    #[error(
        "{missing} of {total} heights have no data; set fill_no_data to \"nearest\", \"lowest\" or \"cut\" (--fill), or \
         crop to a part without holes"
    )]
    NoData {
        /// Number of heights without data.
        missing: usize,
        /// Total number of heights.
        total: usize,
    },
    /// An undeclared marker for no data.
    #[error(
        "{}: {count} of {total} heights are {value} and far from all others, the first in column {}, row {}: a mark for no data that \
         the file does not name; name it (no_data = {value}, or --no-data {value})",
        path.display(), first.1, first.0
    )]
    UnnamedNoData {
        /// Path of the file.
        path: PathBuf,
        /// Marker, as it stands in the file.
        value: f64,
        /// Number of heights with the marker.
        count: usize,
        /// Total number of heights.
        total: usize,
        /// Row and column of the first one, from 0 in the north-west.
        first: (usize, usize),
    },
    /// No height is known.
    #[error("none of the {total} heights has data; nothing can be built from them")]
    AllNoData {
        /// Total number of heights.
        total: usize,
    },
    /// The ground would reach the roof of the box.
    #[error(
        "the highest ground is {top:.1} cells above the floor of a box of ny = {ny}; make the box at least ny = {needed}, \
         or lower the ground ({mend})"
    )]
    TooHigh {
        /// Height of the highest ground, in cells.
        top: f64,
        /// Height of the box, in cells.
        ny: usize,
        /// Height in cells that leaves room for the flow above the ground.
        needed: usize,
        /// Advice for lowering this kind of terrain.
        mend: String,
    },
    /// The requested window is larger than the heightmap.
    #[error(
        "a box of {nx} × {nz} cells of {cell_size_m} m is {wide:.0} m × {deep:.0} m, but the heightmap has only \
         {has_wide:.0} m × {has_deep:.0} m; use cells of {fits:.3} m or less, or leave the cell size out"
    )]
    TooWide {
        /// Cells west to east.
        nx: usize,
        /// Cells north to south.
        nz: usize,
        /// Requested cell size in metres.
        cell_size_m: f64,
        /// Requested width in metres, west to east.
        wide: f64,
        /// Requested depth in metres, north to south.
        deep: f64,
        /// Width of the heightmap in metres, west to east.
        has_wide: f64,
        /// Depth of the heightmap in metres, north to south.
        has_deep: f64,
        /// Largest cell size that fits, in metres.
        fits: f64,
    },
    /// A parameter out of its range.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// Advice for converting an unsupported file into a supported one; empty for unknown kinds.
fn mend_of_kind(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let unpack = |command: &str| format!("; unpack it first: {command} {name}");
    let convert = |command: &str| {
        format!("; convert it: {command} {name} {}.tif", path.file_stem().unwrap_or_default().to_string_lossy())
    };
    match &*ending {
        "gz" | "tgz" => unpack("gunzip"),
        "bz2" => unpack("bunzip2"),
        "xz" => unpack("unxz"),
        "zst" => unpack("unzstd"),
        "zip" | "kmz" => unpack("unzip"),
        "7z" => unpack("7z x"),
        "tar" => unpack("tar xf"),
        "nc" | "nc4" | "cdf" | "vrt" | "grd" | "img" | "adf" | "bil" | "bip" | "bsq" | "flt" | "hdf" | "h5" | "grb"
        | "grib" | "grb2" | "dt0" | "dt1" | "dt2" | "xyz" | "jp2" | "ter" | "sdat" | "rst" | "map" | "kap" | "ecw"
        | "sid" | "mrf" | "bt" | "gpkg" | "mbtiles" => convert("gdal_translate"),
        "las" | "laz" => "; make a raster of its points, for example with pdal or whitebox_tools".to_owned(),
        _ => mend_of_picture(path),
    }
}

/// Advice for converting an unsupported picture into a supported one; empty for other files.
pub fn mend_of_picture(path: &Path) -> String {
    const PICTURES: [&str; 5] = ["jpg", "jpeg", "gif", "bmp", "webp"];
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if PICTURES.contains(&ending.as_str()) {
        "; convert the picture to a gray PNG, as with: magick IN -colorspace Gray OUT.png".to_owned()
    } else {
        String::new()
    }
}

impl TerrainError {
    /// Converts an error of an [input](lavoxel_files::input) file at `path`, for `map_err`.
    pub(crate) fn input(path: &Path) -> impl Fn(InputError) -> Self {
        move |error| match error {
            InputError::Read(cause) => Self::Read { path: path.to_owned(), cause },
            InputError::Memory(cause) => Self::Memory { path: path.to_owned(), cause },
            InputError::NotRegular(found) => Self::content(path, "a file", found),
            error => Self::content(path, "a whole file", format!("one that {error}")),
        }
    }

    /// Converts an IO error of reading `path`, for `map_err`.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Read { path: path.to_owned(), cause }
    }

    /// Creates the error of a text file that violates its format.
    pub(crate) fn text(path: &Path, line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Text { path: path.to_owned(), line, expected: expected.into(), found: found.into() }
    }

    /// Creates the error of a file whose content as a whole is wrong.
    pub fn content(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Content { path: path.to_owned(), expected: expected.into(), found: found.into() }
    }
}

/// Upper bound of the bytes per height while its file is read: the height, and eight in the file's
/// own form.
const BYTES_A_HEIGHT: f64 = 12.0;

/// Number of heights in `cols × rows`, after checks against [`MAX_SAMPLES`], against the capacity
/// of a file of `bytes` bytes with at least `least_bytes` bytes per height, and against the memory
/// limit.
pub(crate) fn checked_samples(
    path: &Path,
    (cols, rows): (usize, usize),
    bytes: u64,
    least_bytes: f64,
) -> Result<usize, TerrainError> {
    let samples = match cols.checked_mul(rows) {
        Some(samples) if samples <= MAX_SAMPLES => samples,
        _ => return Err(TerrainError::TooLarge { path: path.to_owned(), cols, rows }),
    };
    if samples as f64 * least_bytes > bytes as f64 + 1.0 {
        return Err(TerrainError::Truncated { path: path.to_owned(), cols, rows, bytes });
    }
    MemoryEstimate::of("the heights of the file", samples, BYTES_A_HEIGHT)
        .check("crop or coarsen the file first")
        .map_err(|cause| TerrainError::Memory { path: path.to_owned(), cause })?;
    Ok(samples)
}
