//! The heavier matter around a layer, which takes room from it.

use crate::world::{Layer, Strip};
use lavoxel_base::grid::tile::ROW;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::AMOUNT_ONE;

/// Matter that is heavier than the layer that a rule moves.
pub(super) trait Heavier: Copy {
    /// Whether the layer may meet any.
    const MEETS: bool;

    /// Its amount in the cells of a tile, at most 1: the tile's row in its strip, its bit there, and the strip.
    fn amount<S: Simd>(self, s: S, index: usize, bit: usize, tz: usize) -> S::V;
}

/// Nothing: near a strip, of a layer that may `MEET` some elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Nothing<const MEETS: bool>;

impl<const MEETS: bool> Heavier for Nothing<MEETS> {
    const MEETS: bool = MEETS;

    #[inline(always)]
    fn amount<S: Simd>(self, s: S, _index: usize, _bit: usize, _tz: usize) -> S::V {
        s.splat(0)
    }
}

/// Layers of a world.
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
    /// Whether a strip or one of its neighbours has any of it.
    pub(super) fn is_near(self, tz: usize) -> bool {
        let near = |strip: &Strip| strip.tiles() > 0;
        self.0.iter().any(|layer| layer.strips[tz.saturating_sub(1)..].iter().take(3).any(near))
    }
}

/// The amounts of a tile that may not be there.
#[inline(always)]
fn amounts(strip: &Strip, index: usize, bit: usize) -> &lavoxel_base::grid::tile::Lanes {
    strip.tile(strip.row(index).slots[bit % ROW]).amount()
}
