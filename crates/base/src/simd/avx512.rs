//! AVX-512 implementation of `Simd`: 32 lanes in one register.
#![allow(unused_unsafe, reason = "calls are arguments of other calls")]

use std::arch::x86_64::*;

use super::{Simd, Work, avx2};
use crate::grid::tile::Lanes;

/// Proof that the processor has AVX-512 F, AVX-512 BW and AVX2: only [`run`] constructs a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

/// Returns true if the processor supports AVX-512 and all other target features of [`run`].
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
}

/// Runs `work` compiled for AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn run(work: impl Work) {
    work.with(Avx512(()));
}

/// Calls an AVX-512 intrinsic that accesses no memory; a value of `Avx512` must exist.
macro_rules! call {
    ($intrinsic:ident $(::<$n:tt $(,)?>)? ($($argument:expr),*)) => {{
        // SAFETY: a value of `Avx512` exists, so the processor has the instruction; it touches no
        // memory.
        unsafe { $intrinsic$(::<$n>)?($($argument),*) }
    }};
}

#[inline(always)]
fn half_ratio(amount: __m256i, energy: __m256i) -> __m256i {
    let d = call!(_mm512_cvtepu16_epi32(amount));
    let n = call!(_mm512_slli_epi32::<14>(call!(_mm512_cvtepu16_epi32(
        energy
    ))));
    let near = call!(_mm512_div_ps(
        call!(_mm512_cvtepi32_ps(n)),
        call!(_mm512_cvtepi32_ps(d))
    ));
    let near = call!(_mm512_cvtps_epi32(call!(_mm512_min_ps(
        near,
        call!(_mm512_set1_ps(65535.0))
    ))));
    let over = call!(_mm512_cmpgt_epi32_mask(
        call!(_mm512_mullo_epi32(near, d)),
        n
    ));
    call!(_mm512_cvtepi32_epi16(call!(_mm512_mask_sub_epi32(
        near,
        over,
        near,
        call!(_mm512_set1_epi32(1))
    ))))
}

impl Simd for Avx512 {
    type V = __m512i;

    #[inline(always)]
    fn splat(self, value: u16) -> __m512i {
        call!(_mm512_set1_epi16(value as i16))
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> __m512i {
        // SAFETY: the processor has the instruction; `Lanes` are 64 bytes, aligned to 64.
        unsafe { _mm512_load_si512(from.0.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes, v: __m512i) {
        // SAFETY: as in `load`, and the reference is unique.
        unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), v) }
    }
    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_add_epi16(a, b))
    }
    #[inline(always)]
    fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_adds_epu16(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_sub_epi16(a, b))
    }
    #[inline(always)]
    fn sub_saturating(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_subs_epu16(a, b))
    }
    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_min_epu16(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_or_si512(a, b))
    }
    #[inline(always)]
    fn mul_high(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_mulhi_epu16(a, b))
    }
    #[inline(always)]
    fn mul_low(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_mullo_epi16(a, b))
    }
    #[inline(always)]
    fn left<const N: u32>(self, a: __m512i) -> __m512i {
        call!(_mm512_slli_epi16::<N>(a))
    }
    #[inline(always)]
    fn right<const N: u32>(self, a: __m512i) -> __m512i {
        call!(_mm512_srli_epi16::<N>(a))
    }
    #[inline(always)]
    fn keep(self, a: __m512i, mask: u32) -> __m512i {
        call!(_mm512_maskz_mov_epi16(mask, a))
    }
    #[inline(always)]
    fn above(self, a: __m512i, b: __m512i) -> u32 {
        call!(_mm512_cmpgt_epu16_mask(a, b))
    }
    #[inline(always)]
    fn any(self, a: __m512i) -> bool {
        call!(_mm512_test_epi32_mask(a, a)) != 0
    }
    #[inline(always)]
    fn see_west(self, a: __m512i, beside: __m512i) -> __m512i {
        call!(_mm512_alignr_epi8::<14>(a, beside))
    }
    #[inline(always)]
    fn see_east(self, a: __m512i, beside: __m512i) -> __m512i {
        call!(_mm512_alignr_epi8::<2>(beside, a))
    }
    #[inline(always)]
    fn see_north(self, a: __m512i, beside: __m512i) -> __m512i {
        call!(_mm512_alignr_epi64::<6>(a, beside))
    }
    #[inline(always)]
    fn see_south(self, a: __m512i, beside: __m512i) -> __m512i {
        call!(_mm512_alignr_epi64::<2>(beside, a))
    }
    #[inline(always)]
    fn ratio(self, amount: __m512i, energy: __m512i) -> __m512i {
        // See the portable form for why one correction is enough; here the conversion itself rounds
        // to nearest.
        let low = half_ratio(
            call!(_mm512_castsi512_si256(amount)),
            call!(_mm512_castsi512_si256(energy)),
        );
        let (amount, energy) = (
            call!(_mm512_extracti64x4_epi64::<1>(amount)),
            call!(_mm512_extracti64x4_epi64::<1>(energy)),
        );
        let high = half_ratio(amount, energy);
        call!(_mm512_inserti64x4::<1>(
            call!(_mm512_castsi256_si512(low)),
            high
        ))
    }
    #[inline(always)]
    fn blend(self, rows: [&[u8; 8]; 4], place: [f32; 3]) -> [f32; 4] {
        avx2::blend(self.narrower(), rows, place)
    }
    #[inline(always)]
    fn between_slopes(self, whole: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32 {
        avx2::between_slopes(self.narrower(), whole, place, weights)
    }
}

impl Avx512 {
    /// Converts the proof of AVX-512 to a proof of AVX2; [`run`] requires both.
    #[inline(always)]
    fn narrower(self) -> avx2::Avx2 {
        avx2::Avx2(())
    }
}
