//! Procedural patterns of rock as functions of position and slope: relief, colour and grain.

use crate::ground::raster::Raster;
use crate::math::{V3, lerp, mix, saturate, smoothstep, times, unit_or_up, v3};
use crate::noise;

// Look constants, chosen by eye; shaders read the same values by name.
/// Albedo of smooth stone, linear RGB.
pub const STONE: [f32; 3] = [0.250, 0.240, 0.226];

/// Surface properties of the ground at a point: albedo, normal, and fractions of sky and sun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rock {
    /// Albedo of the ground, linear RGB.
    pub(crate) albedo: V3,
    /// Unit normal of the ground.
    pub(crate) normal: V3,
    /// Light at the point: x is the visible fraction of the sky, y the unshadowed fraction of the
    /// sun (both 0 to 1).
    pub(crate) light: nalgebra::Vector2<f32>,
}

/// Returns the steepness of `heights` at (`x`, `z`) in cells: rise per cell along the steepest
/// direction.
fn steepness(heights: &Raster<f32>, x: f32, z: f32) -> f32 {
    let (east, south) = heights.slope(x, z, 1.0);
    east.hypot(south)
}

/// Returns the noise (about −1.5 to 1.5) at (`x`, `z`) in cells from which [`rill`] computes its
/// streaks; `unit`: pattern unit in cells (1/128 of the simulation box's longer side).
pub fn seed(x: f32, z: f32, unit: f32) -> f32 {
    let grain = |x: f32, z: f32| noise::gradient(v3(x * 1.15, 0.5, z * 1.15));
    grain(x / unit, z / unit) + 0.5 * grain(x / unit * 2.3 + 11.0, z / unit * 2.3)
}

/// Returns the rill at (`x`, `z`) in cells: the noise `seeds` averaged along the path that water
/// takes downhill, which makes streaks along the slope. `coarse`: heights of the columns in cells;
/// `unit`: pattern unit in cells (1/128 of the simulation box's longer side).
// The streaks make a flank look washed by rain instead of rough.
pub fn rill(seeds: &Raster<f32>, coarse: &Raster<f32>, unit: f32, (x, z): (f32, f32)) -> Rill {
    let (mut px, mut pz, mut sum) = (x, z, 0.0);
    let mut reach = [0.0_f32; 4];
    for _ in 0..STEPS {
        reach = [
            reach[0].max(x - px),
            reach[1].max(px - x),
            reach[2].max(z - pz),
            reach[3].max(pz - z),
        ];
        sum += seeds.at(px, pz);
        let (east, south) = coarse.slope(px, pz, 1.0);
        let slope = east.hypot(south);
        let stride = STRIDE * unit * saturate(slope * 3.0) / slope.max(1e-4);
        px -= east * stride;
        pz -= south * stride;
    }
    let reach = reach.map(|cells| (cells / (STRIDE * unit)).ceil() as u8);
    Rill {
        value: (sum / STEPS as f32 * 2.6).clamp(-1.0, 1.0),
        reach,
    }
}

/// Number of steps of the downhill path along which a rill averages noise.
const STEPS: usize = 18;
/// Length of the longest step of a rill's downhill path, in pattern units (1/128 of the simulation
/// box's longer side).
const STRIDE: f32 = 0.55;

/// Returns an upper bound of the distance in cells between a node and the columns whose heights its
/// rill depends on; `unit`: pattern unit in cells.
pub(super) fn rill_length(unit: f32) -> usize {
    (STEPS as f32 * STRIDE * unit).ceil() as usize + SLOPE
}

/// Upper bound of the distance in cells between a point and the columns from which the point's
/// slope is computed.
const SLOPE: usize = 2;

/// Rill (streak washed by rain) at a node: the noise averaged along the downhill path that begins
/// there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rill {
    /// Noise averaged along the path, -1 to 1.
    pub(super) value: f32,
    /// Farthest extent of the path west, east, north and south of the node, in units of the longest
    /// step (`STRIDE`), rounded up.
    reach: [u8; 4],
}

