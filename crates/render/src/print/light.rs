//! Lights of a world, from which paths draw: the sun, the dome of the sky or of a studio, and
//! glowing surfaces.

use std::f32::consts::{PI, TAU};

use crate::math::{V3, luminance, times, v3};
use crate::print::optics::cone_drawn;
use crate::print::random::Draws;

/// Cosine of the half angle of the sun's disc, 2.2 times as wide as the real one, for soft edges of
/// shadows.
const DISC: f32 = 0.999_947;

/// Sun as a disc very far away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sun {
    /// Unit direction to the middle of the disc.
    pub(crate) toward: V3,
    /// Irradiance of a surface that faces the sun, linear RGB.
    pub(crate) light: V3,
}

impl Sun {
    /// Draws a direction from the disc.
    pub(crate) fn drawn(&self, draws: &mut Draws) -> V3 {
        cone_drawn(self.toward, DISC, draws.two())
    }

    /// Returns the radiance in the direction `toward`: that of the disc, or 0.
    pub(crate) fn seen(&self, toward: V3) -> V3 {
        if toward.dot(&self.toward) < DISC {
            return V3::zeros();
        }
        self.light / (TAU * (1.0 - DISC))
    }
}

/// Ball of glowing gas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lamp {
    pub(crate) middle: V3,
    pub(crate) radius: f32,
    /// Square of the distance at which the light is half of that of a point.
    pub(crate) spread: f32,
    /// Irradiance at the distance 1 from a point of this power, linear RGB.
    pub(crate) power: V3,
}

impl Lamp {
    /// Draws a point of the ball, for light on the point `p`.
    pub(crate) fn drawn(&self, p: V3, draws: &mut Draws) -> FromEmbers {
        let ([u, v], w) = (draws.two(), draws.one());
        let place = self.middle + direction(u, v) * (self.radius * w.cbrt());
        let way = place - p;
        let far = way.norm().max(1e-3);
        FromEmbers {
            toward: way / far,
            far,
            light: self.power / (far * far + self.spread),
        }
    }
}

/// Light from all directions very far away, in a table of equal steps of azimuth and height.
#[derive(Clone, Debug)]
pub(crate) struct Dome {
    /// Number of entries around, and from the zenith to the nadir.
    size: [usize; 2],
    /// Radiance per entry, linear RGB, rows from the zenith.
    light: Vec<V3>,
    /// Share of the dome's power up to the end of each entry, rows from the zenith.
    until: Vec<f32>,
}

/// Direction drawn from the dome, with its radiance and the density of the draw per solid angle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FromDome {
    pub(crate) toward: V3,
    pub(crate) light: V3,
    pub(crate) density: f32,
}

impl Dome {
    /// Number of entries around the dome, and from the zenith to the nadir.
    // Equal steps of the height: each entry covers the same solid angle.
    const SIZE: [usize; 2] = [192, 128];

    /// Computes the dome whose radiance in a direction is `light`.
    pub(crate) fn new(light: impl Fn(V3) -> V3) -> Self {
        let [wide, high] = Self::SIZE;
        // Four samples an entry: lamps are narrow.
        let mean = |k: usize| {
            let sample = |i: usize| {
                let [u, v] = [0.25 + 0.5 * (i % 2) as f32, 0.25 + 0.5 * (i / 2) as f32];
                light(direction(
                    ((k % wide) as f32 + u) / wide as f32,
                    ((k / wide) as f32 + v) / high as f32,
                ))
            };
            (0..4).map(sample).sum::<V3>() * 0.25
        };
        Self::of((0..wide * high).map(mean).collect())
    }

    /// Returns the dome with the radiances `light` of its entries.
    fn of(light: Vec<V3>) -> Self {
        let mut sum = 0.0_f64;
        let power: Vec<f64> = light
            .iter()
            .map(|light| {
                sum += f64::from(luminance(*light).max(0.0));
                sum
            })
            .collect();
        let until = power
            .iter()
            .map(|power| (power / sum.max(1e-30)) as f32)
            .collect();
        Self {
            size: Self::SIZE,
            light,
            until,
        }
    }

