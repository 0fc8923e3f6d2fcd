//! The solvers that a scene can choose.

use serde::{Deserialize, Serialize};

use crate::article::Article;
use crate::incompressible::{Incompressible, IncompressibleParams};
use crate::{Air, AirGrid, AirSpec, Solver};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::simd::Level;
use lavoxel_base::validate::Invalid;

/// Which solver moves the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// That of the article (seed 3), in whole numbers.
    Article,
    /// Air that cannot be compressed.
    #[default]
    Incompressible,
}

impl Motion {
    /// Bytes of memory for a cell of the air with this many inks, snapshots not counted.
    fn bytes_a_cell(self, inks: usize) -> f64 {
        match self {
            // It works on four inks, of which there may be fewer.
            Self::Article => 162.0 + if inks > 0 { 16.0 } else { 0.0 },
            Self::Incompressible => 140.0 + 4.0 * inks as f64,
        }
    }

    /// The sides of its box are multiples of so many cells.
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
    /// The cells of the air over a box of voxels of `cell_m` metres.
    ///
    /// # Errors
    /// Names what makes too many of them.
    pub fn grid(&self, voxels: Grid, cell_m: f64) -> Result<AirGrid, Invalid> {
        self.grid_of(voxels, cell_m, self.solver.multiple())
    }

    /// Still air over a box of voxels of `cell_m` metres; the keys were checked.
    ///
    /// # Errors
    /// Names what makes too many cells.
    pub fn air(&self, voxels: Grid, cell_m: f64) -> Result<Air, Invalid> {
        let grid = self.grid(voxels, cell_m)?;
        Ok(Air::new(self, grid, cell_m, self.solver(grid, Level::fastest()), self.solver.has_density()))
    }

    /// The solver that the keys ask for.
    pub fn solver(&self, grid: AirGrid, level: Level) -> Box<dyn Solver> {
        match self.solver {
            Motion::Article => Box::new(Article::new(grid, self.article.clone(), level)),
            Motion::Incompressible => {
                let confinement = (self.confinement * self.step_s) as f32;
                Box::new(Incompressible::new(grid, IncompressibleParams { confinement }, level))
            }
        }
    }

    /// Memory of the air over a box of voxels.
    pub fn need(&self, voxels: Grid, cell_m: f64) -> MemoryEstimate {
        let cells = self.grid(voxels, cell_m).map_or(0, |grid| grid.len());
        MemoryEstimate::of("the air", cells, self.solver.bytes_a_cell(self.inks))
    }
}
