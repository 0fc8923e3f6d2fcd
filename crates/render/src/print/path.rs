//! Transport of light from the lights to the eye: paths traced backwards, scattering by scattering,
//! with next-event sampling of sun, sky and glowing surfaces.
//!
//! What is not exact, on purpose: light above `DIRECT` and `INDIRECT` is cut; sun and glow pass
//! transparent media straight on towards a surface (no caustics); paths end after `MOST` events; the
//! sky's table is an entry coarse once a path was scattered. `tests::reference` says what that costs.
//!
//! - Invariant: between borders a path carries radiance divided by the square of the index of
//!   refraction, which borders keep as they bend and compress light.

use crate::camera::Ray;
use crate::math::{V3, luminance, times};
use crate::print::light::{Dome, Embers, Sun};
use crate::print::material::Material;
use crate::print::optics::{facet_drawn, fresnel, kept, mirrored, phase, phase_drawn, refracted};
use crate::print::random::Draws;
use crate::print::world::{Inside, Kind, Medium, Surface, World};

/// Largest light of a first surface by a single sample of a light; white is about 1.
const DIRECT: f32 = 24.0;
/// Largest light that a sample may bring over further bounces.
const INDIRECT: f32 = 6.0;
/// Number of scatterings after which paths are ended at random by what they still carry.
const SURE: usize = 1;
/// Luminance below which only a share of the questions for a light is asked, and counts for all.
/// Without it half of the rays look for light that no eye sees: lava behind hills, the sun after
/// three bounces.
const FAINT: f32 = 0.005;
/// Number of borders after which paths are ended at random by what they still carry.
const BORDERS: usize = 8;
/// Mirrored shares of light at the first border between which both the mirrored and the bent path
/// are followed, since half of the noise of water and glass is the choice between them.
const SPLITS: std::ops::Range<f32> = 0.08..0.92;
/// Largest number of events (scatterings and borders) on a path.
const MOST: usize = 400;
/// Largest number of scatterings at surfaces on a path.
const SURFACES: usize = 12;
/// Length of a path in a medium from which on it carries nothing, in cells.
const ENDLESS: f32 = 1e5;

/// Lights of a world.
#[derive(Clone, Debug)]
pub(crate) struct Lights {
    pub(crate) sun: Option<Sun>,
    /// Light of the sky on matter.
    pub(crate) dome: Dome,
    /// Set if the dome holds lamps, for which each surface asks.
    pub(crate) has_lamps: bool,
    pub(crate) embers: Embers,
}

/// Result of a path: light, and guides for a denoiser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced {
    pub(crate) light: V3,
    /// Part of `light` that glowing matter sends to the eye, straight or by mirrors and glass.
    pub(crate) emission: V3,
    /// Albedo and normal of the first diffuse surface; 1 and 0 in clouds and sky.
    pub(crate) albedo: V3,
    pub(crate) normal: V3,
    /// Distance to the first surface, 0 for clouds and sky.
    pub(crate) depth: f32,
}

/// World with its lights.
pub(crate) struct Tracing<'a, W: World> {
    pub(crate) world: &'a W,
    pub(crate) lights: &'a Lights,
    /// Distance in cells by which rays start off a surface, and its growth with the distance from
    /// the eye.
    pub(crate) off: [f32; 2],
}

/// Path that is being traced.
struct Path<'d> {
    ray: Ray,
    inside: Inside,
    /// Share of the light from the ray's end that reaches the eye.
    through: V3,
    light: V3,
    emission: V3,
    /// Length of the path so far.
    away: f32,
    /// Set as long as the path was only mirrored and refracted, so that it sees what the eye sees.
    seen: bool,
    /// Density of the last direction if the sky was asked for light there, too.
    density: Option<f32>,
    /// Number of scatterings by surfaces and clouds.
    scatterings: usize,
    bounces: usize,
    guided: bool,
    albedo: V3,
    normal: V3,
    depth: f32,
    draws: &'d mut Draws,
}