    /// Returns the index of the entry in the unit direction `d`.
    fn entry(&self, d: V3) -> usize {
        let [wide, high] = self.size;
        let around = d.z.atan2(d.x) / TAU + 0.5;
        let down = 0.5 * (1.0 - d.y);
        let cell = |share: f32, n: usize| ((share * n as f32) as usize).min(n - 1);
        cell(down, high) * wide + cell(around, wide)
    }

    /// Returns the light of the dome on level ground in the open, divided by π: the light that a
    /// white surface sends back.
    pub(crate) fn on_level_ground(&self) -> V3 {
        let [wide, high] = self.size;
        let rows = self.light.chunks(wide).enumerate();
        let sum: V3 = rows
            .map(|(row, light)| {
                let up = (1.0 - 2.0 * (row as f32 + 0.5) / high as f32).max(0.0);
                light.iter().sum::<V3>() * up
            })
            .sum();
        // The mean of the cosine over the upper half of `high` rows is 1/2.
        sum * (4.0 / (wide * high) as f32)
    }

    /// Returns this dome with its light changed by the factors `gain` for red, green and blue.
    pub(crate) fn scaled(self, gain: V3) -> Self {
        let light = self.light.into_iter().map(|light| times(light, gain));
        Self::of(light.collect())
    }

    /// Returns the radiance in the unit direction `d`.
    pub(crate) fn seen(&self, d: V3) -> V3 {
        self.light[self.entry(d)]
    }

    /// Returns the density per solid angle with which `Dome::drawn` draws the direction `d`.
    pub(crate) fn density(&self, d: V3) -> f32 {
        self.density_of(self.entry(d))
    }

    fn density_of(&self, entry: usize) -> f32 {
        let before = entry.checked_sub(1).map_or(0.0, |k| self.until[k]);
        (self.until[entry] - before) * self.light.len() as f32 / (4.0 * PI)
    }

    /// Draws a direction in proportion to the luminance.
    pub(crate) fn drawn(&self, draws: &mut Draws) -> Option<FromDome> {
        let (choice, [u, v]) = (draws.one(), draws.two());
        let entry = self.until.partition_point(|until| *until <= choice);
        let light = *self.light.get(entry)?;
        let [wide, high] = self.size;
        let toward = direction(
            ((entry % wide) as f32 + u) / wide as f32,
            ((entry / wide) as f32 + v) / high as f32,
        );
        Some(FromDome {
            toward,
            light,
            density: self.density_of(entry),
        })
    }
}

/// Returns the direction at the share `around` of the azimuth and the share `down` of the way from
/// the zenith to the nadir.
fn direction(around: f32, down: f32) -> V3 {
    let y = 1.0 - 2.0 * down;
    let level = (1.0 - y * y).max(0.0).sqrt();
    let (sine, cosine) = ((around - 0.5) * TAU).sin_cos();
    v3(level * cosine, y, level * sine)
}

/// Piece of a glowing surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glowing {
    pub(crate) place: V3,
    pub(crate) normal: V3,
    pub(crate) area: f32,
    /// Emitted radiance, linear RGB.
    pub(crate) light: V3,
}

/// Glowing surfaces, drawn by their power.
#[derive(Clone, Debug, Default)]
pub(crate) struct Embers {
    pieces: Vec<Glowing>,
    /// Share of the power up to each piece, itself included.
    until: Vec<f32>,
    /// Sum of luminance times area.
    power: f32,
}

/// Point drawn from glowing surfaces: direction and distance to it, and the light from there
/// divided by the density of the draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FromEmbers {
    pub(crate) toward: V3,
    pub(crate) far: f32,
    pub(crate) light: V3,
}

/// Number of pieces among which one is drawn by the light that would arrive from it.
const CANDIDATES: usize = 8;
/// Squared distance to a piece of glowing surface, in areas of the piece, below which its light
/// grows no more (a piece is a point for the formula).
const NEAREST: f32 = 0.3;

