//! Single-scattering integration of gases along a ray: light from sun, sky, and the lava below.

use crate::camera::Ray;
use crate::ground::ember::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, saturate, times, v3};
use crate::media::Passed;
use crate::media::billows::billow;
use crate::media::fog::{FogField, Gas, KINDS};
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::Portable;

// Look constants without a named source are chosen by eye.

/// Asymmetry g of the phase function of a gas (Henyey and Greenstein): forward over backward
/// scattering.
pub const FORWARD: f32 = 0.3;
/// Fraction of sunlight that gas scatters towards the eye. Light is scattered many times in gas: a
/// physical single-scattering value would be darker.
pub const SUN: f32 = 0.50;
/// Fraction of skylight that gas scatters towards the eye.
pub const SKY: f32 = 0.7;
/// Fraction of the lava's light that gas scatters towards the eye.
pub const LAVA: f32 = 0.17;
/// Fraction of skylight left where no sunlight arrives.
pub const SHADED: f32 = 0.42;
/// Fraction of sunlight that is multiply scattered, and attenuated only by the square root of the
/// transmittance: the side of a cloud that faces away from the sun is grey, not dark.
pub const ASTRAY: f32 = 0.35;
/// Transmittance at which a ray terminates early.
pub const OPAQUE: f32 = 0.01;
/// Frequency of the broadest billows per pattern unit.
pub const BROAD: f32 = 0.065;
/// Amplitude of the density modulation by billows.
pub const BILLOWS: f32 = 1.2;
/// Density (0 to 1) from which billows leave no gaps in the gas.
pub const WHOLE: f32 = 0.12;
/// Offset added to density / [`WHOLE`]; the sum, clamped to 0..1, is the factor by which billows
/// thin out the gas. Constant part, and factor of the billow's height.
pub const TORN: [f32; 2] = [0.2, 0.8];
/// Fraction of light lost on the side of a billow that faces away from the sun.
pub const RELIEF: f32 = 0.3;
/// Lower and upper bound of the light factor by slope.
pub const FACING: [f32; 2] = [0.42, 1.25];
/// Rise of the billows per step, in cells.
const RISE: f64 = 0.15;
/// Height above the ground, in pattern units, above which mountains cast no shadow on gas.
pub const LIFTED: f32 = 14.0;

/// Incident light per ray, constant along the ray.
struct Light {
    sun: V3,
    sky: V3,
    lava: V3,
}

/// Segment of a ray between two distances in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    pub(crate) ray: &'a Ray,
    pub(crate) from: f32,
    pub(crate) to: f32,
    /// Offset of the first sample in steps, 0 to 1.
    pub(crate) jitter: f32,
}

/// Integrates the gases along the segment `stretch` into `passed`.
pub(crate) fn scatter(
    context: &ShadeContext,
    fog: &FogField,
    passed: &mut Passed,
    stretch: Stretch,
) {
    let Stretch {
        ray,
        from,
        to,
        jitter,
    } = stretch;
    let light = light(context, ray);
    let (kinds, length, risen) = (
        fog.kinds(),
        fog.step() * context.pace(ray),
        risen(context.steps),
    );
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
            *dense = kind.extinction
                * density
                * torn
                * (1.0 + kind.billows * BILLOWS * height).clamp(0.0, 3.0);
        }
        let all = dense[0] + dense[1];
        if all <= 0.0 {
            return true;
        }
        let albedo = kinds
            .iter()
            .zip(dense)
            .fold(V3::zeros(), |sum, (kind, dense)| {
                sum + kind.albedo * (dense / all)
            });
        let billowy = kinds
            .iter()
            .zip(dense)
            .map(|(kind, dense)| kind.billows.min(1.0) * (dense / all))
            .sum::<f32>();
        let share = 1.0 - (-all * length).exp();
        let facing =
            (1.0 - billowy * RELIEF * slope.dot(&context.sky.sun)).clamp(FACING[0], FACING[1]);
        passed.first = passed.first.min(t);
        // The first distance serves the haze in front of the gas; the last distance decides if the
        // veil is valid for a ray that ends earlier.
        passed.last = passed.last.max(t);
        passed.light += times(
            passed.through,
            times(albedo, lit(context, &light, p, &gas) * facing),
        ) * share;
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

/// Linear RGB light scattered towards the eye at a point in gas, before the albedo.
fn lit(context: &ShadeContext, light: &Light, p: V3, gas: &Gas) -> V3 {
    let open = context.beside_ground(p);
    let glow = context.ember.around(p, context.land.unit) * gas.below;
    let around = gas.sun.sqrt();
    light.sun * (lerp(gas.sun, around, ASTRAY) * open)
        + light.sky * lerp(SHADED, 1.0, around)
        + light.lava * glow
}

/// Henyey–Greenstein phase function (average 1) by the cosine of the scattering angle.
pub(crate) fn phase(cosine: f32) -> f32 {
    (1.0 - FORWARD * FORWARD) / (1.0 + FORWARD * FORWARD - 2.0 * FORWARD * cosine).powf(1.5)
}

/// Position of `p` (cells) in the billow noise, which rises with the steps.
fn place(p: V3, unit: f32, risen: f32) -> V3 {
    v3(p.x, p.y - risen, p.z) * (BROAD / unit)
}

/// Height in cells by which billows have risen after `steps` steps; wraps around at 4096 cells,
/// which keeps the precision of `f32`.
pub fn risen(steps: f64) -> f32 {
    (steps * RISE).rem_euclid(4096.0) as f32
}
