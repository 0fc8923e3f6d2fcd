//! Choice of the air's solver in a scene.

use serde::{Deserialize, Serialize};

use crate::incompressible::{Incompressible, IncompressibleParams};
use crate::practical_fluid::PracticalFluid;
use crate::{Air, AirGrid, AirSpec, Solver};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::simd::Level;
use lavoxel_base::validate::Invalid;

/// Solver that moves the air: the key `solver` in the `[air]` table of a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Solver after Mick West's article (Practical Fluid Mechanics, 2007), in integers:
    /// compressible and laminar.
    Article,
    /// Incompressible solver in floating point (the default): turbulent plumes that agree with
    /// plume theory.
    #[default]
    Incompressible,
}

impl Motion {
    /// Memory in bytes per air cell, halo included, of air with this solver and `inks` inks,
    /// without snapshots.
    fn bytes_a_cell(self, inks: usize) -> f64 {
        match self {
            // The article's solver works on four inks at once, even if there are fewer.
            Self::Article => 162.0 + if inks > 0 { 16.0 } else { 0.0 },
            Self::Incompressible => 140.0 + 4.0 * inks as f64,
        }
    }

    /// Number by which the number of air cells along each axis must be divisible for this solver; 1
    /// if any number will do.
    fn multiple(self) -> usize {
        match self {
            Self::Article => 1,
            Self::Incompressible => 8,
        }
    }

    fn has_density(self) -> bool {
        self == Self::Article
    }
}

impl AirSpec {
    /// Returns the grid of the air over the box `voxels`, whose cells have an edge of `cell_m`
    /// metres.
    ///
    /// # Errors
    ///
    /// If the grid would have too many cells; the error names the key to change.
    pub fn grid(&self, voxels: Grid, cell_m: f64) -> Result<AirGrid, Invalid> {
        self.grid_of(voxels, cell_m, self.solver.multiple())
    }

    /// Returns air at rest over the box `voxels`, whose cells have an edge of `cell_m` metres; the
    /// keys must have been validated.
    ///
    /// # Errors
    /// If the grid has too many cells; the error names the key to change.
    pub fn air(&self, voxels: Grid, cell_m: f64) -> Result<Air, Invalid> {
        let grid = self.grid(voxels, cell_m)?;
        Ok(Air::new(
            self,
            grid,
            cell_m,
            self.solver(grid, Level::fastest()),
            self.solver.has_density(),
        ))
    }

    /// Returns the solver that the keys select, with air at rest, using the instruction set
    /// `level`.
    pub fn solver(&self, grid: AirGrid, level: Level) -> Box<dyn Solver> {
        match self.solver {
            Motion::Article => Box::new(PracticalFluid::new(grid, self.article.clone(), level)),
            Motion::Incompressible => {
                let confinement = (self.confinement * self.step_s) as f32;
                Box::new(Incompressible::new(
                    grid,
                    IncompressibleParams { confinement },
                    level,
                ))
            }
        }
    }

    /// Estimated memory of the air over the box `voxels`, whose cells have an edge of `cell_m`
    /// metres; 0 if the grid would have too many cells.
    pub fn need(&self, voxels: Grid, cell_m: f64) -> MemoryEstimate {
        let cells = self.grid(voxels, cell_m).map_or(0, |grid| grid.len());
        MemoryEstimate::new("the air", cells, self.solver.bytes_a_cell(self.inks))
    }
}
