//! Velocities of the article's solver, at the centres of the cells.

use super::rates::FASTEST;
use crate::{AirGrid, UNIT};
use lavoxel_base::grid::Place;
use lavoxel_base::parallel::*;

/// Velocity of the air in all cells: components in units of 2⁻²⁰ cells per step, each laid out like
/// a field of the air.
#[derive(Clone, Debug)]
pub(super) struct Velocity {
    pub(super) grid: AirGrid,
    pub(super) planes: [Vec<i32>; 3],
}

impl Velocity {
    pub(super) fn zero(grid: AirGrid) -> Self {
        Self {
            grid,
            planes: std::array::from_fn(|_| vec![0; grid.len()]),
        }
    }

    pub(super) fn at(&self, place: Place) -> [i32; 3] {
        let at = self.grid.at(place);
        [0, 1, 2].map(|axis| self.planes[axis][at])
    }

    pub(super) fn set(&mut self, place: Place, velocity: [i32; 3]) {
        let at = self.grid.at(place);
        self.planes
            .iter_mut()
            .zip(velocity)
            .for_each(|(plane, v)| plane[at] = v);
    }

    pub(super) fn plane_mut(&mut self, axis: usize) -> &mut [i32] {
        &mut self.planes[axis]
    }

    /// Velocity of the cell `place` in cells per step.
    pub(super) fn get(&self, place: Place) -> [f32; 3] {
        self.at(place).map(|v| v as f32 / UNIT as f32)
    }

    /// Returns the sum of the velocity of the cell `place` and `more` (in cells per step), in units
    /// of 2⁻²⁰ cells per step, each component clamped to the largest speed.
    pub(super) fn with(&self, place: Place, more: [f32; 3]) -> [i32; 3] {
        let more = more.map(|v| (f64::from(v) * f64::from(UNIT)).round() as i32);
        let own = self.at(place);
        [0, 1, 2].map(|axis| {
            own[axis]
                .saturating_add(more[axis])
                .clamp(-FASTEST, FASTEST)
        })
    }

    /// Returns true if all velocities in the air's box are 0.
    pub(super) fn is_still(&self) -> bool {
        let grid = self.grid;
        let row = |plane: &[i32], y, z| {
            plane[grid.at([0, y, z])..][..grid.cells.nx]
                .iter()
                .all(|&v| v == 0)
        };
        let still = |plane: &[i32]| {
            (0..grid.cells.nz).all(|z| (0..grid.cells.ny).all(|y| row(plane, y, z)))
        };
        self.planes.iter().all(|plane| still(plane))
    }

    /// Largest magnitude of any velocity component in the air's box, in units of 2⁻²⁰ cells per
    /// step.
    pub(super) fn fastest(&self) -> i32 {
        let most = |v: &[i32]| v.iter().fold(0, |most, v| v.abs().max(most));
        let slabs = |plane: &Vec<i32>| {
            plane
                .par_chunks(self.grid.strides()[2])
                .map(most)
                .reduce(|| 0, i32::max)
        };
        self.planes.iter().map(slabs).max().unwrap_or(0)
    }

    /// Returns the bits of the velocity components in the cells of the air's box: one array for
    /// each axis, in the order of the cells.
    pub(super) fn planes(&self) -> Vec<Vec<u32>> {
        let grid = self.grid;
        let plane = |plane: &Vec<i32>| {
            grid.cells
                .places()
                .map(|place| plane[grid.at(place)] as u32)
                .collect()
        };
        self.planes.iter().map(plane).collect()
    }

    /// Restores the velocities from arrays that [`Velocity::planes`] returned. Returns an error,
    /// and changes nothing, if lengths or values are out of range.
    pub(super) fn restore(&mut self, planes: &[Vec<u32>]) -> Result<(), String> {
        let cells = self.grid.cells.cells();
        if planes.len() != 3 || planes.iter().any(|plane| plane.len() != cells) {
            return Err(format!(
                "velocities of the air: 3 planes of {cells} cells were expected"
            ));
        }
        let too_fast = |v: &u32| !(-FASTEST..=FASTEST).contains(&(*v as i32));
        if let Some(v) = planes.iter().flatten().find(|v| too_fast(v)) {
            let speed = f64::from(*v as i32) / f64::from(UNIT);
            return Err(format!(
                "velocities of the air: {speed} cells a step were found, at most 2 are possible"
            ));
        }
        let grid = self.grid;
        for (to, from) in self.planes.iter_mut().zip(planes) {
            grid.cells
                .places()
                .zip(from)
                .for_each(|(place, &v)| to[grid.at(place)] = v as i32);
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.planes
            .iter()
            .map(|plane| plane.len() * size_of::<i32>())
            .sum()
    }
}

/// Returns the `columns` (x, z) and their neighbours, also across periodic sides.
pub(super) fn near(grid: AirGrid, columns: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let [nx, _, nz] = grid.size();
    let mut chosen = vec![false; grid.cells.columns()];
    for &(x, z) in columns {
        for (dx, dz) in [(0, 0), (1, 0), (nx - 1, 0), (0, 1), (0, nz - 1)] {
            chosen[grid.cells.column((x + dx) % nx, (z + dz) % nz)] = true;
        }
    }
    (0..chosen.len())
        .filter(|&column| chosen[column])
        .map(|column| (column % nx, column / nx))
        .collect()
}
