//! Builds the ground of a box from a `[terrain]` table of a scene.

use std::path::Path;

use super::fit::fit;
use super::spec::DEFAULT_CELL_SIZE_M;
use super::surface::{middle_of, summit, with_headroom};
use super::{Surface, TerrainError, TerrainKind, TerrainSpec};
use crate::generate::{Bed, Cone, bowl, crater, hills, plane, slope, volcano};
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::within;

impl TerrainSpec {
    /// Builds the ground of a box of shape `grid`. `cell_size_m`: cell width in metres, `None` for
    /// a default; `dir`: folder to which a file name is relative.
    ///
    /// A generated ground fills the simulation box; its cells are [`DEFAULT_CELL_SIZE_M`] wide by
    /// default. For a heightmap, the cells are squares, and the box covers the middle part of the
    /// map: the largest part with the box's proportions by default, or the part of the size that
    /// `cell_size_m` gives.
    ///
    /// # Errors
    /// [`TerrainError::Invalid`] for a wrong key; [`TerrainError::TooHigh`] if the ground reaches
    /// the roof, with the `ny` that it needs; [`TerrainError::TooWide`] if the simulation box is
    /// larger than the heightmap; and all errors of [`load`](super::load()).
    pub fn build(
        &self,
        grid: Grid,
        cell_size_m: Option<f64>,
        dir: &Path,
    ) -> Result<Surface, TerrainError> {
        self.build_with(
            grid,
            &CellSize {
                wide_m: cell_size_m,
                high_m: &|_| None,
                shift: [0.0; 2],
            },
            dir,
        )
    }

    /// Builds the ground of a box of shape `grid` with cells of the size `cells`, whose height may
    /// differ from their width. `dir`: folder to which a file name is relative.
    pub fn build_with(
        &self,
        grid: Grid,
        cells: &CellSize<'_>,
        dir: &Path,
    ) -> Result<Surface, TerrainError> {
        self.validate()?;
        if let Some(size) = cells.wide_m {
            within("cell_size_m", size, 1e-6, 1e6)?;
        }
        let mut surface = match (self.kind, &self.file) {
            (TerrainKind::Heightmap, Some(_)) => fit(&self.read(dir)?, self, grid, cells)?,
            _ => self.generate(grid, cells)?,
        };
        if let Some(error) = self.error() {
            error.disturb(&mut surface, grid.ny);
        }
        Ok(surface)
    }

    fn generate(&self, grid: Grid, cells: &CellSize<'_>) -> Result<Surface, TerrainError> {
        let cell_size_m = cells.wide_m.unwrap_or(DEFAULT_CELL_SIZE_M);
        let stretch = (cells.high_m)(cell_size_m).map_or(1.0, |high| cell_size_m / high);
        let natural = matches!(self.kind, TerrainKind::Volcano | TerrainKind::Hills);
        let bed = Bed {
            seed: self.seed.unwrap_or(1),
            base: self.base_cells.unwrap_or(0.08 * grid.ny as f64),
            roughness: self.roughness.unwrap_or(if natural { 1.0 } else { 0.0 }),
        };
        let height = self.height.unwrap_or(self.default_height());
        let cells = height * grid.ny as f64;
        let heights = match self.kind {
            TerrainKind::Volcano => {
                let usual = Cone::default();
                let crater_radius = self.crater_radius.unwrap_or(usual.crater_radius);
                let crater_depth = self.crater_depth.unwrap_or(usual.crater_depth);
                let turn_deg = self.turn_deg.unwrap_or(usual.turn_deg);
                volcano(
                    grid,
                    &bed,
                    &Cone {
                        height,
                        crater_radius,
                        crater_depth,
                        turn_deg,
                    },
                )
            }
            TerrainKind::Hills => hills(grid, &bed, cells),
            // The angle is true on the ground, so that it grows in stretched heights.
            TerrainKind::Slope => {
                slope(grid, &bed, steeper(self.angle_deg.unwrap_or(10.0), stretch))
            }
            TerrainKind::Bowl => bowl(grid, &bed, cells - bed.base),
            TerrainKind::Plane | TerrainKind::Heightmap => plane(grid, &bed),
        };
        let top = f64::from(heights.iter().copied().fold(0.0, f32::max));
        if top > grid.ny as f64 {
            let mend = "smaller terrain.height, angle_deg, base_cells or roughness".to_owned();
            return Err(TerrainError::TooHigh {
                top,
                ny: grid.ny,
                needed: with_headroom(top),
                mend,
            });
        }
        let summit = match self.kind {
            TerrainKind::Volcano => middle_of(crater(grid)),
            _ => summit(&heights),
        };
        Ok(Surface {
            heights,
            summit,
            cell_size_m,
            floor_m: 0.0,
            vertical_exaggeration: stretch,
            georeference: None,
            notes: Vec::new(),
        })
    }
}

/// Returns the angle in degrees that a slope of `angle_deg` degrees has after its heights are
/// multiplied by `stretch`.
fn steeper(angle_deg: f64, stretch: f64) -> f64 {
    match stretch {
        1.0 => angle_deg,
        _ => libm::atan(libm::tan(angle_deg.to_radians()) * stretch).to_degrees(),
    }
}

/// Cell size with which the ground of a simulation box is to be built.
pub struct CellSize<'a> {
    /// Cell width in metres; `None`: the largest width with which the simulation box fits into the
    /// heightmap.
    pub wide_m: Option<f64>,
    /// Function from the cell width to the cell height, both in metres; where it returns `None`,
    /// the height follows from the vertical exaggeration of the terrain.
    pub high_m: &'a dyn Fn(f64) -> Option<f64>,
    /// Distance in cells by which the simulation box lies east and south of the middle of a
    /// heightmap; beyond the map its outermost heights go on.
    pub shift: [f64; 2],
}
