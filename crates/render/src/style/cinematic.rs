//! Light of a ray in the cinematic style: surface of the lava, thin sheets of lava on rock, ground,
//! sky and haze, and translucent media in front of these.

use nalgebra::Vector2;

use crate::camera::Ray;
use crate::contents::{SliceHit, Slices};
use crate::ground::floor::{SHADED, SLATE};
use crate::ground::heightfield::{Face, before_cut};
use crate::ground::land::surface::STONE;
use crate::ground::land::{Rock, pattern};
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::lava::crust::{Skin, body, heat, shade, temperature};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::media::billows::billow;
use crate::media::clear::Clear;
use crate::media::pass::{filmed, pass, pass_clouds};
use crate::media::plume::OPAQUE;
use crate::media::solid::{COATED, End, Met, before, crossed};
use crate::media::transmittance::{Passed, Transmittance};
use crate::media::water::{WET, net};
use crate::noise;
use crate::style::clouded;
use crate::style::shading::ShadeContext;
use crate::style::tracer::{Sight, Tracer};
use crate::style::transfer::FILM;
use crate::volume::field::{Crossing, Pace};
use lavoxel_base::simd::{Portable, Simd};

// Look constants, chosen by eye unless another reason is given; shaders read the same values by
// name.
/// Distance in cells, outwards from a plane that cuts the ground open, at which sunlight on that
/// plane is evaluated.
// Matter that stands on a cut side must not shade the face of that side.
pub const OFF_SIDE: f32 = 0.05;
/// Light in hollows of pale stone (ground on a table): fraction of the skylight that the stone
/// reflects down and sideways, and minimum of the visible fraction of the sky.
// Without both, ceilings and shaded sides of boxes on a table were black.
pub const PALE: [f32; 2] = [0.7, 0.6];
/// Fraction of the light that the ground at the foot of a lava front loses, because the front
/// blocks sky and sun.
pub const FRONT: f32 = 0.6;
/// Factor from the slope of the lava's density to the tilt of the surface normal, at the edge of a
/// thin sheet of lava; makes the sheet look swollen.
// Without swelling, a film ended flush with the ground below.
pub const SWELLS: f32 = 2.0;
/// Width of the blocks into which the edge of a thin sheet of lava breaks up, in pattern units
/// (1/128 of the simulation box's longer side).
// A soft margin looked like a dark smear; blocks of which some lie apart do not.
pub const SHED: f32 = 1.1;
/// Break-up of a sheet of lava at its edge: densities of lava on rock, relative to `LookSpec::film`
/// (the density from which lava is drawn), at and below which all blocks are detached, and at and
/// above which none is.
pub const LOOSE: [f32; 2] = [1.0, 2.2];
/// Bounds of the random factor on the density of lava in a detached block.
pub const STRAY: [f32; 2] = [0.4, 2.4];
/// Width of the seams between blocks of lava, in block widths.
pub const SEAM: f32 = 0.12;
/// Slope of the normal at the edge of a block of lava, which makes the block look rounded.
pub const ROUNDED: f32 = 0.9;
/// Weight (0 to 1) of a grey transmittance for glowing lava behind a liquid; with the liquid's own
/// transmittance alone, water would absorb the red light and turn lava green.
pub const GLOWING: f32 = 0.85;

