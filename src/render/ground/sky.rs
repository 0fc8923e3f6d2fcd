//! Sun and sky: what lights the rock, and what is seen behind it.

use std::sync::LazyLock;

use crate::render::math::{V3, direction, mix, saturate, smoothstep, v3};
use crate::render::noise;
use crate::view::{LookSpec, SkyPreset};

/// The light of one time of day; colours are linear RGB.
#[derive(Clone, Debug)]
pub(crate) struct Sky {
    /// Unit direction towards the sun (or the moon).
    pub(crate) sun: V3,
    /// Light of the sun on a surface that faces it.
    pub(crate) sun_color: V3,
    /// Colours straight up, at the horizon and straight down.
    pub(crate) zenith: V3,
    pub(crate) horizon: V3,
    pub(crate) nadir: V3,
    /// Colour around the sun.
    pub(crate) halo: V3,
    /// Light from all sides on an open upward surface, and from below.
    pub(crate) ambient: [V3; 2],
    /// How much more than by day is seen of the light of lava in smoke: in the dark it is looked at for longer.
    pub(crate) adapted: f32,
}

/// Steps of the table of [`Below`].
const STEPS: usize = 512;
/// Sine of the angle below the horizon from which the backdrop stays the same.
pub(crate) const DEEP: f32 = 0.62;

/// Exponent of the way from the colour of the horizon to that below it.
pub(crate) const BENT: f32 = 0.7;

/// Share of the sun's light that clouds in a mirror have.
pub(crate) const CLOUD: f32 = 0.45;

/// Share of the nadir's colour below the horizon from a table: the power is dear for something done for each pixel.
struct Below(Vec<f32>);

static BELOW: LazyLock<Below> = LazyLock::new(|| {
    let place = |i: usize| DEEP * i as f32 / STEPS as f32;
    Below((0..=STEPS).map(|i| smoothstep(0.0, DEEP, place(i)).powf(BENT)).collect())
});

impl Below {
    /// For the sine of an angle of 0 or more.
    #[inline(always)]
    fn of(&self, down: f32) -> f32 {
        let place = (down * (STEPS as f32 / DEEP)).clamp(0.0, STEPS as f32);
        let i = (place as u32 as usize).min(STEPS - 1);
        self.0[i] + (self.0[i + 1] - self.0[i]) * (place - i as f32)
    }
}

impl Sky {
    pub(crate) fn new(look: &LookSpec) -> Self {
        let elevation = |usual: f32| look.sun_elevation_deg.unwrap_or(usual);
        let toward = |usual: f32| direction(look.sun_azimuth_deg, elevation(usual));
        match look.sky {
            SkyPreset::Dusk => Self {
                sun: toward(24.0),
                sun_color: v3(2.1, 1.22, 0.72),
                zenith: v3(0.035, 0.060, 0.130),
                horizon: v3(0.125, 0.092, 0.108),
                nadir: v3(0.009, 0.012, 0.022),
                halo: v3(0.50, 0.24, 0.10),
                ambient: [v3(0.33, 0.38, 0.54), v3(0.13, 0.10, 0.09)],
                adapted: 1.0,
            },
            SkyPreset::Day => Self {
                sun: toward(48.0),
                sun_color: v3(3.6, 3.2, 2.7),
                zenith: v3(0.10, 0.24, 0.60),
                horizon: v3(0.36, 0.48, 0.62),
                nadir: v3(0.075, 0.105, 0.145),
                halo: v3(0.5, 0.45, 0.35),
                ambient: [v3(0.75, 0.92, 1.2), v3(0.35, 0.33, 0.3)],
                adapted: 1.0,
            },
            SkyPreset::Night => Self {
                sun: toward(38.0),
                sun_color: v3(0.20, 0.26, 0.40),
                zenith: v3(0.003, 0.005, 0.013),
                horizon: v3(0.022, 0.028, 0.050),
                nadir: v3(0.004, 0.006, 0.011),
                halo: v3(0.02, 0.03, 0.05),
                ambient: [v3(0.060, 0.078, 0.125), v3(0.028, 0.031, 0.042)],
                adapted: 3.0,
            },
        }
    }

    /// Light of a ray that leaves the scene. The horizon is spread wide because a model seen from above has mostly
    /// the lower half of the sky behind it.
    pub(crate) fn backdrop(&self, d: V3) -> V3 {
        let base = if d.y >= 0.0 {
            mix(self.horizon, self.zenith, smoothstep(0.0, 0.55, d.y))
        } else {
            mix(self.horizon, self.nadir, BELOW.of(-d.y))
        };
        base + self.halo * (saturate(d.dot(&self.sun)).powi(8) * 0.35)
    }

    /// Sky light on a surface with normal `n`.
    pub(crate) fn ambient(&self, n: V3) -> V3 {
        mix(self.ambient[1], self.ambient[0], 0.5 + 0.5 * n.y)
    }

    /// Sky seen in a reflection.
    pub(crate) fn reflected(&self, d: V3) -> V3 {
        mix(self.nadir, mix(self.horizon, self.zenith * 2.0, saturate(d.y)), smoothstep(-0.3, 0.2, d.y))
    }

    /// Surroundings seen in a smooth surface: a sky with clouds over a horizon, and dark ground below it.
    pub(crate) fn mirrored(&self, d: V3) -> V3 {
        let sky = mix(self.horizon, self.zenith * 2.0, saturate(d.y));
        let dome = v3(d.x, 0.0, d.z) * (1.1 / (0.25 + d.y.max(0.0)));
        let cloud = smoothstep(-0.15, 0.45, noise::fractal(dome, 3)) * smoothstep(0.0, 0.2, d.y);
        let above = mix(sky, self.sun_color * CLOUD + self.horizon, cloud);
        mix(self.nadir, above, smoothstep(-0.12, 0.06, d.y))
    }

    /// Colour that distance fades to, in direction `d`.
    pub(crate) fn haze(&self, d: V3) -> V3 {
        mix(self.backdrop(v3(d.x, d.y.max(-0.25), d.z).normalize()), self.horizon, 0.35)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_curve() {
        for i in 0..=10_000 {
            let down = i as f32 * 1e-4;
            assert!((BELOW.of(down) - smoothstep(0.0, DEEP, down).powf(BENT)).abs() < 3e-4, "at {down}");
        }
    }
}
