//! How much memory a scene takes, told from its numbers alone.

use super::error::SceneError;
use super::{Scene, SceneSpec, VentTable};
use crate::grid::Grid;
use crate::memory::Need;
use crate::terrain::Kind;
use crate::world::{Edit, Matter, World};

/// Bytes of a column of a vent: where it is.
const BYTES_A_VENT_COLUMN: f64 = 16.0;

/// Bytes of a column while heights of a map are fitted to the box, beside the ground that comes of them.
const BYTES_A_FITTED_COLUMN: f64 = 4.0;

impl Scene {
    /// Memory that the world takes at step 0, or right after the event that puts in most. The lava that vents pour
    /// later is not in it; see [`World::check_memory`].
    pub fn need(&self) -> Need {
        let spec = &self.spec;
        let Ok(grid) = spec.grid.grid() else { return Need::default() };
        let fitted = if spec.terrain.kind == Kind::Heightmap { BYTES_A_FITTED_COLUMN } else { 0.0 };
        World::need(grid)
            .and(Need::of("fitting the heights", grid.columns(), fitted))
            .and(vents(spec, grid))
            .and(edits(spec, grid))
    }

    /// Checks that the world, and `beside` it what is made of it, take no more memory than allowed.
    ///
    /// # Errors
    /// [`SceneError::Memory`] with the scene's file.
    pub fn check_memory(&self, beside: Need) -> Result<(), SceneError> {
        let check = self.need().and(beside).check("make grid.size or the pictures smaller");
        check.map_err(|cause| SceneError::Memory { path: self.origin.clone(), cause })
    }
}

/// The vents' columns, and the rows of the box that they pour into.
fn vents(spec: &SceneSpec, grid: Grid) -> Need {
    // Where only the terrain's file knows how large a cell is, it is taken for a small one.
    let cell_m = spec.grid.cell_size_m.unwrap_or(1.0);
    let wide = |vent: &VentTable, n: usize| (2.0 * vent.radius_in(grid, cell_m) + 2.0).min(n as f64);
    let columns: f64 = spec.vents.iter().map(|vent| wide(vent, grid.nx) * wide(vent, grid.nz)).sum();
    let deep: f64 = spec.vents.iter().map(|vent| wide(vent, grid.nz) + 8.0).sum();
    Need::of("the vents", columns as usize, BYTES_A_VENT_COLUMN).and(World::need_of_lava(grid, 0.0, deep))
}

/// What all bodies put in, and the one event that puts in most.
fn edits(spec: &SceneSpec, grid: Grid) -> Need {
    let mut all = Put::default();
    spec.bodies.iter().for_each(|body| all.add(body, grid));
    let later = spec.events.iter().filter_map(|event| event.put.as_ref()).map(|edit| {
        let mut one = Put::default();
        one.add(edit, grid);
        one.need(grid)
    });
    all.need(grid).and(later.max_by_key(Need::bytes).unwrap_or_default())
}

/// What edits put into the box, at most.
#[derive(Default)]
struct Put {
    cells: f64,
    deep: f64,
    hollow_columns: f64,
}

impl Put {
    fn add(&mut self, edit: &Edit, grid: Grid) {
        let [wide, high, deep] = edit.shape.extent(grid);
        match edit.matter {
            Matter::Lava { .. } => {
                self.cells += wide * high * deep;
                self.deep += deep;
            }
            // A column that is dug into may become hollow.
            Matter::Rock | Matter::Nothing => self.hollow_columns += wide * deep,
            Matter::Drain => {}
        }
    }

    fn need(&self, grid: Grid) -> Need {
        World::need_of_lava(grid, self.cells, self.deep).and(World::need_of_hollows(grid, self.hollow_columns))
    }
}
