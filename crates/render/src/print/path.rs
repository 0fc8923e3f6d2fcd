//! Transport of light from the lights to the eye: paths traced backwards, scattering by scattering,
//! with next-event sampling of sun, sky and glowing surfaces.
//!
//! What is not exact, on purpose: light above `DIRECT` and `INDIRECT` is cut; sun, glow and, into a
//! medium, the sky pass borders straight on (no caustics); paths end after `MOST` events; the
//! sky's table is an entry coarse once a path was scattered. `tests::reference` says what that costs.
//!
//! - Invariant: between borders a path carries radiance divided by the square of the index of
//!   refraction, which borders keep as they bend and compress light.

mod ask;
mod guide;

use self::ask::Scatterer;
use self::guide::guided_through;
use crate::camera::Ray;
use crate::math::{V3, mix, times};
use crate::print::light::{Dome, Embers, Lamp, Sun};
use crate::print::material::Material;
use crate::print::optics::{facet_drawn, fresnel, kept, mirrored, phase, phase_drawn, refracted};
use crate::print::random::Draws;
use crate::print::wander::wander;
use crate::print::world::{Collision, Inside, Kind, Medium, Meeting, Surface, World};

/// Largest light of a first surface by a single sample of a light; white is about 1.
const DIRECT: f32 = 24.0;
/// Largest light that a sample may bring over further bounces.
const INDIRECT: f32 = 6.0;
/// Number of scatterings after which paths are ended at random by what they still carry.
const SURE: usize = 1;
/// Number of borders after which paths are ended at random by what they still carry.
const BORDERS: usize = 8;
/// Mirrored shares of light at the first border between which both the mirrored and the bent path
/// are followed, since half of the noise of water and glass is the choice between them.
const SPLITS: std::ops::Range<f32> = 0.005..0.995;
/// Largest number of events (scatterings and borders) on a path.
const MOST: usize = 400;
/// Largest number of scatterings at surfaces on a path.
const SURFACES: usize = 12;
/// Transmittance of a stretch of medium above which only one of both paths is followed: to one of
/// its particles, or through it.
const MOSTLY: f32 = 0.97;
/// Distance in cells from where a path meets loose grains to where it goes on behind them.
const PASSED: f32 = 1.5;
/// Albedo of foam.
const FOAM: f32 = 0.8;
/// Length of a path in a medium from which on it carries nothing, in cells.
const ENDLESS: f32 = 1e5;

/// Lights of a world.
#[derive(Clone, Debug)]
pub(crate) struct Lights {
    pub(crate) sun: Option<Sun>,
    /// Light of the sky on matter.
    pub(crate) dome: Dome,
    /// Light of the sky that the eye sees relative to that on matter: metals mirror the former.
    pub(crate) shown: V3,
    /// Set if the dome holds lamps, for which each surface asks.
    pub(crate) has_lamps: bool,
    pub(crate) embers: Embers,
    /// Factor of the light of `embers` on the light that the eye sees: metals mirror the latter.
    pub(crate) lifted: f32,
    /// Flame of a candle.
    pub(crate) flame: Option<Lamp>,
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
    /// Share of the light for which this path stands, 1 before the first split into two paths.
    whole: f32,
    light: V3,
    emission: V3,
    /// Length of the path so far.
    away: f32,
    /// Set as long as the path was only mirrored and refracted, so that it sees what the eye sees.
    seen: bool,
    /// Density of the last direction if the sky was asked for light there, too.
    density: Option<f32>,
    /// Set if the path was last scattered by a metal.
    by_metal: bool,
    /// Set if the path was last scattered inside of a medium, where the sky was asked for all its
    /// light.
    counted: bool,
    /// Number of scatterings by surfaces and clouds.
    scatterings: usize,
    bounces: usize,
    guided: bool,
    /// Transmittance of clouds, haze and media before the first diffuse surface.
    veil: f32,
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

