//! Interface of the styles: computes the light of a ray from its backdrop and the matter in front
//! of the backdrop.
//!
//! The backdrop (ground, sky, slices) is kept while camera and look stay; lava and other media are
//! added to the kept backdrop in each frame.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::math::V3;
use crate::media::transmittance::Transmittance;
use crate::volume::field::Pace;
use crate::volume::tiles::{Others, Reach};
use lavoxel_base::simd::Simd;

/// Sampling parameters of a ray: jitter, and distances at which there may be matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// Offset of the first sample along the ray, in steps (0 to 1).
    pub(crate) jitter: f32,
    /// Range of distances in cells at which there may be lava.
    pub(crate) reach: Reach,
    /// Ranges of distances in cells at which there may be other media.
    pub(crate) others: Others,
    /// Gas and smoke in front of the backdrop, interpolated from neighbouring rays; `None` to
    /// integrate both along this ray.
    pub(crate) veil: Option<Transmittance>,
}

impl Sight {
    /// Sampling of a medium within `reach`, `step` cells from sample to sample.
    #[inline(always)]
    pub(crate) fn pace(&self, step: f32, reach: Reach) -> Pace {
        Pace {
            step,
            jitter: self.jitter,
            reach,
        }
    }
}

/// Style with the inputs of a frame, which computes the light of rays.
pub(crate) trait Tracer: Sync {
    /// Backdrop of a ray behind the lava and the other media: ground, sky or slice. Reused between
    /// frames.
    type Behind: Copy + Default + Send + Sync;

    /// Returns the backdrop of `ray`, which does not depend on the volume. The search for the
    /// ground begins at the distance `start` (cells); the ground must not be nearer.
    fn behind(&self, ray: &Ray, start: f32) -> Self::Behind;

    /// Returns the slices (cross-sections) that are drawn in the scene.
    fn slices(&self) -> Slices<'_>;

    /// Returns the backdrop of a ray whose first hit is `hit` on a slice.
    fn slice(hit: SliceHit) -> Self::Behind;

    /// Returns the distance in cells from which the backdrop hides all matter; [`f32::MAX`] for the
    /// sky.
    fn far(behind: &Self::Behind) -> f32;

    /// Returns the gas and smoke along `ray` up to the distance `far` (cells), to be interpolated
    /// between rays; `None` if other matter must be traced too.
    fn veil(&self, _ray: &Ray, _far: f32, _sight: Sight) -> Option<Transmittance> {
        None
    }

    /// Returns true if `ray` may meet matter that is not in the screen tiles, such as a sea, sparks
    /// or flames.
    fn reaches_beyond(&self, _ray: &Ray) -> bool {
        false
    }

    /// Returns the linear RGB light along `ray`; `s` selects the SIMD instructions of the sampling.
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Self::Behind, sight: Sight) -> V3;

    /// Returns the opacity (0 to 1) of lava and other media along `ray` in front of the backdrop
    /// `behind`.
    fn opacity(&self, ray: &Ray, behind: &Self::Behind, sight: Sight) -> f32;

    /// Returns the linear RGB light of a ray that meets no matter in front of `behind`; `None` if
    /// this light must be computed by tracing.
    fn bare(&self, behind: &Self::Behind) -> Option<V3>;
}
