//! Surfaces as triangles: those of the materials and the ground's, in local metres, and the formats that hold them.

mod glb;
mod ply;
mod sheet;
mod surface;
mod texture;

use std::path::Path;

use super::ExportError;
use super::state::ExportState;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::{Drape, Palette};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::{Held, MemoryEstimate, TooMuchMemory};
use lavoxel_files::output::Existing;
use lavoxel_sim::lowpass::ENERGY_SHOWN;

pub use self::surface::MAX_VERTICES;
use self::surface::surface;

/// Most columns of the ground along a side; of a larger box every second, third, … is taken.
const GROUND_SIDE: usize = 2048;

/// Bytes of a corner of the ground while its mesh is made.
const BYTES_A_GROUND_CORNER: f64 = 12.0 + 24.0 + 24.0 + 12.0;

/// How surfaces are drawn.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Density at which they lie, above 0 and below 1.
    pub level: f32,
    /// Colours of the lava by energy, from 0 to [`ENERGY_SHOWN`].
    pub palette: Palette,
    /// Picture over the ground.
    pub drape: Option<Drape>,
}

impl Skin {
    /// Position in the palette of an energy.
    fn position(energy: f32) -> f32 {
        energy / ENERGY_SHOWN
    }
}

/// Why there is no mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoMesh {
    /// It would have more corners than a file takes.
    #[error("{0}")]
    TooLarge(String),
    /// It would take more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
}

/// Triangles in local metres `[east, north, up]` (see [`lavoxel_geo::map::Site`]), counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors that point outside, one for each corner.
    pub normals: Vec<[f32; 3]>,
    /// Energy per amount in vent units, one for each corner of what carries energy; none for the rest.
    pub energies: Vec<f32>,
    /// Numbers of three corners each.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The surface of a material where its low-passed amount passes `level`. It is closed, each edge between two
    /// triangles, also where the material touches the walls of the box. Along the bed it lies half a cell inside the rock: the
    /// smooth ground lies within half a cell of the solid cells, and so no gap shows between the two. A liquid that lies on its
    /// bed under the sky with less than the level is a sheet over the ground, higher by its thickness; other matter thinner than
    /// the level has no surface, and neither has a material that is not in the world.
    ///
    /// # Errors
    /// Says so when there would be more than [`MAX_VERTICES`] corners, or more than fits into the memory that is allowed.
    pub fn surface(shot: &ExportState<'_>, material: &str, level: f32) -> Result<Self, NoMesh> {
        let Some(layer) = shot.world.number_of(material) else { return Ok(Self::default()) };
        let mesh = surface(shot, layer, level)?.with_normals();
        let carries_energy = shot.world.layers()[layer].carries_energy();
        Ok(if carries_energy { mesh } else { Self { energies: Vec::new(), ..mesh } })
    }

    /// Memory that it takes.
    fn need(&self) -> MemoryEstimate {
        let corners = 2 * size_of::<[f32; 3]>() * self.positions.len() + size_of::<f32>() * self.energies.len();
        MemoryEstimate::of("the meshes", corners + size_of::<[u32; 3]>() * self.triangles.len(), 1.0)
    }

    /// Memory that making [`Mesh::ground`] takes of a box: places, triangles and normals, and sums of normals.
    fn need_of_ground(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::of("the mesh of the ground", Self::ground_corners(grid), BYTES_A_GROUND_CORNER)
    }

    fn ground_corners(grid: Grid) -> usize {
        let corners = |n: usize| n.div_ceil(n.div_ceil(GROUND_SIDE));
        corners(grid.nx) * corners(grid.nz)
    }

    /// The surface of the ground: open, with a corner in the middle of each column.
    pub fn ground(shot: &ExportState<'_>) -> Self {
        let (heights, site) = (shot.world.ground().surface(), shot.site);
        let columns = |n: usize| -> Vec<usize> { (0..n).step_by(n.div_ceil(GROUND_SIDE)).collect() };
        let (xs, zs) = (columns(site.grid.nx), columns(site.grid.nz));
        let count = xs.len() * zs.len();
        let corner = |x: usize, z: usize| {
            let north = (site.grid.nz - z) as f64 - 0.5;
            site.local_m([x as f64 + 0.5, north, heights[[z, x]].into()]).map(|m| m as f32)
        };
        let mut positions = Vec::with_capacity(count);
        positions.extend(zs.iter().flat_map(|&z| xs.iter().map(move |&x| corner(x, z))));
        let number = |col: usize, row: usize| (row * xs.len() + col) as u32;
        let mut triangles = Vec::with_capacity(2 * count);
        for row in 1..zs.len() {
            for col in 1..xs.len() {
                let [nw, ne] = [number(col - 1, row - 1), number(col, row - 1)];
                let [sw, se] = [number(col - 1, row), number(col, row)];
                triangles.extend([[nw, sw, ne], [ne, sw, se]]);
            }
        }
        Self { positions, triangles, ..Self::default() }.with_normals()
    }

    /// Works the normals out of the triangles, larger ones counting for more.
    fn with_normals(mut self) -> Self {
        let mut sums = vec![[0.0_f64; 3]; self.positions.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.positions[i as usize].map(f64::from));
            let side = |to: [f64; 3]| -> [f64; 3] { std::array::from_fn(|axis| to[axis] - a[axis]) };
            let normal = cross(side(b), side(c));
            for &i in triangle {
                sums[i as usize].iter_mut().zip(normal).for_each(|(sum, part)| *sum += part);
            }
        }
        self.normals = sums.into_iter().map(unit).collect();
        self
    }

    /// Volume inside a closed mesh in cubic metres.
    pub fn volume_m3(&self) -> f64 {
        // From somewhere near, so that nothing large cancels.
        let near = self.positions.first().map_or([0.0; 3], |p| p.map(f64::from));
        let corner = |i: u32| -> [f64; 3] {
            std::array::from_fn(|axis| f64::from(self.positions[i as usize][axis]) - near[axis])
        };
        let cone = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(corner);
            cross(a, b).iter().zip(c).map(|(n, c)| n * c).sum::<f64>() / 6.0
        };
        self.triangles.iter().map(cone).sum()
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        a[next] * b[last] - a[last] * b[next]
    })
}