impl Embers {
    /// Collects the pieces of glowing surfaces.
    pub(crate) fn new(pieces: Vec<Glowing>) -> Self {
        let mut sum = 0.0_f64;
        let sums: Vec<f64> = pieces
            .iter()
            .map(|piece| {
                sum += f64::from(luminance(piece.light) * piece.area);
                sum
            })
            .collect();
        Self {
            until: sums.iter().map(|s| (s / sum.max(1e-30)) as f32).collect(),
            pieces,
            power: sum as f32,
        }
    }

    /// Returns true if nothing glows.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Draws a piece for the point `p` by resampling of candidates; `share` is the scattered share
    /// of light from a direction. Multiplied with `share`, the light of the drawn piece estimates
    /// the light that all pieces throw on `p`, without what hides them.
    pub(crate) fn drawn(
        &self,
        p: V3,
        share: impl Fn(V3) -> V3,
        draws: &mut Draws,
    ) -> Option<FromEmbers> {
        let start = draws.one();
        let (mut sum, mut chosen) = (0.0_f32, None);
        for k in 0..CANDIDATES {
            let choice = (start + k as f32) / CANDIDATES as f32;
            let number = self.until.partition_point(|until| *until <= choice);
            let Some(piece) = self.pieces.get(number) else {
                continue;
            };
            let way = piece.place - p;
            let square = way.norm_squared().max(NEAREST * piece.area);
            let toward = way / way.norm().max(1e-6);
            let facing = -toward.dot(&piece.normal);
            if facing <= 0.0 {
                continue;
            }
            let arrives = piece.light * (piece.area * facing / square);
            let target = luminance(times(share(toward), arrives));
            if target <= 0.0 {
                continue;
            }
            // Candidates are drawn by luminance times area.
            let density = luminance(piece.light) * piece.area / self.power;
            let weight = target / (density * CANDIDATES as f32);
            sum += weight;
            if draws.free() * sum < weight {
                chosen = Some((piece, toward, way.norm(), arrives, target));
            }
        }
        let (_, toward, far, arrives, target) = chosen?;
        Some(FromEmbers {
            toward,
            far,
            light: arrives * (sum / target),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_from_the_dome_give_its_light() {
        let light = |d: V3| V3::repeat(0.2 + d.y.max(0.0).powi(4) * 3.0);
        let dome = Dome::new(light);
        let up = |d: V3| d.y.max(0.0) / PI;
        let n = 4096;
        let drawn: f32 = (0..n)
            .filter_map(|k| dome.drawn(&mut Draws::new(1, k)))
            .map(|from| from.light.x * up(from.toward) / from.density)
            .sum::<f32>()
            / n as f32;
        // ∫ (0.2 + 3 y⁴) y / π over the upper half: 0.2 + 3 · 2 / 6.
        assert!((drawn - 1.2).abs() < 0.02, "{drawn}");
        let d = v3(0.3, 0.8, 0.2).normalize();
        assert!(dome.density(d) > dome.density(-d));
    }

    #[test]
    fn a_glowing_square_lights_a_floor_as_theory_says() {
        // A disc of radius 1 at height 1 over a floor: irradiance π L r² / (r² + h²).
        let side = 60;
        let piece = |k: usize| {
            let at = |i: usize| (i as f32 + 0.5) / side as f32 * 2.0 - 1.0;
            let (x, z) = (at(k % side), at(k / side));
            (x * x + z * z < 1.0).then(|| Glowing {
                place: v3(x, 1.0, z),
                normal: -V3::y(),
                area: 4.0 / (side * side) as f32,
                light: V3::repeat(2.0),
            })
        };
        let embers = Embers::new((0..side * side).filter_map(piece).collect());
        let share = |d: V3| V3::repeat(d.y.max(0.0));
        let n = 2048;
        let sum: f32 = (0..n)
            .filter_map(|k| {
                let from = embers.drawn(V3::zeros(), share, &mut Draws::new(2, k))?;
                Some(from.light.x * share(from.toward).x)
            })
            .sum();
        let mean = sum / n as f32;
        assert!((mean / (PI * 2.0 * 0.5) - 1.0).abs() < 0.02, "{mean}");
    }
}
