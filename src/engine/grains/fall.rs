//! Grains fall: the columns of a strip, from the bottom up and in place.

use super::strip::{Plan, State};
use super::thick::Thick;
use crate::grid::tile::{ROW, bits};
use crate::simd::{Simd, Work};

/// The fall in a strip.
pub(super) struct Fall<'a> {
    pub(super) state: &'a mut State,
    pub(super) plan: &'a mut Plan,
    pub(super) thick: Thick<'a>,
}

impl Work for Fall<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { state, plan, thick } = self;
        let (width, height) = (plan.look.width(), plan.look.height());
        let rows = plan.look.rows.range();
        let mut y = rows.start.max(1);
        // Above what is looked at, only what lies on tiles that changed in this pass.
        while y < height && (y < rows.end || state.changed.rows.range().end == y) {
            for w in 0..width {
                // Of the tiles that changed, those that are full of grains again let nothing fall.
                let tiles = plan.look.word(y, w) | state.changed.word(y - 1, w);
                for bit in bits(tiles) {
                    tile(s, state, plan, &thick, (w * ROW + bit, y));
                }
            }
            y += 1;
        }
    }
}

/// The grains of a tile.
#[inline(always)]
fn tile<S: Simd>(s: S, state: &mut State, plan: &mut Plan, thick: &Thick<'_>, (tx, y): (usize, usize)) {
    let at = state.held.at(tx, y);
    let below = at - state.held.pitch;
    let mut falls = state.held[at] & state.free(below);
    if falls == 0 {
        return;
    }
    if thick.is_any {
        let stays = falls & thick.held_up([tx, y, thick.tz]);
        if stays != 0 {
            let stays = stays & thick.cells(s, state, 0, (tx, y - 1));
            if stays != 0 {
                plan.waiting.insert(tx, y);
                falls &= !stays;
            }
        }
        if falls == 0 {
            return;
        }
    }
    state.held[at] &= !falls;
    state.held[below] |= falls;
    state.moved[below] |= falls;
    for layer in &mut state.lighter {
        let climbs = falls & layer.held[below];
        if climbs != 0 {
            layer.held[below] &= !climbs;
            layer.held[at] |= climbs;
            layer.touched.insert(tx, y - 1);
            layer.touched.insert(tx, y);
        }
    }
    state.touch(tx, y - 1);
    state.touch(tx, y);
}
