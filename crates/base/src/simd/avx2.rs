//! AVX2 implementation of `Simd`: 32 lanes in two registers, the first with rows 0 and 1 of the
//! tile, the second with rows 2 and 3.
#![allow(unused_unsafe, reason = "calls are arguments of other calls")]

use std::arch::x86_64::*;

use super::{HASH, ROUNDS, Simd, Work};
use crate::grid::tile::Lanes;

/// Proof that the processor has AVX2: a value is constructed only by [`run`], and by conversion
/// from the proof of a larger instruction set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(pub(super) ());

/// Returns true if the processor supports AVX2 and all other target features of [`run`].
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx2")
}

/// Runs `work` compiled for AVX2.
#[target_feature(enable = "avx2")]
pub(super) fn run(work: impl Work) {
    work.with(Avx2(()));
}

/// Calls an AVX2 intrinsic that accesses no memory; a value of `Avx2` must exist.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt $(,)?>)? ($($argument:expr),*)) => {{
        // SAFETY: a value of `Avx2` exists, so the processor has the instruction; it touches no
        // memory.
        unsafe { $intrinsic$(::<$n>)?($($argument),*) }
    }};
}

type Pair = (__m256i, __m256i);

/// Expands a 16-bit mask to 16 lanes: in each lane all bits equal the mask bit of the same index.
#[inline(always)]
fn lanes_of(mask: u16) -> __m256i {
    const B: [i16; 16] = {
        let mut bits = [0; 16];
        let mut i = 0;
        while i < 16 {
            bits[i] = (1u16 << i) as i16;
            i += 1;
        }
        bits
    };
    let bits = call!(_mm256_setr_epi16(
        B[0], B[1], B[2], B[3], B[4], B[5], B[6], B[7], B[8], B[9], B[10], B[11], B[12], B[13],
        B[14], B[15]
    ));
    call!(_mm256_cmpeq_epi16(
        call!(_mm256_and_si256(
            call!(_mm256_set1_epi16(mask as i16)),
            bits
        )),
        bits
    ))
}

/// Energy per amount of eight cells, as in `Simd::ratio`, in 32-bit lanes; `d` holds the amounts.
#[inline(always)]
fn eight_ratios(d: __m256i, energy: __m256i) -> __m256i {
    let n = call!(_mm256_slli_epi32::<14>(energy));
    let near = call!(_mm256_div_ps(
        call!(_mm256_cvtepi32_ps(n)),
        call!(_mm256_cvtepi32_ps(d))
    ));
    let near = call!(_mm256_cvtps_epi32(call!(_mm256_min_ps(
        near,
        call!(_mm256_set1_ps(65535.0))
    ))));
    let over = call!(_mm256_cmpgt_epi32(call!(_mm256_mullo_epi32(near, d)), n));
    call!(_mm256_add_epi32(near, over))
}

/// Energy per amount of the 16 cells of half a tile, as in `Simd::ratio`, in 16-bit lanes.
#[inline(always)]
fn half_ratio(amount: __m256i, energy: __m256i) -> __m256i {
    let zero = call!(_mm256_setzero_si256());
    let low = eight_ratios(
        call!(_mm256_unpacklo_epi16(amount, zero)),
        call!(_mm256_unpacklo_epi16(energy, zero)),
    );
    let high = eight_ratios(
        call!(_mm256_unpackhi_epi16(amount, zero)),
        call!(_mm256_unpackhi_epi16(energy, zero)),
    );
    // Unpacking and packing both work within the 128-bit halves, so that the order is restored.
    call!(_mm256_packus_epi32(low, high))
}

/// Mask of the lanes with `a > b` (unsigned), for 16 lanes: all bits of a lane are 1 where true,
/// else 0.
#[inline(always)]
fn half_above(a: __m256i, b: __m256i) -> __m256i {
    let excess = call!(_mm256_subs_epu16(a, b));
    let none = call!(_mm256_cmpeq_epi16(excess, call!(_mm256_setzero_si256())));
    call!(_mm256_xor_si256(none, call!(_mm256_set1_epi16(-1))))
}

