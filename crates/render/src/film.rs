//! Conversion of rendered linear light to a picture: bloom, heat haze, tone mapping, sRGB and
//! dither.

use lavoxel_base::parallel::*;

use super::image::{Image, SRGB};
use super::mask;
use super::math::{V3, lerp, luminance, mix, saturate, smoothstep, v3};
use crate::ground::raster::Raster;
use lavoxel_base::simd::{Level, Simd, Work};

/// Brightness (linear light times exposure) above which a pixel contributes to the bloom, with only
/// the excess over this brightness.
pub const THRESHOLD: f32 = 0.7;
/// Upper bound of a pixel's contribution to the bloom (linear light times exposure). Without a
/// bound, single sparks would glow like lamps.
pub const BRIGHTEST: f32 = 5.0;
/// Edge length, in pixels, of the squares over which light is averaged before the blur of the
/// bloom.
pub const BLOCK: usize = 4;
/// Weights of the narrow and of the wide blur in the bloom of strength 1. Chosen by eye.
pub const SHARES: [f32; 2] = [0.20, 0.26];

/// Returns the radii of the narrow and the wide blur (three box filters each), in squares of
/// `BLOCK` pixels, for a picture `blocks` squares high. Radii proportional to the height let a
/// small preview glow like the full picture.
pub fn radii(blocks: usize) -> [usize; 2] {
    [(blocks / 90).max(1), (blocks / 18).max(2)]
}

/// Rendered picture as linear RGB light per pixel, row-major from the top.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) light: Vec<V3>,
}

/// Conversion of linear light to sRGB bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Develop {
    /// Conversion as on photographic film: displaces the picture by the heat haze `shimmer`, adds
    /// bloom of strength `glow`, multiplies by `exposure`, and applies a filmic tone curve.
    Filmic {
        exposure: f32,
        glow: f32,
        shimmer: Shimmer,
    },
    /// Conversion of traced light: bloom, heat haze and the tone curve AgX, in which bright colours
    /// pale slowly.
    Agx {
        exposure: f32,
        glow: f32,
        shimmer: Shimmer,
    },
    /// Conversion without bloom and tone curve, which keeps palette colours exact.
    Plain,
}

/// Heat haze, an effect on the finished picture: hot air above bright lava displaces the picture
/// behind this air, in rising waves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shimmer {
    /// Strength of the displacement by heat haze: 0 none, 1 usual.
    pub strength: f32,
    /// Phase of the waves that rise in the hot air, in radians.
    pub moment: f32,
}

/// Largest displacement of a pixel by heat haze, in picture heights. The constants of the heat haze
/// are chosen by eye.
pub const MOVES: f32 = 0.0022;
/// Largest height above glowing lava, in picture heights, at which the lava heats the air enough
/// for heat haze.
pub const ABOVE: f32 = 0.035;
/// Wave number of the displacement by heat haze, in radians per picture height.
pub const WAVES: f32 = 170.0;
/// Phase advance of the heat haze's waves per step of the simulation, in radians.
const RISES: f64 = 0.45;
/// Factor from the red light in the wide blur, after subtraction of blue light (see `WHITE`), to
/// the heat (0 to 1) of the air above.
pub const HEATS: f32 = 2.5;
/// Weight with which blue light is subtracted from red light to get the heat of the air. White
/// areas are lit by the sun and not hot, hence must not count.
pub const WHITE: f32 = 2.0;

/// Fade-out of the heat haze in front of glowing surfaces, which are nearer than the air that they
/// heat: brightness of the narrow blur (linear light times exposure) up to which the haze is
/// complete, and from which on there is none.
pub const GLOWS: [f32; 2] = [0.03, 0.25];

impl Shimmer {
    pub(crate) const NONE: Self = Self {
        strength: 0.0,
        moment: 0.0,
    };

    /// Returns the heat haze of strength `strength` (1: usual) after `steps` steps of the
    /// simulation.
    pub fn at(strength: f32, steps: f64) -> Self {
        Self {
            strength,
            moment: (steps * RISES).rem_euclid(2.0 * std::f64::consts::TAU) as f32,
        }
    }

