//! Light of the environment (sun and sky, or a studio), and the background behind the scene.

use std::sync::LazyLock;

use crate::ground::raster::Raster;
use crate::math::{V3, direction, lerp, luminance, mix, saturate, smoothstep, v3};
use crate::noise;
use lavoxel_automaton::view::{LookSpec, SkyPreset, Surroundings};
use lavoxel_base::parallel::*;

/// Environment of a picture, a sky at one time of day or a studio; colours are linear RGB.
#[derive(Clone, Debug)]
pub struct Sky {
    /// Unit direction towards the sun (or the moon).
    pub sun: V3,
    /// Linear RGB light of the sun (or the moon) on a surface that faces it.
    pub sun_color: V3,
    /// Colour of the sky in the direction straight up.
    pub zenith: V3,
    /// Colour of the sky at the horizon.
    pub horizon: V3,
    /// Colour in the direction straight down.
    pub nadir: V3,
    /// Colour of the glow around the sun, added to the sky.
    pub halo: V3,
    /// Ambient light on a surface that faces up, and on one that faces down.
    pub ambient: [V3; 2],
    /// Adaptation of the eye: factor on the brightness of the lava's light in smoke; 1 by day, more
    /// at night.
    pub adapted: f32,
    /// Fraction (0 to 1) of the sky that clouds cover.
    pub clouds: f32,
    /// Brightness of the stars, 0 (none) to 1.
    pub stars: f32,
    /// Set if hills are drawn at the horizon.
    pub hills: bool,
    /// Set for a studio, with lamps and walls instead of a sky.
    pub(crate) is_indoors: bool,
}

/// Number of intervals of the look-up table `Below`.
// Enough that the table is within 3e-4 of the curve, which a test holds.
const STEPS: usize = 512;
/// Sine of the angle below the horizon beyond which the background has the uniform colour
/// `Sky::nadir`.
pub const DEEP: f32 = 0.62;

// Look constants, chosen by eye unless another reason is given; shaders read the same values by
// name.
/// Exponent that shapes the background's gradient from the colour `Sky::horizon` to `Sky::nadir`.
pub const BENT: f32 = 0.7;

/// Fraction of the sunlight that clouds scatter towards the viewer, for clouds seen in reflections.
pub const CLOUD: f32 = 0.45;

/// Constant h of the projection of the sky onto a plane of clouds: a horizontal direction d and the
/// sine s of the elevation give the position d / (h + s), which bends the plane down to the
/// horizon.
pub const LAYER: f32 = 0.16;
/// Largest distance from the centre of the plane of clouds, reached at the horizon, in the unit of
/// positions in that plane (see `LAYER`).
const FARTHEST: f32 = 1.0 / LAYER;
/// Number of samples of the clouds' noise texture from its centre to its edge.
const CLOUD_PLACES: usize = 448;
/// Noise values above which the sky has clouds, for the cloud covers 0 and 1; interpolated between.
pub const BEGIN: [f32; 2] = [0.55, -0.45];
/// Increase of the noise value, above the value at which clouds begin, over which clouds go from
/// transparent to dense.
pub const DENSE: f32 = 0.5;
/// Distance towards the sun at which the density of clouds is read to shade a cloud, in the unit of
/// positions in the plane of clouds (see `LAYER`).
pub const TOWARD: f32 = 0.16;
/// Optical depth of a dense cloud for sunlight that falls through it on a neighbouring cloud.
pub const SHADES: f32 = 1.6;
/// Fraction of the sunlight that clouds scatter towards the eye.
pub const LIT: f32 = 0.085;
/// Fraction of the horizon's light that clouds scatter towards the eye.
pub const SEEN: f32 = 1.15;
/// Fraction of the sunlight that thin clouds in front of the sun scatter towards the eye, in
/// addition to `LIT`.
pub const BESIDE: f32 = 0.22;
/// Fade-in of clouds above the horizon's haze: sines of the elevations at which clouds begin to
/// show and at which they show fully.
pub const OUT: [f32; 2] = [0.015, 0.17];
/// Frequency of the noise from which the stars are made, in waves per unit of the view direction (a
/// unit vector).
pub const STARS: f32 = 290.0;
/// Fade-in of stars: noise values at which a star begins to show and at which it has its full
/// brightness.
pub const STAR: [f32; 2] = [0.62, 0.86];

