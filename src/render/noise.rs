//! Procedural patterns for rock and crust: gradient noise, its fractal sum, and cellular plates.
//!
//! Written here rather than taken from a library because shading evaluates them a million times a frame, and because
//! plates need the distance to their edge, not only the distances to the two nearest seeds.

use super::math::{V3, lerp, v3};

#[inline]
fn hash(x: i32, y: i32, z: i32) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x8da6_b343)
        ^ (y as u32).wrapping_mul(0xd816_3841)
        ^ (z as u32).wrapping_mul(0xcb1a_b31f);
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

#[inline]
fn signed_byte(h: u32, shift: u32) -> f32 {
    ((h >> shift) & 255) as f32 * (2.0 / 255.0) - 1.0
}

#[inline]
fn corner(cell: [i32; 3], offset: [f32; 3]) -> f32 {
    let h = hash(cell[0], cell[1], cell[2]);
    signed_byte(h, 0) * offset[0] + signed_byte(h, 8) * offset[1] + signed_byte(h, 16) * offset[2]
}

#[inline]
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

/// Gradient noise of unit period, about -1..1, zero on average.
pub(crate) fn gradient(p: V3) -> f32 {
    let ((x, i), (y, j), (z, k)) = (floor(p.x), floor(p.y), floor(p.z));
    let (f, c) = ([p.x - x, p.y - y, p.z - z], [i, j, k]);
    let w = [fade(f[0]), fade(f[1]), fade(f[2])];
    let at = |i: i32, j: i32, k: i32| {
        corner([c[0] + i, c[1] + j, c[2] + k], [f[0] - i as f32, f[1] - j as f32, f[2] - k as f32])
    };
    let row = |j: i32, k: i32| lerp(at(0, j, k), at(1, j, k), w[0]);
    let sheet = |k: i32| lerp(row(0, k), row(1, k), w[1]);
    1.2 * lerp(sheet(0), sheet(1), w[2])
}

/// Fractal sum of `octaves` gradient noises, each twice as fine and half as strong; about -1..1.
pub(crate) fn fractal(p: V3, octaves: u32) -> f32 {
    let (mut sum, mut strength, mut q) = (0.0, 0.5, p);
    for _ in 0..octaves {
        sum += strength * gradient(q);
        strength *= 0.5;
        // The odd offset keeps the octaves' lattices from lining up at the origin.
        q = q * 2.03 + v3(17.3, 5.1, 9.7);
    }
    sum * 1.6
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
}

/// The plate under `p`.
pub(crate) fn plate(p: V3) -> Plate {
    let ((x, i), (y, j), (z, k)) = (floor(p.x), floor(p.y), floor(p.z));
    let (f, cell) = (p - v3(x, y, z), [i, j, k]);
    let (mut first, mut second) = ((f32::MAX, V3::zeros(), 0), (f32::MAX, V3::zeros()));
    for k in -1..=1 {
        for j in -1..=1 {
            for i in -1..=1 {
                let h = hash(cell[0] + i, cell[1] + j, cell[2] + k);
                let seed = v3((h & 1023) as f32, ((h >> 10) & 1023) as f32, ((h >> 20) & 1023) as f32) / 1023.0;
                let away = v3(i as f32, j as f32, k as f32) + seed - f;
                let d = away.norm_squared();
                if d < first.0 {
                    second = (first.0, first.1);
                    first = (d, away, h);
                } else if d < second.0 {
                    second = (d, away);
                }
            }
        }
    }
    let across = second.1 - first.1;
    let apart = across.norm().max(1e-6);
    let edge = 0.5 * (second.0 - first.0) / apart;
    Plate { edge, inward: -across / apart, tone: (first.2.wrapping_mul(0x9e37_79b1) >> 8) as f32 / (1 << 24) as f32 }
}

/// Interleaved gradient noise: a value in 0..1 per pixel whose neighbours differ as much as they can, so that the
/// remaining sampling error looks like fine grain instead of rings.
#[inline(always)]
pub(crate) fn interleaved(x: f32, y: f32) -> f32 {
    let part = |x: f32| x - floor(x).0;
    part(52.982_918 * part(0.067_110_56 * x + 0.005_837_15 * y))
}