    /// Returns the displacement (right, down) that heat haze causes at the picture position (x, y)
    /// in air of the heat `heat` (0 to 1). All lengths are in picture heights.
    fn moved(self, [x, y]: [f32; 2], heat: f32) -> [f32; 2] {
        let (x, y, t) = (x * WAVES, y * WAVES, self.moment);
        let by = MOVES * self.strength * heat;
        [
            by * (y + t + 1.7 * (0.6 * x + 0.5 * t).sin()).sin(),
            by * (0.8 * x + 1.3 * (0.7 * y + t).sin()).sin(),
        ]
    }
}

/// Returns the heat (0 to 1) of the air above a place where the wide blur has the light `bloom`
/// (linear RGB times exposure).
fn heat(bloom: V3) -> f32 {
    saturate(HEATS * (bloom.x - WHITE * bloom.z))
}

/// Returns the factor (0 to 1) on the displacement by heat haze at a pixel; 0 in front of glowing
/// surfaces. `bloom`: light of the narrow blur at that pixel (linear RGB times exposure).
fn visible_share(bloom: V3) -> f32 {
    1.0 - smoothstep(GLOWS[0], GLOWS[1], bloom.max())
}

impl Film {
    /// Returns a black film of (width, height) pixels.
    pub(crate) fn dark((width, height): (usize, usize)) -> Self {
        Self {
            width,
            height,
            light: vec![V3::zeros(); width * height],
        }
    }

    /// Resizes the film to (width, height) pixels; the light of all pixels is undefined afterwards.
    pub(crate) fn resize(&mut self, (width, height): (usize, usize)) {
        (self.width, self.height) = (width, height);
        self.light.resize(width * height, V3::zeros());
    }

    pub(crate) fn develop(&self, how: Develop) -> Image {
        let (bloom, air) = match how {
            Develop::Filmic {
                glow,
                exposure,
                shimmer,
            }
            | Develop::Agx {
                glow,
                exposure,
                shimmer,
            } if glow > 0.0 || shimmer.strength > 0.0 => {
                let [mut near, wide] = self.bloom(exposure);
                let below = ABOVE * self.height as f32;
                let warm = |x: f32, y: f32, near: V3| {
                    visible_share(near * exposure) * heat(wide.at(x, y + below) * exposure)
                };
                let air = (shimmer.strength > 0.0).then(|| (shimmer, near.map(warm)));
                let shares = SHARES.map(|share| share * glow);
                near.data
                    .iter_mut()
                    .zip(&wide.data)
                    .for_each(|(n, w)| *n = *n * shares[0] + *w * shares[1]);
                ((glow > 0.0).then_some(near), air)
            }
            _ => (None, None),
        };
        let mut image = Image::filled(self.width, self.height, [0; 3]);
        let rows = image
            .rgb
            .par_chunks_mut(3 * self.width)
            .zip(self.light.par_chunks(self.width))
            .enumerate();
        let (level, bloom) = (Level::fastest(), bloom.as_ref());
        rows.for_each(|(y, (row, light))| {
            let bent = air
                .as_ref()
                .and_then(|(shimmer, air)| self.bent(*shimmer, air, y));
            level.run(Print {
                how,
                bloom,
                y,
                light: bent.as_deref().unwrap_or(light),
                row,
            });
        });
        image
    }

