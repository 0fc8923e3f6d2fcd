//! Another survey of the ground: heights on the columns of the box, which stands on the map.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::map::Site;
use crate::memory::MemoryEstimate;
use crate::param::{Table, table};
use crate::terrain::on_columns;
use crate::validate::{Invalid, one_line};

/// Bytes of a column while its height is read: a sum and a count, the mean, and the height in cells.
const BYTES_A_COLUMN: f64 = 24.0;

table! {
    /// The matter `kind = "ground"`: heights of another survey for the ground of the shape's columns, where no lava of the run is.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct SurveySpec {
        /// Heights in metres (`.tif`, `.asc`) in the system of the terrain, relative to the folder of the scene.
        must pub file: PathBuf;
        ..
        /// Heights of all columns in cells above the floor, below 0 where the file has none; once a scene has read the file.
        pub(crate) heights: Option<Arc<Vec<f32>>>;
    }
}

impl SurveySpec {
    /// The heights of a file.
    pub fn of_file(file: PathBuf) -> Self {
        Self { file, heights: None }
    }

    /// Checks the name; `key` is the table's name.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        one_line(&format!("{key}.file"), &self.file.to_string_lossy())?;
        self.check(key)
    }

    /// Height of a column in cells, if the file has been read and has one there.
    pub(crate) fn height(&self, column: usize) -> Option<f64> {
        let height = *self.heights.as_ref()?.get(column)?;
        (height >= 0.0).then(|| f64::from(height))
    }
}

impl SurveySpec {
    /// The survey with its heights on the columns of a box; its name is relative to a folder.
    ///
    /// # Errors
    /// Says that the file must be one that has what it lacks.
    pub(crate) fn read(&self, folder: &Path, site: &Site) -> Result<Self, String> {
        MemoryEstimate::of("the heights of the survey", site.grid.columns(), BYTES_A_COLUMN)
            .check("make grid.size smaller")
            .map_err(|cause| format!("fits into memory; {cause}"))?;
        let found = on_columns(&folder.join(&self.file), site)?;
        let cells = |height_m: &f64| (height_m - site.floor_m) / site.cell_height_m();
        let highest = found.iter().map(cells).fold(0.0, f64::max);
        if highest > site.grid.ny as f64 {
            let [top, rows] = [highest.ceil(), site.grid.ny as f64];
            return Err(format!("ends below the roof of the box; it reaches {top} cells up, grid.size[1] is {rows}"));
        }
        let height = |height_m: &f64| if height_m.is_nan() { -1.0 } else { cells(height_m).max(0.0) as f32 };
        let heights: Vec<f32> = found.iter().map(height).collect();
        if heights.iter().all(|height| *height < 0.0) {
            return Err("has heights in the box; this one has none".to_owned());
        }
        Ok(Self { heights: Some(heights.into()), ..self.clone() })
    }
}