    /// Records the guides of the first diffuse surface or cloud; the share of a surface that
    /// clouds, haze and media hide counts as cloud.
    fn guide(&mut self, albedo: V3, normal: V3, t: f32) {
        if !self.guided {
            self.albedo = mix(V3::repeat(1.0), albedo, self.veil);
            (self.normal, self.guided) = (normal * self.veil, true);
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

    /// Leaves the share `share` of its light to this path.
    fn keep(&mut self, share: f32) {
        self.through *= share;
        self.whole *= share;
    }

    /// Returns a path from the same point with the share `share` of this path's light, on top of the
    /// light so far; it counts as mirrored once.
    fn branch<'d>(&self, share: f32, draws: &'d mut Draws) -> Path<'d> {
        Path {
            through: self.through * share,
            whole: self.whole * share,
            density: None,
            bounces: self.bounces + 1,
            draws,
            ..*self
        }
    }

    /// Notes for a direction drawn with the density `density` whether the sky `was_asked` for light
    /// at the same point.
    fn ask_sky(&mut self, was_asked: bool, density: f32) {
        let is_in_air = self.inside.medium().is_none();
        self.density = (was_asked && is_in_air).then_some(density);
        self.counted = was_asked && !is_in_air;
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
        // A path that lives on carries the whole again and never more, or `INDIRECT` would cut it.
        let chance = (carried / self.whole).min(1.0);
        if self.draws.free() >= chance {
            return true;
        }
        self.through /= chance;
        false
    }
}

