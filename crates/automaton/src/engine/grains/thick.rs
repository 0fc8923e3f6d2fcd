//! Drag of lighter matter on grains, which can keep a grain at its place for a step.

use super::strip::StripWords;
use crate::engine::heavier::{Heavier, Layers};
use crate::world::Layer;
use lavoxel_base::grid::tile::{ROW, TilePlace};
use lavoxel_base::random::StepKey;
use lavoxel_base::simd::Simd;

/// Lighter matter in a strip and its neighbours that exerts drag on grains.
#[derive(Clone, Copy)]
pub(super) struct Thick<'a> {
    /// True if lighter matter can exert drag on grains in this step.
    pub(super) is_any: bool,
    pub(super) fluids: &'a [Layer],
    pub(super) tz: usize,
    pub(super) key: StepKey,
    pub(super) share: u16,
    /// Largest amount of lighter matter in a cell that exerts no drag, in units.
    pub(super) thin: u16,
}

impl Thick<'_> {
    /// Returns the bit mask of the cells of `tile` in which lighter matter may hold up a grain in
    /// this step, as decided by random numbers.
    #[inline(always)]
    pub(super) fn held_up(&self, tile: TilePlace) -> u32 {
        self.key.chosen(tile, self.share)
    }

    /// Returns the bit mask of the cells of the tile at (`tx`, `y`) that contain enough lighter
    /// matter to exert drag. `dz` (−1, 0, 1) selects the strip to the north, the strip itself or
    /// the strip to the south; `state` is the state of that strip.
    #[inline(always)]
    pub(super) fn cells<S: Simd>(
        &self,
        s: S,
        state: &StripWords,
        dz: isize,
        (tx, y): (usize, usize),
    ) -> u32 {
        let grains = state.lighter(state.held.at(tx, y));
        let Some(tz) = self.tz.checked_add_signed(dz.signum()) else {
            return grains;
        };
        let Some(strip) = self.fluids.first().and_then(|layer| layer.strips.get(tz)) else {
            return grains;
        };
        if tx >= strip.count {
            return grains;
        }
        let amount = Layers(self.fluids).amount(s, strip.index(y, tx / ROW), tx % ROW, tz);
        grains | s.above(amount, s.splat(self.thin))
    }
}
