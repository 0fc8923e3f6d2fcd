//! Input files: all formats in one list, and one way to their bytes.
//!
//! A format is a [`Reader`] of [`READERS`], and only a reader opens files: regular ones, of bounded
//! length, with the memory checked before the first byte is read. `tests/program/memory_limit.rs`,
//! the targets of `fuzz/` and the table of SECURITY.md follow the list, and tests fail where any of
//! these lacks a reader, or where a file of the library opens files without a reader.

use std::any::Any;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};
use lavoxel_base::validate::tame;

/// Format of input files.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reader {
    /// Name in the list, such as `rates`.
    pub name: &'static str,
    /// Description of the file, such as `a table of effusion rates`.
    pub what: &'static str,
    /// File name endings, without the dot, in lower case; empty where other files or the program
    /// choose the name.
    pub endings: &'static [&'static str],
    /// Commands, keys and flags that name such a file.
    pub named_by: &'static str,
    /// Upper bound of the file's length, in bytes.
    pub most_bytes: u64,
    /// Bytes of memory per byte of the file, checked before the file is read.
    pub weight: f64,
    /// Source file that checks the memory of the decoded content.
    pub weighed_in: &'static str,
    /// Fuzz target.
    pub fuzz: &'static str,
}

/// Longest raster: as text, with heights of the largest possible number of cells.
const RASTER: u64 = 1 << 36;

/// Declares the readers together with the list of all readers, so that none can be left out.
macro_rules! readers {
    ($($constant:ident {
        $name:literal, $what:literal, [$($ending:literal),*] by $named_by:literal, $most:expr, $weight:literal in $weighed_in:literal, fuzz $fuzz:literal
    })*) => {
        $(
            #[doc = concat!("Reader of ", $what, ".")]
            pub static $constant: Reader = Reader {
                name: $name,
                what: $what,
                endings: &[$($ending),*],
                named_by: $named_by,
                most_bytes: $most,
                weight: $weight,
                weighed_in: $weighed_in,
                fuzz: $fuzz,
            };
        )*

        /// All input formats.
        pub static READERS: &[&Reader] = &[$(&$constant),*];
    };
}

/// Formats of heightmaps.
pub static RASTERS: &[&Reader] = &[&ASC, &CSV, &DEM, &HGT, &NPY, &PNG, &RAW, &TIF];

