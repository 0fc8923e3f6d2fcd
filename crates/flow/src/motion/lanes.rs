//! Several numbers at once, which a processor's vectors hold: each operation has the bits of that on one number.
//!
//! Plain loops, since `array::from_fn` and `map` stay calls in a profile that optimises less than a release.

use std::ops::{Add, BitAnd, Div, Mul, Not, Sub};

/// Numbers that are worked on at once.
pub(crate) const LANES: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes(pub(crate) [f64; LANES]);

/// Of each lane all bits, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask([u64; LANES]);

/// An array whose lanes are worked out one after the other.
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
        Mask(each_lane!(|i| if is(self.0[i], other.0[i]) { u64::MAX } else { 0 }))
    }

    /// Where this is less than the other.
    #[inline(always)]
    pub(crate) fn less(self, other: Self) -> Mask {
        self.compared(other, |a, b| a < b)
    }

    /// The larger of both; neither is no number.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(each_lane!(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }

    /// The smaller of both; neither is no number.
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        Self(each_lane!(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }

    /// Square root.
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

    /// This where the mask is set, else the other.
    #[inline(always)]
    pub(crate) fn pick(self, a: Lanes, b: Lanes) -> Lanes {
        Lanes(each_lane!(|i| f64::from_bits((a.0[i].to_bits() & self.0[i]) | (b.0[i].to_bits() & !self.0[i]))))
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