/// Frequency of the broadest procedural stones of the ground's texture, per pattern unit (1/128 of
/// the simulation box's longer side).
// Equal in the simulation box and beyond its sides: other stones drew the edge of the box as a seam
// in the ground.
pub const STONES: f32 = 0.44;
/// Frequency of the broadest procedural stones where a plane cuts the ground open, per pattern unit
/// (1/128 of the simulation box's longer side).
pub const STONES_CUT: f32 = 0.3;
/// Octaves of the procedural stones of the ground's texture: frequency relative to the broadest
/// stones, and weight in the relief.
pub const STONES_SIZES: [[f32; 2]; 3] = [[1.0, 0.55], [3.7, 1.0], [13.7, 0.8]];
/// Minimum factor on the albedo of the ground between procedural stones.
pub const STONES_DARKEST: f32 = 0.25;
/// Fade-out of an octave of procedural stones with distance (anti-aliasing): numbers of stones per
/// pixel at and below which the octave shows fully, and at and above which it is invisible.
pub const STONES_SEEN: [f32; 2] = [0.06, 0.3];
/// Amplitude of the noise that varies the height of the procedural stones from area to area.
pub const STONES_LESS: f32 = 0.9;
/// Frequency of the noise that varies the height of the procedural stones, relative to the
/// frequency of the broadest stones.
pub const STONES_FIELDS: f32 = 0.31;
/// Rotation from the axes of the land (east, up, south) to the axes of the periodic noise of which
/// the procedural stones are made.
// The rotation is oblique, so that the periodic noise does not repeat visibly along the ground.
pub const ACROSS: [V3; 3] = [
    V3::new(0.36, 0.48, -0.8),
    V3::new(-0.8, 0.6, 0.0),
    V3::new(0.48, 0.64, 0.6),
];
/// Tilt of the ground's normal per unit of slope of the procedural stones.
pub const STONES_TILT: f32 = 0.085;
/// Increase of the ground's albedo per unit of height of the procedural stones, whose tops are thus
/// paler.
pub const STONES_TONE: f32 = 0.5;

/// Backdrop of a ray: ground, slice or sky behind all lava, with haze. Depends on ground and sky
/// alone and is reused between frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Behind {
    /// Linear RGB light of the backdrop (ground, slice or sky) without the light of the lava.
    still: V3,
    /// Linear RGB light that the backdrop (ground, slice or sky) reflects where the lava's light on
    /// it has the strength 1.
    warmed: V3,
    /// Unit normal of the ground's surface, for the lava's light on it.
    normal: V3,
    /// Distance to the ground in cells; [`f32::MAX`] if the ray meets no ground.
    t: f32,
    /// Set if the ray meets the top of the ground, which a thin sheet of lava may cover.
    top: bool,
    /// Distance in cells to the floor around the simulation box if the ray meets the floor,
    /// otherwise [`f32::MAX`].
    floor: f32,
    /// Set if the ray meets the land beyond the sides of the simulation box instead of the ground
    /// inside the box.
    beyond: bool,
}

impl Default for Behind {
    fn default() -> Self {
        let (still, warmed, normal) = (V3::zeros(), V3::zeros(), V3::y());
        Self {
            still,
            warmed,
            normal,
            t: 0.0,
            top: false,
            floor: f32::MAX,
            beyond: false,
        }
    }
}

