//! `lavoxel bench`: the table that the paper prints, on this machine.

use std::time::{Duration, Instant};

use clap::Args;
use lavoxel::engine::Engine;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::random::StepKey;
use lavoxel::rules::{Rules, RulesSpec};
use lavoxel::scene::{MAX_THREADS, Scene};
use lavoxel::world::World;
use serde::Serialize;

use super::{Outcome, machine, say, start_threads, stop};

/// The paper's mean times at 128 × 100 × 128 (section 5), in milliseconds.
const PAPER_GRAVITY_MS: f64 = 3.2;
const PAPER_SPREADING_MS: f64 = 21.6;
const PAPER_MACHINE: &str = "Pentium 4, 2.53 GHz";

/// Steps of the volcano before its lava is timed.
const VOLCANO_STEPS: [u64; 2] = [500, 2000];
/// Shares of the box that are filled with lava.
const FILLS: [f64; 3] = [0.1, 0.25, 0.5];

/// Time the gravity step and the spreading step, as the paper did
///
/// Times each rule apart at 128 × 100 × 128 cells: on the volcano after 500 and 2,000 steps, and on a box whose lower
/// part is filled with random amounts, where every cell can move. Prints mean and percentiles beside the paper's mean.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Steps timed for each row
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: u64,

    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64))]
    threads: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Table {
    machine: String,
    threads: usize,
    dims: [usize; 3],
    steps: u64,
    paper: Paper,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Paper {
    machine: &'static str,
    gravity_ms: f64,
    spreading_ms: f64,
}

/// One world and the times of both rules on it.
#[derive(Serialize)]
struct Row {
    world: String,
    liquid_cells: u64,
    gravity_ms: Times,
    spreading_ms: Times,
}

/// Milliseconds of a step.
#[derive(Serialize)]
struct Times {
    mean: f64,
    p10: f64,
    p50: f64,
    p90: f64,
    p99: f64,
}

impl Times {
    fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let at = |share: f64| ms(samples[((samples.len() - 1) as f64 * share).round() as usize]);
        let mean = samples.iter().copied().map(ms).sum::<f64>() / samples.len() as f64;
        Self { mean, p10: at(0.1), p50: at(0.5), p90: at(0.9), p99: at(0.99) }
    }
}

/// Runs `lavoxel bench`.
pub(super) fn run(args: &BenchArgs) -> anyhow::Result<Outcome> {
    start_threads(args.threads.unwrap_or(0) as usize)?;
    let mut rows = Vec::new();
    for world in worlds()? {
        let (name, world, rules) = world;
        if stop::asked() {
            return Ok(Outcome::Stopped);
        }
        // On one of the threads that share the work: handing every step over from outside takes longer than some steps.
        rows.push(rayon::scope(|_| time(name, world, &rules, args.steps)));
    }
    let threads = rayon::current_num_threads();
    let table = Table {
        machine: machine::name(threads),
        threads,
        dims: [128, 100, 128],
        steps: args.steps,
        paper: Paper { machine: PAPER_MACHINE, gravity_ms: PAPER_GRAVITY_MS, spreading_ms: PAPER_SPREADING_MS },
        rows,
    };
    say::data(&if args.json { serde_json::to_string_pretty(&table)? } else { table.text() })?;
    Ok(Outcome::Done)
}

/// The worlds that are timed, with their rules.
fn worlds() -> anyhow::Result<Vec<(String, World, Rules)>> {
    let mut worlds = Vec::new();
    let mut simulation = Scene::volcano().build(Box::new(Tiled::default()))?.simulation;
    for steps in VOLCANO_STEPS {
        while simulation.steps() < steps && !stop::asked() {
            simulation.step();
        }
        worlds.push((format!("volcano, step {steps}"), simulation.world().clone(), simulation.rules().clone()));
    }
    for fill in FILLS {
        let name = format!("box, {:.0} % full", fill * 100.0);
        worlds.push((name, World::restless(Grid::new(128, 100, 128), fill), Rules::from(&RulesSpec::default())));
    }
    Ok(worlds)
}

/// Times both rules, step after step, so that the world flows on as it does in use.
fn time(name: String, mut world: World, rules: &Rules, steps: u64) -> Row {
    let mut engine = Tiled::default();
    let liquid_cells = world.lava.tally().cells;
    let (mut gravity, mut spreading) = (Vec::new(), Vec::new());
    for step in 0..steps {
        let start = Instant::now();
        engine.gravity(&mut world, rules);
        let between = Instant::now();
        engine.spreading(&mut world, rules, StepKey::new(1, step));
        gravity.push(between - start);
        spreading.push(between.elapsed());
    }
    Row { world: name, liquid_cells, gravity_ms: Times::of(gravity), spreading_ms: Times::of(spreading) }
}

impl Table {
    fn text(&self) -> String {
        let mut lines = vec![
            format!("{}; {} steps a row; milliseconds a step", self.machine, self.steps),
            format!("{:<22}{:>9}  {:^39}  {:^39}", "128 × 100 × 128", "liquid", "gravity", "spreading"),
            format!("{:<22}{:>9}  {h}  {h}", "", "cells", h = heads()),
        ];
        for row in &self.rows {
            let (gravity, spreading) = (row.gravity_ms.text(), row.spreading_ms.text());
            lines.push(format!("{:<22}{:>9}  {gravity}  {spreading}", row.world, row.liquid_cells));
        }
        let paper = |ms: f64| format!("{ms:>7.1}{:32}", "");
        let (gravity, spreading) = (paper(PAPER_GRAVITY_MS), paper(PAPER_SPREADING_MS));
        lines.push(format!("{:<22}{:>9}  {gravity}  {spreading}", "the paper's volcano", "?"));
        lines.push(format!("the paper's machine: {PAPER_MACHINE}"));
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }
}

/// Headings of one rule's columns.
fn heads() -> String {
    ["mean", "p10", "p50", "p90", "p99"].map(|head| format!("{head:>7}")).join(" ")
}

impl Times {
    fn text(&self) -> String {
        [self.mean, self.p10, self.p50, self.p90, self.p99].map(|ms| format!("{ms:>7.3}")).join(" ")
    }
}
