//! Spreading of a fixed volume of lava by the classic rules, plotted next to the theoretical law
//! for a layer of viscous liquid, which the classic rules do not follow.

use lavoxel::engine::{Engine, tiled::Tiled};
use lavoxel::grid::Grid;
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Ground, World};

/// Number of cells along each horizontal side of the simulation box.
const SIDE: usize = 160;
/// Radius of the initial heap of lava, in cells.
const RADIUS: usize = 7;
/// Height of the initial heap of lava, in cells.
const HEIGHT: usize = 24;

/// Simulates the spreading and returns pairs (number of steps, radius of the lava in cells) after
/// 8, 16, 32, …, 4096 steps.
pub(super) fn radii() -> Vec<(f64, f64)> {
    let grid = Grid {
        nx: SIDE,
        ny: HEIGHT + 2,
        nz: SIDE,
    };
    let mut world = World::new(Ground::none(grid));
    let middle = SIDE / 2;
    let is_in = |x: usize, z: usize| {
        x.abs_diff(middle).pow(2) + z.abs_diff(middle).pow(2) <= RADIUS * RADIUS
    };
    for place in grid.places().filter(|&[x, y, z]| y < HEIGHT && is_in(x, z)) {
        world.place(place, AMOUNT_ONE, ENERGY_ONE);
    }
    world.open_account();
    let engine: Box<dyn Engine> = Box::new(Tiled::default());
    let mut simulation = Simulation::new(world, &RulesSpec::default(), &[], 1, engine);
    let (mut radii, mut steps) = (Vec::new(), 0);
    for power in 3..=12 {
        (steps..1 << power).for_each(|_| simulation.step());
        steps = 1 << power;
        radii.push((f64::from(steps), radius(simulation.world())));
    }
    radii
}

/// Returns the radius in cells of the lava around the centre of the box: the radius of a viscous
/// dome with the same second moment.
fn radius(world: &World) -> f64 {
    let middle = (SIDE / 2) as f64;
    let (mut sum, mut second) = (0.0, 0.0);
    for ((z, x), amount) in world.lava().column_amounts().indexed_iter() {
        let (x, z) = (x as f64 - middle, z as f64 - middle);
        sum += *amount as f64;
        second += *amount as f64 * (x * x + z * z);
    }
    (7.0 / 3.0 * second / sum).sqrt()
}
