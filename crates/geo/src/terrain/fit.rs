//! Fits a heightmap to the columns of a simulation box by cropping and resampling.

use std::path::Path;

use super::resample::{Window, resample};
use super::surface::{LEAST_AIR, summit, with_headroom};
use super::{CellSize, Crop, Fill, Heightmap, Surface, TerrainError, TerrainSpec};
use lavoxel_base::grid::Grid;

/// Returns the ground of a box of shape `grid` in the middle of the heightmap `map`, cropped and
/// resampled as described at `TerrainSpec::build`.
pub(super) fn fit(
    map: &Heightmap,
    spec: &TerrainSpec,
    grid: Grid,
    cells: &CellSize<'_>,
) -> Result<Surface, TerrainError> {
    let rule = spec.fill_no_data.unwrap_or_default();
    // Cutting holes away moves the edges, so that it comes before the layout of the simulation box.
    let cut = (rule == Fill::Cut).then(|| cut(map)).transpose()?;
    let map = cut.as_ref().unwrap_or(map);
    let cell_size_m = cell_size(map, grid, cells.wide_m)?;
    let window = moved(middle(map, grid, cell_size_m), grid, cells.shift);
    // Only the part in the simulation box decides about holes and the lowest height.
    let cover = covering(window, map);
    let mut land = map.crop(cover)?;
    if let Some(found) = land.fault_of_scale() {
        let file = spec.file.as_deref().unwrap_or(Path::new(""));
        return Err(TerrainError::content(file, "a map of one scale", found));
    }
    land.fill(rule)?;
    let inner = Window {
        west: window.west - cover.west as f64,
        north: window.north - cover.north as f64,
        ..window
    };
    let metres = resample(&land.heights, inner, grid.nx, grid.nz);

    let lowest = land.range().map_or(0.0, |(low, _)| f64::from(low));
    let base_m = spec.base_m.unwrap_or(lowest);
    let base_cells = spec.base_cells.unwrap_or(4.0);
    let high_m = (cells.high_m)(cell_size_m);
    let stretch = high_m.map_or(spec.vertical_exaggeration.unwrap_or(1.0), |high| {
        cell_size_m / high
    });
    let heights = metres
        .mapv(|h| (base_cells + (f64::from(h) - base_m) * stretch / cell_size_m).max(0.0) as f32);
    let top = f64::from(heights.iter().copied().fold(0.0, f32::max));
    check_roof(top, base_cells, grid.ny, |most| match high_m {
        None => format!(
            "vertical_exaggeration = {} or less",
            (stretch * most * 100.0).floor() / 100.0
        ),
        Some(high_m) => format!(
            "grid.cell_height_m = {} or more",
            (high_m / most * 100.0).ceil() / 100.0
        ),
    })?;
    Ok(Surface {
        summit: summit(&heights),
        heights,
        cell_size_m,
        floor_m: base_m - base_cells * cell_size_m / stretch,
        vertical_exaggeration: stretch,
        georeference: map.moved_origin(window.west, window.north),
        notes: map.notes.clone(),
    })
}

/// Returns `map`, cropped to its largest rectangle of cells that all have data.
fn cut(map: &Heightmap) -> Result<Heightmap, TerrainError> {
    let mut map = map.clone();
    map.fill(Fill::Cut)?;
    Ok(map)
}

/// Returns the cell width in metres: `wish_m`, or the largest width with which the simulation box
/// fits into `map` if `wish_m` is `None`. Fails if the box does not fit with `wish_m`.
fn cell_size(map: &Heightmap, grid: Grid, wish_m: Option<f64>) -> Result<f64, TerrainError> {
    let (has_wide, has_deep) = map.extent_m();
    let fits = (has_wide / grid.nx as f64).min(has_deep / grid.nz as f64);
    match wish_m {
        // The tolerance admits a wish that was copied from a rounded value.
        Some(cell_size_m) if cell_size_m > fits * (1.0 + 1e-6) => Err(TerrainError::TooWide {
            nx: grid.nx,
            nz: grid.nz,
            cell_size_m,
            wide: cell_size_m * grid.nx as f64,
            deep: cell_size_m * grid.nz as f64,
            has_wide,
            has_deep,
            fits,
        }),
        Some(cell_size_m) => Ok(cell_size_m),
        None => Ok(fits),
    }
}

