//! Export of a step in space as volume or mesh; the format follows from the file extension.

use std::path::{Path, PathBuf};

use super::format::{Format, Formats};
use super::mesh::{Skin, need_of_glb, write_glb, write_ply};
use super::{ExportError, ExportState, check_vti, write_pvd, write_vdb, write_vti};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::Existing;

/// Function that writes the list of a series: steps, and the names of their files next to the list.
type WriteList = fn(&Path, &[(u64, String)], Existing) -> Result<(), ExportError>;

/// Entry points of a format.
#[derive(Debug)]
struct Writer {
    /// Fails for a box that the format cannot hold.
    check: fn(&Path, Grid) -> Result<(), ExportError>,
    /// Estimates the minimum memory of writing, in addition to the world.
    need: fn(Grid) -> MemoryEstimate,
    write: fn(&Path, &ExportState<'_>, &Skin, Existing) -> Result<(), ExportError>,
    /// File extension and writer of the list of a series; `None` if the format has no lists.
    list: Option<(&'static str, WriteList)>,
}

const VOLUMES: Formats<Writer> = Formats {
    purpose: "volume",
    list: &[
        Format {
            endings: &["vti"],
            about: "ParaView",
            how: Writer {
                check: |path, grid| check_vti(path, grid.cells()),
                need: |_| MemoryEstimate::default(),
                write: |path, shot, _, existing| write_vti(path, shot, existing),
                list: Some(("pvd", write_pvd)),
            },
        },
        Format {
            endings: &["vdb"],
            about: "OpenVDB for Blender and Houdini",
            how: Writer {
                check: |_, _| Ok(()),
                need: |_| MemoryEstimate::default(),
                write: |path, shot, _, existing| write_vdb(path, shot, existing),
                list: None,
            },
        },
    ],
};

const MESHES: Formats<Writer> = Formats {
    purpose: "mesh",
    list: &[
        Format {
            endings: &["glb"],
            about: "glTF, with the ground",
            how: Writer { check: |_, _| Ok(()), need: need_of_glb, write: write_glb, list: None },
        },
        Format {
            endings: &["ply"],
            about: "",
            how: Writer { check: |_, _| Ok(()), need: |_| MemoryEstimate::default(), write: write_ply, list: None },
        },
    ],
};

/// Returns the supported file extensions of volumes, as text.
pub fn volume_formats() -> String {
    VOLUMES.words()
}

/// Returns the supported file extensions of meshes, as text.
pub fn mesh_formats() -> String {
    MESHES.words()
}

/// Volume or mesh file to be written.
#[derive(Clone, Debug)]
pub struct SpaceFile {
    path: PathBuf,
    writer: &'static Writer,
}

impl SpaceFile {
    /// Selects the volume format (amounts and heat of the cells) for `path`.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn volume(path: &Path) -> Result<Self, ExportError> {
        Ok(Self { path: path.to_owned(), writer: VOLUMES.of(path)? })
    }

    /// Selects the mesh format (surfaces of the materials) for `path`.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn mesh(path: &Path) -> Result<Self, ExportError> {
        Ok(Self { path: path.to_owned(), writer: MESHES.of(path)? })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns another file of the same format.
    #[must_use]
    pub fn at(&self, path: PathBuf) -> Self {
        Self { path, writer: self.writer }
    }

    /// Returns the path of the list of a series; `None` if the format has no lists.
    pub fn list(&self) -> Option<PathBuf> {
        self.writer.list.map(|(ending, _)| self.path.with_extension(ending))
    }

    /// Checks before long work that a box of this size can be written.
    ///
    /// # Errors
    /// [`ExportError::TooLarge`].
    pub fn check(&self, grid: Grid) -> Result<(), ExportError> {
        (self.writer.check)(&self.path, grid)
    }

    /// Estimates the minimum memory of writing, in addition to the world.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        (self.writer.need)(grid)
    }

    /// Writes a step; `skin` applies to meshes.
    ///
    /// # Errors
    /// When the format cannot hold the step, memory does not suffice, or the file cannot be
    /// written.
    pub fn write(&self, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
        (self.writer.write)(&self.path, shot, skin, existing)
    }

    /// Writes the [list](SpaceFile::list) of a series of steps, each with its file name.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn write_list(&self, steps: &[(u64, String)], existing: Existing) -> Result<(), ExportError> {
        match (self.list(), self.writer.list) {
            (Some(path), Some((_, write))) => write(&path, steps, existing),
            _ => Ok(()),
        }
    }
}
