//! Fall of grains by one cell in the columns of a strip, from the bottom up.

use super::strip::{StripPlan, StripWords};
use super::thick::Thick;
use lavoxel_base::grid::tile::{ROW, bits};
use lavoxel_base::random::StepKey;
use lavoxel_base::simd::{Simd, Work};

/// SIMD kernel that moves the falling grains of one strip one cell down, from the bottom up.
pub(super) struct Fall<'a> {
    pub(super) state: &'a mut StripWords,
    pub(super) plan: &'a mut StripPlan,
    pub(super) thick: Thick<'a>,
    /// Air drag in this step: hash key of the random numbers, and probability in 1/256 with which a
    /// grain stays suspended.
    pub(super) hangs: (StepKey, u16),
}

impl Work for Fall<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self {
            state,
            plan,
            thick,
            hangs,
        } = self;
        let (width, height) = (plan.look.width(), plan.look.height());
        let rows = plan.look.rows.range();
        let mut y = rows.start.max(1);
        // Above the marked tiles, only tiles that lie on tiles changed by this fall are processed.
        while y < height && (y < rows.end || state.changed.rows.range().end == y) {
            for w in 0..width {
                // A changed tile that is full of grains again lets nothing fall, and costs only
                // this test.
                let tiles = plan.look.word(y, w) | state.changed.word(y - 1, w);
                if tiles != 0 {
                    let fell = row(s, state, plan, (&thick, hangs), (y, w, tiles));
                    state.touch(y - 1, w, fell);
                    state.touch(y, w, fell);
                }
            }
            y += 1;
        }
    }
}

/// Moves the falling grains of the tiles in the bit set `tiles` one cell down; bit i is the tile
/// with x index 64 `w` + i at height `y`. Returns the bit set of the tiles that lost grains.
/// `thick`: lighter matter that can hold up grains; `hangs`: hash key and probability (in 1/256)
/// with which the air keeps a grain suspended.
#[inline(always)]
fn row<S: Simd>(
    s: S,
    state: &mut StripWords,
    plan: &mut StripPlan,
    (thick, hangs): (&Thick<'_>, (StepKey, u16)),
    (y, w, tiles): (usize, usize, u64),
) -> u64 {
    let first = state.held.at(w * ROW, y);
    let mut fell = 0;
    for bit in bits(tiles) {
        let (at, below) = (first + bit, first + bit - state.held.pitch);
        // Each test only removes cells, so that the more expensive ones run last and on few cells.
        let mut falls = state.held[at] & !state.moved[at] & state.free(below);
        if hangs.1 > 0 && falls != 0 {
            let (key, share) = hangs;
            let hang = falls & key.chosen([w * ROW + bit, y, thick.tz], share);
            if hang != 0 {
                plan.waiting.insert(w * ROW + bit, y);
                falls &= !hang;
            }
        }
        if thick.is_any && falls != 0 {
            falls &= !stays(s, state, plan, thick, (w * ROW + bit, y, falls));
        }
        if falls == 0 {
            continue;
        }
        fell |= 1 << bit;
        state.held[at] &= !falls;
        state.held[below] |= falls;
        state.moved[below] |= falls;
        if !state.lighter.is_empty() {
            displace(state, (w * ROW + bit, y), falls);
        }
    }
    fell
}

/// Returns the bit mask of those grains in `falls` that the drag of lighter matter holds up in this
/// step. `tx`, `y`: index of the grains' tile.
#[inline(always)]
fn stays<S: Simd>(
    s: S,
    state: &StripWords,
    plan: &mut StripPlan,
    thick: &Thick<'_>,
    (tx, y, falls): (usize, usize, u32),
) -> u32 {
    let held_up = falls & thick.held_up([tx, y, thick.tz]);
    let stays = if held_up == 0 {
        0
    } else {
        held_up & thick.cells(s, state, 0, (tx, y - 1))
    };
    if stays != 0 {
        plan.waiting.insert(tx, y);
    }
    stays
}

/// Moves the lighter grains that the falling grains `falls` (bit mask of cells of the tile at
/// (`tx`, `y`)) displaced up into the cells that these grains left.
fn displace(state: &mut StripWords, (tx, y): (usize, usize), falls: u32) {
    let at = state.held.at(tx, y);
    let below = at - state.held.pitch;
    for layer in &mut state.lighter {
        let climbs = falls & layer.held[below];
        if climbs != 0 {
            layer.held[below] &= !climbs;
            layer.held[at] |= climbs;
            layer.touched.insert(tx, y - 1);
            layer.touched.insert(tx, y);
        }
    }
}
