//! Relief of the ground as a shape: the stones that the cinematic style draws as normals only stand
//! out here, shade each other and make outlines.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::ground::heightfield::{Heightfield, ShownPart};
use crate::ground::land::pattern;
use crate::math::{V3, saturate, v3};
use crate::media::billows::billow;
use crate::style::cinematic::{ACROSS, STONES, STONES_SIZES, STONES_TILT, over};
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::Portable;

/// Largest number of nodes of the relief along a side, and per cell.
pub(crate) const NODES: usize = 2048;
pub(crate) const FINEST: usize = 16;
/// Height of the stones relative to that which their normals in the cinematic style stand for.
const STANDS: f32 = 2.2;
/// Density of lava over the ground, relative to `LookSpec::film`, at which no stone is left.
const FILLED: f32 = 0.5;

/// Ground with stones.
pub(crate) struct Relief {
    pub(crate) block: Heightfield,
    pub(crate) part: ShownPart,
}

impl Relief {
    /// Computes the ground of `context` with stones; `None` for smooth stone, and for ground with
    /// caves or walls, which is drawn as it is. Leaves stones out once `stop` is set.
    pub(crate) fn new(context: &ShadeContext, stop: &AtomicBool) -> Option<Self> {
        let (land, part) = (context.land, context.part);
        let old = &land.block;
        let is_shown = (0..3).all(|axis| part.low[axis] < part.high[axis]);
        if land.is_stone() || !old.caves.is_empty() || !is_shown {
            return None;
        }
        let cells = (old.width() as usize, old.depth() as usize);
        let finer = (NODES / cells.0.max(cells.1)).clamp(1, FINEST);
        if finer as f32 <= old.heights.per_cell {
            return None;
        }
        let heights = crate::ground::raster::Raster::nodes(cells, finer, |x, z| {
            let h = old.heights.at(x, z);
            if stop.load(Ordering::Relaxed) {
                return h;
            }
            let p = v3(x, h, z);
            let filled = saturate(over(context, p) / (FILLED * context.look.film));
            h + (1.0 - filled) * stones(context, p)
        });
        let mut block = Heightfield::new(heights, old.foot);
        block.tall = old.tall;
        let ratio = finer as f32 / old.heights.per_cell;
        let (was, whole) = (old.whole(), block.whole());
        let mut part = part;
        for axis in 0..3 {
            let scale = if axis == 1 { 1.0 } else { ratio };
            let is_whole = part.high[axis] >= was.high[axis];
            part.low[axis] *= scale;
            part.high[axis] = if is_whole {
                whole.high[axis]
            } else {
                part.high[axis] * scale
            };
        }
        Some(Self { block, part })
    }
}

/// Returns the height of the stones on the ground at the point `p` (cells), in cells.
fn stones(context: &ShadeContext, p: V3) -> f32 {
    let [east, up, south] = ACROSS;
    let land = context.land;
    let place = pattern(p, land.unit, land.block.tall);
    let place = east * place.x + up * place.y + south * place.z;
    let stone = |[finer, share]: [f32; 2]| {
        let count = STONES * finer;
        billow(Portable, place * count).0 * share / count
    };
    let tall: f32 = STONES_SIZES.into_iter().map(stone).sum();
    tall * (STANDS * STONES_TILT * land.unit.min(1.0) / land.block.tall)
}