impl Rill {
    /// Returns the ranges along x and z, in cells, of the columns on whose heights this rill of the
    /// node at (`x`, `z`) may depend. `unit`: pattern unit in cells.
    ///
    /// The ranges may extend beyond the simulation box, where the outermost columns are repeated.
    pub(super) fn columns(&self, unit: f32, (x, z): (f32, f32)) -> [[f32; 2]; 2] {
        let [west, east, north, south] = self
            .reach
            .map(|strides| f32::from(strides) * STRIDE * unit + SLOPE as f32);
        [[x - west, x + east], [z - north, z + south]]
    }
}

/// Returns the height in cells of the drawn ground at (`x`, `z`): the heights `coarse` of the
/// columns, interpolated smoothly. If `rill`, the value (−1 to 1) of the rill (rain-washed streak)
/// at the point, is given, fine relief is added. `unit`: pattern unit in cells.
pub fn height(coarse: &Raster<f32>, rill: Option<f32>, unit: f32, (x, z): (f32, f32)) -> f32 {
    let h = coarse.smooth_at(x, z);
    // A hair lower: on the border of two cells rounding would choose which of both a film lies in.
    let Some(rill) = rill else { return h - 0.02 };
    // A coarse grid has fewer cells per wave, so equal waves must be lower to be as steep.
    h + relief(v3(x, h, z) / unit, rill, steepness(coarse, x, z)) * unit.min(1.0)
}

/// Maximum of the factor by which a slope raises the height of rubble relative to flat ground.
const STEEPEST: f32 = 1.6;

/// Returns the relief that is added to the smooth ground at `p` (pattern units: 1/128 of the
/// simulation box's longer side), in cells, or in pattern units where pattern units are smaller:
/// rills on slopes, and rubble everywhere. `rill`: value of the rill, −1 to 1; `steepness`: rise
/// per cell.
///
/// Amplitudes stay well under half a cell, so that the picture agrees with the cells that are
/// solid.
fn relief(p: V3, rill: f32, steepness: f32) -> f32 {
    let washed = smoothstep(0.12, 0.7, steepness);
    let fields = fields(p);
    let rubble = noise::fractal(p * 0.8, 4) * lerp(0.25, 1.1, fields) * lerp(0.55, 1.0, washed);
    let blocks = noise::fractal(p * 0.23 + v3(3.0, 8.0, 1.0), 3);
    // Rubble stands as far out of a steep slope as out of flat ground.
    let steep = (1.0 + steepness * steepness).sqrt().min(STEEPEST);
    0.30 * rill * washed + (0.16 * rubble + 0.20 * blocks) * steep
}

/// Returns the roughness pattern at `p` (pattern units: 1/128 of the simulation box's longer side):
/// 0 where rubble and grain are weak, 1 where they are strong.
fn fields(p: V3) -> f32 {
    smoothstep(-0.25, 0.35, noise::fractal(p * 0.06 + v3(9.0, 2.0, 7.0), 3))
}

/// Inputs of the rock's colour at a point of the ground.
pub struct RockPoint {
    /// Position of the point in pattern units (1/128 of the simulation box's longer side).
    pub(super) p: V3,
    /// Value of the rill (streak washed by rain) at the point, -1 to 1.
    pub(super) rill: f32,
    /// Vertical component of the ground's unit normal.
    pub(super) up: f32,
    /// Height relative to the height range of the rock's colours: 0 at its lower end, 1 at its
    /// upper end.
    pub(super) altitude: f32,
    /// Strength (0 to 1) with which outcropping strata of old lava show; depends on the slope, see
    /// `craggy`.
    pub(super) crags: f32,
    /// Set if the ground is smooth stone instead of rock.
    pub(super) stone: bool,
}

/// Brightening of basalt where the value of the rill is 1, on a scale from the darkest (0) to the
/// brightest (1) basalt.
const WASHED: f32 = 0.25;

