//! Low-pass filter for transparent media such as water.
//!
//! Their surface is drawn as a level mirror: a level surface has to stay level up to the rock or
//! the lava that it meets. Heavier matter takes no part, just as solid cells do not. Closed cells
//! (rock, or more than half full of heavier matter) with an open cell above continue the amounts of
//! the cells next to them. The surface then continues into the rock, and the drawn terrain cuts the
//! surface along a contour of the terrain, not along the sides of cells. Falling liquids keep a
//! surface however thin they are (see `thin`). Built materials are not filtered: their edges are
//! sharp.

use std::ops::Range;

use super::changes::SlabChanges;
use super::layer_changes::{Around, LayerChanges, dilated_word, grown, runs};
use super::thin::Thin;
use super::{Medium, place};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::world::{Ground, Layer, Span};
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::parallel::*;
use lavoxel_base::units::AMOUNT_ONE;

/// Distance in cells along x and z over which amounts in open cells are extrapolated into solid
/// cells.
const SHORE: usize = 3;
/// Weights of open cells in the extrapolation into solid cells, by distance in cells along an axis.
const WEIGHTS: [u32; SHORE + 1] = [20, 15, 6, 1];
/// Distance in cells along x and z up to which cells influence a low-passed value; equal to the
/// depth of a tile.
const REACH: usize = SHORE + 1;
const _: () = assert!(REACH == TILE_Z);
/// Upper bound on the number of unnecessary cells in a merged box, on top of half the number of its
/// necessary cells.
const MARGIN: usize = 64;
/// Smallest amount that is drawn: 2 % of a full cell, in units.
const LEAST: u16 = (ONE * 2 / 100) as u16;
/// Amount of a full cell in units.
pub(super) const ONE: u32 = AMOUNT_ONE as u32;
/// Amount of half a full cell in units.
const HALF: u32 = ONE / 2;

/// Low-pass filter of one transparent material of a world; recomputes only cells near changes.
#[derive(Clone, Debug, Default)]
pub(super) struct ClearFilter {
    /// For each row along x, at index `z · ny + y`, a range of cells that contains all cells with a
    /// nonzero field. Empty until the material first appears.
    pub(super) shown: Vec<Span>,
    /// Bit set of the tiles whose cells may be nonzero: [`words`] words of 64 bits per row of
    /// tiles.
    tiles: Vec<u64>,
    /// Changed cells of the field since these were last taken, one list per slab (constant z).
    pub(super) changed: Vec<SlabChanges>,
}

impl ClearFilter {
    /// Filters the cells of `medium` near `changes`, the changes of its layer and of the heavier
    /// layers. Returns the number of computed cells.
    pub(super) fn refresh(
        &mut self,
        matter: &Matter<'_>,
        changes: &[&LayerChanges<'_>],
        medium: &mut Medium,
    ) -> usize {
        let grid = matter.ground.grid();
        let absent = medium.density.is_empty();
        if changes.iter().all(|changes| changes.is_empty())
            || (absent && matter.layer.tiles().next().is_none())
        {
            return 0;
        }
        // Allocated on first use, so that an absent medium takes no memory.
        if absent {
            medium.density = vec![0; grid.cells()];
            self.shown = vec![Span::EMPTY; grid.ny * grid.nz];
            self.tiles = vec![0; grid.ny * grid.nz.div_ceil(TILE_Z) * words(grid)];
            self.changed = vec![SlabChanges::default(); grid.nz];
        }
        self.shown
            .par_chunks_mut(grid.ny * TILE_Z)
            .zip(self.tiles.par_chunks_mut(grid.ny * words(grid)))
            .zip(self.changed.par_chunks_mut(TILE_Z))
            .zip(medium.density.par_chunks_mut(grid.slab() * TILE_Z))
            .enumerate()
            .map_init(
                Rows::default,
                |rows, (tz, (((shown, tiles), changed), density))| {
                    let boxes = Near { matter, tz }.stale(tiles, shown, changes);
                    let slabs = changed
                        .iter_mut()
                        .zip(density.chunks_mut(grid.slab()))
                        .enumerate();
                    let filter = |(z, (changed, density)): (usize, (_, _))| {
                        Slab {
                            matter,
                            z: tz * TILE_Z + z,
                            changed,
                            density,
                        }
                        .filter(rows, &boxes)
                    };
                    slabs.map(filter).sum::<usize>()
                },
            )
            .sum()
    }
}

/// Input of the filter for one material: ground, the layer of the material, and the layers of
/// heavier materials.
pub(super) struct Matter<'a> {
    pub(super) ground: &'a Ground,
    pub(super) layer: &'a Layer,
    pub(super) heavier: &'a [Layer],
}

