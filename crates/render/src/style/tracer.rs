//! Interface of the styles: computes the light of one ray from its backdrop and the matter in front
//! of the backdrop.
//!
//! The backdrop (ground, sky, slices) is kept while camera and look stay; lava and other media are
//! added to the kept backdrop in each frame.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::math::V3;
use crate::media::veils::Veil;
use crate::volume::tiles::{Others, Reach};
use lavoxel_base::simd::Simd;

/// Sampling parameters of one ray: jitter, and intervals of distance that may contain matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// Offset of the first sample in steps, 0 to 1.
    pub(crate) jitter: f32,
    /// Interval of distances in cells at which there may be lava.
    pub(crate) reach: Reach,
    /// Intervals of distances in cells at which there may be other media.
    pub(crate) others: Others,
    /// Smoke in front of the backdrop, interpolated from neighbouring rays; `None` if the smoke is
    /// to be traced.
    pub(crate) veil: Option<Veil>,
}

/// Style with the inputs of one frame; traces rays.
pub(crate) trait Tracer: Sync {
    /// Cached hit of a ray behind the lava and the other media: ground, sky or slice.
    type Behind: Copy + Default + Send + Sync;

    /// Returns the backdrop of `ray`, which does not depend on the volume. The search for ground
    /// begins at distance `start` (cells); nothing may be nearer.
    fn behind(&self, ray: &Ray, start: f32) -> Self::Behind;

    /// Returns the slices (cross-sections) that are drawn in the scene.
    fn slices(&self) -> Slices<'_>;

    /// Returns the backdrop of a ray whose first hit is the slice hit `hit`.
    fn slice(hit: SliceHit) -> Self::Behind;

    /// Returns the distance in cells at which the backdrop hides all matter behind; [`f32::MAX`]
    /// for sky.
    fn far(behind: &Self::Behind) -> f32;

    /// Returns the smoke along `ray` up to distance `far` (cells) for interpolation between rays;
    /// `None` if other matter must be traced as well.
    fn veil(&self, _ray: &Ray, _far: f32, _sight: Sight) -> Option<Veil> {
        None
    }

    /// Returns true if `ray` may meet matter that screen tiles do not include, such as sea, sparks
    /// or flames.
    fn reaches_beyond(&self, _ray: &Ray) -> bool {
        false
    }

    /// Returns the linear RGB light along `ray`; `s` selects the SIMD instructions of the sampling.
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Self::Behind, sight: Sight) -> V3;

    /// Returns the opacity (0 to 1) of lava and other media in front of the backdrop.
    fn opacity(&self, ray: &Ray, behind: &Self::Behind, sight: Sight) -> f32;

    /// Returns the linear RGB light of a ray that meets no matter; `None` if this light must be
    /// traced.
    fn bare(&self, behind: &Self::Behind) -> Option<V3>;
}
