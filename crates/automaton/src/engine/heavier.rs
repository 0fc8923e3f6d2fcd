//! Amounts of denser matter in the cells of a layer; denser matter reduces the cell volume that is
//! free for the layer.

use crate::world::{Layer, Strip};
use lavoxel_base::grid::tile::ROW;
use lavoxel_base::simd::Simd;
use lavoxel_base::units::AMOUNT_ONE;

/// Source of the amounts of denser matter in the cells of one layer.
pub(super) trait Heavier: Copy {
    /// True if the cells of the layer may contain denser matter.
    const MEETS: bool;

    /// Returns the amount of denser matter in each cell of a tile, in units, at most a full cell.
    /// `index`: row of the tile in its strip; `bit`: tile in the row; `tz`: z index of the strip.
    fn amount<S: Simd>(self, s: S, index: usize, bit: usize, tz: usize) -> S::V;
}

/// Source without denser matter, for strips with none in or next to them. `MEETS` is true if strips
/// elsewhere may contain denser matter.
#[derive(Clone, Copy)]
pub(super) struct Nothing<const MEETS: bool>;

impl<const MEETS: bool> Heavier for Nothing<MEETS> {
    const MEETS: bool = MEETS;

    #[inline(always)]
    fn amount<S: Simd>(self, s: S, _index: usize, _bit: usize, _tz: usize) -> S::V {
        s.splat(0)
    }
}

/// Source that reads the amounts from the denser layers of a world.
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
    /// Returns true if the strip with z index `tz` or a neighbouring strip contains denser matter.
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

/// Returns the amounts, in units, in the 32 cells of the tile at bit `bit` of the row of tiles
/// `index`; 0 everywhere if the tile is not stored.
#[inline(always)]
fn amounts(strip: &Strip, index: usize, bit: usize) -> &lavoxel_base::grid::tile::Lanes {
    strip.tile(strip.row(index).slots[bit % ROW]).amount()
}
