//! The air's solvers: nanoseconds of a thread for a cell and a step.

use lavoxel::air::article::{Article, ArticleParams};
use lavoxel::air::incompressible::{Incompressible, IncompressibleParams};
use lavoxel::air::{AirGrid, Amounts, Field, Forces, Openness, Side, Solver, UNIT};
use lavoxel::engine::Level;
use lavoxel::grid::Grid;
use lavoxel::random::mix64;

use super::{Run, by_turns, ms, pool, threads};

/// Steps before those that count, in which a plume begins, and those that count.
const BEFORE: usize = 10;
const STEPS: usize = 4;

/// Steps of air over a vent that gives heat and ash: two fields.
fn plume(cells: [usize; 3], threads: usize, level: Level) -> Run<'static> {
    let [nx, ny, nz] = cells;
    let grid = AirGrid::new(Grid::new(nx, ny, nz), [Side::Open; 3]);
    let (openness, pool) = (Openness::free(grid), pool(threads));
    let forces = Forces { lift: 0.01, ..Forces::default() };
    Box::new(move || {
        let mut amounts = Amounts::none(grid, false);
        let mut solver = Incompressible::new(grid, IncompressibleParams::default(), level);
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

/// Air at rest.
fn still() -> f64 {
    let grid = AirGrid::new(Grid::new(128, 104, 128), [Side::Open; 3]);
    let (openness, forces) = (Openness::free(grid), Forces { lift: 0.01, ..Forces::default() });
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

/// Steps of the article's solver with all four fields in all cells, which move at random.
fn article(cells: [usize; 3], threads: usize, level: Level) -> Run<'static> {
    let [nx, ny, nz] = cells;
    let grid = AirGrid::new(Grid::new(nx, ny, nz), [Side::Open; 3]);
    let (openness, pool) = (Openness::free(grid), pool(threads));
    let forces = Forces { lift: 0.003, ..Forces::default() };
    let columns: Vec<_> = (0..nx * nz).map(|column| (column % nx, column / nx)).collect();
    let (mut amounts, mut solver) = (Amounts::none(grid, true), Article::new(grid, ArticleParams::default(), level));
    solver.set_ground(&openness, &columns);
    for (n, place) in grid.cells.places().enumerate() {
        let random = mix64(n as u64);
        let speed = |shift: u32| (random >> shift & 255) as f32 / 1275.0 - 0.1;
        solver.push(place, [speed(0), speed(8), speed(16)]);
        for field in Field::CARRIED {
            amounts.field_mut(field)[grid.at(place)] = (random >> (20 + 8 * field as u32)) as u32 % UNIT;
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

/// Times of a step of the article's solver.
pub(crate) fn article_row() {
    for cells @ [nx, ny, nz] in [[64, 64, 64], [128, 104, 128]] {
        let mut runs = vec![article(cells, threads(), Level::fastest())];
        runs.extend(Level::available().iter().rev().map(|&level| article(cells, 1, level)));
        let times = by_turns(&mut runs);
        let each = |time: f64| time * 1e6 / (nx * ny * nz) as f64;
        println!(
            "article, {nx} × {ny} × {nz}, two threads {:>8.2} ns a cell and step, {:.2} of one thread  goal 1.7",
            each(times[0]),
            times[1] / times[0]
        );
        for (level, &time) in Level::available().iter().rev().zip(&times[1..]) {
            println!("    one thread, {level:?}: {:>8.2} ns a cell and step  goal 60 with AVX-512", each(time));
        }
    }
}

/// Times of a step of the air.
pub(crate) fn row() {
    for cells in [[64, 64, 64], [128, 104, 128]] {
        let [nx, ny, nz] = cells;
        let count = (nx * ny * nz) as f64;
        let mut runs = vec![plume(cells, threads(), Level::fastest())];
        runs.extend(Level::available().iter().rev().map(|&level| plume(cells, 1, level)));
        let times = by_turns(&mut runs);
        let each = |time: f64| time * 1e6 / count;
        println!(
            "incompressible, {nx} × {ny} × {nz}, two threads {:>8.2} ns a cell and step, {:.2} of one thread  goal 1.7",
            each(times[0]),
            times[1] / times[0]
        );
        for (level, &time) in Level::available().iter().rev().zip(&times[1..]) {
            let goal = if *level == Level::Portable { 80 } else { 50 };
            println!("    one thread, {level:?}: {:>8.2} ns a cell and step  goal {goal}", each(time));
        }
    }
    println!("air at rest, 128 × 104 × 128: {:>8.3} µs a step  goal: under 5", still() * 1e3);
}
