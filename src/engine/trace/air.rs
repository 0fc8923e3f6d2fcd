//! The open cells of a strip, and the air that reaches the roof.

use std::ops::Range;

use super::bodies::Bodies;
use super::each;
use super::near::{NORTH, WEST};
use crate::engine::heavier::{Heavier, Layers};
use crate::grid::Grid;
use crate::grid::tile::{ROW, TILE_X, TILE_Z};
use crate::rules::Walls;
use crate::simd::{Level, Simd, Work};
use crate::world::{AMOUNT, Ground, GroundStrip, Strip};

/// What of the ground is above the highest rock of each column of tiles in a strip: of most tiles that is all there is to know.
#[derive(Debug, Default)]
pub(super) struct Sky {
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    /// By [`GroundStrip::version`].
    version: u64,
    /// The y from which every cell is open.
    top: usize,
    /// The cells that are inside of the box.
    inside: u32,
}

impl Sky {
    /// Reads again the columns that changed.
    pub(super) fn refresh(&mut self, ground: GroundStrip<'_>, count: usize) {
        self.columns.resize(count, Column { version: u64::MAX, top: 0, inside: 0 });
        for (tx, column) in self.columns.iter_mut().enumerate() {
            if column.version != ground.version(tx) {
                let top = ground.top(tx);
                *column = Column { version: ground.version(tx), top, inside: ground.inside(tx) };
            }
        }
    }

    /// The y from which every cell of the strip is open.
    fn top(&self) -> usize {
        self.columns.iter().map(|column| column.top).max().unwrap_or(0)
    }

    /// The open cells of a tile.
    #[inline(always)]
    pub(super) fn open(&self, ground: GroundStrip<'_>, tx: usize, y: usize) -> u32 {
        let column = &self.columns[tx];
        if y >= column.top { column.inside } else { ground.open(tx, y) }
    }
}

/// The cells with room for a surface below them, and which of them reach the roof or an open side.
#[derive(Debug, Default)]
pub(super) struct Air {
    airs: Bodies,
    /// By number of the component.
    is_free: Vec<bool>,
    /// The row from which on everything is free.
    roof: usize,
}

/// What decides which cells have room.
pub(super) struct Rooms<'a> {
    pub(super) level: Level,
    pub(super) grid: Grid,
    pub(super) ground: &'a Ground,
    pub(super) heavier: Layers<'a>,
    pub(super) strips: &'a [Strip],
    pub(super) skies: &'a [Sky],
    pub(super) fullest: u16,
    pub(super) walls: Walls,
}

impl Air {
    /// Finds the air of a box.
    pub(super) fn find(&mut self, rooms: &Rooms<'_>, parallel: bool) {
        let Rooms { grid, strips, .. } = *rooms;
        let matter = strips.iter().chain(rooms.heavier.0.iter().flat_map(|layer| &layer.strips));
        let matter = matter.map(|strip| strip.held.range().end).max().unwrap_or(0);
        let ground = rooms.skies.iter().map(Sky::top).max().unwrap_or(0);
        // This row and those above it are empty, or it is the last.
        let roof = matter.max(ground).min(grid.ny - 1);
        self.roof = roof;
        let airs = &mut self.airs;
        airs.strips.resize_with(strips.len(), Default::default);
        each(&mut airs.strips, parallel, |tz, cells| {
            cells.begin(0..roof + 1, strips[tz].count);
            rooms.level.run(Roomy { rooms, tz, put: |tx, y, mask| cells.put(tx, y, mask), rows: 0..roof + 1 });
            cells.connect();
        });
        airs.connect();
        self.is_free.clear();
        self.is_free.resize(airs.end(), false);
        let first = if rooms.walls == Walls::Open { 0 } else { roof };
        for (tz, strip) in strips.iter().enumerate() {
            for (tx, y) in (first..=roof).flat_map(|y| (0..strip.count).map(move |tx| (tx, y))) {
                let free = if y == roof { u32::MAX } else { outer(rooms, tx, tz) };
                if free != 0 {
                    for (cells, air) in airs.parts([tx, y, tz]) {
                        self.is_free[air as usize] |= cells & free != 0;
                    }
                }
            }
        }
    }

    /// The cells of a tile that reach the roof or an open side.
    #[inline]
    pub(super) fn free(&self, tile @ [_, y, _]: [usize; 3]) -> u32 {
        if y > self.roof {
            return u32::MAX;
        }
        let free = self.airs.parts(tile).filter(|&(_, air)| self.is_free[air as usize]);
        free.fold(0, |all, (cells, _)| all | cells)
    }
}

/// The cells of a tile at the sides of the box.
fn outer(rooms: &Rooms<'_>, tx: usize, tz: usize) -> u32 {
    let grid = rooms.grid;
    let column = |x: usize| if x / TILE_X == tx { WEST << (x % TILE_X) } else { 0 };
    let row = |z: usize| if z / TILE_Z == tz { NORTH << (TILE_X * (z % TILE_Z)) } else { 0 };
    column(0) | column(grid.nx - 1) | row(0) | row(grid.nz - 1)
}

/// Has the cells with room in some rows of a strip put.
struct Roomy<'a, P> {
    rooms: &'a Rooms<'a>,
    tz: usize,
    put: P,
    rows: Range<usize>,
}

impl<P: FnMut(usize, usize, u32)> Work for Roomy<'_, P> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let Rooms { ground, heavier, strips, skies, fullest, .. } = *self.rooms;
        let (strip, ground, sky) = (&strips[self.tz], ground.strip(self.tz), &skies[self.tz]);
        let (is_near, most) = (heavier.is_near(self.tz), s.splat(fullest));
        for y in self.rows {
            for tx in 0..strip.count {
                let (index, bit) = (strip.index(y, tx / ROW), tx % ROW);
                let slot = strip.row(index).slots[bit];
                let mut open = sky.open(ground, tx, y);
                if is_near {
                    let filling = s.load(&strip.tile(slot).0[AMOUNT]);
                    let filling = s.add_saturating(filling, heavier.amount(s, index, bit, self.tz));
                    open &= !s.above(filling, most);
                } else if slot != 0 {
                    open &= !s.above(s.load(&strip.tile(slot).0[AMOUNT]), most);
                }
                (self.put)(tx, y, open);
            }
        }
    }
}
