//! The low-pass of the media that light passes.
//!
//! Their surface is drawn as it lies, and mirrors: a level surface has to stay level up to the rock or the lava that it
//! meets. Heavier matter takes no part, just as solid cells do not. Closed cells (rock, or more than half full of heavier
//! matter) with an open one above them continue the amounts of the cells next to them. The surface then goes on into the rock,
//! and the drawn terrain cuts it along one of its own contours, not along the sides of cells. Liquids that fall have
//! a surface however thin they are: `thin` says which. What is built is not filtered: its edges are sharp.

use std::ops::Range;

use super::changes::SlabChanges;
use super::layer_changes::{Around, LayerChanges, beside, grown, runs};
use super::thin::Thin;
use super::{Medium, place};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::world::{Ground, Layer, Span};
use lavoxel_base::grid::tile::{ROW, TILE_X, TILE_Z};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::parallel::*;
use lavoxel_base::units::AMOUNT_ONE;

/// Cells along x and z over which solid cells continue the amounts of open ones.
const SHORE: usize = 3;
/// Their weights by distance along an axis.
const WEIGHTS: [u32; SHORE + 1] = [20, 15, 6, 1];
/// Cells along x and z from which a value depends on an amount: as many as a tile is deep.
const REACH: usize = SHORE + 1;
const _: () = assert!(REACH == TILE_Z);
/// Cells that a box may have besides stale ones.
const MARGIN: usize = 64;
/// Amounts below this are not drawn.
const LEAST: u16 = (ONE * 2 / 100) as u16;
/// A full cell, and half of one.
pub(super) const ONE: u32 = AMOUNT_ONE as u32;
const HALF: u32 = ONE / 2;

/// Follows one layer of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct ClearFilter {
    /// For each row, numbered `z · ny + y`, the cells that may not be zero. Nothing before there was any matter.
    pub(super) shown: Vec<Span>,
    /// The tiles in which these lie: for each row of a strip [`words`] words.
    tiles: Vec<u64>,
    /// For each slab, the cells whose value changed since these were last taken.
    pub(super) changed: Vec<SlabChanges>,
}

impl ClearFilter {
    /// Filters the cells within reach of the `changes` in the layer and in the heavier ones, and counts them.
    pub(super) fn refresh(&mut self, matter: &Matter<'_>, changes: &[&LayerChanges<'_>], medium: &mut Medium) -> usize {
        let grid = matter.ground.grid();
        let absent = medium.density.is_empty();
        if changes.iter().all(|changes| changes.is_empty()) || (absent && matter.layer.tiles().next().is_none()) {
            return 0;
        }
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
            .map_init(Rows::default, |rows, (tz, (((shown, tiles), changed), density))| {
                let boxes = Near { matter, tz }.stale(tiles, shown, changes);
                let slabs = changed.iter_mut().zip(density.chunks_mut(grid.slab())).enumerate();
                let filter = |(z, (changed, density)): (usize, (_, _))| {
                    Slab { matter, z: tz * TILE_Z + z, changed, density }.filter(rows, &boxes)
                };
                slabs.map(filter).sum::<usize>()
            })
            .sum()
    }
}

/// Inputs of the values of a medium.
pub(super) struct Matter<'a> {
    pub(super) ground: &'a Ground,
    pub(super) layer: &'a Layer,
    pub(super) heavier: &'a [Layer],
}

/// A strip of a medium with what is around it. The filter reaches one strip on either side from each slab of it.
struct Near<'a> {
    matter: &'a Matter<'a>,
    tz: usize,
}

