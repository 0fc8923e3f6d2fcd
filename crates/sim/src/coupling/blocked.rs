//! Bit map of the voxels that displace air, and the open fractions of the air's cells and faces
//! that follow from the map.

use lavoxel_air::{AXES, AirGrid, OPEN, Openness};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::world::{Cursor, GroundCursor, Layer, Reading, Rows, World};
use lavoxel_base::grid::tile::{TILE_X, TILE_Z, bits};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::units::AMOUNT_ONE;

/// Minimum amount of matter other than gas in a voxel, in units, for the voxel to displace air:
/// half a full cell.
const FULL: u32 = AMOUNT_ONE as u32 / 2;

/// Bit map over the voxels. A bit is set (the voxel is blocked) for rock, and for matter other than
/// gas that fills at least half of the voxel.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    voxels: Grid,
    /// Bits of the voxels: one 32-bit word per tile of 8 × 1 × 4 voxels, at index `(tz · ny + y) ·
    /// tiles + tx`.
    words: Vec<u32>,
    tiles: usize,
    /// Read positions in the change records of the ground and of each layer; `None` before the
    /// first read.
    seen: Option<(GroundCursor, Vec<Cursor>)>,
}

impl Blocked {
    /// Creates an empty map for a simulation box of shape `voxels`, in which no voxel is blocked.
    pub(super) fn unread(voxels: Grid) -> Self {
        let tiles = voxels.nx.div_ceil(TILE_X);
        Self {
            voxels,
            words: vec![0; tiles * voxels.ny * voxels.nz.div_ceil(TILE_Z)],
            tiles,
            seen: None,
        }
    }

    /// Returns an empty map for the same simulation box; its first `read` covers all voxels.
    pub(super) fn forgotten(&self) -> Self {
        Self::unread(self.voxels)
    }