readers! {
    SCENE { "scene", "a scene in TOML", ["toml"] by "`run`, `render`, `view`, `scene`, `hazard`, `calibrate`",
        32 << 20, 1.0 in "crates/scene/src/scene/need.rs", fuzz "scene" }
    ASC { "asc", "an ESRI grid", ["asc"] by "`terrain.file`, `terrain`, `compare`, `sheet`, `--survey`, `--start`",
        RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "asc" }
    CSV { "csv", "heights as a table", ["csv"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "csv" }
    DEM { "dem", "a USGS DEM", ["dem"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "dem" }
    HGT { "hgt", "an SRTM tile", ["hgt"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "hgt" }
    NPY { "npy", "an array of NumPy", ["npy"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "npy" }
    PNG { "png", "a gray picture of heights", ["png"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/formats/png.rs", fuzz "png" }
    RAW { "raw", "bare numbers", ["r16", "r32", "raw"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "raw" }
    TIF { "tif", "a GeoTIFF", ["tif", "tiff"] by "`terrain.file`, `terrain`, `compare`, `sheet`, `--survey`, `--start`",
        RASTER, 0.0 in "crates/geo/src/terrain/formats/geotiff/directory.rs", fuzz "tif" }
    PRJ { "prj", "a projection", ["prj"] by "a raster of the same name", 1 << 20, 4.0 in "crates/geo/src/map/crs.rs", fuzz "prj" }
    DRAPE { "drape", "a picture over the ground", ["gif", "jpeg", "jpg", "png", "tif", "tiff", "webp"] by "`terrain.drape`, `--drape`",
        RASTER, 0.0 in "crates/geo/src/terrain/photo.rs", fuzz "drape" }
    STL { "stl", "a mesh in STL", ["stl"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/soup.rs", fuzz "mesh" }
    OBJ { "obj", "a mesh in OBJ", ["obj"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/obj.rs", fuzz "mesh" }
    GLB { "glb", "a mesh in glTF", ["glb"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/glb.rs", fuzz "mesh" }
    CHECKPOINT { "checkpoint", "a checkpoint", ["lvx"] by "`resume`", 1 << 44, 0.0 in "crates/io/src/checkpoint/mod.rs", fuzz "checkpoint" }
    SESSION { "session", "a session file", ["lavoxel"] by "in place of a scene", 256 << 20, 0.0 in "crates/files/src/inside.rs", fuzz "session" }
    PACKED { "packed", "a file that a session file takes in", [] by "`scene --pack`", 16 << 20, 1.0 in "crates/scene/src/scene/pack.rs", fuzz "session" }
    FEATURES { "features", "points, lines and polygons in GeoJSON", ["geojson", "json"]
        by "`compare`, `--exposure`, `--barrier`, `barrier.file`, `flow.start.outline`, `--vent-area`, `--overlay`",
        256 << 20, 1.0 in "crates/geo/src/map/geojson.rs", fuzz "geojson" }
    GEOPACKAGE { "geopackage", "a layer of features in a GeoPackage", ["gpkg"]
        by "`compare`, `--exposure`, `--barrier`, `barrier.file`, `flow.start.outline`, `--vent-area`, `--overlay`",
        256 << 20, 0.0 in "crates/geo/src/map/gpkg.rs", fuzz "geopackage" }
    VENTS { "vents", "a table of vents", ["csv"] by "`hazard --vent-area`", 256 << 20, 1.0 in "crates/observe/src/hazard/table.rs", fuzz "vents" }
    RATES { "rates", "a table of effusion rates", ["csv"] by "`vent.rates_files`, `resume --rates`",
        16 << 20, 8.0 in "crates/scene/src/scene/rates.rs", fuzz "rates" }
    FRONTS { "fronts", "a table of positions of the front", ["csv"] by "`calibrate --front`",
        16 << 20, 8.0 in "crates/observe/src/calibrate/fronts.rs", fuzz "fronts" }
    ASSETS { "assets", "a table of exposure", ["csv"] by "`sheet`, `sheet --table`", 64 << 20, 8.0 in "crates/observe/src/sheet/table.rs", fuzz "assets" }
    RUNS { "runs", "the table of runs of a hazard map", ["csv"] by "`sheet`", 64 << 20, 8.0 in "crates/observe/src/sheet/runs.rs", fuzz "runs" }
    FIELD { "field", "measurements of a field case", ["csv", "json"] by "`verify --field`", 64 << 20, 8.0 in "crates/observe/src/verify/field/table.rs", fuzz "plan" }
    STYLE { "style", "a style of QGIS", ["qml"] by "`sheet --qgis`", 1 << 20, 4.0 in "crates/observe/src/sheet/qgis.rs", fuzz "style" }
    PLAN { "plan", "the plan of a hazard map or a fit", ["json"] by "`hazard`, `calibrate`, `sheet`", 1 << 24, 8.0 in "crates/observe/src/hazard/folder.rs", fuzz "plan" }
    RECORD { "record", "a run of a hazard map", [] by "`hazard`", 1 << 40, 1.0 in "crates/observe/src/hazard/record.rs", fuzz "record" }
    TRIAL { "trial", "a run of a fit", ["json"] by "`calibrate`", 1 << 20, 4.0 in "crates/observe/src/calibrate/folder.rs", fuzz "plan" }
    BENCH { "bench", "times of a machine", ["json"] by "`bench --compare`", 1 << 20, 8.0 in "src/cli/bench/saved.rs", fuzz "plan" }
    FRAME { "frame", "a frame of a film", ["png"] by "`render`, which goes on with a film", 1 << 32, 0.0 in "crates/io/src/export/parts.rs", fuzz "drape" }
    SOURCE { "source", "a file that a film depends on, for its fingerprint", [] by "scenes of `render`", 1 << 44, 0.0 in "crates/io/src/export/parts.rs", fuzz "input" }
    NOTES { "notes", "the plan and the list of a film's frames", [] by "`render`, which goes on with a film", 1 << 26, 2.0 in "crates/io/src/export/parts.rs", fuzz "input" }
    RECENT { "recent", "the list of files opened before", [] by "the window", 1 << 16, 2.0 in "crates/window/src/shell/recent.rs", fuzz "input" }
}

/// Reason why a file cannot be read, in words that follow its name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The system cannot read the file.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The path is no ordinary file.
    #[error("expected a file, found {0}")]
    NotRegular(&'static str),
    /// The file is longer than any of its format.
    #[error("is longer than {} MiB; is it {what}?", most >> 20)]
    TooLong {
        /// Description of the file.
        what: &'static str,
        /// Upper bound of the length, in bytes.
        most: u64,
    },
    /// The file would take more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// The bytes are not UTF-8.
    #[error("is no text: byte {0} is no UTF-8")]
    NotText(usize),
    /// The decoder panicked.
    #[error("cannot be decoded: {0}; the file is damaged")]
    Broken(String),
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Read(cause) => cause,
            InputError::Broken(_) | InputError::NotText(_) => Self::new(io::ErrorKind::InvalidData, error),
            error => Self::other(error),
        }
    }
}

/// Content of a file, whose memory is counted as long as it lives.
#[derive(Debug)]
pub struct Loaded<T> {
    content: T,
    _held: Held,
}

impl<T> std::ops::Deref for Loaded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T> Loaded<T> {
    /// Wraps content whose memory `held` counts.
    pub fn new(content: T, held: Held) -> Self {
        Self { content, _held: held }
    }

    /// Splits into the content and its counted memory.
    pub fn into_parts(self) -> (T, Held) {
        (self.content, self._held)
    }
}

/// Description of a path that is no ordinary file.
fn kind_of(about: &std::fs::Metadata) -> &'static str {
    if about.is_dir() { "a folder" } else { "a device or pipe" }
}

/// Length of an ordinary file in bytes.
///
/// # Errors
/// [`InputError::Read`] and [`InputError::NotRegular`].
pub fn length_of(path: &Path) -> Result<u64, InputError> {
    let about = std::fs::metadata(path)?;
    if about.is_file() { Ok(about.len()) } else { Err(InputError::NotRegular(kind_of(&about))) }
}

/// Refuses folders, and devices, which may have no end.
///
/// # Errors
/// Description of the refused thing.
pub fn check_regular_or_pipe(path: &Path) -> Result<(), &'static str> {
    let Ok(about) = std::fs::metadata(path) else { return Ok(()) };
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type());
    #[cfg(not(unix))]
    let is_pipe = false;
    let what = if about.is_dir() { "a folder" } else { "a device" };
    if about.is_file() || is_pipe { Ok(()) } else { Err(what) }
}

/// Decodes UTF-8 or, after a byte order mark, UTF-16, which spreadsheets write.
fn decode(bytes: Vec<u8>) -> Result<String, InputError> {
    let wide = |from: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes[2..].as_chunks::<2>().0.iter().map(|pair| from(*pair)).collect()
    };
    let units = match bytes.first_chunk::<2>() {
        Some([0xff, 0xfe]) => Some(wide(u16::from_le_bytes)),
        Some([0xfe, 0xff]) => Some(wide(u16::from_be_bytes)),
        _ => None,
    };
    match units {
        Some(units) => String::from_utf16(&units).map_err(|_| InputError::NotText(0)),
        None => String::from_utf8(bytes).map_err(|error| InputError::NotText(error.utf8_error().valid_up_to())),
    }
}

impl Reader {
    /// Finds the reader of a file by its ending.
    pub fn of_ending<'a>(path: &Path, among: &[&'a Self]) -> Option<&'a Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        among.iter().copied().find(|reader| reader.endings.contains(&ending.as_str()))
    }

    /// Opens a file; returns it with its length in bytes. Must be called inside of [`guard`].
    ///
    /// # Errors
    /// [`InputError`] for a file that is not ordinary, too long, or cannot be opened.
    pub fn open(&self, path: &Path) -> Result<(File, u64), InputError> {
        debug_assert!(GUARDED.get(), "{} is opened outside of input::guard", self.name);
        // Checked before opening, because opening a pipe waits for a writer.
        let length = length_of(path)?;
        if length > self.most_bytes {
            return Err(InputError::TooLong { what: self.what, most: self.most_bytes });
        }
        let file = File::open(path)?;
        // Another file may have taken the place of the one that was checked.
        let about = file.metadata()?;
        if about.is_file() { Ok((file, length)) } else { Err(InputError::NotRegular(kind_of(&about))) }
    }

    /// Opens a file or a pipe; the caller bounds its length.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_or_pipe(&self, path: &Path) -> Result<File, InputError> {
        check_regular_or_pipe(path).map_err(InputError::NotRegular)?;
        Ok(File::open(path)?)
    }

    /// Reads a whole file and decodes its bytes.
    ///
    /// # Errors
    /// As [`Self::open`]; [`InputError::Memory`] and [`InputError::Broken`].
    pub fn bytes<T>(&self, path: &Path, decode: impl FnOnce(Loaded<Vec<u8>>) -> T) -> Result<T, InputError> {
        guard(|| {
            let (file, length) = self.open(path)?;
            let need = MemoryEstimate::of(self.what, length as usize, self.weight.max(1.0));
            need.check("make the file shorter")?;
            // A file that grows meanwhile is cut there.
            let mut bytes = Vec::with_capacity(length as usize);
            file.take(length).read_to_end(&mut bytes)?;
            Ok(decode(Loaded::new(bytes, need.held())))
        })?
    }

    /// Reads a whole text file and parses it.
    ///
    /// # Errors
    /// As [`Self::bytes`], and [`InputError::NotText`].
    pub fn text<T>(&self, path: &Path, parse: impl FnOnce(Loaded<String>) -> T) -> Result<T, InputError> {
        self.bytes(path, |bytes| {
            let (bytes, held) = bytes.into_parts();
            let text = decode(bytes)?;
            Ok(parse(Loaded::new(text, held)))
        })?
    }
}

thread_local! {
    /// Set while this thread is in a [`guard`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder and converts its panic into an error, without a message on the standard error.
///
/// # Errors
/// [`InputError::Broken`] with the message of the panic.
pub fn guard<T>(decode: impl FnOnce() -> T) -> Result<T, InputError> {
    static QUIET: Once = Once::new();
    // The previous panic hook stays in force for all threads that decode nothing.
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                usual(panic);
            }
        }));
    });
    let before = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(before);
    result.map_err(|panic| InputError::Broken(tame(words_of(&*panic))))
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref().copied())
        .unwrap_or("its decoder stopped")
}
