//! Light that a point of a path asks for: next-event sampling of sun, sky, glowing surfaces and
//! flames.

use super::{Path, Tracing};
use crate::camera::Ray;
use crate::math::{V3, luminance, times};
use crate::print::world::{Inside, World};

/// Luminance below which only a share of the questions for a light is asked, and counts for all.
/// Without it half of the rays look for light that no eye sees: lava behind hills, the sun after
/// three bounces.
const FAINT: f32 = 0.005;
/// Transmittance of the border of water for all directions of the sky, relative to that straight on:
/// 0.9335 to 0.98.
const ASLANT: f32 = 0.953;
/// Distance before a piece of glowing surface at which its light is no longer hidden, in cells: the
/// piece is flat, the surface is not.
const NEAR_EMBER: f32 = 0.8;

/// Point at which light is scattered, for next-event sampling.
pub(super) struct Scatterer<'a> {
    pub(super) p: V3,
    pub(super) inside: Inside,
    pub(super) is_surface: bool,
    pub(super) by_metal: bool,
    /// Factor on the light of glowing surfaces.
    pub(super) glow: f32,
    /// Returns the share of light from a direction that goes on along the path, per solid angle,
    /// and the density with which the path itself would draw that direction.
    pub(super) share: &'a dyn Fn(V3) -> (V3, f32),
}

/// Distance from which light is asked for.
#[derive(Clone, Copy, Debug)]
enum Far {
    At(f32),
    Sun,
    /// Sky, for a point in a medium.
    Sky,
    /// Sky, for a point in air.
    SkyInAir,
}

impl Path<'_> {
    /// Returns `light` if it is worth a ray to the lamp from which it comes. Faint light is worth
    /// one in proportion to its luminance, and then counts for all that were not asked.
    fn asked(&mut self, light: V3) -> Option<V3> {
        let chance = luminance(times(self.through, light)) / FAINT;
        if chance >= 1.0 {
            return Some(light);
        }
        (self.draws.free() < chance).then(|| light / chance)
    }
}

impl<W: World> Tracing<'_, W> {
    /// Returns true if the scattering with the number `scattering` (from 1) asks the sky for light.
    pub(super) fn asks_sky(&self, scattering: usize, inside: Inside, is_surface: bool) -> bool {
        // From particles in other media the path finds the sky exactly.
        let is_asked = inside
            .medium()
            .is_none_or(|medium| is_surface || self.world.medium(medium).is_asked);
        is_asked && (self.lights.has_lamps || scattering == 1)
    }

    /// Adds the light of sun, sky and embers that is scattered at `scatterer`.
    pub(super) fn ask(&self, path: &mut Path, scatterer: &Scatterer) {
        let Scatterer {
            p,
            inside,
            is_surface,
            by_metal,
            glow,
            share,
        } = *scatterer;
        let mut light = V3::zeros();
        if let Some(sun) = &self.lights.sun {
            let toward = sun.drawn(path.draws);
            let arrives = times(share(toward).0, sun.light);
            if let Some(arrives) = path.asked(arrives) {
                light += times(arrives, self.open(path, scatterer, toward, Far::Sun));
            }
        }
        if self.asks_sky(path.scatterings + 1, inside, is_surface)
            && let Some(from) = self.lights.dome.drawn(path.draws)
        {
            let (share, density) = share(from.toward);
            // In air the path itself finds the sky, too.
            let (density, far) = match inside.medium() {
                None => (density + from.density, Far::SkyInAir),
                Some(_) => (from.density, Far::Sky),
            };
            let sky = self.sky_on(from.light, by_metal);
            let arrives = times(share, sky) / density.max(1e-12);
            if let Some(arrives) = path.asked(arrives) {
                light += times(arrives, self.open(path, scatterer, from.toward, far));
            }
        }
        if !self.lights.embers.is_empty() {
            let of = |toward: V3| share(toward).0;
            if let Some(from) = self.lights.embers.drawn(p, of, path.draws)
                && let Some(arrives) = path.asked(times(of(from.toward), from.light * glow))
            {
                let near = from.far - NEAR_EMBER.min(0.5 * from.far);
                light += times(
                    arrives,
                    self.open(path, scatterer, from.toward, Far::At(near)),
                );
            }
        }
        if let Some(lamp) = &self.lights.flame {
            let from = lamp.drawn(p, path.draws);
            if let Some(arrives) = path.asked(times(share(from.toward).0, from.light)) {
                let far = Far::At(from.far);
                light += times(arrives, self.open(path, scatterer, from.toward, far));
            }
        }
        path.add(light);
    }

    /// Returns the share of the light from the direction `toward` that comes straight to
    /// `scatterer` from the distance `far`. The light is taken to come from air.
    fn open(&self, path: &mut Path, scatterer: &Scatterer, toward: V3, far: Far) -> V3 {
        let ray = Ray {
            origin: scatterer.p,
            direction: toward,
        };
        let end = match far {
            Far::At(far) => far,
            Far::Sun | Far::Sky | Far::SkyInAir => f32::MAX,
        };
        if self.world.is_blocked(&ray, end) {
            return V3::zeros();
        }
        let media = self.world.straight(&ray, end, scatterer.inside);
        if matches!(far, Far::SkyInAir) && media.is_some() {
            // Light that passes a medium from air to air is bent: the path itself finds it.
            return V3::zeros();
        }
        let passed = match far {
            Far::Sun => self.world.sunlit(&ray, path.draws),
            Far::At(_) | Far::Sky | Far::SkyInAir => self.world.passed(&ray, end, path.draws),
        };
        // A border that bent the light would compress the solid angle of a far light, or that of
        // all the sky on a surface, by this much; that of all the sky on a particle by more.
        let refracts = scatterer
            .inside
            .medium()
            .map_or(1.0, |medium| self.world.medium(medium).refracts);
        let square = 1.0 / (refracts * refracts);
        let compressed = match far {
            Far::Sky if scatterer.is_surface => ASLANT * square,
            Far::Sky => ASLANT * (1.0 - (1.0 - square).sqrt()),
            Far::At(_) | Far::Sun | Far::SkyInAir => square,
        };
        media.map_or(V3::repeat(1.0), |share| share * compressed) * passed
    }
}
