//! Interface of the styles: computes the light of a ray from its backdrop and the matter in front
//! of the backdrop.
//!
//! The backdrop (ground, slice or sky behind all lava) is cached while camera and look do not
//! change; lava and other media are added in each frame.

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::math::V3;
use crate::media::transmittance::Transmittance;
use crate::volume::field::Pace;
use crate::volume::tiles::{Others, Reach};
use lavoxel_base::simd::Simd;

/// Sampling parameters of a ray: jitter, and ranges of distances in which the ray may meet matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    /// Offset of the first sample along the ray, as a fraction (0 to 1) of the distance between
    /// samples.
    pub(crate) jitter: f32,
    /// Range of distances in cells at which the ray may meet lava.
    pub(crate) reach: Reach,
    /// Ranges of distances in cells at which the ray may meet media other than lava.
    pub(crate) others: Others,
    /// Gas and smoke in front of the backdrop (ground, slice or sky), interpolated between
    /// neighbouring rays; `None` to integrate both along this ray.
    pub(crate) veil: Option<Transmittance>,
}

impl Sight {
    /// Returns the sampling parameters for a medium that the ray may meet in the range `reach`;
    /// `step`: distance between samples in cells.
    #[inline(always)]
    pub(crate) fn pace(&self, step: f32, reach: Reach) -> Pace {
        Pace {
            step,
            jitter: self.jitter,
            reach,
        }
    }
}

/// A style together with the inputs of a frame, which computes the light of rays.
pub(crate) trait Tracer: Sync {
    /// Backdrop of a ray: ground, slice or sky behind all lava and other media. Reused between
    /// frames.
    type Behind: Copy + Default + Send + Sync;

    /// Returns the backdrop of `ray` (ground or sky behind all lava and other media). The search
    /// for the ground begins at the distance `start` (cells); the ground must not be nearer.
    fn behind(&self, ray: &Ray, start: f32) -> Self::Behind;

    /// Returns the slices (cross-sections) that are drawn in the scene.
    fn slices(&self) -> Slices<'_>;

    /// Returns the backdrop of a ray whose first intersection with slices, ground and sky is the
    /// slice at `hit`.
    fn slice(hit: SliceHit) -> Self::Behind;

    /// Returns the distance in cells beyond which the backdrop `behind` (ground, slice or sky)
    /// hides all matter; `f32::MAX` for the sky.
    fn far(behind: &Self::Behind) -> f32;

    /// Returns the light and transmittance of gas and smoke along `ray` up to the distance `far`
    /// (cells), for interpolation between rays; `None` if the ray may meet matter that cannot be
    /// separated from gas and smoke.
    fn veil(&self, _ray: &Ray, _far: f32, _sight: Sight) -> Option<Transmittance> {
        None
    }

    /// Returns true if `ray` may meet matter that the square tiles of pixels do not record, such as
    /// a sea, sparks or flames.
    fn reaches_beyond(&self, _ray: &Ray) -> bool {
        false
    }

    /// Returns the linear RGB light along `ray`, with all matter in front of `behind` (ground,
    /// slice or sky). `s` selects the SIMD instructions of the sampling.
    fn trace<S: Simd>(&self, s: S, ray: &Ray, behind: &Self::Behind, sight: Sight) -> V3;

    /// Returns the opacity (0 to 1) of lava and other media along `ray` in front of `behind`
    /// (ground, slice or sky).
    fn opacity(&self, ray: &Ray, behind: &Self::Behind, sight: Sight) -> f32;

    /// Returns the linear RGB light of a ray that meets no matter in front of `behind` (ground,
    /// slice or sky); `None` if this light must be computed by tracing.
    fn bare(&self, behind: &Self::Behind) -> Option<V3>;
}
