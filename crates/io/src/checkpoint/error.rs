//! Errors of a checkpoint, each in one line with the mend.

use std::io;
use std::path::PathBuf;

use super::FORMAT;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_files::output::OutputError;
use lavoxel_scene::scene::SceneError;

/// Why a checkpoint could not be read or written.
///
/// Causes are part of the message and not a `source`, so that printing a whole chain of causes says them once.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be used.
    #[error("{path}: {fault}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Fault of the file.
        fault: Fault,
    },
    /// A file that was there before is in the way.
    #[error("{path} exists already: {mend}")]
    InTheWay {
        /// The file.
        path: PathBuf,
        /// Mend, in words.
        mend: String,
    },
    /// The scene cannot be written as TOML.
    #[error("checkpoint: {0}")]
    Scene(Box<SceneError>),
    /// More than a checkpoint may hold.
    #[error("{path}: the checkpoint's {section} is larger than {limit} bytes")]
    TooLarge {
        /// The file that was to be written.
        path: PathBuf,
        /// The part of it.
        section: String,
        /// Most bytes.
        limit: u64,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// The fault of a file that should be a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system does not let it be read.
    #[error("cannot read the checkpoint: {0}")]
    Read(io::Error),
    /// It does not begin like a checkpoint.
    #[error("not a checkpoint of lavoxel")]
    Alien,
    /// It comes from another version.
    #[error(
        "a checkpoint of format {format}, written by lavoxel {program}; this is lavoxel {}, which reads format {FORMAT}: \
         go on with the other one",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// Version of the format.
        format: u16,
        /// Version of the program that wrote it.
        program: String,
    },
    /// Contents that take more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// It ends too early.
    #[error("damaged: it ends in the middle of its {0}")]
    CutShort(String),
    /// The file of a shape that an event to come puts into the box cannot be used.
    #[error("an event to come: {0}")]
    Event(String),
    /// A part of it was changed after it was written, or was never valid.
    #[error("damaged: its {part}: {reason}")]
    Damaged {
        /// The part of the file.
        part: String,
        /// Fault, in words.
        reason: String,
    },
}

impl Fault {
    /// A fault in a part of the file.
    pub(super) fn damaged(part: &str, reason: impl std::fmt::Display) -> Self {
        Self::Damaged { part: part.to_owned(), reason: reason.to_string() }
    }
}
