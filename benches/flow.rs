//! Times the physical lava model, per face between columns: Etna 2006 at 10 m
//! (`../shared/terrains/etna2006`), the lava of the preset `etna-basalt`, cells 5 m high, steps of
//! 40 s. `cargo bench --bench flow [days] [threads,threads...] [rounds] [10 or 20]`; the last
//! argument is the width of cells in metres; at 20 m the ground is the mean of four cells. Flow
//! front, area and mean thickness are printed below the times.
//!
//! Thread counts alternate, and for each the shortest run counts (other load only adds time).
//! Without the folder the benchmark does nothing.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::path::Path;
use std::time::Instant;

use lavoxel::flow::{Flow, FlowBox, FlowPour, FlowSetup, Lava};

const FOLDER: &str = "../shared/terrains/etna2006";
/// Number of cells of the elevation map along x and z, and their width in metres.
const MAP: [usize; 2] = [517, 378];
const CELL_M: f64 = 10.0;
/// Smallest thickness in metres from which a column counts as covered.
const LEAST_M: f64 = 0.05;
const STEP_S: f64 = 40.0;
const DAY_S: f64 = 86_400.0;
/// Elevation of the box's floor in metres.
const FLOOR_M: f64 = 1500.0;

/// Vent of the eruption: its column, and its effusion rate on each day in m³/s.
struct Vent {
    column: usize,
    rates: Vec<f64>,
}

impl Vent {
    /// Returns the volume in m³ erupted from the start to the time `time_s`, in seconds.
    fn volume(&self, time_s: f64) -> f64 {
        let days = self.rates.iter().enumerate();
        days.map(|(day, rate)| rate * (time_s - day as f64 * DAY_S).clamp(0.0, DAY_S))
            .sum()
    }

    fn pour(&self, time_s: f64) -> FlowPour {
        let (before_m3, after_m3) = (self.volume(time_s), self.volume(time_s + STEP_S));
        FlowPour {
            column: self.column,
            level: None,
            before_m3,
            after_m3,
            temperature_k: 1360.0,
        }
    }
}

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let asked = |i: usize, default: &str| asked.get(i).map_or(default, String::as_str).to_owned();
    let days: f64 = asked(0, "2").parse().expect("a number of days");
    let threads = asked(1, "1,2");
    let rounds: usize = asked(2, "3").parse().expect("a number of rounds");
    if !Path::new(FOLDER).exists() {
        println!("no {FOLDER}: nothing to run");
        return;
    }
    let coarse: usize =
        asked(3, "10").parse::<usize>().expect("a width of cells") / CELL_M as usize;
    let (first, vents) = (etna(coarse), vents(coarse));
    let mut rows: Vec<(usize, RunRow)> = threads
        .split(',')
        .map(|n| (n.parse().expect("numbers of threads"), RunRow::default()))
        .collect();
    for _ in 0..rounds {
        for (threads, row) in &mut rows {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(*threads)
                .build()
                .expect("threads");
            let found = pool.install(|| run(first.clone(), &vents, days));
            if row.wall_s == 0.0 || found.wall_s < row.wall_s {
                *row = found;
            }
        }
    }
    println!(
        "{:>7}{:>9}{:>12}{:>10}{:>16}{:>10}",
        "threads", "wall s", "faces", "ns/face", "ns/wet column", "capped"
    );
    for (threads, row) in &rows {
        let RunRow {
            wall_s,
            faces,
            wet,
            capped,
            ..
        } = row;
        let each = |count: &u64| wall_s * 1e9 / *count as f64;
        println!(
            "{threads:>7}{wall_s:>9.2}{faces:>12}{:>10.1}{:>16.0}{capped:>10.0e}",
            each(faces),
            each(wet)
        );
        let Extent {
            front,
            area_km2,
            mean_m,
        } = row.extent;
        println!(
            "        front in column {front} of the map, {area_km2:.3} km², mean {mean_m:.2} m"
        );
    }
}

/// Extent of the lava: flow front, covered area and mean thickness.
#[derive(Default)]
struct Extent {
    /// Easternmost column of the elevation map that the lava has reached.
    front: usize,
    area_km2: f64,
    mean_m: f64,
}

