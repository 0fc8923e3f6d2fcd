//! Tests that a simulation step allocates no memory once its buffers exist, and that the memory of
//! a low-pass matches its estimate.
#![allow(
    unsafe_code,
    reason = "an allocator that counts; it hands everything to the system's"
)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use common::tiled;
use lavoxel::flow::{Flow, FlowBox, FlowPour, FlowSetup, Lava};
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::matter::Material;
use lavoxel::memory::MemoryEstimate;
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::source::VentSpec;
use lavoxel::world::{Edit, Ground, Matter, Shape, World};
use ndarray::Array2;

/// Number of allocations by all threads of this process.
static ASKED: AtomicU64 = AtomicU64::new(0);

/// Bytes allocated at present, and their maximum since `PEAK` was last reset.
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// Lock that lets one test run at a time, because the counters belong to the whole process.
static ALONE: Mutex<()> = Mutex::new(());

fn hold(bytes: i64) {
    let held = HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(held, Ordering::Relaxed);
}

struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        hold(layout.size() as i64);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        hold(-(layout.size() as i64));
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        hold(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the number of allocations in `steps` steps on `threads` threads, after `warm` untimed
/// steps.
fn asked(simulation: &mut Simulation, threads: usize, [warm, steps]: [u64; 2]) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool");
    pool.install(|| {
        (0..warm).for_each(|_| simulation.step());
        let before = ASKED.load(Ordering::Relaxed);
        (0..steps).for_each(|_| simulation.step());
        ASKED.load(Ordering::Relaxed) - before
    })
}

/// Creates a simulation of a pool whose surface never comes to rest.
fn sloshing() -> Simulation {
    let rules = RulesSpec {
        threshold: 0.0,
        alpha: 1.0,
        ..RulesSpec::default()
    };
    Simulation::new(
        World::restless(Grid::new(96, 24, 96), 0.5),
        &rules,
        &[],
        1,
        tiled(),
    )
}

/// Creates a simulation of lava that runs down a slope.
fn stream() -> Simulation {
    let grid = Grid::new(96, 60, 96);
    let slope = Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| {
        52.0 - 0.5 * z as f32 + ((x * x) % 7) as f32
    });
    let vents = [20.0, 48.0, 76.0].map(|x| VentSpec {
        x,
        z: 6.0,
        radius: 3.0,
        rate: 6.0,
        start: 0,
        end: None,
        energy: 1.5,
        ..VentSpec::default()
    });
    let rules = RulesSpec {
        threshold: 0.05,
        ..RulesSpec::default()
    };
    Simulation::new(
        World::new(Ground::from_surface(grid.ny, slope)),
        &rules,
        &vents,
        1,
        tiled(),
    )
}

#[test]
fn a_warm_step_asks_for_no_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for threads in [1, 2] {
        let mut pool = sloshing();
        assert_eq!(
            asked(&mut pool, threads, [300, 500]),
            0,
            "{threads} threads"
        );
        // After this refresh changes are recorded for readers.
        LowPass::new(pool.world().grid()).refresh(pool.world());
        assert_eq!(
            asked(&mut pool, threads, [300, 1000]),
            0,
            "{threads} threads"
        );
        // Lava that spreads to new tiles needs memory; the lists of strips then double, so the
        // number of allocations stays small.
        let mut stream = stream();
        let asked = asked(&mut stream, threads, [1000, 300]);
        assert!(stream.world().lava().tally().cells > 5000, "it runs");
        assert!(
            asked < 100,
            "{asked} times in 300 steps on {threads} threads"
        );
    }
}

/// Creates a box over a rough floor, filled by a third each with lava, water and oil.
fn layered(grid: Grid, others: Vec<Material>) -> World {
    let floor = Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| ((x * 7 + z * 3) % 5) as f32);
    let names: Vec<_> = others
        .iter()
        .map(|material| material.name.clone())
        .collect();
    let mut world = World::with_materials(Ground::from_surface(grid.ny, floor), others);
    let water = names
        .into_iter()
        .map(|name| Matter::Material { name, amount: 1.0 });
    for (i, matter) in std::iter::once(Matter::Lava {
        amount: 1.0,
        energy: 1.0,
        temperature_k: None,
    })
    .chain(water)
    .enumerate()
    {
        let [low, high] = [i, i + 1].map(|i| (i * grid.ny / 3) as f64);
        let shape = Shape::Box {
            from: [0.0, low, 0.0],
            to: [grid.nx as f64, high, grid.nz as f64],
        };
        world.edit(&Edit { shape, matter });
    }
    world
}

