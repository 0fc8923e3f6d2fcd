//! Strip while the rule of grains runs: its words, their changes, and the tiles to look at.

use super::bits::{Tiles, around};
use crate::world::{Barriers, Rows, Strip, Words};
use lavoxel_base::grid::tile::{ROW, bits};

/// Words of a strip, and the step's changes in them.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Set if the strip has words; a strip that is not near grains has none.
    pub(super) is_there: bool,
    pub(super) held: Words,
    pub(super) barriers: Barriers,
    /// Grains that have moved.
    pub(super) moved: Words,
    pub(super) lighter: Vec<Lighter>,
    /// Tiles that the last pass changed, or where something changed before the step.
    pub(super) changed: Tiles,
    /// Tiles that the step has changed.
    pub(super) touched: Tiles,
    /// Number of grains that left the box.
    pub(super) left: u64,
}

/// Words of a layer of lighter grains.
#[derive(Debug, Default)]
pub(super) struct Lighter {
    pub(super) held: Words,
    pub(super) touched: Tiles,
}

impl State {
    /// Resets the changes.
    pub(super) fn clear(&mut self, strip: &Strip) {
        self.left = 0;
        self.changed.clear(strip.len(), strip.width);
        self.touched.clear(strip.len(), strip.width);
    }

    /// Returns bits of the cells where a grain can be.
    #[inline(always)]
    pub(super) fn free(&self, at: usize) -> u32 {
        !(self.barriers.barred[at] | self.held[at])
    }

    /// Returns bits of the lighter grains.
    #[inline(always)]
    pub(super) fn lighter(&self, at: usize) -> u32 {
        self.lighter.iter().fold(0, |cells, layer| cells | layer.held[at])
    }

    /// Marks the words of tiles `64 · w` and on at one y as changed.
    #[inline(always)]
    pub(super) fn touch(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            self.changed.add(y, w, tiles);
            self.touched.add(y, w, tiles);
        }
    }
}

/// Strip and its neighbours, north first.
#[derive(Clone, Copy)]
pub(super) struct Near<'a>(pub(super) [&'a State; 3]);

impl<'a> Near<'a> {
    /// Returns the strip itself.
    #[inline(always)]
    pub(super) fn here(&self) -> &'a State {
        self.0[1]
    }

    /// Returns the strip to the north (−1), the strip itself (0), or the strip to the south (1).
    #[inline(always)]
    pub(super) fn at(&self, dz: isize) -> &'a State {
        self.0[(dz.signum() + 1) as usize]
    }
}

/// Moves that a strip is going to make.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Tiles that the step visits.
    pub(super) look: Tiles,
    /// Tiles in which a grain may move, as a set and as a list.
    listed: Tiles,
    pub(super) list: Vec<Listed>,
    /// Moves of the present turn, and for each move and each layer of lighter grains, bits of the
    /// lighter grains that come back.
    pub(super) moves: Vec<Move>,
    pub(super) back: Vec<u32>,
    /// Tiles with a grain that only lighter matter holds up.
    pub(super) waiting: Tiles,
}

/// Tile with grains that may move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Index of the tile's word.
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
    /// Resets the plan.
    pub(super) fn clear(&mut self, strip: &Strip) {
        for tiles in [&mut self.look, &mut self.listed, &mut self.waiting] {
            tiles.clear(strip.len(), strip.width);
        }
        self.list.clear();
        self.moves.clear();
        self.back.clear();
    }

    /// Adds the tiles that may move after the last changes in the strip and its neighbours.
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

/// Returns a superset of the cells of a tile from which a grain could move.
#[inline(always)]
fn ways(near: Near<'_>, at: usize, level: bool) -> u32 {
    let tiles = |free: fn(&State, usize) -> u32| near.0.map(|strip| [at - 1, at, at + 1].map(|at| free(strip, at)));
    let slopes = around(tiles(|strip, at| strip.free(at) & strip.free(at - strip.held.pitch)));
    // A free side decides most; the turn tests the rest.
    if level { slopes | around(tiles(State::free)) } else { slopes }
}

/// Calls `add` with the tiles that may move after the last changes in a strip and its neighbours:
/// around the change, above it, and below it where a grain on top lets the grains below flow.
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
