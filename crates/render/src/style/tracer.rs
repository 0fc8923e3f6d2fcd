//! Interface of the styles: a ray's light from its backdrop and the matter before the backdrop.
//!
//! The backdrop (ground, sky, slices) is kept while camera and look stay; lava and other media are
//! added to the kept backdrop in each frame.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::math::V3;
use crate::media::veils::Veil;
use crate::volume::tiles::{Others, Reach};
use lavoxel_base::simd::Simd;

/// Sampling of the volume along one ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// Offset of the first sample, 0 to 1 steps.
    pub(crate) jitter: f32,
    /// Distances at which there may be lava.
    pub(crate) reach: Reach,
    /// Distances at which there may be other media.
    pub(crate) others: Others,
    /// Veil of smoke interpolated from neighbouring rays; `None` if unknown.
    pub(crate) veil: Option<Veil>,
}

/// Style that is ready to trace the rays of one frame.
pub(crate) trait Tracer: Sync {
    /// Backdrop of a ray, behind the lava and the other media.
    type Behind: Copy + Default + Send + Sync;

    /// Returns the backdrop of `ray`, which does not depend on the volume. There is no ground
    /// nearer than `start` cells.
    fn behind(&self, ray: &Ray, start: f32) -> Self::Behind;

    /// Returns the slices that stand in the scene.
    fn slices(&self) -> Slices<'_>;

    /// Returns the backdrop of a ray that meets a slice first.
    fn slice(hit: SliceHit) -> Self::Behind;

    /// Distance in cells up to which matter may be seen before the backdrop.
    fn far(behind: &Self::Behind) -> f32;

    /// Veil of smoke over `ray` before distance `far`; `None` where there is more than smoke.
    fn veil(&self, _ray: &Ray, _far: f32, _sight: Sight) -> Option<Veil> {
        None
    }

    /// Returns true if `ray` may meet matter outside of the places where the box has matter.
    fn reaches_beyond(&self, _ray: &Ray) -> bool {
        false
    }

    /// Linear RGB light along `ray`; `s` selects the SIMD instructions of the sampling.
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Self::Behind, sight: Sight) -> V3;

    /// Opacity of lava and other media before the backdrop, 0 to 1.
    fn opacity(&self, ray: &Ray, behind: &Self::Behind, sight: Sight) -> f32;

    /// Light of a ray that meets no matter; `None` where tracing is needed to find that light.
    fn bare(&self, behind: &Self::Behind) -> Option<V3>;
}
