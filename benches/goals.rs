//! Times the engine against its performance goals, each next to a baseline in one interleaved run:
//! `cargo bench --bench goals [row]...`.
//!
//! Runs alternate, and every round starts from the same state. For each step the shortest time of
//! all rounds counts (other load only adds time), and for a run the mean over its steps.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "air/mod.rs"]
mod air;
mod baseline;
#[path = "grains/mod.rs"]
mod grains;
#[path = "liquids/mod.rs"]
mod liquids;
#[path = "worlds/mod.rs"]
mod worlds;

use std::hint::black_box;
use std::time::Instant;

use baseline::{Baseline, Numbers};
use lavoxel::engine::tiled::Tiled;
use lavoxel::engine::{Engine, Level};
use lavoxel::grid::Grid;
use lavoxel::random::Draw;
use lavoxel::rules::Bed;
use lavoxel::rules::spreading::{Spreading, spreads};
use lavoxel::rules::{Rule, Rules, RulesSpec};
use lavoxel::scene::Scene;
use lavoxel::simulation::{Simulation, system_clock};
use lavoxel::source::Vent;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::world::{Ground, World};
use ndarray::Array2;
use rayon::ThreadPool;
use worlds::{PAPER, volcano};

/// Number of rounds in which the runs alternate.
const ROUNDS: usize = 25;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let rows: [(&str, fn()); 14] = [
        ("count-volcano", count_volcano),
        ("count-full", count_full),
        ("volcano", volcano_row),
        ("full", full_rows),
        ("memory", memory_row),
        ("flat", flat_row),
        ("settled", settled_row),
        ("open", open_row),
        ("liquids", liquids::row),
        ("grains", grains::row),
        ("air", air::row),
        ("article", air::article_row),
        ("plume", air::volcano_row),
        ("island", island_row),
    ];
    println!("{} threads; {:?} and slower", threads(), Level::fastest());
    for (name, row) in rows {
        if asked.is_empty() && !name.starts_with("count") || asked.iter().any(|asked| asked == name)
        {
            row();
        }
    }
}

fn threads() -> usize {
    std::thread::available_parallelism()
        .map_or(1, |n| n.get())
        .min(2)
}

fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Returns the time in milliseconds that `work` takes.
fn ms(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Benchmark run: makes a fixed number of steps, from the same state at each call, and returns the
/// milliseconds of each step.
type Run<'a> = Box<dyn FnMut() -> Vec<f64> + 'a>;

/// Returns the mean milliseconds per step of each run; the runs alternate over `ROUNDS` rounds.
fn by_turns(runs: &mut [Run<'_>]) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = runs.iter_mut().map(|run| run()).collect();
    for _ in 1..ROUNDS {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            times
                .iter_mut()
                .zip(run())
                .for_each(|(least, time)| *least = least.min(time));
        }
    }
    times
        .iter()
        .map(|times| times.iter().sum::<f64>() / times.len() as f64)
        .collect()
}

fn line(name: &str, ours: f64, what: &str, theirs: f64, goal: &str) {
    println!(
        "{name:<58}{ours:>10.4} ms  {what} {theirs:>9.4} ms  ratio {:>7.2}  goal {goal}",
        theirs / ours
    );
}

/// Returns the engines to time as (name, number of threads, SIMD level): the fastest level on two
/// threads and on one, then the slower levels.
fn engines() -> Vec<(String, usize, Level)> {
    let fastest = Level::fastest();
    let slower = Level::available().iter().rev().skip(1);
    let mut engines = vec![
        ("fastest".into(), threads(), fastest),
        ("fastest, 1 thread".into(), 1, fastest),
    ];
    engines.extend(slower.map(|&level| (format!("{level:?}"), threads(), level)));
    engines
}

fn volcano_row() {
    const STEPS: u64 = 200;
    const BASE_STEPS: u64 = 5;
    let start = volcano(PAPER, 2000);
    let spec = start.rules_spec().clone();
    let vents: Vec<Vent> = start.vents().map(|vent| Vent::new(vent, PAPER)).collect();
    let columns = vents[0].columns().to_vec();
    let rate = start.vents().next().expect("it has a vent").rate as f32;
    let numbers = Numbers::from(&spec);
    let mut base = Baseline::new(start.world());
    let mut runs: Vec<Run<'_>> = vec![Box::new(|| {
        let steps = 0..BASE_STEPS;
        let mut step = |step| {
            ms(|| {
                base.pour(&columns, rate, 1.0);
                base.gravity(&numbers);
                base.spreading(&numbers, step);
            })
        };
        steps.map(&mut step).collect()
    })];
    let engines = engines();
    for &(_, threads, level) in &engines {
        let pool = pool(threads);
        let specs: Vec<_> = start.vents().cloned().collect();
        let engine = Box::new(Tiled::on(level));
        let mut simulation =
            Simulation::new(start.world().clone(), &spec, &specs, start.seed(), engine);
        let moment = simulation.snapshot(None);
        runs.push(Box::new(move || {
            pool.install(|| {
                simulation.go_back(&moment);
                (0..10).for_each(|_| simulation.step());
                (0..STEPS).map(|_| ms(|| simulation.step())).collect()
            })
        }));
    }
    let times = by_turns(&mut runs);
    for ((name, _, level), &time) in engines.iter().zip(&times[1..]) {
        let goal = if *level == Level::Portable {
            "25"
        } else {
            "120"
        };
        line(
            &format!("volcano, 200 steps after 2,000: {name}"),
            time,
            "baseline",
            times[0],
            goal,
        );
    }
}

