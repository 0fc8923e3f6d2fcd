//! Low-pass filter row by row, for readers that store only nonzero cells: no array over the
//! simulation box is allocated, so that boxes of any size can be filtered.

use super::Taps;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Place;

/// Computes density and energy as in a [`super::Volume`] row by row, without storing the fields.
#[derive(Default)]
pub struct RowFilter {
    taps: Taps,
    density: Vec<u8>,
    energy: Vec<u8>,
}

impl RowFilter {
    /// Creates a filter of the layer with index `layer`; the default filter is that of lava.
    pub fn of_layer(layer: usize) -> Self {
        Self {
            taps: Taps {
                layer,
                ..Taps::default()
            },
            ..Self::default()
        }
    }

    /// Calls `take` with position, density and energy (0 to 255 each, as in a [`super::Volume`]) of
    /// every cell with nonzero density; cells with zero density may be passed too.
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
                self.taps.filter_row(
                    world,
                    (y, z),
                    span,
                    (&mut self.density, &mut self.energy),
                    |_| (),
                );
                for x in span.range() {
                    take([x, y, z], self.density[x], self.energy[x]);
                }
            }
        }
    }
}
