//! The low-pass of the media that light passes.
//!
//! Their surface is drawn as it lies, and mirrors: a level surface has to stay level up to the rock or the lava that it
//! meets. Heavier matter takes no part, just as solid cells do not. Closed cells (rock, or more than half full of heavier
//! matter) with an open one above them continue the amounts of the cells next to them. The surface then goes on into the rock,
//! and the drawn terrain cuts it along one of its own contours, not along the sides of cells.

use std::ops::Range;

use super::changes::SlabChanges;
use super::layer_changes::{Around, LayerChanges, grown};
use super::{Medium, place};
use crate::grid::Grid;
use crate::grid::tile::TILE_X;
use crate::parallel::*;
use crate::units::AMOUNT_ONE;
use crate::world::{Ground, Layer, Span};

/// Cells along x and z over which solid cells continue the amounts of open ones.
const SHORE: usize = 3;
/// Their weights by distance along an axis.
const WEIGHTS: [u32; SHORE + 1] = [20, 15, 6, 1];
/// Cells along x and z from which a value depends on an amount.
const REACH: usize = SHORE + 1;
/// Amounts below this are not drawn.
const LEAST: u16 = (ONE * 2 / 100) as u16;
/// A full cell, and half of one.
const ONE: u32 = AMOUNT_ONE as u32;
const HALF: u32 = ONE / 2;

/// Follows one layer of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct ClearFilter {
    /// For each row, numbered `z · ny + y`, the cells that may not be zero. Nothing before there was any matter.
    pub(super) shown: Vec<Span>,
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
            self.changed = vec![SlabChanges::default(); grid.nz];
        }
        self.shown
            .par_chunks_mut(grid.ny)
            .zip(&mut self.changed)
            .zip(medium.density.par_chunks_mut(grid.slab()))
            .enumerate()
            .map_init(Rows::default, |rows, (z, ((shown, changed), density))| {
                Slab { matter, z, shown, changed, density }.filter(rows, changes)
            })
            .sum()
    }
}

/// What the values of a medium depend on.
pub(super) struct Matter<'a> {
    pub(super) ground: &'a Ground,
    pub(super) layer: &'a Layer,
    pub(super) heavier: &'a [Layer],
}

/// The part of a medium that lies at one z.
struct Slab<'a> {
    matter: &'a Matter<'a>,
    z: usize,
    shown: &'a mut [Span],
    changed: &'a mut SlabChanges,
    density: &'a mut [u8],
}