/// Strip of tiles (four rows along z, from z = 4 · `tz`), with the ground and layers that the
/// filter reads in this strip and both neighbouring strips.
struct Near<'a> {
    matter: &'a Matter<'a>,
    tz: usize,
}

impl Near<'_> {
    /// Returns the boxes in x and y that cover the cells to be computed; the boxes apply to every
    /// slab of the strip. Sets `tiles` and `shown` to the region that may be nonzero after the
    /// computation.
    fn stale(
        &self,
        tiles: &mut [u64],
        shown: &mut [Span],
        changes: &[&LayerChanges<'_>],
    ) -> Vec<Stale> {
        let grid = self.matter.ground.grid();
        let around: Vec<_> = changes
            .iter()
            .map(|changes| changes.near_slab(grid, self.tz * TILE_Z, REACH))
            .collect();
        let known = around.iter().all(Around::is_known);
        let ranges = around
            .iter()
            .map(Around::rows)
            .filter(|range| !range.is_empty());
        let ys = ranges
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
            .filter(|_| known);
        let ys = if known {
            ys.unwrap_or(0..0)
        } else {
            0..grid.ny
        };
        let mut boxes = Boxes::default();
        for y in ys {
            let mut reached = Span::EMPTY;
            for w in 0..words(grid) {
                let held = self.held(y, w);
                let may = std::mem::replace(&mut tiles[y * words(grid) + w], held) | held;
                runs(held).for_each(|(from, to)| reached = reached.union(cells(grid, w, from..to)));
                let changed = || {
                    around
                        .iter()
                        .fold(0, |all, around| all | around.word(y, w, may != 0))
                };
                let stale = if may != 0 && known {
                    changed() & may
                } else {
                    may
                };
                runs(stale).for_each(|(from, to)| boxes.add(y, cells(grid, w, from..to)));
            }
            shown
                .iter_mut()
                .skip(y)
                .step_by(grid.ny)
                .for_each(|shown| *shown = reached);
        }
        boxes.all
    }

    /// Returns a bit mask of the tiles in row `y` that contain or adjoin material of the layer.
    /// `w`: index of the 64-bit word within the row.
    fn held(&self, y: usize, w: usize) -> u64 {
        let (grid, layer) = (self.matter.ground.grid(), self.matter.layer);
        let strips = self.tz.saturating_sub(1)..(self.tz + 2).min(layer.strips.len());
        let word = |w: usize| {
            let near = y.saturating_sub(1)..(y + 2).min(grid.ny);
            let rows = layer.strips[strips.clone()]
                .iter()
                .flat_map(|strip| near.clone().map(move |y| (strip, y)));
            rows.fold(0, |all, (strip, y)| all | strip.row(strip.index(y, w)).held)
        };
        dilated_word(word, w, words(grid))
    }
}

/// Field of one material in one slab of cells (constant z), with its list of changed cells,
/// borrowed mutably.
struct Slab<'a> {
    matter: &'a Matter<'a>,
    z: usize,
    changed: &'a mut SlabChanges,
    density: &'a mut [u8],
}

