//! Input files: the list of all formats, and the only functions that open input files.
//!
//! Each format is a [`Reader`] in [`READERS`], and only a reader opens files: it accepts regular
//! files of bounded length and checks the memory before it reads the first byte.
//! `tests/program/memory_limit.rs`, the targets of `fuzz/` and the table of SECURITY.md cover every
//! reader; tests fail if a reader is missing there, or if library code opens a file without a
//! reader.

use std::any::Any;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};
use lavoxel_base::validate::escape_for_terminal;

/// Reader of one input format: the limits of the format, and functions that open its files.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reader {
    /// Short name of the format in documentation, such as `rates`.
    pub name: &'static str,
    /// Description of a file of this format, such as `a table of effusion rates`.
    pub what: &'static str,
    /// File extensions in lower case, without the dot; empty if the name of the file is fixed or
    /// derived from the name of a related file.
    pub endings: &'static [&'static str],
    /// Commands, scene keys and flags that take such a file, for documentation.
    pub named_by: &'static str,
    /// Upper bound on the length of a file of this format, in bytes.
    pub most_bytes: u64,
    /// Peak memory while a file is decoded, in bytes per byte of the file; checked before the file
    /// is read.
    pub weight: f64,
    /// Path of the source file that checks the memory of the decoded content.
    pub weighed_in: &'static str,
    /// Name of the fuzz target that tests the decoder of this format.
    pub fuzz: &'static str,
}

/// Upper bound on the length of a raster file in bytes (64 GiB): room for the heights of the
/// largest possible simulation box as text.
const RASTER: u64 = 1 << 36;

/// Declares readers as constants together with the list of all readers, so that the list is always
/// complete.
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

        /// Readers of all input formats.
        pub static READERS: &[&Reader] = &[$(&$constant),*];
    };
}

/// Readers of all raster formats that can contain a heightmap.
pub static RASTERS: &[&Reader] = &[
    &ASC, &CSV, &DEM, &EXR, &HGT, &LAS, &NC, &NPY, &PNG, &RAW, &TIF, &VRT, &XYZ,
];

