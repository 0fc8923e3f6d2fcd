//! Contiguous ranges of heights y in a strip of tiles.

use std::ops::Range;

/// Contiguous range of heights y, in cells.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    from: usize,
    to: usize,
}

impl Rows {
    /// Range that contains no heights; its union with another range is that other range.
    pub const NONE: Self = Self {
        from: usize::MAX,
        to: 0,
    };

    /// Returns true if the range is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// Returns the heights as a range; `0..0` if the range is empty.
    #[inline]
    pub fn range(self) -> Range<usize> {
        if self.is_empty() {
            0..0
        } else {
            self.from..self.to
        }
    }

    /// Extends the range to include the height `y`.
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