/// Returns the albedo (linear RGB) of the ground at `place`: smooth stone, or basalt with ash on
/// gentle slopes and in rills, and oxidised scoria near the top and in patches.
pub fn albedo(place: &RockPoint) -> V3 {
    if place.stone {
        return V3::from(STONE);
    }
    let (p, rill, altitude) = (place.p, place.rill, place.altitude);
    let speckle = noise::fractal(p * 1.7, 4);
    let mottled = noise::fractal(p * 0.11 + v3(7.0, 1.0, 3.0), 4);
    let patches = noise::fractal(p * 0.055 + v3(31.0, 4.0, 12.0), 4);
    let basalt = mix(
        v3(0.040, 0.036, 0.036),
        v3(0.092, 0.080, 0.072),
        saturate(0.5 + 0.6 * mottled + WASHED * rill),
    );
    let ash = mix(
        v3(0.150, 0.128, 0.108),
        v3(0.205, 0.172, 0.140),
        saturate(0.5 + speckle),
    );
    let scoria = mix(
        v3(0.120, 0.060, 0.044),
        v3(0.180, 0.100, 0.066),
        saturate(0.5 + mottled),
    );
    let lying = smoothstep(0.62, 0.95, place.up);
    let ashy = saturate(lying * (0.35 + 0.9 * patches) + 0.35 * rill.max(0.0) + 0.10);
    let red = smoothstep(0.05, 0.45, mottled + 0.55 * (altitude - 0.62)) * (0.35 + 0.5 * altitude);
    let ground = mix(mix(basalt, ash, ashy * 0.75), scoria, saturate(red));
    let ground = mix(ground, basalt * 0.6, old_flow(p) * lying * 0.8);
    let ground = if place.crags > 0.0 {
        ground * lerp(1.0, CRAG, place.crags * crag(p))
    } else {
        ground
    };
    ground * lerp(0.78, 1.22, saturate(0.5 + 0.7 * speckle))
}

/// Returns the coverage (0 to 1) of a plain by old lava flows at `p` (pattern units: 1/128 of the
/// simulation box's longer side); the flows are tongues with ragged edges.
pub(in crate::ground) fn old_flow(p: V3) -> f32 {
    smoothstep(
        0.02,
        0.12,
        noise::fractal(v3(p.x, 0.0, p.z) * 0.045 + v3(2.0, 5.0, 9.0), 5),
    )
}

// Look constants, chosen by eye.
/// Albedo of outcropping strata of old lava, as a fraction of the ground's albedo.
const CRAG: f32 = 0.7;
/// Fade-in of outcropping strata of old lava with steepness: vertical components of the ground's
/// unit normal at which the strata begin to show and at which they show fully.
const CRAGGY: [f32; 2] = [0.88, 0.66];
/// Height of the ledges that outcropping strata of old lava make, in pattern units (1/128 of the
/// simulation box's longer side).
const LEDGE: f32 = 0.34;
/// Distance between the two samples from which the slope of a ledge is computed, in pattern units
/// (1/128 of the simulation box's longer side).
const APART: f32 = 0.25;

/// Returns the strength (0 to 1) with which strata of old lava crop out on ground whose unit normal
/// has the vertical component `up`.
pub fn craggy(up: f32) -> f32 {
    smoothstep(CRAGGY[0], CRAGGY[1], up)
}

/// Returns the pattern of outcropping strata of old lava on a slope at `p` (pattern units: 1/128 of
/// the simulation box's longer side): 0 between strata, 1 on a stratum.
fn crag(p: V3) -> f32 {
    let level = p.y + 1.8 * noise::fractal(p * 0.15 + v3(6.0, 2.0, 5.0), 3);
    let bed = noise::gradient(v3(p.x * 0.11, level * 0.46, p.z * 0.11))
        + 0.6 * noise::fractal(v3(p.x * 0.5, p.y * 1.1, p.z * 0.5) + v3(1.0, 8.0, 3.0), 4);
    smoothstep(-0.06, 0.14, bed)
}

/// Returns the unit normal `n` of a slope, tilted by the ledges of outcropping strata of old lava
/// at `p` (pattern units: 1/128 of the simulation box's longer side).
pub fn ledged(n: V3, p: V3) -> V3 {
    let crags = craggy(n.y);
    if crags <= 0.0 {
        return n;
    }
    let ([along, across], here) = (tangents(n), crag(p));
    let tilt =
        along * (crag(p + along * APART) - here) + across * (crag(p + across * APART) - here);
    unit_or_up(n - tilt * (crags * LEDGE / APART))
}

