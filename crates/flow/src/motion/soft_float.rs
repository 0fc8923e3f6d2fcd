//! Non-negative numbers with 26 significant bits and a binary exponent, whose operations truncate.
//!
//! Fluxes are computed in this format: `f32` division and roots differ between makers of GPUs, and
//! a shader may fuse a multiplication with an addition. Here each operation has exactly one result,
//! that of integer arithmetic on mantissas of 26 bits, which a shader can repeat.
//!
//! A CPU computes them in `f64`, whose 53 bits hold the product of two mantissas exactly. In a sum,
//! a quotient or a root `f64` rounds bit 53, and this rounding never reaches bit 26: a carry
//! through all bits between would need a result nearer to a number of 26 bits than operands of 26
//! bits can give. So clearing the low bits leaves the truncated result; `tests` compares it with
//! integers.

use serde::{Deserialize, Serialize};

/// Non-negative number with 26 significant bits, in which fluxes are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SoftFloat(f64);

/// The number 1 in fixed point with 32 fractional bits, the format of shares.
pub(crate) const SHARE_ONE: u64 = 1 << 32;

/// Mask of the bits of an `f64` that are kept: sign, exponent and the upper 25 bits of the
/// fraction.
const KEPT: u64 = u64::MAX << 27;

/// Returns 2^`exponent`, exactly, for exponents of normal numbers (−1022 to 1023).
#[inline]
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl SoftFloat {
    pub(crate) const ZERO: Self = Self(0.0);

    /// Number from an `f64` with at most 26 significant bits, as [`SoftFloat::to_f64`] gives it.
    #[inline]
    pub(crate) fn from_truncated(value: f64) -> Self {
        Self(value)
    }

    #[inline(always)]
    pub(crate) fn truncated(value: f64) -> Self {
        Self(f64::from_bits(value.to_bits() & KEPT))
    }

    /// Converts the integer `value` (less than 2^53), truncated to 26 significant bits.
    #[inline]
    pub(crate) fn from_units(value: u64) -> Self {
        debug_assert!(value >> 53 == 0, "{value}");
        Self::truncated(value as i64 as f64)
    }

    /// Converts `value`, truncated to 26 significant bits; zero if `value` is not positive, finite
    /// and normal.
    pub(crate) fn from_f64(value: f64) -> Self {
        if value.is_finite() && value >= f64::MIN_POSITIVE {
            Self::truncated(value)
        } else {
            Self::ZERO
        }
    }

    /// Converts `value` (0 or positive), exactly, since an `f32` has 24 significant bits.
    #[inline]
    pub(crate) fn from_f32(value: f32) -> Self {
        Self(f64::from(value))
    }

    #[inline]
    pub(crate) fn to_f64(self) -> f64 {
        self.0
    }

    #[inline]
    pub(crate) fn is_zero(self) -> bool {
        self.0 == 0.0
    }

    /// Product of this number and `other`, truncated to 26 significant bits; for results in the
    /// range of normal `f64` numbers.
    #[inline]
    pub(crate) fn times(self, other: Self) -> Self {
        Self::truncated(self.0 * other.0)
    }

    #[inline]
    pub(crate) fn squared(self) -> Self {
        self.times(self)
    }

    #[inline]
    pub(crate) fn cubed(self) -> Self {
        self.squared().times(self)
    }

    /// This number times 2^`exponent`, exactly, for exponents from −1022 to 1023 and results in the
    /// range of normal `f64` numbers.
    #[inline]
    pub(crate) fn shifted(self, exponent: i32) -> Self {
        Self(self.0 * power(exponent))
    }

    /// Sum of this number and `other`, truncated to 26 significant bits.
    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self::truncated(self.0 + other.0)
    }

    /// Quotient of this number and `divisor`, truncated to 26 significant bits; a zero divisor
    /// gives infinity, but zero divided by any number is zero.
    #[inline]
    pub(crate) fn over(self, divisor: Self) -> Self {
        if self.is_zero() {
            Self::ZERO
        } else {
            Self::truncated(self.0 / divisor.0)
        }
    }

    /// Square root of this number, truncated to 26 significant bits.
    #[inline]
    pub(crate) fn root(self) -> Self {
        Self::truncated(self.0.sqrt())
    }

    /// Returns true if this number is less than `other`.
    #[inline]
    pub(crate) fn is_less(self, other: Self) -> bool {
        self.0 < other.0
    }

    /// Maximum of this number and `other`.
    #[inline]
    pub(crate) fn max(self, other: Self) -> Self {
        if self.0 < other.0 { other } else { self }
    }

    /// Converts this number to fixed point with `bits` fractional bits, truncated and clamped to
    /// `most`, which must be less than 2^63; larger numbers, infinity included, give `most`.
    #[inline]
    pub(crate) fn fixed(self, bits: i32, most: u64) -> u64 {
        ((self.0 * power(bits)) as i64 as u64).min(most)
    }

    /// Smallest integer `l` ≥ 0 with `self <= 2^l`; 0 for zero. For a number of sub-steps: the time
    /// level that has at least as many.
    #[inline]
    pub(crate) fn power_above(self) -> i32 {
        let bits = self.0.to_bits() + ((1 << 52) - 1);
        ((bits >> 52) as i32 - 1023).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    const BITS: u32 = 26;

    /// Mantissa (26 bits, without fractional bits) and binary exponent of `mag`.
    fn parts(mag: SoftFloat) -> (u128, i32) {
        let bits = mag.0.to_bits();
        assert_eq!(bits & !KEPT, 0, "26 bits");
        (
            u128::from((bits & ((1 << 52) - 1) | 1 << 52) >> 27),
            (bits >> 52) as i32 - 1023 - 25,
        )
    }

    /// Mantissa (26 bits) and binary exponent of `m · 2^e`, truncated by integer arithmetic: the
    /// expected result of an operation under test.
    fn whole(m: u128, e: i32) -> (u128, i32) {
        let over = (128 - m.leading_zeros()) as i32 - BITS as i32;
        if over > 0 {
            (m >> over, e + over)
        } else {
            (m << -over, e + over)
        }
    }

    fn whole_root(square: u128) -> u128 {
        let mut root = 0u128;
        for bit in (0..63).rev() {
            let more = root | 1 << bit;
            if more * more <= square {
                root = more;
            }
        }
        root
    }

    /// Iterator over pseudo-random test numbers of many magnitudes, often next to a power of two.
    fn numbers() -> impl Iterator<Item = SoftFloat> {
        (0..60_000u64).map(|i| {
            let bits = mix64(i);
            let mantissa = match bits & 7 {
                0 => (1 << 26) - 1 - (bits >> 40 & 3),
                1 => (1 << 25) + (bits >> 40 & 3),
                _ => 1 << 25 | bits >> 39,
            };
            SoftFloat(mantissa as f64 * power(((bits >> 3) & 31) as i32 - 40))
        })
    }

    #[test]
    fn operations_are_those_of_whole_numbers() {
        let all: Vec<SoftFloat> = numbers().collect();
        for pair in all.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let ((m, e), (n, f)) = (parts(a), parts(b));
            assert_eq!(parts(a.times(b)), whole(m * n, e + f));
            let low = e.min(f);
            assert_eq!(
                parts(a.plus(b)),
                whole((m << (e - low)) + (n << (f - low)), low)
            );
            assert_eq!(parts(a.over(b)), whole((m << 60) / n, e - f - 60));
            let even = 60 + (e & 1);
            assert_eq!(
                parts(a.root()),
                whole(whole_root(m << even), (e - even) / 2)
            );
            assert_eq!(a.is_less(b), a.to_f64() < b.to_f64());
            assert_eq!(parts(a.shifted(-3)), (m, e - 3));
            assert_eq!(
                a.power_above(),
                libm::ceil(libm::log2(a.to_f64())).max(0.0) as i32
            );
            let units = mix64(m as u64) >> (11 + n % 52);
            assert_eq!(
                parts(SoftFloat::from_units(units.max(1))),
                whole(u128::from(units.max(1)), 0)
            );
        }
    }

    #[test]
    fn zero_stays_zero_and_adds_nothing() {
        let one = SoftFloat::from_units(1);
        assert!(
            SoftFloat::ZERO.times(one).is_zero()
                && SoftFloat::ZERO.over(one).is_zero()
                && SoftFloat::ZERO.root().is_zero()
        );
        assert!(SoftFloat::ZERO.over(SoftFloat::ZERO).is_zero());
        assert_eq!(one.over(SoftFloat::ZERO).fixed(24, 77), 77);
        assert_eq!(SoftFloat::ZERO.plus(one), one);
        assert_eq!(one.plus(SoftFloat::ZERO), one);
        assert!(SoftFloat::ZERO.is_less(one) && !one.is_less(SoftFloat::ZERO));
        assert!(SoftFloat::ZERO.is_less(SoftFloat::from_f64(1e-300)));
        assert_eq!(SoftFloat::ZERO.power_above(), 0);
        assert_eq!(SoftFloat::from_units(5).fixed(24, u64::MAX >> 1), 5 << 24);
        assert_eq!(SoftFloat::from_f64(1e30).fixed(24, 77), 77);
    }
}
