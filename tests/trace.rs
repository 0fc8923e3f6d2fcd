//! The promise of tracing: vessels of any shape come level and to rest, trapped air can be kept, and a box one cell thick follows
//! the published rule as far as that does not depend on the order of its cells.

use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::matter::{Material, Pressure, Trace};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Edit, Ground, Matter, Shape, World};

/// Water that is traced by default numbers.
fn water() -> Material {
    Material { pressure: Pressure::Trace, ..Material::water() }
}

/// Water with the numbers of the published rule.
fn published_water() -> Material {
    let trace =
        Trace { through: 0.5, min_liquid: 0.5, min_pressure: 0.1, min_flow: 0.1, rest: false, ..Trace::default() };
    Material { trace, ..water() }
}

/// Fills the cells from one corner to another.
fn fill(world: &mut World, from: [usize; 3], to: [usize; 3], matter: Matter) {
    let [from, to] = [from, to].map(|corner| corner.map(|v| v as f64));
    world.edit(&Edit { shape: Shape::Box { from, to }, matter });
}

fn full() -> Matter {
    Matter::Material { name: "water".to_owned(), amount: 1.0 }
}

fn run(mut world: World) -> Simulation {
    world.open_account();
    Simulation::new(world, &RulesSpec::default(), &[], 1, Box::new(Tiled::default()))
}

fn units(world: &World, place: [usize; 3]) -> u16 {
    world.layer("water").map_or(0, |layer| layer.at(place).amount)
}

fn amount(world: &World, place: [usize; 3]) -> f64 {
    f64::from(units(world, place)) / f64::from(AMOUNT_ONE)
}

/// Height of the surface in a column: the highest cell that holds water and stands on rock or on water.
fn level(world: &World, x: usize, z: usize) -> f64 {
    let stands = |y: usize| y == 0 || world.ground().is_solid([x, y - 1, z]) || amount(world, [x, y - 1, z]) > 0.5;
    let top = (0..world.grid().ny).rfind(|&y| amount(world, [x, y, z]) > 0.02 && stands(y));
    top.map_or(0.0, |y| y as f64 + amount(world, [x, y, z]).min(1.0))
}

/// Arms 4 wide with pipes 8 long and 2 high between their feet, the first of them filled 21 high.
fn vessels(arms: usize, nz: usize, water: Material) -> World {
    let grid = Grid::new(12 * arms - 6, 24, nz);
    let mut world = World::with_materials(Ground::none(grid), vec![water]);
    let mut rock = |from, to| fill(&mut world, from, to, Matter::Rock);
    rock([0, 0, 0], [grid.nx, 1, nz]);
    rock([0, 0, 0], [1, 24, nz]);
    rock([grid.nx - 1, 0, 0], [grid.nx, 24, nz]);
    for arm in 1..arms {
        rock([12 * arm - 7, 3, 0], [12 * arm + 1, 24, nz]);
    }
    if nz > 1 {
        rock([0, 0, 0], [grid.nx, 24, 1]);
        rock([0, 0, nz - 1], [grid.nx, 24, nz]);
    }
    fill(&mut world, [1, 1, 0], [5, 22, nz], full());
    world
}

fn levels(world: &World, arms: usize) -> Vec<f64> {
    (0..arms).map(|arm| level(world, 2 + 12 * arm, world.grid().nz / 2)).collect()
}

fn apart(levels: &[f64]) -> f64 {
    levels.iter().copied().fold(0.0, f64::max) - levels.iter().copied().fold(f64::MAX, f64::min)
}

/// Runs until nothing moves: the step from which the levels were within a cell, and the number of steps.
fn run_to_rest(simulation: &mut Simulation, most: u64, levels: impl Fn(&World) -> Vec<f64>) -> (u64, u64) {
    let mut within = None;
    for step in 1..=most {
        let before = simulation.world().state_hash();
        simulation.step();
        simulation.world().check().expect("the account is exact");
        if apart(&levels(simulation.world())) > 1.0 {
            within = None;
        } else {
            within = within.or(Some(step));
        }
        if simulation.world().state_hash() == before {
            return (within.expect("the surface comes level"), step);
        }
    }
    panic!("it does not come to rest in {most} steps: {:?}", levels(simulation.world()));
}

#[test]
fn the_arms_of_vessels_come_level_and_to_rest() {
    for (arms, nz, material, from, closest) in [
        (2, 1, water(), 200, 0.02),
        (3, 1, water(), 200, 0.02),
        (2, 8, water(), 200, 0.02),
        (3, 8, water(), 200, 0.02),
        (2, 1, published_water(), 40, 0.2),
        (3, 1, published_water(), 40, 0.2),
        (2, 8, published_water(), 40, 0.2),
        (3, 8, published_water(), 40, 0.2),
    ] {
        let mut simulation = run(vessels(arms, nz, material));
        let (within, rest) = run_to_rest(&mut simulation, 600, |world| levels(world, arms));
        let levels = levels(simulation.world(), arms);
        println!("{arms} arms, {nz} thick: within a cell from {within}, at rest {rest}, {levels:.3?}");
        assert!(within <= from, "{arms} arms, {nz} thick: within a cell only from step {within}");
        assert!(apart(&levels) <= closest, "{arms} arms, {nz} thick: levels {levels:.3?}");
    }
}
