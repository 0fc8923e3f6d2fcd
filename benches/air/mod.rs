//! Times the air solvers, in nanoseconds per thread, cell and step.

use std::path::Path;

use lavoxel::air::incompressible::{Incompressible, IncompressibleParams};
use lavoxel::air::practical_fluid::{PracticalFluid, PracticalFluidParams};
use lavoxel::air::{AirGrid, Amounts, Field, Forces, Openness, Side, Solver, UNIT};
use lavoxel::engine::Level;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::random::mix64;
use lavoxel::scene::Scene;
use lavoxel::simulation::{Simulation, system_clock};

use super::{Run, by_turns, ms, pool, threads};

/// Numbers of untimed steps, in which a plume develops, and of timed steps.
const BEFORE: usize = 10;
const STEPS: usize = 4;

/// Scene of a volcano that erupts lava and ash, with air up to twice the height of the box.
const VOLCANO: &str = r#"
[grid]
size = [128, 100, 128]

[terrain]
kind = "volcano"
height = 0.5

[air]
ratio = 2

[[vent]]
x = 64.0
z = 64.0
radius = 6.0
rate = 2.0
air = { gas = 0.03, ash = 0.01, jet_m_s = 20.0 }
"#;

/// Returns a benchmark run of air with a vent that emits heat and ash. `is_full`: true to fill all
/// cells with both from the start.
fn plume(cells: [usize; 3], is_full: bool, threads: usize, level: Level) -> Run<'static> {
    let [nx, ny, nz] = cells;
    let grid = AirGrid::new(Grid::new(nx, ny, nz), [Side::Open; 3]);
    let (openness, pool) = (Openness::free(grid), pool(threads));
    let forces = Forces {
        lift: 0.01,
        ..Forces::default()
    };
    Box::new(move || {
        let mut amounts = Amounts::none(grid, false);
        let mut solver = Incompressible::new(grid, IncompressibleParams::default(), level);
        for (n, place) in grid.cells.places().enumerate().filter(|_| is_full) {
            let random = mix64(n as u64) as u32;
            amounts.field_mut(Field::Heat)[grid.at(place)] = 1 + random % (UNIT / 64);
            amounts.field_mut(Field::Ash)[grid.at(place)] = 1 + (random >> 12) % (UNIT / 64);
        }
        let mut step = || {
            for k in 0..40 {
                let at = grid.at([nx / 2 - 3 + k % 6, 1, nz / 2 - 3 + k / 6]);
                amounts.field_mut(Field::Heat)[at] += UNIT / 8;
                amounts.field_mut(Field::Ash)[at] += UNIT / 8;
            }
            ms(|| {
                solver.step(&mut amounts, &openness, &forces);
            })
        };
        pool.install(|| {
            (0..BEFORE).for_each(|_| {
                step();
            });
            (0..STEPS).map(|_| step()).collect()
        })
    })
}

/// Returns the time in milliseconds of 10,000 steps of air at rest.
fn still() -> f64 {
    let grid = AirGrid::new(Grid::new(128, 104, 128), [Side::Open; 3]);
    let (openness, forces) = (
        Openness::free(grid),
        Forces {
            lift: 0.01,
            ..Forces::default()
        },
    );
    let mut amounts = Amounts::none(grid, false);
    let mut solver = Incompressible::new(grid, IncompressibleParams::default(), Level::fastest());
    solver.step(&mut amounts, &openness, &forces);
    pool(threads()).install(|| {
        ms(|| {
            for _ in 0..10_000 {
                solver.step(&mut amounts, &openness, &forces);
            }
        }) / 10_000.0
    })
}

/// Returns a benchmark run of the article's solver with all four quantities in all cells and random
/// velocities.
fn article(cells: [usize; 3], threads: usize, level: Level) -> Run<'static> {
    let [nx, ny, nz] = cells;
    let grid = AirGrid::new(Grid::new(nx, ny, nz), [Side::Open; 3]);
    let (openness, pool) = (Openness::free(grid), pool(threads));
    let forces = Forces {
        lift: 0.003,
        ..Forces::default()
    };
    let columns: Vec<_> = (0..nx * nz)
        .map(|column| (column % nx, column / nx))
        .collect();
    let (mut amounts, mut solver) = (
        Amounts::none(grid, true),
        PracticalFluid::new(grid, PracticalFluidParams::default(), level),
    );
    solver.set_ground(&openness, &columns);
    for (n, place) in grid.cells.places().enumerate() {
        let random = mix64(n as u64);
        let speed = |shift: u32| (random >> shift & 255) as f32 / 1275.0 - 0.1;
        solver.push(place, [speed(0), speed(8), speed(16)]);
        for field in Field::CARRIED {
            amounts.field_mut(field)[grid.at(place)] =
                (random >> (20 + 8 * field as u32)) as u32 % UNIT;
        }
    }
    Box::new(move || {
        let (mut amounts, mut solver) = (amounts.clone(), solver.clone());
        pool.install(|| {
            let mut step = || {
                ms(|| {
                    solver.step(&mut amounts, &openness, &forces);
                })
            };
            step();
            (0..STEPS).map(|_| step()).collect()
        })
    })
}