    /// Returns true if the map has been read from a world since its creation.
    pub(super) fn is_read(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the memory of the map in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// Returns true if the voxel `[x, y, z]` displaces air. For positions beyond the sides of the
    /// simulation box, the nearest voxel inside decides; above the roof, no voxel is blocked.
    fn is_blocked(&self, [x, y, z]: [i64; 3]) -> bool {
        let Grid { nx, ny, nz } = self.voxels;
        let (x, z) = (
            x.clamp(0, nx as i64 - 1) as usize,
            z.clamp(0, nz as i64 - 1) as usize,
        );
        if y >= ny as i64 {
            return false;
        }
        let lane = z % TILE_Z * TILE_X + x % TILE_X;
        self.words[(z / TILE_Z * ny + y as usize) * self.tiles + x / TILE_X] >> lane & 1 == 1
    }

    /// Reads the changes of `world` since the last read, or all voxels at the first read. Returns
    /// the tiles [x in tiles, y, z in tiles] in which voxels became blocked or free, each with a
    /// bit mask of these voxels.
    pub(super) fn read(&mut self, world: &World) -> Vec<([usize; 3], u32)> {
        let all = self.seen.is_none();
        let (mut ground, layers) = self
            .seen
            .take()
            .unwrap_or_else(|| (world.ground.cursor(), Vec::new()));
        let changed_ground = world.ground.changes_since(&mut ground);
        let cursor = |i: usize| layers.get(i).copied();
        let mut changed = Vec::new();
        for tz in 0..self.voxels.nz.div_ceil(TILE_Z) {
            let columns = |w: usize| {
                if all {
                    u64::MAX
                } else {
                    changed_ground.word(tz, w)
                }
            };
            let layers: Vec<_> = world
                .layers
                .iter()
                .enumerate()
                .filter(|(_, layer)| fills(layer))
                .collect();
            let changes: Vec<_> = layers
                .iter()
                .map(|&(i, layer)| layer.changes_since(&layer.strips[tz], cursor(i)))
                .collect();
            let rows = if all || changed_ground.has_any(tz) || changes.iter().any(Option::is_none) {
                0..self.voxels.ny
            } else {
                changes
                    .iter()
                    .flatten()
                    .fold(Rows::NONE, |rows, changes| rows.union(changes.rows))
                    .range()
            };
            for (y, w) in rows.flat_map(|y| (0..self.tiles.div_ceil(64)).map(move |w| (y, w))) {
                let inside = u64::MAX >> (64 - (self.tiles - w * 64).min(64));
                let of_layers = changes.iter().map(|changes| match changes {
                    None => u64::MAX,
                    Some(changes) if changes.rows.range().contains(&y) => changes.word(y, w),
                    Some(_) => 0,
                });
                let due = of_layers.fold(columns(w), |all, word| all | word) & inside;
                for tx in bits(due).map(|bit| w * 64 + bit) {
                    let word = blocked_word(world, &layers, [tx, y, tz]);
                    let old = &mut self.words[(tz * self.voxels.ny + y) * self.tiles + tx];
                    // At the first read all voxels count as changed, so that the open fractions of
                    // every air cell are computed.
                    let turned = if all {
                        u32::MAX
                    } else {
                        std::mem::replace(old, word) ^ word
                    };
                    *old = word;
                    if turned != 0 {
                        changed.push(([tx, y, tz], turned));
                    }
                }
            }
        }
        let now = world
            .layers
            .iter()
            .map(|layer| layer.clock.read(Reading::Air))
            .collect();
        self.seen = Some((ground, now));
        changed
    }

    /// Updates in `openness` the open fractions of all air cells that depend on the voxels in
    /// `changed` (tiles with bit masks). Returns the air cells that became solid or free.
    pub(super) fn open(&self, openness: &mut Openness, changed: &[([usize; 3], u32)]) -> Turned {
        let grid = openness.grid();
        let mut due: Vec<_> = changed
            .iter()
            .flat_map(|&tile| self.cells_around(grid, tile))
            .collect();
        // Sorted column by column from the floor up: a column is listed once, and `Turned::cells`
        // keeps this order.
        due.sort_unstable_by_key(|&[x, y, z]| (z, x, y));
        due.dedup();
        let mut turned = Turned::default();
        for place in due {
            let solid = self.is_solid(grid, place);
            let mut other = openness.set_solid(place, solid);
            if other {
                turned.cells.push((place, solid));
            }
            for axis in AXES {
                other |= openness.set_face(axis, place, self.face(grid, axis, place));
            }
            if other {
                turned.columns.push((place[0], place[2]));
            }
        }
        turned.columns.dedup();
        turned
    }

    /// Iterates over the air cells that contain a marked voxel of the tile `[tx, y, tz]`, or whose
    /// lower face touches one. `voxels`: bit mask of the marked voxels of the tile.
    fn cells_around(
        &self,
        grid: AirGrid,
        ([tx, y, tz], voxels): ([usize; 3], u32),
    ) -> impl Iterator<Item = Place> + use<> {
        let ratio = grid.ratio;
        let along = |from: usize, beyond: usize, side: usize, corner: i32, cells: usize| {
            let cell = |voxel: usize| (voxel as i64 - i64::from(corner)) as usize / ratio;
            // Air cells outside of the voxel box use the clamped edge voxels; in periodic air the
            // lower face of a cell may be at the opposite side.
            let first = if from == 0 { 0 } else { cell(from) };
            let last = if beyond >= side {
                cells - 1
            } else {
                cell(beyond).min(cells - 1)
            };
            first..last + 1
        };
        let [nx, ny, nz] = grid.size();
        let lanes = voxels & self.inside([tx, tz]);
        let columns = (0..TILE_Z).fold(0, |all, z| {
            all | lanes >> (z * TILE_X) & ((1 << TILE_X) - 1)
        });
        let (x, z) = (tx * TILE_X, tz * TILE_Z);
        let low = [
            columns.trailing_zeros() as usize,
            lanes.trailing_zeros() as usize / TILE_X,
        ];
        let high = [
            32 - columns.leading_zeros() as usize,
            (32 - lanes.leading_zeros() as usize).div_ceil(TILE_X),
        ];
        let xs = along(x + low[0], x + high[0], self.voxels.nx, grid.corner[0], nx);
        let zs = along(z + low[1], z + high[1], self.voxels.nz, grid.corner[1], nz);
        let ys = if lanes == 0 {
            0..0
        } else {
            y / ratio..((y + 1) / ratio + 1).min(ny)
        };
        zs.flat_map(move |z| {
            let xs = xs.clone();
            ys.clone()
                .flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
        })
    }

    /// Returns a bit mask of the voxels in a tile at [tx, tz] (in tiles) that lie inside the
    /// simulation box; the tile may extend beyond the sides.
    fn inside(&self, [tx, tz]: [usize; 2]) -> u32 {
        let (x, z) = (self.voxels.nx - tx * TILE_X, self.voxels.nz - tz * TILE_Z);
        let row = if x < TILE_X {
            (1_u32 << x) - 1
        } else {
            (1 << TILE_X) - 1
        };
        (0..z.min(TILE_Z)).fold(0, |all, z| all | row << (z * TILE_X))
    }

    fn is_solid(&self, grid: AirGrid, place: Place) -> bool {
        let r = grid.ratio as i64;
        let [x, y, z] = grid.voxel_of(place);
        let inside = (0..r)
            .flat_map(|k| (0..r).flat_map(move |j| (0..r).map(move |i| [x + i, y + j, z + k])));
        2 * inside.filter(|&voxel| self.is_blocked(voxel)).count() >= grid.ratio.pow(3)
    }

    /// Returns the open fraction of the lower face of the air cell `place` along `axis` (0 x, 1 y,
    /// 2 z), in units of 1/`OPEN`: the fraction of the pairs of voxels on both sides of the face in
    /// which both voxels are free.
    fn face(&self, grid: AirGrid, axis: usize, place: Place) -> u16 {
        let r = grid.ratio as i64;
        let corner = grid.voxel_of(place);
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let pairs = (0..r).flat_map(|j| (0..r).map(move |i| [i, j]));
        let free = pairs.filter(|&[i, j]| {
            let mut here = corner;
            here[others[0]] += i;
            here[others[1]] += j;
            let mut beside = here;
            beside[axis] -= 1;
            let beside_is_free = beside[axis] < 0 && axis == 1 || !self.is_blocked(beside);
            beside_is_free && !self.is_blocked(here)
        });
        (free.count() * usize::from(OPEN) / grid.ratio.pow(2)) as u16
    }
}

/// Changes of the open fractions of the air: cells that became solid or free, and the columns (x,
/// z) of air cells in which any fraction changed.
#[derive(Debug, Default)]
pub(super) struct Turned {
    /// Pairs of an air cell and its change: true if the cell became solid, false if it became free;
    /// with ascending y within each column.
    pub(super) cells: Vec<(Place, bool)>,
    pub(super) columns: Vec<(usize, usize)>,
}

/// Returns true if the matter of `layer` displaces air: for every kind of matter except gas.
fn fills(layer: &Layer) -> bool {
    layer.material().kind != Kind::Gas
}

/// Returns the bit mask of the blocked voxels of the tile (`tx`, `y`, `tz`), x and z in tiles.
/// `layers`: layers whose matter displaces air, with their indices.
fn blocked_word(world: &World, layers: &[(usize, &Layer)], [tx, y, tz]: [usize; 3]) -> u32 {
    let ground = world.ground.strip(tz);
    let mut sums = [0_u32; TILE_X * TILE_Z];
    for (_, layer) in layers {
        let tile = layer.strips[tz].at(tx, y);
        sums.iter_mut()
            .zip(tile.amount().0)
            .for_each(|(sum, amount)| *sum += u32::from(amount));
    }
    let full = sums
        .iter()
        .rfold(0, |word, &sum| word << 1 | u32::from(sum >= FULL));
    full | (ground.inside(tx) & !ground.open(tx, y))
}