impl<W: World> Tracing<'_, W> {
    /// Traces the path of `ray` from the eye.
    pub(crate) fn trace(&self, ray: Ray, draws: &mut Draws) -> Traced {
        let mut path = Path {
            inside: self.world.inside(&ray),
            ray,
            through: V3::repeat(1.0),
            whole: 1.0,
            light: V3::zeros(),
            emission: V3::zeros(),
            away: 0.0,
            seen: true,
            density: None,
            by_metal: false,
            counted: false,
            scatterings: 0,
            bounces: 0,
            guided: false,
            veil: 1.0,
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
                let hit = self.world.collide(&path.ray, end, path.draws);
                if path.seen {
                    let far = hit.as_ref().map_or(end, |hit| hit.t);
                    let glow = self.world.glow(&path.ray, far);
                    let glow = path.add(glow);
                    path.emission += glow;
                }
                if path.seen && !path.guided {
                    path.veil *= self.world.veil(&path.ray, end);
                }
                if let Some(hit) = hit {
                    self.guide_behind(path, meeting.as_ref());
                    return self.in_cloud(path, &hit);
                }
            }
            Some(medium) => {
                if let Some(goes_on) = self.in_medium(path, self.world.medium(medium), end) {
                    return goes_on;
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
        self.guide_at(path, &surface, meeting.t);
        if path.seen && path.inside.medium().is_none() {
            let (clear, air) = self.world.air(&path.ray, &meeting);
            path.add(air * (1.0 - clear));
            path.through *= clear;
            path.veil *= guided_through(clear);
        }
        match surface.kind {
            Kind::Border {
                medium,
                enters,
                normal,
                foam,
                ..
            } => {
                if foam > 0.0 && path.draws.one() < foam {
                    let bubbles = Material::matt(normal, V3::repeat(FOAM));
                    return self.at_surface(path, &meeting, &surface, bubbles);
                }
                self.at_border(path, meeting.t, &surface, (medium, enters))
            }
            Kind::Opaque(material) => self.at_surface(path, &meeting, &surface, material),
        }
    }

    /// Takes the path through `medium` to the distance `end`. Returns what `Tracing::follow` does if
    /// a particle scatters the path before, `None` if not.
    fn in_medium(&self, path: &mut Path, medium: Medium, end: f32) -> Option<bool> {
        // Where light is absorbed as fast as it is scattered, all paths are scattered and
        // carry less, instead of few that carry all.
        let drawn = if medium.scattered > 0.0 {
            medium.scattered + medium.absorbed.min()
        } else {
            0.0
        };
        let lost = medium.absorbed.map(|a| a + medium.scattered - drawn);
        let far = end.min(ENDLESS);
        // What the eye sees in a medium comes from its particles and from what is behind:
        // half of the noise of water is the choice between them.
        let reaches = (-drawn * far).exp();
        let splits = path.seen && path.scatterings == 0 && reaches < MOSTLY;
        if splits {
            let mut draws = path.draws.apart();
            let mut branch = path.branch(1.0 - reaches, &mut draws);
            let free = -(1.0 - branch.draws.one() * (1.0 - reaches)).ln() / drawn;
            branch.through =
                times(branch.through, kept(lost, free.min(far))) * (medium.scattered / drawn);
            if self.in_cloud(&mut branch, &Collision::of_bubble(free.min(far))) {
                self.finish(&mut branch);
            }
            (path.light, path.emission) = (branch.light, branch.emission);
            path.keep(reaches);
            path.veil *= reaches;
        }
        let free = if drawn > 0.0 && !splits {
            -(1.0 - path.draws.free()).ln() / drawn
        } else {
            f32::INFINITY
        };
        path.through = times(path.through, kept(lost, free.min(far)));
        if free < end && free < ENDLESS {
            path.through *= medium.scattered / drawn;
            return Some(self.in_cloud(path, &Collision::of_bubble(free)));
        }
        None
    }

    /// Adds the light of the sky, which the path reaches.
    fn leave(&self, path: &mut Path) {
        let toward = path.ray.direction;
        if path.seen {
            let sun = self.lights.sun.map_or(V3::zeros(), |sun| sun.seen(toward));
            // In a ripple the sun is a spark, not a hole in the picture.
            let sun = sun.map(|light| light.min(DIRECT));
            // The eye itself does not look into the sun.
            let sun = if path.away > 0.0 { sun } else { V3::zeros() };
            path.add(self.world.backdrop(toward, path.away <= 0.0) + sun);
            return;
        }
        if path.counted {
            return;
        }
        let weight = path.density.map_or(1.0, |density| {
            density / (density + self.lights.dome.density(toward)).max(1e-12)
        });
        let light = self.lights.dome.seen(toward) * weight;
        path.add(self.sky_on(light, path.by_metal));
    }

    /// Returns the light `light` of the dome as matter scatters it; `by_metal`: set for metals.
    fn sky_on(&self, light: V3, by_metal: bool) -> V3 {
        if by_metal {
            times(light, self.lights.shown)
        } else {
            light
        }
    }

    /// Scatters the path at the particle `hit`.
    fn in_cloud(&self, path: &mut Path, hit: &Collision) -> bool {
        let Collision {
            t,
            albedo,
            ahead,
            glow,
        } = *hit;
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
            is_surface: false,
            by_metal: false,
            glow,
            share: &share,
        };
        self.ask(path, &scatterer);
        let onward = phase_drawn(ahead, toward, path.draws.two());
        (path.seen, path.by_metal) = (false, false);
        path.scatterings += 1;
        let asked = self.asks_sky(path.scatterings, path.inside, false);
        path.ask_sky(asked, phase(ahead, toward.dot(&onward)));
        path.turn(p, onward, t);
        !path.ends()
    }

    /// Reflects or refracts the path at the border of a medium.
    fn at_border(
        &self,
        path: &mut Path,
        t: f32,
        surface: &Surface,
        (medium, enters): (usize, bool),
    ) -> bool {
        let Kind::Border { normal, rough, .. } = surface.kind else {
            return false;
        };
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
        let facing = if rough > 0.0 {
            facet_drawn(rough, facing, -toward, path.draws.two())
        } else {
            facing
        };
        let cosine = (-toward.dot(&facing)).max(0.0);
        let share = fresnel(cosine, here.refracts, there.refracts);
        let bent = refracted(toward, facing, here.refracts, there.refracts);
        let back = || {
            let back = mirrored(toward, facing);
            kept_behind(back, surface.shape, -toward)
        };
        let is_first = path.bounces == 0 && path.scatterings == 0;
        let splits = is_first && bent.is_some() && SPLITS.contains(&share);
        if splits {
            let mut draws = path.draws.apart();
            let mut branch = path.branch(share, &mut draws);
            branch.turn(p - along, back(), t);
            self.finish(&mut branch);
            (path.light, path.emission) = (branch.light, branch.emission);
            path.keep(1.0 - share);
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
        meeting: &Meeting<W::What>,
        surface: &Surface,
        mut material: Material,
    ) -> bool {
        let (t, mut view, mut shape) = (meeting.t, -path.ray.direction, surface.shape);
        let mut p = path.ray.at(t);
        // Relief that is turned away from the eye is seen edge on.
        let facing = material.normal.dot(&view);
        if facing < 0.02 {
            let turned = material.normal + view * (0.02 - facing);
            material.normal = turned.try_normalize(1e-6).unwrap_or(surface.shape);
        }
        if material.cover < 1.0 && path.draws.one() >= material.cover {
            path.turn(p - view * PASSED, -view, t);
            return true;
        }
        if material.cover >= 1.0 {
            path.guide(material.guide(), material.normal, t);
        }
        if path.seen || self.lights.embers.is_empty() {
            let light = path.add(material.emission);
            if path.seen {
                path.emission += light;
            }
        }
        if let Some(reach) = material.enters {
            let (of_coat, weight) = material.drawn_from_coat(view, path.draws);
            path.through *= weight;
            if of_coat {
                material = material.without_body();
            } else {
                let start = (p, shape);
                let out = wander(
                    self.world,
                    meeting,
                    start,
                    (material.albedo, reach),
                    path.draws,
                );
                let Some(out) = out else { return false };
                path.through = times(path.through, out.weight);
                (p, shape, view) = (out.place, out.normal, out.normal);
                material = Material::matt(shape, V3::repeat(1.0));
            }
        }
        let from = p + shape * self.off_at(path.away + t);
        let share = |toward: V3| {
            let scattered = material.scattered(view, toward);
            (scattered.share, scattered.density)
        };
        if material.rough >= crate::print::material::MIRROR || !material.is_metal {
            let scatterer = Scatterer {
                p: from,
                inside: path.inside,
                is_surface: true,
                by_metal: material.is_metal,
                glow: if material.is_metal {
                    1.0 / self.lights.lifted
                } else {
                    1.0
                },
                share: &share,
            };
            self.ask(path, &scatterer);
        }
        path.by_metal = material.is_metal;
        path.scatterings += 1;
        path.bounces += 1;
        if path.bounces > SURFACES {
            return false;
        }
        let Some(onward) = material.drawn(view, path.draws) else {
            return false;
        };
        if onward.toward.dot(&shape) <= 0.0 {
            return false;
        }
        path.through = times(path.through, onward.weight);
        path.seen = path.seen && onward.density.is_none();
        if onward.density.is_none() {
            path.scatterings -= 1;
        }
        if let Some(density) = onward.density {
            let asked = self.asks_sky(path.scatterings, path.inside, true);
            path.ask_sky(asked, density);
        } else {
            (path.density, path.counted) = (None, false);
        }
        path.turn(from, onward.toward, t);
        !path.ends()
    }

    /// Returns the distance off a surface at which rays start, `away` from the eye.
    fn off_at(&self, away: f32) -> f32 {
        self.off[0] + self.off[1] * away.min(2000.0)
    }
}

impl Path<'_> {
    /// Ends the path between many borders at random by what it carries.
    fn ends_at_glass(&mut self) -> bool {
        let chance = (self.through.max() / self.whole).min(0.9);
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
