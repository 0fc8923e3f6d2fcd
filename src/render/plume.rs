//! The light that smoke in the air scatters along a ray: of sun and sky, and of the lava below.

use super::billows::billow;
use super::camera::Ray;
use super::math::{V3, lerp, mix, times, v3};
use super::media::Passed;
use super::shading::ShadeContext;
use super::smoke::{Puff, SmokeField};
use super::steam::Stretch;
use crate::simd::{Level, Simd, Work};

/// A ray ends when no more than this share of light would come through.
const OPAQUE: f32 = 0.015;
/// Shares of the light of the sun, of the sky and of the lava that smoke sends on, before its albedo.
const SUN: f32 = 0.58;
const SKY: f32 = 0.55;
const LAVA: f32 = 0.2;
/// Light of the sky that arrives where least does.
const SHADED: f32 = 0.22;
/// Share of the sun that arrives by detours, which absorb half of what the straight way does.
const ASTRAY: f32 = 0.22;
/// Share of its albedo that the densest ash loses, and the optical depth of an air cell at which it loses half of that: fresh ash
/// over a vent is coarse and dark, and what has spread out is pale.
const DARKENED: f32 = 0.66;
const HALF_DARKENED: f32 = 2.0;
/// White of drops of water.
const DROPS: V3 = V3::new(0.92, 0.93, 0.95);
/// Edges of the two sizes of billows in air cells, and how much each counts.
const SIZES: [(f32, f32); 2] = [(6.5, 0.75), (17.0, 0.65)];
/// How much more the billows count where smoke is thin: its edge is made of them.
const RAGGED: f32 = 2.2;
/// How much darker the side of a billow is that lies away from the sun.
const RELIEF: f32 = 0.2;
/// Steps after which billows that the flow carries begin again; half of them are in the middle of their time then.
const PERIOD: f64 = 7.0;

/// The light that scatters in smoke, the same along a whole ray.
struct Light {
    toward: V3,
    sun: V3,
    sky: V3,
    lava: V3,
}

/// Billows of two generations that the flow carries, one of them fading in while the other fades out.
pub(crate) struct Generations {
    /// Steps that the flow has carried them, their shift, and their weights.
    pub(crate) carried: [(f32, V3, f32); 2],
}

impl Generations {
    /// After so many steps.
    pub(crate) fn at(steps: f64) -> Self {
        let of = |half: f64| {
            let turns = steps / PERIOD + half;
            let part = turns - turns.floor();
            let weight = 1.0 - (2.0 * part - 1.0).abs();
            // Where a generation begins again is always the same: other billows each time would boil.
            let began = v3(1.37, 2.71, 0.19) * (2.0 * half) as f32;
            ((part * PERIOD) as f32, began, weight as f32)
        };
        let [a, b] = [of(0.0), of(0.5)];
        // The sum of two noises varies less than either.
        let even = (a.2 * a.2 + b.2 * b.2).sqrt();
        Self { carried: [(a.0, a.1, a.2 / even), (b.0, b.1, b.2 / even)] }
    }

    /// Height of the billows at a point, about −1 to 1, and their slope to an air cell of `edge` voxels.
    #[inline(always)]
    fn billow<S: Simd>(&self, s: S, p: V3, flow: V3, edge: f32) -> (f32, V3) {
        let (mut height, mut slope) = (0.0, V3::zeros());
        for (steps, began, weight) in self.carried {
            if weight <= 0.02 {
                continue;
            }
            let from = p - flow * steps;
            for (size, share) in SIZES {
                let (value, rise) = billow(s, from * (1.0 / (size * edge)) + began);
                height += weight * share * value;
                slope += rise * (weight * share);
            }
        }
        (height, slope)
    }
}

/// Share of the light that a step takes from which on it is walked in so many parts: the surface of dense smoke lies between two
/// samples, and light changes there within less than a step.
const DENSE: f32 = 0.3;
const PARTS: usize = 4;

/// Adds what the smoke along a stretch of a ray does to its light. A sample stands for the step that ends at it, and one at the end
/// of the stretch for what is left: without it, smoke on a surface would be thicker by the jitter of a pixel.
pub(crate) fn scatter(context: &ShadeContext, field: &SmokeField, passed: &mut Passed, stretch: Stretch) {
    let Stretch { ray, jitter, .. } = stretch;
    let Some((near, far)) = field.span(ray, stretch.to) else { return };
    let (from, to) = (near.max(stretch.from), far.min(stretch.to));
    if from >= to {
        return;
    }
    let march =
        March { context, field, light: light(context, ray.direction), generations: Generations::at(context.steps) };
    Level::fastest().run(Along { march, ray, from, to, jitter, passed });
}

/// The walk along a stretch of a ray.
struct Along<'a> {
    march: March<'a>,
    ray: &'a Ray,
    from: f32,
    to: f32,
    jitter: f32,
    passed: &'a mut Passed,
}

