//! Two-level grid that marks where a volume has matter to draw; rays use the grid to skip empty
//! space.
//!
//! ```text
//!  place: between the middles of eight cells, where a sample is read    ▪ ▪ · ·
//!  brick: 4³ places, one bit for each with something to draw           ■ ■ · ·
//!  block: 4³ bricks, the distance to the nearest one with              ■ · · ·   1   2   3 …
//!         something to draw, in blocks
//! ```
//!
//! A place is the cube between the centres of eight neighbouring cells: place (x, y, z) spans the
//! centres of the cells (x, y, z) to (x + 1, y + 1, z + 1), so that n cells have n − 1 places. The
//! last brick along an axis may hold fewer than 4 places; its unused bits are never set.
//!
//! - Invariant: a bit is clear only where a sample draws nothing. A sample is a mean of its eight
//!   cells, which makes the bits exact.
//! - Invariant: only bricks whose cells have changed are computed again, with the result of a full
//!   computation.

use lavoxel_base::parallel::*;

use lavoxel_base::grid::{Grid, Place};
use lavoxel_sim::lowpass::{Change, Fields};

use crate::math::{V3, v3};
use crate::volume::pages::{Page, Pages};
use crate::volume::places::{AROUND, Around, EDGE, Interest};

/// Number of bricks along the edge of a block.
const BLOCK: usize = 4;
/// Upper bound in blocks to which stored distances to the nearest non-empty block are clamped.
const FARTHEST: u8 = 16;
/// Bit mask that selects all places of a brick, as the argument `parts` of `Bricks::drawn`.
pub(crate) const WHOLE: [u64; 1] = [u64::MAX];
/// Bit masks that select the octants of a brick (halves along x, y and z), x fastest, as the
/// argument `parts` of `Bricks::drawn`.
pub(crate) const OCTANTS: [u64; 8] = {
    let mut parts = [0x0033_0033; 8];
    let mut i = 0;
    while i < 8 {
        parts[i] <<= 2 * (i & 1) + 8 * (i >> 1 & 1) + 32 * (i >> 2);
        i += 1;
    }
    parts
};

/// Occupancy of a place (the cube between eight cell centres), from which rays decide what to skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A sample in the place may have a density that is drawn.
    Drawn,
    /// No sample in the place is drawn; samples in neighbouring places of the brick may be drawn.
    Nothing,
    /// No sample in the whole brick is drawn.
    Empty,
}

/// Axis-aligned bounding box of matter to be drawn, in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Centre of the bounding box in cells.
    pub middle: V3,
    /// Half of the bounding box's size along x, y and z, in cells.
    pub half: V3,
}

/// Bricks of one medium of a volume, by which rays skip empty space: a bit mask per brick of 4³
/// places (cubes between eight cell centres), and per block of 4³ bricks the distance to the
/// nearest block with matter.
#[derive(Clone, Debug)]
pub(crate) struct Bricks {
    /// Shape of the volume in cells.
    grid: Grid,
    /// Properties of the style on which the bricks depend: smallest density to draw, smoothing and
    /// shading.
    interest: Interest,
    /// Number of bricks along x, y and z.
    count: [usize; 3],
    /// Bit mask per brick, x fastest. Bit (z · 4 + y) · 4 + x is set if a sample in the place (x,
    /// y, z) of the brick may have a density that is drawn.
    drawn: Vec<u64>,
    /// Pages (density and slope per cell) of the non-empty bricks, one set per plane of bricks
    /// perpendicular to z; empty if the style does not shade samples.
    pages: Vec<Pages>,
    /// One bit per brick, set if `Bricks::refresh` must compute the brick again; each row along x
    /// is padded to whole 64-bit words.
    stale: Vec<u64>,
    /// Number of blocks along x, y and z.
    blocks: [usize; 3],
    /// Number of non-empty bricks in each block, 0 to 64, x fastest.
    filled: Vec<u8>,
    /// Chebyshev distance in blocks from each block to the nearest non-empty block, x fastest,
    /// clamped to `FARTHEST`. If the distance is 0, rays read the bricks of the block.
    distance: Vec<u8>,
}

