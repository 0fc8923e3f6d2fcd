//! Sheets: meshes of liquid films that are too thin for an isosurface. A sheet is the mesh of the
//! ground raised by the thickness of the film.
//!
//! The low-passed amount of a film never reaches the isosurface level, so a flow of a few
//! decimetres in cells of metres would have no surface. The sheet contains the triangles of
//! [`Mesh::ground`] around each column with a film, twice: at the bed, and raised by the thickness,
//! which falls to 0 at the centres of the neighbouring columns without film.
//!
//! - Invariant: the sheet is closed, and its volume equals that of the liquid.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Mesh, NoMesh};
use crate::export::MEND;
use crate::export::state::ExportState;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::units::{amount, cells, energy};

/// Memory in bytes per column with a film while its sheet is built: film record, two vertices, four
/// triangles, and hash tables.
const BYTES_A_COLUMN: f64 = 1200.0;

/// Offsets `[x, z]` to the six neighbours of a column in the ground triangulation,
/// counter-clockwise from above.
const AROUND: [[isize; 2]; 6] = [[1, 0], [1, -1], [0, -1], [-1, 0], [-1, 1], [0, 1]];

/// Film (thin sheet of liquid) on the ground of one column. The centre of the column is a vertex of
/// the sheet's mesh.
#[derive(Clone, Copy, Debug, Default)]
struct Film {
    /// Thickness in cell heights; 0 for a column without liquid that the sheet spans because its
    /// neighbours have films.
    thickness: f64,
    /// Energy per amount of the film; 1 is lava fresh from the vent.
    energy: f32,
}

/// Column index `[x, z]` in the simulation box.
type ColumnIndex = [usize; 2];

/// Adds the sheet of the layer with the index `layer` to `mesh`, which contains the isosurface of
/// this layer. `is_thick`: true for columns that the isosurface covers, where no sheet is needed.
pub(super) fn add(
    mesh: &mut Mesh,
    shot: &ExportState<'_>,
    layer: usize,
    is_thick: &[bool],
) -> Result<(), NoMesh> {
    let grid = shot.world.grid();
    let mut films = BTreeMap::new();
    let held: BTreeSet<usize> = shot.world.layers()[layer]
        .held()
        .map(|([x, _, z], _)| grid.column(x, z))
        .filter(|&c| !is_thick[c])
        .collect();
    for column in held {
        let at = [column % grid.nx, column / grid.nx];
        films.extend(film(shot, layer, at).map(|film| (at, film)));
    }
    MemoryEstimate::new("the thin parts of the surface", films.len(), BYTES_A_COLUMN)
        .check(MEND)?;
    let mut sheet = FilmSurface {
        shot,
        layer,
        films,
        mesh,
        corners: HashMap::new(),
    };
    sheet.close_gaps();
    sheet.add_triangles();
    Ok(())
}

/// Returns the film of the layer with the index `layer` on the bed of the column `[x, z]`; `None`
/// if the column has no liquid of this layer, or the liquid hangs, falls, or lies under a roof.
fn film(shot: &ExportState<'_>, layer: usize, [x, z]: ColumnIndex) -> Option<Film> {
    let (mut units, mut heat) = (0_u64, 0_u64);
    for y in lying(shot, layer, [x, z]) {
        let cell = shot.world.layers()[layer].at([x, y, z]);
        (units, heat) = (
            units + u64::from(cell.amount),
            heat + u64::from(cell.energy),
        );
    }
    let energy = heat as f32 * energy(1) / (units.max(1) as f32 * amount(1));
    (units > 0).then(|| Film {
        thickness: cells(units),
        energy,
    })
}

/// Iterates over the heights y of the cells in the column `[x, z]` that contain some of the layer
/// with the index `layer` or of a heavier layer, from the ground upwards to the first cell without.
fn lying(shot: &ExportState<'_>, layer: usize, [x, z]: ColumnIndex) -> impl Iterator<Item = usize> {
    let (world, ny) = (shot.world, shot.world.grid().ny);
    let holds = move |&y: &usize| {
        world.layers()[..=layer]
            .iter()
            .any(|layer| layer.at([x, y, z]).amount > 0)
    };
    (world.ground().top(x, z)..ny).take_while(holds)
}

