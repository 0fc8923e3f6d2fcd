//! Billow noise (rounded bulges) for clouds: a periodic 3D texture of the noise and its gradient,
//! with which shading needs a single look-up and no finite differences.

use std::sync::LazyLock;

use crate::math::{V3, v3};
use lavoxel_base::simd::{Simd, hash};

/// Edge length of the billow texture in texels; a power of two.
pub const SIDE: usize = 64;
/// Number of billows of the broadest octave along an edge of the billow texture.
pub const BROADEST: i32 = 2;
/// Number of octaves of the billow noise.
const OCTAVES: u32 = 4;
/// Ratio of the amplitudes of consecutive octaves of the billow noise. Chosen by eye.
const FINER: f32 = 0.68;
/// Mean of the sum of all octaves of the billow noise, subtracted from the sum.
const MEAN: f32 = 0.45;
/// Factor from the sum of the octaves, less `MEAN`, to the billow noise of about −1 to 1.
const STRENGTH: f32 = 2.1;
/// Maximum slope that a byte of the billow texture encodes, in height per edge length of the
/// broadest billows; steeper slopes are clamped.
pub const STEEPEST: f32 = 12.0;

/// Texels of the billow texture, each with the encoded height and the encoded slopes along x, y and
/// z. Along each axis the first texel is repeated at the end, for interpolation.
struct Block(Vec<[u8; 4]>);

/// Shared instance of the billow texture, computed on first use.
static BLOCK: LazyLock<Block> = LazyLock::new(|| {
    let value = |[x, y, z]: [usize; 3]| {
        let p = v3(x as f32, y as f32, z as f32) * (BROADEST as f32 / SIDE as f32);
        let octave = |n: u32| {
            periodic(p * 2.0_f32.powi(n as i32), BROADEST << n).abs() * FINER.powi(n as i32)
        };
        ((0..OCTAVES).map(octave).sum::<f32>() - MEAN) * STRENGTH
    };
    let place = |i: usize| [i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)];
    let values: Vec<f32> = (0..SIDE * SIDE * SIDE).map(|i| value(place(i))).collect();
    let at = |[x, y, z]: [usize; 3]| values[(z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE];
    let byte = |value: f32| ((value.clamp(-1.0, 1.0) * 0.5 + 0.5) * 255.0 + 0.5) as u8;
    let texel = |[x, y, z]: [usize; 3]| {
        let slope = |axis: usize| {
            let beside = |by: usize| {
                let mut place = [x, y, z];
                place[axis] += by;
                at(place)
            };
            // Central difference, scaled to the edge of a broadest billow.
            (beside(1) - beside(SIDE - 1)) * (SIDE as f32 / BROADEST as f32 * 0.5 / STEEPEST)
        };
        [
            byte(at([x, y, z])),
            byte(slope(0)),
            byte(slope(1)),
            byte(slope(2)),
        ]
    };
    let whole = SIDE + 1;
    Block(
        (0..whole * whole * whole)
            .map(|i| texel([i % whole, i / whole % whole, i / (whole * whole)]))
            .collect(),
    )
});

