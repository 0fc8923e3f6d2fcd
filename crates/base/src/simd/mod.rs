//! Vector code that is compiled for the instruction set of the processor at hand: for AVX-512, for
//! AVX2 and for every machine.
//!
//! The rules of the fast engine are written once, over the trait [`Simd`]: vectors of 32 unsigned
//! 16-bit lanes, one tile wide, with one implementation for each instruction set. All give the same
//! bits, because every operation is exact integer arithmetic. Pictures are plain Rust that the
//! compiler vectorizes by itself, except for [`Simd::blend`]; they too are the same on all levels,
//! because each float comes from the same operations in the same order.
//!
//! This module is the only one with `unsafe`. Soundness: the instructions of a set may only run on
//! a processor that has them, and a value of `avx512::Avx512` or `avx2::Avx2` is only made by
//! [`Level::run`], after the processor was asked for all features that their code is compiled with.
//! Every call of an intrinsic goes through such a value. Loads and stores take references to whole,
//! aligned tiles or to as many bytes as they touch, never pointers from elsewhere. The tests below
//! compare every operation of every set with the portable one on random lanes and on the extremes.
#![allow(unsafe_code, reason = "the processor's vector instructions; see above")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

pub use portable::Portable;

use std::sync::LazyLock;

use crate::grid::tile::Lanes;

/// Operations on 32 lanes of 16 bits. A mask has one bit for each lane.
pub trait Simd: Copy {
    /// Vector of 32 lanes.
    type V: Copy;

    /// All lanes equal to `value`.
    fn splat(self, value: u16) -> Self::V;
    /// Loads lanes from memory.
    fn load(self, from: &Lanes) -> Self::V;
    /// Stores lanes to memory.
    fn store(self, to: &mut Lanes, v: Self::V);
    /// `a + b`, wrapping.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a + b`, at most 65535.
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a − b`, wrapping.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a − b`, at least 0.
    fn sub_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    /// Smaller of both, lane by lane.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise or.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// Upper half of the product.
    fn mul_high(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lower half of the product.
    fn mul_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a << N`.
    fn left<const N: u32>(self, a: Self::V) -> Self::V;
    /// `a >> N`.
    fn right<const N: u32>(self, a: Self::V) -> Self::V;
    /// Keeps the lanes of the mask; all other lanes become zero.
    fn keep(self, a: Self::V, mask: u32) -> Self::V;
    /// Mask of the lanes where `a > b`.
    fn above(self, a: Self::V, b: Self::V) -> u32;
    /// Returns true if any lane is not zero.
    fn any(self, a: Self::V) -> bool;
    /// [`Simd::keep`] for each of four vectors.
    #[inline(always)]
    fn keep_each(self, v: [Self::V; 4], masks: [u32; 4]) -> [Self::V; 4] {
        // No closure: it would be compiled without the instructions of the level.
        [self.keep(v[0], masks[0]), self.keep(v[1], masks[1]), self.keep(v[2], masks[2]), self.keep(v[3], masks[3])]
    }
    /// Returns true if any lane of any of four vectors is not zero.
    #[inline(always)]
    fn any_of(self, v: [Self::V; 4]) -> bool {
        self.any(self.or(self.or(v[0], v[1]), self.or(v[2], v[3])))
    }
    /// Values west of each cell; `beside` is the tile to the west.
    fn see_west(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Values east of each cell; `beside` is the tile to the east.
    fn see_east(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Values north of each cell; `beside` is the tile to the north.
    fn see_north(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Values south of each cell; `beside` is the tile to the south.
    fn see_south(self, a: Self::V, beside: Self::V) -> Self::V;
    /// `energy · 2^14 / amount`, rounded down and at most 65535; unspecified where the amount is
    /// zero.
    fn ratio(self, amount: Self::V, energy: Self::V) -> Self::V;

    /// Trilinear interpolation of four channels. `rows` are the pairs of corners along x, two in
    /// each, at (y, z) = (0, 0), (1, 0), (0, 1) and (1, 1); `place` is x, y, z between the corners,
    /// 0 to 1.
    fn blend(self, rows: [&[u8; 8]; 4], place: [f32; 3]) -> [f32; 4];

    /// Gradient noise at a place, 0 to 1 along each axis, between eight corners of a lattice.
    /// `whole` is the corner at the lowest x, y and z. Each corner has its own slope from
    /// pseudo-random bytes; `weights` are the shares of the farther corners.
    fn between_slopes(self, whole: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32;
}

/// Constants of the hash of a corner by its x, y and z; `ROUNDS` are those of its two rounds.
pub const HASH: [u32; 3] = [0x8da6_b343, 0xd816_3841, 0xcb1a_b31f];
pub const ROUNDS: [u32; 2] = [0x2c1b_3c6d, 0x297a_2d39];

/// Pseudo-random bits of a corner of a lattice.
#[inline(always)]
pub fn hash([x, y, z]: [i32; 3]) -> u32 {
    let mut h = (x as u32).wrapping_mul(HASH[0]) ^ (y as u32).wrapping_mul(HASH[1]) ^ (z as u32).wrapping_mul(HASH[2]);
    h = (h ^ (h >> 15)).wrapping_mul(ROUNDS[0]);
    h = (h ^ (h >> 12)).wrapping_mul(ROUNDS[1]);
    h ^ (h >> 15)
}

/// Instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Instructions that every machine of this architecture has.
    Portable,
    /// AVX2, 256 bits at a time.
    Avx2,
    /// AVX-512 (F and BW) with the further features of every processor that has it, 512 bits at a
    /// time.
    Avx512,
}

/// Work that is written over [`Simd`].
pub trait Work {
    /// Does the work; implementations are `#[inline(always)]`, so that they are compiled for the
    /// instruction set at hand.
    fn with<S: Simd>(self, s: S);
}

impl Level {
    /// Levels that this processor supports, the fastest last.
    pub fn available() -> &'static [Self] {
        // Cached: rays ask so often that querying the processor would be measurable.
        static AVAILABLE: LazyLock<&[Level]> = LazyLock::new(Level::found);
        *AVAILABLE
    }

    /// Queries the processor.
    fn found() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::is_there() {
                return &[Self::Portable, Self::Avx2, Self::Avx512];
            }
            if avx2::is_there() {
                return &[Self::Portable, Self::Avx2];
            }
        }
        &[Self::Portable]
    }

    /// Fastest level of this processor.
    pub fn fastest() -> Self {
        *Self::available().last().expect("the portable level is always there")
    }

    /// Runs the work with the instructions of this level.
    ///
    /// # Panics
    /// When the level is not available.
    #[inline]
    pub fn run(self, work: impl Work) {
        assert!(Self::available().contains(&self), "this processor has no {self:?}");
        match self {
            Self::Portable => work.with(Portable),
            // SAFETY: the processor was asked above, and has the features that these functions are
            // compiled for.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2::run(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::run(work) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("not available"),
        }
    }
}

#[cfg(test)]
mod tests;
