//! Ground that a height field cannot represent: caves, arches, overhangs and the walls of built
//! bodies, drawn cell by cell. Also stores which columns solidified lava tops, because it has a
//! colour of its own.
//!
//! ```text
//!              ____                 smooth top (heights)
//!    __   ____|####|___             #  columns with caves or walls, and two columns around: cells
//!      \_|    |#  #|   \__          elsewhere rays meet the smooth top
//! ```
//!
//! Invariant: in these columns a point is rock where its cell is. Only on top of a column the
//! smooth surface is kept where that surface lies near the highest cell, so that no seam shows
//! around a cave under even ground.
//!
//! Caves under solidified lava have no corners: they are taken out of the smooth ground as rounded
//! hollows (`hollows`).

mod walk;

pub(super) use self::walk::after;
use super::Heightfield;
use super::walls::{WALL, is_built, walls};
use crate::camera::Ray;
use crate::math::{V3, lerp};
use lavoxel_automaton::world::Ground;

/// Distance in columns around a column with a cave or wall within which all columns are drawn cell
/// by cell.
// The smooth top leans on the column with the cave that far.
const AROUND: usize = 2;
/// Choice of a column's drawn top: the smooth surface is drawn if its height above the top of the
/// column's highest solid cell lies between these two values (cells, negative below), otherwise the
/// flat top.
pub const NEAR: [f32; 2] = [-1.0, 0.75];
/// Bounds (cells) between which the height of a drawn smooth surface above the top of its column's
/// highest solid cell is clamped.
pub const DRAWN: [f32; 2] = [-0.6, 0.5];
/// Height difference in cells to any column within `AROUND` columns above which a column's top is
/// drawn flat.
// The smooth surface overshoots next to a higher step.
const CLIFF: usize = 3;
/// Bit in an entry of `Caves::tops` that marks a column whose top is drawn flat.
const FLAT: u16 = 1 << 15;
/// Bit in an entry of `Caves::tops` that marks a column of a rounded hollow. The bits in
/// `Caves::cells` then mark open cells, and the column's top is the smooth ground.
const ROUNDED: u16 = 1 << 14;
/// Distance in columns by which a rounded hollow extends beyond the columns that have the cave.
const MOUTH: usize = 1;
/// Maximum number of times that a ray may pass from the columns drawn cell by cell into other
/// columns before the search for the ground is given up.
const MOST: usize = 1000;
/// Number of intervals of a ray's path through a cell in each of which an intersection with the
/// smooth surface is searched.
pub const PIECES: usize = 6;
/// Number of bisections that refine the intersection of a ray with the smooth surface of a column.
pub const HALVINGS: usize = 10;

/// Top of a stored column of `Caves`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Top {
    /// Index along y of the lowest cell above the column's highest solid cell.
    pub cell: usize,
    /// Set if the top is drawn flat instead of as the smooth surface.
    pub flat: bool,
    /// Set if the column belongs to a rounded hollow.
    pub rounded: bool,
}

/// Columns of the ground that are drawn cell by cell or belong to rounded hollows. Empty, without
/// allocations, if the ground has neither.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caves {
    /// Number of columns of the simulation box along x and z; 0 if no column is stored.
    size: [usize; 2],
    /// Position in `tops` of each column of the simulation box, plus 1; 0 for columns that are not
    /// stored, because the smooth ground represents them.
    index: Vec<u32>,
    /// For each stored column: index of the lowest cell above the highest solid cell, combined with
    /// the bits [`FLAT`] and [`ROUNDED`].
    tops: Vec<u16>,
    /// One bit per cell of each stored column, in `words` words per column: set for a solid cell,
    /// but in a column of a rounded hollow for an open cell.
    cells: Vec<u64>,
    /// Number of 64-bit words per stored column in `cells`.
    words: usize,
    /// Lower corner (x, z), in columns, of the bounding box of all stored columns.
    low: [usize; 2],
    /// Upper corner (x, z), in columns, of the bounding box of all stored columns.
    high: [usize; 2],
    /// Upper bound, in cells, of the tops of all stored columns.
    top: usize,
    /// Kinds of columns that occur among the stored ones: drawn cell by cell, or part of a rounded
    /// hollow.
    pub(super) kinds: Kinds,
    /// One bit per column of the simulation box, set if solidified lava tops the column, as in
    /// `Ground::fresh`; empty if no bit is set.
    fresh: Vec<u64>,
    /// Number of columns of the simulation box along x and z, to index `fresh`.
    columns: [usize; 2],
}

