//! Resampling of rasters to the columns of a simulation box that has a position on the map, in the
//! unit of the raster: for example, a later survey of the ground, or a thickness of lava.

use std::path::Path;

use ndarray::Array2;

use crate::map::features::told;
use crate::map::{Crs, Placement, Site};
use crate::terrain::load_values;

/// Reads the raster at `path` and returns its values on the columns of the simulation box of
/// `site`, shape `(nz, nx)`: the mean of the raster cells whose centres lie in the column, or the
/// cell at the column's centre if no cell centre lies in it; NaN without data.
///
/// # Errors
/// The missing property, as the end of a sentence that begins with "a file that".
pub fn on_columns(path: &Path, site: &Site) -> Result<Array2<f64>, String> {
    let (map, _) = load_values(path, None).map_err(|error| format!("can be read; {error}"))?;
    let (crs, of_box) = (
        map.origin
            .as_ref()
            .map(|origin| origin.crs.clone())
            .unwrap_or_default(),
        site.crs().cloned().unwrap_or_default(),
    );
    // A file that names no system is assumed to be on the map of the terrain.
    if crs != Crs::default() && !crs.is_same(&of_box) {
        let (there, here) = (told(&crs), told(&of_box));
        return Err(format!(
            "is in {here}, the system of the terrain; it is in {there} (gdalwarp -t_srs)"
        ));
    }
    let place = Placement::new(map.origin.as_ref(), map.cell_size_m, map.heights.dim());
    let (mut sums, mut counts) = (
        Array2::<f64>::zeros((site.grid.nz, site.grid.nx)),
        Array2::<u32>::zeros((site.grid.nz, site.grid.nx)),
    );
    let (xs, ys): (Vec<f64>, Vec<f64>) = (place.xs().collect(), place.ys().collect());
    for ((row, col), value) in map
        .heights
        .indexed_iter()
        .filter(|(_, value)| value.is_finite())
    {
        let [x, z] = site.cells_near([xs[col], ys[row]]);
        if let Some(sum) = (x >= 0.0 && z >= 0.0)
            .then(|| sums.get_mut((z as usize, x as usize)))
            .flatten()
        {
            *sum += f64::from(*value);
            counts[(z as usize, x as usize)] += 1;
        }
    }
    let around = |row: usize, col: usize| {
        let [x, y] = site.on_the_map([col as f64 + 0.5, row as f64 + 0.5]);
        let there = place.cell_of([of_box.near(x, place.middle_x()), y]);
        let value = there.and_then(|cell| map.heights.get(cell));
        value.map_or(f64::NAN, |value| f64::from(*value))
    };
    Ok(Array2::from_shape_fn(
        sums.dim(),
        |(row, col)| match counts[(row, col)] {
            0 => around(row, col),
            count => sums[(row, col)] / f64::from(count),
        },
    ))
}
