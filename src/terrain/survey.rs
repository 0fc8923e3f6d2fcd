//! Rasters in true units on the columns of a box that stands on the map: another survey of its ground, or thickness of lava.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::param::{Table, table};
use crate::validate::{Invalid, one_line};

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

#[cfg(feature = "files")]
pub(crate) use files::on_columns;

#[cfg(feature = "files")]
mod files {
    use std::path::Path;

    use ndarray::Array2;

    use super::*;
    use crate::map::features::told;
    use crate::map::{Placement, Site};
    use crate::memory::MemoryEstimate;
    use crate::terrain::load_values;

    /// Bytes of a column while its height is read: a sum and a count, the mean, and the height in cells.
    const BYTES_A_COLUMN: f64 = 24.0;

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
                return Err(format!(
                    "ends below the roof of the box; it reaches {top} cells up, grid.size[1] is {rows}"
                ));
            }
            let height = |height_m: &f64| if height_m.is_nan() { -1.0 } else { cells(height_m).max(0.0) as f32 };
            let heights: Vec<f32> = found.iter().map(height).collect();
            if heights.iter().all(|height| *height < 0.0) {
                return Err("has heights in the box; this one has none".to_owned());
            }
            Ok(Self { heights: Some(heights.into()), ..self.clone() })
        }
    }

    /// Numbers of a raster on the columns of a box, shape `(nz, nx)`: the mean of its cells whose middles lie in a column, else the
    /// cell around the column's middle; NaN where there is none.
    ///
    /// # Errors
    /// Says that the file must be one that has what it lacks.
    pub(crate) fn on_columns(path: &Path, site: &Site) -> Result<Array2<f64>, String> {
        let (map, _) = load_values(path).map_err(|error| format!("can be read; {error}"))?;
        let (crs, of_box) = (
            map.origin.as_ref().map(|origin| origin.crs.clone()).unwrap_or_default(),
            site.crs().cloned().unwrap_or_default(),
        );
        if !crs.is_same(&of_box) {
            let (there, here) = (told(&crs), told(&of_box));
            return Err(format!("is in {here}, the system of the terrain; it is in {there} (gdalwarp -t_srs)"));
        }
        let place = Placement::new(map.origin.as_ref(), map.cell_size_m, map.heights.dim());
        let (mut sums, mut counts) =
            (Array2::<f64>::zeros((site.grid.nz, site.grid.nx)), Array2::<u32>::zeros((site.grid.nz, site.grid.nx)));
        let (xs, ys): (Vec<f64>, Vec<f64>) = (place.xs().collect(), place.ys().collect());
        for ((row, col), value) in map.heights.indexed_iter().filter(|(_, value)| value.is_finite()) {
            let [x, z] = site.cells_of([xs[col], ys[row]]);
            if let Some(sum) = (x >= 0.0 && z >= 0.0).then(|| sums.get_mut((z as usize, x as usize))).flatten() {
                *sum += f64::from(*value);
                counts[(z as usize, x as usize)] += 1;
            }
        }
        let around = |row: usize, col: usize| {
            let [x, y] = site.on_the_map([col as f64 + 0.5, row as f64 + 0.5]);
            let (col, row) = (((x - place.west) / place.cell.0).floor(), ((place.north - y) / place.cell.1).floor());
            let value = (row >= 0.0 && col >= 0.0).then(|| map.heights.get((row as usize, col as usize))).flatten();
            value.map_or(f64::NAN, |value| f64::from(*value))
        };
        Ok(Array2::from_shape_fn(sums.dim(), |(row, col)| match counts[(row, col)] {
            0 => around(row, col),
            count => sums[(row, col)] / f64::from(count),
        }))
    }
}
