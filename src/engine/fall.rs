//! Gravity over the tiles of a strip; the rule itself is [`crate::rules::gravity`].
//!
//! A tile is visited when it holds liquid and it, or the tile below it, changed since gravity last visited it. What falls
//! from a tile follows from the tile, the one below it, the ground and the rules alone, and a tile that gives anything has
//! changed. So a tile that is skipped gave nothing on its last visit, and would give nothing now. Other rules wake
//! all tiles ([`Liquid::wake_under`](crate::world::Liquid)); a changed cell of the ground wakes the tiles that read it
//! ([`Liquid::wake_near`](crate::world::Liquid)).

use crate::grid::tile::ROW;
use crate::rules::gravity::{Gravity, Kernel};
use crate::simd::{Simd, Work};
use crate::world::{Ground, GroundStrip, Rows, Strip};

/// Gravity in adjacent strips.
pub(super) struct Falls<'a> {
    /// Number of the first.
    pub(super) first: usize,
    pub(super) strips: &'a mut [Strip],
    pub(super) ground: &'a Ground,
    pub(super) rule: &'a Gravity,
    /// Scratch: the tiles of the row below that changed before.
    pub(super) before: &'a mut Vec<u64>,
}

impl Work for Falls<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let rule = Kernel::new(s, self.rule);
        for (i, strip) in self.strips.iter_mut().enumerate() {
            if !strip.falling.is_empty() {
                strip_falls(s, &rule, strip, self.ground.strip(self.first + i), self.before);
            }
        }
    }
}

/// Gravity in one strip, rows from the bottom up.
#[inline(always)]
fn strip_falls<S: Simd>(s: S, rule: &Kernel<S>, strip: &mut Strip, ground: GroundStrip<'_>, before: &mut Vec<u64>) {
    let (ny, width) = (ground.ny(), strip.width);
    before.clear();
    before.resize(width, 0);
    let rows = std::mem::replace(&mut strip.falling, Rows::NONE).range();
    let mut y = rows.start;
    // Above the rows that changed before, only rows above a change of this pass are visited.
    while y < ny && (y <= rows.end || strip.falling.range().end == y) {
        for (w, before) in before.iter_mut().enumerate() {
            let index = strip.index(y, w);
            let below = *before | strip.row(index.wrapping_sub(width)).falling;
            let row = strip.row_mut(index);
            *before = std::mem::take(&mut row.falling);
            let mut set = row.held & (*before | below);
            while set != 0 {
                let bit = set.trailing_zeros() as usize % ROW;
                set &= set - 1;
                let here = Here { index, bit, tx: w * ROW + bit, y };
                tile_falls(s, rule, strip, &here, ground);
            }
        }
        y += 1;
    }
}

/// The tile that is visited.
struct Here {
    /// Number of its row in the strip, and its bit there.
    index: usize,
    bit: usize,
    /// Its place along x, counted in tiles, and y.
    tx: usize,
    y: usize,
}

/// Gravity in one tile.
#[inline(always)]
fn tile_falls<S: Simd>(s: S, rule: &Kernel<S>, strip: &mut Strip, here: &Here, ground: GroundStrip<'_>) {
    let &Here { index, bit, tx, y } = here;
    let slot = strip.row(index).slots[bit];
    if strip.masks(slot).version != ground.version(tx) {
        *strip.masks_mut(slot) = ground.masks(tx, y);
    }
    if y == 0 {
        return;
    }
    let open = !strip.masks(slot).bed;
    let under = index - strip.width;
    let (upper, lower) = (strip.tile(slot), strip.tile(strip.row(under).slots[bit]));
    let (a, e) = (s.load(&upper.amount), s.load(&upper.energy));
    let b = s.load(&lower.amount);
    let Some((amount, energy)) = rule.fall(s, (a, e), (b, &lower.energy), open) else {
        return;
    };
    // A tile may be empty and still have a slot.
    let lower = strip.change(y - 1, under, bit);
    s.store(&mut lower.amount, s.add(b, amount));
    let f = s.load(&lower.energy);
    s.store(&mut lower.energy, s.add(f, energy));
    let left = s.sub(a, amount);
    let upper = strip.change(y, index, bit);
    s.store(&mut upper.amount, left);
    s.store(&mut upper.energy, s.sub(e, energy));
    if !s.any(left) {
        strip.leave(index, bit);
    }
}
