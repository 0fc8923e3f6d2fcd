//! Errors of reading and writing checkpoints. Each message is one line and names a remedy.

use std::io;
use std::path::PathBuf;

use super::FORMAT;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_files::output::OutputError;
use lavoxel_scene::scene::SceneError;

/// Error while a checkpoint is read or written.
///
/// The texts of underlying errors are part of the message and are not returned as `source`, so that
/// printing a whole chain of causes does not repeat them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file is not a usable checkpoint.
    #[error("{path}: {fault}")]
    Unusable {
        /// Path of the unusable file.
        path: PathBuf,
        /// Reason why the file is unusable as a checkpoint.
        fault: Fault,
    },
    /// A file already exists at the output path and must not be replaced.
    #[error("{path} exists already: {mend}")]
    InTheWay {
        /// Path of the existing file.
        path: PathBuf,
        /// Advice to the user, as the end of the message.
        mend: String,
    },
    /// The scene of the simulation cannot be serialised as TOML.
    #[error("checkpoint: {0}")]
    Scene(Box<SceneError>),
    /// A section exceeds the size limit for its kind.
    #[error("{path}: the checkpoint's {section} is larger than {limit} bytes")]
    TooLarge {
        /// Path of the checkpoint to be written.
        path: PathBuf,
        /// Name of the section that is too large.
        section: String,
        /// Upper bound on the section's size, in bytes.
        limit: u64,
    },
    /// The checkpoint file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Reason why a file is not a usable checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The operating system reports an error while the checkpoint file is read.
    #[error("cannot read the checkpoint: {0}")]
    Read(io::Error),
    /// The file does not begin with the magic number of checkpoints.
    #[error("not a checkpoint of lavoxel")]
    Alien,
    /// The checkpoint file has a format version other than `FORMAT`.
    #[error(
        "a checkpoint of format {format}, written by lavoxel {program}; this is lavoxel {}, which reads format {FORMAT}: \
         go on with the other one",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// Format version that the file states.
        format: u16,
        /// Version of the program that wrote the checkpoint file.
        program: String,
    },
    /// The state in the file needs more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// The file is truncated; the text names the section or other part of the file at which the
    /// file ends.
    #[error("damaged: it ends in the middle of its {0}")]
    CutShort(String),
    /// The file of a shape in an event that is still to come cannot be read; the text is the cause.
    #[error("an event to come: {0}")]
    Event(String),
    /// A section, or another part of the file, has a wrong checksum or invalid content.
    #[error("damaged: its {part}: {reason}")]
    Damaged {
        /// Name of the damaged section, or words for another part of the file such as `end`.
        part: String,
        /// Description of the fault in the checkpoint file, as the end of the message.
        reason: String,
    },
}

impl Fault {
    /// Creates a `Fault::Damaged` for the section `part`, or for the part of the file that these
    /// words describe, with the message `reason`.
    pub(super) fn damaged(part: &str, reason: impl std::fmt::Display) -> Self {
        Self::Damaged {
            part: part.to_owned(),
            reason: reason.to_string(),
        }
    }
}
