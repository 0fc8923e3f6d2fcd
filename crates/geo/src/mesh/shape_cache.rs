//! Cache of shapes from files. Each file is read once, and each shape is converted to cells once,
//! whatever the number of bodies and events that use it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Fault;
use super::read::{MEND, read_file};
use super::relief;
use super::{Cells, MeshError, MeshSpec, ReliefSpec, TriangleMesh, Up};
use crate::blocks::{self, BlocksError, Build};
use crate::map::Site;
use crate::terrain::TerrainError;
use lavoxel_base::body::BlocksSpec;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::{Held, MemoryEstimate};

/// Memory in bytes per triangle while edges are sorted and cells are found.
const BYTES_A_TRIANGLE: f64 = 140.0;
/// Memory in bytes per vertex, including its transformed copy, while edges are sorted and cells are
/// found.
const BYTES_A_CORNER: f64 = 24.0;
/// Memory in bytes per cell of the mesh's bounding box while the cells inside the mesh are found.
const BYTES_A_CELL: f64 = 1.2;

/// Cache of the shapes from files, converted to cells, for one scene.
pub struct ShapeCache<'a> {
    /// Folder to which the file names of shapes are relative.
    folder: &'a Path,
    site: &'a Site,
    /// Cells of the shapes converted so far; key: text of the shape's specification.
    cells: HashMap<String, Arc<Cells>>,
    /// Mesh of the file that was read last; `None` before the first file is read.
    last: Option<Read>,
    /// World of blocks of the file that was read last, with its path.
    build: Option<(PathBuf, Build)>,
}

/// Mesh as read from a file, with vertices in the unit of the file.
struct Read {
    path: PathBuf,
    part: Option<String>,
    up: Option<Up>,
    soup: TriangleMesh,
    _held: Held,
}

impl<'a> ShapeCache<'a> {
    /// Creates an empty cache for the simulation box of `site`. `folder`: folder to which file
    /// names are relative.
    pub fn new(folder: &'a Path, site: &'a Site) -> Self {
        Self {
            folder,
            site,
            cells: HashMap::new(),
            last: None,
            build: None,
        }
    }

    /// Returns the site of the simulation box for which shapes are converted.
    pub fn site(&self) -> &'a Site {
        self.site
    }

    /// Returns a copy of `spec` to which the cells inside its mesh have been added.
    ///
    /// # Errors
    /// [`MeshError`] for a file that cannot be read or does not contain a closed mesh.
    pub fn mesh(&mut self, spec: &MeshSpec) -> Result<MeshSpec, MeshError> {
        let key = format!("{spec:?}");
        let cells = match self.cells.get(&key) {
            Some(cells) => Arc::clone(cells),
            None => {
                let path = self.folder.join(&spec.file);
                let cells = self
                    .cells_of(spec, &path)
                    .map_err(|fault| MeshError { path, fault })?;
                Arc::clone(self.cells.entry(key).or_insert(cells.into()))
            }
        };
        Ok(MeshSpec {
            cells: Some(cells),
            ..spec.clone()
        })
    }

    /// Returns a copy of `spec` to which the cells below the heights of its heightmap have been
    /// added.
    ///
    /// # Errors
    /// The fault of the file, or that it has no heights.
    pub fn relief(&mut self, spec: &ReliefSpec) -> Result<ReliefSpec, TerrainError> {
        let key = format!("{spec:?}");
        let cells = match self.cells.get(&key) {
            Some(cells) => Arc::clone(cells),
            None => {
                let cells = relief::cells_in(spec, self.folder, self.site.grid)?;
                Arc::clone(self.cells.entry(key).or_insert(cells.into()))
            }
        };
        Ok(ReliefSpec {
            cells: Some(cells),
            ..spec.clone()
        })
    }

    /// Returns a copy of `spec` to which the cells of its blocks have been added.
    ///
    /// # Errors
    /// [`BlocksError`] for a file that cannot be read or has no such blocks.
    pub fn blocks(&mut self, spec: &BlocksSpec) -> Result<BlocksSpec, BlocksError> {
        let key = format!("{spec:?}");
        let cells = match self.cells.get(&key) {
            Some(cells) => Arc::clone(cells),
            None => {
                let path = self.folder.join(&spec.file);
                let build = match self.build.take().filter(|(last, _)| *last == path) {
                    Some(last) => self.build.insert(last),
                    None => self.build.insert((path.clone(), blocks::read(&path)?)),
                };
                let cells = blocks::placed(spec, &build.1, (&path, self.site.grid))?;
                Arc::clone(self.cells.entry(key).or_insert(cells.into()))
            }
        };
        Ok(BlocksSpec {
            cells: Some(cells),
            ..spec.clone()
        })
    }

    fn cells_of(&mut self, spec: &MeshSpec, path: &Path) -> Result<Cells, Fault> {
        let is_last =
            |last: &Read| last.path == path && last.part == spec.part && last.up == spec.up;
        let last = match self.last.take().filter(is_last) {
            Some(last) => last,
            None => {
                let soup = read_file(path, spec.part.as_deref(), spec.up)?;
                let held = Held::bytes(soup.bytes() as u64);
                Read {
                    path: path.to_owned(),
                    part: spec.part.clone(),
                    up: spec.up,
                    soup,
                    _held: held,
                }
            }
        };
        let last = self.last.insert(last);
        need_of(&last.soup).check(MEND)?;
        let scale = (self.site.cell_size_m, self.site.vertical_exaggeration);
        let corners = last.soup.corners.clone();
        let cells = place(spec, &mut last.soup, scale)
            .and_then(|()| self::cells(&last.soup, self.site.grid));
        last.soup.corners = corners;
        cells
    }
}

