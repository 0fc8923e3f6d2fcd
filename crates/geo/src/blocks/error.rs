//! Errors of files of blocks; each message names a remedy.

use std::io;
use std::path::{Path, PathBuf};

use super::{MOST_KINDS, endings};
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::InputError;

/// Error of a file of blocks: path and fault.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", escape_for_terminal(&path.display().to_string()))]
pub struct BlocksError {
    /// Path of the file of blocks.
    pub path: PathBuf,
    fault: Fault,
}

impl BlocksError {
    pub(super) fn new(path: &Path, fault: Fault) -> Self {
        Self {
            path: path.to_owned(),
            fault,
        }
    }
}

/// Fault of a file of blocks.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    #[error("{0}")]
    Input(InputError),
    #[error("not a known format of blocks; known are {}", endings())]
    UnknownFormat,
    #[error("not a file of blocks in the format {format}: {found}; export it again")]
    Content { format: &'static str, found: String },
    #[error(
        "a side of {0} blocks; a box has at most {MAX_SIDE} along each axis: cut the file into parts"
    )]
    TooWide(usize),
    #[error("more than {MOST_KINDS} kinds of blocks; cut the file into parts")]
    Kinds,
    #[error("has no blocks; export it again")]
    Empty,
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    #[error("{}", no_blocks(.wanted, .names))]
    NoBlocks {
        wanted: Vec<String>,
        names: Vec<String>,
    },
}

impl From<InputError> for Fault {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Memory(cause) => Self::Memory(cause),
            error => Self::Input(error),
        }
    }
}

impl Fault {
    /// Creates the fault that the content of the file does not match the format named `format`.
    /// `found`: description of the content.
    #[allow(clippy::needless_pass_by_value, reason = "errors and words alike")]
    pub(super) fn content(format: &'static str, found: impl ToString) -> Self {
        Self::Content {
            format,
            found: escape_for_terminal(&found.to_string()),
        }
    }
}

/// Returns the message that no block has one of the names `wanted`; `names`: names of the file.
fn no_blocks(wanted: &[String], names: &[String]) -> String {
    /// Upper bound on the number of names in a list.
    const MOST: usize = 12;
    let list = |names: &[String]| {
        let quoted = names.iter().take(MOST);
        let mut text = quoted
            .map(|name| escape_for_terminal(name))
            .collect::<Vec<_>>()
            .join(", ");
        if names.len() > MOST {
            text += &format!(" and {} more", names.len() - MOST);
        }
        text
    };
    match (wanted, names) {
        ([], _) | (_, []) => "has air only; name another file".to_owned(),
        _ => format!("no block {}; the file has {}", list(wanted), list(names)),
    }
}