impl Slab<'_> {
    /// Filters the cells of this slab in all `boxes`, with `rows` as buffer. Returns the number of
    /// computed cells.
    fn filter(&mut self, rows: &mut Rows, boxes: &[Stale]) -> usize {
        let filtered = boxes.iter().map(|stale| self.filter_box(rows, stale)).sum();
        self.changed.shorten(self.matter.ground.grid());
        filtered
    }

    /// Filters the cells of this slab in one box, with `rows` as buffer. Returns the number of
    /// computed cells.
    fn filter_box(&mut self, rows: &mut Rows, Stale { ys, cells, .. }: &Stale) -> usize {
        let cells = *cells;
        let (grid, z) = (self.matter.ground.grid(), self.z);
        rows.begin(grid, cells);
        for y in ys.start.saturating_sub(1)..=ys.end.min(grid.ny - 1) {
            rows.read(self.matter, (y, z));
            if y > ys.start {
                self.write(rows, y - 1, cells);
            }
        }
        if ys.end == grid.ny {
            rows.clear(grid.ny);
            self.write(rows, ys.end - 1, cells);
        }
        ys.len() * cells.range().len()
    }

    fn write(&mut self, rows: &mut Rows, y: usize, cells: Span) {
        let grid = self.matter.ground.grid();
        rows.add_up(y, cells);
        let is_liquid = self.matter.layer.material().kind == Kind::Liquid;
        let falls = is_liquid && (rows.has_matter(y, cells) || rows.has_matter(y + 1, cells));
        let is_sharp = self.matter.layer.material().look.preset.is_sharp();
        for x in cells.range() {
            let value = match (falls, is_sharp) {
                (_, true) => rows.value_as_it_lies(x, y),
                (true, _) => rows.value_of_liquid([x, y, self.z], grid),
                (false, _) => rows.value(x),
            };
            let old = &mut self.density[y * grid.nx + x];
            if *old != value {
                *old = value;
                self.changed.add(self.z * grid.ny + y, x);
            }
        }
    }
}

/// Row buffers of the filter for one slab of cells: weighted sums for three consecutive y, and the
/// rows from which the sums are computed.
#[derive(Default)]
pub(super) struct Rows {
    /// Range of cells along x for which the row buffers are valid.
    wide: Range<usize>,
    /// Weighted sums over three rows along z; those for row y are at index y modulo 3.
    sums: [RoomRow; 3],
    /// Rows of cells at the same y, at the distances `-REACH` to `REACH` along z from the current
    /// row.
    near: [RoomRow; 2 * REACH + 1],
    /// Flag for each element of `near`: true if the element was read for the current row.
    known: [bool; 2 * REACH + 1],
    /// Buffer for the row directly above an element of `near`.
    above: RoomRow,
    /// Sums of the three rows in `sums`, weighted along y.
    tall: RoomRow,
    /// Sums of `tall` over three cells along x, weighted.
    all: RoomRow,
    /// Amounts in the cells of the current slab, in units; those of row y are at index y modulo 3.
    own: [Vec<u32>; 3],
    /// Parts of the current slab's cells that are not rock, in units; those of row y are at index y
    /// modulo 3.
    own_open: [Vec<u32>; 3],
    thin: Thin,
}

/// Values of one row of cells as lists by x, at index [`place`], in units: `room` that heavier
/// matter leaves in the cell, `amount` of the material, and `held`, the part of the cell filled by
/// rock, heavier matter and the material together.
#[derive(Default)]
struct RoomRow {
    room: Vec<u32>,
    amount: Vec<u32>,
    held: Vec<u32>,
}

impl Rows {
    /// Memory of all lists in bytes per list element.
    pub(super) const BYTES_A_CELL: usize = size_of::<u32>() * (3 * (3 + (2 * REACH + 1) + 3) + 6);

    /// Returns the number of elements that each list has for a box of shape `grid`.
    pub(super) fn length(grid: Grid) -> usize {
        (grid.nx.div_ceil(TILE_X) + 2) * TILE_X
    }

    /// Clears the lists and prepares them for filtering the cells `cells` (range of x) of a box of
    /// shape `grid`.
    fn begin(&mut self, grid: Grid, cells: Span) {
        self.wide = grown(cells, REACH, grid.nx).range();
        let length = Self::length(grid);
        for row in self.sums.iter_mut().chain(&mut self.near).chain([
            &mut self.above,
            &mut self.tall,
            &mut self.all,
        ]) {
            row.clear();
            row.room.resize(length, 0);
            row.amount.resize(length, 0);
            row.held.resize(length, 0);
        }
        for own in self.own.iter_mut().chain(&mut self.own_open) {
            own.clear();
            own.resize(length, 0);
        }
    }