impl Near<'_> {
    /// Boxes around all stale cells, the same in each slab. The tiles that may not be zero, and the cells in them, become those
    /// of now.
    fn stale(&self, tiles: &mut [u64], shown: &mut [Span], changes: &[&LayerChanges<'_>]) -> Vec<Stale> {
        let grid = self.matter.ground.grid();
        let around: Vec<_> = changes.iter().map(|changes| changes.around(grid, self.tz * TILE_Z, REACH)).collect();
        let known = around.iter().all(Around::is_known);
        let ranges = around.iter().map(Around::rows).filter(|range| !range.is_empty());
        let ys = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).filter(|_| known);
        let ys = if known { ys.unwrap_or(0..0) } else { 0..grid.ny };
        let mut boxes = Boxes::default();
        for y in ys {
            let mut reached = Span::EMPTY;
            for w in 0..words(grid) {
                let held = self.held(y, w);
                let may = std::mem::replace(&mut tiles[y * words(grid) + w], held) | held;
                runs(held).for_each(|(from, to)| reached = reached.union(cells(grid, w, from..to)));
                let changed = || around.iter().fold(0, |all, around| all | around.word(y, w, may != 0));
                let stale = if may != 0 && known { changed() & may } else { may };
                runs(stale).for_each(|(from, to)| boxes.add(y, cells(grid, w, from..to)));
            }
            shown.iter_mut().skip(y).step_by(grid.ny).for_each(|shown| *shown = reached);
        }
        boxes.all
    }

    /// The tiles of a row, of the word `w`, that the filter reaches from any matter.
    fn held(&self, y: usize, w: usize) -> u64 {
        let (grid, layer) = (self.matter.ground.grid(), self.matter.layer);
        let strips = self.tz.saturating_sub(1)..(self.tz + 2).min(layer.strips.len());
        let word = |w: usize| {
            let near = y.saturating_sub(1)..(y + 2).min(grid.ny);
            let rows = layer.strips[strips.clone()].iter().flat_map(|strip| near.clone().map(move |y| (strip, y)));
            rows.fold(0, |all, (strip, y)| all | strip.row(strip.index(y, w)).held)
        };
        beside(word, w, words(grid))
    }
}

/// The part of a medium that lies at one z.
struct Slab<'a> {
    matter: &'a Matter<'a>,
    z: usize,
    changed: &'a mut SlabChanges,
    density: &'a mut [u8],
}

impl Slab<'_> {
    /// Filters the cells of boxes, and counts them.
    fn filter(&mut self, rows: &mut Rows, boxes: &[Stale]) -> usize {
        let filtered = boxes.iter().map(|stale| self.filter_box(rows, stale)).sum();
        self.changed.shorten(self.matter.ground.grid());
        filtered
    }

    /// Filters the cells of a box, and counts them.
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
        let falls = is_liquid && (rows.holds(y, cells) || rows.holds(y + 1, cells));
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

/// Sums over the three rows along z around the rows of a slab, for three neighbouring y.
#[derive(Default)]
pub(super) struct Rows {
    /// Cells that are read.
    wide: Range<usize>,
    /// By y, modulo 3.
    sums: [Row; 3],
    /// The rows around one row along z.
    near: [Row; 2 * REACH + 1],
    /// Which of these were read.
    known: [bool; 2 * REACH + 1],
    /// The row above one of them.
    above: Row,
    /// Sums over three rows along y, and of these over three cells along x.
    tall: Row,
    all: Row,
    /// By y, modulo 3: the amounts of the slab itself, and how much of its cells is not rock.
    own: [Vec<u32>; 3],
    own_open: [Vec<u32>; 3],
    thin: Thin,
}

/// By x, as [`place`] has it: the room that heavier matter leaves, the amount in it, and how full the cell is with rock, heavier
/// matter and that amount.
#[derive(Default)]
struct Row {
    room: Vec<u32>,
    amount: Vec<u32>,
    held: Vec<u32>,
}

impl Rows {
    /// Bytes of all lists for each of their cells.
    pub(super) const BYTES_A_CELL: usize = size_of::<u32>() * (3 * (3 + (2 * REACH + 1) + 3) + 6);

    /// Cells of each list.
    pub(super) fn length(grid: Grid) -> usize {
        (grid.nx.div_ceil(TILE_X) + 2) * TILE_X
    }

