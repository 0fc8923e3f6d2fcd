//! Heavier matter around a layer, which reduces the free volume of that layer.

use crate::world::{Layer, Strip};
use lavoxel_base::grid::tile::ROW;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::AMOUNT_ONE;

/// Source of heavier-matter amounts for the layer that a rule moves.
pub(super) trait Heavier: Copy {
    /// Set if the layer may meet heavier matter.
    const MEETS: bool;

    /// Returns the amount of heavier matter in the cells of a tile, in units, clamped to 1 cell.
    /// `index`: row of the tile in its strip; `bit`: tile within the row; `tz`: strip.
    fn amount<S: Simd>(self, s: S, index: usize, bit: usize, tz: usize) -> S::V;
}

/// Absence of heavier matter near a strip; `MEETS` is set if the layer may meet some elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Nothing<const MEETS: bool>;

impl<const MEETS: bool> Heavier for Nothing<MEETS> {
    const MEETS: bool = MEETS;

    #[inline(always)]
    fn amount<S: Simd>(self, s: S, _index: usize, _bit: usize, _tz: usize) -> S::V {
        s.splat(0)
    }
}

/// Heavier layers of a world, as a source of amounts.
#[derive(Clone, Copy)]
pub(super) struct Layers<'a>(pub(super) &'a [Layer]);

impl Heavier for Layers<'_> {
    const MEETS: bool = true;

    #[inline(always)]
    fn amount<S: Simd>(self, s: S, index: usize, bit: usize, tz: usize) -> S::V {
        let mut sum = s.splat(0);
        for layer in self.0 {
            if let Some(strip) = layer.strips.get(tz) {
                sum = s.add_saturating(sum, s.load(amounts(strip, index, bit)));
            }
        }
        s.min(sum, s.splat(AMOUNT_ONE))
    }
}

impl Layers<'_> {
    /// Returns true if the strip at `tz` or a neighbouring strip contains heavier matter.
    pub(super) fn is_near(self, tz: usize) -> bool {
        let near = |strip: &Strip| strip.tiles() > 0;
        self.0.iter().any(|layer| {
            layer.strips[tz.saturating_sub(1)..]
                .iter()
                .take(3)
                .any(near)
        })
    }
}

/// Returns the amounts of a tile, zeros if the tile has no slot.
#[inline(always)]
fn amounts(strip: &Strip, index: usize, bit: usize) -> &lavoxel_base::grid::tile::Lanes {
    strip.tile(strip.row(index).slots[bit % ROW]).amount()
}
