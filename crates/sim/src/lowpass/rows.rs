//! The low-pass row by row, for readers that keep only what is not zero: no box in memory, of any size.

use super::Taps;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Place;

/// Computes rows of the lava's fields of a [`super::Volume`] without keeping them.
#[derive(Default)]
pub struct RowFilter {
    taps: Taps,
    density: Vec<u8>,
    energy: Vec<u8>,
}

impl RowFilter {
    /// A filter of the layer with a number; by default it is that of the lava.
    pub fn of_layer(layer: usize) -> Self {
        Self { taps: Taps { layer, ..Taps::default() }, ..Self::default() }
    }

    /// Calls `take` with place, density and energy of at least all cells where the density is not zero.
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
