//! Vertical rules (motion of matter between cells of a column) applied to the tiles of a strip.
//!
//! A pair of tiles, one above the other, is processed if it contains matter and a tile changed
//! since the pair was last processed: the upper tile, or, for rules that also move matter up,
//! either of the two. The motion depends only on the two tiles, denser matter, the ground and the
//! rule, and a tile that gives anything counts as changed.
//!
//! Invariant: a skipped pair moved nothing when it was last processed, and would move nothing now.
//! Other rule parameters mark all tiles ([`Layer::wake_under`](crate::world::Layer)); a changed
//! cell of the ground marks the tiles that read it ([`Layer::wake_near`](crate::world::Layer)); a
//! change of denser matter counts as a change of the tile
//! ([`World::wake_beside_heavier`](crate::world::World)).

use super::heavier::{Heavier, Layers, Nothing};
use crate::rules::{Column, Pair};
use crate::world::{Ground, GroundStrip, Reads, Rows, Strip};
use lavoxel_base::grid::tile::ROW;
use lavoxel_base::simd::{Simd, Work};

/// SIMD kernel that applies a vertical rule to adjacent strips. `MEETS` is true if the cells may
/// also contain denser matter; `Q` is the number of values per cell: 1 (amount) or 2 (amount,
/// energy).
pub(super) struct Falls<'a, R, const MEETS: bool, const Q: usize> {
    /// z index of the first of `strips`.
    pub(super) first: usize,
    pub(super) strips: &'a mut [Strip],
    pub(super) common: FallCommon<'a, R>,
    /// Scratch buffer: bit sets, one per 64 tiles along x, of the tiles one cell lower that had
    /// changed before this step.
    pub(super) before: &'a mut Vec<u64>,
}

/// Inputs of a vertical rule in one step that are equal for all parts of the simulation box (the
/// strips of one thread each).
pub(super) struct FallCommon<'a, R> {
    pub(super) ground: &'a Ground,
    pub(super) heavier: Layers<'a>,
    pub(super) rule: &'a R,
    /// Times at which the layer was last read, by kind of reader (`Reading`); a reader gets the
    /// changes made after its last read.
    pub(super) reads: Reads,
}

impl<R> Clone for FallCommon<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for FallCommon<'_, R> {}

impl<R: Column<Q>, const MEETS: bool, const Q: usize> Work for Falls<'_, R, MEETS, Q> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let FallCommon {
            ground,
            heavier,
            rule,
            reads,
        } = self.common;
        let kernel = rule.kernel(s);
        for (i, strip) in self.strips.iter_mut().enumerate() {
            if strip.falling.is_empty() {
                continue;
            }
            strip.record_falling(reads);
            let tz = self.first + i;
            let (kernel, ground) = (&kernel, ground.strip(tz));
            if MEETS && heavier.is_near(tz) {
                Fall::<S, R, _, Q> {
                    s,
                    kernel,
                    heavier,
                    tz,
                    ground,
                }
                .strip(strip, self.before);
            } else {
                let heavier = Nothing::<MEETS>;
                Fall::<S, R, _, Q> {
                    s,
                    kernel,
                    heavier,
                    tz,
                    ground,
                }
                .strip(strip, self.before);
            }
        }
    }
}

/// SIMD kernel that applies a vertical rule to one strip.
struct Fall<'a, S: Simd, R: Column<Q>, H, const Q: usize> {
    s: S,
    kernel: &'a R::Kernel<S>,
    heavier: H,
    tz: usize,
    ground: GroundStrip<'a>,
}

/// Position of the upper tile of the pair that is being processed.
struct Here {
    /// Index of the tile's row of tiles in the strip, and bit of the tile in that row (0–63).
    index: usize,
    bit: usize,
    /// Index of the tile: x in tiles, y in cells.
    tx: usize,
    y: usize,
}