/// Prints the times of a step of the article's solver, per cell.
pub(crate) fn article_row() {
    for cells @ [nx, ny, nz] in [[64, 64, 64], [128, 104, 128]] {
        let mut runs = vec![article(cells, threads(), Level::fastest())];
        runs.extend(
            Level::available()
                .iter()
                .rev()
                .map(|&level| article(cells, 1, level)),
        );
        let times = by_turns(&mut runs);
        let each = |time: f64| time * 1e6 / (nx * ny * nz) as f64;
        println!(
            "article, {nx} × {ny} × {nz}, two threads {:>8.2} ns a cell and step, {:.2} of one thread  goal 1.7",
            each(times[0]),
            times[1] / times[0]
        );
        for (level, &time) in Level::available().iter().rev().zip(&times[1..]) {
            println!(
                "    one thread, {level:?}: {:>8.2} ns a cell and step  goal 60 with AVX-512",
                each(time)
            );
        }
    }
}

/// Prints the times of a step of the incompressible solver, per cell.
pub(crate) fn row() {
    for (cells, is_full) in [
        ([64, 64, 64], false),
        ([64, 64, 64], true),
        ([128, 104, 128], false),
    ] {
        let [nx, ny, nz] = cells;
        let count = (nx * ny * nz) as f64;
        let mut runs = vec![plume(cells, is_full, threads(), Level::fastest())];
        runs.extend(
            Level::available()
                .iter()
                .rev()
                .map(|&level| plume(cells, is_full, 1, level)),
        );
        let times = by_turns(&mut runs);
        let each = |time: f64| time * 1e6 / count;
        let what = if is_full {
            "smoke in all cells"
        } else {
            "a young plume"
        };
        println!(
            "incompressible, {what}, {nx} × {ny} × {nz}, two threads {:>8.2} ns a cell and step, {:.2} of one thread  goal 1.7",
            each(times[0]),
            times[1] / times[0]
        );
        for (level, &time) in Level::available().iter().rev().zip(&times[1..]) {
            let goal = if *level == Level::Portable { 80 } else { 50 };
            println!(
                "    one thread, {level:?}: {:>8.2} ns a cell and step  goal {goal}",
                each(time)
            );
        }
    }
    println!(
        "air at rest, 128 × 104 × 128: {:>8.3} µs a step  goal: under 5",
        still() * 1e3
    );
}

/// Prints the times of a whole simulation step of a volcano with a plume.
pub(crate) fn volcano_row() {
    let scene = Scene::parse(VOLCANO, Path::new("volcano.toml")).expect("the scene above");
    for threads in [threads(), 1] {
        pool(threads).install(|| {
            let stage = scene.build(Box::new(Tiled::default())).expect("the scene above");
            let mut simulation = stage.simulation.with_clock(system_clock);
            for steps in [200, 600, 1200] {
                while simulation.steps() < steps {
                    simulation.step();
                }
                let mut times: Vec<_> = (0..50).map(|_| ms(|| simulation.step())).collect();
                times.sort_unstable_by(f64::total_cmp);
                let name = format!("volcano with a plume, {threads} threads, after {steps} steps");
                let [fastest, filled] = motion(&simulation);
                println!(
                    "{name:<58}{:>10.4} ms a step  goal: 12  ({fastest:.2} cells a step, smoke in {filled:.0} %)",
                    times[25]
                );
            }
            for (stage, time) in simulation.timings().iter().filter(|(_, time)| time.runs > 0) {
                println!("    {stage:<54}{:>10.4} ms a run", time.mean_ms());
            }
        });
    }
}

/// Returns the highest speed of the air in air cells per step, and the percentage of its cells that
/// lie in the bounding box of heat, ash and steam.
pub(crate) fn motion(simulation: &Simulation) -> [f64; 2] {
    let Some(air) = simulation.world().air() else {
        return [0.0; 2];
    };
    let (grid, mut fastest) = (air.grid(), 0.0_f32);
    let (mut low, mut high) = (grid.size(), [0; 3]);
    for place in grid.cells.places() {
        fastest = air
            .velocity(place)
            .into_iter()
            .fold(fastest, |most, v| v.abs().max(most));
        if air.excess(place) != 0
            || air.amounts().get(Field::Ash, place) + air.amounts().get(Field::Steam, place) > 0
        {
            for axis in 0..3 {
                (low[axis], high[axis]) =
                    (low[axis].min(place[axis]), high[axis].max(place[axis] + 1));
            }
        }
    }
    let cells: f64 = (0..3)
        .map(|axis| high[axis].saturating_sub(low[axis]) as f64)
        .product();
    [fastest.into(), 100.0 * cells / grid.cells.cells() as f64]
}