impl Bricks {
    /// Returns the bricks of an empty volume of shape `grid`, which must have at least two cells
    /// along each axis.
    pub(crate) fn new(grid: Grid, interest: Interest) -> Self {
        let count = [grid.nx, grid.ny, grid.nz].map(|n| (n - 1).div_ceil(EDGE));
        let blocks = count.map(|n| n.div_ceil(BLOCK));
        let [nx, ny, nz] = count;
        Self {
            grid,
            interest,
            count,
            drawn: vec![0; nx * ny * nz],
            pages: if interest.shaded {
                vec![Pages::new(nx * ny); nz]
            } else {
                Vec::new()
            },
            stale: vec![0; words(nx) * ny * nz],
            blocks,
            filled: vec![0; blocks.iter().product()],
            distance: vec![FARTHEST; blocks.iter().product()],
        }
    }

    /// Returns the properties of the style for which the bricks were computed: smallest density to
    /// draw, smoothing and shading.
    pub(crate) fn interest(&self) -> Interest {
        self.interest
    }

    /// Computes the bricks that depend on a cell in `changed` again (each brick depends on 7³
    /// cells); `volume` holds the new densities.
    pub(crate) fn refresh(
        &mut self,
        volume: Fields<'_>,
        changed: impl IntoIterator<Item = Change>,
    ) {
        // Layers are computed in parallel; each gives the bricks that became empty or ceased to be.
        self.mark(changed);
        let [nx, ny, _] = self.count;
        let (grid, interest) = (self.grid, self.interest);
        let layer =
            |k: usize, drawn: &mut [u64], stale: &mut [u64], mut pages: Option<&mut Pages>| {
                let mut changed = Vec::new();
                for (j, row) in stale.chunks_mut(words(nx)).enumerate() {
                    for i in bits(row) {
                        let around = brick_neighbourhood(volume, grid, [i, j, k]);
                        let now = drawn_in(&around, interest.empty) & places_of([i, j, k], grid);
                        if let Some(pages) = &mut pages {
                            pages.keep(j * nx + i, (now != 0).then(|| Page::new(&around)));
                        }
                        let old = std::mem::replace(&mut drawn[j * nx + i], now);
                        if (old == 0) != (now == 0) {
                            changed.push(([i, j, k], now != 0));
                        }
                    }
                    row.fill(0);
                }
                changed
            };
        let layers = self
            .drawn
            .par_chunks_mut(nx * ny)
            .zip(self.stale.par_chunks_mut(words(nx) * ny))
            .enumerate();
        let changed: Vec<Vec<_>> = if interest.shaded {
            layers
                .zip(&mut self.pages)
                .map(|((k, (drawn, stale)), pages)| layer(k, drawn, stale, Some(pages)))
                .collect()
        } else {
            layers
                .map(|(k, (drawn, stale))| layer(k, drawn, stale, None))
                .collect()
        };
        self.count_filled(changed.into_iter().flatten());
    }

    /// Updates the numbers of non-empty bricks per block, and the distances to the nearest
    /// non-empty block if a block became empty or non-empty. `changed`: indices of the bricks that
    /// became empty (false) or non-empty (true).
    fn count_filled(&mut self, changed: impl Iterator<Item = ([usize; 3], bool)>) {
        let (mut other, [nx, ny, _]) = (false, self.blocks);
        for (brick, drawn) in changed {
            let [i, j, k] = brick.map(|n| n / BLOCK);
            let filled = &mut self.filled[(k * ny + j) * nx + i];
            let before = *filled;
            *filled = if drawn { before + 1 } else { before - 1 };
            other |= (before == 0) != (*filled == 0);
        }
        if other {
            self.distance.clear();
            self.distance.extend(
                self.filled
                    .iter()
                    .map(|&filled| if filled > 0 { 0 } else { FARTHEST }),
            );
            chessboard(&mut self.distance, self.blocks, FARTHEST);
        }
    }