impl Simd for Avx2 {
    type V = Pair;

    #[inline(always)]
    fn splat(self, value: u16) -> Pair {
        let v = call!(_mm256_set1_epi16(value as i16));
        (v, v)
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> Pair {
        // SAFETY: the processor has the instruction; `Lanes` are 64 bytes, aligned to 64.
        unsafe {
            let at = from.0.as_ptr().cast::<__m256i>();
            (_mm256_load_si256(at), _mm256_load_si256(at.add(1)))
        }
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes, v: Pair) {
        // SAFETY: as in `load`, and the reference is unique.
        unsafe {
            let at = to.0.as_mut_ptr().cast::<__m256i>();
            _mm256_store_si256(at, v.0);
            _mm256_store_si256(at.add(1), v.1);
        }
    }
    #[inline(always)]
    fn add(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_add_epi16(a.0, b.0)),
            call!(_mm256_add_epi16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn add_saturating(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_adds_epu16(a.0, b.0)),
            call!(_mm256_adds_epu16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn sub(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_sub_epi16(a.0, b.0)),
            call!(_mm256_sub_epi16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn sub_saturating(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_subs_epu16(a.0, b.0)),
            call!(_mm256_subs_epu16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn min(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_min_epu16(a.0, b.0)),
            call!(_mm256_min_epu16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn or(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_or_si256(a.0, b.0)),
            call!(_mm256_or_si256(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn mul_high(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_mulhi_epu16(a.0, b.0)),
            call!(_mm256_mulhi_epu16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn mul_low(self, a: Pair, b: Pair) -> Pair {
        (
            call!(_mm256_mullo_epi16(a.0, b.0)),
            call!(_mm256_mullo_epi16(a.1, b.1)),
        )
    }
    #[inline(always)]
    fn left<const N: u32>(self, a: Pair) -> Pair {
        let n = call!(_mm_cvtsi32_si128(N as i32));
        (
            call!(_mm256_sll_epi16(a.0, n)),
            call!(_mm256_sll_epi16(a.1, n)),
        )
    }
    #[inline(always)]
    fn right<const N: u32>(self, a: Pair) -> Pair {
        let n = call!(_mm_cvtsi32_si128(N as i32));
        (
            call!(_mm256_srl_epi16(a.0, n)),
            call!(_mm256_srl_epi16(a.1, n)),
        )
    }
    #[inline(always)]
    fn keep(self, a: Pair, mask: u32) -> Pair {
        let (low, high) = (lanes_of(mask as u16), lanes_of((mask >> 16) as u16));
        (
            call!(_mm256_and_si256(a.0, low)),
            call!(_mm256_and_si256(a.1, high)),
        )
    }
    #[inline(always)]
    fn above(self, a: Pair, b: Pair) -> u32 {
        // Packing interleaves the 128-bit halves; the permutation restores their order.
        let packed = call!(_mm256_packs_epi16(
            half_above(a.0, b.0),
            half_above(a.1, b.1)
        ));
        call!(_mm256_movemask_epi8(call!(_mm256_permute4x64_epi64::<
            0b11_01_10_00,
        >(packed)))) as u32
    }
    #[inline(always)]
    fn any(self, a: Pair) -> bool {
        let all = call!(_mm256_or_si256(a.0, a.1));
        call!(_mm256_testz_si256(all, all)) == 0
    }
    #[inline(always)]
    fn see_west(self, a: Pair, beside: Pair) -> Pair {
        (
            call!(_mm256_alignr_epi8::<14>(a.0, beside.0)),
            call!(_mm256_alignr_epi8::<14>(a.1, beside.1)),
        )
    }
    #[inline(always)]
    fn see_east(self, a: Pair, beside: Pair) -> Pair {
        (
            call!(_mm256_alignr_epi8::<2>(beside.0, a.0)),
            call!(_mm256_alignr_epi8::<2>(beside.1, a.1)),
        )
    }
    #[inline(always)]
    fn see_north(self, a: Pair, beside: Pair) -> Pair {
        (
            call!(_mm256_permute2x128_si256::<0x21>(beside.1, a.0)),
            call!(_mm256_permute2x128_si256::<0x21>(a.0, a.1)),
        )
    }
    #[inline(always)]
    fn see_south(self, a: Pair, beside: Pair) -> Pair {
        (
            call!(_mm256_permute2x128_si256::<0x21>(a.0, a.1)),
            call!(_mm256_permute2x128_si256::<0x21>(a.1, beside.0)),
        )
    }
    #[inline(always)]
    fn ratio(self, amount: Pair, energy: Pair) -> Pair {
        // See the portable form for why one correction is enough; here the conversion itself rounds
        // to nearest.
        (
            half_ratio(amount.0, energy.0),
            half_ratio(amount.1, energy.1),
        )
    }
    #[inline(always)]
    fn blend(self, rows: [&[u8; 8]; 4], place: [f32; 3]) -> [f32; 4] {
        blend(self, rows, place)
    }
    #[inline(always)]
    fn between_slopes(self, whole: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32 {
        between_slopes(self, whole, place, weights)
    }
}

/// Hash input of each of the eight corners of a lattice cell for one axis: the corner's coordinate
/// times `constant`, where the coordinate is `whole` for near corners and `whole` + 1 for corners
/// in the mask `far`.
#[inline(always)]
fn hashed(whole: i32, constant: u32, far: __m256i) -> __m256i {
    let near = (whole as u32).wrapping_mul(constant);
    let other = (whole.wrapping_add(1) as u32).wrapping_mul(constant);
    call!(_mm256_blendv_epi8(
        call!(_mm256_set1_epi32(near as i32)),
        call!(_mm256_set1_epi32(other as i32)),
        far
    ))
}

/// Maps the lowest byte of each lane of `shifted` (one of eight hashes) to a float from −1 to 1.
#[inline(always)]
fn signed_byte(shifted: __m256i) -> __m256 {
    let byte = call!(_mm256_cvtepi32_ps(call!(_mm256_and_si256(
        shifted,
        call!(_mm256_set1_epi32(255))
    ))));
    call!(_mm256_sub_ps(
        call!(_mm256_mul_ps(byte, call!(_mm256_set1_ps(2.0 / 255.0)))),
        call!(_mm256_set1_ps(1.0))
    ))
}

/// Contribution of one axis to the noise at each of the eight corners: gradient component of the
/// corner (lowest byte of each lane of `shifted`) times the signed distance from the corner to the
/// point at `place` (0 to 1).
#[inline(always)]
fn risen(shifted: __m256i, place: f32, far: __m256i) -> __m256 {
    let one = call!(_mm256_and_ps(
        call!(_mm256_castsi256_ps(far)),
        call!(_mm256_set1_ps(1.0))
    ));
    call!(_mm256_mul_ps(
        signed_byte(shifted),
        call!(_mm256_sub_ps(call!(_mm256_set1_ps(place)), one))
    ))
}

#[inline(always)]
fn four_between(a: __m128, b: __m128, share: f32) -> __m128 {
    call!(_mm_add_ps(
        a,
        call!(_mm_mul_ps(
            call!(_mm_sub_ps(b, a)),
            call!(_mm_set1_ps(share))
        ))
    ))
}

/// AVX2 implementation of [`Simd::between_slopes`]; the first argument proves that the processor
/// has AVX2.
#[inline(always)]
pub(super) fn between_slopes(
    _: Avx2,
    [x, y, z]: [i32; 3],
    place: [f32; 3],
    weights: [f32; 3],
) -> f32 {
    // The far corners along x are the upper four; along y every second one; along z every second
    // pair.
    let far_x = call!(_mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1));
    let far_y = call!(_mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1));
    let far_z = call!(_mm256_setr_epi32(0, 0, -1, -1, 0, 0, -1, -1));
    let (a, b, c) = (
        hashed(x, HASH[0], far_x),
        hashed(y, HASH[1], far_y),
        hashed(z, HASH[2], far_z),
    );
    let h = call!(_mm256_xor_si256(call!(_mm256_xor_si256(a, b)), c));
    let h = call!(_mm256_xor_si256(h, call!(_mm256_srli_epi32::<15>(h))));
    let h = call!(_mm256_mullo_epi32(
        h,
        call!(_mm256_set1_epi32(ROUNDS[0] as i32))
    ));
    let h = call!(_mm256_xor_si256(h, call!(_mm256_srli_epi32::<12>(h))));
    let h = call!(_mm256_mullo_epi32(
        h,
        call!(_mm256_set1_epi32(ROUNDS[1] as i32))
    ));
    let h = call!(_mm256_xor_si256(h, call!(_mm256_srli_epi32::<15>(h))));
    let east = risen(h, place[0], far_x);
    let up = risen(call!(_mm256_srli_epi32::<8>(h)), place[1], far_y);
    let south = risen(call!(_mm256_srli_epi32::<16>(h)), place[2], far_z);
    let corners = call!(_mm256_add_ps(call!(_mm256_add_ps(east, up)), south));
    let (near, far) = (
        call!(_mm256_castps256_ps128(corners)),
        call!(_mm256_extractf128_ps::<1>(corners)),
    );
    let rows = four_between(near, far, weights[0]);
    // Rows (0, 0), (1, 0), (0, 1), (1, 1) along y and z.
    let low = call!(_mm_shuffle_ps::<0b10_00_10_00>(rows, rows));
    let high = call!(_mm_shuffle_ps::<0b11_01_11_01>(rows, rows));
    let sheets = four_between(low, high, weights[1]);
    let far = call!(_mm_shuffle_ps::<0b01_01_01_01>(sheets, sheets));
    call!(_mm_cvtss_f32(four_between(sheets, far, weights[2])))
}

/// Converts eight unsigned bytes to floats, one per lane.
#[inline(always)]
fn widen(bytes: &[u8; 8]) -> __m256 {
    // SAFETY: the processor has the instruction; eight bytes are read from a reference to eight.
    let bytes = unsafe { _mm_loadl_epi64(bytes.as_ptr().cast()) };
    call!(_mm256_cvtepi32_ps(call!(_mm256_cvtepu8_epi32(bytes))))
}

#[inline(always)]
fn between(a: __m256, b: __m256, share: f32) -> __m256 {
    call!(_mm256_add_ps(
        a,
        call!(_mm256_mul_ps(
            call!(_mm256_sub_ps(b, a)),
            call!(_mm256_set1_ps(share))
        ))
    ))
}

/// AVX2 implementation of [`Simd::blend`]; the first argument proves that the processor has AVX2.
#[inline(always)]
pub(super) fn blend(_: Avx2, rows: [&[u8; 8]; 4], [x, y, z]: [f32; 3]) -> [f32; 4] {
    let near = between(widen(rows[0]), widen(rows[1]), y);
    let far = between(widen(rows[2]), widen(rows[3]), y);
    let rows = between(near, far, z);
    let (a, b) = (
        call!(_mm256_castps256_ps128(rows)),
        call!(_mm256_extractf128_ps::<1>(rows)),
    );
    let blended = call!(_mm_add_ps(
        a,
        call!(_mm_mul_ps(call!(_mm_sub_ps(b, a)), call!(_mm_set1_ps(x))))
    ));
    let mut to = [0.0; 4];
    // SAFETY: the processor has the instruction; four numbers are written to a reference to four.
    unsafe { _mm_storeu_ps(to.as_mut_ptr(), blended) };
    to
}
