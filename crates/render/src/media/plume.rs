//! The light that smoke in the air scatters along a ray: of sun and sky, and of the lava below.

use crate::camera::Ray;
use crate::ground::ember::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, v3};
use crate::media::Passed;
use crate::media::billows::{billow, billow_pair};
use crate::media::smoke::{Puff, SmokeField};
use crate::media::steam::Stretch;
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::{Level, Simd, Work};

/// A ray ends when no more than this share of light would come through.
pub const OPAQUE: f32 = 0.015;
/// Shares of the light of the sun that smoke sends on, before its albedo: what comes straight, and what comes by detours, which
/// absorb half of what the straight way does and come from all sides.
pub const STRAIGHT: f32 = 0.6;
pub const ASTRAY: f32 = 0.1;
/// Share of the light of the sky and of the lava.
pub const SKY: f32 = 0.55;
pub const LAVA: f32 = 0.32;
/// Henyey and Greenstein's g of the lobes ahead and back, and the share of the one ahead: a thin edge before the sun shines.
pub const AHEAD: f32 = 0.6;
pub const BACK: f32 = -0.25;
pub const LOBE: f32 = 0.5;
/// Light of the sky that arrives where least does.
pub const SHADED: f32 = 0.15;
/// Share of its albedo that the densest ash loses, and the optical depth of an air cell at which it loses half of that: fresh ash
/// over a vent is coarse and dark, and what has spread out is pale.
pub const DARKENED: f32 = 0.85;
pub const HALF_DARKENED: f32 = 0.4;
/// White of drops of water.
pub const DROPS: V3 = V3::new(0.92, 0.93, 0.95);
/// How much of its light a bright place in steam loses to what lies around it: without it all of a puff would be white.
pub const EVENED: f32 = 0.5;
/// Edge of the broadest billows in air cells.
pub const BILLOW: f32 = 11.0;
/// How much billows count in dense smoke, and how much more where it is thin: its edge is made of them.
pub const ROUGH: f32 = 2.0;
pub const RAGGED: f32 = 2.6;
/// How much darker the side of a billow is that lies away from the sun, and how much more of the sky the upper side sees.
pub const RELIEF: f32 = 0.5;
pub const UPPER: f32 = 0.25;
/// Least and most of the sun's light that a billow has for its slope.
pub const FACING: [f32; 2] = [0.3, 1.9];
/// Share of the sky's light from above on a place without a slope.
pub const ABOVE: f32 = 0.7;
/// Light that the hollows between billows lose, the least that gets into one, and heights of a hollow and of a crest.
pub const HOLLOW: f32 = 1.1;
pub const DEEPEST: f32 = 0.3;
pub const HOLLOWS: [f32; 2] = [-0.75, 0.55];
/// Steps after which billows that the flow carries begin again; half of them are in the middle of their time then.
const PERIOD: f64 = 7.0;

/// Billows' edges that the flow carries them at most. Where it shears, ones that it carried farther would be drawn out into stripes
/// thinner than its cells.
pub const FARTHEST: f32 = 0.35;

/// Steps that count of those for which a flow has carried billows, at a speed in their edges a step: farther ones lag behind.
#[inline(always)]
fn carried(speed: f32, steps: f32) -> f32 {
    steps * (FARTHEST / (FARTHEST + speed * steps))
}

/// Shift of the second generation of billows.
pub const BEGAN: V3 = V3::new(1.37, 2.71, 0.19);
/// Weight of a generation up to which it is left out.
pub const FAINT: f32 = 0.02;

/// The light that scatters in smoke, the same along a whole ray.
struct Light {
    toward: V3,
    /// Of the sun, straight and by detours.
    straight: V3,
    astray: V3,
    /// Of the sky, and of the ground under it.
    above: V3,
    below: V3,
    lava: V3,
}

/// Billows of two generations that the flow carries, one of them fading in while the other fades out.
#[derive(Clone, Copy, Debug)]
pub struct Generations {
    /// Steps that the flow has carried them, their shift, and their weights.
    pub carried: [(f32, V3, f32); 2],
}