impl Tracer for ShadeContext<'_> {
    type Behind = Behind;

    fn behind(&self, ray: &Ray, start: f32) -> Behind {
        let hit = self.land.block.hit(ray, &self.part, start);
        let around = self.surroundings().and_then(|around| around.hit(ray));
        let (t, ground, top) = match (hit, around) {
            (Some(hit), around) if around.is_none_or(|t| hit.t < t) => {
                let ground = match hit.face {
                    Face::Top => rock_on_top(self, hit.point, hit.t),
                    // If land continues beyond the simulation box, no side of the box may show
                    // through a gap between the nodes.
                    Face::Cut(_) if self.surroundings().is_some() => {
                        rock_on_top(self, hit.point, hit.t)
                    }
                    Face::Cut(normal) => strata(self, (hit.point, hit.t), normal),
                    Face::Block(normal) => block(self, hit.point, normal),
                };
                (hit.t, ground, !matches!(hit.face, Face::Cut(_)))
            }
            (_, Some(t)) => {
                let p = ray.at(t);
                let Some(around) = self.surroundings() else {
                    unreachable!("it was met")
                };
                let rock = stony(self, self.land.rock_beyond(around, p), (p, t), STONES);
                (t, lit_rock(self, rock), false)
            }
            _ => {
                let Some((still, floor)) = self
                    .floor
                    .and_then(|floor| floor.seen(ray, self.sky, self.pixel))
                else {
                    let still = self.sky.backdrop(self.view(ray));
                    return Behind {
                        still,
                        t: f32::MAX,
                        ..Behind::default()
                    };
                };
                let is_plain = self.floor.is_some_and(|floor| floor.is_plain);
                let still = if is_plain {
                    self.hazed(ray, floor, still)
                } else {
                    still
                };
                return Behind {
                    still,
                    floor,
                    t: f32::MAX,
                    ..Behind::default()
                };
            }
        };
        let is_beyond = around == Some(t);
        let clear = self.clear_air(ray, t);
        let mut still = mix(self.sky.haze(self.view(ray)), ground.still, clear);
        let plain = self.floor.filter(|floor| is_beyond && floor.is_plain);
        if let Some(plain) = plain {
            still = plain.faded(ray, (t, 0.0), still, self.sky);
        }
        let clear = clear * plain.map_or(1.0, |plain| plain.clear_beyond(ray.at(t)));
        let warmed = times(ground.warmed, self.blackbody.shown(KELVIN))
            * (STRENGTH * self.look.lava_light * clear);
        Behind {
            still,
            warmed,
            normal: ground.normal,
            t,
            top,
            beyond: is_beyond,
            floor: f32::MAX,
        }
    }

    fn slices(&self) -> Slices<'_> {
        self.slices
    }

    fn slice(hit: SliceHit) -> Behind {
        Behind {
            still: hit.light,
            t: hit.t,
            ..Behind::default()
        }
    }

    fn far(behind: &Behind) -> f32 {
        if behind.top || behind.t == f32::MAX {
            behind.t
        } else {
            before_cut(behind.t)
        }
    }

    fn veil(&self, ray: &Ray, far: f32, sight: Sight) -> Option<Transmittance> {
        let alone = self.smoke.is_some()
            && self.fog.is_none_or(|fog| fog.is_clear())
            && self.clear.is_empty();
        let Passed {
            light,
            through,
            first,
            last,
            ..
        } = match (alone, self.running && self.is_cloudy()) {
            (true, _) => pass(self, ray, far, sight),
            (false, true) => pass_clouds(self, ray, far, sight),
            (false, false) => return None,
        };
        let known = if through.max() <= OPAQUE {
            f32::MAX
        } else {
            far
        };
        Some(Transmittance {
            light,
            through,
            first,
            last,
            known,
        })
    }

    fn trace<S: Simd>(&self, _: S, ray: &Ray, behind: &Behind, sight: Sight) -> V3 {
        let end = opaque(self, ray, behind, sight);
        if sight.others.is_empty() && !self.reaches_beyond(ray) {
            return end.light;
        }
        let coated = behind.top && end.met == Met::Behind;
        let end = if sight.others.solid.is_empty() {
            end
        } else {
            before(self, ray, sight, (end, coated))
        };
        let flame = self
            .flame
            .map_or(V3::zeros(), |flame| flame.light(ray, end.t));
        through_media(self, ray, behind, sight, &end) + clouded::light(self, ray, end.t) + flame
    }

    fn opacity(&self, ray: &Ray, behind: &Behind, sight: Sight) -> f32 {
        let pace = sight.pace(self.look.step, sight.reach);
        let crossing = self
            .field
            .cross(ray, Self::far(behind), self.look.iso, pace);
        if matches!(crossing, Crossing::At { .. }) {
            return 1.0;
        }
        let pace = Pace {
            reach: sight.others.solid,
            ..pace
        };
        let solid = |clear: &Clear| crossed(self, clear, (ray, Self::far(behind)), pace);
        if self
            .solids
            .iter()
            .any(|clear| matches!(solid(clear), Crossing::At { .. }))
        {
            return 1.0;
        }
        let passed = pass(self, ray, Self::far(behind), sight);
        1.0 - passed.through.mean()
    }

    fn reaches_beyond(&self, ray: &Ray) -> bool {
        self.sea.is_some_and(|sea| sea.is_met(ray, f32::MAX))
            || self.sparks.is_near(ray)
            || self.flame.is_some_and(|flame| flame.is_near(ray))
    }

    fn bare(&self, behind: &Behind) -> Option<V3> {
        (behind.t == f32::MAX && (behind.floor == f32::MAX || self.fog.is_none()))
            .then_some(behind.still)
    }
}