readers! {
    SCENE { "scene", "a scene in TOML", ["toml"] by "`run`, `render`, `view`, `scene`, `hazard`, `calibrate`",
        32 << 20, 1.0 in "crates/scene/src/scene/need.rs", fuzz "scene" }
    ASC { "asc", "an ESRI grid", ["asc"] by "`terrain.file`, `terrain`, `compare`, `sheet`, `--survey`, `--start`",
        RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "asc" }
    CSV { "csv", "heights as a table", ["csv"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "csv" }
    DEM { "dem", "a USGS DEM", ["dem"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "dem" }
    EXR { "exr", "heights in a picture of floats", ["exr"] by "`terrain.file`, `terrain`", RASTER, 1.0 in "crates/geo/src/terrain/formats/exr.rs", fuzz "exr" }
    HGT { "hgt", "an SRTM tile", ["hgt"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "hgt" }
    LAS { "las", "points of a laser scan", ["las", "laz"] by "`terrain.file`, `terrain`", RASTER, 1.0 in "crates/geo/src/terrain/formats/las.rs", fuzz "las" }
    NC { "nc", "heights in netCDF", ["cdf", "grd", "nc", "nc4"] by "`terrain.file`, `terrain`, `compare`, `sheet`, `--survey`, `--start`",
        RASTER, 1.0 in "crates/geo/src/terrain/formats/netcdf.rs", fuzz "nc" }
    NPY { "npy", "an array of NumPy", ["npy"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "npy" }
    PNG { "png", "a gray picture of heights", ["png"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/formats/png.rs", fuzz "png" }
    RAW { "raw", "bare numbers", ["r16", "r32", "raw"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "raw" }
    TIF { "tif", "a GeoTIFF", ["tif", "tiff"] by "`terrain.file`, `terrain`, `compare`, `sheet`, `--survey`, `--start`",
        RASTER, 0.0 in "crates/geo/src/terrain/formats/geotiff/directory.rs", fuzz "tif" }
    VRT { "vrt", "a virtual raster of GDAL", ["vrt"] by "`terrain.file`, `terrain`", 64 << 20, 6.0 in "crates/geo/src/terrain/formats/vrt.rs", fuzz "vrt" }
    XYZ { "xyz", "points on a grid", ["xyz"] by "`terrain.file`, `terrain`", RASTER, 0.0 in "crates/geo/src/terrain/error.rs", fuzz "xyz" }
    PRJ { "prj", "a projection", ["prj"] by "a raster of the same name", 1 << 20, 4.0 in "crates/geo/src/map/crs.rs", fuzz "prj" }
    DRAPE { "drape", "a picture over the ground", ["gif", "jpeg", "jpg", "png", "tif", "tiff", "webp"] by "`terrain.drape`, `--drape`",
        RASTER, 0.0 in "crates/geo/src/terrain/photo.rs", fuzz "drape" }
    STL { "stl", "a mesh in STL", ["stl"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/triangles.rs", fuzz "mesh" }
    OBJ { "obj", "a mesh in OBJ", ["obj"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/obj.rs", fuzz "mesh" }
    GLB { "glb", "a mesh in glTF", ["glb"] by "`shape = { kind = \"mesh\" }`", 512 << 20, 1.0 in "crates/geo/src/mesh/glb.rs", fuzz "mesh" }
    VOX { "vox", "blocks of MagicaVoxel", ["vox"] by "in place of a scene, `shape = { kind = \"blocks\" }`", 256 << 20, 12.0 in "crates/geo/src/blocks/vox.rs", fuzz "mesh" }
    SCHEM { "schem", "blocks of Minecraft, by Sponge", ["schem"] by "in place of a scene, `shape = { kind = \"blocks\" }`",
        256 << 20, 1.0 in "crates/geo/src/blocks/nbt.rs", fuzz "mesh" }
    LITEMATIC { "litematic", "blocks of Minecraft, by Litematica", ["litematic"] by "in place of a scene, `shape = { kind = \"blocks\" }`",
        256 << 20, 1.0 in "crates/geo/src/blocks/nbt.rs", fuzz "mesh" }
    BLOCKS { "blocks", "a table of blocks in TOML", ["toml"] by "`--blocks`", 1 << 20, 8.0 in "crates/geo/src/blocks/mod.rs", fuzz "scene" }
    CHECKPOINT { "checkpoint", "a checkpoint", ["lvx"] by "`resume`", 1 << 44, 0.0 in "crates/io/src/checkpoint/mod.rs", fuzz "checkpoint" }
    SESSION { "session", "a session file", ["lavoxel"] by "in place of a scene", 256 << 20, 0.0 in "crates/files/src/archive.rs", fuzz "session" }
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
    PLAN { "plan", "the plan of a hazard map or a fit", ["json"] by "`hazard`, `calibrate`, `sheet`", 1 << 24, 8.0 in "crates/observe/src/study/folder.rs", fuzz "plan" }
    RECORD { "record", "a run of a hazard map", [] by "`hazard`", 1 << 40, 1.0 in "crates/observe/src/hazard/record.rs", fuzz "record" }
    TRIAL { "trial", "a run of a fit", ["json"] by "`calibrate`", 1 << 20, 4.0 in "crates/observe/src/calibrate/record.rs", fuzz "plan" }
    BENCH { "bench", "times of a machine", ["json"] by "`bench --compare`", 1 << 20, 8.0 in "src/cli/bench/saved.rs", fuzz "plan" }
    FRAME { "frame", "a frame of a film", ["png"] by "`render`, which goes on with a film", 1 << 32, 0.0 in "crates/io/src/export/parts.rs", fuzz "drape" }
    SOURCE { "source", "a file that a film depends on, for its fingerprint", [] by "scenes of `render`", 1 << 44, 0.0 in "crates/io/src/export/parts.rs", fuzz "input" }
    NOTES { "notes", "the plan and the list of a film's frames", [] by "`render`, which goes on with a film", 1 << 26, 2.0 in "crates/io/src/export/parts.rs", fuzz "input" }
    RECENT { "recent", "the list of files opened before", [] by "the window", 1 << 16, 2.0 in "crates/window/src/shell/recent.rs", fuzz "input" }
}

/// Error while an input file is read. The message is the end of a sentence that begins with the
/// file's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The operating system reports an error while an input file is read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The path is not a regular file but, for example, a folder or a device; the text describes
    /// the object.
    #[error("expected a file, found {0}")]
    NotRegular(&'static str),
    /// The file is longer than a file of its format may be.
    #[error("is longer than {} MiB; is it {what}?", most >> 20)]
    TooLong {
        /// Description of a file of the expected format.
        what: &'static str,
        /// Upper bound on the length of a file of the format, in bytes.
        most: u64,
    },
    /// The content of the input file would need more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// The bytes are not valid UTF-8; the number is the offset in bytes of the first invalid byte.
    #[error("is no text: byte {0} is no UTF-8")]
    NotText(usize),
    /// The decoder panicked; the text is the message of the panic.
    #[error("cannot be decoded: {0}; the file is damaged")]
    Broken(String),
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Read(cause) => cause,
            InputError::Broken(_) | InputError::NotText(_) => {
                Self::new(io::ErrorKind::InvalidData, error)
            }
            error => Self::other(error),
        }
    }
}

/// Content of an input file; the memory limit counts the content's memory until the value is
/// dropped.
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
    /// Combines `content` with `held`, the reservation of its memory.
    pub fn new(content: T, held: Held) -> Self {
        Self {
            content,
            _held: held,
        }
    }

    /// Returns the content of the file, and the reservation of its memory.
    pub fn into_parts(self) -> (T, Held) {
        (self.content, self._held)
    }
}

/// Returns a description of an object that is no regular file, such as `a folder`; `about`:
/// metadata of the object.
fn kind_of(about: &std::fs::Metadata) -> &'static str {
    if about.is_dir() {
        "a folder"
    } else {
        "a device or pipe"
    }
}

/// Returns the length of the regular file at `path` in bytes.
///
/// # Errors
/// [`InputError::Read`] if the path cannot be accessed; [`InputError::NotRegular`] for a folder or
/// a device.
pub fn length_of(path: &Path) -> Result<u64, InputError> {
    let about = std::fs::metadata(path)?;
    if about.is_file() {
        Ok(about.len())
    } else {
        Err(InputError::NotRegular(kind_of(&about)))
    }
}

/// Checks that `path` is not a folder or a device, whose input may be endless. Regular files, pipes
/// and missing files pass.
///
/// # Errors
/// Description of the rejected object, such as `a folder`.
pub fn check_regular_or_pipe(path: &Path) -> Result<(), &'static str> {
    let Ok(about) = std::fs::metadata(path) else {
        return Ok(());
    };
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type());
    #[cfg(not(unix))]
    let is_pipe = false;
    let what = if about.is_dir() {
        "a folder"
    } else {
        "a device"
    };
    if about.is_file() || is_pipe {
        Ok(())
    } else {
        Err(what)
    }
}

/// Decodes UTF-8 text or, if `bytes` begin with the byte order mark of UTF-16, UTF-16 text, which
/// spreadsheet programs write. Fails for invalid text.
fn decode(bytes: Vec<u8>) -> Result<String, InputError> {
    let wide = |from: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes[2..]
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| from(*pair))
            .collect()
    };
    let units = match bytes.first_chunk::<2>() {
        Some([0xff, 0xfe]) => Some(wide(u16::from_le_bytes)),
        Some([0xfe, 0xff]) => Some(wide(u16::from_be_bytes)),
        _ => None,
    };
    match units {
        Some(units) => String::from_utf16(&units).map_err(|_| InputError::NotText(0)),
        None => String::from_utf8(bytes)
            .map_err(|error| InputError::NotText(error.utf8_error().valid_up_to())),
    }
}

/// Extension of a path in lower case; empty for a name without one.
pub fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_lowercase()
}

impl Reader {
    /// Returns the first reader in `among` whose extensions include that of `path`, ignoring case;
    /// `None` if no reader does.
    pub fn of_ending<'a>(path: &Path, among: &[&'a Self]) -> Option<&'a Self> {
        let ending = ending(path);
        among
            .iter()
            .copied()
            .find(|reader| reader.endings.contains(&ending.as_str()))
    }

    /// Opens the regular file at `path`. Returns the file and its length in bytes. Must be called
    /// inside [`guard`].
    ///
    /// # Errors
    /// [`InputError`] if the file is not regular, is too long, or cannot be opened.
    pub fn open(&self, path: &Path) -> Result<(File, u64), InputError> {
        debug_assert!(
            GUARDED.get(),
            "{} is opened outside of input::guard",
            self.name
        );
        // Checked before opening, because opening a pipe waits for a writer.
        let length = length_of(path)?;
        if length > self.most_bytes {
            return Err(InputError::TooLong {
                what: self.what,
                most: self.most_bytes,
            });
        }
        let file = File::open(path)?;
        // The path may refer to another file by now than when it was checked.
        let about = file.metadata()?;
        if about.is_file() {
            Ok((file, length))
        } else {
            Err(InputError::NotRegular(kind_of(&about)))
        }
    }

    /// Opens the regular file or pipe at `path`. Its length is not checked: the caller must limit
    /// the number of bytes read.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub fn open_or_pipe(&self, path: &Path) -> Result<File, InputError> {
        check_regular_or_pipe(path).map_err(InputError::NotRegular)?;
        Ok(File::open(path)?)
    }

    /// Reads the whole file at `path` into memory, passes the bytes to `decode`, and returns its
    /// result.
    ///
    /// # Errors
    /// The errors of [`Self::open`]; [`InputError::Memory`] above the memory limit;
    /// [`InputError::Broken`] if `decode` panics.
    pub fn bytes<T>(
        &self,
        path: &Path,
        decode: impl FnOnce(Loaded<Vec<u8>>) -> T,
    ) -> Result<T, InputError> {
        guard(|| {
            let (file, length) = self.open(path)?;
            let need = MemoryEstimate::new(self.what, length as usize, self.weight.max(1.0));
            need.check("make the file shorter")?;
            // Bytes appended to the file since its length was read are ignored.
            let mut bytes = Vec::with_capacity(length as usize);
            file.take(length).read_to_end(&mut bytes)?;
            Ok(decode(Loaded::new(bytes, need.held())))
        })?
    }

    /// Reads the whole text file at `path` into memory, passes the text to `parse`, and returns its
    /// result.
    ///
    /// # Errors
    /// The errors of [`Self::bytes`], and [`InputError::NotText`] for invalid UTF-8.
    pub fn text<T>(
        &self,
        path: &Path,
        parse: impl FnOnce(Loaded<String>) -> T,
    ) -> Result<T, InputError> {
        self.bytes(path, |bytes| {
            let (bytes, held) = bytes.into_parts();
            let text = decode(bytes)?;
            Ok(parse(Loaded::new(text, held)))
        })?
    }
}

thread_local! {
    /// Set while the current thread runs a decoder inside `guard`.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `decode` and converts a panic in it to an error. The message of the panic is not printed.
///
/// # Errors
/// [`InputError::Broken`] with the message of the panic.
pub fn guard<T>(decode: impl FnOnce() -> T) -> Result<T, InputError> {
    static QUIET: Once = Once::new();
    // The previous panic hook stays in force for threads outside of a decoder.
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
    result.map_err(|panic| InputError::Broken(escape_for_terminal(words_of(&*panic))))
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref().copied())
        .unwrap_or("its decoder stopped")
}
