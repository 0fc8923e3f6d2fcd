//! Triangle meshes of the materials and of the ground in local metres, and their export in mesh
//! file formats.

mod glb;
mod ply;
mod sheet;
mod surface;
mod texture;
mod usda;

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
pub use self::usda::write_stage;

/// Upper bound on the number of ground vertices along a side. In a larger box, only every second,
/// third, … column gets a vertex.
const GROUND_SIDE: usize = 2048;

/// Memory per ground vertex in bytes while the mesh of the ground is built.
const BYTES_A_GROUND_CORNER: f64 = 12.0 + 24.0 + 24.0 + 12.0;

/// Opacity (0 to 1) of the meshes of materials that carry no energy, such as water. Chosen by eye.
const OPACITY: f32 = 0.6;
/// Linear RGBA colour of the ground without a texture: dark rock.
const ROCK: [f32; 4] = [0.09, 0.08, 0.075, 1.0];
/// Linear RGBA colour by which the vertex colours of lava are multiplied; makes the crust dark,
/// while the glow comes from the emission texture.
const CRUST: [f32; 4] = [0.35, 0.35, 0.35, 1.0];
/// Emissive strength of the hottest lava: 1 is the radiance of white paper in full sun.
const GLOW: f32 = 6.0;

/// Options of exported meshes and blocks: isosurface level, palette of the lava, picture on the
/// ground, and blocks that the scene took from files.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Level of the isosurface that bounds a material: low-passed amount as a fraction of a full
    /// cell, above 0 and below 1.
    pub level: f32,
    /// Palette of lava by energy per amount, from 0 to [`ENERGY_SHOWN`]; 1 is lava fresh from the
    /// vent.
    pub palette: Palette,
    /// Picture on the ground, seen from above; `None` for ground of plain rock.
    pub drape: Option<Drape>,
    /// Blocks that the scene took from files; their names are kept (see [`super::parts_of`]).
    pub blocks: Vec<super::BlocksPart>,
}

impl Skin {
    /// Returns the palette position (0: lower end, 1: upper end) of the energy per amount `energy`,
    /// where 1 is lava fresh from the vent. The result is not clamped and may lie outside of 0 to
    /// 1.
    fn position(energy: f32) -> f32 {
        energy / ENERGY_SHOWN
    }
}

/// Reason why a mesh cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoMesh {
    /// The mesh has more vertices than allowed; the text is the complete message.
    #[error("{0}")]
    TooLarge(String),
    /// Building the mesh needs more memory than allowed.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
}

