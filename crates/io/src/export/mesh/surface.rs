//! Isosurface of a layer by surface nets, computed in chunks that contain matter.
//!
//! A net has one vertex in each cube of eight samples that the surface crosses. Where matter
//! touches matter only across an edge or a corner of cells, two sheets would share that edge or
//! corner, and the mesh would not bound a solid. Such places are filled by one cell first.
//!
//! - Invariant: every edge lies between exactly two triangles.

use std::collections::{BTreeSet, HashMap};

use fast_surface_nets::ndshape::{ConstShape, ConstShape3u32};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use lavoxel_base::parallel::*;

use super::{Mesh, NoMesh, sheet};
use crate::export::MEND;
use crate::export::sparse::{EDGE, Sparse, cell_of};
use crate::export::state::ExportState;
use lavoxel_automaton::matter::Kind;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_sim::lowpass::{ENERGY_SHOWN, RowFilter};

/// Upper bound on the number of vertices of a surface mesh; a file with this number of vertices has
/// about 1 GB.
pub const MAX_VERTICES: usize = 1 << 24;

/// Length of a chunk's edge in cells. Chunks are meshed independently, in parallel.
const CHUNK: usize = 16;
/// Number of samples along the edge of a chunk: one per cell, and one from the neighbouring chunk
/// at either end.
const SAMPLES: usize = CHUNK + 2;
/// Index of the last sample along the edge of a chunk.
const LAST: u32 = SAMPLES as u32 - 1;
type Shape = ConstShape3u32<{ SAMPLES as u32 }, { SAMPLES as u32 }, { SAMPLES as u32 }>;
/// Number of chunks that are meshed in parallel before their results are merged.
const BATCH: usize = 256;

/// Low-passed (smoothed) values of one layer in one cell: sample of the field whose isosurface is
/// computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LatticeSample {
    /// Low-passed amount that defines the isosurface, in 1/255 of a full cell; in rock at most the
    /// isosurface level.
    shape: u8,
    density: u8,
    energy: u8,
}

/// Integer position of a chunk (in chunks) or of a cube of samples (in cells), from the south-west
/// corner of the simulation box's floor.
type LatticePoint = [u32; 3];

/// Memory in bytes per vertex while a mesh and its normals are computed: position, energy, index,
/// share of the triangles, and lists that grow by doubling.
const BYTES_A_CORNER: f64 = 200.0;

/// Creates the surface mesh of the layer with the index `layer` at the isosurface level `level`
/// (fraction of a full cell), without normals: isosurface by surface nets, plus sheets where a
/// liquid is too thin for an isosurface.
pub(super) fn surface(shot: &ExportState<'_>, layer: usize, level: f32) -> Result<Mesh, NoMesh> {
    // Truncation puts the level between two sample values, so that no sample lies exactly on the
    // surface.
    let level = (level * 255.0) as u8;
    let mut field = samples(shot, layer, level);
    let mut chunks = chunks_around(&field);
    join_pinches(&mut field, &mut chunks, shot.site.shape(), level);
    let field = field.whole()?;
    let _held = field.held();
    let mut net = Net::default();
    let chunks: Vec<LatticePoint> = chunks.into_iter().collect();
    for batch in chunks.chunks(BATCH) {
        let pieces: Vec<ChunkNet> = batch
            .par_iter()
            .map(|&chunk| ChunkNet::new(&field, chunk, level))
            .collect();
        pieces.iter().for_each(|piece| net.join(piece, shot));
        check(shot, layer, &net.mesh)?;
        let corners = net.mesh.positions.len();
        MemoryEstimate::new("the corners of the surface", corners, BYTES_A_CORNER).check(MEND)?;
    }
    let mut mesh = net.mesh;
    if matches!(
        shot.world.layers()[layer].material().kind,
        Kind::Liquid | Kind::Viscous
    ) {
        sheet::add(&mut mesh, shot, layer, &thick_columns(shot, &field, level))?;
        check(shot, layer, &mesh)?;
    }
    Ok(mesh)
}

/// Fails if `mesh`, the surface of the layer with index `layer`, has more than [`MAX_VERTICES`]
/// vertices.
fn check(shot: &ExportState<'_>, layer: usize, mesh: &Mesh) -> Result<(), NoMesh> {
    if mesh.positions.len() <= MAX_VERTICES {
        return Ok(());
    }
    let name = &shot.world.layers()[layer].material().name;
    let reason = format!(
        "the {name}'s surface has more than {MAX_VERTICES} corners; a .vdb file has no limit"
    );
    Err(NoMesh::TooLarge(reason))
}

