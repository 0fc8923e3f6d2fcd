//! Times low-pass and ray-marcher for several fill levels and box sizes.

#[path = "worlds/mod.rs"]
mod worlds;

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lavoxel::air::{AirGrid, Side};
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::lowpass::{AirVolume, LowPass, Volume};
use lavoxel::render::{Antialias, Camera, CameraSpec, LookSpec, Renderer, Style};
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::{Simulation, Snapshot};
use lavoxel::world::World;
use ndarray::Array2;
use worlds::{PAPER, erupted, liquid, volcano};

/// Box of the largest size that a picture may need.
const LARGE: Grid = Grid {
    nx: 512,
    ny: 400,
    nz: 512,
};

/// Number of steps after which a run restarts, so that all samples contain about the same amount of
/// lava.
const STRETCH: u64 = 50;

/// Times the low-pass of the whole volume, in liquid cells per second.
fn whole(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("lowpass");
    group.sample_size(20);
    let volcano_world = volcano(PAPER, 2000).world().clone();
    for (name, world) in [
        ("volcano", volcano_world),
        ("filled 0.1", World::restless(PAPER, 0.1).into()),
        ("filled 0.5", World::restless(PAPER, 0.5).into()),
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

/// Times the low-pass of the cells that one step has changed.
fn step(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("lowpass");
    group.sample_size(20);
    let at_rest = Simulation::new(
        World::at_rest(PAPER),
        &RulesSpec::default(),
        &[],
        1,
        Box::new(Tiled::default()),
    );
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
                (0..times)
                    .map(|i| after_a_step(&mut simulation, &mut lowpass, &start, i % STRETCH == 0))
                    .sum()
            });
        });
    }
}

/// Makes a step, after a return to `start` if `reset`, and returns the time of the low-pass alone.
fn after_a_step(
    simulation: &mut Simulation,
    lowpass: &mut LowPass,
    start: &Snapshot,
    reset: bool,
) -> Duration {
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
    group
        .sample_size(10)
        .throughput(Throughput::Elements(480 * 320));
    for scale in [128, 256] {
        let simulation = volcano(Grid::new(scale, scale * 100 / 128, scale), 1500);
        let world = simulation.world();
        let mut lowpass = LowPass::new(world.grid());
        let volume = lowpass.refresh(world);
        for (name, style) in [
            ("cinematic", Style::Cinematic),
            ("scientific", Style::Scientific),
        ] {
            let look = LookSpec {
                style,
                ..LookSpec::default()
            };
            let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look)
                .expect("the default look");
            let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), size);
            group.bench_function(BenchmarkId::new(name, scale), |b| {
                b.iter(|| renderer.frame(volume, &camera))
            });
        }
    }
}

/// Number of air cells along an edge of the air grid of `smoke`.
const AIR: usize = 96;

/// Returns air with a column of ash that widens with height and leans with the wind, with lumps of
/// several cells.
fn column() -> AirVolume {
    let cells = Grid::new(AIR, AIR, AIR);
    let grid = AirGrid {
        cells,
        ratio: 2,
        corner: [-72, -72],
        sides: [Side::Open; 3],
    };
    let kg_m3 = |[x, y, z]: [usize; 3]| {
        let [x, y, z] = [x as f32 - 48.0, y as f32, z as f32 - 48.0];
        let lumps = (0.7 * x).sin() * (0.5 * y).cos() * (0.6 * z).sin()
            + 0.7 * (0.25 * x + 0.3 * z).sin() * (0.2 * y).cos();
        let aside = (x - 0.003 * y * y).hypot(z) / (5.0 + 0.22 * y) + 0.25 * lumps;
        6e-4 * (1.0 - aside * aside).max(0.0)
    };
    let carried = cells
        .places()
        .map(|place| [((kg_m3(place) / 4.0).sqrt() * 65535.0) as u16, 0])
        .collect();
    let flow = vec![[20, 40, 5, 0]; cells.cells()];
    AirVolume {
        grid,
        cell_m: 10.0,
        carried,
        inks: Vec::new(),
        flow,
    }
}

/// Times pictures of a plume over a pool of lava, with lighting recomputed for each frame and with
/// cached lighting. The goal of 60 ms is processor time: `RAYON_NUM_THREADS=1 cargo bench --bench
/// picture -- smoke`.
fn smoke(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("smoke");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(480 * 360));
    let grid = Grid::new(48, 40, 48);
    let mut volume = Volume::empty(grid);
    for (i, [x, y, z]) in grid.places().enumerate() {
        if y < 3 && (x as f32 - 24.0).hypot(z as f32 - 24.0) < 8.0 {
            (volume.density[i], volume.energy[i]) = (255, 160);
        }
    }
    let camera = Camera::from_pose([24.0, 90.0, 330.0].into(), (180.0, 0.0), 40.0, (480, 360));
    let (air, same) = (column(), Arc::new(column()));
    for (name, antialias) in [
        ("one ray a pixel", Antialias::Off),
        ("smooth edges", Antialias::Edges),
    ] {
        let look = LookSpec {
            antialias,
            ..LookSpec::default()
        };
        let mut renderer = Renderer::new(&Array2::zeros((grid.nz, grid.nx)), grid, look)
            .expect("the default look");
        renderer.set_steps(77);
        group.bench_function(BenchmarkId::new("another air", name), |b| {
            let another = || Volume {
                air: Some(Arc::new(air.clone())),
                ..volume.clone()
            };
            b.iter_batched(
                another,
                |volume| renderer.frame(&volume, &camera),
                BatchSize::LargeInput,
            );
        });
        volume.air = Some(Arc::clone(&same));
        group.bench_function(BenchmarkId::new("the same air", name), |b| {
            b.iter(|| renderer.frame(&volume, &camera))
        });
    }
}

criterion_group!(benches, whole, step, march, smoke);
criterion_main!(benches);
