//! The promise: each rule and each parameter behaves as documented, on worlds small enough to count
//! by hand.

use crate::common;
use crate::common::{FRESH, tiled};
use lavoxel_automaton::rules::spreading::Spreading;
use lavoxel_automaton::rules::{Friction, Rule, RulesSpec, Walls};
use lavoxel_automaton::world::Content;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::Draw;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_MAX, ENERGY_ONE, energy_units};

fn empty(nx: usize, ny: usize, nz: usize) -> World {
    World::new(Ground::none(Grid::new(nx, ny, nz)))
}

fn rock(world: &mut World, place: Place) {
    world.edit(&common::one_cell(place, Matter::Rock));
}

fn at(world: &World, place: Place) -> Content {
    world.lava().at(place)
}

/// Random draws of one seed, step after step.
fn draws(seed: u64) -> impl Iterator<Item = Draw> {
    (0..).map(move |step| Draw { seed, step })
}

fn falls(world: &mut World, spec: &RulesSpec) {
    world.open_account();
    tiled().run(
        world,
        (0, &Rule::Gravity(spec.into())),
        Draw { seed: 0, step: 0 },
    );
    world.check().expect("the account is exact");
}

/// Makes a spreading step in which the middle cell of a 3 × 3 × 3 world draws all four directions.
fn spreads_all_ways(world: &mut World, spec: &RulesSpec) {
    world.open_account();
    let draw = draws(1).find(|draw| (0..3).all(|y| draw.key().pattern([1, y, 1]) == 15));
    tiled().run(
        world,
        (0, &Rule::Spreading(spec.into())),
        draw.expect("every pattern is drawn"),
    );
    world.check().expect("the account is exact");
}

const SIDES: [(usize, usize); 4] = [(0, 1), (2, 1), (1, 0), (1, 2)];

#[test]
fn one_cell_falls_one_cell_a_step() {
    let mut world = empty(1, 6, 1);
    world.place([0, 5, 0], FRESH.0, FRESH.1);
    for y in (0..5).rev() {
        falls(&mut world, &RulesSpec::default());
        assert_eq!(
            at(&world, [0, y, 0]),
            Content {
                amount: FRESH.0,
                energy: FRESH.1
            }
        );
        assert_eq!(
            world.lava().mass(),
            u64::from(FRESH.0),
            "it is nowhere else"
        );
    }
    falls(&mut world, &RulesSpec::default());
    assert_eq!(at(&world, [0, 0, 0]).amount, FRESH.0, "the floor holds it");
}

#[test]
fn a_falling_stack_moves_down_as_a_stack() {
    let mut world = empty(1, 6, 1);
    for y in 3..6 {
        world.place([0, y, 0], FRESH.0, y as u16);
    }
    falls(&mut world, &RulesSpec::default());
    let stack: Vec<u16> = (0..6).map(|y| at(&world, [0, y, 0]).energy).collect();
    assert_eq!(stack, [0, 0, 3, 4, 5, 0]);
}

#[test]
fn rock_below_holds_and_a_full_cell_takes_nothing() {
    let mut world = empty(1, 4, 1);
    rock(&mut world, [0, 0, 0]);
    world.place([0, 1, 0], AMOUNT_ONE, 7);
    world.place([0, 2, 0], 1000, 9);
    falls(&mut world, &RulesSpec::default());
    assert_eq!(
        (at(&world, [0, 1, 0]).energy, at(&world, [0, 2, 0]).energy),
        (7, 9)
    );
}

#[test]
fn what_falls_is_cut_to_the_room_and_energy_goes_by_beta() {
    for (beta, energy) in [(0.0, 0), (0.5, 1000), (1.0, 2000), (4.0, 8000)] {
        let mut world = empty(1, 2, 1);
        world.place([0, 0, 0], AMOUNT_ONE / 4 * 3, 0);
        world.place([0, 1, 0], AMOUNT_ONE, 8000);
        falls(
            &mut world,
            &RulesSpec {
                beta,
                ..RulesSpec::default()
            },
        );
        assert_eq!(
            at(&world, [0, 0, 0]),
            Content {
                amount: AMOUNT_ONE,
                energy
            },
            "beta {beta}"
        );
    }
}

