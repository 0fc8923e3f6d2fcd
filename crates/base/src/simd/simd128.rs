//! Implementation of `Simd` for WebAssembly: 32 lanes in four vectors, one for each row of the
//! tile. A module is compiled either with these instructions for all of its code or without them,
//! so the processor is not asked at run time.

use std::arch::wasm32::*;

use super::{HASH, ROUNDS, Simd};
use crate::grid::tile::Lanes;

/// Implementation of [`Simd`] with the vectors of WebAssembly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simd128;

type Rows = [v128; 4];

// Written without `map`: a closure in an array's `map` is not always inlined.
#[inline(always)]
fn each(a: Rows, b: Rows, f: impl Fn(v128, v128) -> v128) -> Rows {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// Expands 8 mask bits to 8 lanes: in each lane all bits equal the mask bit of the same index.
#[inline(always)]
fn lanes_of(bits: u32) -> v128 {
    let table = u16x8(1, 2, 4, 8, 16, 32, 64, 128);
    i16x8_eq(v128_and(u16x8_splat(bits as u16), table), table)
}

/// Floats of eight unsigned 8-bit numbers: of the first four, and of the last four.
#[inline(always)]
fn floats(bytes: &[u8; 8]) -> [v128; 2] {
    let [a, b, c, d, e, f, g, h] = bytes.map(u16::from);
    let wide = u16x8(a, b, c, d, e, f, g, h);
    [
        f32x4_convert_u32x4(u32x4_extend_low_u16x8(wide)),
        f32x4_convert_u32x4(u32x4_extend_high_u16x8(wide)),
    ]
}

/// Lane-wise `a + (b − a) · share`.
#[inline(always)]
fn mix(a: v128, b: v128, share: v128) -> v128 {
    f32x4_add(a, f32x4_mul(f32x4_sub(b, a), share))
}

/// Quotients of four lanes of [`Simd::ratio`], as 32-bit numbers.
#[inline(always)]
fn quotients(amount: v128, energy: v128) -> v128 {
    // As in the portable version.
    const ROUND: f32 = (1 << 23) as f32;
    let n = i32x4_shl(energy, 14);
    let near = f32x4_div(f32x4_convert_i32x4(n), f32x4_convert_i32x4(amount));
    let near = f32x4_add(f32x4_pmin(f32x4_splat(65535.0), near), f32x4_splat(ROUND));
    let near = v128_and(near, u32x4_splat(0xffff));
    let above = i32x4_gt(i32x4_mul(near, amount), n);
    i32x4_add(near, above)
}

impl Simd for Simd128 {
    type V = Rows;

    #[inline(always)]
    fn splat(self, value: u16) -> Rows {
        [u16x8_splat(value); 4]
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> Rows {
        let rows = from.0.as_ptr().cast::<v128>();
        // SAFETY: the 64 bytes of the lanes are four vectors, and the lanes are aligned to 64.
        unsafe {
            [
                v128_load(rows),
                v128_load(rows.add(1)),
                v128_load(rows.add(2)),
                v128_load(rows.add(3)),
            ]
        }
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Rows) {
        let rows = to.0.as_mut_ptr().cast::<v128>();
        // SAFETY: as in `load`.
        unsafe {
            v128_store(rows, v[0]);
            v128_store(rows.add(1), v[1]);
            v128_store(rows.add(2), v[2]);
            v128_store(rows.add(3), v[3]);
        }
    }
    #[inline(always)]
    fn add(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| i16x8_add(a, b))
    }
    #[inline(always)]
    fn add_saturating(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| u16x8_add_sat(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| i16x8_sub(a, b))
    }
    #[inline(always)]
    fn sub_saturating(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| u16x8_sub_sat(a, b))
    }
    #[inline(always)]
    fn min(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| u16x8_min(a, b))
    }
    #[inline(always)]
    fn or(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| v128_or(a, b))
    }
    #[inline(always)]
    fn mul_high(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| {
            let (low, high) = (u32x4_extmul_low_u16x8(a, b), u32x4_extmul_high_u16x8(a, b));
            i16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(low, high)
        })
    }
    #[inline(always)]
    fn mul_low(self, a: Rows, b: Rows) -> Rows {
        each(a, b, |a, b| i16x8_mul(a, b))
    }
    #[inline(always)]
    fn left<const N: u32>(self, a: Rows) -> Rows {
        each(a, a, |a, _| i16x8_shl(a, N))
    }
    #[inline(always)]
    fn right<const N: u32>(self, a: Rows) -> Rows {
        each(a, a, |a, _| u16x8_shr(a, N))
    }
    #[inline(always)]
    fn keep(self, a: Rows, mask: u32) -> Rows {
        let kept = |row: usize| v128_and(a[row], lanes_of(mask >> (8 * row) & 0xff));
        [kept(0), kept(1), kept(2), kept(3)]
    }
    #[inline(always)]
    fn above(self, a: Rows, b: Rows) -> u32 {
        let bits = |row: usize| u32::from(u16x8_bitmask(u16x8_gt(a[row], b[row]))) << (8 * row);
        bits(0) | bits(1) | bits(2) | bits(3)
    }
    #[inline(always)]
    fn any(self, a: Rows) -> bool {
        v128_any_true(v128_or(v128_or(a[0], a[1]), v128_or(a[2], a[3])))
    }
    #[inline(always)]
    fn see_west(self, a: Rows, beside: Rows) -> Rows {
        each(a, beside, |a, beside| {
            i16x8_shuffle::<7, 8, 9, 10, 11, 12, 13, 14>(beside, a)
        })
    }
    #[inline(always)]
    fn see_east(self, a: Rows, beside: Rows) -> Rows {
        each(a, beside, |a, beside| {
            i16x8_shuffle::<1, 2, 3, 4, 5, 6, 7, 8>(a, beside)
        })
    }
    #[inline(always)]
    fn see_north(self, a: Rows, beside: Rows) -> Rows {
        [beside[3], a[0], a[1], a[2]]
    }
    #[inline(always)]
    fn see_south(self, a: Rows, beside: Rows) -> Rows {
        [a[1], a[2], a[3], beside[0]]
    }
    #[inline(always)]
    fn ratio(self, amount: Rows, energy: Rows) -> Rows {
        each(amount, energy, |amount, energy| {
            let low = quotients(
                u32x4_extend_low_u16x8(amount),
                u32x4_extend_low_u16x8(energy),
            );
            let high = quotients(
                u32x4_extend_high_u16x8(amount),
                u32x4_extend_high_u16x8(energy),
            );
            i16x8_shuffle::<0, 2, 4, 6, 8, 10, 12, 14>(low, high)
        })
    }

    #[inline(always)]
    fn blend(self, rows: [&[u8; 8]; 4], [x, y, z]: [f32; 3]) -> [f32; 4] {
        let rows = [
            floats(rows[0]),
            floats(rows[1]),
            floats(rows[2]),
            floats(rows[3]),
        ];
        let (y, z) = (f32x4_splat(y), f32x4_splat(z));
        let at = |corner: usize| {
            let row = |k: usize| rows[k][corner];
            mix(mix(row(0), row(1), y), mix(row(2), row(3), y), z)
        };
        let all = mix(at(0), at(1), f32x4_splat(x));
        [
            f32x4_extract_lane::<0>(all),
            f32x4_extract_lane::<1>(all),
            f32x4_extract_lane::<2>(all),
            f32x4_extract_lane::<3>(all),
        ]
    }

    #[inline(always)]
    fn between_slopes(self, [x, y, z]: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32 {
        // One vector for the four corners on each side along x, at (y, z) = (0, 0), (1, 0), (0, 1)
        // and (1, 1).
        let times = |n: i32, axis: usize| (n as u32).wrapping_mul(HASH[axis]);
        let (y0, y1) = (times(y, 1), times(y.wrapping_add(1), 1));
        let (z0, z1) = (times(z, 2), times(z.wrapping_add(1), 2));
        let beside = u32x4(y0 ^ z0, y1 ^ z0, y0 ^ z1, y1 ^ z1);
        let away_y = f32x4(place[1], place[1] - 1.0, place[1], place[1] - 1.0);
        let away_z = f32x4(place[2], place[2], place[2] - 1.0, place[2] - 1.0);
        let corners = |i: i32| {
            let h = v128_xor(u32x4_splat(times(x.wrapping_add(i), 0)), beside);
            let h = i32x4_mul(v128_xor(h, u32x4_shr(h, 15)), u32x4_splat(ROUNDS[0]));
            let h = i32x4_mul(v128_xor(h, u32x4_shr(h, 12)), u32x4_splat(ROUNDS[1]));
            let h = v128_xor(h, u32x4_shr(h, 15));
            let byte = |shift: u32| {
                let byte = v128_and(u32x4_shr(h, shift), u32x4_splat(255));
                let scaled = f32x4_mul(f32x4_convert_u32x4(byte), f32x4_splat(2.0 / 255.0));
                f32x4_sub(scaled, f32x4_splat(1.0))
            };
            let along = f32x4_mul(byte(0), f32x4_splat(place[0] - i as f32));
            let sum = f32x4_add(along, f32x4_mul(byte(8), away_y));
            f32x4_add(sum, f32x4_mul(byte(16), away_z))
        };
        let rows = mix(corners(0), corners(1), f32x4_splat(weights[0]));
        let blend = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let near = blend(
            f32x4_extract_lane::<0>(rows),
            f32x4_extract_lane::<1>(rows),
            weights[1],
        );
        let far = blend(
            f32x4_extract_lane::<2>(rows),
            f32x4_extract_lane::<3>(rows),
            weights[1],
        );
        blend(near, far, weights[2])
    }
}
