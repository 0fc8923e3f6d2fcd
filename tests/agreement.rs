//! The promise: the engine that users get gives the bits of the plain one, for any world, rules and thread count, and
//! the invariants of the world hold after every step.

mod common;

use common::{any_grid, any_rules, plain, random_world, tiled, vents};
use lavoxel::engine::Engine;
use lavoxel::grid::Grid;
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::world::World;
use proptest::prelude::*;

fn simulation(world: World, rules: &RulesSpec, engine: Box<dyn Engine>) -> Simulation {
    let vents = vents(world.grid);
    Simulation::new(world, rules, &vents, 5, engine)
}

fn assert_same(ours: &World, theirs: &World, step: u64) {
    for (i, (ours, theirs)) in ours.lava.cells().zip(theirs.lava.cells()).enumerate() {
        assert_eq!(ours, theirs, "cell {i} after step {step}");
    }
    assert_eq!(ours.lava.ledger, theirs.lava.ledger, "the account after step {step}");
    assert_eq!(ours.state_hash(), theirs.state_hash(), "the hash after step {step}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tiled_gives_the_bits_of_plain(
        grid in any_grid(), rules in any_rules(), seed: u64, solid in 0u64..60, liquid in 0u64..100,
    ) {
        let world = random_world(grid, seed, solid, liquid);
        let mut ours = simulation(world.clone(), &rules, tiled());
        let mut theirs = simulation(world, &rules, plain());
        for step in 1..=12 {
            ours.step();
            theirs.step();
            assert_same(ours.world(), theirs.world(), step);
            if let Err(fault) = ours.world().check() {
                panic!("after step {step}: {fault}");
            }
        }
    }
}

#[test]
fn the_same_bits_for_one_two_and_five_threads() {
    let grid = Grid::new(41, 23, 37);
    let rules = RulesSpec { threshold: 0.1, ..RulesSpec::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut simulation = simulation(random_world(grid, 3, 20, 50), &rules, tiled());
            (0..200).for_each(|_| simulation.step());
            simulation.world().state_hash()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn spans_stay_around_the_liquid() {
    let grid = Grid::new(29, 17, 11);
    let mut simulation = simulation(random_world(grid, 9, 30, 30), &RulesSpec::default(), tiled());
    for _ in 0..60 {
        simulation.step();
        let lava = &simulation.world().lava;
        for (z, y) in (0..grid.nz).flat_map(|z| (0..grid.ny).map(move |y| (z, y))) {
            let span = lava.span(y, z);
            for x in 0..grid.nx {
                let held = lava.at(x, y, z).amount > 0;
                assert!(!held || span.range().contains(&x), "row ({y}, {z}), x {x}, {span:?}");
            }
        }
    }
}
