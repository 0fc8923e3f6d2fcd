//! Times the rules of the automaton (gravity, spreading), sources, lava at rest and the hash of the
//! state, for several fill levels and box sizes, in cells per second.

#[path = "worlds/mod.rs"]
mod worlds;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lavoxel::engine::Engine;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::random::Draw;
use lavoxel::rules::{Rule, Rules, RulesSpec};
use lavoxel::source::{Vent, VentSpec};
use lavoxel::world::World;
use worlds::{PAPER, liquid, volcano};

/// Returns the worlds to time, by name: the paper's box at several fill levels, and a volcano in
/// boxes of several sizes.
fn cases() -> Vec<(String, World)> {
    let mut cases: Vec<(String, World)> = [0.1, 0.25, 0.5]
        .map(|share| (format!("filled {share}"), World::restless(PAPER, share)))
        .into();
    for (scale, steps) in [(64, 500), (128, 2000), (256, 2000)] {
        let grid = Grid::new(scale, scale * 100 / 128, scale);
        cases.push((
            format!("volcano {scale}"),
            World::clone(volcano(grid, steps).world()),
        ));
    }
    cases
}

fn rules(bench: &mut Criterion) {
    let spec = RulesSpec::default();
    let (gravity, spreading) = (
        Rule::Gravity((&spec).into()),
        Rule::Spreading((&spec).into()),
    );
    let draw = Draw { seed: 1, step: 1 };
    for (name, world) in cases() {
        let mut group = bench.benchmark_group("step");
        group
            .sample_size(20)
            .throughput(Throughput::Elements(liquid(&world)));
        let mut engine = Tiled::default();
        group.bench_function(BenchmarkId::new("gravity", &name), |b| {
            b.iter_batched_ref(
                || world.clone(),
                |world| engine.run(world, (0, &gravity), draw),
                BatchSize::LargeInput,
            );
        });
        group.bench_function(BenchmarkId::new("spreading", &name), |b| {
            b.iter_batched_ref(
                || world.clone(),
                |world| engine.run(world, (0, &spreading), draw),
                BatchSize::LargeInput,
            );
        });
    }
}

fn sources(bench: &mut Criterion) {
    let spec = VentSpec {
        x: 64.0,
        z: 64.0,
        radius: 20.0,
        rate: 50.0,
        ..VentSpec::default()
    };
    let vent = Vent::new(&spec, PAPER);
    let world = World::restless(PAPER, 0.1);
    let mut group = bench.benchmark_group("sources");
    group.throughput(Throughput::Elements(vent.columns().len() as u64));
    group.bench_function("pour", |b| {
        b.iter_batched_ref(
            || world.clone(),
            |world| vent.pour(world, Draw { seed: 1, step: 1 }),
            BatchSize::LargeInput,
        );
    });
}

/// Times a step of a world in which nothing can move.
fn settled(bench: &mut Criterion) {
    let rules = Rules::from(&RulesSpec::default());
    let mut group = bench.benchmark_group("settled");
    for grid in [PAPER, Grid::new(1024, 512, 1024)] {
        let (mut world, mut engine) = (World::at_rest(grid), Tiled::default());
        let mut step = |number| {
            for rule in rules.iter().filter(|(_, rule)| rule.is_due(number)) {
                engine.run(
                    &mut world,
                    rule,
                    Draw {
                        seed: 1,
                        step: number,
                    },
                );
            }
        };
        (0..5).for_each(&mut step);
        let mut number = 5;
        group.bench_function(format!("{} × {} × {}", grid.nx, grid.ny, grid.nz), |b| {
            b.iter(|| {
                step(number);
                number += 1;
            });
        });
    }
}

fn hash(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("state hash");
    group.sample_size(20);
    for (name, world) in [
        ("volcano", World::clone(volcano(PAPER, 2000).world())),
        ("filled 0.5", World::restless(PAPER, 0.5)),
    ] {
        group.throughput(Throughput::Elements(world.grid().cells() as u64));
        group.bench_function(name, |b| b.iter(|| world.state_hash()));
    }
}

criterion_group!(benches, rules, sources, settled, hash);
criterion_main!(benches);
