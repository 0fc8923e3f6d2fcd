//! The fastest face of each row, from which follows how many sweeps the lines of cells need.

use crate::{AirGrid, BEYOND};

use super::project::largest;

/// Bits of the largest speed along each axis, by rows of the fields.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    grid: AirGrid,
    rows: Vec<[u32; 3]>,
}

impl Pace {
    /// Of still air.
    pub(super) fn still(grid: AirGrid) -> Self {
        Self { grid, rows: vec![[0; 3]; grid.len() / grid.strides()[1]] }
    }

    /// Rows of a plane.
    pub(super) fn plane(grid: AirGrid) -> usize {
        grid.cells.ny + 2 * BEYOND
    }

    /// All rows.
    pub(super) fn rows_mut(&mut self) -> &mut [[u32; 3]] {
        &mut self.rows
    }

    /// Finds the fastest face of a row anew, with its last face.
    pub(super) fn find(&mut self, axis: usize, [y, z]: [usize; 2], u: &[f32]) {
        let [_, ny, nz] = self.grid.size();
        if y >= ny + usize::from(axis == 1) || z >= nz + usize::from(axis == 2) {
            return;
        }
        let (at, row) = (self.grid.at([0, y, z]), self.grid.strides()[1]);
        let faces = self.grid.cells.nx + usize::from(axis == 0);
        self.rows[at / row][axis] = largest(&u[at..at + faces], 0);
    }

    /// The fastest face along an axis in the row of a place.
    pub(super) fn row(&self, axis: usize, [y, z]: [usize; 2]) -> f32 {
        f32::from_bits(self.rows[(z + BEYOND) * Self::plane(self.grid) + y + BEYOND][axis])
    }

    /// The fastest of all along each axis.
    pub(super) fn fastest(&self) -> [f32; 3] {
        let larger = |a: [u32; 3], b: &[u32; 3]| [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])];
        self.rows.iter().fold([0; 3], larger).map(f32::from_bits)
    }

    /// Memory that it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }
}
