//! Integration of smoke (ash and steam in the air) along a ray: single scattering of light from the
//! sun, the sky and the lava below.

use crate::camera::Ray;
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, v3};
use crate::media::Passed;
use crate::media::billows::{billow, billow_pair};
use crate::media::smoke::{Puff, SmokeField};
use crate::media::steam::Stretch;
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::{Level, Simd, Work};

// Look constants without a named source are chosen by eye.

/// Transmittance at which the integration along a ray stops early.
pub const OPAQUE: f32 = 0.015;
/// Fraction of direct sunlight that smoke scatters towards the camera, before the albedo.
pub const STRAIGHT: f32 = 0.6;
/// Fraction of multiply scattered sunlight that reaches the camera, before the albedo. This light
/// is isotropic and half as much attenuated (square root of the transmittance).
pub const ASTRAY: f32 = 0.1;
/// Fraction of skylight that smoke scatters towards the camera, before the albedo.
pub const SKY: f32 = 0.55;
/// Fraction of the lava's light that smoke scatters towards the camera, before the albedo.
pub const LAVA: f32 = 0.32;
/// Asymmetry g of the forward lobe of the phase function (Henyey and Greenstein).
pub const AHEAD: f32 = 0.6;
/// Asymmetry g of the backward lobe of the phase function.
pub const BACK: f32 = -0.25;
/// Weight of the forward lobe (0 to 1); the second lobe makes thin edges in front of the sun shine.
pub const LOBE: f32 = 0.5;
/// Fraction of skylight that reaches the darkest smoke.
pub const SHADED: f32 = 0.15;
/// Fraction of its albedo that the densest ash loses: fresh ash above a vent is coarse and dark,
/// diluted ash is pale.
pub const DARKENED: f32 = 0.85;
/// Optical depth across an air cell at which the ash in the cell is darkened by half of
/// [`DARKENED`].
pub const HALF_DARKENED: f32 = 0.4;
/// Albedo of water drops, linear RGB.
pub const DROPS: V3 = V3::new(0.92, 0.93, 0.95);
/// Strength of the compression of bright light in steam; without compression, whole clouds would be
/// white.
pub const EVENED: f32 = 0.5;
/// Edge length of the broadest billows, in air cells.
pub const BILLOW: f32 = 11.0;
/// Amplitude by which billows modulate the density of dense smoke.
pub const ROUGH: f32 = 2.0;
/// Amplitude by which billows additionally modulate the density of thin smoke, where billows shape
/// the edge of the smoke.
pub const RAGGED: f32 = 2.6;
/// Fraction of sunlight that the side of a billow facing away from the sun loses.
pub const RELIEF: f32 = 0.5;
/// Fraction of skylight that the upper side of a billow gains.
pub const UPPER: f32 = 0.25;
/// Lower and upper bound of the sunlight factor that depends on the slope of a billow.
pub const FACING: [f32; 2] = [0.3, 1.9];
/// Fraction of skylight that comes from above where a billow has no slope.
pub const ABOVE: f32 = 0.7;
/// Fraction of light that is lost in hollows between billows.
pub const HOLLOW: f32 = 1.1;
/// Minimum light factor in a hollow.
pub const DEEPEST: f32 = 0.3;
/// Billow heights (about −1 to 1) at which a hollow has its full effect, and no effect.
pub const HOLLOWS: [f32; 2] = [-0.75, 0.55];
/// Lifetime of a generation of billows, in steps; the two generations are offset by half a
/// lifetime.
const PERIOD: f64 = 7.0;

/// Maximum distance by which the flow advects billows, in billow edge lengths; more would shear the
/// billows into stripes thinner than air cells.
pub const FARTHEST: f32 = 0.35;

/// Returns the time in steps for which billows are advected after `steps` steps in air of the speed
/// `speed` (billow edge lengths per step). The product with the speed approaches `FARTHEST`.
#[inline(always)]
fn carried(speed: f32, steps: f32) -> f32 {
    steps * (FARTHEST / (FARTHEST + speed * steps))
}

