//! Ranges of y of the tile rows of a strip.

use std::ops::Range;

/// Contiguous range of y.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    from: usize,
    to: usize,
}

impl Rows {
    /// Empty range.
    pub const NONE: Self = Self {
        from: usize::MAX,
        to: 0,
    };

    /// Returns true if the range is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Returns the range of y, `0..0` if empty.
    #[inline]
    pub fn range(self) -> Range<usize> {
        if self.is_empty() {
            0..0
        } else {
            self.from..self.to
        }
    }

    /// Extends the range to include `y`.
    #[inline]
    pub(crate) fn add(&mut self, y: usize) {
        self.from = self.from.min(y);
        self.to = self.to.max(y + 1);
    }

    /// Returns the smallest range that contains both ranges.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
        }
    }
}
