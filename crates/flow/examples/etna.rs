//! Time of the flow of Etna 2006 on one thread, its faces and a hash of its state, to compare
//! versions of the code: `cargo run --release -p lavoxel-flow --example etna -- <folder> <days> <10
//! or 20>`. The folder holds the elevation map, the vents and their rates as published with
//! SCIARA-fv2 (`dem.asc`, `vents.asc`, `emission_rate.txt`; 10 m). The constants are those of the
//! default lava; cells are 5 m high, steps 40 s.
#![allow(clippy::print_stdout, reason = "the line is what it is for")]

use std::path::Path;
use std::time::Instant;

use lavoxel_flow::{Flow, FlowBox, FlowPour, FlowSetup, Lava};

/// Number of cells of the elevation map along x and z, and their width in metres.
const MAP: [usize; 2] = [517, 378];
const CELL_M: f64 = 10.0;
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
    /// Volume in m³ erupted from the start to the time `time_s`, in seconds.
    fn volume(&self, time_s: f64) -> f64 {
        let days = self.rates.iter().enumerate();
        days.map(|(day, rate)| rate * (time_s - day as f64 * DAY_S).clamp(0.0, DAY_S))
            .sum()
    }

    fn pour(&self, time_s: f64) -> FlowPour {
        FlowPour {
            column: self.column,
            level: None,
            before_m3: self.volume(time_s),
            after_m3: self.volume(time_s + STEP_S),
            temperature_k: 1360.0,
        }
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let [folder, days, wide] = asked.as_slice() else {
        println!("etna <folder> <days> <10 or 20>");
        return;
    };
    let folder = Path::new(folder);
    let days: f64 = days.parse().expect("a number of days");
    let coarse = wide.parse::<usize>().expect("a width of cells") / CELL_M as usize;
    let (flow, vents) = (etna(folder, coarse), vents(folder, coarse));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread").install(|| run(flow, &vents, days));
}

/// Makes the steps of `days` days and prints their time.
fn run(mut flow: Flow, vents: &[Vent], days: f64) {
    let (start, mut wet) = (Instant::now(), 0);
    for _ in 0..(days * DAY_S / STEP_S) as u64 {
        let pours: Vec<FlowPour> = vents.iter().map(|vent| vent.pour(flow.time_s())).collect();
        flow.step(&pours);
        wet += flow.wet().len() as u64;
    }
    let wall_s = start.elapsed().as_secs_f64();
    flow.check().expect("exact ledgers");
    let (account, columns) = (flow.account(), flow.space().columns());
    let covered = (0..columns).filter(|&c| flow.thickness_m(c) > 0.05).count();
    println!(
        "{wall_s:.2} s, {} sub-steps, {wet} wet columns, {} faces, {} fluxes, {:.1} ns a face, {covered} columns \
         covered, columns {:016x}, state {:016x}",
        account.sub_steps,
        account.faces,
        account.fluxes,
        wall_s * 1e9 / account.faces as f64,
        hash_of_columns(&flow),
        flow.state().hash(),
    );
}

/// Hash of all columns as maps show them; unlike the hash of the state without counters of work.
fn hash_of_columns(flow: &Flow) -> u64 {
    let text: String = (0..flow.space().columns())
        .filter(|&c| flow.thickness_units(c) > 0)
        .map(|c| format!("{c} {:?}", flow.column(c)))
        .collect();
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file of the folder")
}

/// Values of an ESRI ASCII grid with six header lines.
fn grid(folder: &Path, name: &str) -> Vec<f64> {
    let numbers = |line: &str| -> Vec<f64> {
        line.split_whitespace()
            .map(|n| n.parse().expect("a number"))
            .collect()
    };
    read(folder, name)
        .lines()
        .skip(6)
        .flat_map(numbers)
        .collect()
}

/// Flow on a grid whose cells are the mean of `coarse` × `coarse` cells of the elevation map.
fn etna(folder: &Path, coarse: usize) -> Flow {
    let heights = grid(folder, "dem.asc");
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

/// Vents of the eruption; vent `n` lies at the cell with the value `n` in the grid of vents.
fn vents(folder: &Path, coarse: usize) -> Vec<Vent> {
    let places = grid(folder, "vents.asc");
    let text = read(folder, "emission_rate.txt");
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
    text.split("[VENT_ID]")
        .skip(1)
        .enumerate()
        .map(vent)
        .collect()
}
