//! Vectors of `LANES` numbers of type `f64` for SIMD registers. Invariant: each operation gives the
//! same bits as the scalar operation.
//!
//! Plain loops, since `array::from_fn` and `map` stay calls in a profile that optimises less than a
//! release.

use std::ops::{Add, BitAnd, Div, Mul, Not, Sub};

/// Number of lanes of a vector: four `f64` fill 256 bits.
pub(crate) const LANES: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes(pub(crate) [f64; LANES]);

/// Mask of a vector's lanes: each entry has all bits set (true) or none (false).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask([u64; LANES]);

/// Array of `LANES` values: evaluates `$value` once for each lane index `$i`, in order.
macro_rules! each_lane {
    (|$i:ident| $value:expr) => {{
        let mut lanes = [Default::default(); LANES];
        let mut $i = 0;
        while $i < LANES {
            lanes[$i] = $value;
            $i += 1;
        }
        lanes
    }};
}

impl Lanes {
    #[inline(always)]
    pub(crate) fn all(value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn compared(self, other: Self, is: impl Fn(f64, f64) -> bool) -> Mask {
        Mask(each_lane!(|i| if is(self.0[i], other.0[i]) {
            u64::MAX
        } else {
            0
        }))
    }

    /// Mask of the lanes in which `self` is less than `other`.
    #[inline(always)]
    pub(crate) fn less(self, other: Self) -> Mask {
        self.compared(other, |a, b| a < b)
    }

    /// Vector of the larger value in each lane; no lane may be NaN.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(each_lane!(|i| if self.0[i] > other.0[i] {
            self.0[i]
        } else {
            other.0[i]
        }))
    }

    /// Vector of the smaller value in each lane; no lane may be NaN.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        Self(each_lane!(|i| if self.0[i] < other.0[i] {
            self.0[i]
        } else {
            other.0[i]
        }))
    }

    /// Vector of the square roots of all lanes.
    #[inline(always)]
    pub(crate) fn root(self) -> Self {
        Self(each_lane!(|i| self.0[i].sqrt()))
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(each_lane!(|i| self.0[i].abs()))
    }
}

impl Mask {
    pub(crate) const ALL: Self = Self([u64::MAX; LANES]);

    /// Vector with the lanes of `a` where the mask is true, and the lanes of `b` elsewhere.
    #[inline(always)]
    pub(crate) fn pick(self, a: Lanes, b: Lanes) -> Lanes {
        Lanes(each_lane!(|i| f64::from_bits(
            (a.0[i].to_bits() & self.0[i]) | (b.0[i].to_bits() & !self.0[i])
        )))
    }

    #[inline(always)]
    pub(crate) fn is_any(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d != 0
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(each_lane!(|i| self.0[i] & other.0[i]))
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(each_lane!(|i| !self.0[i]))
    }
}

macro_rules! operation {
    ($trait:ident, $name:ident, $sign:tt) => {
        impl $trait for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self(each_lane!(|i| self.0[i] $sign other.0[i]))
            }
        }
    };
}

operation!(Add, add, +);
operation!(Sub, sub, -);
operation!(Mul, mul, *);
operation!(Div, div, /);
