//! A strip while the rule of grains runs: its words, what changes in them, and the tiles to look at.

use super::bits::{Tiles, around};
use crate::world::{Barriers, Rows, Strip, Words};
use lavoxel_base::grid::tile::{ROW, bits};

/// The words of a strip, and what the step has changed in them.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Whether there are any; a strip that is not near grains has none.
    pub(super) is_there: bool,
    pub(super) held: Words,
    pub(super) barriers: Barriers,
    /// The grains that have moved.
    pub(super) moved: Words,
    pub(super) lighter: Vec<Lighter>,
    /// The tiles that the last pass changed, or where something changed before the step.
    pub(super) changed: Tiles,
    /// The tiles that the step has changed.
    pub(super) touched: Tiles,
    /// Grains that left the box.
    pub(super) left: u64,
}

/// The words of a layer of lighter grains.
#[derive(Debug, Default)]
pub(super) struct Lighter {
    pub(super) held: Words,
    pub(super) touched: Tiles,
}

impl State {
    /// Nothing has changed yet.
    pub(super) fn clear(&mut self, strip: &Strip) {
        self.left = 0;
        self.changed.clear(strip.len(), strip.width);
        self.touched.clear(strip.len(), strip.width);
    }

    /// Cells where a grain can be.
    #[inline(always)]
    pub(super) fn free(&self, at: usize) -> u32 {
        !(self.barriers.barred[at] | self.held[at])
    }

    /// Lighter grains.
    #[inline(always)]
    pub(super) fn lighter(&self, at: usize) -> u32 {
        self.lighter.iter().fold(0, |cells, layer| cells | layer.held[at])
    }

    /// The words of tiles `64 · w` and on at one y change.
    #[inline(always)]
    pub(super) fn touch(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            self.changed.add(y, w, tiles);
            self.touched.add(y, w, tiles);
        }
    }
}

/// A strip and the ones beside it, north first.
#[derive(Clone, Copy)]
pub(super) struct Near<'a>(pub(super) [&'a State; 3]);

impl<'a> Near<'a> {
    /// The strip itself.
    #[inline(always)]
    pub(super) fn here(&self) -> &'a State {
        self.0[1]
    }

    /// The strip to the north (−1), the strip itself, or the one to the south (1).
    #[inline(always)]
    pub(super) fn at(&self, dz: isize) -> &'a State {
        self.0[(dz.signum() + 1) as usize]
    }
}

/// Moves that a strip is going to make.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The tiles that the step visits.
    pub(super) look: Tiles,
    /// Those in which a grain may move, and which they are.
    listed: Tiles,
    pub(super) list: Vec<Listed>,
    /// Moves of the present turn, and for each layer of lighter grains, which of them come back.
    pub(super) moves: Vec<Move>,
    pub(super) back: Vec<u32>,
    /// Tiles with a grain that only lighter matter holds up.
    pub(super) waiting: Tiles,
}

/// A tile with grains that may move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Number of its word.
    pub(super) at: usize,
    pub(super) tx: u32,
    pub(super) y: u32,
}

/// Grains of a tile that move in a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) tile: Listed,
    pub(super) cells: u32,
}

impl Plan {
    /// Nothing yet.
    pub(super) fn clear(&mut self, strip: &Strip) {
        for tiles in [&mut self.look, &mut self.listed, &mut self.waiting] {
            tiles.clear(strip.len(), strip.width);
        }
        self.list.clear();
        self.moves.clear();
        self.back.clear();
    }

    /// Adds the tiles that may move after the last changes in the strip and those beside it.
    pub(super) fn look_around_changes(&mut self, near: Near<'_>, flows: bool) {
        let Self { look, .. } = self;
        reach(near, flows, |y, w, tiles| look.add(y, w, tiles));
    }

    /// Lists the tiles that the step visits and that have grains that may move.
    pub(super) fn list_all(&mut self, near: Near<'_>, level: bool) {
        for y in self.look.rows.range() {
            for w in 0..self.look.width() {
                let tiles = self.look.word(y, w);
                self.list_some(near, (y, w, tiles), level);
            }
        }
    }

    /// Lists the cells of the tiles around the last changes.
    pub(super) fn list_around_changes(&mut self, near: Near<'_>, [flows, level]: [bool; 2]) {
        reach(near, flows, |y, w, tiles| self.list_some(near, (y, w, tiles), level));
    }

    fn list_some(&mut self, near: Near<'_>, (y, w, tiles): (usize, usize, u64), level: bool) {
        let here = near.here();
        for bit in bits(tiles & !self.listed.word(y, w)) {
            let tx = w * ROW + bit;
            let at = here.held.at(tx, y);
            let grains = here.held[at] & !here.moved[at];
            if grains != 0 && grains & ways(near, at, level) != 0 {
                self.listed.insert(tx, y);
                self.list.push(Listed { at, tx: tx as u32, y: y as u32 });
            }
        }
    }
}

/// At least the cells of a tile from which a grain could move.
#[inline(always)]
fn ways(near: Near<'_>, at: usize, level: bool) -> u32 {
    let tiles = |free: fn(&State, usize) -> u32| near.0.map(|strip| [at - 1, at, at + 1].map(|at| free(strip, at)));
    let slopes = around(tiles(|strip, at| strip.free(at) & strip.free(at - strip.held.pitch)));
    // Whether a side is free decides most; the rest is the turn's.
    if level { slopes | around(tiles(State::free)) } else { slopes }
}

/// The tiles that may move after the last changes in a strip and those beside it: around the change, above that, and below it
/// where a grain on top lets those below flow.
fn reach(near: Near<'_>, flows: bool, mut add: impl FnMut(usize, usize, u64)) {
    let rows = near.0.iter().fold(Rows::NONE, |rows, strip| rows.union(strip.changed.rows));
    let here = near.here();
    let (width, height) = (here.changed.width(), here.changed.height());
    for y in rows.range() {
        for w in 0..width {
            let word = |w: usize| near.0.iter().fold(0, |tiles, strip| tiles | strip.changed.word(y, w));
            let tiles = word(w);
            let west = if w > 0 { word(w - 1) >> 63 } else { 0 };
            let east = if w + 1 < width { word(w + 1) << 63 } else { 0 };
            let tiles = tiles | tiles << 1 | tiles >> 1 | west | east;
            if tiles == 0 {
                continue;
            }
            add(y, w, tiles);
            if y + 1 < height {
                add(y + 1, w, tiles);
            }
            let below = here.changed.word(y, w);
            if flows && y > 0 && below != 0 {
                add(y - 1, w, below);
            }
        }
    }
}