/// Offset of the second generation of billows in the noise, in billow edge lengths.
pub const BEGAN: V3 = V3::new(1.37, 2.71, 0.19);
/// Weight below which a generation is not evaluated.
pub const FAINT: f32 = 0.02;

/// Light that enters smoke, constant along a ray: colours (linear RGB) before the transmittances at
/// a sample.
struct Light {
    toward: V3,
    /// Direct sunlight, linear RGB.
    straight: V3,
    /// Multiply scattered sunlight, linear RGB.
    astray: V3,
    /// Skylight from above, linear RGB.
    above: V3,
    /// Light from the ground below, linear RGB.
    below: V3,
    lava: V3,
}

/// Two generations of billows that the flow advects, crossfaded: one fades in while the other fades
/// out.
#[derive(Clone, Copy, Debug)]
pub struct Generations {
    /// Per generation: time in steps for which it has been advected, offset in the noise, and blend
    /// weight.
    pub carried: [(f32, V3, f32); 2],
}

impl Generations {
    /// Returns both generations after `steps` steps.
    pub fn at(steps: f64) -> Self {
        let of = |half: f64| {
            let turns = steps / PERIOD + half;
            let part = turns - turns.floor();
            let weight = 1.0 - (2.0 * part - 1.0).abs();
            // Each generation restarts with equal noise: new billows each time would look like
            // boiling.
            let began = BEGAN * (2.0 * half) as f32;
            ((part * PERIOD) as f32, began, weight as f32)
        };
        let [a, b] = [of(0.0), of(0.5)];
        // The sum of two independent noises varies less than each noise: divided by the root of the
        // sum of squares, the contrast stays constant.
        let even = (a.2 * a.2 + b.2 * b.2).sqrt();
        Self {
            carried: [(a.0, a.1, a.2 / even), (b.0, b.1, b.2 / even)],
        }
    }

    /// Returns the height (about −1 to 1) and the slope of the billows at `p` (cells of the
    /// simulation). `flow`: velocity in cells per step; `scale`: number of broadest billows per
    /// cell; `s` selects the SIMD instructions.
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

/// Frequency of the fine billows, relative to the broad billows.
pub const FINER: f32 = 4.7;
/// Height of the fine billows, relative to the broad billows.
pub const FINER_HEIGHT: f32 = 0.6;
/// Slope of the fine billows, relative to the broad billows.
pub const FINER_SLOPE: f32 = 0.5;
/// Pixel widths, in air cells, from which fine billows are invisible (first), and up to which they
/// are fully visible (second).
pub const FINER_SEEN: [f32; 2] = [0.5, 0.25];

/// Maximum fraction of the visible light that a sub-step may absorb; a step that absorbs more is
/// split, because light varies strongly at the surface of dense smoke.
pub const PART: f32 = 0.16;
/// Maximum number of sub-steps per step.
pub const PARTS: f32 = 6.0;

/// Integrates the smoke along the ray segment `stretch` into `passed`. A sample represents the step
/// that ends at the sample. An additional sample at the end of the segment represents the
/// remainder; otherwise smoke in front of a surface would vary with the jitter of the pixel.
pub(crate) fn scatter(
    context: &ShadeContext,
    field: &SmokeField,
    passed: &mut Passed,
    stretch: Stretch,
) {
    let Stretch { ray, jitter, .. } = stretch;
    let Some((near, far)) = field.span(ray, stretch.to) else {
        return;
    };
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
    Level::fastest().run(Along {
        march,
        ray,
        from,
        to,
        jitter,
        passed,
    });
}

/// Task that marches a ray through smoke along a segment.
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
        let Self {
            march,
            ray,
            from,
            to,
            jitter,
            passed,
        } = self;
        let step = march.field.step();
        let mut places = march.field.places(ray, (from, to), jitter);
        // No closures: they would be compiled without the instruction set that was selected at run
        // time.
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

/// Returns the largest component; the vector's own method would be a function call.
#[inline(always)]
fn most(share: V3) -> f32 {
    share.x.max(share.y).max(share.z)
}

/// Returns exp(−x) for x ≥ 0 with an error below 2e-6; the exact function would be a function call.
#[inline(always)]
pub(crate) fn faded(x: f32) -> f32 {
    let halvings = (x * std::f32::consts::LOG2_E).min(126.0);
    let whole = halvings as u32;
    let part = halvings - whole as f32;
    // Series of 2^−part, with the last coefficients fitted to the ends of the interval.
    let series = 0.009_618 - part * (0.001_333_4 - part * 0.000_141);
    let series = 0.240_226_5 - part * (0.055_504_1 - part * series);
    let series = 1.0 - part * (std::f32::consts::LN_2 - part * series);
    series * f32::from_bits((127 - whole) << 23)
}

/// Inputs that all smoke samples along a ray share.
struct March<'a> {
    context: &'a ShadeContext<'a>,
    field: &'a SmokeField<'a>,
    light: Light,
    generations: Generations,
    /// Cell widths per unit of distance along the ray (distances are in cells).
    pace: f32,
}

