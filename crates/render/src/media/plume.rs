//! Integration of smoke (ash and steam in the air) along a ray: single scattering of light from the
//! sun, the sky and the lava below.

use crate::camera::Ray;
use crate::ground::lava_glow::{KELVIN, STRENGTH};
use crate::math::{V3, faded, lerp, mix, saturate, smoothstep, times, v3};
use crate::media::billows::{FAINT, Generations};
use crate::media::smoke::{Puff, SmokeField};
use crate::media::steam::Stretch;
use crate::media::transmittance::Passed;
use crate::style::shading::ShadeContext;
use lavoxel_base::simd::{Level, Simd, Work};

// Look constants without a named source are chosen by eye.

/// Transmittance at which the integration of smoke along a ray stops early.
pub const OPAQUE: f32 = 0.015;
/// Fraction of direct sunlight that smoke scatters towards the camera, before the albedo.
pub const STRAIGHT: f32 = 0.6;
/// Fraction of multiply scattered sunlight that reaches the camera, before the albedo. This light
/// is isotropic, and its transmittance is the square root of that of direct sunlight.
pub const ASTRAY: f32 = 0.1;
/// Fraction of skylight that smoke scatters towards the camera, before the albedo.
pub const SKY: f32 = 0.55;
/// Fraction of the lava's light that smoke scatters towards the camera, before the albedo.
pub const LAVA: f32 = 0.32;
/// Asymmetry g of the forward lobe of the smoke's phase function (Henyey and Greenstein).
pub const AHEAD: f32 = 0.6;
/// Asymmetry g of the backward lobe of the smoke's phase function.
pub const BACK: f32 = -0.25;
/// Weight of the forward lobe (0 to 1) in the smoke's phase function; the forward lobe makes thin
/// edges in front of the sun shine.
pub const LOBE: f32 = 0.5;
/// Fraction of skylight that reaches the smoke where its transmittance for skylight is 0.
pub const SHADED: f32 = 0.15;
/// Fraction of its albedo that the densest ash loses: fresh ash above a vent is coarse and dark,
/// dilute ash is pale.
pub const DARKENED: f32 = 0.85;
/// Optical depth across an air cell at which the ash in the cell loses half of `DARKENED` of its
/// albedo.
pub const HALF_DARKENED: f32 = 0.4;
/// Albedo of the water drops of steam, linear RGB.
pub const DROPS: V3 = V3::new(0.92, 0.93, 0.95);
/// Strength of the compression of bright light in steam (0: none); without compression, whole
/// clouds would be plain white.
pub const EVENED: f32 = 0.5;
/// Edge length of the broadest billows of smoke, in air cells.
pub const BILLOW: f32 = 11.0;
/// Amplitude by which billows modulate the density of smoke everywhere.
pub const ROUGH: f32 = 2.0;
/// Amplitude, added to `ROUGH`, by which billows modulate the density of thin smoke; there they
/// shape the edge of the smoke.
pub const RAGGED: f32 = 2.6;
/// Decrease of the sunlight factor of smoke per unit of a billow's slope towards the sun.
pub const RELIEF: f32 = 0.5;
/// Change of the fraction of skylight that comes from above, per unit of a billow's vertical slope.
pub const UPPER: f32 = 0.25;
/// Lower and upper bound of the factor by which a billow's slope changes the sunlight on smoke.
pub const FACING: [f32; 2] = [0.3, 1.9];
/// Fraction of the skylight on smoke that comes from above where a billow has no slope.
pub const ABOVE: f32 = 0.7;
/// Strength of the darkening of hollows between billows; at 1, the deepest hollows get no light
/// before `DEEPEST` applies.
pub const HOLLOW: f32 = 1.1;
/// Minimum light factor in a hollow between billows.
pub const DEEPEST: f32 = 0.3;
/// Darkening of hollows between billows: billow heights (about −1 to 1) at and below which the
/// darkening is full, and at and above which there is none; smooth between.
pub const HOLLOWS: [f32; 2] = [-0.75, 0.55];

/// Light that enters smoke, constant along a ray: linear RGB before the transmittances of each
/// sample are applied.
struct Light {
    toward: V3,
    /// Direct sunlight scattered towards the camera, linear RGB.
    straight: V3,
    /// Multiply scattered sunlight, linear RGB.
    astray: V3,
    /// Skylight from above, linear RGB.
    above: V3,
    /// Light from the ground below, linear RGB.
    below: V3,
    lava: V3,
}