/// Makes one step of the rules gravity and spreading with `engine`.
fn step(engine: &mut Tiled, world: &mut World, rules: &Rules, step: u64) {
    for rule in rules
        .iter()
        .filter(|(_, rule)| !matches!(rule, Rule::Damping(_)))
    {
        engine.run(world, rule, Draw { seed: 1, step });
    }
}

/// Returns a benchmark run of the worst case (lava in half of all cells) after two untimed steps.
fn full_run<'a>(world: &'a World, (threads, level): (usize, Level), steps: u64) -> Run<'a> {
    let pool = pool(threads);
    let rules = Rules::from(&RulesSpec::default());
    let mut engine = Tiled::on(level);
    Box::new(move || {
        pool.install(|| {
            let mut world = world.clone();
            (0..2).for_each(|i| step(&mut engine, &mut world, &rules, i));
            (2..steps + 2)
                .map(|i| ms(|| step(&mut engine, &mut world, &rules, i)))
                .collect()
        })
    })
}

/// Returns a benchmark run that reads and writes `bytes` bytes once per step, in place, on
/// `threads` threads: a lower bound for any engine.
fn moving<'a>(bytes: usize, threads: usize) -> Run<'a> {
    let pool = pool(threads);
    let mut memory = vec![1_u64; bytes / 8];
    Box::new(move || {
        pool.install(|| {
            const TIMES: usize = 10;
            let mut once = || {
                let half = memory.len() / threads;
                let touch = |part: &mut [u64]| part.iter_mut().for_each(|v| *v = v.wrapping_add(3));
                let (left, right) = memory.split_at_mut(half);
                rayon::join(|| touch(left), || touch(right));
                black_box(&mut memory);
            };
            (0..TIMES).map(|_| ms(&mut once)).collect()
        })
    })
}

/// Runs many steps of the volcano at one SIMD level on one thread and nothing else, for counting
/// instructions with `perf stat` or callgrind.
fn count_volcano() {
    let mut start = volcano(PAPER, 2000);
    pool(1).install(|| (0..5000).for_each(|_| start.step()));
    let timings = start.timings();
    println!(
        "volcano: gravity {:.4} ms, spreading {:.4} ms",
        timings.stage("gravity").mean_ms(),
        timings.stage("spreading").mean_ms()
    );
}