    /// Returns the light of row `y` displaced by the heat haze `shimmer`; `None` if the row has no
    /// hot air. `air`: heat of the air (0 to 1) per square of `BLOCK` pixels.
    fn bent(&self, shimmer: Shimmer, air: &Raster<f32>, y: usize) -> Option<Vec<V3>> {
        let (at, high) = (y as f32 + 0.5, self.height as f32);
        let (blocks, row) = (air.row(at), &self.light[y * self.width..][..self.width]);
        let hot = |x: usize| air.along(&blocks, x as f32 + 0.5);
        let mut bent: Option<Vec<V3>> = None;
        for (x, hot) in (0..self.width)
            .map(|x| (x, hot(x)))
            .filter(|(_, hot)| *hot > 0.0)
        {
            let place = [x as f32 + 0.5, at];
            let [right, down] = shimmer
                .moved(place.map(|c| c / high), hot)
                .map(|c| c * high);
            bent.get_or_insert_with(|| row.to_vec())[x] =
                self.between(place[0] + right, place[1] + down);
        }
        bent
    }

    /// Returns the bilinearly interpolated light at (`x`, `y`) in pixels, clamped to the picture.
    fn between(&self, x: f32, y: f32) -> V3 {
        let (x, y) = (
            (x - 0.5).clamp(0.0, (self.width - 1) as f32),
            (y - 0.5).clamp(0.0, (self.height - 1) as f32),
        );
        let (i, j) = (x as usize, y as usize);
        let at = |i: usize, j: usize| {
            self.light[j.min(self.height - 1) * self.width + i.min(self.width - 1)]
        };
        let along = |j: usize| at(i, j).lerp(&at(i + 1, j), x - i as f32);
        along(j).lerp(&along(j + 1), y - j as f32)
    }

    /// Returns the narrow and the wide blur of the light that exceeds `THRESHOLD` after
    /// multiplication by `exposure`; bloom and heat haze are computed from these blurs.
    fn bloom(&self, exposure: f32) -> [Raster<V3>; 2] {
        let (width, height) = (self.width.div_ceil(BLOCK), self.height.div_ceil(BLOCK));
        let bright: Vec<V3> = (0..width * height)
            .into_par_iter()
            .map(|k| self.bright(k % width, k / width, exposure))
            .collect();
        let bright = Raster {
            width,
            depth: height,
            per_cell: 1.0 / BLOCK as f32,
            origin: 0.5,
            data: bright,
        };
        radii(height).map(|radius| bright.blurred(radius))
    }

    fn bright(&self, i: usize, j: usize, exposure: f32) -> V3 {
        let (mut sum, mut count) = (V3::zeros(), 0.0);
        for y in j * BLOCK..((j + 1) * BLOCK).min(self.height) {
            for x in i * BLOCK..((i + 1) * BLOCK).min(self.width) {
                let light = self.light[y * self.width + x] * exposure;
                // All channels are scaled by a common factor: a threshold per channel would leave a
                // red fog.
                let brightest = light.max();
                sum +=
                    light * ((brightest - THRESHOLD).clamp(0.0, BRIGHTEST) / brightest.max(1e-6));
                count += 1.0;
            }
        }
        sum / (count * exposure)
    }
}

/// Task that converts a row of linear light to sRGB bytes.
struct Print<'a> {
    how: Develop,
    /// Bloom that is added to the light; `None` for no bloom.
    bloom: Option<&'a Raster<V3>>,
    y: usize,
    light: &'a [V3],
    row: &'a mut [u8],
}

impl Work for Print<'_> {
    // Processes channel by channel: the tone curve divides, and SIMD divides many pixels at once.
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        let width = self.light.len();
        let mut planes = vec![0.0; 3 * width];
        let (red, others) = planes.split_at_mut(width);
        let (green, blue) = others.split_at_mut(width);
        for (x, light) in self.light.iter().enumerate() {
            (red[x], green[x], blue[x]) = (light.x, light.y, light.z);
        }
        if let Some(bloom) = self.bloom {
            let blocks = bloom.row(self.y as f32 + 0.5);
            for x in 0..width {
                let light = bloom.along(&blocks, x as f32 + 0.5);
                red[x] += light.x;
                green[x] += light.y;
                blue[x] += light.z;
            }
        }
        // The plain styles skip the curve, which would change the colours of the palette.
        if let Develop::Filmic { exposure, .. } = self.how {
            for ((r, g), b) in red.iter_mut().zip(&mut *green).zip(&mut *blue) {
                [*r, *g, *b] = curve([*r * exposure, *g * exposure, *b * exposure]);
            }
        }
        if let Develop::Agx { exposure, .. } = self.how {
            for ((r, g), b) in red.iter_mut().zip(&mut *green).zip(&mut *blue) {
                [*r, *g, *b] = agx(v3(*r, *g, *b) * exposure).into();
            }
        }
        for (x, pixel) in self.row.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&dithered([red[x], green[x], blue[x]], (x, self.y)));
        }
    }
}

