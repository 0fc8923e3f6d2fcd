//! Helpers for worlds in which lava of the physical model meets other materials.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::engine::Engine;
use lavoxel::flow::Flow;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::Simulation;
use lavoxel::state::State;
use lavoxel::world::World;

use crate::common::{plain, tiled};

pub(crate) fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

pub(crate) fn build(text: &str, engine: Box<dyn Engine>) -> BuiltScene {
    parse(text).build(engine).unwrap_or_else(|e| panic!("{e}"))
}

/// Makes `steps` steps, and checks after each that every account is exact.
pub(crate) fn steps(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step();
        let world = simulation.world();
        world
            .check()
            .unwrap_or_else(|e| panic!("step {}: {e}", simulation.steps()));
        for (element, account) in world.elements() {
            assert_eq!(
                account.now + account.left,
                account.came,
                "{element} after step {}",
                simulation.steps()
            );
        }
    }
}

pub(crate) fn flow(world: &State) -> &Flow {
    world.flow().unwrap()
}

pub(crate) fn mass(world: &World, name: &str) -> u64 {
    world.layer(name).unwrap().mass()
}

/// Returns the amount of the material `name` that reactions have consumed, in the smallest unit of
/// amount.
pub(crate) fn used(world: &World, name: &str) -> u64 {
    world.layer(name).unwrap().ledger().used
}

/// Checks that the scene `text` reaches the same bits with both engines, on 1, 2 and 5 threads,
/// from a checkpoint after `before` steps, and after a return to the snapshot there.
pub(crate) fn assert_same_bits(text: &str, before: u64) {
    const AFTER: u64 = 29;
    let run = |threads: usize, engine: fn() -> Box<dyn Engine>| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut simulation = build(text, engine()).simulation;
            (0..before + AFTER).for_each(|_| simulation.step());
            simulation.world().state_hash()
        })
    };
    let hash = run(1, tiled);
    assert_eq!([run(2, tiled), run(5, tiled), run(2, plain)], [hash; 3]);
    let (scene, mut stage) = (parse(text), build(text, tiled()));
    steps(&mut stage.simulation, before);
    let kept = stage.simulation.snapshot(None);
    let mut bytes = Vec::new();
    CheckpointWriter {
        scene: &scene,
        stage: &stage,
        extras: &[],
    }
    .write(Path::new("a.lvx"), &mut bytes)
    .unwrap();
    let again =
        Checkpoint::read(&bytes[..], Path::new("a.lvx"), tiled()).unwrap_or_else(|e| panic!("{e}"));
    let mut again = again.stage.simulation;
    steps(&mut again, AFTER);
    assert_eq!(again.world().state_hash(), hash);
    steps(&mut stage.simulation, 7);
    stage.simulation.go_back(&kept);
    steps(&mut stage.simulation, AFTER);
    assert_eq!(stage.simulation.world().state_hash(), hash);
}
