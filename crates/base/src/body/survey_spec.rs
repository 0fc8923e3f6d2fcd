//! Later survey of the ground: a georeferenced heightmap resampled to the columns of the simulation
//! box.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::param::{Table, table};
use crate::validate::{Invalid, one_line};

table! {
    /// The matter `kind = "ground"`: the ground of the shape's columns gets the heights of another
    /// survey, except where lava of the run lies.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct SurveySpec {
        /// File of heights in metres (`.tif`, `.asc`), in the coordinate reference system of the
        /// terrain, relative to the folder of the scene.
        must pub file: PathBuf;
        ..
        /// Heights of all columns in cells above the floor, negative where the file has no height;
        /// `None` until a scene has read the file.
        pub heights: Option<Arc<Vec<f32>>>;
    }
}

impl SurveySpec {
    /// Creates the table of a survey for the heightmap `file`, without heights: the scene reads the
    /// file later.
    pub fn of_file(file: PathBuf) -> Self {
        Self {
            file,
            heights: None,
        }
    }

    /// Checks that the name of the file is a single line of text; `key` is the name of the table in
    /// messages.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        one_line(&format!("{key}.file"), &self.file.to_string_lossy())?;
        self.check(key)
    }

    /// Height of the surveyed ground in the column with the index `column` (z · nx + x), in cells
    /// above the floor; `None` if the file has not been read, or has no height for this column.
    pub fn height(&self, column: usize) -> Option<f64> {
        let height = *self.heights.as_ref()?.get(column)?;
        (height >= 0.0).then(|| f64::from(height))
    }
}