/// Returns the nearest end of `ray` on lava or on `behind` (ground, slice or sky behind all lava),
/// with its light; ignores all media other than lava.
// Inlined: most of a ray's cost is here.
#[inline(always)]
fn opaque(context: &ShadeContext, ray: &Ray, behind: &Behind, sight: Sight) -> End {
    let far = <ShadeContext as Tracer>::far(behind);
    let pace = sight.pace(context.look.step, sight.reach);
    let crossing = context.field.cross(ray, far, context.look.iso, pace);
    if let Crossing::At { t, face } = crossing {
        let point = ray.at(t);
        let normal = face.unwrap_or_else(|| context.field.normal(point));
        // If land continues beyond the simulation box, the sides of the box are no cuts: lava that
        // reaches a side keeps its crust there.
        let cut = face.is_some() && !context.goes_on;
        let color = shade(
            context,
            &Skin {
                point,
                normal,
                view: context.view(ray),
                cut,
            },
        );
        return End {
            light: context.hazed(ray, t, color),
            t,
            met: Met::Lava,
        };
    }
    let behind = if behind.t == f32::MAX {
        surroundings(context, ray, behind)
    } else {
        rock(context, ray, behind)
    };
    let light = match crossing {
        Crossing::Grazed { t, density } => grazed(context, behind, ray.at(t), density),
        _ => behind,
    };
    End {
        light,
        t: far,
        met: Met::Behind,
    }
}

/// Returns the linear RGB light of the ray's end `end` after the media in front of the end have
/// attenuated it and added their own light.
fn through_media(
    context: &ShadeContext,
    ray: &Ray,
    behind: &Behind,
    sight: Sight,
    end: &End,
) -> V3 {
    let passed = pass(context, ray, end.t, sight);
    let light = match (behind.top && end.met == Met::Behind, passed.ends_inside) {
        (true, true) => times(end.light, WET) * net(context, ray.at(end.t)),
        (true, false) => filmed(context, ray, end.t, end.light),
        (false, true) if end.met == Met::Solid || behind.beyond => {
            times(end.light, WET) * net(context, ray.at(end.t))
        }
        (false, _) => end.light,
    };
    if passed.first == f32::MAX {
        return light;
    }
    // Haze is added only between the eye and the first surface; light from behind that surface
    // already includes its haze.
    let clear = context.clear_air(ray, passed.first);
    let haze = context.sky.haze(context.view(ray)) * (1.0 - clear);
    // Water absorbs red first, which would turn glowing lava green. The eye adapts and still sees
    // red.
    let gray = V3::repeat(passed.through.dot(&v3(0.5, 0.35, 0.15)));
    let through = if end.met == Met::Lava {
        mix(passed.through, gray, GLOWING)
    } else {
        passed.through
    };
    haze + passed.light * clear + times(through, (light - haze).map(|c| c.max(0.0)))
}

/// Returns the linear RGB light of a ray that passes the lava at the point `p` (cells), where the
/// density is `density`, without meeting its surface: light `behind` the lava plus a faint glow,
/// never a dark rim.
fn grazed(context: &ShadeContext, behind: V3, p: V3, density: f32) -> V3 {
    let depth = smoothstep(0.45 * context.look.iso, context.look.iso, density);
    let heat = heat(context, p);
    if let Some(kelvin) = temperature(context, p) {
        return behind + body(context, kelvin) * (depth * depth * 0.3 * heat);
    }
    behind + context.blackbody.shown(lerp(700.0, 1150.0, heat)) * (depth * depth * 0.5 * heat)
}

