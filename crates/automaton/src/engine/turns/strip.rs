//! Working state of a strip during the rule of grains: words, their changes, and tiles to visit.

use super::bits::{Tiles, around};
use crate::world::{Barriers, Rows, Strip, Words};
use lavoxel_base::grid::tile::{ROW, bits};

/// Bit words of a strip and the changes made to them in this step.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Presence flag: set if the strip has words; a strip without grains nearby has none.
    pub(super) is_there: bool,
    pub(super) held: Words,
    pub(super) barriers: Barriers,
    /// Grains that have already moved in this step.
    pub(super) moved: Words,
    pub(super) lighter: Vec<Lighter>,
    /// Tiles changed by the last pass, or changed before the step.
    pub(super) changed: Tiles,
    /// Tiles changed in this step.
    pub(super) touched: Tiles,
    /// Number of grains that left the box.
    pub(super) left: u64,
}

/// Bit words of a layer of lighter grains.
#[derive(Debug, Default)]
pub(super) struct Lighter {
    pub(super) held: Words,
    pub(super) touched: Tiles,
}

impl State {
    /// Resets the changes for a new step.
    pub(super) fn clear(&mut self, strip: &Strip) {
        self.left = 0;
        self.changed.clear(strip.len(), strip.width);
        self.touched.clear(strip.len(), strip.width);
    }

    /// Returns the mask of free cells in the tile word `at`: neither blocked nor occupied by a
    /// grain of the layer.
    #[inline(always)]
    pub(super) fn free(&self, at: usize) -> u32 {
        !(self.barriers.barred[at] | self.held[at])
    }

    /// Returns the mask of cells with lighter grains in the tile word `at`.
    #[inline(always)]
    pub(super) fn lighter(&self, at: usize) -> u32 {
        self.lighter
            .iter()
            .fold(0, |cells, layer| cells | layer.held[at])
    }

    /// Marks the bit set `tiles` (tiles 64 `w` and on at height `y`) as changed by this pass and in
    /// this step.
    #[inline(always)]
    pub(super) fn touch(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            self.changed.add(y, w, tiles);
            self.touched.add(y, w, tiles);
        }
    }
}

/// Strip with its neighbours, in the order north, own, south.
#[derive(Clone, Copy)]
pub(super) struct Near<'a>(pub(super) [&'a State; 3]);

impl<'a> Near<'a> {
    /// Returns the own strip.
    #[inline(always)]
    pub(super) fn here(&self) -> &'a State {
        self.0[1]
    }

    /// Returns the strip to the north (`dz` < 0), the own strip (0), or the strip to the south
    /// (`dz` > 0).
    #[inline(always)]
    pub(super) fn at(&self, dz: isize) -> &'a State {
        self.0[(dz.signum() + 1) as usize]
    }
}

/// Plan of a strip: tiles to visit and moves to make.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Tiles that the step visits.
    pub(super) look: Tiles,
    /// Tiles whose grains may move, as a set and as a list.
    listed: Tiles,
    pub(super) list: Vec<Listed>,
    /// Moves of the present turn; and for each move and each layer of lighter grains, the mask of
    /// lighter grains displaced in the opposite direction.
    pub(super) moves: Vec<Move>,
    pub(super) back: Vec<u32>,
    /// Tiles with a grain that is held up only by lighter matter, and so must be visited again.
    pub(super) waiting: Tiles,
}

/// Tile whose grains may move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Index of the tile's word in `Words`.
    pub(super) at: usize,
    pub(super) tx: u32,
    pub(super) y: u32,
}

/// Grains of one tile that move in a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) tile: Listed,
    pub(super) cells: u32,
}

impl Plan {
    /// Resets the plan for a new step.
    pub(super) fn clear(&mut self, strip: &Strip) {
        for tiles in [&mut self.look, &mut self.listed, &mut self.waiting] {
            tiles.clear(strip.len(), strip.width);
        }
        self.list.clear();
        self.moves.clear();
        self.back.clear();
    }

    /// Marks the tiles that may move because of the last changes in the strip and its neighbours.
    pub(super) fn look_around_changes(&mut self, near: Near<'_>, flows: bool) {
        let Self { look, .. } = self;
        reach(near, flows, |y, w, tiles| look.add(y, w, tiles));
    }

    /// Lists all marked tiles that contain grains able to move; `level` is set if some turn moves
    /// level.
    pub(super) fn list_all(&mut self, near: Near<'_>, level: bool) {
        for y in self.look.rows.range() {
            for w in 0..self.look.width() {
                let tiles = self.look.word(y, w);
                self.list_some(near, (y, w, tiles), level);
            }
        }
    }

    /// Lists the tiles around the last changes that contain grains able to move.
    pub(super) fn list_around_changes(&mut self, near: Near<'_>, [flows, level]: [bool; 2]) {
        reach(near, flows, |y, w, tiles| {
            self.list_some(near, (y, w, tiles), level)
        });
    }

    fn list_some(&mut self, near: Near<'_>, (y, w, tiles): (usize, usize, u64), level: bool) {
        let here = near.here();
        for bit in bits(tiles & !self.listed.word(y, w)) {
            let tx = w * ROW + bit;
            let at = here.held.at(tx, y);
            let grains = here.held[at] & !here.moved[at];
            if grains != 0 && grains & ways(near, at, level) != 0 {
                self.listed.insert(tx, y);
                self.list.push(Listed {
                    at,
                    tx: tx as u32,
                    y: y as u32,
                });
            }
        }
    }
}

/// Returns a superset of the cells in the tile word `at` from which a grain could move.
#[inline(always)]
fn ways(near: Near<'_>, at: usize, level: bool) -> u32 {
    let tiles = |free: fn(&State, usize) -> u32| {
        near.0
            .map(|strip| [at - 1, at, at + 1].map(|at| free(strip, at)))
    };
    let slopes = around(tiles(|strip, at| {
        strip.free(at) & strip.free(at - strip.held.pitch)
    }));
    // A free side decides most; the turn tests the rest.
    if level {
        slopes | around(tiles(State::free))
    } else {
        slopes
    }
}

/// Calls `add` (y, word, bit set) for the tiles that may move because of the last changes in a
/// strip and its neighbours: around and above the changes and, if covered grains can flow
/// (`flows`), below.
fn reach(near: Near<'_>, flows: bool, mut add: impl FnMut(usize, usize, u64)) {
    let rows = near
        .0
        .iter()
        .fold(Rows::NONE, |rows, strip| rows.union(strip.changed.rows));
    let here = near.here();
    let (width, height) = (here.changed.width(), here.changed.height());
    for y in rows.range() {
        for w in 0..width {
            let word = |w: usize| {
                near.0
                    .iter()
                    .fold(0, |tiles, strip| tiles | strip.changed.word(y, w))
            };
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
