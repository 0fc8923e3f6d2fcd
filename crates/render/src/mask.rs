//! A mask of blue noise: each pixel's place in a step, such that neighbours differ as much as they can in all directions. What is
//! left of the sampling error is fine grain that the eye takes for an even surface. Values of an ordered mask, or of a sum of the
//! coordinates, make a mesh or stripes there.
//!
//! It is made by Ulichney's method of the void and the cluster (1993): points are put one by one into the largest void that those
//! before them leave, and a pixel's value is when its turn came. Distances are those on a torus, so that tiles join.

use std::sync::LazyLock;

/// Pixels along the edge of a tile, a power of two.
pub const SIDE: usize = 64;
/// Pixels of a tile.
const TILE: usize = SIDE * SIDE;
/// Share of the pixels that are points of the first pattern, as one of so many.
const FIRST: usize = 10;
/// A Gaussian of 1.5 pixels at whole distances, 65536 for 1. Whole numbers are the same on every machine.
const GAUSSIAN: [u32; 8] = [65536, 52477, 26943, 8869, 1872, 253, 22, 1];
/// The golden ratio's part below 1: its multiples divide 1 more evenly than those of any other number.
const GOLDEN: f32 = 0.618_034;

static MASK: LazyLock<Box<[f32]>> = LazyLock::new(tile);

/// The values of a tile in rows, each of (k + 1/2)/4096 once.
pub fn values() -> &'static [f32] {
    &MASK
}

/// The value of a pixel, 0..1.
#[inline(always)]
pub fn value(x: usize, y: usize) -> f32 {
    MASK[y % SIDE * SIDE + x % SIDE]
}

/// The value of a pixel in the mask after so many turns of it, each of which shifts all values by the same amount: a mask
/// that is as blue, and over some turns the values of a pixel divide 0..1 evenly.
#[inline(always)]
pub fn turned(x: usize, y: usize, turns: f32) -> f32 {
    let value = value(x, y) + turns;
    value - value.floor()
}

/// The shift of the mask of a frame.
pub fn turn(frame: u64) -> f32 {
    let turns = GOLDEN * (frame % 1024) as f32;
    turns - turns.floor()
}

/// Points on a torus, and how crowded each pixel is by them.
struct Pattern {
    points: [bool; TILE],
    crowd: [u32; TILE],
}

impl Pattern {
    fn empty() -> Self {
        Self { points: [false; TILE], crowd: [0; TILE] }
    }

    fn set(&mut self, at: usize, point: bool) {
        self.points[at] = point;
        let reach = GAUSSIAN.len() as isize - 1;
        let around = |from: usize, by: isize| (from as isize + by).rem_euclid(SIDE as isize) as usize;
        for v in -reach..=reach {
            let row = around(at / SIDE, v) * SIDE;
            for u in -reach..=reach {
                let share = (GAUSSIAN[u.unsigned_abs()] * (GAUSSIAN[v.unsigned_abs()] >> 4)) >> 6;
                let crowd = &mut self.crowd[row + around(at % SIDE, u)];
                *crowd = if point { *crowd + share } else { *crowd - share };
            }
        }
    }

    /// The point that is most crowded; of equal ones the first.
    fn cluster(&self) -> usize {
        (0..TILE).filter(|&i| self.points[i]).rev().max_by_key(|&i| self.crowd[i]).unwrap_or_default()
    }

    /// The pixel without a point that is least crowded; of equal ones the first.
    fn void(&self) -> usize {
        (0..TILE).filter(|&i| !self.points[i]).min_by_key(|&i| self.crowd[i]).unwrap_or_default()
    }

    /// Points at random, moved one by one from the tightest cluster into the largest void until that is where it was.
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
        // Each move makes the pattern more even; the bound is for the proof.
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

/// The values of a tile.
fn tile() -> Box<[f32]> {
    let first = Pattern::even();
    let count = first.points.iter().filter(|point| **point).count();
    let mut values = vec![0.0; TILE].into_boxed_slice();
    let mut put = |at: usize, turn: usize| values[at] = (turn as f32 + 0.5) / TILE as f32;
    // The first points in the order in which they can best be spared.
    let mut pattern = Pattern { points: first.points, crowd: first.crowd };
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

    /// Energy of a tile's values by frequency: waves a tile along x in rows, along y from row to row.
    pub(crate) fn spectrum(values: impl Fn(usize, usize) -> f32) -> Vec<f64> {
        let wave = |k: usize, i: usize| (k * i % SIDE) as f64 * std::f64::consts::TAU / SIDE as f64;
        // Rows first, then columns.
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

    /// Mean energy of the waves of these numbers a tile, in any direction.
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
        assert!(values.iter().enumerate().all(|(k, value)| *value == (k as f32 + 0.5) / TILE as f32));
        assert_eq!(value(3, 5), value(3 + SIDE, 5 + 7 * SIDE), "tiles join");
    }

    #[test]
    fn there_are_no_broad_waves_in_any_turn_of_it() {
        for frame in [0, 1, 5] {
            let energy = spectrum(|x, y| turned(x, y, turn(frame)));
            let (broad, fine) = (mean(&energy, 1.0..8.0), mean(&energy, 20.0..32.0));
            assert!(broad < 0.06 * fine, "frame {frame}: {broad:.3} against {fine:.3}");
        }
    }

    #[test]
    fn no_wave_stands_out_as_those_of_a_mesh_do() {
        let strongest = |energy: &[f64]| energy.iter().copied().fold(0.0, f64::max) / mean(energy, 0.5..64.0);
        for frame in [0, 1, 5] {
            let peak = strongest(&spectrum(|x, y| turned(x, y, turn(frame))));
            assert!(peak < 30.0, "frame {frame}: one wave has {peak:.0} times the energy of the mean one");
        }
        // The measure tells a mesh: a sum of the coordinates, as interleaved gradient noise is.
        let part = |x: f32| x - x.floor();
        let mesh = spectrum(|x, y| part(52.982_918 * part(0.067_110_56 * x as f32 + 0.005_837_15 * y as f32)));
        assert!(strongest(&mesh) > 300.0);
    }

    #[test]
    fn the_turns_of_a_pixel_divide_a_step_evenly() {
        for frames in [4, 8, 16] {
            let mut values: Vec<f32> = (0..frames).map(|frame| turned(9, 30, turn(frame))).collect();
            values.sort_by(f32::total_cmp);
            let widest = values.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max);
            assert!(widest < 2.2 / frames as f32, "{frames}: a gap of {widest}");
        }
    }
}