#[test]
fn factor_is_the_share_that_falls_and_the_last_unit_falls_too() {
    let mut world = empty(1, 2, 1);
    world.place([0, 1, 0], AMOUNT_ONE, 8000);
    let spec = RulesSpec {
        factor: 0.25,
        ..RulesSpec::default()
    };
    falls(&mut world, &spec);
    assert_eq!(
        at(&world, [0, 0, 0]),
        Content {
            amount: AMOUNT_ONE / 4,
            energy: 2000
        }
    );
    for _ in 0..60 {
        falls(&mut world, &spec);
    }
    assert_eq!(
        at(&world, [0, 0, 0]).amount,
        AMOUNT_ONE,
        "nothing hangs in the air"
    );
}

#[test]
fn energy_above_the_most_a_cell_holds_stays_above() {
    let mut world = empty(1, 2, 1);
    world.place([0, 0, 0], 100, ENERGY_MAX - 10);
    world.place([0, 1, 0], 200, 25);
    falls(&mut world, &RulesSpec::default());
    assert_eq!(
        at(&world, [0, 0, 0]),
        Content {
            amount: 299,
            energy: ENERGY_MAX
        }
    );
    assert_eq!(
        at(&world, [0, 1, 0]),
        Content {
            amount: 1,
            energy: 15
        }
    );
}

#[test]
fn spreads_its_share_with_alpha_of_the_energy() {
    let mut world = empty(3, 3, 3);
    world.place([1, 0, 1], AMOUNT_ONE, ENERGY_ONE);
    spreads_all_ways(
        &mut world,
        &RulesSpec {
            spread: 0.2,
            alpha: 0.5,
            ..RulesSpec::default()
        },
    );
    let share = (f64::from(AMOUNT_ONE) * 0.2) as u16;
    for (x, z) in SIDES {
        assert_eq!(at(&world, [x, 0, z]).amount, share);
        assert!(
            at(&world, [x, 0, z]).energy.abs_diff(ENERGY_ONE / 10) <= 2,
            "a fifth of the energy, times 0.5"
        );
    }
    assert_eq!(at(&world, [1, 0, 1]).amount, AMOUNT_ONE - 4 * share);
}

#[test]
fn spreads_only_above_the_threshold() {
    let threshold = energy_units(0.3);
    for (energy, moved) in [(threshold, false), (threshold + 1, true)] {
        let mut world = empty(3, 3, 3);
        world.place([1, 0, 1], AMOUNT_ONE, energy);
        spreads_all_ways(
            &mut world,
            &RulesSpec {
                threshold: 0.3,
                ..RulesSpec::default()
            },
        );
        assert_eq!(at(&world, [0, 0, 1]).amount > 0, moved);
    }
}

#[test]
fn four_givers_never_overfill_a_cell() {
    let mut world = empty(3, 1, 3);
    world.place([1, 0, 1], AMOUNT_ONE - 7, 0);
    for (x, z) in SIDES {
        world.place([x, 0, z], AMOUNT_ONE, ENERGY_ONE);
    }
    let rule = Spreading::from(&RulesSpec {
        spread: 0.25,
        ..RulesSpec::default()
    });
    let to_the_middle = |draw: &Draw| {
        SIDES
            .iter()
            .zip([1, 0, 3, 2])
            .all(|(&(x, z), d)| draw.key().pattern([x, 0, z]) >> d & 1 == 1)
    };
    let draw = draws(4).find(to_the_middle).expect("it is drawn");
    world.open_account();
    tiled().run(&mut world, (0, &Rule::Spreading(rule)), draw);
    assert_eq!(
        at(&world, [1, 0, 1]).amount,
        AMOUNT_ONE - 7 + 4,
        "a quarter of the room from each"
    );
    world.check().expect("the account is exact");
}

#[test]
fn friction_is_lost_on_rock_and_on_liquid_apart() {
    let friction = Friction {
        on_solid: 0.5,
        on_liquid: 1.0,
    };
    let spec = RulesSpec {
        alpha: 1.0,
        friction,
        ..RulesSpec::default()
    };
    for (on_liquid, kept) in [(false, 0.5), (true, 0.0)] {
        let mut world = empty(3, 3, 3);
        let y = usize::from(on_liquid);
        if on_liquid {
            world.place([1, 0, 1], AMOUNT_ONE, 0);
        }
        world.place([1, y, 1], AMOUNT_ONE, ENERGY_ONE);
        spreads_all_ways(&mut world, &spec);
        let carried = f64::from(ENERGY_ONE) * 0.2;
        let arrived = f64::from(at(&world, [0, y, 1]).energy);
        assert!(
            (arrived - carried * kept).abs() <= 2.0,
            "{arrived} of {carried}"
        );
        let lost = world.lava().ledger().energy.friction as f64;
        assert!(
            (lost - 4.0 * carried * (1.0 - kept)).abs() <= 8.0,
            "the account knows what was lost: {lost}"
        );
    }
}

