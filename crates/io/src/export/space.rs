//! Files that show a step in space: volumes and meshes, their format chosen by the ending of the name.

use std::path::{Path, PathBuf};

use super::format::{Format, Formats};
use super::mesh::{Skin, need_of_glb, write_glb, write_ply};
use super::{ExportError, ExportState, check_vti, write_pvd, write_vdb, write_vti};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::Existing;

/// Writes the list of a series: steps, and the names of their files beside it.
type WriteList = fn(&Path, &[(u64, String)], Existing) -> Result<(), ExportError>;

/// How a format is checked, weighed and written.
#[derive(Debug)]
struct Writer {
    /// Refuses a box that it cannot hold.
    check: fn(&Path, Grid) -> Result<(), ExportError>,
    /// Memory that writing it takes at least, besides the world.
    need: fn(Grid) -> MemoryEstimate,
    write: fn(&Path, &ExportState<'_>, &Skin, Existing) -> Result<(), ExportError>,
    /// Ending and writer of the list of a series, where there is one.
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

/// Endings of volumes that can be written, in words.
pub fn volume_formats() -> String {
    VOLUMES.words()
}

/// Endings of meshes that can be written, in words.
pub fn mesh_formats() -> String {
    MESHES.words()
}

/// A volume or a mesh that is to be written.
#[derive(Clone, Debug)]
pub struct SpaceFile {
    path: PathBuf,
    writer: &'static Writer,
}

impl SpaceFile {
    /// A volume: amounts and heat of the cells.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn volume(path: &Path) -> Result<Self, ExportError> {
        Ok(Self { path: path.to_owned(), writer: VOLUMES.of(path)? })
    }

    /// A mesh: surfaces of the materials.
    ///
    /// # Errors
    /// [`ExportError::UnknownFormat`].
    pub fn mesh(path: &Path) -> Result<Self, ExportError> {
        Ok(Self { path: path.to_owned(), writer: MESHES.of(path)? })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Another file of the same format.
    #[must_use]
    pub fn at(&self, path: PathBuf) -> Self {
        Self { path, writer: self.writer }
    }

    /// The list of a series, for the format that has one.
    pub fn list(&self) -> Option<PathBuf> {
        self.writer.list.map(|(ending, _)| self.path.with_extension(ending))
    }

    /// Checks, before long work, that a box of this size can be written.
    ///
    /// # Errors
    /// [`ExportError::TooLarge`].
    pub fn check(&self, grid: Grid) -> Result<(), ExportError> {
        (self.writer.check)(&self.path, grid)
    }

    /// Memory that writing it takes at least, besides the world.
    pub fn need(&self, grid: Grid) -> MemoryEstimate {
        (self.writer.need)(grid)
    }

    /// Writes a step; `skin` is that of meshes.
    ///
    /// # Errors
    /// When the format cannot hold it, it takes more memory than allowed, or the file cannot be written.
    pub fn write(&self, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
        (self.writer.write)(&self.path, shot, skin, existing)
    }

    /// Writes the [list](SpaceFile::list) of a series of steps, each with the name of its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_list(&self, steps: &[(u64, String)], existing: Existing) -> Result<(), ExportError> {
        match (self.list(), self.writer.list) {
            (Some(path), Some((_, write))) => write(&path, steps, existing),
            _ => Ok(()),
        }
    }
}