impl Caves {
    /// Returns those columns of `ground` that have caves or walls, and the columns within `AROUND`
    /// columns of these; `tall`: drawn height of a cell in cell widths.
    pub fn from_ground(ground: &Ground, tall: f32) -> Self {
        let (grid, mut cornered) = (ground.grid(), walls(ground, tall));
        let (nx, nz) = (grid.nx, grid.nz);
        let mut caves = Self::default();
        if !ground.fresh().is_empty() {
            (caves.fresh, caves.columns) = (ground.fresh().to_vec(), [nx, nz]);
        }
        let hollow = ground.caves();
        let (rounded, others): (Vec<_>, Vec<_>) = hollow
            .iter()
            .map(|(column, _)| *column)
            .partition(|&column| caves.is_fresh(column));
        cornered.extend(others);
        if cornered.is_empty() && rounded.is_empty() {
            return caves;
        }
        caves = Self {
            size: [nx, nz],
            index: vec![0; nx * nz],
            low: [nx, nz],
            ..caves
        };
        caves.words = grid.ny.div_ceil(64);
        caves.kinds = Kinds {
            rounded: !rounded.is_empty(),
            cornered: !cornered.is_empty(),
        };
        // The columns themselves come before the columns around, which take the remaining places.
        rounded
            .iter()
            .for_each(|&column| caves.add_rounded(ground, column));
        cornered
            .iter()
            .for_each(|&column| caves.add(ground, (column % nx, column / nx), tall));
        for (columns, reach) in [(rounded, MOUTH), (cornered, AROUND)] {
            for column in columns {
                for (x, z) in columns_near([column % nx, column / nx], [nx, nz], reach) {
                    match reach {
                        MOUTH => caves.add_rounded(ground, z * nx + x),
                        _ => caves.add(ground, (x, z), tall),
                    }
                }
            }
        }
        caves
    }

    /// Stores the column (`x`, `z`) with its solid cells as a column drawn cell by cell, unless the
    /// column is stored already. `tall`: drawn height of a cell in cell widths.
    fn add(&mut self, ground: &Ground, (x, z): (usize, usize), tall: f32) {
        if self.index[z * self.size[0] + x] != 0 {
            return;
        }
        let top = ground.top(x, z);
        // A body's own top ends in a wall, so any step next to it keeps that top flat.
        let built = is_built(ground, x, z);
        let mut steps =
            columns_near([x, z], self.size, AROUND).map(|(x, z)| ground.top(x, z).abs_diff(top));
        let cliff = steps.any(|step| step > CLIFF || (built && step as f32 * tall > WALL));
        self.store_column([x, z], (top, if cliff { FLAT } else { 0 }), |y| {
            ground.is_solid([x, y, z])
        });
    }

    /// Stores the column with the index `column` with its open cells as part of a rounded hollow,
    /// unless the column is stored already.
    fn add_rounded(&mut self, ground: &Ground, column: usize) {
        if self.index[column] != 0 {
            return;
        }
        let [x, z] = [column % self.size[0], column / self.size[0]];
        // A hollow extends out of its mouth, or its rim would close the mouth.
        let near: Vec<_> = columns_near([x, z], self.size, MOUTH)
            .map(|(x, z)| (x, z, ground.top(x, z)))
            .collect();
        let roof = near.iter().map(|(_, _, top)| *top).max().unwrap_or(0);
        let is_hollow = |y: usize| {
            near.iter()
                .any(|&(x, z, top)| y < top && !ground.is_solid([x, y, z]))
        };
        self.store_column([x, z], (roof, ROUNDED), |y| {
            !ground.is_solid([x, y, z]) && is_hollow(y)
        });
    }