    /// Marks the bricks that depend on a cell in `changed`; the marked bricks are computed again
    /// later.
    fn mark(&mut self, changed: impl IntoIterator<Item = Change>) {
        let (count, ny) = (self.count, self.grid.ny);
        // A brick reads one cell before its own and two after.
        let near = |from: usize, to: usize, count: usize| {
            from.saturating_sub(EDGE + 1).div_ceil(EDGE)..((to / EDGE) + 1).min(count)
        };
        for Change { row, cells } in changed {
            let (z, y) = (row / ny, row % ny);
            let along = near(cells.from.into(), cells.to.into(), count[0]);
            for k in near(z, z + 1, count[2]) {
                for j in near(y, y + 1, count[1]) {
                    let words = words(count[0]);
                    let row = &mut self.stale[(k * count[1] + j) * words..][..words];
                    along.clone().for_each(|i| row[i / 64] |= 1 << (i % 64));
                }
            }
        }
    }

    /// Returns the occupancy of `place` (cube between eight cell centres); `Look::Empty` if the
    /// whole brick that contains `place` is empty.
    #[inline(always)]
    pub(crate) fn look(&self, place: Place) -> Look {
        let brick =
            (place[2] / EDGE * self.count[1] + place[1] / EDGE) * self.count[0] + place[0] / EDGE;
        let bit = (place[2] % EDGE * EDGE + place[1] % EDGE) * EDGE + place[0] % EDGE;
        match self.drawn[brick] {
            0 => Look::Empty,
            drawn if drawn >> bit & 1 == 0 => Look::Nothing,
            _ => Look::Drawn,
        }
    }

    /// Returns the page (density and slope per cell) of the brick that contains `place`; `None` if
    /// the brick is empty or the style does not shade samples.
    #[inline(always)]
    pub(crate) fn page(&self, place: Place) -> Option<&Page> {
        self.pages
            .get(place[2] / EDGE)?
            .get(place[1] / EDGE * self.count[0] + place[0] / EDGE)
    }

    /// Returns the distance in cells along a ray at which the empty region around `place` ends; the
    /// brick that contains `place` must be empty. `origin`: start of the ray relative to the centre
    /// of the first cell, in cells; `inverse`: component-wise reciprocal of the ray's direction.
    #[inline(always)]
    pub(crate) fn leave(&self, place: Place, origin: V3, inverse: V3) -> f32 {
        const SIDE: usize = EDGE * BLOCK;
        let [i, j, k] = [place[0] / SIDE, place[1] / SIDE, place[2] / SIDE];
        let free = i32::from(self.distance[(k * self.blocks[1] + j) * self.blocks[0] + i]);
        if free > 0 {
            leave([i, j, k], free, SIDE as i32, origin, inverse)
        } else {
            leave(
                [place[0] / EDGE, place[1] / EDGE, place[2] / EDGE],
                1,
                EDGE as i32,
                origin,
                inverse,
            )
        }
    }

    /// Returns bounding boxes of all drawn places in the plane of blocks with the index `layer`
    /// along z. Each brick gives one box per mask in `parts` (`WHOLE` or `OCTANTS`) that selects
    /// drawn places.
    pub(crate) fn drawn(&self, layer: usize, parts: &'static [u64]) -> impl Iterator<Item = Drawn> {
        let [nx, ny, nz] = self.count;
        let blocks = &self.distance[layer * self.blocks[0] * self.blocks[1]..];
        (layer * BLOCK..((layer + 1) * BLOCK).min(nz)).flat_map(move |k| {
            (0..ny).flat_map(move |j| {
                let row = self.drawn[(k * ny + j) * nx..][..nx].chunks(BLOCK);
                let blocks = &blocks[j / BLOCK * self.blocks[0]..];
                let drawn = row
                    .zip(blocks)
                    .enumerate()
                    .filter(|(_, (_, distance))| **distance == 0);
                drawn.flat_map(move |(block, (bricks, _))| {
                    let drawn = bricks.iter().enumerate().filter(|(_, drawn)| **drawn != 0);
                    drawn.flat_map(move |(i, drawn)| {
                        let parts = parts
                            .iter()
                            .map(move |part| drawn & part)
                            .filter(|drawn| *drawn != 0);
                        parts.map(move |drawn| extent(drawn, [block * BLOCK + i, j, k], self.grid))
                    })
                })
            })
        })
    }

