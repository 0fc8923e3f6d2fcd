//! Vector code, compiled for AVX-512, for AVX2, for WebAssembly and portably; the instruction set is
//! selected at run time.
//!
//! The rules of the fast engine are written once, over the trait [`Simd`]: vectors of 32 unsigned
//! 16-bit lanes, one tile wide, with one implementation for each instruction set. All give the same
//! bits, because every operation is exact integer arithmetic. The code for pictures is plain Rust
//! that the compiler vectorizes, except for [`Simd::blend`] and `Simd::between_slopes`; pictures,
//! too, are the same with all instruction sets, because each float comes from the same operations
//! in the same order.
//!
//! This module is the only one with `unsafe`. Soundness: the instructions of a set may only run on
//! a processor that has them, and a value of `avx512::Avx512` or `avx2::Avx2` is only made by
//! [`Level::run`], after the processor was asked for all features that their code is compiled with.
//! Every call of an intrinsic goes through such a value; those of WebAssembly are safe in a module
//! that is compiled with them. Loads and stores take references to whole, aligned tiles or to as
//! many bytes as they touch, never pointers from elsewhere. The tests below compare every operation
//! of every set with the portable one on random lanes and on the extremes.
#![allow(unsafe_code, reason = "the processor's vector instructions; see above")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

pub use portable::Portable;

use std::sync::LazyLock;

use crate::grid::tile::Lanes;

/// Operations on vectors of 32 unsigned 16-bit lanes. Masks are 32-bit words with one bit per lane.
pub trait Simd: Copy {
    /// Vector of 32 lanes.
    type V: Copy;

