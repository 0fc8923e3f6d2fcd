//! World of a frame: the ground, lava, media and smoke that the renderer has prepared, as rays meet
//! them, and their materials.

mod surfaces;

use std::sync::atomic::AtomicBool;

use self::surfaces::{of_rock, of_solid, opaque};
use crate::camera::Ray;
use crate::ground::heightfield::{Face, Heightfield, ShownPart, before_cut};
use crate::math::{V3, in_cells, in_widths, v3};
use crate::media::clear::{Clear, ISO};
use crate::media::ice::ABSORBS;
use crate::media::liquid::Liquid;
use crate::media::pass::borders;
use crate::media::sea::level_way;
use crate::media::solid::{self, crossed};
use crate::print::cloud::Cloud;
use crate::print::material::Material;
use crate::print::random::Draws;
use crate::print::relief::Relief;
use crate::print::studio;
use crate::print::wander::scattering;
use crate::print::world::{Collision, Inside, Kind, Medium, Meeting, Step, Surface, World};
use crate::style::cinematic::{STONES, over, stony, strata_rock};
use crate::style::shading::ShadeContext;
use crate::style::transfer::FILM;
use crate::volume::field::{Border, Crossing, Pace};
use crate::volume::tiles::Reach;
use lavoxel_automaton::view::Preset;

/// Indices of refraction of water and other liquids, and of ice.
const REFRACTS: [f32; 2] = [1.333, 1.31];
/// Absorption of ice relative to `ice::ABSORBS`, which was chosen for straight rays.
const ICE: f32 = 0.15;
/// Scattering in ice per cell length: bubbles and cracks.
const BUBBLES: f32 = 0.05;
/// Extinction of liquids relative to that of their looks, which was chosen for straight rays:
/// outdoors, and in the vessels of a table.
const THINNER: [f32; 2] = [0.6, 0.3];
/// Distance in cells between the samples of density on a step inside of matter, and number of
/// halvings of this distance in the search for the surface.
const WALKED: f32 = 0.7;
const HALVINGS: usize = 5;

/// Kind of surface that a ray has met.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Ground(Face),
    Beyond,
    Floor,
    /// Lava; with the outward normal of the plane that cuts it open, if any.
    Lava(Option<V3>),
    /// Opaque material: its number, and the plane that cuts it open, if any.
    Solid(usize, Option<V3>),
    /// Border of the transparent medium of the number, with the kind of border.
    Medium(usize, Border),
}

/// World of a frame.
pub(crate) struct Scene<'a> {
    context: &'a ShadeContext<'a>,
    clouds: Vec<Cloud<'a>>,
    /// Bodies of ice among the opaque materials of the frame, which here are transparent; they come
    /// before the liquids.
    ice: Vec<&'a Clear<'a>>,
    /// Opaque materials: all others.
    solids: Vec<&'a Clear<'a>>,
    /// Ground with stones; `None` where it is drawn as it is.
    relief: Option<Relief>,
    pace: Pace,
}

impl<'a> Scene<'a> {
    /// Prepares the world of `context`; ends early, with a world that is not whole, once `stop` is
    /// set.
    pub(crate) fn new(context: &'a ShadeContext<'a>, stop: &AtomicBool) -> Self {
        let is_ice = |clear: &&Clear| clear.look.preset == Preset::Ice;
        let (ice, solids) = context.solids.iter().partition(is_ice);
        Self {
            context,
            clouds: Cloud::all(context, stop),
            ice,
            solids,
            relief: Relief::new(context, stop),
            pace: Pace {
                step: context.look.step,
                jitter: 0.5,
                reach: Reach::ALL,
            },
        }
    }