/// Sines of the elevations of the lowest and the highest crest of hills at the horizon, for the far
/// and for the near row of hills.
pub const CRESTS: [[f32; 2]; 2] = [[0.016, 0.094], [0.004, 0.048]];
/// Frequency of the crests of hills along the horizon, in waves per unit of the horizontal unit
/// direction, for the far and for the near row of hills.
pub const WAVES: [f32; 2] = [2.6, 4.3];
/// Fraction of a hill's own colour that remains visible through the haze at its crest, for the far
/// and for the near row of hills.
pub const THROUGH: [f32; 2] = [0.40, 0.66];
/// Fraction of sunlight and skylight that hills reflect.
pub const DARK: f32 = 0.05;
/// Frequency of the ridges on hills at the horizon, in waves per unit of the view direction, along
/// the horizon and upwards.
pub const RIDGES: [f32; 2] = [26.0, 55.0];
/// Amplitude of the brightness variation by ridges on hills at the horizon, as a fraction of the
/// brightness.
pub const RIDGED: f32 = 0.9;
/// Number of directions around the horizon in the table of hill crests.
const AROUND: usize = 4096;
/// Saturation of the key lamp's colour in a studio, relative to sunlight outdoors.
const COLORED_KEY: f32 = 0.55;
/// Saturation of the ambient light in a studio, relative to skylight outdoors.
const COLORED_FILL: f32 = 0.5;
/// Saturation of the studio wall's colour, relative to the colour of the horizon outdoors.
const COLORED_WALL: f32 = 0.4;
/// Brightness of the studio's wall, ceiling and floor, as fractions of the luminance of the outdoor
/// horizon.
const WALLS: [f32; 3] = [0.62, 0.10, 0.10];
/// Directions of the studio's lamps: cosine and sine of the azimuth relative to the sun, cosine and
/// sine of the elevation.
///
/// Lamp 0 is the key lamp, which has the colour of the sun, and crossbars like a window.
pub const LAMPS: [[f32; 4]; 3] = [
    [0.906, 0.423, 0.743, 0.669],
    [-0.500, -0.866, 0.857, 0.515],
    [-0.174, 0.985, 0.342, 0.940],
];
/// Shapes of the studio's lamps: half width and half height at distance 1, width of the soft edge,
/// and brightness.
pub const LAMP_SIZES: [[f32; 4]; 3] = [
    [0.52, 0.40, 0.06, 1.25],
    [0.80, 0.28, 0.30, 1.25],
    [0.75, 0.30, 0.14, 1.5],
];
/// Brightness of the studio's wall seen in a reflection, relative to the wall seen directly.
pub const LIT_WALL: f32 = 2.2;
/// Darkening of the studio's wall towards its top, seen in a reflection: sines of the elevations at
/// which the darkening begins and is complete.
pub const WALL_ENDS: [f32; 2] = [0.15, 0.8];
/// Half width of the crossbars of the key lamp at distance 1.
pub const BARS: f32 = 0.028;
// Sharp edges would show the steps of cells at the surfaces of liquids.
/// Width that is added to the soft edges of the studio's lamps in reflections on liquids.
pub const SOFTENED: f32 = 0.30;

/// Look-up table of the weight of the colour `Sky::nadir` in the background, by the sine of the
/// angle below the horizon.
// A power for each pixel would cost too much.
struct Below(Vec<f32>);

static BELOW: LazyLock<Below> = LazyLock::new(|| {
    let place = |i: usize| DEEP * i as f32 / STEPS as f32;
    Below(
        (0..=STEPS)
            .map(|i| smoothstep(0.0, DEEP, place(i)).powf(BENT))
            .collect(),
    )
});

impl Below {
    /// Returns the weight (0 to 1) of the colour `Sky::nadir` in the background; `down`: sine of
    /// the angle below the horizon, 0 or more.
    #[inline(always)]
    fn weight(&self, down: f32) -> f32 {
        let place = (down * (STEPS as f32 / DEEP)).clamp(0.0, STEPS as f32);
        let i = (place as u32 as usize).min(STEPS - 1);
        self.0[i] + (self.0[i + 1] - self.0[i]) * (place - i as f32)
    }
}