/// Returns gradient noise (about −1 to 1) at `p`, with lattice spacing 1, that repeats along each
/// axis after the distance `period`.
fn periodic(p: V3, period: i32) -> f32 {
    let cell = p.map(f32::floor);
    let f = p - cell;
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let w = f.map(fade);
    let corner = |i: i32, j: i32, k: i32| {
        let at = |cell: f32, i: i32| (cell as i32 + i).rem_euclid(period);
        let h = hash([at(cell.x, i), at(cell.y, j), at(cell.z, k) + 977 * period]);
        let slope = v3(1.0, 1.0, 1.0).zip_map(&v3(0.0, 8.0, 16.0), |one, shift| {
            ((h >> shift as u32) & 255) as f32 * (2.0 / 255.0) - one
        });
        slope.dot(&(f - v3(i as f32, j as f32, k as f32)))
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let row = |j: i32, k: i32| mix(corner(0, j, k), corner(1, j, k), w.x);
    let sheet = |k: i32| mix(row(0, k), row(1, k), w.y);
    1.2 * mix(sheet(0), sheet(1), w.z)
}

/// Returns the height (about −1 to 1) and the slope of the billow noise at `p`. Lengths are in edge
/// lengths of the broadest billows; `s` selects the SIMD instructions.
#[inline(always)]
pub(crate) fn billow<S: Simd>(s: S, p: V3) -> (f32, V3) {
    let (rows, between) = nearest_texels(p);
    decoded(s.blend(rows, between))
}

/// Returns the results of `billow` at `p` and at `q`: height (about −1 to 1) and slope of the
/// billow noise.
#[inline(always)]
pub(crate) fn billow_pair<S: Simd>(s: S, p: V3, q: V3) -> [(f32, V3); 2] {
    let ((near, between), (others, beside)) = (nearest_texels(p), nearest_texels(q));
    [
        decoded(s.blend(near, between)),
        decoded(s.blend(others, beside)),
    ]
}

/// Returns the eight texels around `p` as four pairs of neighbours along x, and the interpolation
/// fractions (0 to 1) along x, y and z.
#[inline(always)]
fn nearest_texels(p: V3) -> ([&'static [u8; 8]; 4], [f32; 3]) {
    let whole = SIDE + 1;
    let (mut cell, mut between) = ([0; 3], [0.0; 3]);
    for axis in 0..3 {
        let place = p[axis] * (SIDE as f32 / BROADEST as f32);
        let floor = place as i32 - i32::from(place < 0.0);
        (cell[axis], between[axis]) = (
            (floor & (SIDE as i32 - 1)) as usize,
            (place - floor as f32).clamp(0.0, 1.0),
        );
    }
    let first = (cell[2] * whole + cell[1]) * whole + cell[0];
    let bytes = BLOCK.0.as_flattened();
    let rows = [
        pair(bytes, first),
        pair(bytes, first + whole),
        pair(bytes, first + whole * whole),
        pair(bytes, first + whole * whole + whole),
    ];
    (rows, between)
}

/// Returns the height (about −1 to 1) and the slope of the billow noise, decoded from interpolated
/// bytes (0 to 255): `value` for the height, `east`, `up` and `south` for the components of the
/// slope.
#[inline(always)]
fn decoded([value, east, up, south]: [f32; 4]) -> (f32, V3) {
    let scale = 2.0 / 255.0;
    (
        value * scale - 1.0,
        (v3(east, up, south) * scale - V3::new(1.0, 1.0, 1.0)) * STEEPEST,
    )
}

/// Returns the bytes of the two neighbouring texels along x that begin at the byte index `start`.
#[inline(always)]
fn pair(bytes: &[u8], start: usize) -> &[u8; 8] {
    bytes[4 * start..]
        .first_chunk()
        .expect("a texel has one to its east")
}

/// Returns the billow noise as a repeating 3D texture: its edge length in texels, and per texel (x
/// fastest) the encoded height and the encoded slopes along x, y and z.
pub fn texels() -> (usize, Vec<[u8; 4]>) {
    let whole = SIDE + 1;
    let rows = (0..SIDE * SIDE).map(|row| (row / SIDE * whole + row % SIDE) * whole);
    (
        SIDE,
        rows.flat_map(|start| &BLOCK.0[start..start + SIDE])
            .copied()
            .collect(),
    )
}

/// Lifetime of a generation of billows, in simulation steps; the second generation starts half a
/// lifetime after the first.
const PERIOD: f64 = 7.0;
/// Maximum distance by which the flow of the air advects billows, in billow edge lengths; longer
/// distances would shear the billows into stripes thinner than air cells.
pub const FARTHEST: f32 = 0.35;
/// Offset of the second generation of billows in the noise, in billow edge lengths.
pub const BEGAN: V3 = V3::new(1.37, 2.71, 0.19);
/// Blend weight or strength below which a generation of billows, or the fine billows, are not
/// evaluated.
pub const FAINT: f32 = 0.02;

/// Two generations of billows that the flow of the air advects, crossfaded: one fades in while the
/// other fades out.
#[derive(Clone, Copy, Debug)]
pub struct Generations {
    /// Three values per generation: time in steps for which the generation has been advected,
    /// offset in the noise (billow edge lengths), and blend weight (0 to 1).
    pub carried: [(f32, V3, f32); 2],
}

impl Generations {
    /// Returns both generations of billows after `steps` simulation steps.
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

    /// Returns the height (about −1 to 1) and the slope of the billows at the point `p` (cells of
    /// the simulation). `flow`: velocity of the air in cells per step; `scale`: number of broadest
    /// billows per cell; `s` selects the SIMD instructions.
    #[inline(always)]
    pub(crate) fn billow<S: Simd>(&self, s: S, p: V3, flow: V3, scale: f32) -> (f32, V3) {
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

/// Returns the number of steps by which billows are advected when their generation is `steps` steps
/// old, in air of the speed `speed` (billow edge lengths per step); less than `steps`, so that the
/// distance stays below `FARTHEST`.
#[inline(always)]
fn carried(speed: f32, steps: f32) -> f32 {
    steps * (FARTHEST / (FARTHEST + speed * steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::simd::Portable;

    fn billow(p: V3) -> (f32, V3) {
        super::billow(Portable, p)
    }

    #[test]
    fn billows_repeat_and_are_even_on_average() {
        let values: Vec<f32> = (0..4000)
            .map(|i| billow(v3(i as f32 * 0.31, i as f32 * 0.173, i as f32 * 0.077)).0)
            .collect();
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        let spread =
            (values.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / values.len() as f32).sqrt();
        assert!(
            mean.abs() < 0.15 && (0.2..0.7).contains(&spread),
            "mean {mean}, spread {spread}"
        );
        let edge = BROADEST as f32;
        for p in [v3(0.3, 1.7, 3.9), v3(-0.4, 0.0, 2.5)] {
            let (here, there) = (billow(p), billow(p + v3(edge, -edge, 2.0 * edge)));
            assert!(
                (here.0 - there.0).abs() < 1e-3 && (here.1 - there.1).norm() < 0.05,
                "{here:?} {there:?}"
            );
        }
    }

    #[test]
    fn slopes_are_those_of_the_values() {
        for i in 0..200 {
            let p = v3(i as f32 * 0.37, i as f32 * 0.11, i as f32 * 0.23);
            // At a texel, where the stored slopes are exact.
            let h = 0.03;
            let along = |d: V3| (billow(p + d * h).0 - billow(p - d * h).0) / (2.0 * h);
            let measured = v3(along(V3::x()), along(V3::y()), along(V3::z()));
            let (value, slope) = billow(p);
            assert!(
                value.abs() >= 0.98 || (slope - measured).norm() < 5.0,
                "{slope:?} against {measured:?} at {p:?}"
            );
        }
    }

    #[test]
    fn billows_in_a_shear_are_no_stripes() {
        // Two points an air cell apart, between which a fast flow differs by half.
        for (slow, fast) in [(0.02, 0.05), (0.05, 0.1), (0.1, 0.2)] {
            let apart = fast * carried(fast, 7.0) - slow * carried(slow, 7.0);
            let moved = (fast - slow) * 7.0;
            assert!(
                apart > 0.0 && apart < 1.2 / crate::media::plume::BILLOW,
                "{apart:.3} edges, where the flow moves them by {moved:.3}"
            );
        }
        // A slow flow advects billows nearly by the whole distance.
        assert!(carried(0.001, 7.0) > 6.8);
    }
}