/// Returns one value per column, in the order of column indices: true if a sample of `field` in the
/// column is above `level`, which means inside the isosurface.
fn thick_columns(shot: &ExportState<'_>, field: &Sparse<LatticeSample>, level: u8) -> Vec<bool> {
    let grid = shot.world.grid();
    let mut thick = vec![false; grid.columns()];
    for (&number, block) in &field.blocks {
        for at in block
            .active_cells()
            .filter(|&at| block.values[at].shape > level)
        {
            let [east, north, _] = cell_of(number, at);
            thick[grid.column(east, grid.nz - 1 - north)] = true;
        }
    }
    thick
}

/// Computes the low-passed samples of the layer with the index `layer`. In rock, their `shape` is
/// limited to `level`, which places the isosurface in the middle of the first solid cell.
fn samples(shot: &ExportState<'_>, layer: usize, level: u8) -> Sparse<LatticeSample> {
    let mut field = Sparse::new();
    RowFilter::of_layer(layer).each_cell(shot.world, |[x, y, z], density, energy| {
        if density > 0 {
            let most = if shot.world.ground().is_solid([x, y, z]) {
                level
            } else {
                u8::MAX
            };
            field.set(
                shot.site.cell([x, y, z]),
                LatticeSample {
                    shape: density.min(most),
                    density,
                    energy,
                },
            );
        }
    });
    field
}

/// Returns the positions (in chunks) of all chunks that the isosurface of `field` can intersect.
fn chunks_around(field: &Sparse<LatticeSample>) -> BTreeSet<LatticePoint> {
    let ends = |block: &[u16; 3]| {
        let first = block.map(|along| usize::from(along) * EDGE);
        corners().map(move |corner| {
            std::array::from_fn(|axis| ((first[axis] + EDGE * corner[axis]) / CHUNK) as u32)
        })
    };
    field.blocks.keys().flat_map(ends).collect()
}

/// Iterates over the eight corners of a unit cube. Bit `axis` of a corner's index is its coordinate
/// along that axis.
fn corners() -> impl Iterator<Item = [usize; 3]> {
    (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2])
}

/// Copies the samples of `field` in the chunk `chunk`, with a margin of one cell, into an array.
/// The first axis varies fastest; index 0 and the last index along each axis belong to the margin.
fn gather(field: &Sparse<LatticeSample>, chunk: LatticePoint) -> Vec<LatticeSample> {
    let mut samples = vec![LatticeSample::default(); SAMPLES * SAMPLES * SAMPLES];
    let first = chunk.map(|along| along as usize * CHUNK);
    let blocks =
        first.map(|cell| (cell.saturating_sub(1) / EDGE) as u16..=((cell + CHUNK) / EDGE) as u16);
    for i in blocks[0].clone() {
        for j in blocks[1].clone() {
            for k in blocks[2].clone() {
                let Some(block) = field.blocks.get(&[i, j, k]) else {
                    continue;
                };
                for at in block.active_cells() {
                    let cell = cell_of([i, j, k], at);
                    let [a, b, c] =
                        std::array::from_fn(|axis| (cell[axis] + 1).wrapping_sub(first[axis]));
                    if a.max(b).max(c) < SAMPLES {
                        samples[(c * SAMPLES + b) * SAMPLES + a] = block.values[at];
                    }
                }
            }
        }
    }
    samples
}

/// Raises samples of `field` above `level` until no two regions inside the isosurface, and no two
/// regions outside, touch only at an edge or a corner of cells. Adds the chunks in which the
/// isosurface changes to `chunks`. `limits`: number of cells along the three axes.
fn join_pinches(
    field: &mut Sparse<LatticeSample>,
    chunks: &mut BTreeSet<LatticePoint>,
    limits: [usize; 3],
    level: u8,
) {
    let pinched = pinched_cubes();
    let mut stale = chunks.clone();
    while !stale.is_empty() {
        let list: Vec<LatticePoint> = std::mem::take(&mut stale).into_iter().collect();
        // Only samples inside the simulation box can be raised. A pinched cube always has one: it
        // is pinched between samples of the box.
        let find =
            |&chunk: &LatticePoint| pinches(&gather(field, chunk), chunk, limits, level, &pinched);
        let raised: Vec<([usize; 3], LatticeSample)> =
            list.par_iter().flat_map_iter(find).collect();
        for (cell, sample) in raised {
            field.set(
                cell,
                LatticeSample {
                    shape: level + 1,
                    ..sample
                },
            );
            for corner in (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]) {
                let near: LatticePoint = std::array::from_fn(|axis| {
                    ((cell[axis] + corner[axis]).saturating_sub(1) / CHUNK) as u32
                });
                chunks.insert(near);
                stale.insert(near);
            }
        }
    }
}

