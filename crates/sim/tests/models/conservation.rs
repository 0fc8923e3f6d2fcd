//! The promise: mass and energy are exact to the last unit, after any number of steps and edits.

use crate::common::{Dice, plain, random_world, tiled, vents};
use lavoxel_automaton::rules::{Friction, RulesSpec, Walls};
use lavoxel_automaton::world::{Content, Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::units::AMOUNT_ONE;
use lavoxel_sim::simulation::{Command, Simulation};
use ndarray::Array2;

fn rules() -> RulesSpec {
    let friction = Friction {
        on_solid: 0.02,
        on_liquid: 0.01,
    };
    RulesSpec {
        threshold: 0.1,
        friction,
        walls: Walls::Open,
        beta: 1.3,
        factor: 0.8,
        ..RulesSpec::default()
    }
}

#[test]
fn ten_thousand_steps_with_vents_and_open_sides() {
    let grid = Grid::new(24, 20, 24);
    let world = random_world(grid, 1, 12, 10);
    let mut simulation = Simulation::new(world, &rules(), &vents(grid), 1, tiled());
    for step in 1..=10_000 {
        simulation.step();
        if step % 100 == 0 {
            simulation
                .world()
                .check()
                .unwrap_or_else(|fault| panic!("after step {step}: {fault}"));
        }
    }
    let ledger = simulation.world().lava().ledger();
    assert!(
        ledger.outflow > 0 && ledger.sourced > 0 && ledger.energy.friction > 0,
        "something happened: {ledger:?}"
    );
}

#[test]
fn edits_between_steps_are_in_the_account() {
    let grid = Grid::new(16, 12, 16);
    for engine in [tiled(), plain()] {
        let mut dice = Dice(8);
        let mut simulation = Simulation::new(
            random_world(grid, 2, 10, 30),
            &rules(),
            &vents(grid),
            3,
            engine,
        );
        for step in 0..150 {
            simulation.step();
            let center = [
                dice.below(16) as f64,
                dice.below(12) as f64,
                dice.below(16) as f64,
            ];
            let matter = match dice.below(4) {
                0 => Matter::Lava {
                    amount: dice.below(100) as f64 / 100.0,
                    energy: 1.0,
                    temperature_k: None,
                },
                1 => Matter::Rock,
                2 => Matter::Drain,
                _ => Matter::Nothing,
            };
            simulation
                .command(Command::Put(Edit {
                    shape: Shape::Sphere {
                        center,
                        radius: 2.3,
                    },
                    matter,
                }))
                .expect("a small edit");
            simulation
                .world()
                .check()
                .unwrap_or_else(|fault| panic!("after step {step}: {fault}"));
        }
        let ledger = simulation.world().lava().ledger();
        assert!(ledger.removed > 0 && ledger.sourced > 0, "{ledger:?}");
    }
}

#[test]
fn a_rule_that_moves_lava_by_itself_books_only_what_comes_and_goes() {
    let mut world = World::new(Ground::from_surface(8, Array2::from_elem((6, 6), 2.0)));
    let lava = world.number_of_lava();
    world.place([1, 4, 1], 600, 500);
    world.open_account();
    let before = world.lava().ledger().to_owned();
    // Moves all lava one cell east.
    let shift = |world: &World| {
        let old = world.lava().clone();
        move |[x, y, z]: [usize; 3]| {
            if x > 0 {
                old.at([x - 1, y, z])
            } else {
                Default::default()
            }
        }
    };
    let new = shift(&world);
    world.replace(lava, new).expect("it fits");
    assert_eq!(
        (
            world.lava().at([2, 4, 1]).amount,
            world.lava().at([1, 4, 1]).amount
        ),
        (600, 0)
    );
    assert_eq!(*world.lava().ledger(), before);
    world.check().expect("exact");
    // Amounts times `factor` / 2: factor 1 removes half the lava, factor 4 then adds as much again.
    let twice = |factor: u16, world: &World| {
        let old = world.lava().clone();
        move |place| Content {
            amount: old.at(place).amount * factor / 2,
            ..old.at(place)
        }
    };
    let new = twice(1, &world);
    world.replace(lava, new).expect("it fits");
    world.check().expect("exact");
    assert_eq!(world.lava().ledger().removed - before.removed, 300);
    let new = twice(4, &world);
    world.replace(lava, new).expect("it fits");
    assert_eq!(world.lava().ledger().sourced - before.sourced, 300);
    // Putting into ground, or more than a full cell, is refused, and nothing changes.
    let hash = world.state_hash();
    for place in [[3, 0, 3], [2, 4, 1]] {
        let full = |at| Content {
            amount: if at == place { AMOUNT_ONE + 1 } else { 0 },
            energy: 0,
        };
        let refused = world.replace(lava, full).expect_err("refused").to_string();
        assert!(
            refused.contains("rule.lava.amount") && refused.contains("in cell"),
            "{refused}"
        );
    }
    assert_eq!(world.state_hash(), hash);
}
