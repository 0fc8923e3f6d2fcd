//! Integration of the automaton's gases along a ray: single scattering of light from the sun, the
//! sky and the lava below.

use crate::camera::Ray;
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, saturate, times, v3};
use crate::media::billows::billow;
use crate::media::fog::{FogField, Gas, KINDS};
use crate::media::transmittance::Passed;
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::Portable;

// Look constants without a named source are chosen by eye.

/// Asymmetry g of a gas's phase function (Henyey and Greenstein): positive values scatter forward.
pub const FORWARD: f32 = 0.3;
/// Fraction of sunlight that gas scatters towards the camera; higher than a physical value for
/// single scattering, because light is scattered many times in gas.
pub const SUN: f32 = 0.50;
/// Fraction of skylight that gas scatters towards the camera.
pub const SKY: f32 = 0.7;
/// Fraction of the lava's light that gas scatters towards the camera.
pub const LAVA: f32 = 0.17;
/// Fraction of skylight that remains in gas which no sunlight reaches.
pub const SHADED: f32 = 0.42;
/// Fraction of sunlight in gas that is scattered many times and attenuated only by the square root
/// of the transmittance, so that the side of a cloud facing away from the sun is grey and not
/// black.
pub const ASTRAY: f32 = 0.35;
/// Transmittance at which the integration of gases along a ray stops early.
pub const OPAQUE: f32 = 0.01;
/// Frequency of the broadest billows in gas, in billows per pattern unit (1/128 of the simulation
/// box's longer side).
pub const BROAD: f32 = 0.065;
/// Amplitude by which billows modulate the density of gas.
pub const BILLOWS: f32 = 1.2;
/// Density of gas (0 to 1) above which billows leave no gaps in the gas.
pub const WHOLE: f32 = 0.12;
/// Constants a and b of the gaps in gas: billows multiply the density of gas by density / `WHOLE` +
/// a + b · height of the billow, clamped to 0..1.
pub const TORN: [f32; 2] = [0.2, 0.8];
/// Decrease of the factor on the sunlight on gas per unit of a billow's slope towards the sun.
pub const RELIEF: f32 = 0.3;
/// Lower and upper bound of the factor by which a billow's slope changes the sunlight on gas.
pub const FACING: [f32; 2] = [0.42, 1.25];
/// Distance by which billows in gas rise per simulation step, in cells.
pub(crate) const RISE: f64 = 0.15;

/// Light that enters gas, constant along a ray: linear RGB before the transmittances of each sample
/// are applied.
struct Light {
    sun: V3,
    sky: V3,
    lava: V3,
}

/// Segment of a ray between the distances `from` and `to` in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'a> {
    pub(crate) ray: &'a Ray,
    pub(crate) from: f32,
    pub(crate) to: f32,
    /// Offset of the first sample, as a fraction (0 to 1) of the distance between samples.
    pub(crate) jitter: f32,
}

/// Integrates the gases of `fog` along the ray segment `stretch` and adds the result to `passed`.
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

/// Returns the linear RGB light that gas with the properties `gas` scatters towards the camera at
/// the point `p` (cells), before the albedo is applied.
fn lit(context: &ShadeContext, light: &Light, p: V3, gas: &Gas) -> V3 {
    let open = context.beside_ground(p);
    let glow = context.ember.ambient_glow(p, context.land.unit) * gas.below;
    let around = gas.sun.sqrt();
    light.sun * (lerp(gas.sun, around, ASTRAY) * open)
        + light.sky * lerp(SHADED, 1.0, around)
        + light.lava * glow
}

/// Returns the Henyey–Greenstein phase function of gas (mean 1) for `cosine`, the cosine of the
/// angle between the ray and the direction to the sun.
pub(crate) fn phase(cosine: f32) -> f32 {
    (1.0 - FORWARD * FORWARD) / (1.0 + FORWARD * FORWARD - 2.0 * FORWARD * cosine).powf(1.5)
}

/// Returns the position in the billow noise of the point `p` (cells); `unit`: pattern unit in cells
/// (1/128 of the simulation box's longer side), `risen`: height in cells by which the billows have
/// risen.
fn place(p: V3, unit: f32, risen: f32) -> V3 {
    v3(p.x, p.y - risen, p.z) * (BROAD / unit)
}

/// Returns the height in cells by which the billows in gas have risen after `steps` simulation
/// steps; restarts at 0 after 4096 cells, which keeps the precision of `f32`.
pub fn risen(steps: f64) -> f32 {
    (steps * RISE).rem_euclid(4096.0) as f32
}