    /// Sets the sums and the amounts of row `y` to 0.
    fn clear(&mut self, y: usize) {
        self.sums[y % 3].clear();
        self.own[y % 3].fill(0);
        self.own_open[y % 3].fill(0);
    }

    /// Reads the row (`y`, `z`) and its neighbours along z, and stores their weighted sums and the
    /// row's own amounts.
    fn read(&mut self, matter: &Matter, (y, z): (usize, usize)) {
        let (grid, wide) = (matter.ground.grid(), self.wide.clone());
        self.clear(y);
        self.known = [false; 2 * REACH + 1];
        // A closed cell below an open cell takes the mean of the surrounding amounts instead of its
        // own, which keeps the surface level up to the shore.
        for (i, weight) in [(REACH - 1, 1), (REACH, 2), (REACH + 1, 1)] {
            let Some(z) = (z + i).checked_sub(REACH).filter(|&z| z < grid.nz) else {
                continue;
            };
            self.read_near(matter, i, (y, z));
            let closed = |row: &RoomRow| {
                row.room[place(wide.start)..place(wide.end)]
                    .iter()
                    .any(|&room| room < HALF)
            };
            let continues = y + 1 < grid.ny && closed(&self.near[i]);
            if continues {
                self.above.read(matter, (y + 1, z), wide.clone());
            }
            let cells = place(wide.start)..place(wide.end);
            let (near, sums) = (&self.near[i], &mut self.sums[y % 3]);
            add_weighted(
                &mut sums.room[cells.clone()],
                weight,
                &near.room[cells.clone()],
            );
            add_weighted(
                &mut sums.amount[cells.clone()],
                weight,
                &near.amount[cells.clone()],
            );
            add_weighted(
                &mut sums.held[cells.clone()],
                weight,
                &near.held[cells.clone()],
            );
            if i == REACH {
                self.own[y % 3][cells.clone()].copy_from_slice(&near.amount[cells.clone()]);
                matter.ground.add_open(
                    (y, z),
                    wide.start,
                    ONE,
                    &mut self.own_open[y % 3][cells.clone()],
                );
            }
            for x in cells.filter(|_| continues) {
                let (room, amount) = (self.near[i].room[x], self.near[i].amount[x]);
                if room < HALF && self.above.room[x] >= HALF {
                    self.read_around(matter, i, (y, z));
                    if let Some(mean) = self.mean(i, x) {
                        let sums = &mut self.sums[y % 3];
                        sums.room[x] += weight * (ONE - room);
                        sums.amount[x] = sums.amount[x] + weight * mean - weight * amount;
                    }
                }
            }
        }
    }

    /// Reads the row `place` (y, z) into element `i` of `near`, unless that element was read
    /// before.
    fn read_near(&mut self, matter: &Matter, i: usize, place: (usize, usize)) {
        if !std::mem::replace(&mut self.known[i], true) {
            self.near[i].read(matter, place, self.wide.clone());
        }
    }

    /// Reads the neighbours of row `i` of `near` along z, from which amounts are extrapolated into
    /// the solid cells of that row. (`y`, `z`): position of row `i`.
    fn read_around(&mut self, matter: &Matter, i: usize, (y, z): (usize, usize)) {
        let nz = matter.ground.grid().nz;
        for near in i - SHORE..=i + SHORE {
            match (z + near).checked_sub(i).filter(|&z| z < nz) {
                Some(z) => self.read_near(matter, near, (y, z)),
                None if !self.known[near] => {
                    self.known[near] = true;
                    self.near[near].clear();
                }
                None => {}
            }
        }
    }

    /// Returns the weighted mean filled fraction of the cells around list index `x` of the row with
    /// index `i` in `near`, at the same height, in units of 1/`ONE`; `None` if none of these cells
    /// contains matter.
    fn mean(&self, i: usize, x: usize) -> Option<u32> {
        let (mut room, mut amount) = (0_u64, 0_u64);
        for (row, along_z) in self.near[i - SHORE..=i + SHORE].iter().zip(weights()) {
            for (x, along_x) in (x - SHORE..=x + SHORE).zip(weights()) {
                room += u64::from(along_z * along_x * row.room[x]);
                amount += u64::from(along_z * along_x * row.amount[x]);
            }
        }
        (amount > 0).then(|| (amount * u64::from(ONE) / room.max(amount)) as u32)
    }

