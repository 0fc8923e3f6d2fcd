//! Low-pass and ray-march at several fills and sizes.

#[path = "worlds/mod.rs"]
mod worlds;

use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::{Simulation, Snapshot};
use lavoxel::world::World;
use worlds::{PAPER, erupted, liquid, volcano};

/// A box with as many cells as a picture may need.
const LARGE: Grid = Grid { nx: 512, ny: 400, nz: 512 };

/// Steps after which a run starts again, so that all samples see about as much lava.
const STRETCH: u64 = 50;

/// Everything filtered by a low-pass that knows nothing yet; in liquid cells per second.
fn whole(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("lowpass");
    group.sample_size(20);
    let volcano_world = volcano(PAPER, 2000).world().clone();
    for (name, world) in [
        ("volcano", volcano_world),
        ("filled 0.1", World::restless(PAPER, 0.1)),
        ("filled 0.5", World::restless(PAPER, 0.5)),
    ] {
        group.throughput(Throughput::Elements(liquid(&world)));
        let fresh = LowPass::new(world.grid());
        group.bench_function(BenchmarkId::new("refresh", name), |b| {
            b.iter_batched_ref(
                || fresh.clone(),
                |lowpass| {
                    lowpass.refresh(&world);
                },
                BatchSize::LargeInput,
            );
        });
    }
}

/// What a step leaves to be filtered again.
fn step(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("lowpass");
    group.sample_size(20);
    let at_rest = Simulation::new(World::at_rest(PAPER), &RulesSpec::default(), &[], 1, Box::new(Tiled::default()));
    for (name, mut simulation) in [
        ("volcano 500", volcano(PAPER, 500)),
        ("volcano 2000", volcano(PAPER, 2000)),
        ("512 × 400 × 512", erupted(LARGE, 4, 2000)),
        ("settled", at_rest),
    ] {
        let start = simulation.snapshot(None);
        let mut lowpass = LowPass::new(simulation.world().grid());
        group.bench_function(BenchmarkId::new("after a step", name), |b| {
            b.iter_custom(|times| {
                (0..times).map(|i| after_a_step(&mut simulation, &mut lowpass, &start, i % STRETCH == 0)).sum()
            });
        });
    }
}

/// Makes a step, after going back to the start if it has to be so, and times the low-pass alone.
fn after_a_step(simulation: &mut Simulation, lowpass: &mut LowPass, start: &Snapshot, reset: bool) -> Duration {
    if reset {
        simulation.go_back(start);
        (0..2).for_each(|_| simulation.step());
        lowpass.refresh(simulation.world());
    }
    simulation.step();
    let clock = Instant::now();
    lowpass.refresh(simulation.world());
    clock.elapsed()
}

fn march(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("march");
    let size = (480, 320);
    group.sample_size(10).throughput(Throughput::Elements(480 * 320));
    for scale in [128, 256] {
        let simulation = volcano(Grid::new(scale, scale * 100 / 128, scale), 1500);
        let world = simulation.world();
        let mut lowpass = LowPass::new(world.grid());
        let volume = lowpass.refresh(world);
        for (name, style) in [("cinematic", Style::Cinematic), ("scientific", Style::Scientific)] {
            let look = LookSpec { style, ..LookSpec::default() };
            let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look).expect("the default look");
            let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), size);
            group.bench_function(BenchmarkId::new(name, scale), |b| b.iter(|| renderer.frame(volume, &camera)));
        }
    }
}

criterion_group!(benches, whole, step, march);
criterion_main!(benches);