/// Converts `light` (linear RGB, clamped to 0..1) to sRGB bytes with dither; the pixel (`x`, `y`)
/// selects the dither value.
#[inline(always)]
fn dithered(light: [f32; 3], (x, y): (usize, usize)) -> [u8; 3] {
    // Noise of about one grey level (0.9) hides the bands that 8 bits leave in a dark sky.
    let grain = 0.5 + 0.9 * (mask::value(x, y) - 0.5);
    light.map(|c| (SRGB.encode(c) * 255.0 + grain) as u8)
}

impl Develop {
    /// Returns the sRGB bytes of the linear light `light`, without bloom; `pixel` (x, y) selects
    /// the dither value.
    #[inline(always)]
    pub(crate) fn pixel(self, light: V3, pixel: (usize, usize)) -> [u8; 3] {
        let shown = match self {
            Self::Filmic { exposure, .. } => filmic(light * exposure),
            Self::Agx { exposure, .. } => agx(light * exposure),
            Self::Plain => light,
        };
        dithered(shown.into(), pixel)
    }
}

/// Mixing of bright light with white: brightness of the strongest colour channel (linear light
/// times exposure) at which the mixing begins, and from which on the fraction of white is `BURNT`.
pub const BURNS: [f32; 2] = [1.2, 5.0];
/// Fraction (0 to 1) of white that is mixed into light at least as bright as the second value of
/// `BURNS`.
pub const BURNT: f32 = 0.42;

/// Applies the ACES tone curve per channel, as fitted by Narkowicz, and mixes very bright light
/// with white, as on photographic film. Bright red thus turns orange and yellow, as hot things do;
/// black-body light has almost no blue, hence never turns pink.
#[inline(always)]
pub(crate) fn filmic(light: V3) -> V3 {
    curve(light.into()).into()
}

