//! The light that gases scatter along a ray: of sun and sky, and of the lava below.

use crate::render::camera::Ray;
use crate::render::ground::ember::{KELVIN, STRENGTH};
use crate::render::math::{V3, in_cells, lerp, times, v3};
use crate::render::media::Passed;
use crate::render::media::fog::{FogField, Gas, KINDS};
use crate::render::noise;
use crate::render::style::shading::ShadeContext;

/// How much more a gas scatters forward than backward: Henyey and Greenstein's g.
pub(crate) const FORWARD: f32 = 0.3;
/// Shares of the light of the sun, of the sky and of the lava that gas sends on towards the eye. Light is scattered many
/// times in it: it is brighter than a single turn would make it.
pub(crate) const SUN: f32 = 0.50;
pub(crate) const SKY: f32 = 0.7;
pub(crate) const LAVA: f32 = 0.16;
/// Share of the sky's light that is left where no sun arrives any more.
pub(crate) const SHADED: f32 = 0.42;
/// Share of the sun's light that reaches a place by detours, of which absorption takes the root only: the side of a cloud that lies
/// away from the sun is grey and not dark.
pub(crate) const ASTRAY: f32 = 0.35;
/// A ray ends when no more than this share of light would come through.
pub(crate) const OPAQUE: f32 = 0.01;
/// Billows: the number of the broadest to a unit of pattern, and their strength.
pub(crate) const BROAD: f32 = 0.19;
pub(crate) const BILLOWS: f32 = 2.6;
/// Share of light that a billow takes from the next for its height towards the sun, and the least and the most light that one has; the way
/// towards the sun in edges of the broadest, and the share of what is seen from which it is looked for.
pub(crate) const RELIEF: f32 = 0.42;
pub(crate) const FACING: [f32; 2] = [0.42, 1.25];
pub(crate) const TOWARD: f32 = 0.34;
pub(crate) const SHAPED: f32 = 0.02;
/// How far they rise in a step, in cells.
const RISE: f64 = 0.15;
/// Height above the ground, in units of pattern, from which mountains throw no shadow on gas.
pub(crate) const LIFTED: f32 = 14.0;

/// The light that scatters in gas, the same along a whole ray.
struct Light {
    sun: V3,
    sky: V3,
    lava: V3,
}

/// A part of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    pub(crate) ray: &'a Ray,
    pub(crate) from: f32,
    pub(crate) to: f32,
    /// Shift of the first sample, 0..1 steps.
    pub(crate) jitter: f32,
}

/// Adds what the gases along a stretch of a ray do to its light.
pub(crate) fn scatter(context: &ShadeContext, fog: &FogField, passed: &mut Passed, stretch: Stretch) {
    let Stretch { ray, from, to, jitter } = stretch;
    let light = light(context, ray);
    let (kinds, length, risen) = (fog.kinds(), fog.step() * context.pace(ray), risen(context.steps));
    fog.walk(ray, (from, to), jitter, |t, p| {
        let gas = fog.at(p);
        if gas.is_nothing() {
            return true;
        }
        let billow = billow(p, context.land.unit, risen);
        let mut dense = [0.0; KINDS];
        for (dense, (kind, density)) in dense.iter_mut().zip(kinds.iter().zip(gas.densities)) {
            *dense = kind.extinction * density * (1.0 + kind.billows * billow).clamp(0.0, 3.0);
        }
        let all = dense[0] + dense[1];
        if all <= 0.0 {
            return true;
        }
        let albedo = kinds.iter().zip(dense).fold(V3::zeros(), |sum, (kind, dense)| sum + kind.albedo * (dense / all));
        let share = 1.0 - (-all * length).exp();
        let seen = share * passed.through.max();
        let facing = if seen > SHAPED { facing(context, p, (billow, risen)) } else { 1.0 };
        passed.first = passed.first.min(t);
        passed.last = passed.last.max(t);
        passed.light += times(passed.through, times(albedo, lit(context, &light, p, &gas) * facing)) * share;
        passed.through *= 1.0 - share;
        passed.through.max() > OPAQUE
    });
}

fn light(context: &ShadeContext, ray: &Ray) -> Light {
    let sky = context.sky;
    let ambient = sky.ambient[0] * 0.75 + sky.ambient[1] * 0.25;
    Light {
        sun: sky.sun_color * (SUN * phase(context.view(ray).dot(&sky.sun))),
        sky: ambient * SKY,
        lava: context.blackbody.shown(KELVIN) * (STRENGTH * LAVA * context.look.lava_light),
    }
}

/// Light that arrives at a point in gas, and is sent on towards the eye.
fn lit(context: &ShadeContext, light: &Light, p: V3, gas: &Gas) -> V3 {
    let open = context.beside_ground(p);
    let glow = context.ember.around(p, context.land.unit) * gas.below;
    let around = gas.sun.sqrt();
    light.sun * (lerp(gas.sun, around, ASTRAY) * open) + light.sky * lerp(SHADED, 1.0, around) + light.lava * glow
}

/// Henyey and Greenstein's share of light by the cosine of the angle of its turn; 1 on average.
pub(crate) fn phase(cosine: f32) -> f32 {
    (1.0 - FORWARD * FORWARD) / (1.0 + FORWARD * FORWARD - 2.0 * FORWARD * cosine).powf(1.5)
}

/// Irregularity of the density, 0 on average: billows that rise as steps go by.
fn billow(p: V3, unit: f32, risen: f32) -> f32 {
    BILLOWS * noise::fractal(v3(p.x, p.y - risen, p.z) * (BROAD / unit), 2)
}

/// Share of its light that a place in a billow of this height has: one towards the sun that is higher shades it.
fn facing(context: &ShadeContext, p: V3, (height, risen): (f32, f32)) -> f32 {
    let unit = context.land.unit;
    let sun = in_cells(context.sky.sun, context.look.cell_height) * (TOWARD * unit / BROAD);
    (1.0 - RELIEF * (billow(p + sun, unit, risen) - height)).clamp(FACING[0], FACING[1])
}

/// How far billows have risen after so many steps, in cells; it starts over now and then, which keeps it exact.
pub(crate) fn risen(steps: f64) -> f32 {
    (steps * RISE).rem_euclid(4096.0) as f32
}
