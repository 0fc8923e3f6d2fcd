//! Export of a simulation step as a volume or a mesh; the file extension selects the format.

use std::path::{Path, PathBuf};

use super::blocks;
use super::format::{Format, Formats};
use super::mesh::{Skin, need_of_glb, write_glb, write_ply, write_stage, write_usda};
use super::{ExportError, ExportState, check_vti, write_pvd, write_vdb, write_vti};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::Existing;

/// Function that writes the index file of a series of files, from pairs (step, file name relative
/// to the index).
type WriteList = fn(&Path, &[(u64, String)], Existing) -> Result<(), ExportError>;

/// Functions of one file format for volumes or meshes.
#[derive(Debug)]
struct Writer {
    /// Function that fails for a simulation box that exceeds a size limit of the format.
    check: fn(&Path, Grid) -> Result<(), ExportError>,
    /// Function that returns a lower estimate of the memory of writing a simulation box, in
    /// addition to the memory of the world.
    need: fn(Grid) -> MemoryEstimate,
    write: fn(&Path, &ExportState<'_>, &Skin, Existing) -> Result<(), ExportError>,
    /// File extension of the index of a series of files, and the function that writes it; `None` if
    /// the format has no index files.
    list: Option<(&'static str, WriteList)>,
}

/// Writer of worlds of blocks, which chooses the format by the ending itself.
const BLOCKS: Writer = Writer {
    check: |_, _| Ok(()),
    need: blocks::need,
    write: blocks::write,
    list: None,
};

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
        Format {
            endings: &["vox"],
            about: "MagicaVoxel",
            how: BLOCKS,
        },
        Format {
            endings: &["schem"],
            about: "Minecraft by Sponge and WorldEdit",
            how: BLOCKS,
        },
        Format {
            endings: &["litematic"],
            about: "Minecraft by Litematica",
            how: BLOCKS,
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
            endings: &["usda"],
            about: "Universal Scene Description, with the ground",
            how: Writer {
                check: |_, _| Ok(()),
                need: need_of_glb,
                write: write_usda,
                list: Some(("usda", write_stage)),
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

/// Returns the file extensions of all volume formats as text, for messages.
pub fn volume_formats() -> String {
    VOLUMES.words()
}

/// Returns the file extensions of all mesh formats as text, for messages.
pub fn mesh_formats() -> String {
    MESHES.words()
}

/// Export of simulation steps as volumes or meshes: path and format.
#[derive(Clone, Debug)]
pub struct SpaceFile {
    path: PathBuf,
    writer: &'static Writer,
}

impl SpaceFile {
    /// Creates an export of volumes (amounts and energies of the cells) to `path`; the extension
    /// selects the format.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn volume(path: &Path) -> Result<Self, ExportError> {
        Ok(Self {
            path: path.to_owned(),
            writer: VOLUMES.for_path(path)?,
        })
    }

    /// Creates an export of meshes (surfaces of the materials) to `path`; the extension selects the
    /// format.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn mesh(path: &Path) -> Result<Self, ExportError> {
        Ok(Self {
            path: path.to_owned(),
            writer: MESHES.for_path(path)?,
        })
    }

    /// Returns the path to which the volume or mesh is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns an export in the same format with the output path `path`.
    #[must_use]
    pub fn at(&self, path: PathBuf) -> Self {
        Self {
            path,
            writer: self.writer,
        }
    }

    /// Returns the path of the index of a series of files; `None` if the format has no index files.
    pub fn list(&self) -> Option<PathBuf> {
        self.writer
            .list
            .map(|(ending, _)| self.path.with_extension(ending))
    }

    /// Checks that the format can represent a box of shape `grid`; called before long computations.
    ///
    /// # Errors
    /// [`ExportError::TooLarge`].
    pub fn check(&self, grid: Grid) -> Result<(), ExportError> {
        (self.writer.check)(&self.path, grid)
    }

    /// Returns a lower estimate of the memory of writing a box of shape `grid`, in addition to the
    /// memory of the world.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        (self.writer.need)(grid)
    }

    /// Writes a volume or mesh of the simulation step `shot` to the path of the export. `skin`:
    /// options for meshes, unused by volumes.
    ///
    /// # Errors
    /// When the format cannot represent the step, memory does not suffice, or the file cannot be
    /// written.
    pub fn write(
        &self,
        shot: &ExportState<'_>,
        skin: &Skin,
        existing: Existing,
    ) -> Result<(), ExportError> {
        (self.writer.write)(&self.path, shot, skin, existing)
    }

    /// Writes the index of a series of files for `steps`, pairs of step and file name. Does nothing
    /// if the format has no index files.
    ///
    /// # Errors
    /// When the index cannot be written.
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
