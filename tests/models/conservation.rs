//! The promise: mass and energy are exact to the last unit, after any number of steps and edits.

use crate::common::{Dice, plain, random_world, tiled, vents};
use lavoxel::grid::Grid;
use lavoxel::rules::{Friction, RulesSpec, Walls};
use lavoxel::simulation::{Command, Simulation};
use lavoxel::world::{Edit, Matter, Shape};

fn rules() -> RulesSpec {
    let friction = Friction { on_solid: 0.02, on_liquid: 0.01 };
    RulesSpec { threshold: 0.1, friction, walls: Walls::Open, beta: 1.3, factor: 0.8, ..RulesSpec::default() }
}

#[test]
fn ten_thousand_steps_with_vents_and_open_sides() {
    let grid = Grid::new(24, 20, 24);
    let world = random_world(grid, 1, 12, 10);
    let mut simulation = Simulation::new(world, &rules(), &vents(grid), 1, tiled());
    for step in 1..=10_000 {
        simulation.step();
        if step % 100 == 0 {
            simulation.world().check().unwrap_or_else(|fault| panic!("after step {step}: {fault}"));
        }
    }
    let ledger = simulation.world().lava().ledger();
    assert!(ledger.outflow > 0 && ledger.sourced > 0 && ledger.energy.friction > 0, "something happened: {ledger:?}");
}

#[test]
fn edits_between_steps_are_in_the_account() {
    let grid = Grid::new(16, 12, 16);
    for engine in [tiled(), plain()] {
        let mut dice = Dice(8);
        let mut simulation = Simulation::new(random_world(grid, 2, 10, 30), &rules(), &vents(grid), 3, engine);
        for step in 0..150 {
            simulation.step();
            let center = [dice.below(16) as f64, dice.below(12) as f64, dice.below(16) as f64];
            let matter = match dice.below(4) {
                0 => Matter::Lava { amount: dice.below(100) as f64 / 100.0, energy: 1.0, temperature_k: None },
                1 => Matter::Rock,
                2 => Matter::Drain,
                _ => Matter::Nothing,
            };
            simulation
                .command(Command::Put(Edit { shape: Shape::Sphere { center, radius: 2.3 }, matter }))
                .expect("a small edit");
            simulation.world().check().unwrap_or_else(|fault| panic!("after step {step}: {fault}"));
        }
        let ledger = simulation.world().lava().ledger();
        assert!(ledger.removed > 0 && ledger.sourced > 0, "{ledger:?}");
    }
}