#[inline(always)]
fn curve(light: [f32; 3]) -> [f32; 3] {
    let peak = light[0].max(light[1]).max(light[2]);
    let white = BURNT * smoothstep(BURNS[0], BURNS[1], peak);
    light.map(|c| {
        let x = lerp(c, peak, white).max(0.0) * 1.05;
        ((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0)
    })
}

/// Applied share of AgX's mixing of the colour channels: with the full mixing, lava is cream.
const INSET: f32 = 0.55;
/// Share of dark colours that keeps the ratios of the channels: without it, dull red lava is pink.
const HUE: f32 = 0.8;
/// Binary logarithms of the light that AgX shows as black and as white.
const STOPS: [f32; 2] = [-12.473_93, 4.026_069];
/// Factor on light before AgX, whose middle is darker than that of `filmic`; power and saturation
/// of the picture after it.
const AGX: [f32; 3] = [1.6, 1.35, 1.15];

/// Applies the tone curve AgX (Sobotka; polynomial by Wrensch) to the linear RGB light `light`.
pub(crate) fn agx(light: V3) -> V3 {
    let mixed = |m: [[f32; 3]; 3], c: V3| {
        let row = |i: usize| m[0][i] * c.x + m[1][i] * c.y + m[2][i] * c.z;
        mix(c, v3(row(0), row(1), row(2)), INSET)
    };
    // Columns: where red, green and blue go.
    let inset = [
        [0.842_479, 0.042_328, 0.042_376],
        [0.078_434, 0.878_469, 0.078_434],
        [0.079_224, 0.079_166, 0.879_143],
    ];
    let outset = [
        [1.196_879, -0.052_897, -0.052_972],
        [-0.098_021, 1.151_903, -0.098_043],
        [-0.099_030, -0.098_961, 1.151_074],
    ];
    let [black, white] = STOPS;
    let curved = mixed(inset, light.map(|c| c.max(0.0)) * AGX[0]).map(|c| {
        let x = saturate((c.max(1e-10).log2() - black) / (white - black));
        let (x2, x4) = (x * x, x * x * x * x);
        15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x
            - 0.002_32
    });
    let punched = curved.map(|c| c.max(0.0).powf(AGX[1]));
    let gray = V3::repeat(luminance(punched));
    let shown = mixed(outset, mix(gray, punched, AGX[2]));
    let shown = shown.map(|c| saturate(c).powf(2.2));
    let hue = light.map(|c| c.max(0.0)) / light.max().max(1e-6);
    mix(shown, hue * shown.max(), HUE * (1.0 - shown.max()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lava::blackbody::BlackBody;

    #[test]
    fn bright_lava_is_never_pink() {
        let table = BlackBody::new();
        for kelvin in (900..1500).step_by(50) {
            for gain in [0.2, 1.0, 4.0] {
                for curve in [filmic, agx] {
                    let c = curve(table.shown(kelvin as f32) * gain);
                    assert!(c.x >= c.y && c.y >= c.z, "{kelvin} K at {gain}: {c:?}");
                }
            }
        }
    }

    #[test]
    fn a_black_film_stays_black_and_bloom_is_symmetric() {
        let film = |light: Vec<V3>| Film {
            width: 24,
            height: 24,
            light,
        };
        let how = Develop::Filmic {
            exposure: 1.0,
            glow: 1.0,
            shimmer: Shimmer::at(1.0, 3.0),
        };
        assert!(
            film(vec![V3::zeros(); 576])
                .develop(how)
                .rgb
                .iter()
                .all(|b| *b <= 1)
        );
        let mut light = vec![V3::zeros(); 576];
        for (x, y) in [(11, 11), (12, 11), (11, 12), (12, 12)] {
            light[y * 24 + x] = v3(50.0, 50.0, 50.0);
        }
        let [near, _] = film(light).bloom(1.0);
        assert!((near.at(4.0, 12.0) - near.at(12.0, 20.0)).norm() < 1e-5);
    }

    #[test]
    fn air_trembles_over_lava_and_not_over_white_walls() {
        let (width, height) = (96, 192);
        // Stripes behind the air, and a bright area at the bottom of the picture.
        let picture = |bright: V3, strength: f32, steps: f64| {
            let light = (0..width * height).map(|k| match (k % width, k / width) {
                (_, y) if y > 160 => bright,
                (x, _) => V3::repeat(0.1 + 0.3 * (x / 4 % 2) as f32),
            });
            let film = Film {
                width,
                height,
                light: light.collect(),
            };
            film.develop(Develop::Filmic {
                exposure: 1.0,
                glow: 0.0,
                shimmer: Shimmer::at(strength, steps),
            })
            .rgb
        };
        let (lava, wall) = (v3(4.0, 1.2, 0.1), V3::repeat(3.0));
        let still = picture(lava, 0.0, 0.0);
        let moved = |other: &[u8], rows: std::ops::Range<usize>| {
            let rows = rows.start * width * 3..rows.end * width * 3;
            still[rows.clone()]
                .iter()
                .zip(&other[rows])
                .filter(|(a, b)| a.abs_diff(**b) > 4)
                .count()
        };
        let trembles = picture(lava, 4.0, 0.0);
        assert!(
            moved(&trembles, 140..160) > 500,
            "{} over it",
            moved(&trembles, 140..160)
        );
        assert_eq!(moved(&trembles, 0..60), 0, "far above");
        assert_ne!(picture(lava, 4.0, 3.0), trembles, "the waves rise");
        assert_eq!(
            picture(wall, 4.0, 0.0),
            picture(wall, 0.0, 0.0),
            "a wall is not hot"
        );
    }
}