    /// Returns `ray` (cell widths) in cells, and the number of widths per cell length along it.
    fn in_cells(&self, ray: &Ray) -> (Ray, f32) {
        let tall = self.context.look.cell_height;
        if tall == 1.0 {
            return (*ray, 1.0);
        }
        let direction = in_cells(ray.direction, tall);
        let length = direction.norm();
        let ray = Ray {
            origin: in_cells(ray.origin, tall),
            direction: direction / length,
        };
        (ray, 1.0 / length)
    }

    /// Returns the nearest opaque matter on `ray` (cells) before the distance `far`.
    fn opaque(&self, ray: &Ray, far: f32) -> Option<Meeting<What>> {
        let land = self.land(ray, far);
        self.matter(ray, far, land).or(land)
    }

    /// Returns the ground, or the land or floor around it, where `ray` (cells) meets it before the
    /// distance `far`.
    fn land(&self, ray: &Ray, far: f32) -> Option<Meeting<What>> {
        let context = self.context;
        let (block, part) = self.ground();
        let hit = block.hit(ray, part, 0.0);
        let ground = hit.map(|hit| (hit.t, What::Ground(hit.face)));
        let around = context.surroundings().and_then(|around| around.hit(ray));
        let around = around.map(|t| (t, What::Beyond));
        let nearest = match (ground, around) {
            (Some(ground), Some(around)) if around.0 < ground.0 => Some(around),
            (None, around) => around,
            (ground, _) => ground,
        };
        // Land may lie lower than the plain in which it ends.
        let nearest = nearest.or_else(|| {
            let fall = context.floor?.foot - ray.origin.y;
            (ray.direction.y < -1e-5 && fall < 0.0).then(|| (fall / ray.direction.y, What::Floor))
        });
        nearest
            .filter(|(t, _)| *t < far)
            .map(|(t, what)| Meeting { t, what })
    }

    /// Returns the nearest lava or opaque material on `ray` (cells) before `land` and before the
    /// distance `far`.
    fn matter(&self, ray: &Ray, far: f32, land: Option<Meeting<What>>) -> Option<Meeting<What>> {
        let (context, mut nearest) = (self.context, None);
        let mut end = match land {
            Some(Meeting {
                t,
                what: What::Ground(Face::Cut(_)),
            }) => before_cut(t),
            Some(Meeting { t, .. }) => t,
            None => far,
        };
        let crossing = context.field.cross(ray, end, context.look.iso, self.pace);
        if let Crossing::At { t, face } = crossing {
            let what = What::Lava(face);
            (nearest, end) = (Some(Meeting { t, what }), t);
        }
        for (number, clear) in self.solids.iter().enumerate() {
            if let Crossing::At { t, face } = crossed(context, clear, (ray, end), self.pace)
                && t < end
            {
                let what = What::Solid(number, face);
                (nearest, end) = (Some(Meeting { t, what }), t);
            }
        }
        nearest
    }

    /// Calls `put` with each border of transparent media on `ray` (cells) before `far`, not in
    /// order.
    fn borders(&self, ray: &Ray, far: f32, mut put: impl FnMut(usize, f32, Border)) {
        for (number, clear) in self.ice.iter().enumerate() {
            clear
                .field
                .borders(ray, far, ISO, self.pace, |t, border| put(number, t, border));
        }
        if !self.context.clear.is_empty() || self.context.sea.is_some() {
            let first = self.ice.len();
            borders(self.context, ray, (far, self.pace), |number, t, border| {
                put(first + number, t, border);
            });
        }
    }

    /// Returns the ground that rays meet, and its visible part.
    fn ground(&self) -> (&Heightfield, &ShownPart) {
        match &self.relief {
            Some(Relief { block, part }) => (block, part),
            None => (&self.context.land.block, &self.context.part),
        }
    }

    fn has_media(&self) -> bool {
        !(self.ice.is_empty() && self.context.clear.is_empty())
    }
}