/// Frequency of the fine billows of smoke, relative to the broad billows.
pub const FINER: f32 = 4.7;
/// Height of the fine billows of smoke, relative to that of the broad billows.
pub const FINER_HEIGHT: f32 = 0.6;
/// Slope of the fine billows of smoke, relative to that of the broad billows.
pub const FINER_SLOPE: f32 = 0.5;
/// Fade-out of fine billows with distance: widths of a pixel, in air cells, at and above which fine
/// billows are invisible (first), and at and below which they show fully (second).
pub const FINER_SEEN: [f32; 2] = [0.5, 0.25];

/// Maximum fraction of the remaining transmittance that one sub-step through smoke may absorb; a
/// step that absorbs more is split into sub-steps, because light varies strongly at the surface of
/// dense smoke.
pub const PART: f32 = 0.16;
/// Maximum number of sub-steps into which a step through smoke is split.
pub const PARTS: f32 = 6.0;

/// Integrates the smoke along the ray segment `stretch` and adds the result to `passed`. Each
/// sample represents the step that ends at the sample; a last sample at the segment's end
/// represents the remainder, without which smoke in front of a surface would vary with the jitter.
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

/// Task that integrates the smoke along a ray segment.
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

/// Returns the largest component of `share`; inlined, because the vector's own method would cost a
/// function call.
#[inline(always)]
fn most(share: V3) -> f32 {
    share.x.max(share.y).max(share.z)
}

/// Inputs that all samples of smoke along a ray share.
struct March<'a> {
    context: &'a ShadeContext<'a>,
    field: &'a SmokeField<'a>,
    light: Light,
    generations: Generations,
    /// Cell widths per cell length along the ray.
    pace: f32,
}

/// Smoke at a point, with the effect of billows on its extinction and light.
struct Shaped {
    puff: Puff,
    /// Extinction of the smoke per cell length along the ray, changed by billows.
    dense: f32,
    relief: Relief,
}

/// Factors by which billows change the light at a point of smoke.
#[derive(Clone, Copy)]
struct Relief {
    /// Factor on the sunlight, from the billow's slope towards the sun.
    facing: f32,
    /// Fraction of the skylight at the point that comes from above.
    up: f32,
    /// Factor on all light, less than 1 in hollows between billows.
    open: f32,
}

impl Relief {
    /// Factors at a point of smoke without billows, which leave the light unchanged.
    const NONE: Self = Self {
        facing: 1.0,
        up: ABOVE,
        open: 1.0,
    };

    /// Returns the factors at a point of a billow with the height `height` (about −1 to 1) and the
    /// slope `slope`. `detail`: strength of the billow's effect (0: none); `toward`: direction to
    /// the sun.
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
    /// Returns the smoke with its billows at the point `p` (cells of the simulation); `t`: distance
    /// of `p` along the ray in cells. `None` if the smoke is too thin to be drawn.
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

    /// Adds the light and the absorption of the ray-marching step of `length` (cells) along `ray`
    /// that ends at the distance `t` (cells) in the smoke `puff` to `passed`. A step that absorbs
    /// much of the remaining light is split into sub-steps.
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

    /// Adds the light and the absorption of smoke `shaped` with the opacity `share` (0 to 1), at
    /// the distance `t` (cells), to `passed`.
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

/// Returns the linear RGB albedo of ash mixed with inks (coloured tracers). `ash`: albedo of the
/// ash; `red`, `green` and `blue`: square roots of the linear colour of the inks' mixture; `share`:
/// the inks' mass fraction (0 to 1).
#[inline(always)]
pub(crate) fn tinted(ash: V3, [red, green, blue, share]: [f32; 4]) -> V3 {
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

/// Returns the smoke's phase function (mean 1) for `cosine`, the cosine of the angle between the
/// ray and the direction to the sun.
fn phase(cosine: f32) -> f32 {
    let lobe = |g: f32| {
        let turned = 1.0 + g * g - 2.0 * g * cosine;
        (1.0 - g * g) / (turned * turned.sqrt())
    };
    LOBE * lobe(AHEAD) + (1.0 - LOBE) * lobe(BACK)
}

/// Returns the linear RGB light that the smoke `puff` scatters towards the camera at a point,
/// before the albedo is applied.
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