impl Generations {
    /// After so many steps.
    pub fn at(steps: f64) -> Self {
        let of = |half: f64| {
            let turns = steps / PERIOD + half;
            let part = turns - turns.floor();
            let weight = 1.0 - (2.0 * part - 1.0).abs();
            // Where a generation begins again is always the same: other billows each time would boil.
            let began = BEGAN * (2.0 * half) as f32;
            ((part * PERIOD) as f32, began, weight as f32)
        };
        let [a, b] = [of(0.0), of(0.5)];
        // The sum of two noises varies less than either.
        let even = (a.2 * a.2 + b.2 * b.2).sqrt();
        Self { carried: [(a.0, a.1, a.2 / even), (b.0, b.1, b.2 / even)] }
    }

    /// Height of the billows at a point, about −1 to 1, and their slope, with so many of the broadest to a voxel.
    #[inline(always)]
    fn billow<S: Simd>(&self, s: S, p: V3, flow: V3, scale: f32) -> (f32, V3) {
        let [(first, began, a), (second, other, b)] = self.carried;
        let speed = flow.norm() * scale;
        let p0 = (p - flow * carried(speed, first)) * scale + began;
        let p1 = (p - flow * carried(speed, second)) * scale + other;
        if a <= FAINT || b <= FAINT {
            let (value, rise) = billow(s, if a > b { p0 } else { p1 });
            return (a.max(b) * value, rise * a.max(b));
        }
        let [(height, slope), (other, rise)] = billow_pair(s, p0, p1);
        (height * a + other * b, slope * a + rise * b)
    }
}

/// Finer billows to a broad one, and their height and slope beside those of the broad ones; widths of a pixel in air cells between
/// which they are lost.
pub const FINER: f32 = 4.7;
pub const FINER_HEIGHT: f32 = 0.6;
pub const FINER_SLOPE: f32 = 0.5;
pub const FINER_SEEN: [f32; 2] = [0.5, 0.25];

/// Share of the light behind it that a part of a step takes at most, and the most parts of a step: the surface of dense smoke lies
/// between two samples, and light changes there within less than a step.
pub const PART: f32 = 0.16;
pub const PARTS: f32 = 6.0;

/// Adds what the smoke along a stretch of a ray does to its light. A sample stands for the step that ends at it, and one at the end
/// of the stretch for what is left: without it, smoke on a surface would be thicker by the jitter of a pixel.
pub(crate) fn scatter(context: &ShadeContext, field: &SmokeField, passed: &mut Passed, stretch: Stretch) {
    let Stretch { ray, jitter, .. } = stretch;
    let Some((near, far)) = field.span(ray, stretch.to) else { return };
    let (from, to) = (near.max(stretch.from), far.min(stretch.to));
    if from >= to {
        return;
    }
    let march = March {
        context,
        field,
        light: light(context, context.view(ray)),
        pace: context.pace(ray),
        generations: context.billows,
    };
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
            if let Some(puff) = march.at(s, (t, p)) {
                march.step(s, passed, (ray, puff), (t, step.min(t - from)));
            }
            if most(passed.through) <= OPAQUE {
                return;
            }
        }
        let last = (((to / step - jitter).floor() + jitter) * step).max(from);
        if let Some(puff) = march.at(s, (to, ray.at(to))) {
            march.step(s, passed, (ray, puff), (to, to - last));
        }
    }
}

/// The largest of three shares; that of the vector is a call.
#[inline(always)]
fn most(share: V3) -> f32 {
    share.x.max(share.y).max(share.z)
}

/// e to the power of −x, for x of 0 or more, to 2e-6: the exact one is a call.
#[inline(always)]
pub(crate) fn faded(x: f32) -> f32 {
    let halvings = (x * std::f32::consts::LOG2_E).min(126.0);
    let whole = halvings as u32;
    let part = halvings - whole as f32;
    // The series of 2^−part, the last factors fitted to its ends.
    let series = 0.009_618 - part * (0.001_333_4 - part * 0.000_141);
    let series = 0.240_226_5 - part * (0.055_504_1 - part * series);
    let series = 1.0 - part * (std::f32::consts::LN_2 - part * series);
    series * f32::from_bits((127 - whole) << 23)
}

