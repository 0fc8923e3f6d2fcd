//! Everything that can be wrong with a terrain, each with its place and its mend.

use std::io;
use std::path::{Path, PathBuf};

use lavoxel_base::memory::{MemoryEstimate, TooMuchMemory};
use lavoxel_base::validate::Invalid;
use lavoxel_files::input::InputError;
use lavoxel_files::output::OutputError;

/// Largest number of heights one heightmap may have (8192 × 8192).
pub const MAX_SAMPLES: usize = 1 << 26;

/// Why a terrain could not be read, made or written.
///
/// The text of an input/output failure is part of the message and not a `source`, so that printing a whole chain of
/// causes says it once.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        cause: io::Error,
    },
    /// The file could not be written, or is there already.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The name ends in something no reader or writer knows.
    #[error("{}: not a known heightmap format; known are {known}{}", path.display(), mend_of_kind(path))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The endings that are known, such as `.asc, .csv, .png`.
        known: String,
    },
    /// A text file says something else than its format allows.
    #[error("{}, line {line}: expected {expected}, found {found}", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Form that the format asks for here.
        expected: String,
        /// Text that is there.
        found: String,
    },
    /// A file without lines is not what its name says.
    #[error("{}: expected {expected}, found {found}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Form that the format asks for.
        expected: String,
        /// Text that is there.
        found: String,
    },
    /// The file ends before all the heights it announces.
    #[error(
        "{}: announces {cols} columns × {rows} rows, but its {bytes} bytes cannot hold them; the file is cut short or \
         its header is wrong",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Columns announced.
        cols: usize,
        /// Rows announced.
        rows: usize,
        /// Length of the file.
        bytes: u64,
    },
    /// More heights than a heightmap may have.
    #[error(
        "{}: {cols} columns × {rows} rows are more than the {MAX_SAMPLES} heights allowed; crop or coarsen the file first",
        path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Columns announced.
        cols: usize,
        /// Rows announced.
        rows: usize,
    },
    /// More heights than there may be memory for.
    #[error("{}: {cause}", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// How much they would take.
        cause: TooMuchMemory,
    },
    /// Neither the file nor the user gives the size of its cells.
    #[error("{}: this format carries no cell size; give it in metres (cell_size_m, or --cell-size)", path.display())]
    NoCellSize {
        /// The file.
        path: PathBuf,
    },
    /// The file has coordinates in a unit that is not known here.
    #[error(
        "{}: cannot tell the unit of its coordinates from {found}; name another coordinate system (in its .prj file, or \
         with gdalwarp -t_srs), or give the cell size in metres (cell_size_m, or --cell-size)",
        path.display()
    )]
    UnknownUnit {
        /// The file.
        path: PathBuf,
        /// Text that it holds.
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
        /// Columns there are.
        cols: usize,
        /// Rows there are.
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
        /// Metres there are, west to east.
        has_wide: f64,
        /// Metres there are, north to south.
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
        /// Those of the heightmap.
        has: [f64; 4],
    },
    /// Coordinates of a map for a heightmap that is on none.
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
        /// Heights without data.
        missing: usize,
        /// Heights in all.
        total: usize,
    },
    /// Numbers that stand for no data where nothing says so.
    #[error(
        "{}: {count} of {total} heights are {value} and far from all others, the first in column {}, row {}: a mark for no data that \
         the file does not name; name it (no_data = {value}, or --no-data {value})",
        path.display(), first.1, first.0
    )]
    UnnamedNoData {
        /// The file.
        path: PathBuf,
        /// The mark, as it stands in the file.
        value: f64,
        /// Heights with it.
        count: usize,
        /// Heights in all.
        total: usize,
        /// Row and column of the first one, from 0 in the north-west.
        first: (usize, usize),
    },
    /// Not one height is known.
    #[error("none of the {total} heights has data; nothing can be built from them")]
    AllNoData {
        /// Heights in all.
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
        /// Height that leaves room for the flow above the ground.
        needed: usize,
        /// How this kind of terrain is lowered.
        mend: String,
    },
    /// The window asked for is larger than the heightmap.
    #[error(
        "a box of {nx} × {nz} cells of {cell_size_m} m is {wide:.0} m × {deep:.0} m, but the heightmap has only \
         {has_wide:.0} m × {has_deep:.0} m; use cells of {fits:.3} m or less, or leave the cell size out"
    )]
    TooWide {
        /// Cells west to east.
        nx: usize,
        /// Cells north to south.
        nz: usize,
        /// Cell size asked for.
        cell_size_m: f64,
        /// Metres asked for, west to east.
        wide: f64,
        /// Metres asked for, north to south.
        deep: f64,
        /// Metres there are, west to east.
        has_wide: f64,
        /// Metres there are, north to south.
        has_deep: f64,
        /// Largest cell size that fits.
        fits: f64,
    },
    /// A parameter out of its range.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

/// How a file of a kind that is not read becomes one that is; nothing for unknown kinds.
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

/// How a picture of a kind that is not read becomes one that is; nothing for other files.
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
    /// For `map_err` on a file at `path` that an [input](lavoxel_files::input) does not give.
    pub(crate) fn input(path: &Path) -> impl Fn(InputError) -> Self {
        move |error| match error {
            InputError::Read(cause) => Self::Read { path: path.to_owned(), cause },
            InputError::Memory(cause) => Self::Memory { path: path.to_owned(), cause },
            InputError::NotRegular(found) => Self::content(path, "a file", found),
            error => Self::content(path, "a whole file", format!("one that {error}")),
        }
    }

    /// For `map_err` on a read of `path`.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Self::Read { path: path.to_owned(), cause }
    }

    /// A text file that says something else than its format allows.
    pub(crate) fn text(path: &Path, line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Text { path: path.to_owned(), line, expected: expected.into(), found: found.into() }
    }

    /// A file whose content as a whole is not what it should be.
    pub fn content(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Content { path: path.to_owned(), expected: expected.into(), found: found.into() }
    }
}

/// Most bytes that a height takes while its file is read: itself, and eight in the file's own form.
const BYTES_A_HEIGHT: f64 = 12.0;

/// Number of heights in `cols × rows`, after checking it against [`MAX_SAMPLES`], against the most that a file of
/// `bytes` bytes could hold with `least_bytes` bytes per height, and against the memory that may be taken.
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