/// Smoke at a point, with the effect of billows on its density and light.
struct Shaped {
    puff: Puff,
    /// Extinction of the smoke per unit of distance along the ray.
    dense: f32,
    relief: Relief,
}

/// Factors of the light at a point of a billow.
#[derive(Clone, Copy)]
struct Relief {
    /// Factor of the sunlight, by the slope towards the sun.
    facing: f32,
    /// Fraction of the skylight at this point that comes from above.
    up: f32,
    /// Factor of all light, less than 1 in hollows.
    open: f32,
}

impl Relief {
    /// Factors for smoke without billows.
    const NONE: Self = Self {
        facing: 1.0,
        up: ABOVE,
        open: 1.0,
    };

    /// Returns the factors for a point of a billow with `height` (about −1 to 1) and `slope`.
    /// `detail`: strength of the effect; `toward`: direction to the sun.
    #[inline(always)]
    fn new(detail: f32, height: f32, slope: V3, toward: V3) -> Self {
        let facing = (1.0 - RELIEF * detail * slope.dot(&toward)).clamp(FACING[0], FACING[1]);
        let up = (ABOVE - UPPER * detail * slope.y).clamp(0.0, 1.0);
        let hollow = 1.0 - smoothstep(HOLLOWS[0], HOLLOWS[1], height);
        Self {
            facing,
            up,
            open: (1.0 - HOLLOW * detail * hollow).max(DEEPEST),
        }
    }
}

impl March<'_> {
    /// Returns the smoke with its billows at `p` (cells of the simulation), at the distance `t`
    /// along the ray; `None` if it is too thin to be drawn.
    #[inline(always)]
    fn at<S: Simd>(&self, s: S, (t, p): (f32, V3)) -> Option<Shaped> {
        let puff = self.field.smoke.at(s, p)?;
        let detail = self.context.look.air.detail;
        if detail <= 0.0 {
            return Some(Shaped {
                dense: puff.dense * self.pace,
                puff,
                relief: Relief::NONE,
            });
        }
        let edge = self.field.smoke.edge();
        let scale = 1.0 / (BILLOW * edge);
        let (mut height, mut slope) = self.generations.billow(s, p, puff.flow, scale);
        let thin = faded(puff.dense * edge);
        // Fine billows would tear thin smoke into specks.
        let fine = (1.0 - thin * thin)
            * saturate(
                (t * self.context.pixel / edge - FINER_SEEN[0]) / (FINER_SEEN[1] - FINER_SEEN[0]),
            );
        if fine > FAINT {
            let (finer, rise) = self.generations.billow(s, p, puff.flow, scale * FINER);
            height += finer * (FINER_HEIGHT * fine);
            slope += rise * (FINER_SLOPE * fine);
        }
        let dense = puff.dense * (1.0 + detail * height * (ROUGH + RAGGED * thin)).clamp(0.0, 4.0);
        let relief = Relief::new(detail, height, slope, self.light.toward);
        (dense > 0.0).then_some(Shaped {
            puff,
            dense: dense * self.pace,
            relief,
        })
    }

    /// Adds to `passed` the light of a step of `length` (cells) along `ray` that ends at the
    /// distance `t` (cells) in the smoke `puff`, and its absorption; a step that absorbs much of
    /// the visible light is split into sub-steps.
    #[inline(always)]
    fn step<S: Simd>(
        &self,
        s: S,
        passed: &mut Passed,
        (ray, puff): (&Ray, Shaped),
        (t, length): (f32, f32),
    ) {
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

    /// Adds to `passed` the light of smoke with the opacity `share` (0 to 1) at the distance `t`,
    /// and its absorption.
    #[inline(always)]
    fn add(&self, passed: &mut Passed, shaped: &Shaped, t: f32, share: f32) {
        let deep = shaped.puff.dense * self.field.smoke.edge();
        let pale = 1.0 - DARKENED * deep / (deep + HALF_DARKENED);
        let albedo = mix(
            tinted(self.context.look.air.albedo.into(), shaped.puff.tint) * pale,
            DROPS,
            shaped.puff.steam,
        );
        passed.first = passed.first.min(t);
        passed.last = passed.last.max(t);
        let light = lit(&self.light, &shaped.puff, shaped.relief);
        let light = light * (1.0 / (1.0 + EVENED * shaped.puff.steam * most(light)));
        passed.light += times(passed.through, times(albedo, light)) * share;
        passed.through *= 1.0 - share;
    }
}