/// Inputs that all samples along a ray have in common.
struct March<'a> {
    context: &'a ShadeContext<'a>,
    field: &'a SmokeField<'a>,
    light: Light,
    generations: Generations,
    /// Widths of a cell to a unit of way along the ray.
    pace: f32,
}

/// Smoke with its billows.
struct Shaped {
    puff: Puff,
    /// Absorption to a unit of way along the ray.
    dense: f32,
    relief: Relief,
}

/// How the billow at a point catches light.
#[derive(Clone, Copy)]
struct Relief {
    /// Brightness by the side that the sun sees.
    facing: f32,
    /// Share of the sky's light that comes from above.
    up: f32,
    /// Share of the light that gets into its hollows.
    open: f32,
}

impl Relief {
    /// Of smoke without billows.
    const NONE: Self = Self { facing: 1.0, up: ABOVE, open: 1.0 };

    /// Of a billow of this height and slope.
    #[inline(always)]
    fn of(detail: f32, height: f32, slope: V3, toward: V3) -> Self {
        let facing = (1.0 - RELIEF * detail * slope.dot(&toward)).clamp(FACING[0], FACING[1]);
        let up = (ABOVE - UPPER * detail * slope.y).clamp(0.0, 1.0);
        let hollow = 1.0 - smoothstep(HOLLOWS[0], HOLLOWS[1], height);
        Self { facing, up, open: (1.0 - HOLLOW * detail * hollow).max(DEEPEST) }
    }
}

impl March<'_> {
    /// The smoke at a distance and point of a ray with its billows, where there is any.
    #[inline(always)]
    fn at<S: Simd>(&self, s: S, (t, p): (f32, V3)) -> Option<Shaped> {
        let puff = self.field.smoke.at(s, p)?;
        let detail = self.context.look.air.detail;
        if detail <= 0.0 {
            return Some(Shaped { dense: puff.dense * self.pace, puff, relief: Relief::NONE });
        }
        let edge = self.field.smoke.edge();
        let scale = 1.0 / (BILLOW * edge);
        let (mut height, mut slope) = self.generations.billow(s, p, puff.flow, scale);
        let thin = faded(puff.dense * edge);
        // Thin smoke is a veil: fine billows would tear it into specks.
        let fine = (1.0 - thin * thin)
            * saturate((t * self.context.pixel / edge - FINER_SEEN[0]) / (FINER_SEEN[1] - FINER_SEEN[0]));
        if fine > FAINT {
            let (finer, rise) = self.generations.billow(s, p, puff.flow, scale * FINER);
            height += finer * (FINER_HEIGHT * fine);
            slope += rise * (FINER_SLOPE * fine);
        }
        let dense = puff.dense * (1.0 + detail * height * (ROUGH + RAGGED * thin)).clamp(0.0, 4.0);
        let relief = Relief::of(detail, height, slope, self.light.toward);
        (dense > 0.0).then_some(Shaped { puff, dense: dense * self.pace, relief })
    }

    /// Adds the light of a length of smoke that ends at a distance, in parts where it hides much of what is seen.
    #[inline(always)]
    fn step<S: Simd>(&self, s: S, passed: &mut Passed, (ray, puff): (&Ray, Shaped), (t, length): (f32, f32)) {
        let share = 1.0 - faded(puff.dense * length);
        let hidden = share * most(passed.through);
        if hidden > PART {
            let parts = (hidden * (1.0 / PART)).ceil().min(PARTS);
            let part = length / parts;
            let mut left = parts - 1.0;
            while left > 0.0 {
                let t = t - part * left;
                if let Some(puff) = self.at(s, (t, ray.at(t))) {
                    self.add(passed, &puff, t, 1.0 - faded(puff.dense * part));
                }
                left -= 1.0;
            }
            self.add(passed, &puff, t, 1.0 - faded(puff.dense * part));
        } else {
            self.add(passed, &puff, t, share);
        }
    }

    /// Adds the light of smoke that ends at a distance and takes this share of what is behind it.
    #[inline(always)]
    fn add(&self, passed: &mut Passed, shaped: &Shaped, t: f32, share: f32) {
        let deep = shaped.puff.dense * self.field.smoke.edge();
        let pale = 1.0 - DARKENED * deep / (deep + HALF_DARKENED);
        let albedo =
            mix(tinted(self.context.look.air.albedo.into(), shaped.puff.tint) * pale, DROPS, shaped.puff.steam);
        passed.first = passed.first.min(t);
        passed.last = passed.last.max(t);
        let light = lit(&self.light, &shaped.puff, shaped.relief);
        let light = light * (1.0 / (1.0 + EVENED * shaped.puff.steam * most(light)));
        passed.light += times(passed.through, times(albedo, light)) * share;
        passed.through *= 1.0 - share;
    }
}