impl Work for Along<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let Self { march, ray, from, to, jitter, passed } = self;
        let step = march.field.step();
        let mut places = march.field.places(ray, (from, to), jitter);
        // No closures: they would be compiled without the instructions of the level.
        while let Some((t, p)) = places.next() {
            if let Some(puff) = march.at(s, p) {
                march.step(s, passed, (ray, puff), (t, step.min(t - from)));
            }
            if passed.through.max() <= OPAQUE {
                return;
            }
        }
        let last = (((to / step - jitter).floor() + jitter) * step).max(from);
        if let Some(puff) = march.at(s, ray.at(to)) {
            march.step(s, passed, (ray, puff), (to, to - last));
        }
    }
}

/// e to the power of −x, for x of 0 or more, to 2e-6: the exact one is a call.
#[inline(always)]
fn faded(x: f32) -> f32 {
    let halvings = (x * std::f32::consts::LOG2_E).min(126.0);
    let whole = halvings as u32;
    let part = halvings - whole as f32;
    // The series of 2^−part, the last factors fitted to its ends.
    let series = 0.009_618 - part * (0.001_333_4 - part * 0.000_141);
    let series = 0.240_226_5 - part * (0.055_504_1 - part * series);
    let series = 1.0 - part * (std::f32::consts::LN_2 - part * series);
    series * f32::from_bits((127 - whole) << 23)
}

/// What all samples along a ray have in common.
struct March<'a> {
    context: &'a ShadeContext<'a>,
    field: &'a SmokeField<'a>,
    light: Light,
    generations: Generations,
}

/// Smoke with its billows.
struct Shaped {
    puff: Puff,
    dense: f32,
    /// Brightness by the side of the billow that is seen.
    relief: f32,
}

impl March<'_> {
    /// The smoke at a point with its billows, where there is any.
    #[inline(always)]
    fn at<S: Simd>(&self, s: S, p: V3) -> Option<Shaped> {
        let puff = self.field.smoke.at(s, p)?;
        let detail = self.context.look.air.detail;
        if detail <= 0.0 {
            return Some(Shaped { dense: puff.dense, puff, relief: 1.0 });
        }
        let edge = self.field.smoke.edge();
        let (height, slope) = self.generations.billow(s, p, puff.flow, edge);
        let thin = faded(puff.dense * edge);
        let dense = puff.dense * (1.0 + detail * height * (1.6 + RAGGED * thin)).clamp(0.0, 4.0);
        let relief = (1.0 - RELIEF * detail * slope.dot(&self.light.toward)).clamp(0.35, 1.8);
        (dense > 0.0).then_some(Shaped { puff, dense, relief })
    }

    /// Adds the light of a length of smoke that ends at a distance, in parts where it is dense.
    #[inline(always)]
    fn step<S: Simd>(&self, s: S, passed: &mut Passed, (ray, puff): (&Ray, Shaped), (t, length): (f32, f32)) {
        if puff.dense * length <= DENSE {
            return self.add(passed, &puff, (t, length));
        }
        let part = length / PARTS as f32;
        for i in 1..PARTS {
            let t = t - part * (PARTS - i) as f32;
            if let Some(puff) = self.at(s, ray.at(t)) {
                self.add(passed, &puff, (t, part));
            }
        }
        self.add(passed, &puff, (t, part));
    }

    /// Adds the light of a length of smoke at a distance.
    #[inline(always)]
    fn add(&self, passed: &mut Passed, shaped: &Shaped, (t, length): (f32, f32)) {
        let share = 1.0 - faded(shaped.dense * length);
        let deep = shaped.puff.dense * self.field.smoke.edge();
        let pale = 1.0 - DARKENED * deep / (deep + HALF_DARKENED);
        let albedo = mix(V3::from(self.context.look.air.albedo) * pale, DROPS, shaped.puff.steam);
        passed.first = passed.first.min(t);
        passed.light += times(passed.through, times(albedo, lit(&self.light, &shaped.puff, shaped.relief))) * share;
        passed.through *= 1.0 - share;
    }
}

fn light(context: &ShadeContext, view: V3) -> Light {
    let sky = context.sky;
    let cosine = view.dot(&sky.sun);
    Light {
        toward: sky.sun,
        sun: sky.sun_color * (SUN * (0.7 + 0.5 * cosine * cosine)),
        sky: (sky.ambient[0] * 0.7 + sky.ambient[1] * 0.3) * SKY,
        lava: context.blackbody.shown(1040.0) * (14.0 * LAVA * context.look.lava_light * context.look.air.glow),
    }
}

/// Light that arrives at a point in smoke, and is sent on towards the eye.
fn lit(light: &Light, puff: &Puff, relief: f32) -> V3 {
    let sun = lerp(puff.sun, puff.sun.sqrt(), ASTRAY) * relief;
    light.sun * sun + light.sky * (lerp(SHADED, 1.0, puff.sky) * (0.6 + 0.4 * relief)) + light.lava * puff.glow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_fades_as_the_exponential_does() {
        for i in 0..4000 {
            let x = i as f32 * 0.005;
            assert!((faded(x) - (-x).exp()).abs() < 3e-6, "{x}: {} against {}", faded(x), (-x).exp());
        }
        assert!((0.0..1e-30).contains(&faded(1e9)) && faded(f32::INFINITY) < 1e-30);
    }
}