/// Returns the linear RGB light of the ground that `ray` meets, including the lava's light and a
/// thin sheet of lava on the rock.
fn rock(context: &ShadeContext, ray: &Ray, behind: &Behind) -> V3 {
    let mut p = ray.at(behind.t);
    let over = if behind.top { over(context, p) } else { 0.0 };
    let off = if behind.beyond {
        V3::zeros()
    } else {
        behind.normal * OFF_SIDE
    };
    let sunlight = if behind.top {
        context.sunlight(p)
    } else {
        context.sunlight_beside(p + off)
    };
    if !behind.top && !behind.beyond {
        // Lava lights a cut side from above its upper edge.
        p.y = p.y.max(context.land.block.heights.at(p.x, p.z));
    }
    let lit = V3::repeat(context.ember.at(p, behind.normal));
    let lit = match context.flame {
        Some(flame) => {
            lit + flame.on_rock(p, behind.normal, context.blackbody.shown(KELVIN) * STRENGTH)
        }
        None => lit,
    };
    // A lava front occludes sky and sun for the ground at its foot.
    let hidden = 1.0 - FRONT * smoothstep(0.0, context.look.film, over);
    let bare = behind.still * (lerp(SHADED, 1.0, sunlight) * hidden) + times(behind.warmed, lit);
    if over <= FILM * context.look.film {
        return bare;
    }
    let margin = margin(context, p, over);
    if margin.cover <= 0.0 {
        return bare;
    }
    let normal = unit_or_up(toe(context, p) - margin.rise);
    let coat = shade(
        context,
        &Skin {
            point: p,
            normal,
            view: context.view(ray),
            cut: false,
        },
    );
    mix(bare, context.hazed(ray, behind.t, coat), margin.cover)
}

/// Edge of a thin sheet of lava on rock, at a point.
pub(crate) struct Margin {
    /// Fraction (0 to 1) of the rock at the point that the sheet covers.
    pub(crate) cover: f32,
    /// Slope that is added to the normal because the sheet's edge breaks up into rounded blocks.
    pub(crate) rise: V3,
}

/// Returns the edge of a thin sheet of lava of the density `over` on the rock at the point `p`
/// (cells), where the sheet breaks up into partly detached blocks.
// A soft edge looks like a smear.
pub(crate) fn margin(context: &ShadeContext, p: V3, over: f32) -> Margin {
    let (film, bent) = (context.look.film, noise::fractal(p * 1.2, 3));
    let block = noise::plate(
        (p + V3::repeat(0.3 * bent)) / (SHED * context.land.unit),
        V3::zeros(),
    );
    let loose = 1.0 - smoothstep(LOOSE[0] * film, LOOSE[1] * film, over);
    let ragged =
        over * (1.0 + 0.45 * bent) * lerp(1.0, lerp(STRAY[0], STRAY[1], block.tone), loose);
    let seam = smoothstep(0.0, SEAM, block.edge);
    let cover = smoothstep(film, 1.2 * film, ragged) * lerp(1.0, seam, loose * loose);
    Margin {
        cover,
        rise: block.inward * (loose * ROUNDED * (1.0 - smoothstep(0.0, 0.4, block.edge))),
    }
}

/// Returns the linear RGB light of a ray that meets no ground: that of the floor, including shadows
/// of matter in the simulation box, or that of the sky.
fn surroundings(context: &ShadeContext, ray: &Ray, behind: &Behind) -> V3 {
    match context.floor {
        Some(floor) if behind.floor < f32::MAX => {
            let p = ray.at(behind.floor);
            let flame = context.flame.map_or(V3::zeros(), |flame| {
                times(V3::from(SLATE), flame.at(p, V3::y()))
            });
            behind.still * floor.shaded(p, context.sky.sun, |p| context.sunlight(p)) + flame
        }
        _ => behind.still,
    }
}

