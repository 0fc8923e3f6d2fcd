//! Noise patterns for rock and crust: gradient noise, its fractal sum, and cellular plates.
//!
//! Not taken from a library: shading evaluates these patterns a million times a frame, and plates
//! need the distance to their edge, not only the distances to the two nearest seeds.

use super::math::{V3, v3};
use lavoxel_base::simd::{Level, Simd, Work, hash};

#[inline(always)]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Returns the floor of `x` as a float and as an integer. Faster than the standard `floor`, which
/// would cost a function call on plain x86-64.
#[inline(always)]
fn floor(x: f32) -> (f32, i32) {
    let whole = x as i32;
    let whole = if whole as f32 > x { whole - 1 } else { whole };
    (whole as f32, whole)
}

/// Task that sums `octaves` octaves of gradient noise at the point `p`, with the SIMD instructions
/// of this processor.
struct Noise<'a> {
    p: V3,
    octaves: u32,
    sum: &'a mut f32,
}

impl Work for Noise<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        let (mut strength, mut q) = (1.0, self.p);
        for _ in 0..self.octaves {
            let ((x, i), (y, j), (z, k)) = (floor(q.x), floor(q.y), floor(q.z));
            let place = [q.x - x, q.y - y, q.z - z];
            let weights = [fade(place[0]), fade(place[1]), fade(place[2])];
            *self.sum += strength * (1.2 * s.between_slopes([i, j, k], place, weights));
            strength *= 0.5;
            // The odd offset keeps the lattices of the octaves from lining up at the origin.
            q = q * 2.03 + v3(17.3, 5.1, 9.7);
        }
    }
}

/// Returns gradient noise at `p` with lattice spacing 1: about −1 to 1, mean 0.
pub(crate) fn gradient(p: V3) -> f32 {
    let mut sum = 0.0;
    Level::fastest().run(Noise {
        p,
        octaves: 1,
        sum: &mut sum,
    });
    sum
}

/// Returns the sum of `octaves` octaves of gradient noise at `p`, each with about twice the
/// frequency and half the amplitude of the previous one; about −1..1.
pub(crate) fn fractal(p: V3, octaves: u32) -> f32 {
    let mut sum = 0.0;
    Level::fastest().run(Noise {
        p,
        octaves,
        sum: &mut sum,
    });
    // Normalises the sum; its weights are powers of two, which are exact.
    sum * 0.8
}

/// Cellular (Voronoi) noise at a point, with one seed point per unit cell of the lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plate {
    /// Distance from the point to the boundary with the nearest neighbouring Voronoi cell, in
    /// lattice spacings: 0 on the boundary, about 0.5 in the centre.
    pub(crate) edge: f32,
    /// Unit direction in which `edge` increases fastest.
    pub(crate) inward: V3,
    /// Random number (0 to 1) of the Voronoi cell that contains the point.
    pub(crate) tone: f32,
    /// Random number (0 to 1) of the pair of this Voronoi cell and its nearest neighbour: strength
    /// with which two plates of crust, or two crystals of ice, hold together.
    pub(crate) bond: f32,
    /// Vector from the seed point of the Voronoi cell to the point, in lattice spacings.
    pub(crate) way: V3,
}

/// Returns a number from 0 to 1 computed from the hash `h`.
#[inline(always)]
pub(crate) fn share_of(h: u32) -> f32 {
    (h.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 24) as f32
}

/// Returns cellular noise at `p`. Voronoi cells are stretched in the direction of `drawn`, a vector
/// of length less than 1, by the factor 1 / √(1 − |drawn|²).
pub(crate) fn plate(p: V3, drawn: V3) -> Plate {
    let ((x, i), (y, j), (z, k)) = (floor(p.x), floor(p.y), floor(p.z));
    let (f, cell) = (p - v3(x, y, z), [i, j, k]);
    let (mut first, mut second) = ((f32::MAX, V3::zeros(), 0), (f32::MAX, V3::zeros(), 0));
    for k in -1..=1 {
        for j in -1..=1 {
            for i in -1..=1 {
                let h = hash([cell[0] + i, cell[1] + j, cell[2] + k]);
                let seed = v3(
                    (h & 1023) as f32,
                    ((h >> 10) & 1023) as f32,
                    ((h >> 20) & 1023) as f32,
                ) / 1023.0;
                let away = v3(i as f32, j as f32, k as f32) + seed - f;
                // A metric in which lengths along `drawn` count less: plates then extend along it.
                let along = away.dot(&drawn);
                let d = away.norm_squared() - along * along;
                if d < first.0 {
                    second = first;
                    first = (d, away, h);
                } else if d < second.0 {
                    second = (d, away, h);
                }
            }
        }
    }
    let between = second.1 - first.1;
    let across = between - drawn * between.dot(&drawn);
    let apart = across.norm().max(1e-6);
    let edge = 0.5 * (second.0 - first.0) / apart;
    let (tone, bond) = (share_of(first.2), share_of(first.2 ^ second.2));
    Plate {
        edge,
        inward: -across / apart,
        tone,
        bond,
        way: -first.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plates_are_longer_along_the_direction_in_which_they_are_drawn() {
        // Number of edges crossed along lines in one direction.
        let edges = |step: V3, drawn: V3| {
            let tone = |k: usize, line: usize| {
                let across = v3(step.z, 0.0, step.x) * (97.0 * line as f32);
                plate(v3(0.3, 0.4, 0.2) + across + step * k as f32, drawn).tone
            };
            (0..40)
                .map(|line| {
                    (1..400)
                        .filter(|&k| tone(k, line) != tone(k - 1, line))
                        .count()
                })
                .sum::<usize>()
        };
        let (east, south) = (V3::x() * 0.05, V3::z() * 0.05);
        let ratio = |drawn: V3| edges(south, drawn) as f32 / edges(east, drawn) as f32;
        let (round, long) = (ratio(V3::zeros()), ratio(V3::x() * 0.85));
        assert!(
            (round - 1.0).abs() < 0.15 && long > 1.4,
            "{round} without, {long} with"
        );
    }

    #[test]
    fn distance_to_the_edge_falls_along_its_slope() {
        let drawn = V3::x() * 0.8;
        for k in 0..50 {
            let p = v3(0.37 * k as f32, 0.21 * k as f32, 0.11 * k as f32);
            let (here, there) = (
                plate(p, drawn),
                plate(p + plate(p, drawn).inward * 1e-3, drawn),
            );
            let same = here.tone == there.tone && here.bond == there.bond;
            assert!(
                !same || (there.edge - here.edge - 1e-3).abs() < 2e-4,
                "{k}: {} and {}",
                here.edge,
                there.edge
            );
        }
    }
}
