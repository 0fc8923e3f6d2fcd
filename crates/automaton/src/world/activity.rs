//! Activity of the tiles of a strip, as seen by the rule across.

use super::rows::Rows;

/// Activity bits of a row of tiles on the last visit of spreading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Tiles that could have given something with another pattern.
    pub(crate) active: u64,
    /// Tiles with a cell that has the energy to give. All other tiles do not depend on their
    /// neighbours.
    pub(crate) able: u64,
}

/// [`Activity`] of all rows of a strip.
#[derive(Clone, Debug)]
pub(crate) struct Activities {
    rows: Vec<Activity>,
    /// Rows outside of which no tile is active.
    pub(crate) active: Rows,
}

impl Default for Activities {
    fn default() -> Self {
        Self { rows: Vec::new(), active: Rows::NONE }
    }
}

impl Activities {
    /// Makes room for `rows` rows of tiles, if there is none yet.
    #[inline]
    pub(crate) fn make(&mut self, rows: usize) {
        if self.rows.len() != rows {
            self.rows = vec![Activity::default(); rows];
            self.active = Rows::NONE;
        }
    }

    /// Returns the row with this index.
    #[inline]
    pub(crate) fn of(&self, index: usize) -> Activity {
        self.rows[index]
    }

    /// Writes the row with this index, which lies at `y`.
    #[inline]
    pub(crate) fn put(&mut self, index: usize, y: usize, activity: Activity) {
        self.rows[index] = activity;
        if activity.active != 0 {
            self.active.add(y);
        }
    }
}