/// Returns the density (0 to 1) of the lava on the rock at the point `p` (cells): the larger of the
/// densities there and half a cell above.
// Lava too thin for an isosurface coats the rock. The occupancy bricks are tested first, which is
// cheaper.
pub(crate) fn over(context: &ShadeContext, p: V3) -> f32 {
    let (field, above) = (context.field, p + v3(0.0, 0.5, 0.0));
    if !field.is_occupied(p) && !field.is_occupied(above) {
        return 0.0;
    }
    field.density(p).max(field.density(above))
}

/// Returns the unit normal of a thin sheet of lava on the rock at the point `p` (cells): the sheet
/// swells inwards from its edge, like the toe of a flow.
pub(crate) fn toe(context: &ShadeContext, p: V3) -> V3 {
    let normal = context.land.block.normal(p.x, p.z, COATED);
    let rise = context.field.rise(p + v3(0.0, 0.5, 0.0), COATED);
    unit_or_up(normal - (rise - normal * rise.dot(&normal)) * SWELLS)
}

/// Shading of a point of the ground: linear RGB light without the lava's light (`still`),
/// reflectance (RGB) for the lava's light (`warmed`), and unit normal.
struct GroundShade {
    still: V3,
    warmed: V3,
    normal: V3,
}

/// Returns the shading of the top of the ground at the point `p` (cells), seen from a camera at the
/// distance `t` (cells).
fn rock_on_top(context: &ShadeContext, p: V3, t: f32) -> GroundShade {
    let rock = context.land.rock(p.x, p.z);
    lit_rock(
        context,
        if context.land.is_stone() {
            rock
        } else {
            stony(context, rock, (p, t), STONES)
        },
    )
}

/// Returns `rock` at the point `p` (cells) with procedural stones, finer than the ground's nodes,
/// added to its normal and albedo, if pixels at the distance `t` (cells) resolve them. `stones`:
/// frequency of the broadest stones, per pattern unit (1/128 of the simulation box's longer side).
pub(crate) fn stony(context: &ShadeContext, rock: Rock, (p, t): (V3, f32), stones: f32) -> Rock {
    let [east, up, south] = ACROSS;
    let place = pattern(p, context.land.unit, context.land.block.tall);
    let place = east * place.x + up * place.y + south * place.z;
    let seen = |stones: f32| {
        let pixel = t * context.pixel * stones / context.land.unit;
        saturate((STONES_SEEN[1] - pixel) / (STONES_SEEN[1] - STONES_SEEN[0]))
    };
    if seen(stones) <= 0.0 {
        return rock;
    }
    // A lower frequency of the same noise varies the stones' relief from field to field.
    let more = 1.0 + STONES_LESS * billow(Portable, place * (stones * STONES_FIELDS)).0;
    let (mut tall, mut rise) = (0.0, V3::zeros());
    for [finer, share] in STONES_SIZES {
        let stones = stones * finer;
        let seen = seen(stones);
        if seen <= 0.0 {
            break;
        }
        let (height, slope) = billow(Portable, place * stones);
        let seen = share * seen * more;
        tall += height * seen;
        rise += v3(east.dot(&slope), up.dot(&slope), south.dot(&slope)) * seen;
    }
    let rise = rise - rock.normal * rise.dot(&rock.normal);
    let normal = unit_or_up(rock.normal - rise * STONES_TILT);
    Rock {
        albedo: rock.albedo * (1.0 + STONES_TONE * tall).max(STONES_DARKEST),
        normal,
        ..rock
    }
}

/// Returns the shading of the ground's top by sun and sky from its surface properties `rock`.
fn lit_rock(context: &ShadeContext, rock: Rock) -> GroundShade {
    let (open, sun) = (rock.light.x, rock.light.y);
    let sun = context.sky.sun_color * (saturate(rock.normal.dot(&context.sky.sun)) * sun);
    let light = sun + ambient(context, rock.normal, open);
    GroundShade {
        still: times(rock.albedo, light),
        warmed: rock.albedo * (0.4 + 0.6 * open),
        normal: rock.normal,
    }
}