    /// Starts a slab in which these cells are written.
    fn begin(&mut self, grid: Grid, cells: Span) {
        self.wide = grown(cells, REACH, grid.nx).range();
        let length = Self::length(grid);
        for row in self.sums.iter_mut().chain(&mut self.near).chain([&mut self.above, &mut self.tall, &mut self.all]) {
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

    /// Forgets the row `y`.
    fn clear(&mut self, y: usize) {
        self.sums[y % 3].clear();
        self.own[y % 3].fill(0);
        self.own_open[y % 3].fill(0);
    }

    /// Reads the row `y` of the slab `z` and what lies around it along z.
    fn read(&mut self, matter: &Matter, (y, z): (usize, usize)) {
        let (grid, wide) = (matter.ground.grid(), self.wide.clone());
        self.clear(y);
        self.known = [false; 2 * REACH + 1];
        for (i, weight) in [(REACH - 1, 1), (REACH, 2), (REACH + 1, 1)] {
            let Some(z) = (z + i).checked_sub(REACH).filter(|&z| z < grid.nz) else { continue };
            self.read_near(matter, i, (y, z));
            let closed = |row: &Row| row.room[place(wide.start)..place(wide.end)].iter().any(|&room| room < HALF);
            let continues = y + 1 < grid.ny && closed(&self.near[i]);
            if continues {
                self.above.read(matter, (y + 1, z), wide.clone());
            }
            let cells = place(wide.start)..place(wide.end);
            let (near, sums) = (&self.near[i], &mut self.sums[y % 3]);
            add_weighted(&mut sums.room[cells.clone()], weight, &near.room[cells.clone()]);
            add_weighted(&mut sums.amount[cells.clone()], weight, &near.amount[cells.clone()]);
            add_weighted(&mut sums.held[cells.clone()], weight, &near.held[cells.clone()]);
            if i == REACH {
                self.own[y % 3][cells.clone()].copy_from_slice(&near.amount[cells.clone()]);
                matter.ground.add_open((y, z), wide.start, ONE, &mut self.own_open[y % 3][cells.clone()]);
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

    /// Reads the row with number `i` of those near, at (y, z), if it was not read yet.
    fn read_near(&mut self, matter: &Matter, i: usize, place: (usize, usize)) {
        if !std::mem::replace(&mut self.known[i], true) {
            self.near[i].read(matter, place, self.wide.clone());
        }
    }

    /// Reads the rows whose cells the row with number `i`, at (y, z), continues.
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

    /// The mean filling of the cells around a place in one plane; `None` where none of them holds matter.
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

    /// Adds up the rows read for the row `y` and its neighbours along y.
    fn add_up(&mut self, y: usize, cells: Span) {
        let [below, here, above] = [y + 2, y, y + 1].map(|y| &self.sums[y % 3]);
        // The filter reaches one cell more on either side.
        let reach = place(cells.range().start) - 1..place(cells.range().end) + 1;
        let add = |to: &mut [u32], list: fn(&Row) -> &Vec<u32>| {
            let rows = [below, here, above].map(|row| &list(row)[reach.clone()]);
            let sums = rows[0].iter().zip(rows[1]).zip(rows[2]);
            to.iter_mut().zip(sums).for_each(|(to, ((below, here), above))| *to = below + 2 * here + above);
        };
        add(&mut self.tall.room[reach.clone()], |row| &row.room);
        add(&mut self.tall.amount[reach.clone()], |row| &row.amount);
        let across = |to: &mut [u32], list: &[u32]| {
            let near = list.iter().zip(&list[1..]).zip(&list[2..]);
            to.iter_mut().zip(near).for_each(|(to, ((before, here), after))| *to = before + 2 * here + after);
        };
        let cells = place(cells.range().start)..place(cells.range().end);
        across(&mut self.all.room[cells.clone()], &self.tall.room[reach.clone()]);
        across(&mut self.all.amount[cells], &self.tall.amount[reach]);
    }

    /// Whether there is any matter in these cells of the row `y` of the slab.
    fn holds(&self, y: usize, cells: Span) -> bool {
        let Range { start, end } = cells.range();
        self.own[y % 3][place(start)..place(end)].iter().any(|&amount| amount > 0)
    }

    /// The value of a cell of the row that was added up, of a material that may fall.
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

    /// The value of a cell of the row that was added up, of a material whose edges are sharp: its own amount. It goes on into rock
    /// under it, and deeper twice what the low-pass brings there, so that no gap is left at its foot.
    fn value_as_it_lies(&self, x: usize, y: usize) -> u8 {
        let own = |y: usize| {
            let is_open = self.own_open[y % 3][place(x)] > 0;
            is_open.then(|| ((self.own[y % 3][place(x)] * 255 + HALF) / ONE).min(255) as u8)
        };
        own(y).or_else(|| own(y + 1)).unwrap_or_else(|| self.value(x).saturating_mul(2))
    }

    /// The value of a cell of the row that was added up.
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

impl Row {
    fn clear(&mut self) {
        self.room.fill(0);
        self.amount.fill(0);
        self.held.fill(0);
    }

    /// Reads the cells `wide` of a row; the rest are 0.
    fn read(&mut self, matter: &Matter, (y, z): (usize, usize), wide: Range<usize>) {
        self.clear();
        let room = &mut self.room[place(wide.start)..place(wide.end)];
        matter.ground.add_open((y, z), wide.start, ONE, room);
        let tiles = wide.start / TILE_X..wide.end.div_ceil(TILE_X);
        for layer in matter.heavier {
            for (tx, tile) in layer.part_of_row(y, z, tiles.clone()) {
                let room = self.room[place(tx * TILE_X)..].iter_mut();
                room.zip(tile.amount().row(z)).for_each(|(room, &cell)| *room = room.saturating_sub(cell.into()));
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
        let parts = self.room[cells.clone()].iter().zip(&self.amount[cells.clone()]);
        let held = self.held[cells].iter_mut().zip(parts);
        held.for_each(|(held, (room, amount))| *held = (ONE - room + amount).min(ONE));
    }
}

/// Adds `weight · from` to sums.
fn add_weighted(sums: &mut [u32], weight: u32, from: &[u32]) {
    sums.iter_mut().zip(from).for_each(|(sum, from)| *sum += weight * from);
}

/// Words of a bit for each tile of a row.
fn words(grid: Grid) -> usize {
    grid.nx.div_ceil(ROW * TILE_X)
}

/// The cells of some tiles of a word.
fn cells(grid: Grid, w: usize, tiles: Range<usize>) -> Span {
    let cell = |tile: usize| ((w * ROW + tile) * TILE_X).min(grid.nx) as u16;
    Span { from: cell(tiles.start), to: cell(tiles.end) }
}

/// Cells of a slab to filter: the same in rows one above the other.
#[derive(Clone, Debug)]
struct Stale {
    ys: Range<usize>,
    cells: Span,
    /// How many of its cells are stale.
    count: usize,
}

/// Boxes around all stale cells of a slab. A run of cells joins the box below it where little else comes with it: to read what
/// is around a box takes longer than to filter a few cells more.
#[derive(Default)]
struct Boxes {
    all: Vec<Stale>,
}

impl Boxes {
    /// Cells of a row, in which all later ones lie at `y` or above.
    fn add(&mut self, y: usize, cells: Span) {
        if cells.is_empty() {
            return;
        }
        let width = |span: Span| span.range().len();
        let below = self.all.iter_mut().rev().take_while(|stale| stale.ys.end + 1 >= y);
        for stale in below.filter(|stale| stale.ys.end >= y) {
            let both = stale.cells.union(cells);
            let count = stale.count + width(cells);
            if (y + 1 - stale.ys.start) * width(both) <= count + count / 2 + MARGIN {
                *stale = Stale { ys: stale.ys.start..y + 1, cells: both, count };
                return;
            }
        }
        self.all.push(Stale { ys: y..y + 1, cells, count: width(cells) });
    }
}

/// Weights along an axis, from one end to the other.
fn weights() -> impl Iterator<Item = u32> {
    (0..=2 * SHORE).map(|i| WEIGHTS[i.abs_diff(SHORE)])
}