impl Path<'_> {
    /// Adds `light`, cut to what a sample may bring, and returns the light that arrives at the eye.
    fn add(&mut self, light: V3) -> V3 {
        let light = times(self.through, light);
        let most = if self.scatterings > 0 {
            INDIRECT
        } else {
            DIRECT
        };
        let brightest = light.max();
        if !brightest.is_finite() {
            return V3::zeros();
        }
        let light = light * (most / brightest.max(most));
        self.light += light;
        light
    }

    /// Returns `light` if it is worth a ray to the lamp from which it comes. Faint light is worth
    /// one in proportion to its luminance, and then counts for all that were not asked.
    fn asked(&mut self, light: V3) -> Option<V3> {
        let chance = luminance(times(self.through, light)) / FAINT;
        if chance >= 1.0 {
            return Some(light);
        }
        (self.draws.free() < chance).then(|| light / chance)
    }

    /// Records the guides of the first diffuse surface or cloud.
    fn guide(&mut self, albedo: V3, normal: V3, t: f32) {
        if !self.guided {
            (self.albedo, self.normal, self.guided) = (albedo, normal, true);
            self.depth = self.away + t;
        }
    }

    /// Turns the path at the point `p` to `toward`.
    fn turn(&mut self, p: V3, toward: V3, t: f32) {
        self.away += t;
        self.ray = Ray {
            origin: p,
            direction: toward,
        };
    }

    /// Returns a path from the same point with the share `share` of this path's light, on top of the
    /// light so far; it counts as mirrored once.
    fn branch(&mut self, share: f32) -> Path<'_> {
        Path {
            through: self.through * share,
            density: None,
            bounces: self.bounces + 1,
            draws: &mut *self.draws,
            ..*self
        }
    }

    /// Ends the path at random by what it carries; returns true if it ends.
    fn ends(&mut self) -> bool {
        let carried = self.through.max();
        if carried.is_nan() || carried < 1e-4 {
            return true;
        }
        if self.scatterings <= SURE {
            return false;
        }
        // A path that lives on carries 1 again and never more, or `INDIRECT` would cut it.
        let chance = carried.min(1.0);
        if self.draws.free() >= chance {
            return true;
        }
        self.through /= chance;
        false
    }
}

/// Point at which light is scattered, for next-event sampling.
struct Scatterer<'a> {
    p: V3,
    inside: Inside,
    /// Returns the share of light from a direction that goes on along the path, per solid angle,
    /// and the density with which the path itself would draw that direction.
    share: &'a dyn Fn(V3) -> (V3, f32),
}

