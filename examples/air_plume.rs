// A plume compared with the theory of Morton, Taylor and Turner (1956), in a scene with default air
// keys:
// cargo run --release --example air_plume [incompressible|article] [cells] [seconds] [rate]
//
// A fume of 40 m radius emits `rate` kg/s of gas over a plain, under 720 m of still air in a box
// 480 m wide, divided into `cells` air cells. Radius and speed are those of a top-hat plume with
// the volume and momentum flux of the mean over the second half of the run.
use std::f64::consts::PI;
use std::path::Path;

use lavoxel::air::{Air, AirGrid, Field, UNIT};
use lavoxel::engine::tiled::Tiled;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;

/// Width of the box in metres.
const WIDE_M: f64 = 480.0;

/// Sums over the second half of the run.
struct Sums {
    grid: AirGrid,
    /// Number of ground cells below the air.
    floor: usize,
    /// Sum of the upward speed in each cell, and the number of summands.
    speed: Vec<f64>,
    count: f64,
    /// Sum of the heat flux through each height.
    heat: Vec<f64>,
}

/// Fitted plume of a run's mean fluxes.
struct Plume {
    /// Slope of the width over the height, and the height at which the width is 0.
    slope: f64,
    origin: f64,
    /// Power of the height above the origin with which the speed varies.
    exponent: f64,
    /// Rows of height, half-width, speed, and flux of buoyancy over that of the source.
    rows: Vec<[f64; 4]>,
    /// Buoyancy flux of the source.
    flux: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let solver = words.first().map_or("incompressible", String::as_str);
    let number = |k: usize, default: f64| {
        words
            .get(k)
            .and_then(|word| word.parse().ok())
            .unwrap_or(default)
    };
    let (cells, seconds) = (number(1, 48.0), number(2, 500.0));
    let mut simulation = plain(
        solver,
        cells,
        number(3, if solver == "article" { 20.0 } else { 2400.0 }),
    )?;
    let plume = run(&mut simulation, seconds);
    let world = simulation.world();
    world.check()?;
    let size = world.air().ok_or("no air")?.grid().size();
    println!(
        "{solver} {} × {} × {}, {} steps: all accounts exact",
        size[0],
        size[1],
        size[2],
        simulation.steps()
    );
    plume.report();
    Ok(())
}

/// Builds a plain with a fume in the middle, under air `cells` cells wide.
fn plain(solver: &str, cells: f64, rate: f64) -> Result<Simulation, Box<dyn std::error::Error>> {
    let voxels = 2.0 * cells;
    let edge = WIDE_M / voxels;
    let text = format!(
        "[grid]\nsize = [{voxels}, {}, {voxels}]\ncell_size_m = {edge:?}\n[terrain]\nkind = \"plane\"\n\
         [air]\nsolver = \"{solver}\"\n[[fume]]\nx = {cells:?}\nz = {cells:?}\nradius = {:?}\nrate = {rate:?}\n",
        0.75 * voxels,
        40.0 / edge
    );
    Ok(Scene::parse(&text, Path::new("plume.toml"))?
        .build(Box::new(Tiled::default()))?
        .simulation)
}

/// Runs for `seconds` of air time and returns the fitted plume.
fn run(simulation: &mut Simulation, seconds: f64) -> Plume {
    let mut sums: Option<Sums> = None;
    let mut steps = 1;
    while simulation.steps() < steps {
        simulation.step();
        let Some(air) = simulation.world().air() else {
            break;
        };
        steps = (seconds / air.scale().step_s) as u64;
        let sums = sums.get_or_insert_with(|| Sums::new(air));
        if 2 * simulation.steps() >= steps && simulation.steps().is_multiple_of(4) {
            sums.add(air);
        }
    }
    let air = simulation.world().air().expect("the scene has air");
    let put = air.account(Field::Heat).put as f64 / f64::from(UNIT) / steps as f64;
    let lift = air.scale().forces(air.spec(), air.grid()).lift;
    sums.expect("a step was made").plume(lift.into(), put)
}