/// Runs steps of the worst case (lava in half of all cells), for counting instructions.
fn count_full() {
    let world = World::restless(PAPER, 0.5);
    let (spec, mut engine) = (RulesSpec::default(), Tiled::default());
    let (gravity_rule, spreading_rule) = (
        &Rule::Gravity((&spec).into()),
        &Rule::Spreading((&spec).into()),
    );
    let (mut gravity, mut spreading) = (0.0, 0.0);
    pool(1).install(|| {
        for _ in 0..20 {
            let mut world = world.clone();
            for i in 0..30 {
                let times = [
                    ms(|| engine.run(&mut world, (0, gravity_rule), Draw { seed: 1, step: i })),
                    ms(|| engine.run(&mut world, (0, spreading_rule), Draw { seed: 1, step: i })),
                ];
                if i > 1 {
                    (gravity, spreading) =
                        (gravity + times[0] / 560.0, spreading + times[1] / 560.0);
                }
            }
        }
    });
    println!("lower half full: gravity {gravity:.4} ms, spreading {spreading:.4} ms");
}

fn full_rows() {
    let world = World::restless(PAPER, 0.5);
    let numbers = Numbers::from(&RulesSpec::default());
    let bytes = world.lava().tally().cells as usize * 4;
    let mut runs: Vec<Run<'_>> = vec![
        Box::new(|| {
            let mut base = Baseline::new(&world);
            base.gravity(&numbers);
            base.spreading(&numbers, 99);
            let mut step = |step| {
                ms(|| {
                    base.gravity(&numbers);
                    base.spreading(&numbers, step);
                })
            };
            (0..3).map(&mut step).collect()
        }),
        moving(bytes, threads()),
    ];
    let engines = engines();
    runs.extend(
        engines
            .iter()
            .map(|&(_, threads, level)| full_run(&world, (threads, level), 30)),
    );
    let times = by_turns(&mut runs);
    for ((name, _, level), &time) in engines.iter().zip(&times[2..]) {
        let goal = if *level == Level::Portable {
            "12"
        } else {
            "70"
        };
        line(
            &format!("lower half full: {name}"),
            time,
            "baseline",
            times[0],
            goal,
        );
    }
    line(
        "lower half full: moving its bytes once",
        times[1],
        "ours",
        times[2],
        "at most 1.5",
    );
    line(
        "lower half full: two threads",
        times[2],
        "one thread",
        times[3],
        "at least 1.8",
    );
}

fn memory_row() {
    let world = World::restless(Grid::new(512, 100, 512), 0.5);
    let bytes = world.lava().tally().cells as usize * 4;
    let mut runs = [
        moving(bytes, threads()),
        full_run(&world, (threads(), Level::fastest()), 4),
    ];
    let times = by_turns(&mut runs);
    line(
        "26 M cells, lower half full: moving its bytes once",
        times[0],
        "ours",
        times[1],
        "at most 1.2",
    );
}

/// Creates a world of size `grid` with the volcano and its lava in the middle, on a plain.
fn embedded(lava: &World, grid: Grid) -> World {
    let [dx, dz] = [
        (grid.nx - PAPER.nx) / 2 / 8 * 8,
        (grid.nz - PAPER.nz) / 2 / 8 * 8,
    ];
    let heights = Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| {
        lava.ground()
            .surface()
            .get((z.wrapping_sub(dz), x.wrapping_sub(dx)))
            .copied()
            .unwrap_or(8.0)
    });
    let mut world = World::new(Ground::from_surface(grid.ny, heights));
    for ([x, y, z], cell) in lava.lava().held() {
        world.place([x + dx, y, z + dz], cell.amount, cell.energy);
    }
    world.open_account();
    world
}

