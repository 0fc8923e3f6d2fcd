// A plume beside the theory of Morton, Taylor and Turner (1956), for both solvers of the air:
// cargo run --release --example air_plume [incompressible|article] [width] [height] [steps] [radius] [flux] [confinement]
//
// The vent pulses in blocks of 3 × 3 cells every 24 steps. Radius and speed are those of a top-hat plume with the volume and
// momentum flux of the mean over the second half of the run.
use std::f64::consts::PI;

use lavoxel::air::article::{Article, ArticleParams};
use lavoxel::air::incompressible::{Incompressible, IncompressibleParams};
use lavoxel::air::{AirGrid, Amounts, Field, Forces, Openness, Side, Solver, UNIT};
use lavoxel::engine::Level;
use lavoxel::grid::Grid;
use lavoxel::random::mix64;

/// Upward acceleration for heat 1.0.
const LIFT: f64 = 0.02;

/// Sums over the second half of the run, by height.
struct Sums {
    /// Upward speed of each cell, and how often it was added.
    speed: Vec<f64>,
    count: f64,
    /// Heat that passes each height.
    heat: Vec<f64>,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let is_article = words.first().is_some_and(|word| word == "article");
    let (n, ny, steps) = (number(1, 64.0) as usize, number(2, 96.0) as usize, number(3, 2400.0) as usize);
    let (radius, flux) = (number(4, 4.0) as i64, number(5, if is_article { 0.003 } else { 0.0131 }));
    let grid = AirGrid::new(Grid::new(n, ny, n), [Side::Open; 3]);
    let mut solver: Box<dyn Solver> = if is_article {
        Box::new(Article::new(grid, ArticleParams::default(), Level::fastest()))
    } else {
        let params = IncompressibleParams { confinement: number(6, 0.0) as f32 };
        Box::new(Incompressible::new(grid, params, Level::fastest()))
    };
    let (openness, forces) = (Openness::free(grid), Forces { lift: LIFT as f32, ..Forces::default() });
    let columns: Vec<_> = (0..n).flat_map(|z| (0..n).map(move |x| (x, z))).collect();
    solver.set_ground(&openness, &columns);
    let mut amounts = Amounts::none(grid, is_article);
    let vent: Vec<[i64; 2]> = (-radius..=radius)
        .flat_map(|x| (-radius..=radius).map(move |z| [x, z]))
        .filter(|[x, z]| x * x + z * z <= radius * radius)
        .collect();
    let mut sums = Sums { speed: vec![0.0; grid.cells.cells()], count: 0.0, heat: vec![0.0; ny] };
    let (mut put, mut out) = (0_i64, 0);
    for step in 0..steps {
        for &[x, z] in &vent {
            let block = (step as i64 / 24) * 7919 + ((z + 60) / 3) * 31 + (x + 60) / 3;
            let share = 2.0 * (mix64(block as u64) >> 11) as f64 / (1_u64 << 53) as f64;
            let units = (flux / LIFT / vent.len() as f64 * share * f64::from(UNIT)) as u32;
            let place = [(n as i64 / 2 + x) as usize, 0, (n as i64 / 2 + z) as usize];
            amounts.field_mut(Field::Heat)[grid.at(place)] += units;
            put += i64::from(units);
        }
        out += solver.step(&mut amounts, &openness, &forces).out[Field::Heat as usize];
        if 2 * step >= steps && step % 4 == 0 {
            sums.add(grid, &amounts, solver.as_ref());
        }
    }
    let left = amounts.total(Field::Heat) as i64 + out - put;
    println!(
        "{} {n} × {ny} × {n}, {steps} steps, radius {radius}: {left} units of heat off",
        if is_article { "article" } else { "incompressible" }
    );
    // What was put in, not what was asked for.
    sums.report(grid, LIFT * put as f64 / f64::from(UNIT) / steps as f64);
}

impl Sums {
    fn add(&mut self, grid: AirGrid, amounts: &Amounts, solver: &dyn Solver) {
        self.count += 1.0;
        for place in grid.cells.places() {
            let speed = f64::from(solver.velocity(place)[1]);
            self.speed[grid.cells.index(place)] += speed;
            self.heat[place[1]] += speed * f64::from(amounts.get(Field::Heat, place)) / f64::from(UNIT);
        }
    }

    /// Radius and speed of a top-hat plume with the volume and momentum flux at a height.
    fn top_hat(&self, grid: AirGrid, y: usize) -> [f64; 2] {
        let places = || grid.cells.places().filter(move |place| place[1] == y);
        let speeds = || places().map(|place| self.speed[grid.cells.index(place)] / self.count);
        let most = speeds().fold(0.0, f64::max);
        let fluxes =
            |power: i32| speeds().filter(|speed| *speed > 0.05 * most).map(|speed| speed.powi(power)).sum::<f64>();
        let (volume, momentum) = (fluxes(1), fluxes(2));
        [volume / (PI * momentum).sqrt(), momentum / volume]
    }

    fn report(&self, grid: AirGrid, flux: f64) {
        let ny = grid.cells.ny;
        let rows: Vec<[f64; 4]> = (ny * 15 / 100..ny * 3 / 4)
            .map(|y| {
                let [b, w] = self.top_hat(grid, y);
                [y as f64 + 0.5, b, w, LIFT * self.heat[y] / self.count / flux]
            })
            .collect();
        let points = |x: fn(&[f64; 4]) -> f64, y: &dyn Fn(&[f64; 4]) -> f64| {
            rows.iter().map(|r| (x(r), y(r))).collect::<Vec<_>>()
        };
        let (slope, start) = line(&points(|row| row[0], &|row| row[1]));
        let (alpha, origin) = (5.0 / 6.0 * slope, start / slope);
        let shifted: Vec<_> = rows.iter().map(|row| ((row[0] + origin).ln(), row[2].ln())).collect();
        let theory = |z: f64| 5.0 / (6.0 * alpha) * (0.9 * alpha * flux / PI).cbrt() / (z + origin).cbrt();
        println!("buoyancy flux {flux:.5} cells⁴/step³");
        println!(
            "b = {slope:.3} (z {origin:+.1}): α {alpha:.3} (turbulent plumes: 0.10 to 0.16); w ~ z^{:.2} (−0.33)",
            line(&shifted).0
        );
        println!("{:>6}{:>8}{:>9}{:>16}{:>24}", "z", "b", "w", "w of theory", "buoyancy flux / source");
        for [z, b, w, share] in rows.iter().step_by((rows.len() / 12).max(1)) {
            println!("{z:>6.1}{b:>8.2}{w:>9.4}{:>16.4}{share:>24.3}", theory(*z));
        }
    }
}

/// Slope and start of the straight line through points.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
    (slope, my - slope * mx)
}
