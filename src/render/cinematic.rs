//! The cinematic look of one ray: a refined lava surface, films on rock, the ground block, sky and haze.

use super::camera::Ray;
use super::crust::{Skin, Stage, heat, shade};
use super::field::{Crossing, Pace};
use super::heightfield::{Face, GroundHit};
use super::math::{V3, lerp, luminance, mix, saturate, smoothstep, times, v3};
use super::noise;

/// Linear light along `ray`, whose nearest ground is `ground`.
pub(super) fn trace(stage: &Stage, ray: &Ray, ground: Option<&GroundHit>, jitter: f32) -> V3 {
    let far = ground.map_or(f32::MAX, GroundHit::front);
    let pace = Pace { step: stage.look.step, jitter };
    let crossing = stage.field.cross(ray, far, stage.look.iso, pace);
    if let Crossing::At { t, face } = crossing {
        let point = ray.at(t);
        let normal = face.unwrap_or_else(|| stage.field.normal(point));
        let color = shade(stage, &Skin { point, normal, view: ray.direction, cut: face.is_some() });
        return hazed(stage, ray, t, color);
    }
    let behind = match ground {
        Some(hit) => hazed(stage, ray, hit.t, rock(stage, ray, hit)),
        None => stage.sky.backdrop(ray.direction),
    };
    match crossing {
        Crossing::Grazed { t, density } => grazed(stage, behind, ray.at(t), density),
        _ => behind,
    }
}

/// A ray that passes through the outermost lava without reaching its surface: a thin glow, never a dark rim.
fn grazed(stage: &Stage, behind: V3, p: V3, density: f32) -> V3 {
    let depth = smoothstep(0.45 * stage.look.iso, stage.look.iso, density);
    let heat = heat(stage, p);
    behind + stage.blackbody.shown(lerp(700.0, 1150.0, heat)) * (depth * depth * 0.5 * heat)
}

fn hazed(stage: &Stage, ray: &Ray, t: f32, color: V3) -> V3 {
    let thickness = 0.00045 * stage.look.haze * t / stage.land.unit;
    mix(stage.sky.haze(ray.direction), color, (-thickness).exp())
}

fn rock(stage: &Stage, ray: &Ray, hit: &GroundHit) -> V3 {
    match hit.face {
        Face::Top => top(stage, ray, hit.point),
        Face::Cut(normal) => strata(stage, hit.point, normal),
    }
}

fn ember(stage: &Stage, p: V3, n: V3) -> V3 {
    stage.blackbody.shown(1040.0) * (14.0 * stage.look.lava_light * stage.ember.at(p, n))
}

fn top(stage: &Stage, ray: &Ray, p: V3) -> V3 {
    let rock = stage.land.rock(p.x, p.z);
    let (open, sun) = (rock.light.x, rock.light.y);
    let sun = stage.sky.sun_color * (saturate(rock.normal.dot(&stage.sky.sun)) * sun);
    let light = sun + stage.sky.ambient(rock.normal) * open + ember(stage, p, rock.normal) * (0.4 + 0.6 * open);
    let bare = times(rock.albedo, light);
    // Liquid too thin to have a surface of its own still coats the rock.
    let film = stage.field.density(p).max(stage.field.density(p + v3(0.0, 0.5, 0.0)));
    if film <= 0.4 * stage.look.film || !stage.field.shows(p) {
        return bare;
    }
    // A ragged, crisp edge: a soft one looks like a smear.
    let ragged = film * (1.0 + 0.45 * noise::fractal(p * 1.2, 3));
    let cover = smoothstep(stage.look.film, 1.35 * stage.look.film, ragged);
    if cover <= 0.0 {
        return bare;
    }
    let normal = stage.land.block.normal(p.x, p.z, 0.8);
    mix(bare, shade(stage, &Skin { point: p, normal, view: ray.direction, cut: false }), cover)
}

/// The cut sides: layers of old flows and ash, darker towards the foot.
fn strata(stage: &Stage, at: V3, normal: V3) -> V3 {
    let heights = &stage.land.block;
    let below = (heights.heights.at(at.x, at.z) - at.y).max(0.0);
    let p = at / stage.land.unit;
    // Beds of uneven thickness, each with its own tone, parted by thin baked seams.
    let bend = noise::fractal(v3(p.x * 0.035, p.y * 0.03, p.z * 0.035), 4);
    let mottle = noise::fractal(p * 0.55, 5);
    let level = p.y * 0.17 + bend * 1.1 + 0.10 * mottle;
    let bed = level.floor();
    let tone = noise::gradient(v3(bed * 1.37 + 0.4, bed * 0.71 + 0.2, 0.6)) + 0.3 * noise::gradient(p * 0.08);
    let seam = smoothstep(0.0, 0.10, level - bed) * smoothstep(1.0, 0.93, level - bed);
    let color = mix(v3(0.040, 0.039, 0.042), v3(0.125, 0.113, 0.106), saturate(0.42 + 0.9 * tone + 0.45 * mottle));
    let color = mix(color, v3(0.105, 0.062, 0.050), smoothstep(0.10, 0.45, tone + 0.2 * mottle) * 0.6);
    let color = color * (0.8 * lerp(0.5, 1.0, seam));
    let height = saturate((at.y - heights.foot) / (0.35 * (heights.top - heights.foot)));
    let sun = stage.sky.sun_color * (saturate(normal.dot(&stage.sky.sun)) * 0.8);
    let crest = v3(at.x, at.y + below, at.z);
    let warm = ember(stage, crest, normal) * (-below * 0.35).exp();
    let light = sun + stage.sky.ambient(normal) * 1.1 + warm;
    times(color, light) * lerp(0.35, 1.0, height.sqrt())
}

/// Contrast between two pixels as an eye sees it after the tone map, roughly 0..1.
pub(super) fn contrast(a: V3, b: V3) -> f32 {
    let seen = |c: V3| {
        let l = luminance(c);
        l / (l + 0.25)
    };
    (seen(a) - seen(b)).abs()
}