/// Returns the linear RGB skylight on rock with the unit normal `normal` from which the fraction
/// `open` (0 to 1) of the sky is visible. Pale stone gets additional light in hollows.
fn ambient(context: &ShadeContext, normal: V3, open: f32) -> V3 {
    let sky = context.sky;
    if !context.land.is_stone() {
        return sky.ambient(normal) * open;
    }
    let bounced = sky.ambient(V3::y()) * PALE[0];
    sky.ambient(normal).zip_map(&bounced, f32::max) * open.max(PALE[1])
}

/// Returns the shading of a cell's face or of a cave's wall at the point `p` (cells); `side`:
/// outward normal there. The albedo is that of the ground above.
fn block(context: &ShadeContext, p: V3, side: V3) -> GroundShade {
    let rock = context.land.block_rock(p, side, context.sky.sun);
    let sun = context.sky.sun_color * (saturate(rock.normal.dot(&context.sky.sun)) * rock.light.y);
    let light = sun + ambient(context, rock.normal, rock.light.x);
    GroundShade {
        still: times(rock.albedo, light),
        warmed: rock.albedo * (0.4 + 0.6 * rock.light.x),
        normal: rock.normal,
    }
}

/// Returns the surface properties, without light, of a plane that cuts the ground open, with the
/// outward normal `normal`, at the point `at` (cells), seen from the distance `t` (cells): strata of
/// old flows and ash.
pub(crate) fn strata_rock(context: &ShadeContext, (at, t): (V3, f32), normal: V3) -> Rock {
    let heights = &context.land.block;
    let p = pattern(at, context.land.unit, heights.tall);
    // Beds of uneven thickness, each with its own tone, separated by thin baked seams.
    let bend = noise::fractal(v3(p.x * 0.035, p.y * 0.03, p.z * 0.035), 4);
    let mottle = noise::fractal(p * 0.55, 5);
    let level = p.y * 0.17 + bend * 1.1 + 0.10 * mottle;
    let bed = level.floor();
    let tone = noise::gradient(v3(bed * 1.37 + 0.4, bed * 0.71 + 0.2, 0.6))
        + 0.3 * noise::gradient(p * 0.08);
    let seam = smoothstep(0.0, 0.10, level - bed) * smoothstep(1.0, 0.93, level - bed);
    let color = mix(
        v3(0.040, 0.039, 0.042),
        v3(0.125, 0.113, 0.106),
        saturate(0.42 + 0.9 * tone + 0.45 * mottle),
    );
    let color = mix(
        color,
        v3(0.105, 0.062, 0.050),
        smoothstep(0.10, 0.45, tone + 0.2 * mottle) * 0.6,
    );
    let beds = color * (0.8 * lerp(0.5, 1.0, seam));
    if context.land.is_stone() {
        Rock {
            albedo: V3::from(STONE),
            normal,
            light: Vector2::zeros(),
        }
    } else {
        stony(
            context,
            Rock {
                albedo: beds,
                normal,
                light: Vector2::zeros(),
            },
            (at, t),
            STONES_CUT,
        )
    }
}

/// Returns the shading of a plane that cuts the ground open, with the outward normal `normal`, at
/// the point `at` (cells), seen from the distance `t` (cells): strata, darker towards the bottom.
fn strata(context: &ShadeContext, (at, t): (V3, f32), normal: V3) -> GroundShade {
    let heights = &context.land.block;
    let below = (heights.heights.at(at.x, at.z) - at.y).max(0.0);
    let face = strata_rock(context, (at, t), normal);
    let height = saturate((at.y - heights.foot) / (0.35 * (heights.top - heights.foot)));
    let sun = context.sky.sun_color * (saturate(face.normal.dot(&context.sky.sun)) * 0.8);
    let color = face.albedo * lerp(0.35, 1.0, height.sqrt());
    let light = sun + context.sky.ambient(face.normal) * 1.1;
    GroundShade {
        still: times(color, light),
        warmed: color * (-below * 0.35).exp(),
        normal,
    }
}