    /// Returns a vector in which every lane equals `value`.
    fn splat(self, value: u16) -> Self::V;
    /// Loads the lanes of a tile from memory.
    fn load(self, from: &Lanes) -> Self::V;
    /// Stores the lanes of `v` to memory.
    fn store(self, to: &mut Lanes, v: Self::V);
    /// Lane-wise `a + b`, wrapping.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lane-wise `a + b`, saturating at 65535.
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lane-wise `a − b`, wrapping.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lane-wise `a − b`, saturating at 0.
    fn sub_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lane-wise minimum of `a` and `b`.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise OR of `a` and `b`.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// Upper 16 bits of the lane-wise 32-bit product of `a` and `b`.
    fn mul_high(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lower 16 bits of the lane-wise 32-bit product of `a` and `b`.
    fn mul_low(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lane-wise shift left, `a << N`, for `N` from 0 to 15.
    fn left<const N: u32>(self, a: Self::V) -> Self::V;
    /// Lane-wise logical shift right, `a >> N`, for `N` from 0 to 15.
    fn right<const N: u32>(self, a: Self::V) -> Self::V;
    /// Returns `a` with every lane set to 0 whose bit in `mask` is 0.
    fn keep(self, a: Self::V, mask: u32) -> Self::V;
    /// Bit mask of the lanes with `a > b`, unsigned.
    fn above(self, a: Self::V, b: Self::V) -> u32;
    /// Returns true if any lane of `a` is nonzero.
    fn any(self, a: Self::V) -> bool;
    /// Applies [`Simd::keep`] to each of the four vectors `v`, with the mask of the same index in
    /// `masks`.
    #[inline(always)]
    fn keep_each(self, v: [Self::V; 4], masks: [u32; 4]) -> [Self::V; 4] {
        // Written without a closure, because a closure would be compiled without the target
        // features of the instruction set.
        [
            self.keep(v[0], masks[0]),
            self.keep(v[1], masks[1]),
            self.keep(v[2], masks[2]),
            self.keep(v[3], masks[3]),
        ]
    }
    /// Returns true if any lane of any of the four vectors `v` is nonzero.
    #[inline(always)]
    fn any_of(self, v: [Self::V; 4]) -> bool {
        self.any(self.or(self.or(v[0], v[1]), self.or(v[2], v[3])))
    }
    /// Lane-wise sum of the four vectors `v`, wrapping.
    #[inline(always)]
    fn sum(self, v: [Self::V; 4]) -> Self::V {
        self.add(self.add(v[0], v[1]), self.add(v[2], v[3]))
    }
    /// Lane-wise minimum of each of the four vectors `v` and the vector `most`.
    #[inline(always)]
    fn min_each(self, v: [Self::V; 4], most: Self::V) -> [Self::V; 4] {
        [
            self.min(v[0], most),
            self.min(v[1], most),
            self.min(v[2], most),
            self.min(v[3], most),
        ]
    }
    /// Value of the west neighbour of each cell of a tile with the values `a`; `beside` are the
    /// values of the tile to the west.
    fn see_west(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Value of the east neighbour of each cell of a tile with the values `a`; `beside` are the
    /// values of the tile to the east.
    fn see_east(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Value of the north neighbour of each cell of a tile with the values `a`; `beside` are the
    /// values of the tile to the north.
    fn see_north(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Value of the south neighbour of each cell of a tile with the values `a`; `beside` are the
    /// values of the tile to the south.
    fn see_south(self, a: Self::V, beside: Self::V) -> Self::V;
    /// Energy per amount in each lane, as a fixed-point number with 14 fractional bits: `energy ·
    /// 2^14 / amount`, rounded down and clamped to 65535; unspecified where `amount` is 0.
    fn ratio(self, amount: Self::V, energy: Self::V) -> Self::V;

    /// Trilinear interpolation of four 8-bit channels. `rows` holds the corner values: each row has
    /// the two corners along x, at (y, z) = (0, 0), (1, 0), (0, 1) and (1, 1). `place` is the
    /// position (x, y, z) between the corners, 0 to 1.
    fn blend(self, rows: [&[u8; 8]; 4], place: [f32; 3]) -> [f32; 4];

    /// Gradient (Perlin) noise in one lattice cell. `whole` is the lattice corner with the lowest
    /// x, y, z; `place` is the position within the cell, 0 to 1 along each axis; `weights` are the
    /// interpolation weights of the far corners. The gradient of each corner comes from
    /// pseudo-random bytes.
    fn between_slopes(self, whole: [i32; 3], place: [f32; 3], weights: [f32; 3]) -> f32;
}

/// Multipliers of x, y and z in the hash of a lattice corner.
pub const HASH: [u32; 3] = [0x8da6_b343, 0xd816_3841, 0xcb1a_b31f];
/// Multipliers of the two mixing rounds in the hash of a lattice corner.
pub const ROUNDS: [u32; 2] = [0x2c1b_3c6d, 0x297a_2d39];

/// Pseudo-random 32-bit hash of the lattice corner (x, y, z).
#[inline(always)]
pub fn hash([x, y, z]: [i32; 3]) -> u32 {
    let mut h = (x as u32).wrapping_mul(HASH[0])
        ^ (y as u32).wrapping_mul(HASH[1])
        ^ (z as u32).wrapping_mul(HASH[2]);
    h = (h ^ (h >> 15)).wrapping_mul(ROUNDS[0]);
    h = (h ^ (h >> 12)).wrapping_mul(ROUNDS[1]);
    h ^ (h >> 15)
}

/// Instruction set for which vector code is compiled and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Baseline instructions of the architecture.
    Portable,
    /// AVX2, 256-bit vectors.
    Avx2,
    /// 512-bit vectors: AVX-512 F and BW, with AVX2, BMI1, BMI2, POPCNT and LZCNT.
    Avx512,
    /// 128-bit vectors of WebAssembly, in modules compiled with the feature `simd128`.
    Simd128,
}

/// Computation written over any [`Simd`] implementation, so that [`Level::run`] can compile and run
/// it for each instruction set.
pub trait Work {
    /// Runs the computation with the instruction set of `s`. Implementations must be
    /// `#[inline(always)]`, so that they are compiled with the target features of `S`.
    fn with<S: Simd>(self, s: S);
}

impl Level {
    /// Instruction sets that this processor supports, from the slowest to the fastest.
    pub fn available() -> &'static [Self] {
        // Cached: rendering queries the instruction set per ray, so that asking the processor each
        // time would be measurable.
        static AVAILABLE: LazyLock<&[Level]> = LazyLock::new(Level::found);
        *AVAILABLE
    }

    /// Determines the instruction sets that the processor supports, from the slowest to the
    /// fastest.
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
        // A page carries one set only; tests compare it with the portable one.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128", debug_assertions))]
        return &[Self::Portable, Self::Simd128];
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            not(debug_assertions)
        ))]
        return &[Self::Simd128];
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        &[Self::Portable]
    }

    /// Fastest instruction set that this processor supports.
    pub fn fastest() -> Self {
        *Self::available()
            .last()
            .expect("the portable level is always there")
    }

    /// Runs `work` compiled for this instruction set.
    ///
    /// # Panics
    /// If the processor does not support the instruction set.
    #[inline]
    pub fn run(self, work: impl Work) {
        assert!(
            Self::available().contains(&self),
            "this processor has no {self:?}"
        );
        match self {
            #[cfg(any(
                not(all(target_arch = "wasm32", target_feature = "simd128")),
                debug_assertions
            ))]
            Self::Portable => work.with(Portable),
            // SAFETY: the processor was asked above, and has the features that these functions are
            // compiled for.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2::run(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::run(work) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => work.with(simd128::Simd128),
            #[allow(unreachable_patterns, reason = "each architecture lacks other sets")]
            _ => unreachable!("not available"),
        }
    }
}

#[cfg(test)]
mod tests;
