//! Low-pass and ray-march at several fills and sizes, in cells or pixels per second.

#[path = "worlds/mod.rs"]
mod worlds;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel::world::World;
use worlds::{PAPER, liquid, volcano};

fn lowpass(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("lowpass");
    group.sample_size(20);
    let volcano_world = volcano(PAPER, 2000).world().clone();
    for (name, world) in [
        ("volcano", volcano_world),
        ("filled 0.1", World::restless(PAPER, 0.1)),
        ("filled 0.5", World::restless(PAPER, 0.5)),
    ] {
        group.throughput(Throughput::Elements(liquid(&world)));
        let fresh = LowPass::new(world.grid);
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

fn march(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("march");
    let size = (480, 320);
    group.sample_size(10).throughput(Throughput::Elements(480 * 320));
    for scale in [128, 256] {
        let simulation = volcano(Grid::new(scale, scale * 100 / 128, scale), 1500);
        let world = simulation.world();
        let mut lowpass = LowPass::new(world.grid);
        let volume = lowpass.refresh(world);
        for (name, style) in [("cinematic", Style::Cinematic), ("scientific", Style::Scientific)] {
            let look = LookSpec { style, ..LookSpec::default() };
            let mut renderer = Renderer::new(world.ground.surface(), world.grid, look).expect("the default look");
            let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), size);
            group.bench_function(BenchmarkId::new(name, scale), |b| b.iter(|| renderer.frame(volume, &camera)));
        }
    }
}

criterion_group!(benches, lowpass, march);
criterion_main!(benches);