/// Sheets of one layer's thin liquid films under construction, which are added to `mesh`.
struct FilmSurface<'a, 'b> {
    shot: &'a ExportState<'b>,
    layer: usize,
    films: BTreeMap<ColumnIndex, Film>,
    mesh: &'a mut Mesh,
    /// Vertex indices `[top, bed]`; key: column, and direction in which its fan of triangles
    /// begins. A column without film at an edge of the sheet has one pair of vertices for each fan
    /// of triangles around it.
    corners: HashMap<(ColumnIndex, usize), [u32; 2]>,
}

impl FilmSurface<'_, '_> {
    /// Returns the neighbour of the column `[x, z]` in the direction `AROUND[direction % 6]`;
    /// `None` if that lies outside of the simulation box.
    fn neighbour(&self, [x, z]: ColumnIndex, direction: usize) -> Option<ColumnIndex> {
        let (grid, [dx, dz]) = (self.shot.world.grid(), AROUND[direction % 6]);
        let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
        (x < grid.nx && z < grid.nz).then_some([x, z])
    }

    fn is_film(&self, column: Option<ColumnIndex>) -> bool {
        column.is_some_and(|column| self.films.contains_key(&column))
    }

    /// Adds films of zero thickness to columns without film of whose six neighbours at least five
    /// have films. In all other columns without film, top and bed of the sheet meet, and the two
    /// sheets along an edge between two such columns get separate vertices.
    fn close_gaps(&mut self) {
        let near = |sheet: &Self, column: ColumnIndex| {
            (0..6)
                .filter_map(|k| sheet.neighbour(column, k))
                .collect::<Vec<_>>()
        };
        let mut open: BTreeSet<ColumnIndex> = self
            .films
            .keys()
            .flat_map(|&column| near(self, column))
            .collect();
        while let Some(column) = open.pop_first() {
            let films = (0..6)
                .filter(|&k| self.is_film(self.neighbour(column, k)))
                .count();
            if films >= 5 && !self.films.contains_key(&column) {
                open.extend(near(self, column));
                self.films.insert(column, Film::default());
            }
        }
    }

    fn add_triangles(&mut self) {
        let mut triangles = BTreeSet::new();
        for &column in self.films.keys() {
            for slot in 0..6 {
                if let (Some(a), Some(b)) = (
                    self.neighbour(column, slot),
                    self.neighbour(column, slot + 1),
                ) {
                    // Each triangle is rotated to begin at its smallest vertex, so that the set
                    // holds it once.
                    let mut triangle = [column, a, b];
                    let first = (0..3).min_by_key(|&i| triangle[i]).unwrap_or(0);
                    triangle.rotate_left(first);
                    triangles.insert(triangle);
                }
            }
        }
        for triangle in triangles {
            let corners: [[u32; 2]; 3] = std::array::from_fn(|i| {
                self.corners(triangle[i], [triangle[(i + 1) % 3], triangle[(i + 2) % 3]])
            });
            let [top, bed] = [0, 1].map(|side| corners.map(|corner| corner[side]));
            self.mesh.triangles.extend([top, [bed[0], bed[2], bed[1]]]);
            for i in 0..3 {
                let next = (i + 1) % 3;
                if self.is_at_side(triangle[i], triangle[next]) {
                    self.add_wall([corners[i], corners[next]]);
                }
            }
        }
    }

    /// Returns true if the edge between the columns `a` and `b` lies on a side of the simulation
    /// box.
    fn is_at_side(&self, a: ColumnIndex, b: ColumnIndex) -> bool {
        let grid = self.shot.world.grid();
        [grid.nx, grid.nz]
            .iter()
            .enumerate()
            .any(|(k, n)| a[k] == b[k] && (a[k] == 0 || a[k] + 1 == *n))
    }