#[test]
fn a_low_pass_takes_no_more_than_its_estimate() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // A cube, a tall box and a flat box, in which rows, slabs and columns have different weights.
    for grid in [
        Grid::new(128, 96, 128),
        Grid::new(40, 600, 40),
        Grid::new(500, 12, 300),
    ] {
        for others in [vec![], vec![Material::water(), Material::oil()]] {
            let media = others.len();
            let mut world = layered(grid, others);
            let held = || HELD.load(Ordering::Relaxed);
            let before = held();
            PEAK.store(before, Ordering::Relaxed);
            let mut lowpass = LowPass::new(grid);
            lowpass.refresh(&world);
            let first = PEAK.load(Ordering::Relaxed) - before;
            // Every cell changes once more before the changes are read; memory freed by the world
            // must not count in the low-pass's favour.
            let kept = held() - before;
            let shape = Shape::Box {
                from: [0.0; 3],
                to: [grid.nx, grid.ny, grid.nz].map(|n| n as f64),
            };
            world.edit(&Edit {
                shape,
                matter: Matter::Drain,
            });
            let before = held();
            PEAK.store(before, Ordering::Relaxed);
            lowpass.refresh(&world);
            let second = PEAK.load(Ordering::Relaxed) - before + kept;
            let taken = first.max(second) as u64;
            // Every estimate includes the program itself.
            let own = MemoryEstimate::new("nothing", 0, 0.0).bytes();
            let need = LowPass::need(grid)
                .and(LowPass::need_of_media(grid, media))
                .bytes()
                - own;
            let told = format!(
                "{taken} bytes ({first}, {second}) of {need} for {grid:?} and {media} materials"
            );
            assert!(taken <= need + need / 50, "{told}");
            assert!(2 * taken >= need, "weighed too much: {told}");
        }
    }
}

#[test]
fn a_flow_takes_what_its_lava_reaches() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let held = || HELD.load(Ordering::Relaxed);
    let space = FlowBox {
        nx: 4096,
        ny: 64,
        nz: 4096,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let (lava, columns) = (Lava::default(), space.columns());
    let kelvin = lava.vent_k;
    let setup = FlowSetup {
        lava,
        step_s: 1.0,
        open_sides: true,
        seed: 1,
        heaters: Vec::new(),
    };
    let ground: Vec<f64> = (0..columns)
        .map(|c| 10.0 + (c % 4096) as f64 * 0.05)
        .collect();
    let before = held();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    let dry = held() - before;
    assert!(
        dry <= 8 * columns as i64 && dry <= flow.bytes() as i64,
        "{dry} bytes of dry ground"
    );
    // A disc that covers one column in a hundred.
    let is_wet = |c: usize| ((c % 4096) as f64 - 2048.0).hypot((c / 4096) as f64 - 2048.0) < 231.1;
    let pour = |column| FlowPour {
        column,
        level: None,
        before_m3: 0.0,
        after_m3: 150.0,
        temperature_k: kelvin,
    };
    flow.fill((0..columns).filter(|&c| is_wet(c)).map(pour));
    (0..2).for_each(|_| flow.step(&[]));
    let (wet, taken) = (flow.wet().len(), held() - before);
    println!(
        "{} MB dry, {} MB with {wet} wet columns, {} MB by the estimate",
        dry >> 20,
        taken >> 20,
        flow.bytes() >> 20
    );
    assert!(wet > columns / 100, "{wet} wet columns");
    assert!(
        taken <= 1 << 30 && taken <= flow.bytes() as i64,
        "{taken} of {} bytes",
        flow.bytes()
    );
}
