//! Conversions between amounts and bit words, before and after the motion of grains.

use super::Surroundings;
use super::strip::{Lighter, StripPlan, StripWords};
use crate::engine::heavier::{Heavier, Layers};
use crate::rules::Walls;
use crate::world::{Barriers, Ground, Reads, Strip, Words};
use lavoxel_base::grid::tile::{ROW, bits};
use lavoxel_base::simd::{Simd, Work};
use lavoxel_base::units::AMOUNT_ONE;

/// SIMD kernel that makes the bit words of a strip (one bit per cell: 1 for a grain) from the
/// amounts, and marks the tiles that changed since the last step.
pub(super) struct Prepare<'a> {
    pub(super) tz: usize,
    pub(super) strip: &'a mut Strip,
    pub(super) state: &'a mut StripWords,
    pub(super) ground: &'a Ground,
    pub(super) walls: Walls,
    pub(super) around: Surroundings<'a>,
    pub(super) reads: Reads,
}

impl Work for Prepare<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self {
            tz,
            strip,
            state,
            ground,
            walls,
            around,
            reads,
        } = self;
        state.held = match strip.grains.held.take() {
            Some(held) => *held,
            None => strip.grains(ground.grid()),
        };
        if state.moved.len() != state.held.len() {
            state.moved = Words::filled(ground.grid(), 0);
        }
        // Barriers kept from the last step are updated only where neighbouring matter changed.
        let bars = Bars { s, around, tz };
        match strip.grains.barriers.take() {
            Some(barriers) => {
                state.barriers = *barriers;
                for y in strip.flowing.range() {
                    for w in 0..strip.width {
                        for bit in bits(strip.row(strip.index(y, w)).flowing) {
                            bars.update(&mut state.barriers, strip, (y, w, bit));
                        }
                    }
                }
            }
            None => {
                state.barriers = Barriers::new(ground, tz, walls);
                for (y, tx) in
                    (0..ground.grid().ny).flat_map(|y| (0..strip.count).map(move |tx| (y, tx)))
                {
                    bars.update(&mut state.barriers, strip, (y, tx / ROW, tx % ROW));
                }
            }
        }
        for y in strip.falling.range() {
            for w in 0..strip.width {
                let falling = strip.row(strip.index(y, w)).falling;
                if falling != 0 {
                    state.changed.add(y, w, falling);
                }
            }
        }
        strip.record_falling(reads);
        strip.sleep();
    }
}

/// Inputs for finding the cells of a strip that grains cannot enter: solid cells, and cells with at
/// least a threshold amount of heavier or denser matter.
struct Bars<'a, S> {
    s: S,
    around: Surroundings<'a>,
    tz: usize,
}

impl<S: Simd> Bars<'_, S> {
    /// Recomputes in `barriers` the bit mask of the blocked cells of the tile at height `y`, bit
    /// `bit` of the row of tiles `w` (64 tiles along x each).
    #[inline(always)]
    fn update(&self, barriers: &mut Barriers, strip: &Strip, (y, w, bit): (usize, usize, usize)) {
        let (s, index) = (self.s, strip.index(y, w));
        let at = barriers.solid.at(w * ROW + bit, y);
        let mut barred = barriers.solid[at];
        if !self.around.heavier.is_empty() {
            let amount = Layers(self.around.heavier).amount(s, index, bit, self.tz);
            barred |= s.above(amount, s.splat(self.around.bars[0] - 1));
        }
        if !self.around.denser.is_empty() {
            let amount = Layers(self.around.denser).amount(s, index, bit, self.tz);
            barred |= s.above(amount, s.splat(self.around.bars[1] - 1));
        }
        barriers.barred[at] = barred;
    }
}

/// SIMD kernel that writes the changed bit words of a strip (one bit per cell: 1 for a grain) back
/// as amounts, and marks the tiles to process in the next step.
pub(super) struct Finish<'a> {
    pub(super) strip: &'a mut Strip,
    pub(super) state: &'a mut StripWords,
    pub(super) plan: &'a StripPlan,
}

impl Work for Finish<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { strip, state, plan } = self;
        let StripWords {
            held,
            moved,
            touched,
            barriers,
            ..
        } = state;
        for y in touched.rows.range() {
            for w in 0..touched.width() {
                let (tiles, first) = (touched.word(y, w), held.at(w * ROW, y));
                bits(tiles).for_each(|bit| moved[first + bit] = 0);
                write(s, strip, (y, w, tiles), &held[first..]);
            }
        }
        // Only the layer's own grains changed, and those are not among the barriers, so that the
        // barriers remain valid.
        strip.spread_read();
        strip.work = touched.count();
        for y in plan.waiting.rows.range() {
            for w in 0..plan.waiting.width() {
                strip.wait(y, w, plan.waiting.word(y, w));
            }
        }
        strip.grains.held = Some(Box::new(std::mem::take(held)));
        strip.grains.barriers = Some(Box::new(std::mem::take(barriers)));
    }
}

/// SIMD kernel that writes the changed bit words of a layer of lighter grains, which heavier grains
/// displaced, back as amounts of one strip.
pub(super) struct FinishLighter<'a> {
    pub(super) strip: &'a mut Strip,
    pub(super) lighter: &'a mut Lighter,
}

impl Work for FinishLighter<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self {
            strip,
            lighter: Lighter { held, touched },
        } = self;
        for y in touched.rows.range() {
            for w in 0..touched.width() {
                write(
                    s,
                    strip,
                    (y, w, touched.word(y, w)),
                    &held[held.at(w * ROW, y)..],
                );
            }
        }
        strip.grains.held = Some(Box::new(std::mem::take(held)));
    }
}

/// Writes the grains of the tiles in the bit set `tiles` to the layer of `strip` as amounts; bit i
/// is the tile with x index 64 `w` + i at height `y`. `grains`: bit words of the tiles from x index
/// 64 `w` on.
#[inline(always)]
fn write<S: Simd>(s: S, strip: &mut Strip, (y, w, tiles): (usize, usize, u64), grains: &[u32]) {
    let (index, one) = (strip.index(y, w), s.splat(AMOUNT_ONE));
    for bit in bits(tiles) {
        let grains = grains[bit];
        if grains != 0 {
            s.store(strip.grain_tile(index, bit), s.keep(one, grains));
        } else if strip.row(index).held >> bit & 1 == 1 {
            s.store(strip.grain_tile(index, bit), s.splat(0));
            strip.leave(index, bit);
        }
    }
    strip.changed(y, index, tiles);
}

/// Returns true if the motion of grains must process any tile of the strip.
pub(super) fn is_awake(strip: &Strip) -> bool {
    !strip.falling.is_empty() || !strip.flowing.is_empty()
}
