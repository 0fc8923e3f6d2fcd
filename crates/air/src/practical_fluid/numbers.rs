//! Arithmetic of the article's solver: shares of 32-bit amounts, in 32-bit arithmetic (so that WGSL
//! can repeat it).
//!
//! Invariant: every share of a value is rounded towards zero, so that a mirrored flow has mirrored
//! bits.

/// Share 1 in units of 2⁻¹⁵; also the open share of a fully open face.
pub(super) const WHOLE: u32 = 1 << 15;
/// Number of fractional bits of a share.
const BITS: u32 = 15;

/// Returns the share `w` (2¹⁵ = 1) of the amount `a`: a·w/2¹⁵, rounded down; `w` is at most
/// [`WHOLE`].
#[inline(always)]
pub(super) fn mul(a: u32, w: u32) -> u32 {
    (a >> BITS)
        .wrapping_mul(w)
        .wrapping_add((a & (WHOLE - 1)).wrapping_mul(w) >> BITS)
}

/// Returns the share `w` (2¹⁵ = 1) of `a`, rounded towards zero: [`mul`] of the magnitude, with the
/// sign of `a`.
#[inline(always)]
pub(super) fn signed(a: i32, w: u32) -> i32 {
    let sign = a >> 31;
    let magnitude = (a ^ sign).wrapping_sub(sign) as u32;
    (mul(magnitude, w) as i32 ^ sign).wrapping_sub(sign)
}

/// Value of a cell that is advected: an amount of a field, or a velocity component.
pub(super) trait Quantity: Copy + Default + Send + Sync {
    /// Share `w` (2¹⁵ = 1) of the value, rounded towards zero.
    fn share(self, w: u32) -> Self;
    /// `self + other`, modulo 2³².
    fn plus(self, other: Self) -> Self;
    /// `self − other`, modulo 2³².
    fn minus(self, other: Self) -> Self;
}

macro_rules! quantity {
    ($number:ty, $part:path) => {
        impl Quantity for $number {
            #[inline(always)]
            fn share(self, w: u32) -> Self {
                $part(self, w)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}

quantity!(u32, mul);
quantity!(i32, signed);

/// Factor from 0 to 1 in units of 2⁻³⁰, for accelerations per step, which are so small that units
/// of 2⁻¹⁵ would round them by some percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fine {
    high: u32,
    low: u32,
}

impl Fine {
    /// Returns the factor nearest to `value`, clamped to 0–1.
    pub(super) fn new(value: f32) -> Self {
        let units = (f64::from(value) * f64::from(1 << (2 * BITS)))
            .round()
            .clamp(0.0, f64::from(1 << (2 * BITS))) as u32;
        Self {
            high: units >> BITS,
            low: units & (WHOLE - 1),
        }
    }

    /// Returns true if the factor is 0.
    pub(super) fn is_zero(self) -> bool {
        self == Self::default()
    }

    /// Returns the amount `a` times this factor, rounded down; at most 1 below the exact product.
    #[inline(always)]
    pub(super) fn times(self, a: u32) -> u32 {
        mul(a, self.high).wrapping_add(mul(a, self.low) >> BITS)
    }
}

/// Returns the share nearest to `value` in units of 2⁻¹⁵, clamped to 0–1.
pub(super) fn share(value: f32) -> u32 {
    (f64::from(value) * f64::from(WHOLE))
        .round()
        .clamp(0.0, f64::from(WHOLE)) as u32
}

/// Returns n/d rounded down. Exact for quotients up to 2¹⁵, `n` up to 2³⁰ that an `f32` represents
/// exactly, and `d` from 1 to 2²⁰.
///
/// The quotient in floating point is less than 1 off; comparing products corrects the difference.
#[inline(always)]
pub(super) fn quotient(n: u32, d: u32) -> u32 {
    let near = (n as i32 as f32 / d as i32 as f32) as i32 as u32;
    let near = near.wrapping_sub(u32::from(near.wrapping_mul(d) > n));
    near.wrapping_add(u32::from(near.wrapping_add(1).wrapping_mul(d) <= n))
}

/// Returns the square root of `n` rounded down, for `n` up to 3·2³⁰, by the method of [`quotient`].
#[inline(always)]
pub(super) fn root(n: u32) -> u32 {
    let near = (n as f32).sqrt() as i32 as u32;
    let near = near.wrapping_sub(u32::from(near.wrapping_mul(near) > n));
    let next = near.wrapping_add(1);
    near.wrapping_add(u32::from(next.wrapping_mul(next) <= n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    #[test]
    fn shares_are_those_of_wide_arithmetic() {
        for i in 0..20_000 {
            let random = mix64(i);
            let (a, w) = (
                (random >> (32 + random % 30)) as u32,
                random as u32 % (WHOLE + 1),
            );
            for (a, w) in [(a, w), (a, WHOLE), (u32::MAX, w), (a, 0)] {
                assert_eq!(
                    u64::from(mul(a, w)),
                    (u64::from(a) * u64::from(w)) >> 15,
                    "{a} · {w}"
                );
                let (half, negative) = ((a >> 1) as i32, -((a >> 1) as i32));
                assert_eq!(
                    i64::from(signed(half, w)),
                    (i64::from(half) * i64::from(w)) >> 15
                );
                assert_eq!(signed(negative, w), -signed(half, w));
            }
            let fine = Fine::new(random as u32 as f32 / u32::MAX as f32);
            let exact =
                (u128::from(a) * (u128::from(fine.high) << 15 | u128::from(fine.low))) >> 30;
            let off = exact as i64 - i64::from(fine.times(a));
            assert!((0..=1).contains(&off), "{a} times {fine:?}: {off}");
        }
        assert_eq!(
            (
                Fine::new(1.0).times(u32::MAX),
                Fine::new(7.0).times(9),
                Fine::new(-1.0).times(9)
            ),
            (u32::MAX, 9, 0)
        );
        assert!(Fine::new(1e-10).is_zero() && !Fine::new(1e-9).is_zero());
        assert_eq!((share(0.24), share(2.0), share(f32::NAN)), (7864, WHOLE, 0));
    }

    #[test]
    fn quotients_and_roots_are_exact() {
        let check = |f: u32| assert_eq!(quotient(1 << 30, f), (1 << 30) / f, "2^30 / {f}");
        (WHOLE..WHOLE + 70_000)
            .chain((1 << 20) - 1000..=1 << 20)
            .for_each(check);
        for i in 0..100_000 {
            let random = mix64(i);
            let (c, s) = (
                random as u32 % (1 << 14),
                1 + (random >> 32) as u32 % 60_000,
            );
            if c < s {
                assert_eq!(quotient(c << 15, s), (c << 15) / s, "{c}·2^15 / {s}");
            }
            let n = (random >> 20) as u32 % (3 << 30);
            assert_eq!(root(n), n.isqrt(), "√{n}");
        }
        for edge in (0..56_755u32)
            .flat_map(|s| [s * s, (s * s).saturating_sub(1)])
            .chain([3 << 30])
        {
            assert_eq!(root(edge), edge.isqrt(), "√{edge}");
        }
    }
}
