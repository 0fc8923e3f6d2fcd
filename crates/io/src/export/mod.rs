//! File export of pictures, animations, maps, volumes and meshes: one file of code per format.
//!
//! - Invariant: a file is written completely or not at all.

mod apng;
mod asc;
mod blocks;
mod caption;
mod exr;
mod film;
mod format;
mod geojson;
mod geotiff;
mod gif;
mod gpkg;
mod kmz;
mod map_quantity;
pub mod maps;
mod mask;
pub mod mesh;
mod mp4;
pub mod netcdf;
pub mod npz;
mod parts;
mod picture;
mod png;
mod provenance;
mod qml;
mod shapes;
mod space;
mod sparse;
mod state;
mod style;
mod values;
mod vdb;
mod vti;
mod webp;

use std::path::{Path, PathBuf};

use lavoxel_base::memory::TooMuchMemory;
use lavoxel_base::validate::Invalid;
use lavoxel_files::output::OutputError;

pub use self::blocks::{BlocksPart, parts_of};
pub use self::caption::{Caption, Class};
pub use self::exr::write_exr;
pub use self::film::{Animation, Film, animation_formats, check_animation, create_animation};
pub use self::geojson::{LineFeature, document_of_lines};
pub use self::parts::{CachedFrame, Parts, fingerprints};
pub use self::png::png_at;
pub use self::png::{Label, write_png, write_png_at};
pub use self::provenance::CAUTION;
pub use self::provenance::{NO_FORECAST, NO_FORECAST_OF_FLOW, Provenance};
pub use self::qml::escaped;
pub use self::space::{SpaceFile, mesh_formats, volume_formats};
pub use self::state::ExportState;
pub use self::vdb::write_vdb;
pub use self::vti::{MAX_CELLS, check_vti, write_pvd, write_vti};

/// Error while an export file is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The extension of the output path is unknown.
    #[error("{path}: no {purpose} format ends in {ending:?}; known are {known}")]
    UnknownFormat {
        /// Path with the unknown extension.
        path: PathBuf,
        /// Kind of output for messages: animation, map, volume or mesh.
        purpose: &'static str,
        /// Unknown extension of the output path.
        ending: String,
        /// Supported extensions as text, such as `.png, .webp and .gif`.
        known: String,
    },
    /// The map cannot be written as `.kmz`, because its coordinate system cannot be converted to
    /// longitude and latitude.
    #[error(
        "{path}: a .kmz has longitude and latitude, to which the map's coordinate system does not lead: say it with --crs EPSG:NUMBER"
    )]
    NoDegrees {
        /// Path of the `.kmz` file that was to be written.
        path: PathBuf,
    },
    /// The file format cannot represent the simulation box; the message states the reason.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// An MP4 cannot be written, because ffmpeg is not installed.
    #[error(
        "{path}: MP4 needs the program ffmpeg, which was not found; install it, or write .png, .webp or .gif"
    )]
    NoFfmpeg {
        /// Path of the MP4 file that was to be written.
        path: PathBuf,
    },
    /// The data exceed a size limit of the file format.
    #[error("{path}: {reason}")]
    TooLarge {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// Limit of the format and size of the data, as text.
        reason: String,
    },
    /// The export needs more memory than allowed.
    #[error("{path}: {cause}")]
    Memory {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// Required and allowed memory, for the message.
        cause: TooMuchMemory,
    },
    /// An encoder library failed while a file was written.
    #[error("cannot encode {path}: {reason}")]
    Encoder {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// Error message of the encoder library.
        reason: String,
    },
    /// The frame folder belongs to a film with other settings.
    #[error("{folder} is in the way of this film's frames: {difference}; {mend}")]
    OtherPlan {
        /// Path of the frame folder.
        folder: PathBuf,
        /// First difference between the settings of both films, as text.
        difference: String,
        /// Advice to the user, as the end of the message.
        mend: &'static str,
    },
    /// The output file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Advice to the user in messages about the memory limit.
const MEND: &str = "write less of it, or make the box coarser";

impl ExportError {
    /// Returns a function that converts a memory error during the export to `path` to an
    /// `ExportError`.
    fn memory(path: &Path) -> impl Fn(TooMuchMemory) -> Self {
        move |cause| Self::Memory {
            path: path.to_owned(),
            cause,
        }
    }

    /// Converts the I/O error `cause`, which occurred while `path` was written, to an
    /// `ExportError`; a memory error inside `cause` becomes `Self::Memory`.
    fn writing(path: &Path, cause: std::io::Error) -> Self {
        match cause
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<TooMuchMemory>())
        {
            Some(too_much) => Self::Memory {
                path: path.to_owned(),
                cause: too_much.clone(),
            },
            None => OutputError::io(path, cause).into(),
        }
    }

    /// Creates the error that an encoder failed while `path` was written, with the message
    /// `reason`.
    pub fn encoder(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Encoder {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