/// Returns a table indexed by the pattern of a cube's eight corners (bit set: corner inside the
/// isosurface); true if two sheets of the isosurface would share an edge or a corner.
fn pinched_cubes() -> [bool; 256] {
    std::array::from_fn(|set| {
        let inside = |corner: usize| set >> corner & 1 == 1;
        let opposite = (0..8).any(|n| {
            let pair = 1 << n | 1 << (7 - n);
            set == pair || set == 255 ^ pair
        });
        opposite
            || (0..3).any(|axis| {
                let (a, b) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                [0, 1 << axis].iter().any(|&side| {
                    let [first, across] = [inside(side), inside(side | a | b)];
                    let [left, right] = [inside(side | a), inside(side | b)];
                    first == across && left == right && first != left
                })
            })
    })
}

/// Returns, for each cube of samples in the chunk `chunk` whose pattern of inside corners is marked
/// in `pinched`, the cell position and the value of its densest sample outside of the isosurface.
/// Cells outside of the simulation box are left out. `limits`: number of cells along the three
/// axes.
fn pinches(
    samples: &[LatticeSample],
    chunk: LatticePoint,
    limits: [usize; 3],
    level: u8,
    pinched: &[bool; 256],
) -> Vec<([usize; 3], LatticeSample)> {
    let at = |[a, b, c]: [usize; 3]| samples[(c * SAMPLES + b) * SAMPLES + a];
    let mut raised = Vec::new();
    for c in 0..SAMPLES - 1 {
        for b in 0..SAMPLES - 1 {
            for a in 0..SAMPLES - 1 {
                let cube = || corners().map(|corner| [a + corner[0], b + corner[1], c + corner[2]]);
                let set = cube()
                    .enumerate()
                    .fold(0, |set, (n, p)| set | usize::from(at(p).shape > level) << n);
                if !pinched[set] {
                    continue;
                }
                let outside = cube().filter(|&p| at(p).shape <= level).filter_map(|p| {
                    let cell: [usize; 3] = std::array::from_fn(|axis| {
                        (chunk[axis] as usize * CHUNK + p[axis]).wrapping_sub(1)
                    });
                    // Samples outside of the simulation box wrap to huge indices and are dropped
                    // here.
                    cell.iter()
                        .zip(limits)
                        .all(|(&along, limit)| along < limit)
                        .then(|| (cell, at(p)))
                });
                raised.extend(outside.max_by_key(|(_, sample)| sample.shape));
            }
        }
    }
    raised
}

/// Surface net of one chunk: vertices, triangles and energies, before the nets of all chunks are
/// merged.
struct ChunkNet {
    chunk: LatticePoint,
    net: SurfaceNetsBuffer,
    energies: Vec<f32>,
}

impl ChunkNet {
    fn new(field: &Sparse<LatticeSample>, chunk: LatticePoint, level: u8) -> Self {
        let samples = gather(field, chunk);
        let distances: Vec<f32> = samples
            .iter()
            .map(|sample| f32::from(level) + 0.5 - f32::from(sample.shape))
            .collect();
        let mut net = SurfaceNetsBuffer::default();
        surface_nets(&distances, &Shape {}, [0; 3], [LAST; 3], &mut net);
        let energies = net.surface_strides.iter().map(|&first| {
            let around = corners()
                .map(|c| samples[first as usize + Shape::linearize(c.map(|v| v as u32)) as usize]);
            let add = |(density, energy): (f32, f32), s: LatticeSample| {
                (density + f32::from(s.density), energy + f32::from(s.energy))
            };
            let (density, energy) = around.fold((0.0, 0.0), add);
            ENERGY_SHOWN * energy / density.max(1.0)
        });
        let energies = energies.collect();
        Self {
            chunk,
            net,
            energies,
        }
    }
}

/// Mesh merged from the surface nets of all chunks.
#[derive(Default)]
struct Net {
    mesh: Mesh,
    /// Vertex index; key: position of the cube of samples in which the vertex lies. Neighbouring
    /// chunks contain the same cubes at their common side.
    corners: HashMap<LatticePoint, u32>,
}

impl Net {
    fn join(&mut self, piece: &ChunkNet, shot: &ExportState<'_>) {
        let first = piece.chunk.map(|along| along * CHUNK as u32);
        let mut numbers = Vec::with_capacity(piece.energies.len());
        for (i, cube) in piece.net.surface_points.iter().enumerate() {
            let place = std::array::from_fn(|axis| first[axis] + cube[axis]);
            numbers.push(*self.corners.entry(place).or_insert_with(|| {
                // Sample 1 is the centre of the chunk's first cell.
                let point = std::array::from_fn(|axis| {
                    f64::from(first[axis]) + f64::from(piece.net.positions[i][axis]) - 0.5
                });
                self.mesh
                    .positions
                    .push(shot.site.local_m(point).map(|m| m as f32));
                self.mesh.energies.push(piece.energies[i]);
                self.mesh.positions.len() as u32 - 1
            }));
        }
        let triangles = piece.net.indices.as_chunks::<3>().0.iter();
        self.mesh
            .triangles
            .extend(triangles.map(|triangle| triangle.map(|i| numbers[i as usize])));
    }
}
