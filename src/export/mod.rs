//! Pictures, animations, maps, volumes and meshes as files: one file of code per format, each written whole or not at all.

mod about;
mod apng;
mod asc;
mod caption;
mod geojson;
mod geotiff;
mod gif;
mod gpkg;
#[cfg(feature = "render")]
mod kmz;
pub mod maps;
pub mod mesh;
mod mp4;
pub mod npz;
#[cfg(feature = "render")]
mod picture;
mod png;
mod qml;
mod shapes;
mod sparse;
mod state;
mod style;
mod subject;
mod values;
mod vdb;
mod vti;
mod webp;

use std::path::{Path, PathBuf};

use crate::memory::TooMuchMemory;
use crate::output::{Existing, OutputError, WholeFile, check_free};
use crate::validate::Invalid;

pub use self::about::{About, NO_FORECAST};
pub use self::caption::Caption;
pub use self::png::{Label, write_png};
pub use self::state::ExportState;
pub use self::vdb::write_vdb;
pub use self::vti::{MAX_CELLS, check_vti, write_pvd, write_vti};

/// Why a picture, an animation or data could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of the file names no format that is known.
    #[error("{path}: no animation format ends in {ending:?}; known are .png (APNG), .webp, .gif and .mp4")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
    },
    /// The ending of the file names no format of maps.
    #[error(
        "{path}: no map format ends in {ending:?}; known are .tif (GeoTIFF), .asc (ESRI ASCII grid), .geojson and .gpkg (lines, polygons), .png (picture) and .kmz (for Google Earth)"
    )]
    UnknownMapFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
    },
    /// A map that is to lie on the globe has no way there.
    #[error(
        "{path}: a .kmz has longitude and latitude, to which the map's coordinate system does not lead: say it with --crs EPSG:NUMBER"
    )]
    NoDegrees {
        /// The file.
        path: PathBuf,
    },
    /// The box cannot be written in this format.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// MP4 needs a program that is not there.
    #[error("{path}: MP4 needs the program ffmpeg, which was not found; install it, or write .png, .webp or .gif")]
    NoFfmpeg {
        /// The file.
        path: PathBuf,
    },
    /// There is more than the format takes.
    #[error("{path}: {reason}")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Limits of the format, and what was given.
        reason: String,
    },
    /// Writing it takes more memory than allowed.
    #[error("{path}: {cause}")]
    Memory {
        /// The file.
        path: PathBuf,
        /// How much it would take.
        cause: TooMuchMemory,
    },
    /// An encoder refused the picture.
    #[error("cannot encode {path}: {reason}")]
    Encoder {
        /// The file.
        path: PathBuf,
        /// Error of the encoder.
        reason: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// How a file takes less memory.
const MEND: &str = "write less of it, or make the box coarser";

impl ExportError {
    /// Memory that writing a file would take.
    fn memory(path: &Path) -> impl Fn(TooMuchMemory) -> Self {
        move |cause| Self::Memory { path: path.to_owned(), cause }
    }

    /// Error while a file was written: of the system, or of contents that do not fit.
    fn writing(path: &Path, cause: std::io::Error) -> Self {
        match cause.get_ref().and_then(|inner| inner.downcast_ref::<TooMuchMemory>()) {
            Some(too_much) => Self::Memory { path: path.to_owned(), cause: too_much.clone() },
            None => OutputError::io(path, cause).into(),
        }
    }

    fn encoder(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Encoder { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Size and speed of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Film {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Frames per second, 1..=60.
    pub fps: u32,
}

impl Film {
    /// Start of a frame in milliseconds.
    fn start_ms(self, frame: u32) -> u32 {
        (u64::from(frame) * 1000 / u64::from(self.fps)) as u32
    }
}

/// An animation that is being written.
pub trait Animation {
    /// Adds a frame: rows from the top, 8-bit sRGB, `3 · width · height` bytes.
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError>;

    /// Adds a frame that is shown as long as `frames` of them.
    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        (0..frames).try_for_each(|_| self.frame(rgb))
    }

    /// Completes the file and puts it in its place; the frames so far are the whole animation.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// The animation formats, chosen by the ending of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Apng,
    Gif,
    Mp4,
    WebP,
}

fn format_of(path: &Path) -> Result<Format, ExportError> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "png" | "apng" => Ok(Format::Apng),
        "gif" => Ok(Format::Gif),
        "mp4" => Ok(Format::Mp4),
        "webp" => Ok(Format::WebP),
        _ => Err(ExportError::UnknownFormat { path: path.to_owned(), ending }),
    }
}

/// Checks, before long work, that an animation can be written at `path`.
pub fn check_animation(path: &Path, existing: Existing) -> Result<(), ExportError> {
    if format_of(path)? == Format::Mp4 && !mp4::ffmpeg_is_there() {
        return Err(ExportError::NoFfmpeg { path: path.to_owned() });
    }
    Ok(check_free(path, existing)?)
}

/// Starts an animation in the format that the ending of `path` names.
pub fn create_animation(path: &Path, film: Film, existing: Existing) -> Result<Box<dyn Animation>, ExportError> {
    check_animation(path, existing)?;
    let format = format_of(path)?;
    let file = WholeFile::create(path, existing)?;
    Ok(match format {
        Format::Apng => Box::new(apng::Apng::new(file, film)?),
        Format::Gif => Box::new(gif::Gif::new(file, film)?),
        Format::Mp4 => Box::new(mp4::Mp4::new(file, film)?),
        Format::WebP => Box::new(webp::WebP::new(file, film)?),
    })
}