    /// Computes `tall` and `all`, the weighted sums over y and then x, for the cells `cells` of row
    /// `y`.
    fn add_up(&mut self, y: usize, cells: Span) {
        let [below, here, above] = [y + 2, y, y + 1].map(|y| &self.sums[y % 3]);
        // One extra cell on each side, which the filter along x reads.
        let reach = place(cells.range().start) - 1..place(cells.range().end) + 1;
        let add = |to: &mut [u32], list: fn(&RoomRow) -> &Vec<u32>| {
            let rows = [below, here, above].map(|row| &list(row)[reach.clone()]);
            let sums = rows[0].iter().zip(rows[1]).zip(rows[2]);
            to.iter_mut()
                .zip(sums)
                .for_each(|(to, ((below, here), above))| *to = below + 2 * here + above);
        };
        add(&mut self.tall.room[reach.clone()], |row| &row.room);
        add(&mut self.tall.amount[reach.clone()], |row| &row.amount);
        let across = |to: &mut [u32], list: &[u32]| {
            let near = list.iter().zip(&list[1..]).zip(&list[2..]);
            to.iter_mut()
                .zip(near)
                .for_each(|(to, ((before, here), after))| *to = before + 2 * here + after);
        };
        let cells = place(cells.range().start)..place(cells.range().end);
        across(
            &mut self.all.room[cells.clone()],
            &self.tall.room[reach.clone()],
        );
        across(&mut self.all.amount[cells], &self.tall.amount[reach]);
    }

    /// Returns true if any of the cells `cells` in row `y` of the current slab contains the
    /// filtered material.
    fn has_matter(&self, y: usize, cells: Span) -> bool {
        let Range { start, end } = cells.range();
        self.own[y % 3][place(start)..place(end)]
            .iter()
            .any(|&amount| amount > 0)
    }

    /// Returns the low-passed value (0 to 255) of the cell `[x, y, z]` for a liquid, raised if the
    /// liquid is thin and falling. `Rows::add_up` must have been called for row `y`.
    fn value_of_liquid(&self, [x, y, z]: Place, grid: Grid) -> u8 {
        let (value, amount) = (self.value(x), self.own[y % 3][place(x)]);
        let above = self.own[(y + 1) % 3][place(x)];
        if y == 0 || amount + above == 0 {
            return value;
        }
        let weights = |v: usize, n: usize| 2 + u32::from(v > 0) + u32::from(v + 1 < n);
        let filling = |y: usize| {
            let held = &self.sums[y % 3].held[place(x) - 1..place(x) + 2];
            (held[0] + 2 * held[1] + held[2]) / (weights(x, grid.nx) * weights(z, grid.nz))
        };
        if amount > 0 {
            self.thin.value(value, amount, filling(y - 1))
        } else {
            self.thin.value_under(value, above, filling(y))
        }
    }

    /// Returns the value (0 to 255) of the cell at (`x`, `y`) for a material with sharp edges: its
    /// unfiltered amount. Rock directly below an open cell gets the value of this open cell, and
    /// all other rock twice the low-passed value, so that there is no gap at the foot.
    fn value_as_it_lies(&self, x: usize, y: usize) -> u8 {
        let own = |y: usize| {
            let is_open = self.own_open[y % 3][place(x)] > 0;
            is_open.then(|| ((self.own[y % 3][place(x)] * 255 + HALF) / ONE).min(255) as u8)
        };
        own(y)
            .or_else(|| own(y + 1))
            .unwrap_or_else(|| self.value(x).saturating_mul(2))
    }

    /// Returns the low-passed value (0 to 255) of the cell at `x`, in the row for which
    /// `Rows::add_up` was called last.
    #[inline]
    fn value(&self, x: usize) -> u8 {
        // At most 64 · 32768 · 255, which fits.
        match (self.all.amount[place(x)], self.all.room[place(x)]) {
            (0, _) => 0,
            (amount, room) if amount == room => 255,
            (amount, room) => ((amount * 255 + room / 2) / room.max(1)).min(255) as u8,
        }
    }
}

impl RoomRow {
    fn clear(&mut self) {
        self.room.fill(0);
        self.amount.fill(0);
        self.held.fill(0);
    }

