//! Drag of lighter matter on grains.

use super::strip::State;
use crate::engine::heavier::{Heavier, Layers};
use crate::world::Layer;
use lavoxel_base::grid::tile::{ROW, TilePlace};
use lavoxel_base::random::StepKey;
use lavoxel_base::simd::Simd;

/// Lighter matter of a strip and its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Thick<'a> {
    /// Presence flag: set if any matter can exert drag on a grain.
    pub(super) is_any: bool,
    pub(super) fluids: &'a [Layer],
    pub(super) tz: usize,
    pub(super) key: StepKey,
    pub(super) share: u16,
    /// Maximum amount in a cell that exerts no drag, in units.
    pub(super) thin: u16,
}

impl Thick<'_> {
    /// Returns the mask of cells of a tile whose grains are held up by lighter matter in this step.
    #[inline(always)]
    pub(super) fn held_up(&self, tile: TilePlace) -> u32 {
        self.key.chosen(tile, self.share)
    }

    /// Returns the mask of cells with lighter matter of the tile at (`tx`, `y`); `dz` (−1, 0, 1)
    /// selects the strip, and `state` contains its words.
    #[inline(always)]
    pub(super) fn cells<S: Simd>(
        &self,
        s: S,
        state: &State,
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