impl Sums {
    fn new(air: &Air) -> Self {
        let grid = air.grid();
        let middle = |y: usize| [grid.cells.nx / 2, y, grid.cells.nz / 2];
        let floor = (0..grid.cells.ny)
            .find(|&y| !air.openness().is_solid(middle(y)))
            .unwrap_or(0);
        Self {
            grid,
            floor,
            speed: vec![0.0; grid.cells.cells()],
            count: 0.0,
            heat: vec![0.0; grid.cells.ny],
        }
    }

    fn add(&mut self, air: &Air) {
        self.count += 1.0;
        for place in self.grid.cells.places() {
            let speed = f64::from(air.velocity(place)[1]);
            self.speed[self.grid.cells.index(place)] += speed;
            self.heat[place[1]] += speed * air.excess(place) as f64 / f64::from(UNIT);
        }
    }

    /// Returns radius and speed of a top-hat plume with the volume and momentum flux at height `y`.
    fn top_hat(&self, y: usize) -> [f64; 2] {
        let grid = self.grid;
        let places = || grid.cells.places().filter(move |place| place[1] == y);
        let speeds = || places().map(|place| self.speed[grid.cells.index(place)] / self.count);
        let most = speeds().fold(0.0, f64::max);
        let fluxes = |power: i32| {
            speeds()
                .filter(|speed| *speed > 0.05 * most)
                .map(|speed| speed.powi(power))
                .sum::<f64>()
        };
        let (volume, momentum) = (fluxes(1), fluxes(2));
        [volume / (PI * momentum).sqrt(), momentum / volume]
    }

    /// Fits the plume; `lift` is the upward acceleration at heat 1.0, `put` the heat emitted per
    /// step.
    fn plume(&self, lift: f64, put: f64) -> Plume {
        let (high, flux) = (self.grid.cells.ny - self.floor, lift * put);
        let row = |y: usize| {
            let [b, w] = self.top_hat(self.floor + y);
            [
                y as f64 + 0.5,
                b,
                w,
                lift * self.heat[self.floor + y] / self.count / flux,
            ]
        };
        let rows: Vec<[f64; 4]> = (high * 15 / 100..high * 3 / 4).map(row).collect();
        let (slope, start) = line(&rows.iter().map(|row| (row[0], row[1])).collect::<Vec<_>>());
        let origin = start / slope;
        let shifted: Vec<_> = rows
            .iter()
            .map(|row| ((row[0] + origin).ln(), row[2].ln()))
            .collect();
        Plume {
            slope,
            origin,
            exponent: line(&shifted).0,
            rows,
            flux,
        }
    }
}

impl Plume {
    /// Returns the entrainment coefficient: the inflow speed relative to the plume's speed.
    fn alpha(&self) -> f64 {
        5.0 / 6.0 * self.slope
    }

    fn report(&self) {
        let Self {
            slope,
            origin,
            exponent,
            rows,
            flux,
        } = self;
        let alpha = self.alpha();
        let theory =
            |z: f64| 5.0 / (6.0 * alpha) * (0.9 * alpha * flux / PI).cbrt() / (z + origin).cbrt();
        println!("buoyancy flux {flux:.5} cells⁴/step³");
        println!(
            "b = {slope:.3} (z {origin:+.1}): α {alpha:.3} (turbulent plumes: 0.10 to 0.16); w ~ z^{exponent:.2} (−0.33)"
        );
        println!(
            "{:>6}{:>8}{:>9}{:>16}{:>24}",
            "z", "b", "w", "w of theory", "buoyancy flux / source"
        );
        for [z, b, w, share] in rows.iter().step_by((rows.len() / 12).max(1)) {
            println!("{z:>6.1}{b:>8.2}{w:>9.4}{:>16.4}{share:>24.3}", theory(*z));
        }
    }
}

/// Slope and intercept of the least-squares line through points.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = (
        points.iter().map(|p| p.0).sum::<f64>() / n,
        points.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
    (slope, my - slope * mx)
}
