//! Shape of the air's box: a grid of air cells, each one or more voxels (cells of the lava's grid)
//! wide, that extends around and above the box of the voxels.

use serde::{Deserialize, Serialize};

use lavoxel_base::grid::{Grid, Place};

/// Boundary at a side of the air's box. The floor is always a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Wall: no air passes.
    Wall,
    /// Open side: the space beyond contains still ambient air, or air that moves with the wind.
    #[default]
    Open,
    /// Periodic side: air that leaves the air's box enters on the opposite side.
    Wrap,
}

/// Axes in the order of the components of a velocity: x east, y up, z south.
pub const AXES: [usize; 3] = [0, 1, 2];

/// Number of extra cells (halo) beyond each side in every field, because stencils reach up to two
/// cells far.
pub const BEYOND: usize = 2;

/// Number of which the length of every row of a field, in cells with halo, is a multiple, so that
/// rows consist of whole vector blocks.
const ROW: usize = 16;

/// Grid of the air's cells, and its position relative to the voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirGrid {
    /// Number of air cells along each axis.
    pub cells: Grid,
    /// Number of voxels along each edge of an air cell.
    pub ratio: usize,
    /// Offset along x and z from the north-west corner of the simulation box to that of the air's
    /// box, in voxels; 0 or negative.
    pub corner: [i32; 2],
    /// Boundary conditions: at both sides along x, at the top, and at both sides along z.
    pub sides: [Side; 3],
}

impl AirGrid {
    /// Returns a grid with one air cell per voxel, without a margin around the voxels.
    pub fn new(cells: Grid, sides: [Side; 3]) -> Self {
        Self {
            cells,
            ratio: 1,
            corner: [0, 0],
            sides,
        }
    }

    /// Number of air cells along x, y and z, without halo.
    pub fn size(&self) -> [usize; 3] {
        [self.cells.nx, self.cells.ny, self.cells.nz]
    }

    /// Index distance in a field's array between neighbouring cells along x, y and z.
    pub fn strides(&self) -> [usize; 3] {
        let row = (self.cells.nx + 2 * BEYOND).next_multiple_of(ROW);
        [1, row, row * (self.cells.ny + 2 * BEYOND)]
    }

    /// Length of a field's array in values, halo included.
    pub fn len(&self) -> usize {
        self.strides()[2] * (self.cells.nz + 2 * BEYOND)
    }

    /// Returns false: a grid has at least one cell.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Index of the cell (x, y, z) of the air's box in a field's array, which has a halo.
    #[inline]
    pub fn at(&self, [x, y, z]: Place) -> usize {
        let [_, row, slab] = self.strides();
        (z + BEYOND) * slab + (y + BEYOND) * row + x + BEYOND
    }

    /// Air cell that contains the voxel (x, y, z), which may lie outside the simulation box; `None`
    /// if the voxel lies outside the air's box.
    pub fn cell_of(&self, [x, y, z]: [i64; 3]) -> Option<Place> {
        let [cx, cz] = self.corner.map(i64::from);
        let place = [x - cx, y, z - cz].map(|voxels| voxels.div_euclid(self.ratio as i64));
        let inside = |axis: usize| (0..self.size()[axis] as i64).contains(&place[axis]);
        AXES.into_iter()
            .all(inside)
            .then(|| place.map(|n| n as usize))
    }

    /// Voxel in the west, bottom, north corner of the air cell (x, y, z).
    pub fn voxel_of(&self, [x, y, z]: Place) -> [i64; 3] {
        let along = |n: usize, corner: i32| (n * self.ratio) as i64 + i64::from(corner);
        [
            along(x, self.corner[0]),
            along(y, 0),
            along(z, self.corner[1]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voxels_and_cells_find_each_other() {
        let cells = Grid::new(5, 4, 3);
        let grid = AirGrid {
            cells,
            ratio: 4,
            corner: [-8, -3],
            sides: [Side::Open; 3],
        };
        for place in cells.places() {
            let [x, y, z] = grid.voxel_of(place);
            assert_eq!(grid.cell_of([x, y, z]), Some(place));
            assert_eq!(grid.cell_of([x + 3, y + 3, z + 3]), Some(place));
        }
        for outside in [
            [-9, 0, 0],
            [12, 0, 0],
            [0, -1, 0],
            [0, 16, 0],
            [0, 0, -4],
            [0, 0, 9],
        ] {
            assert_eq!(grid.cell_of(outside), None, "{outside:?}");
        }
        let last = grid.at([4, 3, 2]);
        assert!(last + BEYOND * grid.strides().iter().sum::<usize>() < grid.len());
    }
}
