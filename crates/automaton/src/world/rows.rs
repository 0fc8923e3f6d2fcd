//! Rows of tiles of equal y.

use std::ops::Range;

/// Rows of equal y, from one to another.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    from: usize,
    to: usize,
}

impl Rows {
    /// No row.
    pub const NONE: Self = Self { from: usize::MAX, to: 0 };

    /// Whether there is no row.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.from >= self.to
    }

    /// The rows as a range.
    #[inline]
    pub fn range(self) -> Range<usize> {
        if self.is_empty() { 0..0 } else { self.from..self.to }
    }

    /// Reaches to one more.
    #[inline]
    pub(crate) fn add(&mut self, y: usize) {
        self.from = self.from.min(y);
        self.to = self.to.max(y + 1);
    }

    /// The smallest rows around both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
}