impl Slab<'_> {
    /// Filters one box around all stale cells.
    fn filter(&mut self, rows: &mut Rows, changes: &[&LayerChanges<'_>]) -> usize {
        let (grid, z) = (self.matter.ground.grid(), self.z);
        let around: Vec<_> = changes.iter().map(|changes| changes.around(grid, z, REACH)).collect();
        let known = around.iter().all(Around::is_known);
        let ranges = around.iter().map(Around::rows).filter(|range| !range.is_empty());
        let ys = ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).filter(|_| known);
        let ys = if known { ys.unwrap_or(0..0) } else { 0..grid.ny };
        let (mut stale, mut cells) = (Vec::new(), Span::EMPTY);
        for y in ys {
            let held = self.held(y);
            let may = std::mem::replace(&mut self.shown[y], held).union(held);
            let spans = || around.iter().flat_map(|around| around.spans(y, !may.is_empty()));
            let span = if known { common(spans().fold(Span::EMPTY, Span::union), may) } else { may };
            if !span.is_empty() {
                stale.push(y);
                cells = cells.union(span);
            }
        }
        let (Some(&first), Some(&last)) = (stale.first(), stale.last()) else { return 0 };
        rows.begin(grid, cells);
        for y in first.saturating_sub(1)..=(last + 1).min(grid.ny - 1) {
            rows.read(self.matter, (y, z));
            if y > first {
                self.write(rows, y - 1, cells);
            }
        }
        if last + 1 == grid.ny {
            rows.clear(grid.ny);
            self.write(rows, last, cells);
        }
        self.changed.shorten(grid);
        (last + 1 - first) * cells.range().len()
    }

    /// The cells of a row that the filter reaches from any matter.
    fn held(&self, y: usize) -> Span {
        let grid = self.matter.ground.grid();
        let near = |v: usize, by: usize, n: usize| v.saturating_sub(by)..(v + by + 1).min(n);
        let rows = near(self.z, REACH, grid.nz).flat_map(|z| near(y, 1, grid.ny).map(move |y| (y, z)));
        let held = rows.map(|(y, z)| self.matter.layer.span(y, z)).fold(Span::EMPTY, Span::union);
        grown(held, REACH, grid.nx)
    }

    fn write(&mut self, rows: &Rows, y: usize, cells: Span) {
        let grid = self.matter.ground.grid();
        for x in cells.range() {
            let value = rows.value(y, x);
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
struct Rows {
    /// Cells that are read.
    wide: Range<usize>,
    /// By y, modulo 3.
    sums: [Row; 3],
    /// The rows around one row along z.
    near: [Row; 2 * REACH + 1],
    /// The row above one of them.
    above: Row,
}

/// By x, as [`place`] has it: the room that heavier matter leaves, and the amount in it.
#[derive(Default)]
struct Row {
    room: Vec<u32>,
    amount: Vec<u32>,
    /// Whether there is any amount.
    held: bool,
}

impl Rows {
    /// Starts a slab in which these cells are written.
    fn begin(&mut self, grid: Grid, cells: Span) {
        self.wide = grown(cells, REACH, grid.nx).range();
        let length = (grid.nx.div_ceil(TILE_X) + 2) * TILE_X;
        for row in self.sums.iter_mut().chain(&mut self.near).chain([&mut self.above]) {
            row.clear();
            row.room.resize(length, 0);
            row.amount.resize(length, 0);
        }
    }

    /// Forgets the row `y`.
    fn clear(&mut self, y: usize) {
        self.sums[y % 3].clear();
    }

    /// Reads the row `y` of the slab `z` and what lies around it along z.
    fn read(&mut self, matter: &Matter, (y, z): (usize, usize)) {
        let (grid, wide) = (matter.ground.grid(), self.wide.clone());
        for (i, row) in self.near.iter_mut().enumerate() {
            match (z + i).checked_sub(REACH).filter(|&z| z < grid.nz) {
                Some(z) => row.read(matter, (y, z), wide.clone()),
                None => row.clear(),
            }
        }
        let any = self.near.iter().any(|row| row.held);
        self.clear(y);
        for (i, weight) in [(REACH - 1, 1), (REACH, 2), (REACH + 1, 1)] {
            let Some(z) = (z + i).checked_sub(REACH).filter(|&z| z < grid.nz) else { continue };
            let continues = any && y + 1 < grid.ny;
            if continues {
                self.above.read(matter, (y + 1, z), wide.clone());
            }
            for x in place(wide.start)..place(wide.end) {
                let row = &self.near[i];
                let (mut room, mut amount) = (row.room[x], row.amount[x]);
                if continues
                    && room < HALF
                    && self.above.room[x] >= HALF
                    && let Some(mean) = self.mean(i, x)
                {
                    (room, amount) = (ONE, mean);
                }
                let sums = &mut self.sums[y % 3];
                sums.room[x] += weight * room;
                sums.amount[x] += weight * amount;
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

    /// The value of a cell of the row `y`, from the rows read for it and its neighbours along y.
    fn value(&self, y: usize, x: usize) -> u8 {
        let [below, here, above] = [y + 2, y, y + 1].map(|y| &self.sums[y % 3]);
        let x = place(x);
        let across = |list: fn(&Row) -> &Vec<u32>| {
            let column = |x: usize| list(below)[x] + 2 * list(here)[x] + list(above)[x];
            column(x - 1) + 2 * column(x) + column(x + 1)
        };
        // At most 64 · 32768 · 255, which fits.
        match (across(|row| &row.amount), across(|row| &row.room)) {
            (0, _) => 0,
            (amount, room) => ((amount * 255 + room / 2) / room.max(1)).min(255) as u8,
        }
    }
}

impl Row {
    fn clear(&mut self) {
        self.room.fill(0);
        self.amount.fill(0);
        self.held = false;
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
                    self.held = true;
                }
            }
        }
    }
}

/// The cells of both spans.
fn common(a: Span, b: Span) -> Span {
    Span { from: a.from.max(b.from), to: a.to.min(b.to) }
}

/// Weights along an axis, from one end to the other.
fn weights() -> impl Iterator<Item = u32> {
    (0..=2 * SHORE).map(|i| WEIGHTS[i.abs_diff(SHORE)])
}
