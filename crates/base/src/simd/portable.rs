//! Portable implementation of `Simd`: vectors are plain arrays of lanes.

use super::{Simd, hash};
use crate::grid::tile::Lanes;

/// Implementation of [`Simd`] without processor-specific instructions.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

#[inline(always)]
fn zip(a: Lanes, b: Lanes, f: impl Fn(u16, u16) -> u16) -> Lanes {
    let mut to = Lanes::ZERO;
    for i in 0..32 {
        to.0[i] = f(a.0[i], b.0[i]);
    }
    to
}

#[inline(always)]
fn map(a: Lanes, f: impl Fn(u16) -> u16) -> Lanes {
    zip(a, a, |v, _| f(v))
}

impl Simd for Portable {
    type V = Lanes;

    #[inline(always)]
    fn splat(self, value: u16) -> Lanes {
        Lanes([value; 32])
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> Lanes {
        *from
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Lanes) {
        *to = v;
    }
    #[inline(always)]
    fn add(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, u16::wrapping_add)
    }
    #[inline(always)]
    fn add_saturating(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, u16::saturating_add)
    }
    #[inline(always)]
    fn sub(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, u16::wrapping_sub)
    }
    #[inline(always)]
    fn sub_saturating(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, u16::saturating_sub)
    }
    #[inline(always)]
    fn min(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a.min(b))
    }
    #[inline(always)]
    fn or(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn mul_high(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| ((u32::from(a) * u32::from(b)) >> 16) as u16)
    }
    #[inline(always)]
    fn mul_low(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, u16::wrapping_mul)
    }
    #[inline(always)]
    fn left<const N: u32>(self, a: Lanes) -> Lanes {
        map(a, |v| v << N)
    }
    #[inline(always)]
    fn right<const N: u32>(self, a: Lanes) -> Lanes {
        map(a, |v| v >> N)
    }
    #[inline(always)]
    fn keep(self, a: Lanes, mask: u32) -> Lanes {
        let mut to = a;
        for row in 0..4 {
            let bits = (mask >> (8 * row)) as u16;
            for x in 0..8 {
                to.0[8 * row + x] &= 0u16.wrapping_sub(u16::from(bits & (1 << x) != 0));
            }
        }
        to
    }
    #[inline(always)]
    fn above(self, a: Lanes, b: Lanes) -> u32 {
        let flags = zip(a, b, |a, b| u16::from(a > b));
        let mut mask = 0;
        for row in 0..4 {
            let mut bits = 0;
            for x in 0..8 {
                bits |= flags.0[8 * row + x] << x;
            }
            mask |= u32::from(bits) << (8 * row);
        }
        mask
    }
    #[inline(always)]
    fn any(self, a: Lanes) -> bool {
        a.0.iter().fold(0, |any, &v| any | v) != 0
    }
    #[inline(always)]
    fn see_west(self, a: Lanes, beside: Lanes) -> Lanes {
        let mut to = a;
        for row in [0, 8, 16, 24] {
            to.0[row] = beside.0[row + 7];
            to.0[row + 1..row + 8].copy_from_slice(&a.0[row..row + 7]);
        }
        to
    }
    #[inline(always)]
    fn see_east(self, a: Lanes, beside: Lanes) -> Lanes {
        let mut to = a;
        for row in [0, 8, 16, 24] {
            to.0[row + 7] = beside.0[row];
            to.0[row..row + 7].copy_from_slice(&a.0[row + 1..row + 8]);
        }
        to
    }
    #[inline(always)]
    fn see_north(self, a: Lanes, beside: Lanes) -> Lanes {
        let mut to = a;
        to.0[..8].copy_from_slice(&beside.0[24..]);
        to.0[8..].copy_from_slice(&a.0[..24]);
        to
    }
    #[inline(always)]
    fn see_south(self, a: Lanes, beside: Lanes) -> Lanes {
        let mut to = a;
        to.0[..24].copy_from_slice(&a.0[8..]);
        to.0[24..].copy_from_slice(&beside.0[..8]);
        to
    }
    #[inline(always)]
    fn ratio(self, amount: Lanes, energy: Lanes) -> Lanes {
        // The quotient in 24 bits is off by less than 2^-7, so that rounding to the nearest integer
        // gives the floor or the integer above, and the product tells which. Adding 2^23 rounds.
        const ROUND: f32 = (1 << 23) as f32;
        zip(amount, energy, |amount, energy| {
            let (n, d) = (i32::from(energy) << 14, i32::from(amount));
            let near = (n as f32 / d as f32).min(65535.0) + ROUND;
            let near = (near.to_bits() & 0xffff) as i32;
            (near - i32::from(near.wrapping_mul(d) > n)) as u16
        })
    }
    #[inline(always)]
    fn blend(self, rows: [&[u8; 8]; 4], [x, y, z]: [f32; 3]) -> [f32; 4] {
        let mut to = [0.0; 4];
        for i in 0..4 {
            // Interpolates both corners of a row together, in the order of operations of the vector
            // versions.
            let at = |corner: usize| {
                let row = |k: usize| f32::from(rows[k][4 * corner + i]);
                let (near, far) = (
                    row(0) + (row(1) - row(0)) * y,
                    row(2) + (row(3) - row(2)) * y,
                );
                near + (far - near) * z
            };
            to[i] = at(0) + (at(1) - at(0)) * x;
        }
        to
    }

    #[inline(always)]
    fn between_slopes(self, [x, y, z]: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32 {
        let byte = |h: u32, shift: u32| ((h >> shift) & 255) as f32 * (2.0 / 255.0) - 1.0;
        let corner = |i: i32, j: i32, k: i32| {
            let h = hash([x.wrapping_add(i), y.wrapping_add(j), z.wrapping_add(k)]);
            let away = [
                place[0] - i as f32,
                place[1] - j as f32,
                place[2] - k as f32,
            ];
            byte(h, 0) * away[0] + byte(h, 8) * away[1] + byte(h, 16) * away[2]
        };
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let row = |j: i32, k: i32| mix(corner(0, j, k), corner(1, j, k), weights[0]);
        let sheet = |k: i32| mix(row(0, k), row(1, k), weights[1]);
        mix(sheet(0), sheet(1), weights[2])
    }
}