    /// Returns true if no sample in the whole volume is drawn.
    pub(crate) fn is_empty(&self) -> bool {
        self.drawn.iter().all(|drawn| *drawn == 0)
    }

    /// Returns the centre of the volume in cells.
    pub(crate) fn middle(&self) -> V3 {
        v3(
            self.grid.nx as f32,
            self.grid.ny as f32,
            self.grid.nz as f32,
        ) * 0.5
    }

    /// Returns the number of blocks along z.
    pub(crate) fn layers(&self) -> usize {
        self.blocks[2]
    }
}

/// Returns the number of 64-bit words that hold one bit for each of `bricks` bricks.
fn words(bricks: usize) -> usize {
    bricks.div_ceil(64)
}

/// Returns the bit mask of the places that exist in the brick with the indices `brick`: bricks at
/// the upper sides of the volume may have fewer than 4 places along an axis.
fn places_of(brick: [usize; 3], grid: Grid) -> u64 {
    let along = |axis: usize, cells: usize| (cells - 1 - brick[axis] * EDGE).min(EDGE);
    let x = (0xf >> (EDGE - along(0, grid.nx))) * 0x1111_1111_1111_1111;
    let y = (0xffff >> (EDGE * (EDGE - along(1, grid.ny)))) * 0x0001_0001_0001_0001;
    let z = u64::MAX >> (16 * (EDGE - along(2, grid.nz)));
    x & y & z
}

/// Returns an iterator over the indices of the set bits of `words`, in ascending order; bit 0 is
/// the lowest bit of the first word.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(word, bits)| {
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
        let left = std::iter::successors(Some(*bits).filter(|&bits| bits != 0), rest);
        left.map(move |bits| word * 64 + bits.trailing_zeros() as usize)
    })
}

/// Returns the densities (0 to 255) of the 7³ cells on which the brick with the indices `brick`
/// depends; outside of the volume the nearest cell's density is repeated.
fn brick_neighbourhood(volume: Fields<'_>, grid: Grid, brick: [usize; 3]) -> Around {
    let start = brick.map(|n| n * EDGE);
    let held =
        |axis: usize, i: usize, count: usize| (start[axis] + i).saturating_sub(1).min(count - 1);
    let inside = start[0] > 0 && start[0] + AROUND <= grid.nx;
    let row = |k: usize, j: usize| -> [u8; AROUND + 1] {
        let row =
            &volume.density[grid.index([0, held(1, j, grid.ny), held(2, k, grid.nz)])..][..grid.nx];
        let whole = inside
            .then(|| row[start[0] - 1..start[0] + AROUND].try_into().ok())
            .flatten();
        whole.unwrap_or_else(|| std::array::from_fn(|i| row[held(0, i, grid.nx)]))
    };
    std::array::from_fn(|k| std::array::from_fn(|j| row(k, j)))
}

