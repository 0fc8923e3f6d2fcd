//! Guides that a path leaves for a denoiser where clouds, haze and borders hide surfaces: samples of
//! one pixel must leave the same.

use super::{MOSTLY, Path, Tracing};
use crate::math::{V3, smoothstep};
use crate::print::world::{Kind, Meeting, Surface, World};

/// Transmittance of a cloud below which the surface behind it is no guide for a denoiser.
const THIN: f32 = 0.02;
/// Transmittances of air between which the surface behind it begins to guide a denoiser.
const HAZY: [f32; 2] = [0.05, 0.5];

impl<W: World> Tracing<'_, W> {
    /// Records the guides of the surface `meeting` behind a cloud at whose particle the path is about
    /// to be scattered: neighbours whose light comes past the cloud must have the same guides.
    pub(super) fn guide_behind(&self, path: &mut Path, meeting: Option<&Meeting<W::What>>) {
        if path.guided || path.veil < THIN {
            return;
        }
        let Some(meeting) = meeting else { return };
        let away = path.away + meeting.t;
        let surface = self.world.surface(&path.ray, meeting, away);
        self.guide_at(path, &surface, meeting.t);
        if let Kind::Opaque(material) = surface.kind {
            path.veil *= guided_through(self.world.air(&path.ray, meeting).0);
            path.guide(material.guide(), material.normal, meeting.t);
        }
    }

    /// Records the guides of `surface` if it is the border of a medium behind a cloud: what is seen
    /// through the border differs from sample to sample, and is no guide to the noise of the cloud.
    pub(super) fn guide_at(&self, path: &mut Path, surface: &Surface, t: f32) {
        let is_border = matches!(surface.kind, Kind::Border { .. });
        if is_border && path.seen && path.veil < MOSTLY {
            path.guide(V3::repeat(1.0), surface.shape, t);
        }
    }
}

/// Returns how much (0 to 1) a surface guides a denoiser through air of the transmittance `clear`.
pub(super) fn guided_through(clear: f32) -> f32 {
    smoothstep(HAZY[0], HAZY[1], clear)
}