/// Returns the linear RGB albedo of ash mixed with inks (coloured tracers). The array holds the
/// square roots of the linear red, green and blue of the inks' mixture, and the inks' mass fraction
/// (0 to 1).
#[inline(always)]
fn tinted(ash: V3, [red, green, blue, share]: [f32; 4]) -> V3 {
    if share == 0.0 {
        ash
    } else {
        mix(ash, v3(red * red, green * green, blue * blue), share)
    }
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

/// Returns the phase function (mean 1) for `cosine`, the cosine of the angle between the ray and
/// the direction to the sun.
fn phase(cosine: f32) -> f32 {
    let lobe = |g: f32| {
        let turned = 1.0 + g * g - 2.0 * g * cosine;
        (1.0 - g * g) / (turned * turned.sqrt())
    };
    LOBE * lobe(AHEAD) + (1.0 - LOBE) * lobe(BACK)
}

/// Returns the linear RGB light that smoke scatters towards the camera at a point, before the
/// albedo.
#[inline(always)]
fn lit(light: &Light, puff: &Puff, relief: Relief) -> V3 {
    let sun = light.straight * (puff.sun * relief.facing)
        + light.astray * (puff.sun.sqrt() * (0.5 + 0.5 * relief.facing));
    let sky = mix(light.below, light.above, relief.up) * lerp(SHADED, 1.0, puff.sky);
    // Light from below falls on the lower side of a billow, as sunlight falls on the side that
    // faces the sun.
    let lower = 1.0 + RELIEF / UPPER * (ABOVE - relief.up);
    (sun + sky + light.lava * (puff.glow * lower)) * relief.open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn billows_in_a_shear_are_no_stripes() {
        // Two points an air cell apart, between which a fast flow differs by half.
        for (slow, fast) in [(0.02, 0.05), (0.05, 0.1), (0.1, 0.2)] {
            let apart = fast * carried(fast, 7.0) - slow * carried(slow, 7.0);
            let moved = (fast - slow) * 7.0;
            assert!(
                apart > 0.0 && apart < 1.2 / BILLOW,
                "{apart:.3} edges, where the flow moves them by {moved:.3}"
            );
        }
        // A slow flow advects billows nearly by the whole distance.
        assert!(carried(0.001, 7.0) > 6.8);
    }

    #[test]
    fn light_fades_as_the_exponential_does() {
        for i in 0..4000 {
            let x = i as f32 * 0.005;
            assert!(
                (faded(x) - (-x).exp()).abs() < 3e-6,
                "{x}: {} against {}",
                faded(x),
                (-x).exp()
            );
        }
        assert!((0.0..1e-30).contains(&faded(1e9)) && faded(f32::INFINITY) < 1e-30);
    }
}
