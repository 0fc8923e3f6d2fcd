//! Reading of mesh files: choice of the format by extension, and limits.

use std::path::Path;

use super::error::Fault;
use super::triangles::Weld;
use super::{MeshError, TriangleMesh, Up, glb, obj, stl};
use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_files::archive::{self, ArchivedFile};
use lavoxel_files::input::{self, Loaded, Reader, ending};

/// Upper bound on the number of triangles in a mesh file, including degenerate triangles.
pub const MAX_TRIANGLES: usize = 4_000_000;

/// Advice at the end of messages that reading a mesh would exceed the memory limit.
pub(super) const MEND: &str = "coarsen the mesh or make grid.size smaller";

/// Mesh format: file extension, and the axis that points up in its files by default.
struct Format {
    reader: &'static Reader,
    up: Up,
    read: fn(&[u8], &mut Collector<'_>) -> Result<(), Fault>,
}

/// Supported mesh formats, with their file extensions.
const FORMATS: [Format; 3] = [
    Format {
        reader: &input::STL,
        up: Up::Z,
        read: stl::read,
    },
    Format {
        reader: &input::OBJ,
        up: Up::Y,
        read: obj::read,
    },
    Format {
        reader: &input::GLB,
        up: Up::Y,
        read: glb::read,
    },
];

/// Returns the file extensions of all mesh formats as a list for messages.
pub fn endings() -> String {
    FORMATS
        .map(|format| format!(".{}", format.reader.name))
        .join(", ")
}

fn format_of(path: &Path) -> Option<&'static Format> {
    let ending = ending(path);
    FORMATS
        .iter()
        .find(|format| format.reader.endings.contains(&ending.as_str()))
}

/// Reads the triangles of the part named `part` (`None`: all parts) of the file at `path`,
/// converted to y-up. `up`: up axis of the file; `None`: that of the format.
///
/// # Errors
/// [`MeshError`] with the file and its fault.
pub fn read(path: &Path, part: Option<&str>, up: Option<Up>) -> Result<TriangleMesh, MeshError> {
    read_file(path, part, up).map_err(|fault| MeshError {
        path: path.to_owned(),
        fault,
    })
}

pub(super) fn read_file(
    path: &Path,
    part: Option<&str>,
    up: Option<Up>,
) -> Result<TriangleMesh, Fault> {
    let format = format_of(path).ok_or(Fault::UnknownFormat)?;
    let decode = |bytes: Loaded<Vec<u8>>| {
        let (bytes, held) = bytes.into_parts();
        let (names, weld, up) = (Vec::new(), Weld::default(), up.unwrap_or(format.up));
        let mut collector = Collector {
            part,
            names,
            up,
            weld,
            seen: 0,
            held: vec![held],
        };
        (format.read)(&bytes, &mut collector)?;
        collector.done()
    };
    if let Some(inside) = archive::file(path) {
        let ArchivedFile { bytes, held } = inside.map_err(Fault::Read)?;
        let is_long = bytes.len() as u64 > format.reader.most_bytes;
        return if is_long {
            Err(Fault::TooLong)
        } else {
            input::guard(|| decode(Loaded::new(bytes.into_owned(), held)))?
        };
    }
    format.reader.bytes(path, decode)?
}

/// Collector of the triangles in the requested part of a mesh file.
pub(super) struct Collector<'a> {
    part: Option<&'a str>,
    names: Vec<String>,
    up: Up,
    weld: Weld,
    /// Number of triangles read so far, including degenerate triangles.
    seen: usize,
    /// Memory reserved for reading the file, in addition to the memory of the triangles.
    held: Vec<Held>,
}

impl Collector<'_> {
    /// Reserves the memory `need` until the collector is dropped. Fails if the memory in use would
    /// exceed the memory limit.
    pub(super) fn hold(&mut self, need: &MemoryEstimate) -> Result<(), Fault> {
        need.check(MEND)?;
        self.held.push(need.held());
        Ok(())
    }

    /// Returns true if triangles of the part `name` are requested. Records `name` for the message
    /// that the requested part is missing.
    pub(super) fn wants(&mut self, name: &str) -> bool {
        /// Upper bound on the number of part names that are recorded for messages.
        const MOST: usize = 100;
        if !name.is_empty()
            && self.names.len() < MOST
            && !self.names.iter().any(|known| known == name)
        {
            self.names.push(name.to_owned());
        }
        self.part.is_none_or(|part| part == name)
    }

    /// Adds the triangle with the vertices `corners` (in the axes of the file, with y up) to the
    /// mesh that is being read.
    pub(super) fn add(&mut self, corners: [[f64; 3]; 3]) -> Result<(), Fault> {
        if corners
            .iter()
            .flatten()
            .any(|v| !v.is_finite() || v.abs() > f64::from(f32::MAX))
        {
            return Err(Fault::NotFinite);
        }
        self.seen += 1;
        if self.seen > MAX_TRIANGLES {
            return Err(Fault::TooMany);
        }
        if let Some(bytes) = self.weld.growth() {
            MemoryEstimate::new("the triangles of the mesh", bytes, 1.0).check(MEND)?;
        }
        let up = self.up;
        self.weld.add(corners.map(|[x, y, z]| match up {
            Up::Y => [x, y, z],
            Up::Z => [x, z, -y],
        }));
        Ok(())
    }

    fn done(self) -> Result<TriangleMesh, Fault> {
        let Self {
            part, names, weld, ..
        } = self;
        let soup = weld.done();
        match part {
            Some(part) if !names.iter().any(|name| name == part) => Err(Fault::NoPart {
                wanted: part.to_owned(),
                names,
            }),
            _ if soup.triangles.is_empty() => Err(Fault::Empty),
            _ => Ok(soup),
        }
    }
}

/// Returns true if `file` has the extension of a mesh format.
pub fn has_known_ending(file: &Path) -> bool {
    format_of(file).is_some()
}