    /// Stores the column (`x`, `z`). `top`: index of the lowest cell above all solid ones; `kind`:
    /// the bits `FLAT` and `ROUNDED`; a cell's bit is set if its index is below `top` and `counts`
    /// returns true for it.
    fn store_column(
        &mut self,
        [x, z]: [usize; 2],
        (top, kind): (usize, u16),
        counts: impl Fn(usize) -> bool,
    ) {
        self.tops.push(top as u16 | kind);
        self.index[z * self.size[0] + x] = self.tops.len() as u32;
        let from = self.cells.len();
        self.cells.resize(from + self.words, 0);
        for y in (0..top).filter(|&y| counts(y)) {
            self.cells[from + y / 64] |= 1 << (y % 64);
        }
        self.low = [self.low[0].min(x), self.low[1].min(z)];
        self.high = [self.high[0].max(x + 1), self.high[1].max(z + 1)];
        self.top = self.top.max(top);
    }

    /// Returns true if solidified lava tops any column of the simulation box.
    pub(crate) fn is_set_anywhere(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Returns the fraction (0 to 1) of solidified lava at (`x`, `z`) in cells: 1 at the centre of
    /// a column that solidified lava tops, 0 at the centres of others, bilinear between.
    pub(crate) fn freshness(&self, x: f32, z: f32) -> f32 {
        if self.fresh.is_empty() {
            return 0.0;
        }
        let near = |v: f32, n: usize| {
            let v = (v - 0.5).clamp(0.0, (n - 1) as f32);
            ([v as usize, (v as usize + 1).min(n - 1)], v.fract())
        };
        let (xs, x_share) = near(x, self.columns[0]);
        let (zs, z_share) = near(z, self.columns[1]);
        let at = |x: usize, z: usize| f32::from(u8::from(self.is_fresh(z * self.columns[0] + x)));
        let row = |z: usize| lerp(at(xs[0], z), at(xs[1], z), x_share);
        lerp(row(zs[0]), row(zs[1]), z_share)
    }

    /// Returns true if solidified lava tops the column with the index `column`.
    fn is_fresh(&self, column: usize) -> bool {
        self.fresh
            .get(column / 64)
            .is_some_and(|word| word >> (column % 64) & 1 == 1)
    }

    /// Returns the columns (x, z) that solidified lava tops in only one of `self` and `other`, two
    /// grounds of the same simulation box.
    pub(crate) fn differing_in_fresh(&self, other: &Self) -> Vec<(usize, usize)> {
        let width = self.columns[0].max(other.columns[0]).max(1);
        let words = 0..self.fresh.len().max(other.fresh.len());
        let word = |caves: &Self, k: usize| caves.fresh.get(k).copied().unwrap_or(0);
        let differing = words
            .map(|k| (k, word(self, k) ^ word(other, k)))
            .filter(|(_, bits)| *bits != 0);
        let columns = |(k, bits): (usize, u64)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| 64 * k + bit)
        };
        differing
            .flat_map(columns)
            .map(|column| (column % width, column / width))
            .collect()
    }

    /// Returns true if no column is stored, because the height field represents the whole ground.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Returns an upper bound of the height of all stored columns in cells; `f32::MIN` if there are
    /// none.
    pub(crate) fn roof(&self) -> f32 {
        if self.is_empty() {
            f32::MIN
        } else {
            self.top as f32 + DRAWN[1]
        }
    }

    /// Returns an upper bound of the height of the stored columns between the corners `low` and
    /// `high` (x, z in cells); `f32::MIN` if there are none.
    pub(crate) fn roof_over(&self, low: [f32; 2], high: [f32; 2]) -> f32 {
        let apart = |k: usize| high[k] < self.low[k] as f32 || low[k] > self.high[k] as f32;
        if self.is_empty() || apart(0) || apart(1) {
            f32::MIN
        } else {
            self.roof()
        }
    }

    /// Returns the columns (x, z) that differ between `self` and `other`: stored in only one of the
    /// two, or with other cells.
    pub fn differing(&self, other: &Self) -> Vec<(usize, usize)> {
        let width = self.size[0].max(other.size[0]).max(1);
        let count = self.index.len().max(other.index.len());
        let column = |caves: &Self, k: usize| {
            caves
                .column(k % width, k / width)
                .map(|(n, top)| (top.rounded, caves.cells_of(n).to_vec()))
        };
        let differs = |&k: &usize| column(self, k) != column(other, k);
        (0..count)
            .filter(differs)
            .map(|k| (k % width, k / width))
            .collect()
    }

    /// Returns three values: the size of the simulation box in columns along x and z, the lower and
    /// upper corner (x, z) of the bounding box of all stored columns, and the height of the highest
    /// one in cells.
    pub fn extent(&self) -> ([usize; 2], [[usize; 2]; 2], usize) {
        (self.size, [self.low, self.high], self.top)
    }

    /// Returns the top of the column (`x`, `z`) and one bit per cell: set for a solid cell, but in
    /// a column of a rounded hollow for an open cell. `None` if the column is not stored.
    pub fn cells_at(&self, x: usize, z: usize) -> Option<(Top, &[u64])> {
        let (n, top) = self.column(x, z)?;
        Some((top, self.cells_of(n)))
    }

    /// Returns the position of the column (`x`, `z`) in `tops`, and its top; `None` if the column
    /// is not stored.
    #[inline]
    fn column(&self, x: usize, z: usize) -> Option<(usize, Top)> {
        let n = (*self.index.get(z * self.size[0] + x)? as usize).checked_sub(1)?;
        let top = self.tops[n];
        let cell = (top & !(FLAT | ROUNDED)).into();
        Some((
            n,
            Top {
                cell,
                flat: top & FLAT != 0,
                rounded: top & ROUNDED != 0,
            },
        ))
    }

    /// Returns one bit per cell of the column (`x`, `z`), set for an open cell; an empty slice if
    /// the column belongs to no rounded hollow. Indices are clamped to the simulation box.
    #[inline]
    pub(super) fn hollow_cells(&self, x: i32, z: i32) -> &[u64] {
        let near = |v: i32, n: usize| (v.max(0) as usize).min(n - 1);
        match self.column(near(x, self.size[0]), near(z, self.size[1])) {
            Some((n, Top { rounded: true, .. })) => self.cells_of(n),
            _ => &[],
        }
    }

    /// Returns the bits of the cells of the stored column at the position `n` in `tops`.
    fn cells_of(&self, n: usize) -> &[u64] {
        &self.cells[n * self.words..][..self.words]
    }

    /// Returns the bit of cell `y` of the stored column at the position `n` in `tops`: true for a
    /// solid cell, but in a column of a rounded hollow for an open cell.
    #[inline]
    fn is_solid(&self, n: usize, y: usize) -> bool {
        self.cells[n * self.words + y / 64] >> (y % 64) & 1 == 1
    }

    /// Returns the indices (x, z) of the column that contains the point `p` (cells), clamped to the
    /// simulation box.
    fn at(&self, p: V3) -> [usize; 2] {
        [
            (p.x.max(0.0) as usize).min(self.size[0] - 1),
            (p.z.max(0.0) as usize).min(self.size[1] - 1),
        ]
    }

    /// Returns the height in cells of the first ground below the point `p` (cells), or the top of
    /// the rock cell that contains `p`; `None` if the column is not stored.
    pub(crate) fn floor_below(&self, block: &Heightfield, p: V3) -> Option<f32> {
        if self.is_empty() {
            return None;
        }
        let [x, z] = self.at(p);
        let (n, top) = self.column(x, z)?;
        if top.rounded {
            return self.hollow_floor(n, p);
        }
        if p.y >= top.cell as f32 {
            return Some(surface(block, top, p));
        }
        Some(
            (0..=p.y.max(0.0) as usize)
                .rev()
                .find(|&y| self.is_solid(n, y))
                .map_or(0.0, |y| y as f32 + 1.0),
        )
    }

    /// Returns true if the point `p` (cells) lies in a column of a rounded hollow, where all rock
    /// is solidified lava.
    pub(crate) fn is_rounded(&self, p: V3) -> bool {
        self.kinds.rounded && !self.hollow_cells(p.x as i32, p.z as i32).is_empty()
    }

    /// Returns the height in cells of the floor below the point `p` (cells) in the stored column at
    /// the position `n` in `tops`, which belongs to a rounded hollow; `None` if the cell that
    /// contains `p` is not open.
    fn hollow_floor(&self, n: usize, p: V3) -> Option<f32> {
        let y = p.y.max(0.0) as usize;
        let is_open = y < 64 * self.words && self.is_solid(n, y);
        is_open.then(|| {
            (0..y)
                .rev()
                .find(|&y| !self.is_solid(n, y))
                .map_or(0.0, |y| y as f32 + 1.0)
        })
    }

    /// Returns the distances at which `ray` enters and leaves the bounding box of all stored
    /// columns up to the height `roof` (cells), limited to `from` and `far`; `None` if the ray
    /// misses that box.
    fn inside(&self, ray: &Ray, [from, far]: [f32; 2], roof: f32) -> Option<[f32; 2]> {
        let low = [self.low[0] as f32, f32::MIN, self.low[1] as f32];
        let high = [self.high[0] as f32, roof, self.high[1] as f32];
        let (mut near, mut far) = (from, far);
        for axis in 0..3 {
            let (o, d) = (ray.origin[axis], ray.direction[axis]);
            if d.abs() < 1e-9 {
                if o < low[axis] || o > high[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low[axis] - o) / d, (high[axis] - o) / d);
            (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
        }
        (near < far).then_some([near, far])
    }
}

