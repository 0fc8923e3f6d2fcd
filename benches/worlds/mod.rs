//! Worlds and simulations that several benchmarks share.
#![allow(dead_code, reason = "each bench uses its own part")]

use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::scene::{Scene, VentPlace, VentRadius};
use lavoxel::simulation::Simulation;
use lavoxel::world::World;

/// Size of the box in the paper.
pub(crate) const PAPER: Grid = Grid {
    nx: 128,
    ny: 100,
    nz: 128,
};

/// Creates the simulation of the built-in volcano after `steps` steps, in a box of size `grid`.
pub(crate) fn volcano(grid: Grid, steps: u64) -> Simulation {
    erupted(grid, 1, steps)
}

/// Creates the simulation of the built-in volcano with a vent `times` as wide and the same rate per
/// column, after `steps` steps.
pub(crate) fn erupted(grid: Grid, times: usize, steps: u64) -> Simulation {
    let mut scene = Scene::volcano();
    let scale = |v: f64, n: usize, of: usize| v * n as f64 / of as f64;
    scene.spec.grid.size = [grid.nx, grid.ny, grid.nz];
    for vent in &mut scene.spec.vents {
        // The rate is the same in every box, so that the boxes differ in size alone.
        vent.for_box = None;
        vent.place = VentPlace::Cells {
            x: scale(62.5, grid.nx, PAPER.nx),
            z: scale(60.5, grid.nz, PAPER.nz),
        };
        if let VentRadius::Cells(radius) = &mut vent.radius {
            *radius *= times as f64;
        }
        vent.rate *= (times * times) as f64;
    }
    let mut simulation = scene
        .build(Box::new(Tiled::default()))
        .expect("the built-in scene")
        .simulation;
    (0..steps).for_each(|_| simulation.step());
    simulation
}

/// Returns the number of liquid cells in `world`.
pub(crate) fn liquid(world: &World) -> u64 {
    world.lava().tally().cells
}
