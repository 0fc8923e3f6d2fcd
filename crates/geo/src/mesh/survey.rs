//! Surveys of the ground: resamples a heightmap to the columns of a simulation box that has a
//! position on the map.

use std::path::Path;

use super::SurveySpec;
use crate::map::Site;
use crate::terrain::on_columns;
use lavoxel_base::memory::MemoryEstimate;

/// Memory in bytes per column of the simulation box while heights are averaged: sum, count, mean,
/// and height in cells.
const BYTES_A_COLUMN: f64 = 24.0;

/// Returns a copy of `spec` to which the survey's heights on the columns of the simulation box of
/// `site` have been added. The file name in `spec` is relative to `folder`.
///
/// # Errors
/// The missing property, as the end of a sentence that begins with "a file that".
pub fn read_survey(spec: &SurveySpec, folder: &Path, site: &Site) -> Result<SurveySpec, String> {
    MemoryEstimate::new(
        "the heights of the survey",
        site.grid.columns(),
        BYTES_A_COLUMN,
    )
    .check("make grid.size smaller")
    .map_err(|cause| format!("fits into memory; {cause}"))?;
    let found = on_columns(&folder.join(&spec.file), site)?;
    let cells = |height_m: &f64| (height_m - site.floor_m) / site.cell_height_m();
    let highest = found.iter().map(cells).fold(0.0, f64::max);
    if highest > site.grid.ny as f64 {
        let [top, rows] = [highest.ceil(), site.grid.ny as f64];
        return Err(format!(
            "ends below the roof of the box; it reaches {top} cells up, grid.size[1] is {rows}"
        ));
    }
    let height = |height_m: &f64| {
        if height_m.is_nan() {
            -1.0
        } else {
            cells(height_m).max(0.0) as f32
        }
    };
    let heights: Vec<f32> = found.iter().map(height).collect();
    if heights.iter().all(|height| *height < 0.0) {
        return Err("has heights in the box; this one has none".to_owned());
    }
    Ok(SurveySpec {
        heights: Some(heights.into()),
        ..spec.clone()
    })
}