/// Returns the columns (x, z) that are at most `reach` columns away from the given column along
/// each axis, in a box of `size` columns.
fn columns_near(
    [x, z]: [usize; 2],
    size: [usize; 2],
    reach: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let near = move |v: usize, n: usize| v.saturating_sub(reach)..(v + reach + 1).min(n);
    near(z, size[1]).flat_map(move |z| near(x, size[0]).map(move |x| (x, z)))
}

/// Kinds of columns that occur among the stored columns of `Caves`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Kinds {
    /// Set if any stored column belongs to a rounded hollow.
    pub(super) rounded: bool,
    /// Set if any stored column is drawn cell by cell.
    pub(super) cornered: bool,
}

/// Returns the height in cells of the drawn top of a stored column at the point `p` (cells): the
/// smooth surface where this surface is near the highest cell, otherwise the flat top of that cell.
fn surface(block: &Heightfield, Top { cell, flat, .. }: Top, p: V3) -> f32 {
    if flat {
        return cell as f32;
    }
    let (smooth, top) = (block.heights.at(p.x, p.z), cell as f32);
    if (top + NEAR[0]..=top + NEAR[1]).contains(&smooth) {
        smooth.clamp(top + DRAWN[0], top + DRAWN[1])
    } else {
        top
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::ground::land::TerrainLook;
    use crate::math::v3;
    use lavoxel_automaton::view::LookSpec;
    use lavoxel_automaton::world::{Edit, Matter, Shape, World};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::mix64;

    const GRID: Grid = Grid {
        nx: 22,
        ny: 18,
        nz: 19,
    };

    /// Returns a test world with hills, a tunnel, a floating shelf, a single floating cell and a
    /// shaft.
    fn world() -> World {
        let hills =
            |z: usize, x: usize| 5.0 + 2.5 * (x as f32 * 0.5).sin() + 2.0 * (z as f32 * 0.4).cos();
        let mut world = World::new(Ground::from_surface(
            GRID.ny,
            Array2::from_shape_fn((GRID.nz, GRID.nx), |(z, x)| hills(z, x)),
        ));
        for (from, to, matter) in [
            ([2.0, 2.0, 0.0], [5.0, 5.0, 19.0], Matter::Nothing),
            ([12.0, 12.0, 4.0], [16.0, 13.0, 9.0], Matter::Rock),
            ([19.0, 15.0, 15.0], [20.0, 16.0, 16.0], Matter::Rock),
            ([9.0, 0.0, 14.0], [11.0, 3.0, 16.0], Matter::Nothing),
        ] {
            world.edit(&Edit {
                shape: Shape::Box { from, to },
                matter,
            });
        }
        world
    }

    fn land(world: &World) -> TerrainLook {
        TerrainLook::bake_with(
            world.ground().surface(),
            Caves::from_ground(world.ground(), 1.0),
            &LookSpec::default(),
            2,
        )
    }

    /// Returns true if the point `p` (cells) is inside rock, by the definition in the module's
    /// documentation.
    fn is_rock(block: &Heightfield, world: &World, p: V3) -> bool {
        let [x, z] = [
            (p.x.max(0.0) as usize).min(GRID.nx - 1),
            (p.z.max(0.0) as usize).min(GRID.nz - 1),
        ];
        if block.caves.column(x, z).is_none() {
            return p.y <= block.heights.at(p.x, p.z);
        }
        let cell = world.ground().top(x, z);
        let flat = block.caves.column(x, z).is_some_and(|(_, top)| top.flat);
        p.y < 0.0
            || p.y
                < surface(
                    block,
                    Top {
                        cell,
                        flat,
                        rounded: false,
                    },
                    p,
                )
                && (cell == 0
                    || world
                        .ground()
                        .is_solid([x, (p.y as usize).min(cell - 1), z]))
    }

    /// Returns rays into the simulation box from all around, from above and from below.
    fn rays() -> impl Iterator<Item = Ray> {
        (0..500_u64).map(|k| {
            let random = |n: u64| (mix64(8 * k + n) >> 40) as f32 / (1 << 24) as f32;
            let (angle, away) = (random(0) * std::f32::consts::TAU, 20.0 + 15.0 * random(1));
            let origin = v3(
                11.0 + away * angle.cos(),
                -8.0 + 34.0 * random(2),
                9.5 + away * angle.sin(),
            );
            let goal = v3(22.0 * random(3), 17.0 * random(4), 19.0 * random(5));
            Ray {
                origin,
                direction: (goal - origin).normalize(),
            }
        })
    }

    #[test]
    fn rays_meet_the_rock_that_small_steps_meet() {
        let world = world();
        let land = land(&world);
        let block = &land.block;
        let parts = [
            [[0.0, 1.0]; 3],
            [[0.15, 1.0], [0.0, 1.0], [0.0, 0.8]],
            [[0.0, 1.0], [0.0, 0.7], [0.3, 1.0]],
        ];
        let (mut met, mut unclear) = (0, 0);
        for part in parts.map(|shares| block.part_between(shares, [22.0, 18.0, 19.0])) {
            for (k, ray) in rays().enumerate() {
                let inside = |p: V3| {
                    let q = block.patches(p);
                    (0..3).all(|axis| (part.low[axis]..=part.high[axis]).contains(&q[axis]))
                };
                let slow = (0..70_000)
                    .map(|i| i as f32 * 1e-3)
                    .find(|t| inside(ray.at(*t)) && is_rock(block, &world, ray.at(*t)));
                let fast = block.hit(&ray, &part, 0.0);
                let is_near = match (fast, slow) {
                    (Some(hit), Some(t)) => (hit.t - t).abs() < 0.02,
                    (None, None) => true,
                    _ => false,
                };
                // A ray may graze an edge.
                unclear += usize::from(!is_near);
                met += usize::from(fast.is_some());
                if let (false, Some(hit)) = (is_near, fast) {
                    let around = [-0.03, 0.03].map(|by| is_rock(block, &world, ray.at(hit.t + by)));
                    assert!(
                        around[0] != around[1] || slow.is_some(),
                        "ray {k} of {part:?}: {hit:?} against {slow:?}"
                    );
                }
            }
        }
        assert!(
            met > 700 && unclear < 12,
            "{met} rays met rock, {unclear} of them elsewhere"
        );
    }

    #[test]
    fn a_ground_without_caves_takes_no_memory_and_an_index_of_what_changed_is_exact() {
        let plain = World::new(Ground::none(GRID));
        let (none, some) = (
            Caves::from_ground(&plain.ground, 1.0),
            Caves::from_ground(world().ground(), 1.0),
        );
        assert!(none.is_empty() && none == Caves::default() && none.roof() == f32::MIN);
        assert_eq!(some.differing(&some), []);
        let mut other = world();
        let cell = Shape::Box {
            from: [13.0, 12.0, 6.0],
            to: [14.0, 13.0, 7.0],
        };
        other.edit(&Edit {
            shape: cell,
            matter: Matter::Nothing,
        });
        assert_eq!(
            Caves::from_ground(&other.ground, 1.0).differing(&some),
            [(13, 6)],
            "still near other caves"
        );
        assert!(
            some.differing(&none).len() > 100 && none.differing(&some) == some.differing(&none)
        );
    }

    #[test]
    fn lava_in_a_cave_lies_on_its_floor() {
        let world = world();
        let block = land(&world).block;
        assert_eq!(block.floor_below(v3(3.5, 3.2, 9.5)), 2.0);
        assert!(
            (block.floor_below(v3(14.5, 13.4, 6.5)) - 13.0).abs() < 0.1,
            "on the shelf"
        );
        assert!(block.floor_below(v3(14.5, 11.4, 6.5)) < 9.0, "under it");
    }
}
