//! Blue-noise mask: a threshold (0 to 1) for each pixel, such that neighbouring pixels differ as
//! much as possible. Jitter of the samples along rays by this mask turns the sampling error into
//! fine grain; ordered masks would leave a mesh or stripes.
//!
//! Algorithm: void and cluster (Ulichney 1993). Points are inserted one by one into the largest
//! remaining void; the value of a pixel is the rank of its point. Distances are periodic, which
//! lets copies of the mask join without a seam.

use std::sync::LazyLock;

/// Edge length of the mask in pixels; a power of two. The mask repeats over the picture.
pub const SIDE: usize = 64;
/// Number of pixels of the mask.
const TILE: usize = SIDE * SIDE;
/// Number of pixels of the mask per point of the initial pattern.
const FIRST: usize = 10;
/// Gaussian with a standard deviation of 1.5 pixels at distances of 0 to 7 pixels, scaled to 65536
/// at 0. Integers make the mask bit for bit equal on every machine.
const GAUSSIAN: [u32; 8] = [65536, 52477, 26943, 8869, 1872, 253, 22, 1];
/// Fractional part of the golden ratio; its multiples modulo 1 fill the range 0 to 1 more evenly
/// than those of any other number.
const GOLDEN: f32 = 0.618_034;

/// Values of the mask (0 to 1, row-major), computed on first use.
static MASK: LazyLock<Box<[f32]>> = LazyLock::new(tile);

/// Returns the values of the mask, row-major; each of the values (k + 1/2)/4096 for k from 0 to
/// 4095 occurs exactly once.
pub fn values() -> &'static [f32] {
    &MASK
}

/// Returns the mask value (0 to 1) of the pixel (`x`, `y`); the mask repeats over the picture.
#[inline(always)]
pub fn value(x: usize, y: usize) -> f32 {
    MASK[y % SIDE * SIDE + x % SIDE]
}

/// Returns the mask value (0 to 1) of the pixel (`x`, `y`) plus `turns`, modulo 1. The offset keeps
/// the mask blue noise.
#[inline(always)]
pub fn turned(x: usize, y: usize, turns: f32) -> f32 {
    let value = value(x, y) + turns;
    value - value.floor()
}

/// Returns the offset (0 to 1) of the mask for the frame number `frame`, which `turned` takes as
/// `turns`. Over several frames the values of a pixel are evenly distributed.
pub fn turn(frame: u64) -> f32 {
    let turns = GOLDEN * (frame % 1024) as f32;
    turns - turns.floor()
}

/// Set of points on the mask's pixels (periodic), with a density per pixel: the sum of Gaussians
/// around the points.
struct Pattern {
    points: [bool; TILE],
    crowd: [u32; TILE],
}

impl Pattern {
    fn empty() -> Self {
        Self {
            points: [false; TILE],
            crowd: [0; TILE],
        }
    }

    fn set(&mut self, at: usize, point: bool) {
        self.points[at] = point;
        let reach = GAUSSIAN.len() as isize - 1;
        let around =
            |from: usize, by: isize| (from as isize + by).rem_euclid(SIDE as isize) as usize;
        for v in -reach..=reach {
            let row = around(at / SIDE, v) * SIDE;
            for u in -reach..=reach {
                let share = (GAUSSIAN[u.unsigned_abs()] * (GAUSSIAN[v.unsigned_abs()] >> 4)) >> 6;
                let crowd = &mut self.crowd[row + around(at % SIDE, u)];
                *crowd = if point {
                    *crowd + share
                } else {
                    *crowd - share
                };
            }
        }
    }

    /// Returns the index of the point with the highest density around it; the first such point if
    /// several are equal.
    fn cluster(&self) -> usize {
        (0..TILE)
            .filter(|&i| self.points[i])
            .rev()
            .max_by_key(|&i| self.crowd[i])
            .unwrap_or_default()
    }

    /// Returns the index of the pixel with the lowest density among the pixels without a point; the
    /// first one if several are equal.
    fn void(&self) -> usize {
        (0..TILE)
            .filter(|&i| !self.points[i])
            .min_by_key(|&i| self.crowd[i])
            .unwrap_or_default()
    }

    /// Returns an evenly spread set of points: random points move one by one from the tightest
    /// cluster into the largest void, until that void is the place that the point has just left.
    fn even() -> Self {
        let (mut pattern, mut state, mut left) = (Self::empty(), 1_u32, TILE / FIRST);
        while left > 0 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (state >> 16) as usize % TILE;
            if !pattern.points[at] {
                pattern.set(at, true);
                left -= 1;
            }
        }
        // Each move makes the pattern more even, so the loop ends by itself; the bound only
        // guarantees termination.
        for _ in 0..TILE {
            let from = pattern.cluster();
            pattern.set(from, false);
            let to = pattern.void();
            pattern.set(to, true);
            if to == from {
                break;
            }
        }
        pattern
    }
}