    /// Adds the vertical side wall of the sheet below an edge of its top surface, from the vertices
    /// `from` to `to` at the top and `from_bed` to `to_bed` at the bed.
    fn add_wall(&mut self, [[from, from_bed], [to, to_bed]]: [[u32; 2]; 2]) {
        if from != from_bed {
            self.mesh.triangles.push([to, from, from_bed]);
        }
        if to != to_bed {
            self.mesh.triangles.push([to, from_bed, to_bed]);
        }
    }

    /// Returns the vertex indices `[top, bed]` of `column` in the triangle of `column` and the
    /// columns `others`, which follow counter-clockwise. Adds the vertices if necessary.
    fn corners(&mut self, column: ColumnIndex, others: [ColumnIndex; 2]) -> [u32; 2] {
        let key = (column, self.fan(column, others));
        if let Some(corners) = self.corners.get(&key) {
            return *corners;
        }
        let film = self.films.get(&column).copied();
        let own = film
            .filter(|film| film.thickness > 0.0)
            .map(|film| film.energy);
        let energy = own.unwrap_or_else(|| self.energy_around(column));
        let bed = self.bed(column);
        let top = self.add_corner(column, bed + film.unwrap_or_default().thickness, energy);
        let bed = if film.is_some() {
            self.add_corner(column, bed, energy)
        } else {
            top
        };
        self.corners.insert(key, [top, bed]);
        [top, bed]
    }

    /// Returns the direction (index in `AROUND`) in which the fan of adjacent triangles around
    /// `column` begins that contains the triangle of `column` and `others`. Fans end at edges
    /// between two columns without film; a column with film has a single fan, 0.
    fn fan(&self, column: ColumnIndex, others: [ColumnIndex; 2]) -> usize {
        if self.films.contains_key(&column) {
            return 0;
        }
        let is_slot =
            |slot: &usize| [*slot, slot + 1].map(|k| self.neighbour(column, k)) == others.map(Some);
        let mut slot = (0..6).find(is_slot).unwrap_or(0);
        while self.is_film(self.neighbour(column, slot))
            && self.neighbour(column, slot + 5).is_some()
        {
            slot = (slot + 5) % 6;
        }
        slot
    }

    fn energy_around(&self, column: ColumnIndex) -> f32 {
        let near = (0..6)
            .filter_map(|k| self.films.get(&self.neighbour(column, k)?))
            .filter(|film| film.thickness > 0.0);
        let (sum, count) = near.fold((0.0, 0.0), |(sum, count), film| {
            (sum + film.energy, count + 1.0_f32)
        });
        sum / count.max(1.0)
    }

    /// Returns the height of the bed of the liquid in the column `[x, z]` (ground plus heavier
    /// matter), in cells above the floor of the simulation box.
    fn bed(&self, [x, z]: ColumnIndex) -> f64 {
        let (world, mut heavier) = (self.shot.world, 0);
        if let Some(last) = self.layer.checked_sub(1) {
            let layers = &world.layers()[..=last];
            let in_cell = |y: usize| {
                layers
                    .iter()
                    .map(|layer| u64::from(layer.at([x, y, z]).amount))
                    .sum::<u64>()
            };
            heavier = lying(self.shot, last, [x, z]).map(in_cell).sum();
        }
        f64::from(world.ground().surface()[[z, x]]) + cells(heavier)
    }

    fn add_corner(&mut self, [x, z]: ColumnIndex, height: f64, energy: f32) -> u32 {
        let site = self.shot.site;
        let north = (site.grid.nz - z) as f64 - 0.5;
        self.mesh.positions.push(
            site.local_m([x as f64 + 0.5, north, height])
                .map(|m| m as f32),
        );
        self.mesh.energies.push(energy);
        self.mesh.positions.len() as u32 - 1
    }
}