impl<S: Simd, R: Column<Q>, H: Heavier, const Q: usize> Fall<'_, S, R, H, Q> {
    /// True if matter may move up from the lower to the upper tile: by the rule itself, or
    /// displaced by denser matter.
    const UP: bool = R::UP || H::MEETS;

    /// Processes all pairs of vertically adjacent tiles of `strip` that are marked as changed, from
    /// the bottom up; `before`: scratch buffer.
    #[inline(always)]
    fn strip(&self, strip: &mut Strip, before: &mut Vec<u64>) {
        let (ny, width) = (self.ground.ny(), strip.width);
        before.clear();
        before.resize(width, 0);
        let rows = std::mem::replace(&mut strip.falling, Rows::NONE).range();
        let mut y = rows.start;
        // Above the rows that had changed before, only rows above a change of this step are
        // processed.
        while y < ny && (y <= rows.end || strip.falling.range().end == y) {
            for (w, before) in before.iter_mut().enumerate() {
                let index = strip.index(y, w);
                let under = strip.row(index.wrapping_sub(width));
                let (below, held_below) = (*before | under.falling, under.held);
                let row = strip.row_mut(index);
                *before = std::mem::take(&mut row.falling);
                let held = if Self::UP {
                    row.held | held_below
                } else {
                    row.held
                };
                let mut set = held & (*before | below);
                while set != 0 {
                    let bit = set.trailing_zeros() as usize % ROW;
                    set &= set - 1;
                    self.tile(
                        strip,
                        &Here {
                            index,
                            bit,
                            tx: w * ROW + bit,
                            y,
                        },
                    );
                }
            }
            y += 1;
        }
    }

    /// Applies the rule to the tile `here` and the tile directly below.
    #[inline(always)]
    fn tile(&self, strip: &mut Strip, here: &Here) {
        let (s, &Here { index, bit, tx, y }) = (self.s, here);
        let slot = strip.row(index).slots[bit];
        if slot != 0 && strip.masks(slot).version != self.ground.version(tx) {
            *strip.masks_mut(slot) = self.ground.masks(tx, y);
        }
        if y == 0 {
            return;
        }
        let under = index - strip.width;
        let lower = strip.row(under).slots[bit];
        let heavier = self.heavier.amount(s, under, bit, self.tz);
        let fresh;
        let masks = if Self::UP && slot == 0 {
            // Nothing can fall from an empty tile, so that most calls end here.
            if R::rises(self.kernel, s, strip.lanes(lower), heavier) == 0 {
                return;
            }
            fresh = self.ground.masks(tx, y);
            &fresh
        } else {
            strip.masks(slot)
        };
        let open = if Self::UP {
            masks.open & !masks.bed
        } else {
            !masks.bed
        };
        let pair = Pair {
            below: strip.lanes(lower),
            above: strip.lanes(slot),
            heavier,
            meets_heavier: H::MEETS,
            open,
        };
        let Some([below, above]) = R::settle_lanes(self.kernel, s, &pair) else {
            return;
        };
        // A tile may be empty and still have a slot, which `write` queues for reuse.
        self.write(strip, (y - 1, under, bit), below, Self::UP);
        self.write(strip, (y, index, bit), above, true);
    }

    /// Stores the new `values` (amount, energy) of the tile at the height, row index and bit (`y`,
    /// `index`, `bit`); if the tile became empty, makes its memory slot available for reuse
    /// (`Strip::leave`). `may_empty` is false if the tile cannot have become empty.
    #[inline(always)]
    fn write(
        &self,
        strip: &mut Strip,
        (y, index, bit): (usize, usize, usize),
        values: [S::V; Q],
        may_empty: bool,
    ) {
        let s = self.s;
        let lanes = strip.change::<Q>(y, index, bit);
        for (lanes, value) in lanes.iter_mut().zip(values) {
            s.store(lanes, value);
        }
        if may_empty && !s.any(values[0]) {
            strip.leave(index, bit);
        }
    }
}