/// Returns the window of `map` that the simulation box covers if both have the same centre.
fn middle(map: &Heightmap, grid: Grid, cell_size_m: f64) -> Window {
    let cols = (cell_size_m * grid.nx as f64 / map.cell_size_m.0).min(map.cols() as f64);
    let rows = (cell_size_m * grid.nz as f64 / map.cell_size_m.1).min(map.rows() as f64);
    Window {
        west: 0.5 * (map.cols() as f64 - cols),
        north: 0.5 * (map.rows() as f64 - rows),
        cols,
        rows,
    }
}

/// Returns `window` moved by `shift` (cells of the simulation box) to the east and to the south.
fn moved(window: Window, grid: Grid, [east, south]: [f64; 2]) -> Window {
    Window {
        west: window.west + east * window.cols / grid.nx as f64,
        north: window.north + south * window.rows / grid.nz as f64,
        ..window
    }
}

/// Returns the smallest rectangle of cells of `map` that contains `window`.
fn covering(window: Window, map: &Heightmap) -> Crop {
    let span = |start: f64, length: f64, count: usize| {
        let first = (start + 1e-9).floor().max(0.0) as usize;
        let end = ((start + length - 1e-9).ceil() as usize).clamp(first + 1, count);
        (first, end - first)
    };
    let (west, cols) = span(window.west, window.cols, map.cols());
    let (north, rows) = span(window.north, window.rows, map.rows());
    Crop {
        west,
        north,
        cols,
        rows,
    }
}

/// Fails if the ground leaves no room for air below the roof. `top`: greatest height of the ground
/// in cells; `base_cells`: thickness of the rock below the lowest height; `ny`: height of the
/// simulation box in cells. `pressed` returns the remedy, given the factor by which heights must be
/// scaled.
fn check_roof(
    top: f64,
    base_cells: f64,
    ny: usize,
    pressed: impl Fn(f64) -> String,
) -> Result<(), TerrainError> {
    if top + LEAST_AIR <= ny as f64 {
        return Ok(());
    }
    let room = ny as f64 - LEAST_AIR - base_cells;
    let most = room / (top - base_cells);
    let mend = if room > 0.0 && most >= 0.01 {
        format!("{}, or a larger part of the map", pressed(most))
    } else {
        "a smaller base_cells, or a larger part of the map".to_owned()
    };
    Err(TerrainError::TooHigh {
        top,
        ny,
        needed: with_headroom(top),
        mend,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_box_moved_by_half_a_cell_lies_on_the_same_land() {
        let heights = Array2::from_shape_fn((40, 60), |(z, x)| (3 * x + 2 * z) as f32);
        let map = Heightmap {
            heights,
            cell_size_m: (10.0, 10.0),
            origin: None,
            notes: Vec::new(),
        };
        let spec = TerrainSpec {
            base_m: Some(0.0),
            base_cells: Some(4.0),
            ..TerrainSpec::default()
        };
        let ground = |shift: [f64; 2]| {
            let cells = CellSize {
                wide_m: Some(20.0),
                high_m: &|_| Some(5.0),
                shift,
            };
            fit(&map, &spec, Grid::new(29, 400, 19), &cells).expect("a box on the map")
        };
        let ([still, east], [both, far]) = (
            [[0.0; 2], [0.5, 0.0]].map(ground),
            [[0.5, 0.5], [1.0, 0.0]].map(ground),
        );
        // A cell is two of the map's wide: half a cell rises by 3 m to the east and 2 m to the south, in
        // cells 5 m high.
        for at in [[2, 3], [9, 20], [16, 25]] {
            let rise = |moved: &Surface| moved.heights[at] - still.heights[at];
            assert!((rise(&east) - 0.6).abs() < 1e-4, "{at:?}");
            assert!((rise(&both) - 1.0).abs() < 1e-4, "{at:?}");
            let next = still.heights[[at[0], at[1] + 1]];
            assert!((far.heights[at] - next).abs() < 1e-4, "{at:?}");
        }
    }
}