/// Transforms the mesh `soup` from the coordinates of its file (y up) to cell coordinates, by the
/// placement in `spec`. `cell_m`: cell width in metres; `stretch`: ratio of cell width to cell
/// height.
///
/// # Errors
/// If `spec` gives the height of the body, but the mesh is flat.
fn place(
    spec: &MeshSpec,
    soup: &mut TriangleMesh,
    (cell_m, stretch): (f64, f64),
) -> Result<(), Fault> {
    let angle = spec.turn_deg.to_radians();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    // Clockwise from above turns the east to the south.
    soup.change(|[x, y, z]| [x * cos - z * sin, y, x * sin + z * cos]);
    let [low, high] = soup.bounds();
    let tall = high[1] - low[1];
    let scale = match (spec.unit_m, spec.height) {
        (Some(unit_m), _) => unit_m / cell_m,
        (None, Some(height)) if tall > 0.0 => height / (tall * stretch),
        (None, _) => return Err(Fault::Flat),
    };
    let scales = [scale, scale * stretch, scale];
    let middle = [(low[0] + high[0]) / 2.0, low[1], (low[2] + high[2]) / 2.0];
    let (from, to) = match (spec.origin, spec.base) {
        (Some(origin), _) => ([0.0; 3], origin),
        (None, base) => (middle, base.unwrap_or_default()),
    };
    soup.change(|p| std::array::from_fn(|k| to[k] + (p[k] - from[k]) * scales[k]));
    Ok(())
}

/// Estimates the memory for finding the cells inside the mesh `soup`. Excludes the mesh itself and
/// the memory that is proportional to the number of cells.
fn need_of(soup: &TriangleMesh) -> MemoryEstimate {
    MemoryEstimate::new("the mesh", soup.triangles.len(), BYTES_A_TRIANGLE).and(
        MemoryEstimate::new(
            "the corners of the mesh",
            soup.corners.len(),
            BYTES_A_CORNER,
        ),
    )
}

/// Returns the cells inside the mesh `soup`, whose vertices are in cell coordinates. Fails if the
/// mesh cannot be voxelised or the memory limit would be exceeded.
fn cells(soup: &TriangleMesh, grid: Grid) -> Result<Cells, Fault> {
    let sides = [grid.nx, grid.ny, grid.nz];
    let [low, high] = soup.bounds();
    let side = |k: usize| {
        let clip = |v: f64| v.clamp(0.0, sides[k] as f64);
        clip(high[k] + 2.0) - clip(low[k] - 2.0)
    };
    let count = side(0) * side(1) * side(2);
    need_of(soup)
        .and(MemoryEstimate::new(
            "the cells of the mesh",
            1,
            count * BYTES_A_CELL,
        ))
        .check(MEND)?;
    soup.cells(grid).map_err(Fault::NoCells)
}
