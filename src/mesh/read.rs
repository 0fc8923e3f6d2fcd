//! Files of meshes: the format by the ending, and the limits.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::Fault;
use super::soup::Weld;
use super::{Cells, MeshError, MeshSpec, Soup, Up, glb, obj, stl};
use crate::grid::Grid;
use crate::memory::MemoryEstimate;
use crate::shipped;

/// Longest file of a mesh in bytes.
pub const MAX_BYTES: u64 = 512 << 20;
/// Most triangles of a mesh.
pub const MAX_TRIANGLES: usize = 4_000_000;

/// Bytes of memory for a byte of a file: itself, and what a text becomes before its triangles are welded.
const BYTES_A_BYTE: f64 = 3.0;
/// Bytes of memory for a triangle while its edges are sorted and its cells are found, with its share of the corners.
const BYTES_A_TRIANGLE: f64 = 160.0;
/// Bytes of memory for a cell while its lines vote.
const BYTES_A_CELL: f64 = 1.2;

/// How to need less.
const MEND: &str = "coarsen the mesh or make grid.size smaller";

/// A format of meshes.
struct Format {
    ending: &'static str,
    up: Up,
    read: fn(&[u8], &mut Collector<'_>) -> Result<(), Fault>,
}

/// All formats.
const FORMATS: [Format; 3] = [
    Format { ending: "stl", up: Up::Z, read: stl::read },
    Format { ending: "obj", up: Up::Y, read: obj::read },
    Format { ending: "glb", up: Up::Y, read: glb::read },
];

/// The endings that are known, in words.
pub fn endings() -> String {
    FORMATS.map(|format| format!(".{}", format.ending)).join(", ")
}

fn format_of(path: &Path) -> Option<&'static Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.iter().find(|format| format.ending == ending)
}

/// The triangles of a part of a file, or of all of it, y-up.
///
/// # Errors
/// [`MeshError`] with the file and what is wrong with it.
pub fn read(path: &Path, part: Option<&str>, up: Option<Up>) -> Result<Soup, MeshError> {
    read_file(path, part, up).map_err(|fault| MeshError { path: path.to_owned(), fault })
}

fn read_file(path: &Path, part: Option<&str>, up: Option<Up>) -> Result<Soup, Fault> {
    let format = format_of(path).ok_or(Fault::UnknownFormat)?;
    let bytes = bytes_of(path)?;
    let mut collector = Collector { part, names: Vec::new(), up: up.unwrap_or(format.up), weld: Weld::default() };
    (format.read)(&bytes, &mut collector)?;
    collector.done()
}

/// The bytes of a file of bounded length.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Fault> {
    if let Some(bytes) = shipped::bytes(path) {
        return Ok(bytes.to_vec());
    }
    // A pipe would wait for ever, and a device may have no end.
    let about = std::fs::metadata(path).map_err(Fault::Read)?;
    if !about.is_file() {
        return Err(Fault::NotRegular);
    }
    if about.len() > MAX_BYTES {
        return Err(Fault::TooLong);
    }
    MemoryEstimate::of("the mesh's file", about.len() as usize, BYTES_A_BYTE).check(MEND)?;
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(Fault::Read)?;
    if bytes.len() as u64 > MAX_BYTES { Err(Fault::TooLong) } else { Ok(bytes) }
}

/// Takes the triangles of the wanted part.
pub(super) struct Collector<'a> {
    part: Option<&'a str>,
    names: Vec<String>,
    up: Up,
    weld: Weld,
}

impl Collector<'_> {
    /// Whether the part of this name is wanted.
    pub(super) fn wants(&mut self, name: &str) -> bool {
        /// Names that a message may repeat.
        const MOST: usize = 100;
        if !name.is_empty() && self.names.len() < MOST && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        self.part.is_none_or(|part| part == name)
    }

    /// Takes a triangle in the axes of the file.
    pub(super) fn add(&mut self, corners: [[f64; 3]; 3]) -> Result<(), Fault> {
        if corners.iter().flatten().any(|v| !v.is_finite() || v.abs() > f64::from(f32::MAX)) {
            return Err(Fault::NotFinite);
        }
        if self.weld.len() >= MAX_TRIANGLES {
            return Err(Fault::TooMany);
        }
        let up = self.up;
        self.weld.add(corners.map(|[x, y, z]| match up {
            Up::Y => [x, y, z],
            Up::Z => [x, z, -y],
        }));
        Ok(())
    }

    fn done(self) -> Result<Soup, Fault> {
        let Self { part, names, weld, .. } = self;
        let soup = weld.done();
        match part {
            Some(part) if !names.iter().any(|name| name == part) => {
                Err(Fault::NoPart { wanted: part.to_owned(), names })
            }
            _ if soup.triangles.is_empty() => Err(Fault::Empty),
            _ => Ok(soup),
        }
    }
}

impl MeshSpec {
    /// Whether the file's ending is that of a known format.
    pub(crate) fn has_known_ending(&self) -> bool {
        format_of(&self.file).is_some()
    }

    /// The shape with the cells of `grid` inside the mesh; the file is relative to `folder`, and cells have an edge of
    /// `cell_m` metres and are `stretch` times as wide as high.
    ///
    /// # Errors
    /// [`MeshError`] for a file that cannot be read, or that is no closed mesh.
    pub fn in_cells(&self, folder: &Path, grid: Grid, (cell_m, stretch): (f64, f64)) -> Result<Self, MeshError> {
        let path = folder.join(&self.file);
        let cells = || -> Result<Cells, Fault> {
            let mut soup = read_file(&path, self.part.as_deref(), self.up)?;
            self.place(&mut soup, (cell_m, stretch))?;
            soup.check_memory(grid)?;
            soup.cells(grid).map_err(Fault::NoCells)
        };
        match cells() {
            Ok(cells) => Ok(Self { cells: Some(cells.into()), ..self.clone() }),
            Err(fault) => Err(MeshError { path: path.clone(), fault }),
        }
    }
}

impl Soup {
    /// Checks that its cells can be found in the memory that is allowed.
    fn check_memory(&self, grid: Grid) -> Result<(), Fault> {
        let sides = [grid.nx, grid.ny, grid.nz];
        let [low, high] = self.bounds();
        let side = |k: usize| {
            let clip = |v: f64| v.clamp(0.0, sides[k] as f64);
            clip(high[k] + 2.0) - clip(low[k] - 2.0)
        };
        let cells = side(0) * side(1) * side(2);
        let triangles = MemoryEstimate::of("the mesh", self.triangles.len(), BYTES_A_TRIANGLE);
        Ok(triangles.and(MemoryEstimate::of("the cells of the mesh", 1, cells * BYTES_A_CELL)).check(MEND)?)
    }
}
