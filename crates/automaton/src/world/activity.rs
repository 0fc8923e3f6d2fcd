//! Activity of the tiles of a strip: recorded when the horizontal rule (spreading) processes them,
//! so that the rule can skip inactive tiles.

use super::rows::Rows;

/// Activity bits of a row of up to 64 tiles along x, as recorded when spreading last processed each
/// tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Activity {
    /// Bit set of tiles that spreading must process again although they may not have changed:
    /// matter flowed out or could have flowed out with other random numbers, or the ground at the
    /// tile changed.
    pub(crate) active: u64,
    /// Bit set of tiles with a cell that has enough energy to spread. Spreading in any other tile
    /// does not depend on the neighbouring tiles.
    pub(crate) able: u64,
}

/// [`Activity`] of all rows of tiles of one strip.
#[derive(Clone, Debug)]
pub(crate) struct Activities {
    rows: Vec<Activity>,
    /// Range of heights y that contains all tiles with an `active` bit.
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
    /// Allocates `rows` rows without activity, unless exactly this number of rows is already
    /// allocated.
    #[inline]
    pub(crate) fn make(&mut self, rows: usize) {
        if self.rows.len() != rows {
            self.rows = vec![Activity::default(); rows];
            self.active = Rows::NONE;
        }
    }

    /// Returns the activity of the row of tiles with the index `index` in the strip.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Activity {
        self.rows[index]
    }

    /// Stores the activity of the row of tiles with the index `index` in the strip, at height `y`
    /// in cells.
    #[inline]
    pub(crate) fn store(&mut self, index: usize, y: usize, activity: Activity) {
        self.rows[index] = activity;
        if activity.active != 0 {
            self.active.add(y);
        }
    }
}
