//! Positive numbers with 32 significant bits and a binary exponent, in whole-number arithmetic.
//!
//! Fluxes are worked out in these: `f32` division and roots differ between makers of graphics cards, and a shader may fuse
//! a multiplication with an addition. Every operation here truncates and gives the same bits everywhere.

use serde::{Deserialize, Serialize};

/// The number `m · 2^e`; the highest bit of `m` is set, or the number is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mag {
    m: u32,
    e: i32,
}

/// One as a share in 32 bits after the point.
pub(crate) const SHARE_ONE: u64 = 1 << 32;

impl Default for Mag {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Mag {
    /// The exponent keeps a zero out of the way of sums.
    pub(crate) const ZERO: Self = Self { m: 0, e: -100_000 };

    /// The integer, truncated to 32 significant bits.
    #[inline]
    pub(crate) fn from_units(value: u64) -> Self {
        if value == 0 {
            return Self::ZERO;
        }
        let zeros = value.leading_zeros() as i32;
        Self { m: ((value << zeros) >> 32) as u32, e: 32 - zeros }
    }

    /// A positive finite number, truncated; all others are zero.
    pub(crate) fn from_f64(value: f64) -> Self {
        if !(value.is_finite() && value >= f64::MIN_POSITIVE) {
            return Self::ZERO;
        }
        let bits = value.to_bits();
        let exponent = (bits >> 52) as i32 - 1023;
        let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
        Self { m: (mantissa >> 21) as u32, e: exponent - 31 }
    }

    pub(crate) fn to_f64(self) -> f64 {
        f64::from(self.m) * libm::exp2(f64::from(self.e.clamp(-1000, 1000)))
    }

    #[inline]
    pub(crate) fn is_zero(self) -> bool {
        self.m == 0
    }

    /// The product.
    #[inline]
    pub(crate) fn times(self, other: Self) -> Self {
        let product = u64::from(self.m) * u64::from(other.m);
        let shift = 1 - (product >> 63) as i32;
        Self { m: ((product << shift) >> 32) as u32, e: self.e + other.e + 32 - shift }.or_zero()
    }

    /// The exponent of a zero must not leave its range in long products.
    #[inline]
    fn or_zero(self) -> Self {
        if self.m == 0 { Self::ZERO } else { self }
    }

    #[inline]
    pub(crate) fn squared(self) -> Self {
        self.times(self)
    }

    #[inline]
    pub(crate) fn cubed(self) -> Self {
        self.squared().times(self)
    }

    /// The number times a power of two.
    #[inline]
    pub(crate) fn shifted(self, exponent: i32) -> Self {
        Self { m: self.m, e: self.e + exponent }.or_zero()
    }

    /// The sum.
    #[inline]
    pub(crate) fn plus(self, other: Self) -> Self {
        let (large, small) = if self.e >= other.e { (self, other) } else { (other, self) };
        let apart = (large.e - small.e).min(32) as u32;
        let sum = u64::from(large.m) + (u64::from(small.m) >> apart);
        let carry = (sum >> 32) as i32;
        Self { m: (sum >> carry) as u32, e: large.e + carry }
    }

    /// The quotient; a divisor of zero gives the largest number.
    #[inline]
    pub(crate) fn over(self, divisor: Self) -> Self {
        if self.m == 0 {
            return Self::ZERO;
        }
        if divisor.m == 0 {
            return Self { m: u32::MAX, e: 10_000 };
        }
        let quotient = (u64::from(self.m) << 32) / u64::from(divisor.m);
        let carry = (quotient >> 32) as i32;
        let m = (quotient >> carry) as u32;
        let missing = m.leading_zeros() as i32;
        Self { m: m << missing, e: self.e - divisor.e - 32 + carry - missing }
    }

    /// The square root.
    #[inline]
    pub(crate) fn root(self) -> Self {
        if self.m == 0 {
            return Self::ZERO;
        }
        // An even exponent, and 63 or 64 significant bits, so that the root has 32.
        let shift = 31 + ((self.e - 31) & 1);
        Self { m: whole_root(u64::from(self.m) << shift), e: (self.e - shift) >> 1 }
    }

    /// Whether this number is less than another.
    #[inline]
    pub(crate) fn is_less(self, other: Self) -> bool {
        (self.m != 0, self.e, self.m) < (other.m != 0, other.e, other.m)
    }

    /// The larger of two.
    #[inline]
    pub(crate) fn max(self, other: Self) -> Self {
        if self.is_less(other) { other } else { self }
    }

    /// The number with `bits` bits after the point, truncated, at most `most`.
    #[inline]
    pub(crate) fn fixed(self, bits: i32, most: u64) -> u64 {
        let shift = self.e + bits;
        let value = match shift {
            ..-31 => 0,
            -31..0 => u64::from(self.m >> -shift),
            0..=32 => u64::from(self.m) << shift,
            _ if self.m == 0 => 0,
            _ => u64::MAX,
        };
        value.min(most)
    }

    /// The smallest whole number `l` from 0 on with `self <= 2^l`.
    #[inline]
    pub(crate) fn power_above(self) -> i32 {
        if self.m == 0 {
            return 0;
        }
        let whole = i32::from(self.m != 1 << 31);
        (self.e + 31 + whole).max(0)
    }
}

/// The whole part of a square root. The first guess comes from `f64` and is mended, so that its rounding does not matter.
#[inline]
fn whole_root(square: u64) -> u32 {
    let mut root = (square as f64).sqrt() as u64;
    root = root.min(u64::from(u32::MAX));
    while root * root > square {
        root -= 1;
    }
    while root < u64::from(u32::MAX) && (root + 1) * (root + 1) <= square {
        root += 1;
    }
    root as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::mix64;

    /// Numbers of many sizes.
    fn numbers() -> impl Iterator<Item = f64> {
        (0..4000u64).map(|i| {
            let bits = mix64(i);
            (1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64) * libm::exp2(f64::from((bits & 127) as i32 - 64))
        })
    }

    fn close(found: Mag, expected: f64) {
        let error = found.to_f64() / expected - 1.0;
        assert!((-2e-9..=1e-12).contains(&error), "{} instead of {expected}: {error}", found.to_f64());
    }

    #[test]
    fn operations_truncate_to_31_bits_or_more() {
        let all: Vec<f64> = numbers().collect();
        for pair in all.windows(2) {
            let (a, b) = (Mag::from_f64(pair[0]), Mag::from_f64(pair[1]));
            let (x, y) = (a.to_f64(), b.to_f64());
            close(a.times(b), x * y);
            close(a.plus(b), x + y);
            close(a.over(b), x / y);
            close(a.root(), x.sqrt());
            assert_eq!(a.is_less(b), x < y);
            close(a.shifted(-3), x / 8.0);
            assert_eq!(a.power_above(), libm::ceil(libm::log2(x)).max(0.0) as i32);
        }
    }

    #[test]
    fn zero_stays_zero_and_adds_nothing() {
        let one = Mag::from_units(1);
        assert!(Mag::ZERO.times(one).is_zero() && Mag::ZERO.over(one).is_zero() && Mag::ZERO.root().is_zero());
        assert_eq!(Mag::ZERO.plus(one), one);
        assert_eq!(one.plus(Mag::ZERO), one);
        assert!(Mag::ZERO.is_less(one) && !one.is_less(Mag::ZERO));
        assert!(Mag::ZERO.is_less(Mag::from_f64(1e-300)));
        assert_eq!(Mag::from_units(5).fixed(24, u64::MAX), 5 << 24);
        assert_eq!(Mag::from_f64(1e30).fixed(24, 77), 77);
    }
}
