//! Largest speed in each row of faces, from which the number of advection sweeps for each line of
//! cells follows.

use crate::{AirGrid, BEYOND};

use super::project::largest;

/// Largest speed along each axis in each row of faces, in cells per step, stored as bits
/// (`f32::to_bits`), which are ordered like the speeds.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    grid: AirGrid,
    rows: Vec<[u32; 3]>,
}

impl Pace {
    /// Returns the largest speeds of air at rest: 0 in every row.
    pub(super) fn still(grid: AirGrid) -> Self {
        Self {
            grid,
            rows: vec![[0; 3]; grid.len() / grid.strides()[1]],
        }
    }

    /// Number of rows of faces in a plane of equal z, halo included.
    pub(super) fn plane(grid: AirGrid) -> usize {
        grid.cells.ny + 2 * BEYOND
    }

    /// Mutable bits of the largest speeds along x, y and z in all rows, halo included.
    pub(super) fn rows_mut(&mut self) -> &mut [[u32; 3]] {
        &mut self.rows
    }

    /// Computes the largest speed along `axis` in the row `[y, z]` from the velocities `u`,
    /// including the upper face of the last cell.
    pub(super) fn find(&mut self, axis: usize, [y, z]: [usize; 2], u: &[f32]) {
        let [_, ny, nz] = self.grid.size();
        if y >= ny + usize::from(axis == 1) || z >= nz + usize::from(axis == 2) {
            return;
        }
        let (at, row) = (self.grid.at([0, y, z]), self.grid.strides()[1]);
        let faces = self.grid.cells.nx + usize::from(axis == 0);
        self.rows[at / row][axis] = largest(&u[at..at + faces], 0);
    }

    /// Largest speed along `axis` in the row of faces `[y, z]`, in cells per step.
    pub(super) fn row(&self, axis: usize, [y, z]: [usize; 2]) -> f32 {
        f32::from_bits(self.rows[(z + BEYOND) * Self::plane(self.grid) + y + BEYOND][axis])
    }

    /// Largest speed along each axis in the air's box, in cells per step.
    pub(super) fn fastest(&self) -> [f32; 3] {
        let larger = |a: [u32; 3], b: &[u32; 3]| [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])];
        self.rows.iter().fold([0; 3], larger).map(f32::from_bits)
    }

    /// Memory in bytes of the largest speeds of all rows.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }
}