impl World for Scene<'_> {
    type What = What;

    fn inside(&self, ray: &Ray) -> Inside {
        let (ray, _) = self.in_cells(ray);
        let mut inside = Inside::default();
        if self.has_media() {
            self.borders(&ray, f32::MAX, |medium, t, border| {
                // Farther on, a ray may be found inside of the sea behind the box.
                if border == Border::Inside && t <= 0.0 {
                    inside = inside.across(medium, true);
                }
            });
        }
        inside
    }

    fn meet(&self, ray: &Ray, inside: Inside) -> Option<Meeting<What>> {
        let (ray, pace) = self.in_cells(ray);
        let mut nearest = self.opaque(&ray, f32::MAX);
        if self.has_media() {
            let far = nearest.as_ref().map_or(f32::MAX, |met| met.t);
            let mut end = far;
            self.borders(&ray, far, |medium, t, border| {
                // A border that changes nothing is one that the path has just passed.
                let changes = inside.across(medium, border != Border::Leaves) != inside;
                if changes && t < end {
                    end = t;
                    nearest = Some(Meeting {
                        t,
                        what: What::Medium(medium, border),
                    });
                }
            });
        }
        nearest.map(|met| Meeting {
            t: met.t * pace,
            ..met
        })
    }

    fn surface(&self, ray: &Ray, meeting: &Meeting<What>, away: f32) -> Surface {
        let (toward, (ray, pace)) = (ray.direction, self.in_cells(ray));
        let (t, context) = (meeting.t / pace, self.context);
        let p = ray.at(t);
        match meeting.what {
            What::Ground(Face::Top) => self.top(p, away),
            What::Ground(Face::Cut(_)) if context.surroundings().is_some() => self.top(p, away),
            What::Ground(Face::Cut(normal)) => {
                opaque(normal, of_rock(&strata_rock(context, (p, away), normal)))
            }
            What::Ground(Face::Block(normal)) => opaque(
                normal,
                of_rock(&context.land.block_rock(p, normal, context.sky.sun)),
            ),
            What::Beyond => {
                let Some(around) = context.surroundings() else {
                    return opaque(V3::y(), Material::matt(V3::y(), V3::zeros()));
                };
                let shape = around.rock(p.x, p.z).normal;
                let rock = stony(
                    context,
                    context.land.rock_beyond(around, p),
                    (p, away),
                    STONES,
                );
                opaque(shape, of_rock(&rock))
            }
            What::Floor => self.floor(p, toward, away),
            What::Lava(face) => {
                let normal = face.unwrap_or_else(|| context.field.normal(p));
                self.lava(p, normal, normal, face.is_some() && !context.goes_on)
            }
            What::Solid(number, face) => {
                let made = solid::made(context, self.solids[number], &ray, (t, face));
                let made = match self
                    .covering(number, p, made.shape)
                    .filter(|_| face.is_none())
                {
                    Some((clear, normal)) => solid::Made {
                        shape: made.shape,
                        normal,
                        cover: 1.0,
                        enters: None,
                        ..solid::made(context, clear, &ray, (t, face))
                    },
                    None => made,
                };
                opaque(made.shape, of_solid(&made))
            }
            What::Medium(number, border) => self.border(number, border, p, away),
        }
    }

    fn medium(&self, medium: usize) -> Medium {
        let Some(liquid) = medium.checked_sub(self.ice.len()) else {
            let look = self.ice[medium].look;
            return Medium {
                refracts: REFRACTS[1],
                absorbed: ABSORBS * (ICE * look.depth),
                scattered: BUBBLES * look.waves.min(1.0),
                ..Medium::AIR
            };
        };
        let Liquid { absorbed, deep, .. } = self.context.clear[liquid].liquid;
        let thinner = THINNER[usize::from(self.context.sky.is_indoors)];
        let extinction = absorbed.map(|a| a.max(1e-4) * thinner);
        // Scattering is equal for all colours: the one that gets farthest decides.
        let hue = extinction.imin();
        let scattered = extinction[hue] * scattering(deep[hue]);
        Medium {
            refracts: REFRACTS[0],
            absorbed: extinction.map(|all| (all - scattered).max(1e-5)),
            scattered,
            is_asked: true,
        }
    }

    fn is_blocked(&self, ray: &Ray, far: f32) -> bool {
        let (ray, pace) = self.in_cells(ray);
        let far = if far == f32::MAX { far } else { far / pace };
        self.land(&ray, far).is_some() || self.matter(&ray, far, None).is_some()
    }

    fn straight(&self, ray: &Ray, far: f32, inside: Inside) -> Option<V3> {
        if !self.has_media() {
            return None;
        }
        let (ray, pace) = self.in_cells(ray);
        let far = if far == f32::MAX { far } else { far / pace };
        let mut all: Vec<(f32, usize, Border)> = Vec::new();
        self.borders(&ray, far, |medium, t, border| {
            if border != Border::Inside {
                all.push((t, medium, border));
            }
        });
        if all.is_empty() && inside == Inside::default() {
            return None;
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut now, mut at, mut share, mut crossings) = (inside, 0.0, V3::repeat(1.0), 0);
        for (t, medium, border) in all {
            let next = now.across(medium, border != Border::Leaves);
            if next == now {
                continue;
            }
            share.component_mul_assign(&self.kept(now, (t - at) * pace));
            let (before, after) = (self.refraction(now), self.refraction(next));
            share *= 1.0 - ((before - after) / (before + after)).powi(2);
            (now, at, crossings) = (next, t, crossings + 1);
        }
        (crossings > 0).then_some(share)
    }

    fn collide(&self, ray: &Ray, far: f32, draws: &mut Draws) -> Option<Collision> {
        if self.clouds.is_empty() {
            return None;
        }
        let (ray, pace) = self.in_cells(ray);
        let (mut nearest, mut end) = (None, far.min(f32::MAX));
        for cloud in &self.clouds {
            if let Some(hit) = cloud.collide(&ray, pace, end, draws) {
                (end, nearest) = (hit.t, Some(hit));
            }
        }
        nearest
    }

    fn sunlit(&self, ray: &Ray, _: &mut Draws) -> f32 {
        if self.clouds.is_empty() {
            return 1.0;
        }
        let (ray, _) = self.in_cells(ray);
        self.clouds.iter().map(|cloud| cloud.sunlit(&ray)).product()
    }

    fn passed(&self, ray: &Ray, far: f32, draws: &mut Draws) -> f32 {
        if self.clouds.is_empty() {
            return 1.0;
        }
        let (ray, pace) = self.in_cells(ray);
        let clouds = self.clouds.iter();
        clouds
            .map(|cloud| cloud.passed(&ray, pace, far, draws))
            .product()
    }

    fn veil(&self, ray: &Ray, far: f32) -> f32 {
        let (ray, pace) = self.in_cells(ray);
        let clouds = self.clouds.iter();
        clouds.map(|cloud| cloud.veil(&ray, pace, far)).product()
    }

    fn glow(&self, ray: &Ray, far: f32) -> V3 {
        let context = self.context;
        let (ray, pace) = self.in_cells(ray);
        let far = if far.is_finite() {
            far / pace
        } else {
            f32::MAX
        };
        let sparks = if context.sparks.is_near(&ray) {
            context
                .sparks
                .glow(context.blackbody, &ray, (far, context.pixel))
                .0
        } else {
            V3::zeros()
        };
        sparks
            + context
                .flame
                .map_or(V3::zeros(), |flame| flame.light(&ray, far))
    }

    fn step_inside(&self, meeting: &Meeting<What>, ray: &Ray, far: f32) -> Step {
        let What::Solid(number, _) = meeting.what else {
            return Step::Out(0.0, -ray.direction);
        };
        let (clear, (ray, pace)) = (self.solids[number], self.in_cells(ray));
        let is_out = |t: f32| clear.field.density(ray.at(t)) < ISO;
        let (mut at, far) = (0.0, far / pace);
        while at < far {
            let next = (at + WALKED).min(far);
            let p = ray.at(next);
            if p.y < self.context.land.block.heights.at(p.x, p.z) {
                return Step::Wall(at * pace);
            }
            if is_out(next) {
                let (mut inside, mut outside) = (at, next);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (inside + outside);
                    if is_out(middle) {
                        outside = middle;
                    } else {
                        inside = middle;
                    }
                }
                return Step::Out(outside * pace, solid::shape(clear, ray.at(outside)));
            }
            at = next;
        }
        Step::Inside
    }

    fn backdrop(&self, toward: V3, is_direct: bool) -> V3 {
        let sky = self.context.sky;
        if sky.is_indoors && !is_direct {
            return studio(sky, toward);
        }
        sky.backdrop(toward)
    }

    fn air(&self, ray: &Ray, meeting: &Meeting<What>) -> (f32, V3) {
        let (context, view, (ray, pace)) = (self.context, ray.direction, self.in_cells(ray));
        let (t, sky) = (meeting.t / pace, context.sky);
        let (p, clear) = (ray.at(t), context.clear_air(&ray, t));
        let over_plain = match meeting.what {
            What::Beyond => context
                .floor
                .filter(|floor| floor.is_plain)
                .map(|floor| floor.clear_beyond(p)),
            What::Floor => context.floor.map(|floor| floor.clear_over(p, meeting.t)),
            What::Medium(..) => context
                .sea
                .map(|sea| (-sea.beyond(p) / sea.far()).exp())
                .filter(|clear| *clear < 1.0),
            _ => None,
        };
        let (beyond, level) = match over_plain {
            Some(beyond) => (beyond, sky.air(level_way(&ray, context.look.cell_height))),
            None => (1.0, V3::zeros()),
        };
        let both = clear * beyond;
        if both >= 1.0 {
            return (1.0, V3::zeros());
        }
        let haze = sky.haze(view) * (1.0 - clear) + level * (clear * (1.0 - beyond));
        (both, haze / (1.0 - both))
    }
}