/// Returns the albedo (linear RGB) at `place` of land with the albedo `land`, of which solidified
/// lava covers the fraction `share` around the point: dark, hardly weathered basalt that breaks up
/// into blocks towards its border.
// Blocks end the margin, because a share alone would end along the sides of cells.
pub fn fresh(land: V3, place: &RockPoint, share: f32) -> V3 {
    let p = place.p;
    let bent = p + V3::repeat(0.5 * noise::fractal(p * 0.7 + v3(3.0, 6.0, 1.0), 2));
    let block = noise::plate(bent * 0.62, V3::zeros());
    let ragged =
        share + 0.55 * (block.tone - 0.5) + 0.35 * noise::fractal(p * 0.45 + v3(8.0, 3.0, 6.0), 3);
    let seam = smoothstep(0.0, 0.16, block.edge);
    let cover = smoothstep(0.36, 0.44, ragged)
        * smoothstep(0.0, 0.15, share)
        * lerp(0.55, 1.0, seam.max(share));
    // Slabs of smooth skin between fields of clinker; levees are the oldest, and reddish.
    let slab = noise::plate(
        v3(bent.x, 0.5 * bent.y, bent.z) * 0.17 + V3::repeat(0.35 * noise::fractal(p * 0.12, 3)),
        V3::zeros(),
    );
    let skin = smoothstep(0.45, 0.75, slab.tone);
    let rough = lerp(0.5, 1.4, block.tone) * lerp(0.4, 1.0, seam);
    let smooth = lerp(1.0, 1.6, slab.tone) * lerp(0.55, 1.0, smoothstep(0.0, 0.10, slab.edge));
    let levee = smoothstep(0.2, 0.5, share) * (1.0 - smoothstep(0.8, 1.0, share));
    let tint = mix(V3::repeat(1.0), v3(1.22, 1.03, 0.95), levee);
    mix(
        land,
        times(basalt(p), tint) * lerp(rough, smooth, skin * (1.0 - levee)),
        cover,
    )
}

/// Returns the albedo (linear RGB) of solidified lava at `p` (pattern units: 1/128 of the
/// simulation box's longer side).
pub fn basalt(p: V3) -> V3 {
    let clinker = noise::fractal(p * 1.3 + v3(4.0, 9.0, 2.0), 4);
    let ropes = noise::fractal(v3(p.x, 0.5 * p.y, p.z) * 0.45 + v3(2.0, 7.0, 5.0), 3);
    mix(
        v3(0.016, 0.016, 0.018),
        v3(0.046, 0.043, 0.043),
        saturate(0.42 + 0.7 * clinker + 0.35 * ropes),
    )
}

/// Returns the unit normal `n` with relief added that is finer than the distance between nodes.
/// `p`: position in pattern units (1/128 of the simulation box's longer side). The relief is
/// equally strong on slopes and on flat ground.
pub fn bumped(n: V3, p: V3) -> V3 {
    let e = 0.12;
    let height = |q: V3| noise::fractal(q * 1.9 + v3(2.0, 6.0, 4.0), 3);
    // Tangents of the surface: a tilt east and south only would leave furrows down a steep slope.
    let [along, across] = tangents(n);
    let here = height(p);
    let tilt =
        (along * (height(p + along * e) - here) + across * (height(p + across * e) - here)) / e;
    (n - tilt * lerp(0.06, 0.15, fields(p)) * lerp(1.0, 0.6, smoothstep(0.75, 0.98, n.y)))
        .normalize()
}

/// Returns two unit vectors tangent to a surface with the unit normal `n`; on level ground the two
/// point east and south.
fn tangents(n: V3) -> [V3; 2] {
    let level = n.x.hypot(n.y);
    let along = if level < 1e-3 {
        V3::x()
    } else {
        v3(n.y, -n.x, 0.0) / level
    };
    [along, along.cross(&n)]
}

// Grain stands for the relief that coarse nodes cannot show.
/// Frequency of the fine relief on the land around the simulation box relative to that on the
/// ground in the box; below 1, because the land's nodes are farther apart.
pub const BROADER: f32 = 0.5;
/// Strength of the fine relief on the land around the simulation box relative to that on the ground
/// in the box; above 1, because the land's nodes are farther apart.
pub const RUGGED: f32 = 1.5;

/// Returns the unit normal `n` of the land around the simulation box with fine relief added, which
/// its widely spaced nodes cannot show. `p`: position in pattern units (1/128 of the box's longer
/// side).
pub fn rugged(n: V3, p: V3) -> V3 {
    let grain = bumped(n, p * BROADER);
    unit_or_up(n + (grain - n) * RUGGED)
}