/// Noise texture of the clouds on a square grid over the plane of clouds (see `LAYER`).
static CLOUDS: LazyLock<Raster<f32>> = LazyLock::new(|| {
    let side = 2 * CLOUD_PLACES + 1;
    let place = |i: usize| (i as f32 / CLOUD_PLACES as f32 - 1.0) * FARTHEST;
    let noise = |k: usize| clouds_at(place(k % side), place(k / side));
    let data = (0..side * side).into_par_iter().map(noise).collect();
    Raster {
        width: side,
        depth: side,
        per_cell: 1.0,
        origin: 0.0,
        data,
    }
});

/// Returns the noise of the clouds at the position (`x`, `z`) in the plane of clouds (see `LAYER`).
fn clouds_at(x: f32, z: f32) -> f32 {
    noise::fractal(v3(0.9 * x + 3.0, 7.0, 1.4 * z + 1.0), 5)
}

/// Table of the sines of the elevations of the far and the near hill crest, for `AROUND` + 1 evenly
/// spaced directions around the horizon; the last repeats the first.
static HILLS: LazyLock<Vec<[f32; 2]>> = LazyLock::new(|| {
    let crests = |k: usize| {
        let angle = (k as f32 / AROUND as f32 - 0.5) * std::f32::consts::TAU;
        crests_at(angle.cos(), angle.sin())
    };
    (0..=AROUND).map(crests).collect()
});

/// Returns the sines of the elevations of the far and the near hill crest in the horizontal unit
/// direction (`x`, `z`).
fn crests_at(x: f32, z: f32) -> [f32; 2] {
    [0, 1].map(|row| {
        let wave = WAVES[row];
        let height = 0.5
            + 0.9
                * noise::fractal(
                    v3(wave * x + 5.0, 3.0 + 9.0 * row as f32, wave * z + 2.0),
                    6,
                );
        lerp(CRESTS[row][0], CRESTS[row][1], saturate(height))
    })
}

/// Returns the sines of the elevations of the far and the near hill crest in the horizontal
/// direction (`x`, `z`), interpolated in the table `HILLS`.
fn crests(x: f32, z: f32) -> [f32; 2] {
    let place = (z.atan2(x) / std::f32::consts::TAU + 0.5) * AROUND as f32;
    let k = (place.max(0.0) as usize).min(AROUND - 1);
    [0, 1].map(|row| lerp(HILLS[k][row], HILLS[k + 1][row], place - k as f32))
}

impl Sky {
    /// Returns the environment that `look` asks for: a sky or a studio.
    pub fn new(look: &LookSpec) -> Self {
        let sky = Self::clear(look);
        match look.surroundings {
            Surroundings::Table => sky.indoors(),
            _ => Self {
                clouds: look.clouds,
                stars: if look.sky == SkyPreset::Night {
                    1.0
                } else {
                    0.0
                },
                hills: look.surroundings == Surroundings::Land,
                ..sky
            },
        }
    }

    /// Returns a studio lit like this sky: a grey wall, and lamps that replace sun and sky.
    fn indoors(self) -> Self {
        let tinted = |color: V3, share: f32| mix(V3::repeat(luminance(color)), color, share);
        let wall = tinted(self.horizon, COLORED_WALL);
        let [horizon, zenith, nadir] = WALLS.map(|share| wall * share);
        let sun_color = tinted(self.sun_color, COLORED_KEY);
        let ambient = self.ambient.map(|color| tinted(color, COLORED_FILL));
        Self {
            sun_color,
            horizon,
            zenith,
            nadir,
            halo: V3::zeros(),
            ambient,
            is_indoors: true,
            ..self
        }
    }