/// Returns the mask: the rank of each pixel, scaled to 0..1.
fn tile() -> Box<[f32]> {
    let first = Pattern::even();
    let count = first.points.iter().filter(|point| **point).count();
    let mut values = vec![0.0; TILE].into_boxed_slice();
    let mut put = |at: usize, turn: usize| values[at] = (turn as f32 + 0.5) / TILE as f32;
    // Ranks of the initial points, in reverse order: the tightest cluster is removed first and gets
    // the highest rank.
    let mut pattern = Pattern {
        points: first.points,
        crowd: first.crowd,
    };
    for turn in (0..count).rev() {
        let at = pattern.cluster();
        pattern.set(at, false);
        put(at, turn);
    }
    pattern = first;
    for turn in count..TILE {
        let at = pattern.void();
        pattern.set(at, true);
        put(at, turn);
    }
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the energy spectrum of the mask `values`, row-major: row j and column k hold the
    /// energy of j waves per mask height along y and k waves per mask width along x.
    pub(crate) fn spectrum(values: impl Fn(usize, usize) -> f32) -> Vec<f64> {
        let wave = |k: usize, i: usize| (k * i % SIDE) as f64 * std::f64::consts::TAU / SIDE as f64;
        // Transforms rows first, then columns.
        let along: Vec<[f64; 2]> = (0..TILE)
            .map(|n| {
                let (y, k) = (n / SIDE, n % SIDE);
                (0..SIDE).fold([0.0; 2], |[re, im], x| {
                    let value = f64::from(values(x, y)) - 0.5;
                    [re + value * wave(k, x).cos(), im - value * wave(k, x).sin()]
                })
            })
            .collect();
        (0..TILE)
            .map(|n| {
                let (j, k) = (n / SIDE, n % SIDE);
                let [re, im] = (0..SIDE).fold([0.0; 2], |[re, im], y| {
                    let ([a, b], (sin, cos)) = (along[y * SIDE + k], wave(j, y).sin_cos());
                    [re + a * cos + b * sin, im + b * cos - a * sin]
                });
                re * re + im * im
            })
            .collect()
    }

    /// Returns the mean of the spectrum `energy` over all waves whose number per edge of the mask,
    /// in any direction, lies in `waves`.
    pub(crate) fn mean(energy: &[f64], waves: std::ops::Range<f64>) -> f64 {
        let far = |k: usize| k.min(SIDE - k) as f64;
        let ring = (0..TILE).filter(|n| waves.contains(&far(n / SIDE).hypot(far(n % SIDE))));
        let chosen: Vec<f64> = ring.map(|n| energy[n]).collect();
        chosen.iter().sum::<f64>() / chosen.len() as f64
    }

    #[test]
    fn each_value_comes_once() {
        let mut values: Vec<f32> = (0..TILE).map(|i| value(i % SIDE, i / SIDE)).collect();
        values.sort_by(f32::total_cmp);
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(k, value)| *value == (k as f32 + 0.5) / TILE as f32)
        );
        assert_eq!(value(3, 5), value(3 + SIDE, 5 + 7 * SIDE), "tiles join");
    }

    #[test]
    fn there_are_no_broad_waves_in_any_turn_of_it() {
        for frame in [0, 1, 5] {
            let energy = spectrum(|x, y| turned(x, y, turn(frame)));
            let (broad, fine) = (mean(&energy, 1.0..8.0), mean(&energy, 20.0..32.0));
            assert!(
                broad < 0.06 * fine,
                "frame {frame}: {broad:.3} against {fine:.3}"
            );
        }
    }

    #[test]
    fn no_wave_stands_out_as_those_of_a_mesh_do() {
        let strongest =
            |energy: &[f64]| energy.iter().copied().fold(0.0, f64::max) / mean(energy, 0.5..64.0);
        for frame in [0, 1, 5] {
            let peak = strongest(&spectrum(|x, y| turned(x, y, turn(frame))));
            assert!(
                peak < 30.0,
                "frame {frame}: one wave has {peak:.0} times the energy of the mean one"
            );
        }
        // Counter-check: the measure recognises a mesh, here interleaved gradient noise.
        let part = |x: f32| x - x.floor();
        let mesh = spectrum(|x, y| {
            part(52.982_918 * part(0.067_110_56 * x as f32 + 0.005_837_15 * y as f32))
        });
        assert!(strongest(&mesh) > 300.0);
    }

    #[test]
    fn the_turns_of_a_pixel_divide_a_step_evenly() {
        for frames in [4, 8, 16] {
            let mut values: Vec<f32> = (0..frames)
                .map(|frame| turned(9, 30, turn(frame)))
                .collect();
            values.sort_by(f32::total_cmp);
            let widest = values
                .windows(2)
                .map(|pair| pair[1] - pair[0])
                .fold(0.0, f32::max);
            assert!(widest < 2.2 / frames as f32, "{frames}: a gap of {widest}");
        }
    }
}
