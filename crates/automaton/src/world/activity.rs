//! Activity of the tiles of a strip, as recorded by the horizontal rule.

use super::rows::Rows;

/// Activity bits of a row of up to 64 tiles, from the last visit of spreading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Tiles from which something could have flowed with another random pattern.
    pub(crate) active: u64,
    /// Tiles with a cell that has enough energy to spread; other tiles do not depend on their
    /// neighbours.
    pub(crate) able: u64,
}

/// [`Activity`] of all rows of a strip.
#[derive(Clone, Debug)]
pub(crate) struct Activities {
    rows: Vec<Activity>,
    /// Range of rows with active tiles.
    pub(crate) active: Rows,
}

impl Default for Activities {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            active: Rows::NONE,
        }
    }
}

impl Activities {
    /// Allocates `rows` rows if not yet allocated.
    #[inline]
    pub(crate) fn make(&mut self, rows: usize) {
        if self.rows.len() != rows {
            self.rows = vec![Activity::default(); rows];
            self.active = Rows::NONE;
        }
    }

    /// Returns the activity of the row with the given `index`.
    #[inline]
    pub(crate) fn of(&self, index: usize) -> Activity {
        self.rows[index]
    }

    /// Stores the activity of the row `index`, at height `y`.
    #[inline]
    pub(crate) fn put(&mut self, index: usize, y: usize, activity: Activity) {
        self.rows[index] = activity;
        if activity.active != 0 {
            self.active.add(y);
        }
    }
}
