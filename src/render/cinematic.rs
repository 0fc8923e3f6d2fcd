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
    if film <= 0.4 * stage.look.film {
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
    let bend = noise::fractal(v3(p.x * 0.05, p.y * 0.10, p.z * 0.05), 4);
    let level = p.y * 0.42 + bend * 2.2;
    let layer = noise::gradient(v3(level, 3.7, 0.4)) + 0.5 * noise::gradient(v3(level * 2.7, 1.2, 8.0));
    let grain = noise::fractal(v3(p.x * 0.5, p.y * 1.6, p.z * 0.5), 4);
    let color = mix(v3(0.040, 0.035, 0.036), v3(0.190, 0.150, 0.124), saturate(0.45 + 0.75 * layer + 0.30 * grain));
    let color = mix(color, v3(0.185, 0.085, 0.052), smoothstep(0.20, 0.60, layer - 0.6 * bend) * 0.7);
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
