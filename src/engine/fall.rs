//! Gravity, tile by tile.
//!
//! Which tiles are looked at: those that hold liquid and that, or whose lower neighbour, changed since gravity last
//! looked. What falls from a tile follows from the tile, the one below it, the ground and the rules alone, and a tile
//! that gives anything has changed. So a tile that is left out gave nothing when it was last looked at, and would give
//! nothing now. Other rules and another ground wake all tiles ([`Liquid::wake_under`](crate::world::Liquid)).

use crate::rules::Rules;
use crate::simd::{Simd, Work};
use crate::units::{AMOUNT_ONE, ENERGY_MAX};
use crate::world::{Ground, Lanes, Masks, ROW, Rows, Strip};

/// Gravity in strips that lie side by side.
pub(super) struct Falls<'a> {
    /// Number of the first.
    pub(super) first: usize,
    pub(super) strips: &'a mut [Strip],
    pub(super) ground: &'a Ground,
    pub(super) rules: &'a Rules,
    /// Scratch: the tiles of the row below that changed before.
    pub(super) before: &'a mut Vec<u64>,
}

impl Work for Falls<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let rule = Rule::new(s, self.rules);
        for (i, strip) in self.strips.iter_mut().enumerate() {
            if !strip.falling.is_empty() {
                strip_falls(s, &rule, strip, self.first + i, self.ground, self.before);
            }
        }
    }
}

/// The rule's numbers as lanes.
struct Rule<S: Simd> {
    one: S::V,
    zero: S::V,
    /// Share that falls, when it is not all.
    factor: Option<S::V>,
    beta: Share<S>,
}

/// A share in fixed point: whole parts, and 16 digits after the point.
pub(super) struct Share<S: Simd> {
    whole: u32,
    rest: S::V,
}

impl<S: Simd> Share<S> {
    #[inline(always)]
    pub(super) fn new(s: S, share: u32) -> Self {
        Self { whole: share >> 16, rest: s.splat(share as u16) }
    }

    /// `v · share`, rounded down and at most 65535.
    #[inline(always)]
    pub(super) fn of(&self, s: S, v: S::V) -> S::V {
        let mut product = s.mul_high(v, self.rest);
        for _ in 0..self.whole {
            product = s.add_saturating(product, v);
        }
        product
    }
}

impl<S: Simd> Rule<S> {
    #[inline(always)]
    fn new(s: S, rules: &Rules) -> Self {
        Self {
            one: s.splat(AMOUNT_ONE),
            zero: s.splat(0),
            factor: if rules.factor < 1 << 16 { Some(s.splat(rules.factor as u16)) } else { None },
            beta: Share::new(s, rules.beta),
        }
    }

    /// What falls from cells with amount `a` and energy `e` into cells with `b` and `f`, where `mask` allows it: as
    /// [`crate::rules::gravity::fall`].
    #[inline(always)]
    fn parcel(&self, s: S, (a, e): (S::V, S::V), b: S::V, f: &Lanes, mask: u32) -> Option<(S::V, S::V)> {
        let wanted = match self.factor {
            None => a,
            Some(factor) => {
                let broken = s.above(s.mul_low(a, factor), self.zero);
                s.add(s.mul_high(a, factor), s.keep(s.splat(1), broken))
            }
        };
        let amount = s.keep(s.min(wanted, s.sub(self.one, b)), mask);
        if !s.any(amount) {
            return None;
        }
        let room = s.sub(s.splat(ENERGY_MAX), s.load(f));
        let moved = s.above(amount, self.zero);
        let part = s.above(a, amount) & moved;
        let whole = moved & !part;
        let all = s.keep(s.min(e, room), whole);
        // The energy that finds no room keeps one unit of amount; where that was all, nothing falls.
        let held = s.above(e, room) & whole;
        let amount = s.sub(amount, s.keep(s.splat(1), held));
        let mut energy = s.keep(all, s.above(amount, self.zero));
        if part != 0 {
            let ratio = s.ratio(a, self.beta.of(s, e));
            let (high, low) = (s.mul_high(amount, ratio), s.mul_low(amount, ratio));
            let over = s.keep(s.splat(u16::MAX), s.above(high, s.splat((1 << 14) - 1)));
            let carried = s.or(over, s.or(s.left::<2>(high), s.right::<14>(low)));
            energy = s.or(energy, s.keep(s.min(s.min(carried, e), room), part));
        }
        Some((amount, energy))
    }
}

/// Gravity in one strip, rows from the bottom up.
#[inline(always)]
fn strip_falls<S: Simd>(s: S, rule: &Rule<S>, strip: &mut Strip, tz: usize, ground: &Ground, before: &mut Vec<u64>) {
    let (ny, width) = (ground.grid().ny, strip.width);
    before.clear();
    before.resize(width, 0);
    let rows = std::mem::replace(&mut strip.falling, Rows::NONE).range();
    let mut y = rows.start;
    // Above the rows that changed before, only those are looked at whose lower neighbours change now.
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
                tile_falls(s, rule, strip, (index, bit), [w * ROW + bit, y, tz], ground);
            }
        }
        y += 1;
    }
}

/// Gravity in one tile, which lies at `at` (x, y, z), counted in tiles; its place is the number of its row and its bit there.
#[inline(always)]
fn tile_falls<S: Simd>(
    s: S,
    rule: &Rule<S>,
    strip: &mut Strip,
    (index, bit): (usize, usize),
    [tx, y, tz]: [usize; 3],
    ground: &Ground,
) {
    let slot = strip.row(index).slots[bit];
    if strip.masks(slot).stamp != ground.stamp() {
        *strip.masks_mut(slot) = Masks::new(ground, tx, y, tz);
    }
    if y == 0 {
        return;
    }
    let open = !strip.masks(slot).bed;
    let under = index - strip.width;
    let (upper, lower) = (strip.tile(slot), strip.tile(strip.row(under).slots[bit]));
    let a = s.load(&upper.amount);
    let b = s.load(&lower.amount);
    let e = s.load(&upper.energy);
    let Some((amount, energy)) = rule.parcel(s, (a, e), b, &lower.energy, open) else {
        return;
    };
    // Even where it has a slot, it may have been empty.
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
