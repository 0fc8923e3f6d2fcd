//! How one ray becomes light: what is behind the volume, which is kept while camera and look stay, and what lava and other
//! media before it add.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::math::V3;
use crate::media::veils::Veil;
use crate::volume::tiles::{Others, Reach};
use lavoxel_base::simd::Simd;

/// How the volume is sampled along one ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// Shift of the first sample, 0..1 steps.
    pub(crate) jitter: f32,
    /// Where there may be lava.
    pub(crate) reach: Reach,
    /// Where there may be other media.
    pub(crate) others: Others,
    /// Veil of smoke over rays around it, where that is known.
    pub(crate) veil: Option<Veil>,
}

/// A style, ready to trace the rays of one frame.
pub(crate) trait Tracer: Sync {
    /// Backdrop of a ray that meets no matter.
    type Behind: Copy + Default + Send + Sync;

    /// Backdrop of the ray; the volume has no part in it. Before `start` there is no ground.
    fn behind(&self, ray: &Ray, start: f32) -> Self::Behind;

    /// The slices that stand in the scene.
    fn slices(&self) -> Slices<'_>;

    /// Backdrop of a ray that meets a slice first.
    fn slice(hit: SliceHit) -> Self::Behind;

    /// The distance up to which matter may be seen before it.
    fn far(behind: &Self::Behind) -> f32;

    /// Veil of smoke over a ray before `far`; `None` where there is more than smoke.
    fn veil(&self, _ray: &Ray, _far: f32, _sight: Sight) -> Option<Veil> {
        None
    }

    /// Whether a ray may meet matter outside of the places where that of the box is.
    fn reaches_beyond(&self, _ray: &Ray) -> bool {
        false
    }

    /// Linear light along a ray; sampling uses the instructions `s`.
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Self::Behind, sight: Sight) -> V3;

    /// How much lava and other media hide of what is behind them, 0 to 1.
    fn opacity(&self, ray: &Ray, behind: &Self::Behind, sight: Sight) -> f32;

    /// Light of any ray that meets no matter, where it is known without tracing.
    fn bare(&self, behind: &Self::Behind) -> Option<V3>;
}
