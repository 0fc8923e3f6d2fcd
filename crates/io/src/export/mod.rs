//! Pictures, animations, maps, volumes and meshes as files: one file of code per format, each written whole or not at all.

mod about;
mod apng;
mod asc;
mod caption;
mod film;
mod format;
mod geojson;
mod geotiff;
mod gif;
mod gpkg;
mod kmz;
pub mod maps;
pub mod mesh;
mod mp4;
pub mod npz;
mod parts;
mod picture;
mod png;
mod qml;
mod shapes;
mod space;
mod sparse;
mod state;
mod style;
mod subject;
mod values;
mod vdb;
mod vti;
mod webp;

use std::path::{Path, PathBuf};

use lavoxel_base::memory::TooMuchMemory;
use lavoxel_base::validate::Invalid;
use lavoxel_files::output::OutputError;

pub use self::about::CAUTION;
pub use self::about::{About, NO_FORECAST, NO_FORECAST_OF_FLOW};
pub use self::caption::{Caption, Class};
pub use self::film::{Animation, Film, animation_formats, check_animation, create_animation};
pub use self::parts::{Part, Parts, fingerprints};
pub use self::png::png_at;
pub use self::png::{Label, write_png, write_png_at};
pub use self::qml::escaped;
pub use self::space::{SpaceFile, mesh_formats, volume_formats};
pub use self::state::ExportState;
pub use self::vdb::write_vdb;
pub use self::vti::{MAX_CELLS, check_vti, write_pvd, write_vti};

/// Why a picture, an animation or data could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of the file names no format that is known.
    #[error("{path}: no {purpose} format ends in {ending:?}; known are {known}")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Purpose of the file: an animation, a map, a volume or a mesh.
        purpose: &'static str,
        /// Its ending.
        ending: String,
        /// The endings that are known.
        known: String,
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
    /// A folder beside a film holds frames of another one.
    #[error("{folder} is in the way of this film's frames: {difference}; {mend}")]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// The first difference, in words.
        difference: String,
        /// Ways out.
        mend: &'static str,
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

    /// The error of an encoder that gives `reason`.
    pub fn encoder(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Encoder { path: path.to_owned(), reason: reason.to_string() }
    }
}
