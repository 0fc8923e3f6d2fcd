//! Procedural patterns for rock and crust: gradient noise, its fractal sum, and cellular plates.
//!
//! Written here rather than taken from a library because shading evaluates them a million times a frame, and because
//! plates need the distance to their edge, not only the distances to the two nearest seeds.

use super::math::{V3, v3};
use crate::simd::{Level, Simd, Work, hash};

#[inline(always)]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// The whole number at or below `x`, as a number and as an index: `floor` is a call on plain x86-64.
#[inline(always)]
fn floor(x: f32) -> (f32, i32) {
    let whole = x as i32;
    let whole = if whole as f32 > x { whole - 1 } else { whole };
    (whole as f32, whole)
}

/// Noise at a point, with the instructions of this processor.
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
            // The odd offset keeps the octaves' lattices from lining up at the origin.
            q = q * 2.03 + v3(17.3, 5.1, 9.7);
        }
    }
}

/// Gradient noise of unit period, about -1..1, zero on average.
pub(crate) fn gradient(p: V3) -> f32 {
    let mut sum = 0.0;
    Level::fastest().run(Noise { p, octaves: 1, sum: &mut sum });
    sum
}

/// Fractal sum of `octaves` gradient noises, each twice as fine and half as strong; about -1..1.
pub(crate) fn fractal(p: V3, octaves: u32) -> f32 {
    let mut sum = 0.0;
    Level::fastest().run(Noise { p, octaves, sum: &mut sum });
    // Halves are exact: the first octave counts half.
    sum * 0.8
}

/// Where a point lies among cellular plates with one seed per unit cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plate {
    /// Distance to the edge shared with the nearest other plate, 0 on the edge, about 0.5 in the middle.
    pub(crate) edge: f32,
    /// Unit direction in which `edge` grows fastest.
    pub(crate) inward: V3,
    /// A number in 0..1 that belongs to the plate as a whole.
    pub(crate) tone: f32,
    /// 1 where the nearest other plate hangs together with this one, else 0.
    pub(crate) joined: f32,
}

/// Pairs of neighbours that hang together, of 256: plates come in several sizes, and some cracks end within one.
pub(crate) const JOINED: u32 = 92;

/// The plate under `p`.
pub(crate) fn plate(p: V3) -> Plate {
    let ((x, i), (y, j), (z, k)) = (floor(p.x), floor(p.y), floor(p.z));
    let (f, cell) = (p - v3(x, y, z), [i, j, k]);
    let (mut first, mut second) = ((f32::MAX, V3::zeros(), 0), (f32::MAX, V3::zeros(), 0));
    for k in -1..=1 {
        for j in -1..=1 {
            for i in -1..=1 {
                let h = hash([cell[0] + i, cell[1] + j, cell[2] + k]);
                let seed = v3((h & 1023) as f32, ((h >> 10) & 1023) as f32, ((h >> 20) & 1023) as f32) / 1023.0;
                let away = v3(i as f32, j as f32, k as f32) + seed - f;
                let d = away.norm_squared();
                if d < first.0 {
                    second = first;
                    first = (d, away, h);
                } else if d < second.0 {
                    second = (d, away, h);
                }
            }
        }
    }
    let across = second.1 - first.1;
    let apart = across.norm().max(1e-6);
    let edge = 0.5 * (second.0 - first.0) / apart;
    let tone = (first.2.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 24) as f32;
    let joined = f32::from(((first.2 ^ second.2).wrapping_mul(0x9e37_79b1) >> 24) < JOINED);
    Plate { edge, inward: -across / apart, tone, joined }
}
