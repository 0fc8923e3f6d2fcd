//! The light that gases scatter along a ray: of sun and sky, and of the lava below.

use crate::camera::Ray;
use crate::ground::ember::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, saturate, times, v3};
use crate::media::Passed;
use crate::media::billows::billow;
use crate::media::fog::{FogField, Gas, KINDS};
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::Portable;

/// How much more a gas scatters forward than backward: Henyey and Greenstein's g.
pub const FORWARD: f32 = 0.3;
/// Shares of the light of the sun, of the sky and of the lava that gas sends on towards the eye. Light is scattered many
/// times in it: it is brighter than a single turn would make it.
pub const SUN: f32 = 0.50;
pub const SKY: f32 = 0.7;
pub const LAVA: f32 = 0.17;
/// Share of the sky's light that is left where no sun arrives any more.
pub const SHADED: f32 = 0.42;
/// Share of the sun's light that reaches a place by detours, of which absorption takes the root only: the side of a cloud that lies
/// away from the sun is grey and not dark.
pub const ASTRAY: f32 = 0.35;
/// A ray ends when no more than this share of light would come through.
pub const OPAQUE: f32 = 0.01;
/// Billows: the number of the broadest to a unit of pattern, and their strength.
pub const BROAD: f32 = 0.065;
pub const BILLOWS: f32 = 1.2;
/// Density at which gas is whole, and shares of that by which billows of no height and of all height tear thinner gas.
pub const WHOLE: f32 = 0.12;
pub const TORN: [f32; 2] = [0.2, 0.8];
/// Share of light that the side of a billow loses for its slope away from the sun, and the least and the most light that it has.
pub const RELIEF: f32 = 0.3;
pub const FACING: [f32; 2] = [0.42, 1.25];
/// How far they rise in a step, in cells.
const RISE: f64 = 0.15;
/// Height above the ground, in units of pattern, from which mountains throw no shadow on gas.
pub const LIFTED: f32 = 14.0;

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
        let (height, slope) = billow(Portable, place(p, context.land.unit, risen));
        let edge = TORN[0] + TORN[1] * height;
        let mut dense = [0.0; KINDS];
        for (dense, (kind, density)) in dense.iter_mut().zip(kinds.iter().zip(gas.densities)) {
            let torn = lerp(1.0, saturate(density / WHOLE + edge), kind.billows.min(1.0));
            *dense = kind.extinction * density * torn * (1.0 + kind.billows * BILLOWS * height).clamp(0.0, 3.0);
        }
        let all = dense[0] + dense[1];
        if all <= 0.0 {
            return true;
        }
        let albedo = kinds.iter().zip(dense).fold(V3::zeros(), |sum, (kind, dense)| sum + kind.albedo * (dense / all));
        let billowy = kinds.iter().zip(dense).map(|(kind, dense)| kind.billows.min(1.0) * (dense / all)).sum::<f32>();
        let share = 1.0 - (-all * length).exp();
        let facing = (1.0 - billowy * RELIEF * slope.dot(&context.sky.sun)).clamp(FACING[0], FACING[1]);
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

/// Place of a point in the block of billows, which rise as steps go by.
fn place(p: V3, unit: f32, risen: f32) -> V3 {
    v3(p.x, p.y - risen, p.z) * (BROAD / unit)
}

/// How far billows have risen after so many steps, in cells; it starts over now and then, which keeps it exact.
pub fn risen(steps: f64) -> f32 {
    (steps * RISE).rem_euclid(4096.0) as f32
}