impl Scene<'_> {
    /// Returns the index of refraction at a point in the media `inside`.
    fn refraction(&self, inside: Inside) -> f32 {
        inside
            .medium()
            .map_or(1.0, |medium| self.medium(medium).refracts)
    }

    /// Returns the transmittance of the media `inside` over `length` cell widths, scattered light
    /// not counted.
    fn kept(&self, inside: Inside, length: f32) -> V3 {
        inside.medium().map_or(V3::repeat(1.0), |medium| {
            let Medium {
                absorbed,
                scattered,
                ..
            } = self.medium(medium);
            absorbed.map(|a| (-(a + scattered) * length).exp())
        })
    }

    /// Returns the light that glowing lava emits below the point (`x`, `z`) of the simulation box
    /// (cells), with the place and the normal in cell widths; `None` if nothing glows there.
    pub(crate) fn glow_below(&self, x: f32, z: f32) -> Option<(V3, V3, V3)> {
        let context = self.context;
        let top = context.part.high.y.max(context.land.block.top) + 400.0;
        let ray = Ray {
            origin: v3(x, top, z),
            direction: -V3::y(),
        };
        let met = self.opaque(&ray, f32::MAX)?;
        let p = ray.at(met.t);
        let surface = match met.what {
            What::Lava(face) => {
                let normal = face.unwrap_or_else(|| context.field.normal(p));
                self.lava(p, normal, normal, false)
            }
            What::Ground(Face::Top) if over(context, p) > FILM * context.look.film => {
                self.top(p, 100.0)
            }
            _ => return None,
        };
        let Kind::Opaque(material) = surface.kind else {
            return None;
        };
        let place = in_widths(p, context.look.cell_height);
        (material.emission.max() > 1e-3).then_some((place, surface.shape, material.emission))
    }
}
