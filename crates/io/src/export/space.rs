//! Volume and mesh export of a simulation step; the file extension selects the format.

use std::path::{Path, PathBuf};

use super::format::{Format, Formats};
use super::mesh::{Skin, need_of_glb, write_glb, write_ply};
use super::{ExportError, ExportState, check_vti, write_pvd, write_vdb, write_vti};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::Existing;

/// Function that writes the index file of a series: pairs of step and file name, relative to the
/// index.
type WriteList = fn(&Path, &[(u64, String)], Existing) -> Result<(), ExportError>;

/// Functions of a volume or mesh format.
#[derive(Debug)]
struct Writer {
    /// Fails for a box that exceeds a limit of the format.
    check: fn(&Path, Grid) -> Result<(), ExportError>,
    /// Lower estimate of the memory of writing, in addition to the world.
    need: fn(Grid) -> MemoryEstimate,
    write: fn(&Path, &ExportState<'_>, &Skin, Existing) -> Result<(), ExportError>,
    /// File extension and writer of the series index; `None` if the format has no index files.
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
            how: Writer {
                check: |_, _| Ok(()),
                need: need_of_glb,
                write: write_glb,
                list: None,
            },
        },
        Format {
            endings: &["ply"],
            about: "",
            how: Writer {
                check: |_, _| Ok(()),
                need: |_| MemoryEstimate::default(),
                write: write_ply,
                list: None,
            },
        },
    ],
};

/// Returns the file extensions of all volume formats as text.
pub fn volume_formats() -> String {
    VOLUMES.words()
}

/// Returns the file extensions of all mesh formats as text.
pub fn mesh_formats() -> String {
    MESHES.words()
}

/// Volume or mesh export with its path and format.
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
        Ok(Self {
            path: path.to_owned(),
            writer: VOLUMES.of(path)?,
        })
    }

    /// Selects the mesh format (surfaces of the materials) for `path`.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn mesh(path: &Path) -> Result<Self, ExportError> {
        Ok(Self {
            path: path.to_owned(),
            writer: MESHES.of(path)?,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the export of the same format to another path.
    #[must_use]
    pub fn at(&self, path: PathBuf) -> Self {
        Self {
            path,
            writer: self.writer,
        }
    }

    /// Returns the path of the series index; `None` if the format has no index files.
    pub fn list(&self) -> Option<PathBuf> {
        self.writer
            .list
            .map(|(ending, _)| self.path.with_extension(ending))
    }

    /// Checks that a box of shape `grid` can be exported; called before long computations.
    ///
    /// # Errors
    /// [`ExportError::TooLarge`].
    pub fn check(&self, grid: Grid) -> Result<(), ExportError> {
        (self.writer.check)(&self.path, grid)
    }

    /// Returns a lower estimate of the memory of writing, in addition to the world.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        (self.writer.need)(grid)
    }

    /// Writes a simulation step; `skin` sets the surfaces of meshes and is unused by volumes.
    ///
    /// # Errors
    /// When the format cannot hold the step, memory does not suffice, or the file cannot be
    /// written.
    pub fn write(
        &self,
        shot: &ExportState<'_>,
        skin: &Skin,
        existing: Existing,
    ) -> Result<(), ExportError> {
        (self.writer.write)(&self.path, shot, skin, existing)
    }

    /// Writes the [series index](SpaceFile::list): pairs of step and file name.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn write_list(
        &self,
        steps: &[(u64, String)],
        existing: Existing,
    ) -> Result<(), ExportError> {
        match (self.list(), self.writer.list) {
            (Some(path), Some((_, write))) => write(&path, steps, existing),
            _ => Ok(()),
        }
    }
}
