//! Low-pass row by row, for readers that keep only non-zero cells: needs no dense box in memory, so
//! that boxes of any size work.

use super::Taps;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Place;

/// Filter that computes rows of the lava's fields of a [`super::Volume`] without storing them.
#[derive(Default)]
pub struct RowFilter {
    taps: Taps,
    density: Vec<u8>,
    energy: Vec<u8>,
}

impl RowFilter {
    /// Creates a filter of layer number `layer`; the default filter is that of the lava.
    pub fn of_layer(layer: usize) -> Self {
        Self { taps: Taps { layer, ..Taps::default() }, ..Self::default() }
    }

    /// Calls `take` with place, density and energy (0..=255 each) of at least all cells with
    /// non-zero density.
    pub fn each_cell(&mut self, world: &World, mut take: impl FnMut(Place, u8, u8)) {
        let grid = world.grid();
        self.density.resize(grid.nx, 0);
        self.energy.resize(grid.nx, 0);
        for z in 0..grid.nz {
            self.taps.read_spans(world, 0..grid.ny, z);
            for y in 0..grid.ny {
                let span = self.taps.reach(grid, y);
                if span.is_empty() {
                    continue;
                }
                self.taps.filter_row(world, (y, z), span, (&mut self.density, &mut self.energy), |_| ());
                for x in span.range() {
                    take([x, y, z], self.density[x], self.energy[x]);
                }
            }
        }
    }
}
