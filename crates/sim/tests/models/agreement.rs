//! The promise: the default engine gives the bits of the plain one for any world, rules,
//! instruction set and thread count, and the invariants of the world hold after every step.

use crate::common::{Dice, any_grid, any_rules, cases, plain, random_world, tiled, vents};
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::engine::{Engine, Level};
use lavoxel_automaton::rules::{Friction, RulesSpec, Walls};
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel_sim::simulation::{Command, Simulation};
use lavoxel_sim::source::VentSpec;
use proptest::prelude::*;

fn simulation(world: World, rules: &RulesSpec, engine: Box<dyn Engine>) -> Simulation {
    let vents = vents(world.grid());
    Simulation::new(world, rules, &vents, 5, engine)
}

fn assert_same(ours: &World, theirs: &World, step: u64) {
    if ours.state_hash() == theirs.state_hash() {
        return;
    }
    for (i, (ours, theirs)) in ours.lava().cells().zip(theirs.lava().cells()).enumerate() {
        assert_eq!(ours, theirs, "cell {i} after step {step}");
    }
    assert_eq!(
        ours.lava().ledger(),
        theirs.lava().ledger(),
        "the account after step {step}"
    );
    panic!("the hash after step {step}");
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Random command of a person between two steps.
fn any_act(dice: &mut Dice, grid: Grid, rules: &RulesSpec) -> Command {
    let mut real = |n: usize| dice.below(16 * n as u64) as f64 / 16.0;
    let center = [real(grid.nx), real(grid.ny), real(grid.nz)];
    let shape = Shape::Sphere {
        center,
        radius: 1.0 + real(3),
    };
    let threshold = real(1);
    match dice.below(7) {
        0 => Command::Seed(dice.below(1000)),
        1 => RulesSpec {
            threshold,
            ..rules.clone()
        }
        .into(),
        2 => Command::Put(Edit {
            shape,
            matter: Matter::Rock,
        }),
        3 => Command::Put(Edit {
            shape,
            matter: Matter::Drain,
        }),
        4 => Command::Put(Edit {
            shape,
            matter: Matter::Lava {
                amount: threshold,
                energy: 1.0,
                temperature_k: None,
            },
        }),
        _ => Command::Put(Edit {
            shape,
            matter: Matter::Nothing,
        }),
    }
}

/// Steps both engines side by side, with a command every few steps, and compares all bits.
fn live_side_by_side(
    world: World,
    rules: &RulesSpec,
    engine: Box<dyn Engine>,
    (steps, acts_every): (u64, u64),
) {
    let grid = world.grid();
    let mut dice = Dice(steps);
    let mut ours = simulation(world.clone(), rules, engine);
    let mut theirs = simulation(world, rules, plain());
    for step in 1..=steps {
        if step % acts_every == 0 {
            let act = any_act(&mut dice, grid, rules);
            ours.command(act.clone()).expect("in range");
            theirs.command(act).expect("in range");
        }
        ours.step();
        theirs.step();
        assert_same(ours.world(), theirs.world(), step);
        if let Err(fault) = ours.world().check() {
            panic!("after step {step}: {fault}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(30)))]

    #[test]
    fn tiled_gives_the_bits_of_plain(
        grid in any_grid(), rules in any_rules(), seed: u64, solid in 0u64..60, liquid in 0u64..100,
        level in prop::sample::select(Level::available()), acts_every in 2u64..20,
    ) {
        let world = random_world(grid, seed, solid, liquid);
        live_side_by_side(world, &rules, Box::new(Tiled::on(level)), (12, acts_every));
    }
}

#[test]
fn odd_boxes_on_every_path_and_any_number_of_threads() {
    let friction = Friction {
        on_solid: 0.03,
        on_liquid: 1.0,
    };
    let rules = [
        RulesSpec {
            threshold: 0.05,
            ..RulesSpec::default()
        },
        RulesSpec {
            threshold: 0.1,
            friction,
            walls: Walls::Open,
            support: 0.0,
            beta: 2.5,
            ..RulesSpec::default()
        },
        RulesSpec {
            factor: 0.3,
            spread: 0.25,
            alpha: 1.0,
            spreading_every: 3,
            ..RulesSpec::default()
        },
    ];
    let grids = [
        Grid::new(1, 1, 1),
        Grid::new(3, 200, 5),
        Grid::new(129, 7, 130),
        Grid::new(530, 3, 9),
    ];
    for (i, &grid) in grids.iter().enumerate() {
        for (j, rules) in rules.iter().enumerate() {
            for (k, &level) in Level::available().iter().enumerate() {
                let threads = [1, 2, 3, 8][(i + j + k) % 4];
                let world = random_world(grid, (i * 10 + j) as u64, 15, 40);
                let engine = Box::new(Tiled::on(level));
                pool(threads).install(|| live_side_by_side(world, rules, engine, (15, 4)));
            }
        }
    }
}

#[test]
fn a_long_run_with_edits() {
    let rules = RulesSpec {
        threshold: 0.15,
        ..RulesSpec::default()
    };
    let world = random_world(Grid::new(21, 18, 19), 4, 10, 10);
    pool(3).install(|| live_side_by_side(world, &rules, tiled(), (1500, 37)));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let grid = Grid::new(41, 23, 97);
    let rules = RulesSpec {
        threshold: 0.1,
        ..RulesSpec::default()
    };
    let run = |threads: usize| {
        pool(threads).install(|| {
            let mut simulation = simulation(random_world(grid, 3, 20, 50), &rules, tiled());
            (0..200).for_each(|_| simulation.step());
            simulation.world().state_hash()
        })
    };
    let one = run(1);
    for threads in [2, 3, 5, 8] {
        assert_eq!(one, run(threads), "{threads} threads");
    }
}

/// Two simulations of a pool on the floor that came to rest.
fn at_rest(rules: &RulesSpec, vents: &[VentSpec]) -> [Simulation; 2] {
    let grid = Grid::new(30, 9, 26);
    let mut world = World::new(Ground::none(grid));
    for (z, x) in (4..20).flat_map(|z| (3..25).map(move |x| (z, x))) {
        // The energy is just too low to spread under the initial rules.
        world.place([x, 0, z], AMOUNT_ONE, ENERGY_ONE / 2);
        world.place([x, 1, z], AMOUNT_ONE / 3, ENERGY_ONE / 4);
    }
    world.open_account();
    let start = |engine| Simulation::new(world.clone(), rules, vents, 7, engine);
    let mut both = [start(tiled()), start(plain())];
    let before = both[0].world().state_hash();
    both.iter_mut()
        .for_each(|simulation| (0..10).for_each(|_| simulation.step()));
    assert_eq!(both[0].world().state_hash(), before, "it is at rest");
    both
}

#[test]
fn what_settled_wakes_when_something_happens() {
    let rules = RulesSpec::default();
    let shape = Shape::Sphere {
        center: [12.0, 0.5, 10.0],
        radius: 3.0,
    };
    let put = |matter| {
        Command::Put(Edit {
            shape: shape.clone(),
            matter,
        })
    };
    let acts = [
        put(Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        }),
        put(Matter::Drain),
        put(Matter::Rock),
        put(Matter::Nothing),
        RulesSpec {
            threshold: 0.2,
            ..rules.clone()
        }
        .into(),
    ];
    for act in acts {
        // Both engines agree, and something does happen.
        let mut both = at_rest(&rules, &[]);
        both.iter_mut()
            .for_each(|simulation| simulation.command(act.clone()).expect("in range"));
        let before = both[0].world().state_hash();
        for step in 1..=40 {
            both.iter_mut().for_each(Simulation::step);
            assert_same(both[0].world(), both[1].world(), step);
        }
        assert_ne!(both[0].world().state_hash(), before, "{act:?}");
    }
}

#[test]
fn what_settled_wakes_under_a_vent_and_draws_by_a_new_seed() {
    let vent = VentSpec {
        x: 10.0,
        z: 12.0,
        radius: 2.0,
        rate: 3.0,
        start: 20,
        end: Some(60),
        energy: 1.5,
        ..VentSpec::default()
    };
    let mut both = at_rest(&RulesSpec::default(), &[vent]);
    let before = both[0].world().state_hash();
    for step in 1..=80 {
        if step == 40 {
            both.iter_mut()
                .for_each(|simulation| simulation.command(Command::Seed(99)).expect("in range"));
        }
        both.iter_mut().for_each(Simulation::step);
        assert_same(both[0].world(), both[1].world(), step);
    }
    assert_ne!(both[0].world().state_hash(), before);
}

#[test]
fn going_back_gives_the_same_bits_again() {
    let rules = RulesSpec {
        threshold: 0.2,
        ..RulesSpec::default()
    };
    let mut simulation = simulation(
        random_world(Grid::new(33, 12, 18), 5, 20, 30),
        &rules,
        tiled(),
    );
    (0..30).for_each(|_| simulation.step());
    let moment = simulation.snapshot(None);
    let mut run = || {
        (0..50).for_each(|_| simulation.step());
        let hash = simulation.world().state_hash();
        simulation.go_back(&moment);
        hash
    };
    assert_eq!(run(), run());
}

#[test]
fn spans_stay_around_the_liquid() {
    let grid = Grid::new(29, 17, 11);
    let mut simulation = simulation(
        random_world(grid, 9, 30, 30),
        &RulesSpec::default(),
        tiled(),
    );
    for _ in 0..60 {
        simulation.step();
        let lava = simulation.world().lava();
        for (z, y) in (0..grid.nz).flat_map(|z| (0..grid.ny).map(move |y| (z, y))) {
            let span = lava.span(y, z);
            for x in 0..grid.nx {
                let held = lava.at([x, y, z]).amount > 0;
                assert!(
                    !held || span.range().contains(&x),
                    "row ({y}, {z}), x {x}, {span:?}"
                );
            }
        }
    }
}
