//! Lighter matter, which drags at grains.

use super::strip::State;
use crate::engine::heavier::{Heavier, Layers};
use crate::world::Layer;
use lavoxel_base::grid::tile::{ROW, TilePlace};
use lavoxel_base::random::StepKey;
use lavoxel_base::simd::Simd;

/// Lighter matter of a strip and of its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Thick<'a> {
    /// Set if any matter can drag at a grain.
    pub(super) is_any: bool,
    pub(super) fluids: &'a [Layer],
    pub(super) tz: usize,
    pub(super) key: StepKey,
    pub(super) share: u16,
    /// Largest amount in a cell that does not drag, in units.
    pub(super) thin: u16,
}

impl Thick<'_> {
    /// Returns bits of the cells of a tile whose grains stay in lighter matter in this step.
    #[inline(always)]
    pub(super) fn held_up(&self, tile: TilePlace) -> u32 {
        self.key.chosen(tile, self.share)
    }

    /// Returns bits of the cells of the tile at (`tx`, `y`) that hold lighter matter; `dz` selects
    /// the strip, and `state` has its words.
    #[inline(always)]
    pub(super) fn cells<S: Simd>(&self, s: S, state: &State, dz: isize, (tx, y): (usize, usize)) -> u32 {
        let grains = state.lighter(state.held.at(tx, y));
        let Some(tz) = self.tz.checked_add_signed(dz.signum()) else { return grains };
        let Some(strip) = self.fluids.first().and_then(|layer| layer.strips.get(tz)) else { return grains };
        if tx >= strip.count {
            return grains;
        }
        let amount = Layers(self.fluids).amount(s, strip.index(y, tx / ROW), tx % ROW, tz);
        grains | s.above(amount, s.splat(self.thin))
    }
}
