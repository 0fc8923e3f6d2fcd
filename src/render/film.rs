//! From linear light to a picture: bloom, tone map, sRGB, a trace of dither.

use crate::parallel::*;

use super::image::{Image, SRGB};
use super::mask;
use super::math::{V3, lerp, smoothstep};
use crate::render::ground::raster::Raster;
use crate::simd::{Level, Simd, Work};

/// Brightness from which light spreads into its surroundings.
pub(crate) const THRESHOLD: f32 = 0.7;
/// Largest brightness that one pixel adds to the bloom, so that sparks do not become lamps.
pub(crate) const BRIGHTEST: f32 = 5.0;
/// Bloom is computed on squares of this many pixels.
pub(crate) const BLOCK: usize = 4;
/// Shares of the narrow and the wide blur that are added to the light, before exposure.
pub(crate) const SHARES: [f32; 2] = [0.20, 0.26];

/// Radii of the narrow and the wide blur (of each of three box passes) in blocks, for a picture of `blocks` blocks
/// from top to bottom: they follow the height, so that a small preview glows like the full picture.
pub(crate) fn radii(blocks: usize) -> [usize; 2] {
    [(blocks / 90).max(1), (blocks / 18).max(2)]
}

/// Linear light per pixel, rows from the top.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) light: Vec<V3>,
}

/// How light is converted to colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Develop {
    /// Bloom of the given strength, exposure factor, filmic curve.
    Filmic { exposure: f32, glow: f32 },
    /// Linear light straight to sRGB: colours stay those of the palette.
    Plain,
}

impl Film {
    /// A film of (width, height) pixels without light.
    pub(crate) fn dark((width, height): (usize, usize)) -> Self {
        Self { width, height, light: vec![V3::zeros(); width * height] }
    }

    /// Resizes the film; the light of its pixels is undefined afterwards.
    pub(crate) fn resize(&mut self, (width, height): (usize, usize)) {
        (self.width, self.height) = (width, height);
        self.light.resize(width * height, V3::zeros());
    }

    pub(crate) fn develop(&self, how: Develop) -> Image {
        let bloom = match how {
            Develop::Filmic { glow, exposure } if glow > 0.0 => {
                let [mut sum, wide] = self.bloom(exposure);
                let shares = SHARES.map(|share| share * glow);
                sum.data.iter_mut().zip(&wide.data).for_each(|(n, w)| *n = *n * shares[0] + *w * shares[1]);
                Some(sum)
            }
            _ => None,
        };
        let mut image = Image::filled(self.width, self.height, [0; 3]);
        let rows = image.rgb.par_chunks_mut(3 * self.width).zip(self.light.par_chunks(self.width)).enumerate();
        let (level, bloom) = (Level::fastest(), bloom.as_ref());
        rows.for_each(|(y, (row, light))| level.run(Print { how, bloom, y, light, row }));
        image
    }

    /// The bright part of the picture, blurred narrowly and widely.
    fn bloom(&self, exposure: f32) -> [Raster<V3>; 2] {
        let (width, height) = (self.width.div_ceil(BLOCK), self.height.div_ceil(BLOCK));
        let bright: Vec<V3> =
            (0..width * height).into_par_iter().map(|k| self.bright(k % width, k / width, exposure)).collect();
        let bright = Raster { width, depth: height, per_cell: 1.0 / BLOCK as f32, origin: 0.5, data: bright };
        radii(height).map(|radius| bright.blurred(radius))
    }

    fn bright(&self, i: usize, j: usize, exposure: f32) -> V3 {
        let (mut sum, mut count) = (V3::zeros(), 0.0);
        for y in j * BLOCK..((j + 1) * BLOCK).min(self.height) {
            for x in i * BLOCK..((i + 1) * BLOCK).min(self.width) {
                let light = self.light[y * self.width + x] * exposure;
                // Scaled as a whole: taking the threshold from each channel would leave a red fog.
                let brightest = light.max();
                sum += light * ((brightest - THRESHOLD).clamp(0.0, BRIGHTEST) / brightest.max(1e-6));
                count += 1.0;
            }
        }
        sum / (count * exposure)
    }
}

/// A row of pixels on its way from light to bytes.
struct Print<'a> {
    how: Develop,
    /// Light that is added to each, where there is any.
    bloom: Option<&'a Raster<V3>>,
    y: usize,
    light: &'a [V3],
    row: &'a mut [u8],
}

impl Work for Print<'_> {
    // Channel by channel: the curve divides, which wide instructions do for many pixels at once.
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
        if let Develop::Filmic { exposure, .. } = self.how {
            for ((r, g), b) in red.iter_mut().zip(&mut *green).zip(&mut *blue) {
                [*r, *g, *b] = curve([*r * exposure, *g * exposure, *b * exposure]);
            }
        }
        for (x, pixel) in self.row.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&dithered([red[x], green[x], blue[x]], (x, self.y)));
        }
    }
}

/// Bytes of light in 0..1, the rest held there.
#[inline(always)]
fn dithered(light: [f32; 3], (x, y): (usize, usize)) -> [u8; 3] {
    // Half a grey level of noise hides the bands that 8 bits leave in a dark sky.
    let grain = 0.5 + 0.9 * (mask::value(x, y) - 0.5);
    light.map(|c| (SRGB.of(c) * 255.0 + grain) as u8)
}

impl Develop {
    /// The bytes of the pixel (x, y), without the light around it.
    #[inline(always)]
    pub(crate) fn pixel(self, light: V3, pixel: (usize, usize)) -> [u8; 3] {
        let shown = match self {
            Self::Filmic { exposure, .. } => filmic(light * exposure),
            Self::Plain => light,
        };
        dithered(shown.into(), pixel)
    }
}

/// Strongest channel of light that begins to burn out, and that does so fully; white that is mixed in then.
pub(crate) const BURNS: [f32; 2] = [1.2, 5.0];
pub(crate) const BURNT: f32 = 0.42;

/// Narkowicz's fit of the ACES curve, per channel: red that is too bright turns orange and yellow as hot things do, and what is
/// brighter still goes to white, as on film. Black-body light has almost no blue, which is why it never turns pink.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::lava::blackbody::BlackBody;
    use crate::render::math::v3;

    #[test]
    fn bright_lava_is_never_pink() {
        let table = BlackBody::new();
        for kelvin in (900..1500).step_by(50) {
            for gain in [0.2, 1.0, 4.0] {
                let c = filmic(table.shown(kelvin as f32) * gain);
                assert!(c.x >= c.y && c.y >= c.z, "{kelvin} K at {gain}: {c:?}");
            }
        }
    }

    #[test]
    fn a_black_film_stays_black_and_bloom_is_symmetric() {
        let film = |light: Vec<V3>| Film { width: 24, height: 24, light };
        let how = Develop::Filmic { exposure: 1.0, glow: 1.0 };
        assert!(film(vec![V3::zeros(); 576]).develop(how).rgb.iter().all(|b| *b <= 1));
        let mut light = vec![V3::zeros(); 576];
        for (x, y) in [(11, 11), (12, 11), (11, 12), (12, 12)] {
            light[y * 24 + x] = v3(50.0, 50.0, 50.0);
        }
        let [near, _] = film(light).bloom(1.0);
        assert!((near.at(4.0, 12.0) - near.at(12.0, 20.0)).norm() < 1e-5);
    }
}
