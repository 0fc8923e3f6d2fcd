//! Heightmaps as bodies: the cells below a relief in the simulation box, such as a bar of chocolate
//! or the floor of a mould.

use std::path::Path;

use super::{Cells, ReliefSpec};
use crate::terrain::{Heightmap, LoadOptions, TerrainError, load};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::memory::MemoryEstimate;

/// Returns the cells of a box of shape `grid` below the heights of the file of `relief`, whose name
/// is relative to `folder`.
pub(super) fn cells_in(
    relief: &ReliefSpec,
    folder: &Path,
    grid: Grid,
) -> Result<Cells, TerrainError> {
    // Cell sizes of the file do not matter here; formats without one need some value.
    let options = LoadOptions {
        cell_size_m: Some(1.0),
        ..LoadOptions::default()
    };
    let path = folder.join(&relief.file);
    let map = load(&path, &options)?;
    let [columns, rows] = [0, 2].map(|k| relief.size[k].round().max(1.0) as usize);
    let heights = MemoryEstimate::new(
        "the heights of the body",
        columns * rows + map.heights.len(),
        4.0,
    );
    let cells = MemoryEstimate::new("the cells of the body", room(relief, grid), 1.0 / 8.0);
    let check = heights
        .and(cells)
        .check("coarsen the heightmap or make its body smaller");
    check.map_err(|cause| TerrainError::Memory { path, cause })?;
    Ok(below(relief, &map.resampled(columns, rows)?, grid))
}

/// Returns the corners of the bounding box of `relief` in cells: lower corner inclusive, upper
/// corner exclusive.
fn corners(relief: &ReliefSpec, grid: Grid) -> [Place; 2] {
    let sides = [grid.nx, grid.ny, grid.nz];
    let clip = |v: f64, k: usize| v.clamp(0.0, sides[k] as f64) as usize;
    let first = std::array::from_fn(|k| clip(relief.from[k].floor(), k));
    [
        first,
        std::array::from_fn(|k| clip((relief.from[k] + relief.size[k]).ceil(), k).max(first[k])),
    ]
}

/// Returns the number of cells in the bounding box of `relief`.
fn room(relief: &ReliefSpec, grid: Grid) -> usize {
    let [first, end] = corners(relief, grid);
    (0..3).map(|k| end[k] - first[k]).product()
}

/// Returns the cells of a box of shape `grid` whose centres lie below the heights of `map`, which
/// has one height per column of `relief`.
fn below(relief: &ReliefSpec, map: &Heightmap, grid: Grid) -> Cells {
    let (low, high) = map
        .range()
        .map_or((0.0, 0.0), |(low, high)| (f64::from(low), f64::from(high)));
    // A flat file is a block.
    let tall = |height: f64| {
        if high > low {
            (height - low) / (high - low)
        } else {
            1.0
        }
    };
    let at = |k: usize, cell: usize, cells: usize| {
        let share = (cell as f64 + 0.5 - relief.from[k]) / relief.size[k];
        (0.0..1.0)
            .contains(&share)
            .then(|| ((share * cells as f64) as usize).min(cells - 1))
    };
    let [first, end] = corners(relief, grid);
    Cells::between(first, end, |[x, y, z]| {
        let place = at(2, z, map.rows()).zip(at(0, x, map.cols()));
        let height = place.map_or(f64::NAN, |(row, col)| f64::from(map.heights[[row, col]]));
        let level = (y as f64 + 0.5 - relief.from[1]) / relief.size[1];
        // Comparisons with NaN are false: places without a height have no body.
        level >= 0.0 && level < tall(height)
    })
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn cells_lie_below_the_heights() {
        let relief = ReliefSpec {
            file: "a.png".into(),
            from: [1.0, 2.0, 0.0],
            size: [4.0, 4.0, 2.0],
            cells: None,
        };
        let heights = array![[10.0, 10.0, 20.0, 30.0], [30.0, f32::NAN, 10.0, 20.0]];
        let map = Heightmap {
            heights,
            cell_size_m: (1.0, 1.0),
            origin: None,
            notes: Vec::new(),
        };
        let cells = below(&relief, &map, Grid::new(8, 8, 8));
        let tall = |x: usize, z: usize| {
            let is_in = |y: &usize| cells.contains([x, *y, z].map(|v| v as f64 + 0.5));
            let levels: Vec<usize> = (0..8).filter(is_in).collect();
            assert!(
                levels.iter().enumerate().all(|(i, &y)| y == i + 2),
                "{levels:?}"
            );
            levels.len()
        };
        assert_eq!([0, 1, 2, 3, 4, 5].map(|x| tall(x, 0)), [0, 0, 0, 2, 4, 0]);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|x| tall(x, 1)), [0, 4, 0, 0, 2, 0]);
        assert_eq!(tall(3, 2), 0);
        let flat = Heightmap {
            heights: array![[7.0]],
            cell_size_m: (1.0, 1.0),
            origin: None,
            notes: Vec::new(),
        };
        assert_eq!(below(&relief, &flat, Grid::new(8, 8, 8)).count(), 4 * 4 * 2);
        // Only the part that lies in the simulation box.
        assert_eq!(below(&relief, &flat, Grid::new(3, 3, 1)).count(), 2);
    }
}
