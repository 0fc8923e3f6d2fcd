//! Coupling air → grains: the air carries light grains such as leaves, embers and flakes of ash.
//!
//! A grain moves with a fraction `carried` of the air velocity in its cell. The displacement is
//! rounded to whole cells at random: up with a probability equal to its fractional part, so that
//! the mean displacement is exact. Grains move along x, then z, then y, cell by cell, and stop at
//! obstacles and at the sides of the simulation box.

use super::AirOverGround;
use lavoxel_automaton::world::{Content, World};
use lavoxel_base::grid::Place;
use lavoxel_base::random::{Draw, Salt, stream_of};
use lavoxel_base::units::AMOUNT_ONE;

/// Upper bound on the displacement of a grain along one axis, in cells per step.
const FARTHEST: f64 = 8.0;

impl AirOverGround {
    /// Moves the grains that the air carries, of all materials, for one step. `draw`: seed and
    /// number of the step.
    pub(crate) fn blow_grains(&self, world: &mut World, draw: Draw) {
        for layer in 0..world.layers.len() {
            let grains = &world.layers[layer].material().grains;
            let carried = if world.layers[layer].is_grains() {
                grains.carried
            } else {
                0.0
            };
            if carried > 0.0 {
                self.blow_layer(world, (layer, carried), draw);
            }
        }
    }

    fn blow_layer(&self, world: &mut World, (layer, carried): (usize, f64), draw: Draw) {
        let stream = stream_of(&world.layers[layer].material().name);
        let keys = [0, 1, 2].map(|axis| draw.key_of(Salt::Carried, stream ^ axis));
        let held: Vec<_> = world.layers[layer].held().map(|(place, _)| place).collect();
        for place in held {
            let Some(voxels) = self.voxels_a_step(place) else {
                continue;
            };
            let mut to = place;
            for axis in [0, 2, 1] {
                let far = (f64::from(voxels[axis]) * carried).clamp(-FARTHEST, FARTHEST);
                let cells = (far.abs() + keys[axis].uniform_at(place)) as usize;
                for _ in 0..cells {
                    let mut by = [0; 3];
                    by[axis] = if far < 0.0 { -1 } else { 1 };
                    match world.grid().neighbour(to, by) {
                        Some(next) if world.takes_grain(layer, next) => to = next,
                        _ => break,
                    }
                }
            }
            if to != place {
                world.layers[layer].set(place, Content::default());
                world.layers[layer].set(
                    to,
                    Content {
                        amount: AMOUNT_ONE,
                        energy: 0,
                    },
                );
            }
        }
    }

    /// Returns the air velocity at `voxel` along x, y and z, in voxels per step; `None` if the air
    /// cell there is solid, or the voxel is outside of the air's grid.
    fn voxels_a_step(&self, voxel: Place) -> Option<[f32; 3]> {
        let grid = self.air.grid();
        let place = grid.cell_of(voxel.map(|n| n as i64))?;
        let cells = (!self.air.openness.is_solid(place)).then(|| self.air.velocity(place))?;
        Some(cells.map(|cells| cells * grid.ratio as f32))
    }
}
