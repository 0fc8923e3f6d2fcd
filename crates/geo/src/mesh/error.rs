//! Errors of mesh files; each message names a remedy.

use std::io;
use std::path::PathBuf;

use super::cells::NoCells;
use super::read::{MAX_TRIANGLES, endings};
use lavoxel_base::memory::{TooMuchMemory, shown};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_files::input::{InputError, STL};

/// Error of a mesh file: path and fault.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", escape_for_terminal(&path.display().to_string()))]
pub struct MeshError {
    /// Path of the mesh file.
    pub path: PathBuf,
    /// Fault of the mesh file, with its remedy.
    pub(super) fault: Fault,
}

/// Fault of a mesh file, such as invalid content, excessive size or a missing part.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("cannot be read: {0}")]
    Read(io::Error),
    #[error("not a regular file; name a mesh ({})", endings())]
    NotRegular,
    #[error("not a known mesh format; known are {}", endings())]
    UnknownFormat,
    #[error("not a mesh in the format {format}: {found}; export it again")]
    Content { format: &'static str, found: String },
    #[error("more than the {} that a mesh may have; coarsen it first", shown(STL.most_bytes))]
    TooLong,
    #[error(
        "more than the {MAX_TRIANGLES} triangles that a mesh may have; coarsen it first (Blender: Decimate)"
    )]
    TooMany,
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    #[error("a corner is not at a finite place; export the mesh again")]
    NotFinite,
    #[error("no triangles with an area; export the mesh again, as triangles")]
    Empty,
    #[error("no part \"{}\"; {}", escape_for_terminal(.wanted), known(.names))]
    NoPart { wanted: String, names: Vec<String> },
    #[error("the mesh is flat: give unit_m in place of height, or another up")]
    Flat,
    #[error("{}", no_cells(.0))]
    NoCells(NoCells),
}

impl From<InputError> for Fault {
    fn from(error: InputError) -> Self {
        match error {
            InputError::NotRegular(_) => Self::NotRegular,
            InputError::TooLong { .. } => Self::TooLong,
            InputError::Memory(cause) => Self::Memory(cause),
            error => Self::Read(error.into()),
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

/// Returns the part names `names` of a file as a list for a message.
fn known(names: &[String]) -> String {
    const MOST: usize = 12;
    if names.is_empty() {
        return "its parts have no names: leave part out".to_owned();
    }
    let some: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("\"{}\"", escape_for_terminal(name)))
        .collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("the file has {}{more}", some.join(", "))
}

fn no_cells(reason: &NoCells) -> String {
    match reason {
        NoCells::Open { edges, doubt } => format!(
            "the mesh is not closed: {edges} open edges, and {:.0} % of its cells may be inside or outside; close its holes \
             (Blender: Mesh, Clean Up, Fill Holes), or name a closed part",
            (100.0 * doubt).max(1.0)
        ),
        NoCells::Thin => {
            "no cell of the box lies inside the mesh: move it into the box, or make it larger than a cell \
                          (height or unit_m)"
                .to_owned()
        }
        NoCells::Tangled => "its triangles lie over each other in too many layers; clean the mesh up, or make it \
                             smaller"
            .to_owned(),
    }
}