/// Returns the bit mask of the drawn places of a brick: places with a density above `empty` (0 to
/// 255) in one of their eight cells. `around`: densities of the cells on which the brick depends.
fn drawn_in(around: &Around, empty: u8) -> u64 {
    // Places of a row along x with a drawn cell among two, for five rows along y and z.
    let row = |k: usize, j: usize| {
        let cells = &around[k + 1][j + 1];
        let above = (0..=EDGE).fold(0, |bits, i| bits | u64::from(cells[i + 1] > empty) << i);
        (above | above >> 1) & 0xf
    };
    let mut drawn = 0;
    for k in 0..=EDGE {
        let mut rows = [0; EDGE + 1];
        for (j, to) in rows.iter_mut().enumerate() {
            *to = row(k, j);
        }
        let layer = (0..EDGE).fold(0, |bits, j| bits | (rows[j] | rows[j + 1]) << (EDGE * j));
        drawn |= if k < EDGE { layer << (16 * k) } else { 0 };
        drawn |= if k > 0 { layer << (16 * (k - 1)) } else { 0 };
    }
    drawn
}

/// Returns the bounding box in cells of the places that the bit mask `drawn` selects in the brick
/// with the indices `brick`; `drawn` must not be 0.
fn extent(drawn: u64, brick: [usize; 3], grid: Grid) -> Drawn {
    let folded =
        |bits: u64, shifts: [u32; 2]| shifts.iter().fold(bits, |bits, shift| bits | bits >> shift);
    let layers = folded(drawn, [32, 16]) & 0xffff;
    let x = folded(layers, [8, 4]) & 0xf;
    let rows = folded(layers, [2, 1]) & 0x1111;
    let y = (rows | rows >> 3 | rows >> 6 | rows >> 9) & 0xf;
    let z = (0..EDGE).fold(0, |bits, k| {
        bits | u64::from(drawn >> (16 * k) & 0xffff != 0) << k
    });
    let side = |brick: usize, bits: u64, cells: usize| {
        let (from, to) = (
            brick * EDGE + bits.trailing_zeros() as usize,
            brick * EDGE + 64 - bits.leading_zeros() as usize,
        );
        // Places lie between the middles of cells. Those at the simulation box's sides extend to
        // the sides.
        let low = if from == 0 { 0.0 } else { from as f32 + 0.5 };
        (
            low,
            if to + 1 == cells {
                cells as f32
            } else {
                to as f32 + 0.5
            },
        )
    };
    let sides = [
        side(brick[0], x, grid.nx),
        side(brick[1], y, grid.ny),
        side(brick[2], z, grid.nz),
    ];
    let [x, y, z] = sides.map(|(low, high)| 0.5 * (low + high));
    let [a, b, c] = sides.map(|(low, high)| 0.5 * (high - low));
    Drawn {
        middle: v3(x, y, z),
        half: v3(a, b, c),
    }
}

/// Returns the distance in cells at which a ray leaves the region of all cubes of `edge` cells edge
/// length whose Chebyshev distance from the cube `cube` is less than `free` cubes. `origin` and
/// `inverse`: see `Bricks::leave`.
#[inline(always)]
fn leave(cube: [usize; 3], free: i32, edge: i32, origin: V3, inverse: V3) -> f32 {
    let mut least = f32::MAX;
    for axis in 0..3 {
        let here = cube[axis] as i32;
        let wall = if inverse[axis] > 0.0 {
            here + free
        } else {
            here - free + 1
        };
        let leave = ((wall * edge) as f32 - origin[axis]) * inverse[axis];
        least = if leave < least { leave } else { least };
    }
    least
}

