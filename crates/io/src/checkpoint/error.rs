//! Errors of checkpoints; each message is one line with a remedy.

use std::io;
use std::path::PathBuf;

use super::FORMAT;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_files::output::OutputError;
use lavoxel_scene::scene::SceneError;

/// Error while a checkpoint is read or written.
///
/// Causes are part of the message and not a `source`, so that printing a whole chain of causes does
/// not repeat them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// File that is not a usable checkpoint.
    #[error("{path}: {fault}")]
    Unusable {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the file.
        fault: Fault,
    },
    /// Existing file that may not be replaced.
    #[error("{path} exists already: {mend}")]
    InTheWay {
        /// Path of the file.
        path: PathBuf,
        /// Remedy, as text.
        mend: String,
    },
    /// Scene that cannot be serialised as TOML.
    #[error("checkpoint: {0}")]
    Scene(Box<SceneError>),
    /// Section that exceeds its size limit.
    #[error("{path}: the checkpoint's {section} is larger than {limit} bytes")]
    TooLarge {
        /// Path of the file to be written.
        path: PathBuf,
        /// Name of the section.
        section: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// File that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Reason why a file is no usable checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// I/O error of the operating system.
    #[error("cannot read the checkpoint: {0}")]
    Read(io::Error),
    /// File without the magic number of checkpoints.
    #[error("not a checkpoint of lavoxel")]
    Alien,
    /// File of another format version.
    #[error(
        "a checkpoint of format {format}, written by lavoxel {program}; this is lavoxel {}, which reads format {FORMAT}: \
         go on with the other one",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// Version of the format.
        format: u16,
        /// Version of the program that wrote the file.
        program: String,
    },
    /// Checkpoint that exceeds the memory limit.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// Truncated file; the text names the part in which it ends.
    #[error("damaged: it ends in the middle of its {0}")]
    CutShort(String),
    /// Shape file of a scheduled event that cannot be read; the text is the cause.
    #[error("an event to come: {0}")]
    Event(String),
    /// Part with a wrong checksum or invalid content.
    #[error("damaged: its {part}: {reason}")]
    Damaged {
        /// Name of the part.
        part: String,
        /// Fault in words.
        reason: String,
    },
}

impl Fault {
    /// Creates the fault of an invalid part `part` for the reason `reason`.
    pub(super) fn damaged(part: &str, reason: impl std::fmt::Display) -> Self {
        Self::Damaged {
            part: part.to_owned(),
            reason: reason.to_string(),
        }
    }
}