impl Extent {
    fn from_flow(flow: &Flow) -> Self {
        let FlowBox { nx, dx_m, .. } = flow.space();
        let coarse = (dx_m / CELL_M) as usize;
        let thickness = |c: usize| flow.column(c).liquid_m + flow.column(c).set_m;
        let there = (0..flow.space().columns())
            .map(|c| (c % nx, thickness(c)))
            .filter(|&(_, thick)| thick >= LEAST_M);
        let (mut count, mut sum, mut front) = (0_u64, 0.0, 0);
        for (x, thick) in there {
            (count, sum, front) = (count + 1, sum + thick, front.max(x * coarse + coarse - 1));
        }
        Self {
            front,
            area_km2: count as f64 * dx_m * dx_m / 1e6,
            mean_m: sum / count.max(1) as f64,
        }
    }
}

/// Measurements of one run: time, work done, and extent of the lava.
#[derive(Default)]
struct RunRow {
    wall_s: f64,
    faces: u64,
    /// Number of columns with liquid lava, summed over all steps.
    wet: u64,
    capped: f64,
    extent: Extent,
}

fn run(mut flow: Flow, vents: &[Vent], days: f64) -> RunRow {
    let (start, mut wet) = (Instant::now(), 0);
    for _ in 0..(days * DAY_S / STEP_S) as u64 {
        let pours: Vec<FlowPour> = vents.iter().map(|vent| vent.pour(flow.time_s())).collect();
        flow.step(&pours);
        wet += flow.wet().len() as u64;
    }
    let wall_s = start.elapsed().as_secs_f64();
    flow.check().expect("exact ledgers");
    let (account, extent) = (flow.account(), Extent::from_flow(&flow));
    RunRow {
        wall_s,
        faces: account.faces,
        wet,
        capped: account.capped_share(),
        extent,
    }
}

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(name)).expect("a file of the folder")
}

/// Returns the values of an ESRI ASCII grid with six header lines.
fn grid(name: &str) -> Vec<f64> {
    let numbers = |line: &str| -> Vec<f64> {
        line.split_whitespace()
            .map(|n| n.parse().expect("a number"))
            .collect()
    };
    read(name).lines().skip(6).flat_map(numbers).collect()
}

/// Creates the flow on a grid whose cells are `coarse` × `coarse` cells of the elevation map.
fn etna(coarse: usize) -> Flow {
    let heights = grid("dem.asc");
    let [nx, nz] = MAP.map(|n| n / coarse);
    let space = FlowBox {
        nx,
        ny: 400,
        nz,
        dx_m: CELL_M * coarse as f64,
        dz_m: 5.0,
    };
    let mean = |c: usize| {
        let (x, z) = (c % nx * coarse, c / nx * coarse);
        let cells =
            (0..coarse * coarse).map(|i| heights[(z + i / coarse) * MAP[0] + x + i % coarse]);
        (cells.sum::<f64>() / (coarse * coarse) as f64 - FLOOR_M).max(0.0)
    };
    let ground: Vec<f64> = (0..nx * nz).map(mean).collect();
    let setup = FlowSetup {
        lava: Lava::default(),
        step_s: STEP_S,
        open_sides: true,
        seed: 1,
        heaters: Vec::new(),
    };
    Flow::new(space, setup, &ground).expect("numbers in range")
}

/// Returns the vents of the eruption; vent `n` lies at the cell with the value `n` in the grid of
/// vents.
fn vents(coarse: usize) -> Vec<Vent> {
    let places = grid("vents.asc");
    let text = read("emission_rate.txt");
    let tables = text.split("[VENT_ID]").skip(1).enumerate();
    let vent = |(i, table): (usize, &str)| {
        let place = places
            .iter()
            .position(|&place| place == (i + 1) as f64)
            .expect("a place for each vent");
        let (x, z) = (place % MAP[0] / coarse, place / MAP[0] / coarse);
        let rates = table
            .split_whitespace()
            .skip(1)
            .filter_map(|word| word.parse().ok())
            .collect();
        Vent {
            column: z * (MAP[0] / coarse) + x,
            rates,
        }
    };
    tables.map(vent).collect()
}