/// Replaces `distance` by the Chebyshev distance of each cell of a grid to the nearest marked cell,
/// clamped to `farthest`.
///
/// On entry `distance` is 0 in marked cells and `farthest` elsewhere; the grid has the shape
/// `count` (x, y, z), x fastest. Two sweeps suffice, one forward and one backward.
pub fn chessboard(distance: &mut [u8], count: [usize; 3], farthest: u8) {
    let [nx, ny, nz] = count;
    let inner = |v: usize, n: usize| v > 0 && v + 1 < n;
    let offsets = BEFORE.map(|[dx, dy, dz]| (dz * ny as isize + dy) * nx as isize + dx);
    let sweep = |distance: &mut [u8], index: usize, sign: isize| {
        let mut best = distance[index];
        if best == 0 {
            return;
        }
        let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
        let all = inner(x, nx) && inner(y, ny) && inner(z, nz);
        for ([dx, dy, dz], offset) in BEFORE.into_iter().zip(offsets) {
            let (i, j, k) = (
                x as isize + sign * dx,
                y as isize + sign * dy,
                z as isize + sign * dz,
            );
            let inside = |v: isize, n: usize| (0..n as isize).contains(&v);
            if all || (inside(i, nx) && inside(j, ny) && inside(k, nz)) {
                best = best.min(distance[(index as isize + sign * offset) as usize] + 1);
            }
        }
        distance[index] = best.min(farthest);
    };
    (0..distance.len()).for_each(|index| sweep(distance, index, 1));
    (0..distance.len())
        .rev()
        .for_each(|index| sweep(distance, index, -1));
}