    /// Reads the cells `wide` (range of x) of the row (`y`, `z`) into the lists; all other list
    /// elements are set to 0.
    fn read(&mut self, matter: &Matter, (y, z): (usize, usize), wide: Range<usize>) {
        self.clear();
        let room = &mut self.room[place(wide.start)..place(wide.end)];
        matter.ground.add_open((y, z), wide.start, ONE, room);
        let tiles = wide.start / TILE_X..wide.end.div_ceil(TILE_X);
        for layer in matter.heavier {
            for (tx, tile) in layer.part_of_row(y, z, tiles.clone()) {
                let room = self.room[place(tx * TILE_X)..].iter_mut();
                room.zip(tile.amount().row(z))
                    .for_each(|(room, &cell)| *room = room.saturating_sub(cell.into()));
            }
        }
        for (tx, tile) in matter.layer.part_of_row(y, z, tiles) {
            for (dx, &cell) in tile.amount().row(z).iter().enumerate() {
                if cell >= LEAST && wide.contains(&(tx * TILE_X + dx)) {
                    self.amount[place(tx * TILE_X + dx)] = u32::from(cell).min(ONE);
                }
            }
        }
        let cells = place(wide.start)..place(wide.end);
        let parts = self.room[cells.clone()]
            .iter()
            .zip(&self.amount[cells.clone()]);
        let held = self.held[cells].iter_mut().zip(parts);
        held.for_each(|(held, (room, amount))| *held = (ONE - room + amount).min(ONE));
    }
}

/// Adds `weight` × `from` to `sums`, element by element.
fn add_weighted(sums: &mut [u32], weight: u32, from: &[u32]) {
    sums.iter_mut()
        .zip(from)
        .for_each(|(sum, from)| *sum += weight * from);
}

/// Returns the number of 64-bit words of a row in a bit set with one bit per tile.
fn words(grid: Grid) -> usize {
    grid.nx.div_ceil(ROW * TILE_X)
}

/// Returns the range of cells along x that belong to the tiles `tiles` of word `w` of a bit set
/// with one bit per tile.
fn cells(grid: Grid, w: usize, tiles: Range<usize>) -> Span {
    let cell = |tile: usize| ((w * ROW + tile) * TILE_X).min(grid.nx) as u16;
    Span {
        from: cell(tiles.start),
        to: cell(tiles.end),
    }
}

/// Box of cells in one slab that must be computed: the same range of x in consecutive rows y.
#[derive(Clone, Debug)]
struct Stale {
    ys: Range<usize>,
    cells: Span,
    /// Number of cells in the box that must be computed; the box may also contain unchanged cells.
    count: usize,
}

/// Set of boxes in x and y that cover all cells of a slab that must be computed. A run of cells is
/// merged into the box below if this adds few unchanged cells, because reading the surroundings of
/// a box costs more than filtering a few unnecessary cells.
#[derive(Default)]
struct Boxes {
    all: Vec<Stale>,
}

impl Boxes {
    /// Adds the cells `cells` (range of x) of row `y` to a box below or as a new box; successive
    /// calls must have ascending `y`.
    fn add(&mut self, y: usize, cells: Span) {
        if cells.is_empty() {
            return;
        }
        let width = |span: Span| span.range().len();
        let below = self
            .all
            .iter_mut()
            .rev()
            .take_while(|stale| stale.ys.end + 1 >= y);
        for stale in below.filter(|stale| stale.ys.end >= y) {
            let both = stale.cells.union(cells);
            let count = stale.count + width(cells);
            if (y + 1 - stale.ys.start) * width(both) <= count + count / 2 + MARGIN {
                *stale = Stale {
                    ys: stale.ys.start..y + 1,
                    cells: both,
                    count,
                };
                return;
            }
        }
        self.all.push(Stale {
            ys: y..y + 1,
            cells,
            count: width(cells),
        });
    }
}

/// Iterates over the extrapolation weights along an axis, for distances from `-SHORE` to `SHORE`.
fn weights() -> impl Iterator<Item = u32> {
    (0..=2 * SHORE).map(|i| WEIGHTS[i.abs_diff(SHORE)])
}
