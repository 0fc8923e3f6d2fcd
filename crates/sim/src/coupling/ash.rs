//! Coupling air → ground: ash that settles from the air becomes grains of a material.

use super::AirOverGround;
use lavoxel_air::Air;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::random::{Salt, StepKey};
use lavoxel_base::units::AMOUNT_ONE;

impl AirOverGround {
    /// Deposits settled ash as grains of the material that the scene names for ash: one grain
    /// whenever the ash of an air column reaches the mass of a full voxel.
    pub(crate) fn lay_ash(&mut self, world: &mut World) {
        let air = &mut self.air;
        let Some(layer) = air
            .spec
            .ash
            .as_deref()
            .and_then(|name| world.number_of(name))
        else {
            return;
        };
        let kilograms = world.layers[layer].material().density * air.scale.cell_m.powi(3);
        let grain = (air.scale.ash_of(kilograms) as u64).max(1);
        for column in 0..air.laid.len() {
            while air.deposited[column] - air.laid[column] >= grain {
                let Some(place) = bed(air, world, layer, column, air.laid[column] / grain) else {
                    break;
                };
                world.pour(layer, place, AMOUNT_ONE, 0);
                air.laid[column] += grain;
            }
        }
    }
}

/// Returns the voxel for the next grain of the air column with index `column`, which has received
/// `grains` grains so far; `None` if no voxel column has room. The grains go to the voxel columns
/// of the air column in turn; a hash of the air column selects the first.
fn bed(air: &Air, world: &World, layer: usize, column: usize, grains: u64) -> Option<Place> {
    let (grid, voxels) = (air.grid(), world.grid());
    let corner = grid.voxel_of([column % grid.cells.nx, 0, column / grid.cells.nx]);
    let count = grid.ratio.pow(2) as u64;
    let first = StepKey::fixed(Salt::Ashfall).number_at([column, 0, 0]);
    (0..count).find_map(|turn| {
        let k = (first.wrapping_add(grains + turn) % count) as i64;
        let (x, z) = (
            corner[0] + k % grid.ratio as i64,
            corner[2] + k / grid.ratio as i64,
        );
        let inside = (0..voxels.nx as i64).contains(&x) && (0..voxels.nz as i64).contains(&z);
        if inside {
            highest_bed(world, layer, x as usize, z as usize)
        } else {
            None
        }
    })
}

/// Returns the highest free cell in the voxel column (`x`, `z`) on which a grain can rest: directly
/// above rock, another grain or a liquid. `None` if the column is full.
fn highest_bed(world: &World, layer: usize, x: usize, z: usize) -> Option<Place> {
    let is_free = |y: usize| world.takes_grain(layer, [x, y, z]);
    let is_wet = |y: usize| world.heavier_than(world.layers.len(), [x, y, z]) >= AMOUNT_ONE / 2;
    let mut y = world.grid().ny - 1;
    if !is_free(y) {
        return None;
    }
    while y > 0 && !is_wet(y) && is_free(y - 1) {
        y -= 1;
    }
    Some([x, y, z])
}