    /// Returns the sky of `look` at its time of day, without clouds, stars or hills.
    fn clear(look: &LookSpec) -> Self {
        let elevation = |usual: f32| look.sun_elevation_deg.unwrap_or(usual);
        let toward = |usual: f32| direction(look.sun_azimuth_deg, elevation(usual));
        // Colours of the presets are chosen by eye.
        match look.sky {
            SkyPreset::Dusk => Self {
                sun: toward(24.0),
                sun_color: v3(2.1, 1.22, 0.72),
                zenith: v3(0.026, 0.052, 0.132),
                horizon: v3(0.098, 0.088, 0.104),
                nadir: v3(0.009, 0.012, 0.022),
                halo: v3(0.50, 0.24, 0.10),
                ambient: [v3(0.33, 0.38, 0.54), v3(0.13, 0.10, 0.09)],
                adapted: 1.0,
                clouds: 0.0,
                stars: 0.0,
                hills: false,
                is_indoors: false,
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
                clouds: 0.0,
                stars: 0.0,
                hills: false,
                is_indoors: false,
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
                clouds: 0.0,
                stars: 0.0,
                hills: false,
                is_indoors: false,
            },
        }
    }

    /// Returns the linear RGB light that a ray with the unit direction `d` sees behind the scene.
    pub(crate) fn backdrop(&self, d: V3) -> V3 {
        let air = self.air(d);
        if d.y <= 0.0 {
            return air;
        }
        let sky = self.with_clouds(d, air);
        if self.hills {
            self.with_hills(d, sky)
        } else {
            sky
        }
    }

    /// Returns `air`, the light of the sky in the direction `d`, with stars added and clouds in
    /// front of the stars.
    fn with_clouds(&self, d: V3, air: V3) -> V3 {
        let out = smoothstep(OUT[0], OUT[1], d.y);
        let star = if self.stars > 0.0 {
            smoothstep(STAR[0], STAR[1], noise::gradient(d * STARS))
        } else {
            0.0
        };
        let air = air + V3::repeat(self.stars * star * star * out);
        if self.clouds <= 0.0 || out <= 0.0 {
            return air;
        }
        let far = 1.0 / (LAYER + d.y);
        let (x, z) = (d.x * far, d.z * far);
        let begins = lerp(BEGIN[0], BEGIN[1], self.clouds);
        let dense = |x: f32, z: f32| {
            let place = |at: f32| (at / FARTHEST + 1.0) * CLOUD_PLACES as f32;
            smoothstep(begins, begins + DENSE, CLOUDS.at(place(x), place(z)))
        };
        let cover = dense(x, z);
        if cover <= 0.0 {
            return air;
        }
        // Clouds towards the sun shade a cloud; thin clouds near the sun are bright.
        let shade = (-SHADES * dense(x + TOWARD * self.sun.x, z + TOWARD * self.sun.z)).exp();
        let beside = BESIDE * saturate(d.dot(&self.sun)).powi(6) * (1.0 - cover);
        let cloud = self.sun_color * (LIT * lerp(0.3, 1.0, shade) + beside)
            + self.horizon * (SEEN * lerp(0.55, 1.0, shade));
        mix(air, cloud, cover * out * 0.9)
    }

    /// Returns `sky`, the light of the sky in the direction `d`, with rows of hazy hills in front.
    fn with_hills(&self, d: V3, sky: V3) -> V3 {
        // Most directions are above all crests, and cost no look-up.
        if d.y > CRESTS[0][1].max(CRESTS[1][1]) {
            return sky;
        }
        let flat = d.x.hypot(d.z).max(1e-6);
        let crests = crests(d.x / flat, d.z / flat);
        let dark = (self.sun_color * (0.5 * self.sun.y) + self.ambient[0]) * DARK;
        let mist = self.air(v3(d.x / flat, 0.0, d.z / flat));
        (0..2).fold(sky, |seen, row| {
            let edge = CRESTS[row][1] * 0.03;
            let cover = smoothstep(crests[row] + edge, crests[row] - edge, d.y);
            let clear = THROUGH[row] * saturate(d.y / crests[row]);
            let [around, up] = RIDGES.map(|waves| waves * (1.0 + 0.6 * row as f32));
            let ridge = v3(
                around * d.x / flat,
                up * d.y + 7.0 * row as f32,
                around * d.z / flat,
            );
            let tone = (1.0 + RIDGED * noise::fractal(ridge, 4)).max(0.0);
            mix(seen, mix(mist, dark * tone, clear), cover)
        })
    }