fn flat_row() {
    const STEPS: u64 = 100;
    let lava = volcano(PAPER, 2000);
    let rules = lava.rules().clone();
    let sizes =
        [[128; 3], [256; 3], [512; 3], [1024, 512, 1024]].map(|[x, y, z]| Grid::new(x, y, z));
    let worlds = sizes.map(|grid| embedded(lava.world(), grid));
    let active = lava
        .world()
        .lava()
        .held()
        .filter(|&(place, cell)| {
            spreads(
                cell,
                Bed::under(lava.world(), 0, place),
                &Spreading::from(&RulesSpec::default()),
            )
        })
        .count();
    let mut runs: Vec<Run<'_>> = Vec::new();
    for world in &worlds {
        let rules = &rules;
        let pool = pool(1);
        let mut engine = Tiled::default();
        runs.push(Box::new(move || {
            pool.install(|| {
                let mut world = world.clone();
                (0..5).for_each(|i| step(&mut engine, &mut world, rules, i));
                (5..STEPS + 5)
                    .map(|i| ms(|| step(&mut engine, &mut world, rules, i)))
                    .collect()
            })
        }));
    }
    let times = by_turns(&mut runs);
    for (grid, time) in sizes.iter().zip(&times) {
        let name = format!(
            "same lava in {} × {} × {}, 1 thread",
            grid.nx, grid.ny, grid.nz
        );
        let each = time * 1e6 / active as f64;
        println!(
            "{name:<58}{time:>10.4} ms  {each:>8.2} ns an active cell of {active}  goal: all within 15 %"
        );
    }
}

fn settled_row() {
    for [nx, ny, nz] in [[128, 100, 128], [1024, 512, 1024], [4096, 512, 4096]] {
        let grid = Grid::new(nx, ny, nz);
        let mut world = World::new(Ground::none(grid));
        for (x, z) in (0..512.min(nz)).flat_map(|z| (0..nx).map(move |x| (x, z))) {
            world.place([x, 0, z], AMOUNT_ONE, 1);
        }
        let rules = Rules::from(&RulesSpec::default());
        let mut engine = Tiled::default();
        let per_step = pool(threads()).install(|| {
            (0..5).for_each(|i| step(&mut engine, &mut world, &rules, i));
            ms(|| (5..10_005).for_each(|i| step(&mut engine, &mut world, &rules, i))) / 10_000.0
        });
        let name = format!(
            "settled, {nx} × {ny} × {nz}, {} liquid cells",
            world.lava().tally().cells
        );
        println!(
            "{name:<58}{:>10.4} µs a step  goal: under 5",
            per_step * 1e3
        );
    }
}

/// Times the island scene, which has many materials, reactions and air.
fn island_row() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/terrains/island.toml");
    let scene = Scene::load(path.as_ref()).expect("a test reads it");
    pool(threads()).install(|| {
        let stage = scene.build(Box::new(Tiled::default())).expect("a test builds it");
        let mut simulation = stage.simulation.with_clock(system_clock);
        for steps in [500, 1500, 2400] {
            while simulation.steps() < steps {
                simulation.step();
            }
            let mut times: Vec<_> = (0..100).map(|_| ms(|| simulation.step())).collect();
            times.sort_unstable_by(f64::total_cmp);
            let name = format!("island, after {steps} steps");
            let [fastest, filled] = air::motion(&simulation);
            println!(
                "{name:<58}{:>10.4} ms a step  goal: under 4 after 1500  ({fastest:.2} cells a step, smoke in {filled:.0} %)",
                times[50]
            );
        }
        for (stage, time) in simulation.timings().iter().filter(|(_, time)| time.runs > 0) {
            println!("    {stage:<54}{:>10.4} ms a run", time.mean_ms());
        }
    });
}

fn open_row() {
    let heights = Array2::from_shape_fn((4096, 4096), |(z, x)| 40.0 + ((x ^ z) & 255) as f32);
    let mut times = Vec::new();
    for _ in 0..5 {
        let heights = heights.clone();
        times.push(ms(|| {
            black_box(World::new(Ground::from_surface(512, heights)));
        }));
    }
    let time = least(&times);
    let rate = 4096.0 * 4096.0 / time / 1e3;
    println!(
        "{:<58}{time:>10.4} ms  {rate:>8.1} M columns/s  goal: at least 50",
        "voxelising a map of 4096 × 4096 columns"
    );
}