/// The vector with length 1; up, if it has none.
fn unit(v: [f64; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 0.0 { v.map(|c| (c / length) as f32) } else { [0.0, 0.0, 1.0] }
}

/// A surface and what it is of.
struct Part<'a> {
    material: &'a Material,
    mesh: Mesh,
    /// The memory of the mesh.
    _held: Held,
}

/// Memory that a `.glb` of this box takes at least: the mesh of its ground, and the numbers of the file.
pub fn need_of_glb(grid: Grid) -> MemoryEstimate {
    // Places, normals and two triangles in the mesh, and as much in the file; and the places y-up.
    Mesh::need_of_ground(grid).or(MemoryEstimate::of(
        "the mesh of the ground",
        Mesh::ground_corners(grid),
        2.0 * 48.0 + 12.0,
    ))
}

/// Writes the surfaces of the materials as PLY: corners with normal, sRGB colour and `energy`, in local metres
/// `[east, north, up]`. Where the world has more than lava, each triangle has the number of its `material`, which comments
/// name. Without matter, the file has no corners.
///
/// # Errors
/// When the surface has more than [`MAX_VERTICES`] corners or the file cannot be written.
pub fn write_ply(path: &Path, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
    ply::write(path, shot, &parts(path, shot, skin)?, skin, existing)
}

/// Writes the meshes `lava`, those of other materials by their names, and `ground` as binary glTF in local metres (east,
/// up, south): colours of the lava as `COLOR_0`, energy as `_ENERGY`, and light from a texture of the palette; with feature
/// `render`, the rock of the ground as a texture, below the picture over it. Without matter, only the ground is there.
///
/// # Errors
/// When the surface has more than [`MAX_VERTICES`] corners or the file cannot be written.
pub fn write_glb(path: &Path, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
    glb::write(path, shot, &parts(path, shot, skin)?, skin, existing)
}

/// The surfaces of all materials, in the order of the layers.
fn parts<'a>(path: &Path, shot: &ExportState<'a>, skin: &Skin) -> Result<Vec<Part<'a>>, ExportError> {
    let part = |material: &'a Material| {
        let mesh = Mesh::surface(shot, &material.name, skin.level);
        let mesh = mesh.map_err(|no_mesh| match no_mesh {
            NoMesh::TooLarge(reason) => ExportError::TooLarge { path: path.to_owned(), reason },
            NoMesh::Memory(cause) => ExportError::Memory { path: path.to_owned(), cause },
        })?;
        let held = mesh.need().held();
        Ok(Part { material, mesh, _held: held })
    };
    shot.world.materials().map(part).collect()
}

/// A point of a mesh for formats that are y-up.
fn y_up([east, north, up]: [f32; 3]) -> [f32; 3] {
    [east, up, -north]
}
