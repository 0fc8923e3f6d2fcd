//! The promise: once warm, a step asks the system for no memory.
#![allow(unsafe_code, reason = "an allocator that counts; it hands everything to the system's")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use common::tiled;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::rules::RulesSpec;
use lavoxel::simulation::Simulation;
use lavoxel::source::VentSpec;
use lavoxel::world::{Ground, World};
use ndarray::Array2;

/// Times that memory was asked for, by any thread.
static ASKED: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Times that memory is asked for in some steps on so many threads, after some steps that warm it up.
fn asked(simulation: &mut Simulation, threads: usize, [warm, steps]: [u64; 2]) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| {
        (0..warm).for_each(|_| simulation.step());
        let before = ASKED.load(Ordering::Relaxed);
        (0..steps).for_each(|_| simulation.step());
        ASKED.load(Ordering::Relaxed) - before
    })
}

/// A pool whose surface never comes to rest.
fn sloshing() -> Simulation {
    let rules = RulesSpec { threshold: 0.0, alpha: 1.0, ..RulesSpec::default() };
    Simulation::new(World::restless(Grid::new(96, 24, 96), 0.5), &rules, &[], 1, tiled())
}

/// Lava that runs down a slope.
fn stream() -> Simulation {
    let grid = Grid::new(96, 60, 96);
    let slope = Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| 52.0 - 0.5 * z as f32 + ((x * x) % 7) as f32);
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
    let rules = RulesSpec { threshold: 0.05, ..RulesSpec::default() };
    Simulation::new(World::new(Ground::from_surface(grid.ny, slope)), &rules, &vents, 1, tiled())
}

// One test, because the count is of the whole process.
#[test]
fn a_warm_step_asks_for_no_memory() {
    for threads in [1, 2] {
        let mut pool = sloshing();
        assert_eq!(asked(&mut pool, threads, [300, 500]), 0, "{threads} threads");
        // From now on changes are recorded for readers.
        LowPass::new(pool.world().grid()).refresh(pool.world());
        assert_eq!(asked(&mut pool, threads, [300, 1000]), 0, "{threads} threads");
        // Lava that comes to new places needs memory; the lists of the strips then double, not more.
        let mut stream = stream();
        let asked = asked(&mut stream, threads, [1000, 300]);
        assert!(stream.world().lava().tally().cells > 5000, "it runs");
        assert!(asked < 100, "{asked} times in 300 steps on {threads} threads");
    }
}