    /// Returns the linear RGB light of the sky in the unit direction `d`, without clouds, stars or
    /// hills.
    // The horizon is spread wide, because a model seen from above has mostly the lower half of the
    // sky behind it.
    pub(crate) fn air(&self, d: V3) -> V3 {
        let base = if d.y >= 0.0 {
            mix(self.horizon, self.zenith, smoothstep(0.0, 0.55, d.y))
        } else {
            mix(self.horizon, self.nadir, BELOW.weight(-d.y))
        };
        base + self.halo * (saturate(d.dot(&self.sun)).powi(8) * 0.35)
    }

    /// Returns the ambient light (linear RGB) on a surface with the unit normal `n`.
    pub(crate) fn ambient(&self, n: V3) -> V3 {
        mix(self.ambient[1], self.ambient[0], 0.5 + 0.5 * n.y)
    }

    /// Returns the linear RGB light of the environment from the unit direction `d`, for a blurred
    /// reflection.
    pub(crate) fn reflected(&self, d: V3) -> V3 {
        if self.is_indoors {
            return self.studio(d, SOFTENED);
        }
        mix(
            self.nadir,
            mix(self.horizon, self.zenith * 2.0, saturate(d.y)),
            smoothstep(-0.3, 0.2, d.y),
        )
    }

    /// Returns the linear RGB light of the environment from the unit direction `d`, for a sharp
    /// reflection: a cloudy sky over a dark ground, or a studio.
    ///
    /// `softer` is the width added to the soft edges of the studio's lamps.
    pub(crate) fn mirrored(&self, d: V3, softer: f32) -> V3 {
        if self.is_indoors {
            return self.studio(d, softer);
        }
        let sky = mix(self.horizon, self.zenith * 2.0, saturate(d.y));
        let dome = v3(d.x, 0.0, d.z) * (1.1 / (0.25 + d.y.max(0.0)));
        let cloud = smoothstep(-0.15, 0.45, noise::fractal(dome, 3)) * smoothstep(0.0, 0.2, d.y);
        let above = mix(sky, self.sun_color * CLOUD + self.horizon, cloud);
        mix(self.nadir, above, smoothstep(-0.12, 0.06, d.y))
    }

    /// Returns the linear RGB light of the studio from the unit direction `d`, for a reflection: a
    /// wall that darkens upwards, a dark table, and lamps. `softer`: width added to the soft edges
    /// of the lamps.
    fn studio(&self, d: V3, softer: f32) -> V3 {
        let mut light = self.room(d);
        self.add_lamps(d, softer, &mut light);
        light
    }

    /// Returns the linear RGB light of the studio's walls, ceiling and table from the unit direction
    /// `d`, for a reflection.
    pub(crate) fn room(&self, d: V3) -> V3 {
        let wall = mix(
            self.horizon * LIT_WALL,
            self.zenith,
            smoothstep(WALL_ENDS[0], WALL_ENDS[1], d.y),
        );
        mix(self.nadir, wall, smoothstep(-0.12, 0.06, d.y))
    }

    /// Adds the linear RGB light of the studio's lamps from the unit direction `d` to `light`.
    /// `softer`: width added to the soft edges of the lamps.
    pub(crate) fn add_lamps(&self, d: V3, softer: f32, light: &mut V3) {
        let [east, south] = {
            let level = self.sun.x.hypot(self.sun.z).max(1e-4);
            [self.sun.x / level, self.sun.z / level]
        };
        for (k, ([turn, aside, level, high], [wide, tall, soft, strength])) in
            LAMPS.into_iter().zip(LAMP_SIZES).enumerate()
        {
            let (x, z) = (east * turn - south * aside, east * aside + south * turn);
            let along = d.x * x + d.z * z;
            let ahead = along * level + d.y * high;
            if ahead <= 0.05 {
                continue;
            }
            let across = ((d.z * x - d.x * z) / ahead).abs();
            let up = ((d.y * level - along * high) / ahead).abs();
            let edge =
                |size: f32, at: f32| smoothstep(size + soft + softer, size - soft - softer, at);
            let bars = if k == 0 && softer <= 0.0 {
                smoothstep(0.5 * BARS, 1.5 * BARS, across.min(up))
            } else {
                1.0
            };
            let color = if k == 0 {
                self.sun_color
            } else {
                self.ambient[0]
            };
            *light += color * (strength * edge(wide, across) * edge(tall, up) * bars);
        }
    }