/// Offsets (x, y, z) of the 13 neighbours that precede a cell in a forward sweep over a grid.
const BEFORE: [[isize; 3]; 13] = [
    [-1, 0, 0],
    [-1, -1, 0],
    [0, -1, 0],
    [1, -1, 0],
    [-1, -1, -1],
    [0, -1, -1],
    [1, -1, -1],
    [-1, 0, -1],
    [0, 0, -1],
    [1, 0, -1],
    [-1, 1, -1],
    [0, 1, -1],
    [1, 1, -1],
];

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_sim::lowpass::Volume;

    use lavoxel_automaton::world::Span;

    /// Returns a list of changes that contains all cells of `grid`.
    fn whole(grid: Grid) -> Vec<Change> {
        Change::of_rows(&vec![
            Span {
                from: 0,
                to: grid.nx as u16
            };
            grid.ny * grid.nz
        ])
        .collect()
    }

    const INTEREST: Interest = Interest {
        tall: 1.0,
        empty: 0,
        smoothing: 0.0,
        shaded: false,
    };

    #[test]
    fn parts_of_bricks_at_the_sides_have_an_extent() {
        for n in 2..14 {
            for axis in 0..3 {
                let mut sides = [5, 6, 7];
                sides[axis] = n;
                let grid = Grid::new(sides[0], sides[1], sides[2]);
                let full = Volume {
                    density: vec![255; grid.cells()],
                    ..Volume::empty(grid)
                };
                let mut bricks = Bricks::new(grid, INTEREST);
                bricks.refresh(full.lava(), whole(grid));
                for parts in [&WHOLE[..], &OCTANTS] {
                    let drawn: Vec<Drawn> = (0..bricks.layers())
                        .flat_map(|layer| bricks.drawn(layer, parts))
                        .collect();
                    let volume: f32 = drawn.iter().map(|part| 8.0 * part.half.product()).sum();
                    assert!(
                        drawn.iter().all(|part| part.half.min() > 0.0),
                        "{sides:?}: {drawn:?}"
                    );
                    assert!(
                        (volume - grid.cells() as f32).abs() < 1e-2,
                        "{sides:?}: parts of {volume} cells"
                    );
                }
            }
        }
    }

    #[test]
    fn distance_counts_blocks_along_the_largest_axis() {
        let mut volume = Volume::empty(Grid::new(160, 32, 96));
        let mut bricks = Bricks::new(volume.grid, INTEREST);
        let cell = volume.grid.index([2, 1, 48]);
        volume.density[cell] = 9;
        bricks.refresh(volume.lava(), whole(volume.grid));
        let at = |i: usize, j: usize, k: usize| bricks.distance[(k * 2 + j) * 10 + i];
        // Cell 48 along z is read at the places 47 and 48: blocks 2 and 3.
        assert_eq!(
            [
                at(0, 0, 2),
                at(0, 0, 3),
                at(1, 0, 3),
                at(9, 1, 0),
                at(0, 1, 0)
            ],
            [0, 0, 1, 9, 2]
        );
        // From the middle of cell 1 to that of cell 3, and from the floor to the middle of cell 2.
        let drawn = |z: f32| Drawn {
            middle: v3(2.5, 1.25, z),
            half: v3(1.0, 1.25, 0.5),
        };
        assert_eq!(bricks.drawn(2, &WHOLE).collect::<Vec<_>>(), [drawn(48.0)]);
        assert_eq!(bricks.drawn(3, &WHOLE).collect::<Vec<_>>(), [drawn(49.0)]);
        let mut blind = Bricks::new(
            volume.grid,
            Interest {
                empty: 9,
                ..INTEREST
            },
        );
        blind.refresh(volume.lava(), whole(volume.grid));
        assert!(
            blind.distance.iter().all(|&distance| distance == FARTHEST),
            "9 is empty for these"
        );
    }

    /// Returns a test volume in which one cell in 40 has a random density (0 to 255), and all
    /// remaining cells are empty.
    fn scattered(grid: Grid, seed: u64) -> Volume {
        let value = |i: usize| lavoxel_base::random::mix64(seed << 32 | i as u64);
        let density = (0..grid.cells())
            .map(|i| {
                if value(i) % 40 == 0 {
                    (value(i) >> 32) as u8
                } else {
                    0
                }
            })
            .collect();
        Volume {
            density,
            ..Volume::empty(grid)
        }
    }

    #[test]
    fn a_bit_is_set_where_one_of_eight_cells_is_of_interest() {
        for sides in [[21, 14, 11], [2, 2, 2], [4, 5, 70]] {
            let grid = Grid::new(sides[0], sides[1], sides[2]);
            let volume = scattered(grid, 1);
            let mut bricks = Bricks::new(
                grid,
                Interest {
                    empty: 100,
                    ..INTEREST
                },
            );
            bricks.refresh(volume.lava(), whole(grid));
            for [x, y, z] in places(grid) {
                let cells = (0..8).map(|i| {
                    volume.density[grid.index([x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)])]
                });
                let expected = cells.max() > Some(100);
                assert_eq!(
                    bricks.look([x, y, z]) == Look::Drawn,
                    expected,
                    "{sides:?} at {x}, {y}, {z}"
                );
            }
        }
    }

    fn places(grid: Grid) -> impl Iterator<Item = Place> {
        Grid::new(grid.nx - 1, grid.ny - 1, grid.nz - 1).places()
    }

    #[test]
    fn following_changes_gives_what_a_fresh_look_gives() {
        let grid = Grid::new(23, 17, 19);
        let interest = Interest {
            empty: 5,
            shaded: true,
            ..INTEREST
        };
        let mut followed = Bricks::new(grid, interest);
        let mut volume = Volume::empty(grid);
        for seed in 0..40 {
            let other = if seed % 3 == 2 {
                Volume::empty(grid)
            } else {
                scattered(grid, seed)
            };
            // A few cells get other values.
            let cells = (0..grid.cells()).filter(|&i| {
                lavoxel_base::random::mix64(seed << 40 | i as u64).is_multiple_of(200)
            });
            let mut changed = Vec::new();
            for cell in cells {
                volume.density[cell] = other.density[cell];
                let x = (cell % 23) as u16;
                changed.push(Change {
                    row: cell / 23,
                    cells: Span { from: x, to: x + 1 },
                });
            }
            followed.refresh(volume.lava(), changed);
            let mut fresh = Bricks::new(grid, interest);
            fresh.refresh(volume.lava(), whole(grid));
            assert_eq!(followed.drawn, fresh.drawn);
            assert_eq!(followed.distance, fresh.distance);
            for place in places(grid) {
                assert_eq!(
                    followed.page(place),
                    fresh.page(place),
                    "at {place:?} after change {seed}"
                );
            }
        }
    }
}
