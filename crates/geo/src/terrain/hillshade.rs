//! Hillshade of a heightmap: a picture lit by the sun, with colours by height.
//!
//! Slopes are computed by Horn's method (1981) from the eight neighbours. Under a single sun,
//! slopes parallel to its rays look flat; `Light::Many` adds weaker suns from both sides, as
//! printed maps do. If the mean slope is large, all slopes are reduced before shading, because
//! otherwise half of the picture would lie in shadow.

use lavoxel_base::parallel::*;
use ndarray::Array2;

use super::Heightmap;
use super::resample::{Kernel, Window, resample_with};

/// Lower bound on the longer side of a hillshade picture in pixels; smaller heightmaps are enlarged
/// by smooth interpolation.
pub const LEAST_SIDE: usize = 768;
/// Upper bound on the longer side of a hillshade picture in pixels; larger heightmaps are averaged.
pub const MOST_SIDE: usize = 4096;

/// sRGB colour of cells without data in a hillshade.
const NO_DATA: [u8; 3] = [38, 42, 48];

/// Colour scheme of the ground in a hillshade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tint {
    /// Grey only, without colours by height.
    Gray,
    /// Light grey, slightly brighter with height: background on which the colours of a map stand
    /// out.
    Muted,
    /// Colours by relative height, from the lowest to the highest: green, ochre, brown, grey,
    /// white.
    #[default]
    Hypsometric,
}

/// Directions from which a hillshade is lit: one, or several combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// Light from one sun only.
    Single,
    /// Light from one main sun, combined with weaker light from 60° to its left and right and from
    /// above, so that slopes parallel to the rays of the main sun become visible.
    #[default]
    Many,
}

/// Settings of a hillshade: sun, colours and light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hillshade {
    /// Azimuth of the sun in degrees clockwise from north; 315 is north-west.
    pub azimuth_deg: f64,
    /// Altitude of the hillshade's sun above the horizon, in degrees.
    pub altitude_deg: f64,
    /// Colours of the ground, which the shading darkens or brightens.
    pub tint: Tint,
    /// Directions from which the ground of the hillshade is lit.
    pub light: Light,
}

impl Default for Hillshade {
    fn default() -> Self {
        Self {
            azimuth_deg: 315.0,
            altitude_deg: 45.0,
            tint: Tint::default(),
            light: Light::default(),
        }
    }
}

/// Hillshade picture of RGB pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Number of pixels of the picture from west to east.
    pub width: usize,
    /// Number of pixels of the picture from north to south.
    pub height: usize,
    /// Three sRGB bytes per pixel, row by row from the north.
    pub rgb: Vec<u8>,
}

impl Hillshade {
    /// Returns the size (columns, rows) in pixels of the hillshade of a heightmap with `cells`
    /// (columns, rows) square cells.
    pub fn size_of(cells: [usize; 2]) -> [usize; 2] {
        let longest = cells[0].max(cells[1]);
        let scale = longest.clamp(LEAST_SIDE, MOST_SIDE) as f64 / longest as f64;
        cells.map(|side| (side as f64 * scale).round().max(1.0) as usize)
    }

    /// Renders `heights` (row 0 north, square cells of `cell_m` metres) in muted colours under
    /// many lights, as the ground of a map.
    pub fn muted(heights: Array2<f32>, cell_m: f64) -> Picture {
        let ground = Heightmap {
            heights,
            cell_size_m: (cell_m, cell_m),
            origin: None,
            notes: Vec::new(),
        };
        let shade = Self {
            tint: Tint::Muted,
            light: Light::Many,
            ..Self::default()
        };
        shade.draw(&ground)
    }

    /// Draws the hillshade of `map` with north up and pixels that are squares on the ground. The
    /// longer side has [`LEAST_SIDE`] to [`MOST_SIDE`] pixels.
    pub fn draw(&self, map: &Heightmap) -> Picture {
        let (wide, deep) = map.extent_m();
        let longest = map.cols().max(map.rows()).clamp(LEAST_SIDE, MOST_SIDE) as f64;
        let pixel_m = wide.max(deep) / longest;
        let (width, height) = (
            (wide / pixel_m).round().max(1.0) as usize,
            (deep / pixel_m).round().max(1.0) as usize,
        );
        let fine = resample_with(
            &map.heights,
            Window::whole(&map.heights),
            (width, height),
            Kernel::Soft,
        );
        let (low, high) = map.range().unwrap_or((0.0, 1.0));
        let suns = self.suns();
        // Larger pixels make flatter slopes: steep land would otherwise lie in its own shadow.
        let pixel_m = pixel_m * flattening(map);
        let mut rgb = vec![0; width * height * 3];
        rgb.par_chunks_mut(3 * width)
            .enumerate()
            .for_each(|(row, line)| {
                for (col, out) in line.chunks_exact_mut(3).enumerate() {
                    let h = fine[[row, col]];
                    let colour = if h.is_nan() {
                        NO_DATA
                    } else {
                        self.colour(
                            (h - low) / (high - low).max(f32::MIN_POSITIVE),
                            shade(&suns, horn(&fine, row, col, pixel_m)),
                        )
                    };
                    out.copy_from_slice(&colour);
                }
            });
        Picture { width, height, rgb }
    }