/// Colour of ash with inks in it.
#[inline(always)]
fn tinted(ash: V3, [red, green, blue, share]: [f32; 4]) -> V3 {
    if share == 0.0 { ash } else { mix(ash, v3(red * red, green * green, blue * blue), share) }
}

fn light(context: &ShadeContext, view: V3) -> Light {
    let sky = context.sky;
    Light {
        toward: sky.sun,
        straight: sky.sun_color * (STRAIGHT * phase(view.dot(&sky.sun))),
        astray: sky.sun_color * ASTRAY,
        above: sky.ambient[0] * SKY,
        below: sky.ambient[1] * SKY,
        lava: context.blackbody.shown(KELVIN)
            * (STRENGTH * LAVA * context.look.lava_light * context.look.air.glow * sky.adapted),
    }
}

/// Light that smoke sends on straight by the cosine between the ray and the direction to the sun, 1 on average.
fn phase(cosine: f32) -> f32 {
    let lobe = |g: f32| {
        let turned = 1.0 + g * g - 2.0 * g * cosine;
        (1.0 - g * g) / (turned * turned.sqrt())
    };
    LOBE * lobe(AHEAD) + (1.0 - LOBE) * lobe(BACK)
}

/// Light that arrives at a point in smoke, and is sent on towards the eye.
#[inline(always)]
fn lit(light: &Light, puff: &Puff, relief: Relief) -> V3 {
    let sun =
        light.straight * (puff.sun * relief.facing) + light.astray * (puff.sun.sqrt() * (0.5 + 0.5 * relief.facing));
    let sky = mix(light.below, light.above, relief.up) * lerp(SHADED, 1.0, puff.sky);
    // Light from below is caught by the lower side of a billow, as that of the sun by the side that faces it.
    let lower = 1.0 + RELIEF / UPPER * (ABOVE - relief.up);
    (sun + sky + light.lava * (puff.glow * lower)) * relief.open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn billows_in_a_shear_are_no_stripes() {
        // Two places an air cell apart, between which a quick flow differs by its half.
        for (slow, fast) in [(0.02, 0.05), (0.05, 0.1), (0.1, 0.2)] {
            let apart = fast * carried(fast, 7.0) - slow * carried(slow, 7.0);
            let moved = (fast - slow) * 7.0;
            assert!(apart > 0.0 && apart < 1.2 / BILLOW, "{apart:.3} edges, where the flow moves them by {moved:.3}");
        }
        // A slow one carries them nearly as far as it goes.
        assert!(carried(0.001, 7.0) > 6.8);
    }

    #[test]
    fn light_fades_as_the_exponential_does() {
        for i in 0..4000 {
            let x = i as f32 * 0.005;
            assert!((faded(x) - (-x).exp()).abs() < 3e-6, "{x}: {} against {}", faded(x), (-x).exp());
        }
        assert!((0.0..1e-30).contains(&faded(1e9)) && faded(f32::INFINITY) < 1e-30);
    }
}
