//! Times the records of the columns (such as arrival times) relative to the steps: `cargo bench
//! --bench records`.
//!
//! Every round makes the same steps, each followed by an update of the records; for each the
//! shortest time of all rounds counts.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "worlds/mod.rs"]
mod worlds;

use std::time::Instant;

use lavoxel::grid::Grid;
use lavoxel::records::Records;
use lavoxel::simulation::Simulation;
use worlds::{PAPER, volcano};

const ROUNDS: usize = 25;
const STEPS: usize = 200;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .expect("a pool");
    pool.install(|| {
        row("volcano from step 500", &mut volcano(PAPER, 500));
        row("volcano from step 2,000", &mut volcano(PAPER, 2000));
        row(
            "the same in 512 × 400 × 512",
            &mut volcano(Grid::new(512, 400, 512), 2000),
        );
    });
}

/// Times the next steps of `simulation`, and an update of the records after each step.
fn row(name: &str, simulation: &mut Simulation) {
    let start = simulation.snapshot(None);
    let mut least = vec![(f64::INFINITY, f64::INFINITY); STEPS];
    for _ in 0..ROUNDS {
        simulation.go_back(&start);
        // A restored state has every tile awake; the step after the restore visits all tiles.
        simulation.step();
        let mut records = Records::new(simulation.world().grid());
        records.observe(simulation.world(), None, simulation.steps());
        for (step, look) in &mut least {
            *step = step.min(microseconds(|| simulation.step()));
            *look = look.min(microseconds(|| {
                records.observe(simulation.world(), None, simulation.steps())
            }));
        }
    }
    let mean = |of: fn(&(f64, f64)) -> f64| least.iter().map(of).sum::<f64>() / STEPS as f64;
    let (step, look) = (mean(|times| times.0), mean(|times| times.1));
    println!(
        "{name}: step {step:.1} µs, look {look:.1} µs, {:.0} % of the step",
        100.0 * look / step
    );
}

fn microseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e6
}