impl<W: World> Tracing<'_, W> {
    /// Traces the path of `ray` from the eye.
    pub(crate) fn trace(&self, ray: Ray, draws: &mut Draws) -> Traced {
        let mut path = Path {
            inside: self.world.inside(&ray),
            ray,
            through: V3::repeat(1.0),
            light: V3::zeros(),
            emission: V3::zeros(),
            away: 0.0,
            seen: true,
            density: None,
            scatterings: 0,
            bounces: 0,
            guided: false,
            albedo: V3::repeat(1.0),
            normal: V3::zeros(),
            depth: 0.0,
            draws,
        };
        self.finish(&mut path);
        Traced {
            light: path.light,
            emission: path.emission,
            albedo: path.albedo,
            normal: path.normal,
            depth: path.depth,
        }
    }

    /// Follows the path to its end.
    fn finish(&self, path: &mut Path) {
        let mut events = 0;
        while events < MOST && self.follow(path) {
            events += 1;
        }
    }

    /// Follows the path to its next event; returns false if the path ends there.
    fn follow(&self, path: &mut Path) -> bool {
        let meeting = self.world.meet(&path.ray, path.inside);
        let end = meeting.as_ref().map_or(f32::INFINITY, |meeting| meeting.t);
        match path.inside.medium() {
            None => {
                if let Some(hit) = self.world.collide(&path.ray, end, path.draws) {
                    return self.in_cloud(path, hit.t, hit.albedo, hit.ahead);
                }
            }
            Some(medium) => {
                let medium = self.world.medium(medium);
                // Where light is absorbed as fast as it is scattered, all paths are scattered and
                // carry less, instead of few that carry all.
                let drawn = if medium.scattered > 0.0 {
                    medium.scattered + medium.absorbed.min()
                } else {
                    0.0
                };
                let free = if drawn > 0.0 {
                    -(1.0 - path.draws.free()).ln() / drawn
                } else {
                    f32::INFINITY
                };
                let length = free.min(end).min(ENDLESS);
                let lost = medium.absorbed.map(|a| a + medium.scattered - drawn);
                path.through = times(path.through, kept(lost, length));
                if free < end && free < ENDLESS {
                    path.through *= medium.scattered / drawn;
                    return self.in_cloud(path, free, V3::repeat(1.0), 0.0);
                }
                if end >= ENDLESS || path.through.max() < 1e-4 {
                    return false;
                }
            }
        }
        let Some(meeting) = meeting else {
            self.leave(path);
            return false;
        };
        let surface = self
            .world
            .surface(&path.ray, &meeting, path.away + meeting.t);
        if path.seen && path.inside.medium().is_none() {
            let (clear, air) = self.world.air(&path.ray, &meeting);
            path.add(air * (1.0 - clear));
            path.through *= clear;
        }
        match surface.kind {
            Kind::Border {
                medium,
                enters,
                normal,
            } => self.at_border(path, meeting.t, &surface, (medium, enters, normal)),
            Kind::Opaque(material) => self.at_surface(path, meeting.t, &surface, material),
        }
    }

    /// Adds the light of the sky, which the path reaches.
    fn leave(&self, path: &mut Path) {
        let toward = path.ray.direction;
        if path.seen {
            let sun = self.lights.sun.map_or(V3::zeros(), |sun| sun.seen(toward));
            // The eye itself does not look into the sun.
            let sun = if path.away > 0.0 { sun } else { V3::zeros() };
            path.add(self.world.backdrop(toward, path.away <= 0.0) + sun);
            return;
        }
        let weight = path.density.map_or(1.0, |density| {
            density / (density + self.lights.dome.density(toward)).max(1e-12)
        });
        path.add(self.lights.dome.seen(toward) * weight);
    }

    /// Scatters the path at a particle of the albedo `albedo` at the distance `t`.
    fn in_cloud(&self, path: &mut Path, t: f32, albedo: V3, ahead: f32) -> bool {
        let (p, toward) = (path.ray.at(t), path.ray.direction);
        path.guide(V3::repeat(1.0), V3::zeros(), -path.away);
        path.through = times(path.through, albedo);
        let share = |from: V3| {
            let share = phase(ahead, toward.dot(&from));
            (V3::repeat(share), share)
        };
        let scatterer = Scatterer {
            p,
            inside: path.inside,
            share: &share,
        };
        self.ask(path, &scatterer);
        let onward = phase_drawn(ahead, toward, path.draws.two());
        path.seen = false;
        path.scatterings += 1;
        let asked = self.asks_sky(path.scatterings, path.inside);
        path.density = asked.then(|| phase(ahead, toward.dot(&onward)));
        path.turn(p, onward, t);
        !path.ends()
    }

    /// Reflects or refracts the path at the border of a medium.
    fn at_border(
        &self,
        path: &mut Path,
        t: f32,
        surface: &Surface,
        (medium, enters, normal): (usize, bool, V3),
    ) -> bool {
        let (p, toward) = (path.ray.at(t), path.ray.direction);
        let beyond = path.inside.across(medium, enters);
        let optics = |inside: Inside| {
            inside
                .medium()
                .map_or(Medium::AIR, |m| self.world.medium(m))
        };
        let (here, there) = (optics(path.inside), optics(beyond));
        let off = self.off_at(path.away + t);
        let along = surface.shape
            * if surface.shape.dot(&toward) < 0.0 {
                -off
            } else {
                off
            };
        if beyond.medium() == path.inside.medium() || here.refracts == there.refracts {
            path.inside = beyond;
            path.turn(p + along, toward, t);
            return true;
        }
        let facing = if normal.dot(&toward) < 0.0 {
            normal
        } else {
            -normal
        };
        let rough = self.world.medium(medium).rough;
        let facing = if rough > 0.0 {
            facet_drawn(rough, facing, -toward, path.draws.two())
        } else {
            facing
        };
        let cosine = (-toward.dot(&facing)).max(0.0);
        let share = fresnel(cosine, here.refracts, there.refracts);
        if rough > 0.0 {
            // Seen through a matt surface, nothing keeps its outline.
            path.seen = path.seen && rough < 0.2;
        }
        let bent = refracted(toward, facing, here.refracts, there.refracts);
        let back = || {
            let back = mirrored(toward, facing);
            kept_behind(back, surface.shape, -toward)
        };
        let is_first = path.bounces == 0 && path.scatterings == 0;
        let splits = is_first && bent.is_some() && SPLITS.contains(&share);
        if splits {
            let mut branch = path.branch(share);
            branch.turn(p - along, back(), t);
            self.finish(&mut branch);
            (path.light, path.emission) = (branch.light, branch.emission);
            path.through *= 1.0 - share;
        }
        match bent.filter(|_| splits || path.draws.one() >= share) {
            Some(bent) => {
                // Ripples must not bend a ray back to its own side.
                let bent = kept_behind(bent, surface.shape, toward);
                path.inside = beyond;
                path.turn(p + along, bent, t);
            }
            None => path.turn(p - along, back(), t),
        }
        // The sky cannot be asked through a border: the path itself finds it.
        path.density = None;
        path.bounces += 1;
        path.bounces <= BORDERS || !path.ends_at_glass()
    }

    /// Scatters the path at the opaque material `material`.
    fn at_surface(
        &self,
        path: &mut Path,
        t: f32,
        surface: &Surface,
        mut material: Material,
    ) -> bool {
        let (p, view) = (path.ray.at(t), -path.ray.direction);
        // Relief that is turned away from the eye is seen edge on.
        let facing = material.normal.dot(&view);
        if facing < 0.02 {
            let turned = material.normal + view * (0.02 - facing);
            material.normal = turned.try_normalize(1e-6).unwrap_or(surface.shape);
        }
        path.guide(material.guide(), material.normal, t);
        if path.seen || self.lights.embers.is_empty() {
            let light = path.add(material.emission);
            if path.seen {
                path.emission += light;
            }
        }
        let from = p + surface.shape * self.off_at(path.away + t);
        let share = |toward: V3| {
            let scattered = material.scattered(view, toward);
            (scattered.share, scattered.density)
        };
        if material.rough >= crate::print::material::MIRROR || !material.is_metal {
            let scatterer = Scatterer {
                p: from,
                inside: path.inside,
                share: &share,
            };
            self.ask(path, &scatterer);
        }
        path.scatterings += 1;
        path.bounces += 1;
        if path.bounces > SURFACES {
            return false;
        }
        let Some(onward) = material.drawn(view, path.draws) else {
            return false;
        };
        if onward.toward.dot(&surface.shape) <= 0.0 {
            return false;
        }
        path.through = times(path.through, onward.weight);
        path.seen = path.seen && onward.density.is_none();
        if onward.density.is_none() {
            path.scatterings -= 1;
        }
        let asked = self.asks_sky(path.scatterings, path.inside);
        path.density = onward.density.filter(|_| asked);
        path.turn(from, onward.toward, t);
        !path.ends()
    }

    /// Returns the distance off a surface at which rays start, `away` from the eye.
    fn off_at(&self, away: f32) -> f32 {
        self.off[0] + self.off[1] * away.min(2000.0)
    }

    /// Returns true if the scattering with the number `scattering` (from 1) asks the sky for light.
    fn asks_sky(&self, scattering: usize, inside: Inside) -> bool {
        inside.medium().is_none() && (self.lights.has_lamps || scattering == 1)
    }

    /// Adds the light of sun, sky and embers that is scattered at `scatterer`.
    fn ask(&self, path: &mut Path, scatterer: &Scatterer) {
        let Scatterer { p, inside, share } = *scatterer;
        let mut light = V3::zeros();
        if let Some(sun) = &self.lights.sun {
            let toward = sun.drawn(path.draws);
            let arrives = times(share(toward).0, sun.light);
            if let Some(arrives) = path.asked(arrives) {
                light += times(arrives, self.open(path, scatterer, toward, None));
            }
        }
        if self.asks_sky(path.scatterings + 1, inside)
            && let Some(from) = self.lights.dome.drawn(path.draws)
        {
            let (share, density) = share(from.toward);
            let ray = Ray {
                origin: p,
                direction: from.toward,
            };
            let arrives = times(share, from.light) / (density + from.density).max(1e-12);
            if let Some(arrives) = path.asked(arrives)
                && !self.world.is_blocked(&ray, f32::MAX)
                && self.world.straight(&ray, f32::MAX, inside).is_none()
            {
                light += arrives * self.world.passed(&ray, f32::MAX, path.draws);
            }
        }
        if !self.lights.embers.is_empty() {
            let of = |toward: V3| share(toward).0;
            if let Some(from) = self.lights.embers.drawn(p, of, path.draws)
                && let Some(arrives) = path.asked(times(of(from.toward), from.light))
            {
                let near = from.far - NEAR_EMBER.min(0.5 * from.far);
                light += times(arrives, self.open(path, scatterer, from.toward, Some(near)));
            }
        }
        path.add(light);
    }

    /// Returns the share of light that comes straight to `scatterer` from the direction `toward`,
    /// from the distance `far`; `None` for the distance of the sun. The light is taken to come from
    /// air.
    fn open(&self, path: &mut Path, scatterer: &Scatterer, toward: V3, far: Option<f32>) -> V3 {
        let ray = Ray {
            origin: scatterer.p,
            direction: toward,
        };
        let end = far.unwrap_or(f32::MAX);
        if self.world.is_blocked(&ray, end) {
            return V3::zeros();
        }
        let media = self.world.straight(&ray, end, scatterer.inside);
        let passed = match far {
            Some(far) => self.world.passed(&ray, far, path.draws),
            None => self.world.sunlit(&ray, path.draws),
        };
        // A border that bent the light would compress a far light's solid angle by this much.
        let refracts = scatterer
            .inside
            .medium()
            .map_or(1.0, |medium| self.world.medium(medium).refracts);
        media.map_or(V3::repeat(1.0), |share| share / (refracts * refracts)) * passed
    }
}

/// Distance before a piece of glowing surface at which its light is no longer hidden, in cells: the
/// piece is flat, the surface is not.
const NEAR_EMBER: f32 = 0.8;

impl Path<'_> {
    /// Ends the path between many borders at random by what it carries.
    fn ends_at_glass(&mut self) -> bool {
        let chance = self.through.max().min(0.9);
        if self.draws.free() >= chance {
            return true;
        }
        self.through /= chance;
        false
    }
}

/// Returns the direction `d`, mirrored if needed to the side of the plane with the normal `shape`
/// to which `side` points.
fn kept_behind(d: V3, shape: V3, side: V3) -> V3 {
    let wanted = side.dot(&shape).signum();
    let along = d.dot(&shape) * wanted;
    if along > 0.0 {
        return d;
    }
    (d - shape * (d.dot(&shape) - 0.02 * wanted)).normalize()
}