#[test]
fn spreads_only_with_support_beneath() {
    for (below, support, moved) in [
        (0.0, 0.9, false),
        (0.8, 0.9, false),
        (0.95, 0.9, true),
        (0.0, 0.0, true),
    ] {
        let mut world = empty(3, 3, 3);
        world.place([1, 0, 1], (f64::from(AMOUNT_ONE) * below) as u16, 0);
        world.place([1, 1, 1], AMOUNT_ONE, ENERGY_ONE);
        spreads_all_ways(
            &mut world,
            &RulesSpec {
                support,
                ..RulesSpec::default()
            },
        );
        assert_eq!(
            at(&world, [0, 1, 1]).amount > 0,
            moved,
            "below {below}, support {support}"
        );
    }
    let mut world = empty(3, 3, 3);
    rock(&mut world, [1, 0, 1]);
    world.place([1, 1, 1], AMOUNT_ONE, ENERGY_ONE);
    spreads_all_ways(&mut world, &RulesSpec::default());
    assert!(at(&world, [0, 1, 1]).amount > 0, "rock supports");
}

#[test]
fn rock_beside_takes_nothing() {
    let mut world = empty(3, 1, 3);
    rock(&mut world, [0, 0, 1]);
    world.place([1, 0, 1], AMOUNT_ONE, ENERGY_ONE);
    world.open_account();
    let draw = draws(1)
        .find(|draw| draw.key().pattern([1, 0, 1]) == 15)
        .expect("drawn");
    tiled().run(
        &mut world,
        (0, &Rule::Spreading((&RulesSpec::default()).into())),
        draw,
    );
    assert_eq!(at(&world, [0, 0, 1]).amount, 0);
    assert!(at(&world, [2, 0, 1]).amount > 0);
    world.check().expect("the account is exact");
}

#[test]
fn closed_sides_hold_and_open_sides_count_what_leaves() {
    for (walls, leaves) in [(Walls::Closed, false), (Walls::Open, true)] {
        let mut world = empty(1, 1, 1);
        world.place([0, 0, 0], AMOUNT_ONE, ENERGY_ONE);
        world.open_account();
        let rule = Spreading::from(&RulesSpec {
            walls,
            spread: 0.25,
            ..RulesSpec::default()
        });
        let draw = draws(1)
            .find(|draw| draw.key().pattern([0, 0, 0]) == 15)
            .expect("drawn");
        tiled().run(&mut world, (0, &Rule::Spreading(rule)), draw);
        assert_eq!(world.lava().ledger().outflow > 0, leaves);
        assert_eq!(world.lava().ledger().energy.outflow > 0, leaves);
        world.check().expect("the account is exact");
    }
}

#[test]
fn what_moves_off_an_edge_falls() {
    let mut world = empty(3, 2, 3);
    rock(&mut world, [1, 0, 1]);
    world.place([1, 1, 1], AMOUNT_ONE, ENERGY_ONE);
    spreads_all_ways(&mut world, &RulesSpec::default());
    falls(&mut world, &RulesSpec::default());
    assert!(
        SIDES
            .iter()
            .all(|&(x, z)| at(&world, [x, 0, z]).amount > 0 && at(&world, [x, 1, z]).amount == 0)
    );
}

#[test]
fn lava_of_any_threshold_comes_to_rest() {
    for threshold in [0.05, 0.5, 0.9] {
        let rules = RulesSpec {
            threshold,
            ..RulesSpec::default()
        };
        let mut world = empty(24, 20, 24);
        let shape = Shape::Box {
            from: [0.0, 0.0, 0.0],
            to: [12.0, 9.0, 24.0],
        };
        world.edit(&Edit {
            shape,
            matter: Matter::Lava {
                amount: 1.0,
                energy: 1.0,
                temperature_k: None,
            },
        });
        world.open_account();
        let mut simulation = common::still(world, &rules, 1, tiled());
        let mut rest = 0;
        while rest < 64 && simulation.steps() < 6000 {
            let before = simulation.world().state_hash();
            simulation.step();
            rest = if simulation.world().state_hash() == before {
                rest + 1
            } else {
                0
            };
        }
        simulation.world().check().expect("the account is exact");
        println!(
            "threshold {threshold}: at rest after {} steps",
            simulation.steps()
        );
        assert_eq!(rest, 64, "threshold {threshold}: it still moves");
        assert!(simulation.world().lava().is_asleep());
    }
}