    /// Returns the lights of the hillshade as pairs (unit vector east, south, up towards the light;
    /// weight). The weights add up to 1.
    fn suns(&self) -> Vec<([f64; 3], f64)> {
        let sun = |azimuth: f64, altitude: f64| {
            let (a, h) = (azimuth.to_radians(), altitude.to_radians());
            [a.sin() * h.cos(), -a.cos() * h.cos(), h.sin()]
        };
        let main = sun(self.azimuth_deg, self.altitude_deg);
        match self.light {
            Light::Single => vec![(main, 1.0)],
            Light::Many => vec![
                (main, 0.56),
                (sun(self.azimuth_deg - 60.0, self.altitude_deg), 0.15),
                (sun(self.azimuth_deg + 60.0, self.altitude_deg), 0.15),
                ([0.0, 0.0, 1.0], 0.14),
            ],
        }
    }

    fn colour(&self, share: f32, light: f64) -> [u8; 3] {
        let base = match self.tint {
            Tint::Gray => GRAY,
            Tint::Muted => muted(share),
            Tint::Hypsometric => ramp(f64::from(share)),
        };
        let light = 0.30 + 0.98 * light;
        // Shadows are a little blue, as under a clear sky.
        let sky = [0.97, 0.99, 1.06];
        std::array::from_fn(|i| {
            let tone = if self.tint == Tint::Gray {
                1.0
            } else {
                1.0 + (sky[i] - 1.0) * (1.0 - light).max(0.0) * 2.0
            };
            (base[i] * light * tone).clamp(0.0, 255.0) as u8
        })
    }
}

const GRAY: [f64; 3] = [235.0; 3];

/// Grey levels (0 to 255) of the lowest and the highest land with `Tint::Muted`; chosen so dark
/// that no sunlit slope becomes white.
const MUTED: [f64; 2] = [148.0, 186.0];

fn muted(share: f32) -> [f64; 3] {
    let gray = MUTED[0] + (MUTED[1] - MUTED[0]) * f64::from(share.clamp(0.0, 1.0));
    [gray, 0.99 * gray, 0.965 * gray]
}

/// Colour ramp of `Tint::Hypsometric`: pairs of relative height (0 lowest, 1 highest) and sRGB
/// colour (0 to 255).
const RAMP: [(f64, [f64; 3]); 7] = [
    (0.0, [116.0, 142.0, 104.0]),
    (0.12, [150.0, 168.0, 116.0]),
    (0.3, [200.0, 190.0, 142.0]),
    (0.5, [190.0, 156.0, 114.0]),
    (0.7, [158.0, 124.0, 102.0]),
    (0.87, [176.0, 162.0, 154.0]),
    (1.0, [242.0, 240.0, 238.0]),
];

impl Tint {
    /// Returns the sRGB colour (0 to 1) of horizontal ground at the relative height `share`, 0
    /// (lowest) to 1 (highest).
    pub fn color(self, share: f32) -> [f32; 3] {
        match self {
            Self::Gray => GRAY,
            Self::Muted => muted(share),
            Self::Hypsometric => ramp(f64::from(share)),
        }
        .map(|channel| (channel / 255.0) as f32)
    }
}

fn ramp(share: f64) -> [f64; 3] {
    let share = share.clamp(0.0, 1.0);
    let above = RAMP
        .iter()
        .position(|(at, _)| *at >= share)
        .unwrap_or(RAMP.len() - 1)
        .max(1);
    let ((low, from), (high, to)) = (RAMP[above - 1], RAMP[above]);
    let t = (share - low) / (high - low);
    std::array::from_fn(|i| from[i] + t * (to[i] - from[i]))
}

/// Mean slope of a heightmap (rise per run) above which all slopes are reduced before shading.
const STEEP: f64 = 0.5;

/// Returns the factor, at least 1, by which all slopes of `map` are divided before shading.
fn flattening(map: &Heightmap) -> f64 {
    let mean = map.statistics().slope_mean_deg.to_radians().tan();
    (mean / STEEP).max(1.0)
}

/// Returns the gradient (towards the east, towards the south) at the pixel (`row`, `col`) of `h` as
/// rise per run, by Horn's stencil. `pixel_m`: side of a pixel in metres. A neighbour without data
/// counts as having the height of the pixel.
fn horn(h: &Array2<f32>, row: usize, col: usize, pixel_m: f64) -> (f64, f64) {
    let centre = f64::from(h[[row, col]]);
    let at = |dr: isize, dc: isize| {
        let r = row.saturating_add_signed(dr).min(h.nrows() - 1);
        let c = col.saturating_add_signed(dc).min(h.ncols() - 1);
        let value = f64::from(h[[r, c]]);
        if value.is_nan() { centre } else { value }
    };
    let east = at(-1, 1) + 2.0 * at(0, 1) + at(1, 1);
    let west = at(-1, -1) + 2.0 * at(0, -1) + at(1, -1);
    let south = at(1, -1) + 2.0 * at(1, 0) + at(1, 1);
    let north = at(-1, -1) + 2.0 * at(-1, 0) + at(-1, 1);
    (
        (east - west) / (8.0 * pixel_m),
        (south - north) / (8.0 * pixel_m),
    )
}

/// Returns the brightness (0 to 1) of a slope with the gradient (`east`, `south`): the sum over
/// `suns` (direction, weight) of weight times cosine between the slope's normal and the direction.
fn shade(suns: &[([f64; 3], f64)], (east, south): (f64, f64)) -> f64 {
    let length = (1.0 + east * east + south * south).sqrt();
    suns.iter()
        .map(|([x, z, up], share)| share * ((up - x * east - z * south) / length).max(0.0))
        .sum()
}