    /// Returns the colour (linear RGB) of the haze in front of matter that is seen in the direction
    /// `d`.
    pub(crate) fn haze(&self, d: V3) -> V3 {
        mix(
            self.air(v3(d.x, d.y.max(-0.25), d.z).normalize()),
            self.horizon,
            0.35,
        )
    }
}

/// Returns the unit direction towards the lamp of the plain styles; fixed, which makes pictures
/// comparable.
pub(crate) fn lamp() -> V3 {
    v3(-0.45, 0.78, 0.43).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_and_hills_are_of_their_tables_and_end_at_the_horizon() {
        let look = LookSpec {
            surroundings: Surroundings::Land,
            sky: SkyPreset::Day,
            ..LookSpec::default()
        };
        let (sky, bare) = (Sky::new(&look), Sky::clear(&look));
        assert!(sky.clouds > 0.0 && sky.hills && bare.clouds == 0.0);
        let (mut clouded, mut hilly) = (0, 0);
        for k in 0..720 {
            let angle = k as f32 * 0.00873;
            let toward = |y: f32| v3(angle.cos(), y, angle.sin()).normalize();
            let crests_here = [
                crests(angle.cos(), angle.sin()),
                crests_at(angle.cos(), angle.sin()),
            ];
            assert!(
                (crests_here[0][0] - crests_here[1][0]).abs() < 2e-4,
                "{crests_here:?}"
            );
            assert_eq!(sky.backdrop(toward(-0.1)), bare.air(toward(-0.1)));
            clouded +=
                usize::from((sky.backdrop(toward(0.4)) - bare.air(toward(0.4))).norm() > 0.02);
            hilly += usize::from(sky.backdrop(toward(0.006)).y < bare.air(toward(0.006)).y);
        }
        assert!(
            (50..670).contains(&clouded) && hilly > 600,
            "{clouded} clouded, {hilly} hilly"
        );
        // One sample of the table and places between samples.
        for (x, z) in [(0.5, -2.0), (1.37, 3.1), (-4.4, 0.2)] {
            let place = |at: f32| (at / FARTHEST + 1.0) * CLOUD_PLACES as f32;
            assert!(
                (CLOUDS.at(place(x), place(z)) - clouds_at(x, z)).abs() < 0.01,
                "at {x}, {z}"
            );
        }
        let room = Sky::new(&LookSpec {
            surroundings: Surroundings::Table,
            ..look
        });
        assert_eq!((room.clouds, room.stars, room.hills), (0.0, 0.0, false));
    }

    #[test]
    fn a_table_stands_among_lamps() {
        let of = |surroundings| {
            Sky::new(&LookSpec {
                surroundings,
                ..LookSpec::default()
            })
        };
        let (land, table) = (of(Surroundings::Land), of(Surroundings::Table));
        assert!(!land.is_indoors && table.is_indoors);
        let lamp = direction(LookSpec::default().sun_azimuth_deg, 46.0);
        let seen = |turn: f32| {
            let (sine, cosine) = turn.to_radians().sin_cos();
            let toward = v3(
                lamp.x * cosine - lamp.z * sine,
                lamp.y,
                lamp.x * sine + lamp.z * cosine,
            );
            luminance(table.mirrored(toward, 0.0))
        };
        assert!(
            seen(18.0) > 10.0 * seen(90.0),
            "the key lamp stands by the sun, {} {}",
            seen(18.0),
            seen(90.0)
        );
        assert_eq!(table.mirrored(-V3::y(), 0.0), table.nadir);
    }

    #[test]
    fn the_table_is_the_curve() {
        for i in 0..=10_000 {
            let down = i as f32 * 1e-4;
            assert!(
                (BELOW.weight(down) - smoothstep(0.0, DEEP, down).powf(BENT)).abs() < 3e-4,
                "at {down}"
            );
        }
    }
}
