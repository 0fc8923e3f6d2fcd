//! State of a strip during the motion of grains: bit words of the tiles (one bit per cell), their
//! changes, and tiles to process.

use super::bits::{Tiles, dilated};
use crate::world::{Barriers, Rows, Strip, Words};
use lavoxel_base::grid::tile::{ROW, bits};

/// Bit words of a strip (one 32-bit word per tile, one bit per cell), and the changes made to them
/// in this step.
#[derive(Debug, Default)]
pub(super) struct StripWords {
    /// True if the strip has bit words. False for a strip without grains in itself and in its two
    /// neighbours.
    pub(super) is_there: bool,
    pub(super) held: Words,
    pub(super) barriers: Barriers,
    /// Bit words of the grains that have already moved in this step; these grains cannot move
    /// again.
    pub(super) moved: Words,
    pub(super) lighter: Vec<Lighter>,
    /// Tiles changed by the last move; at the start of a step, tiles changed since the last step.
    pub(super) changed: Tiles,
    /// Tiles changed by any move of this step.
    pub(super) touched: Tiles,
    /// Number of grains that left the simulation box from this strip in this step.
    pub(super) left: u64,
}

/// Bit words of the grains of one lighter layer in a strip, and the tiles whose words changed in
/// this step.
#[derive(Debug, Default)]
pub(super) struct Lighter {
    pub(super) held: Words,
    pub(super) touched: Tiles,
}

impl StripWords {
    /// Clears the records of changes for a new step.
    pub(super) fn clear(&mut self, strip: &Strip) {
        self.left = 0;
        self.changed.clear(strip.len(), strip.width);
        self.touched.clear(strip.len(), strip.width);
    }

    /// Returns the bit mask of the free cells (neither blocked nor occupied by a grain of the
    /// layer) of the tile whose bit word has the index `at`.
    #[inline(always)]
    pub(super) fn free(&self, at: usize) -> u32 {
        !(self.barriers.barred[at] | self.held[at])
    }

    /// Returns the bit mask of the cells that contain lighter grains, for the tile whose bit word
    /// has the index `at`.
    #[inline(always)]
    pub(super) fn lighter(&self, at: usize) -> u32 {
        self.lighter
            .iter()
            .fold(0, |cells, layer| cells | layer.held[at])
    }

    /// Records tiles as changed by the present move and in this step: those in the bit set `tiles`,
    /// where bit i is the tile with x index 64 `w` + i at height `y`.
    #[inline(always)]
    pub(super) fn touch(&mut self, y: usize, w: usize, tiles: u64) {
        if tiles != 0 {
            self.changed.add(y, w, tiles);
            self.touched.add(y, w, tiles);
        }
    }
}

/// States of a strip and of its neighbours, in the order north neighbour, the strip itself, south
/// neighbour.
#[derive(Clone, Copy)]
pub(super) struct Near<'a>(pub(super) [&'a StripWords; 3]);

impl<'a> Near<'a> {
    /// Returns the state of the strip itself.
    #[inline(always)]
    pub(super) fn here(&self) -> &'a StripWords {
        self.0[1]
    }

    /// Returns the state of the strip to the north (`dz` < 0), of the strip itself (0), or of the
    /// strip to the south (`dz` > 0).
    #[inline(always)]
    pub(super) fn at(&self, dz: isize) -> &'a StripWords {
        self.0[(dz.signum() + 1) as usize]
    }
}

/// Work list of a strip for one step of the motion of grains: tiles to process, and moves to make.
#[derive(Debug, Default)]
pub(super) struct StripPlan {
    /// Tiles in which the fall must look for falling grains.
    pub(super) look: Tiles,
    /// Set of the tiles whose grains may move sideways.
    listed: Tiles,
    /// Tiles of the set `listed` in the order of their listing.
    pub(super) list: Vec<Listed>,
    /// Grains chosen for the present sideways move, one element per tile.
    pub(super) moves: Vec<Move>,
    /// Bit masks of the lighter grains that trade places with the moving grains: for each of
    /// `moves`, one mask per layer of lighter grains.
    pub(super) back: Vec<u32>,
    /// Tiles with a grain that only lighter matter or the air holds up; the next step must process
    /// these tiles.
    pub(super) waiting: Tiles,
}

/// Tile whose grains may move sideways: its position in the strip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    /// Index of the tile's bit word in the `Words` of the strip.
    pub(super) at: usize,
    pub(super) tx: u32,
    pub(super) y: u32,
}

/// Grains of one tile that are chosen for the present sideways move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) tile: Listed,
    pub(super) cells: u32,
}

impl StripPlan {
    /// Clears the plan for a new step.
    pub(super) fn clear(&mut self, strip: &Strip) {
        for tiles in [&mut self.look, &mut self.listed, &mut self.waiting] {
            tiles.clear(strip.len(), strip.width);
        }
        self.list.clear();
        self.moves.clear();
        self.back.clear();
    }

    /// Marks the tiles in which grains may move because of the last changes in the strip and its
    /// neighbours, so that the fall processes them. `flows`: grains covered by other grains can
    /// move sideways.
    pub(super) fn look_around_changes(&mut self, near: Near<'_>, flows: bool) {
        let Self { look, .. } = self;
        reach(near, flows, |y, w, tiles| look.add(y, w, tiles));
    }

    /// Adds to `list` all tiles of the set `look` with grains that could move sideways; `level` is
    /// true if the rule has sideways moves that keep the height of a grain.
    pub(super) fn list_all(&mut self, near: Near<'_>, level: bool) {
        for y in self.look.rows.range() {
            for w in 0..self.look.width() {
                let tiles = self.look.word(y, w);
                self.list_some(near, (y, w, tiles), level);
            }
        }
    }

    /// Adds to `list` the tiles around the last changes with grains that could move sideways.
    /// `flows`: grains covered by other grains can move sideways; `level`: the rule has sideways
    /// moves that keep the height of a grain.
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

/// Returns a superset of the cells from which a grain could move sideways, as a bit mask, for the
/// tile whose bit word has the index `at`. `level`: the rule has sideways moves that keep the
/// height of a grain.
#[inline(always)]
fn ways(near: Near<'_>, at: usize, level: bool) -> u32 {
    let tiles = |free: fn(&StripWords, usize) -> u32| {
        near.0
            .map(|strip| [at - 1, at, at + 1].map(|at| free(strip, at)))
    };
    let slopes = dilated(tiles(|strip, at| {
        strip.free(at) & strip.free(at - strip.held.pitch)
    }));
    // A free side excludes most cells; the move itself tests the rest.
    if level {
        slopes | dilated(tiles(StripWords::free))
    } else {
        slopes
    }
}

/// Calls `add` with each group of tiles in which grains may move because of the last changes in a
/// strip and its neighbours: (height y, index `w` of the 64 tiles along x, bit set of these tiles).
/// Included are the changed tiles, the tiles around and above, and those below if covered grains
/// can flow (`flows`).
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