/// Triangle mesh in local metres `[east, north, up]` from the south-west corner of the simulation
/// box's floor; triangles are counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions of the mesh's vertices, [east, north, up] in local metres.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals of the mesh that point outwards, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Energy per amount at each vertex, for a material with energy; 1 is lava fresh from the vent.
    /// Empty for a material without energy.
    pub energies: Vec<f32>,
    /// Triangles of the mesh as triples of vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Creates the surface mesh of the material named `material`: the isosurface where its
    /// low-passed amount is `level` (fraction of a full cell).
    ///
    /// - The mesh is closed: every edge lies between two triangles, also where the material touches
    ///   the walls of the box.
    /// - At the bed, the surface lies half a cell inside the rock: the smooth ground lies within
    ///   half a cell of the solid cells, so no gap shows between the two.
    /// - A liquid on its bed under the sky that is too thin for the level becomes a sheet over the
    ///   ground, raised by its thickness; other thin matter has no surface, and a material that is
    ///   not in the world gives an empty mesh.
    ///
    /// # Errors
    /// When the mesh would have more than [`MAX_VERTICES`] vertices, or would need more memory than
    /// allowed.
    pub fn surface(shot: &ExportState<'_>, material: &str, level: f32) -> Result<Self, NoMesh> {
        let Some(layer) = shot.world.number_of(material) else {
            return Ok(Self::default());
        };
        let mesh = surface(shot, layer, level)?.with_normals();
        let carries_energy = shot.world.layers()[layer].carries_energy();
        Ok(if carries_energy {
            mesh
        } else {
            Self {
                energies: Vec::new(),
                ..mesh
            }
        })
    }

    /// Estimates the memory that this mesh occupies.
    fn need(&self) -> MemoryEstimate {
        let corners = 2 * size_of::<[f32; 3]>() * self.positions.len()
            + size_of::<f32>() * self.energies.len();
        MemoryEstimate::new(
            "the meshes",
            corners + size_of::<[u32; 3]>() * self.triangles.len(),
            1.0,
        )
    }

    /// Estimates the memory for building [`Mesh::ground`] for a box of shape `grid`: positions,
    /// triangles, normals, and sums from which normals are computed.
    fn need_of_ground(grid: Grid) -> MemoryEstimate {
        MemoryEstimate::new(
            "the mesh of the ground",
            Self::ground_corners(grid),
            BYTES_A_GROUND_CORNER,
        )
    }

    fn ground_corners(grid: Grid) -> usize {
        let corners = |n: usize| n.div_ceil(n.div_ceil(GROUND_SIDE));
        corners(grid.nx) * corners(grid.nz)
    }

    /// Creates the mesh of the ground surface (open, without sides or bottom), with a vertex at the
    /// centre of each column, or of every n-th column in a large box.
    pub fn ground(shot: &ExportState<'_>) -> Self {
        let (heights, site) = (shot.world.ground().surface(), shot.site);
        let columns =
            |n: usize| -> Vec<usize> { (0..n).step_by(n.div_ceil(GROUND_SIDE)).collect() };
        let (xs, zs) = (columns(site.grid.nx), columns(site.grid.nz));
        let count = xs.len() * zs.len();
        let corner = |x: usize, z: usize| {
            let north = (site.grid.nz - z) as f64 - 0.5;
            site.local_m([x as f64 + 0.5, north, heights[[z, x]].into()])
                .map(|m| m as f32)
        };
        let mut positions = Vec::with_capacity(count);
        positions.extend(
            zs.iter()
                .flat_map(|&z| xs.iter().map(move |&x| corner(x, z))),
        );
        let number = |col: usize, row: usize| (row * xs.len() + col) as u32;
        let mut triangles = Vec::with_capacity(2 * count);
        for row in 1..zs.len() {
            for col in 1..xs.len() {
                let [nw, ne] = [number(col - 1, row - 1), number(col, row - 1)];
                let [sw, se] = [number(col - 1, row), number(col, row)];
                triangles.extend([[nw, sw, ne], [ne, sw, se]]);
            }
        }
        Self {
            positions,
            triangles,
            ..Self::default()
        }
        .with_normals()
    }

    /// Returns the mesh with vertex normals: the mean of the normals of the adjacent triangles,
    /// weighted by their areas.
    fn with_normals(mut self) -> Self {
        let mut sums = vec![[0.0_f64; 3]; self.positions.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.positions[i as usize].map(f64::from));
            let side =
                |to: [f64; 3]| -> [f64; 3] { std::array::from_fn(|axis| to[axis] - a[axis]) };
            let normal = cross(side(b), side(c));
            for &i in triangle {
                sums[i as usize]
                    .iter_mut()
                    .zip(normal)
                    .for_each(|(sum, part)| *sum += part);
            }
        }
        self.normals = sums.into_iter().map(unit).collect();
        self
    }

    /// Returns the volume in m³ that the mesh encloses; without meaning for a mesh that is not
    /// closed.
    pub fn volume_m3(&self) -> f64 {
        // Relative to a vertex: large coordinates would cancel.
        let near = self
            .positions
            .first()
            .map_or([0.0; 3], |p| p.map(f64::from));
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

/// Returns the unit vector in the direction of `v`; [0, 0, 1] (up) for the zero vector.
fn unit(v: [f64; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 0.0 {
        v.map(|c| (c / length) as f32)
    } else {
        [0.0, 0.0, 1.0]
    }
}

/// Surface mesh of one material, together with a reference to the material.
struct MaterialMesh<'a> {
    material: &'a Material,
    mesh: Mesh,
    /// Reservation of the mesh's memory, which ends when the mesh is dropped.
    _held: Held,
}

/// Returns a lower estimate of the memory for writing a `.glb` of a box of shape `grid`: the mesh
/// of the ground, in memory and in the file, without the surfaces of materials.
pub fn need_of_glb(grid: Grid) -> MemoryEstimate {
    // Positions, normals and two triangles in the mesh, the same in the file, and the y-up
    // positions.
    Mesh::need_of_ground(grid).or(MemoryEstimate::new(
        "the mesh of the ground",
        Mesh::ground_corners(grid),
        2.0 * 48.0 + 12.0,
    ))
}

/// Writes the surfaces of all materials as PLY: vertices with normal, sRGB colour and `energy`, in
/// local metres `[east, north, up]`. If the world has several materials, each triangle has a
/// `material` number, whose names are in the comments of the file. Without matter, the file has no
/// vertices.
///
/// # Errors
/// When a surface has more than [`MAX_VERTICES`] vertices or the file cannot be written.
pub fn write_ply(
    path: &Path,
    shot: &ExportState<'_>,
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    ply::write(path, shot, &parts(path, shot, skin)?, skin, existing)
}

/// Writes the meshes `lava`, other materials under their names, and `ground` as binary glTF in
/// local metres (east, up, south). Vertex colours of lava are the attribute `COLOR_0`, energy is
/// `_ENERGY`, and a palette texture gives the emission. With feature `render`, the ground gets a
/// rock texture, and the picture of `skin` on top if there is one. Without matter, only the ground
/// is written.
///
/// # Errors
/// When a surface has more than [`MAX_VERTICES`] vertices or the file cannot be written.
pub fn write_glb(
    path: &Path,
    shot: &ExportState<'_>,
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    glb::write(path, shot, &parts(path, shot, skin)?, skin, existing)
}

/// Writes the meshes of [`write_glb`] as Universal Scene Description in text, in local metres (east,
/// north, up), with the colours of the vertices.
///
/// # Errors
/// When a surface has more than [`MAX_VERTICES`] vertices or the file cannot be written.
pub fn write_usda(
    path: &Path,
    shot: &ExportState<'_>,
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    usda::write(path, shot, &parts(path, shot, skin)?, skin, existing)
}

/// Creates the surface meshes of all materials in the world of `shot`, in the order of the layers.
/// `path`: output file, for messages; `skin`: isosurface level.
fn parts<'a>(
    path: &Path,
    shot: &ExportState<'a>,
    skin: &Skin,
) -> Result<Vec<MaterialMesh<'a>>, ExportError> {
    let part = |material: &'a Material| {
        let mesh = Mesh::surface(shot, &material.name, skin.level);
        let mesh = mesh.map_err(|no_mesh| match no_mesh {
            NoMesh::TooLarge(reason) => ExportError::TooLarge {
                path: path.to_owned(),
                reason,
            },
            NoMesh::Memory(cause) => ExportError::Memory {
                path: path.to_owned(),
                cause,
            },
        })?;
        let held = mesh.need().held();
        Ok(MaterialMesh {
            material,
            mesh,
            _held: held,
        })
    };
    shot.world.materials().map(part).collect()
}

/// Converts a vertex from the axes [east, north, up] to (east, up, south), the axes of file formats
/// whose y axis points up.
fn y_up([east, north, up]: [f32; 3]) -> [f32; 3] {
    [east, up, -north]
}
