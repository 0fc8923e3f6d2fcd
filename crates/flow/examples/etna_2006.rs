//! Fit of a lava's constants to Etna 2006 over several grids: `cargo run --release -p lavoxel-flow
//! --example etna_2006 -- dx=20 tries=100 crystals=40 …`. For each set of constants one line for
//! each grid and one of means: score √(∩/∪) with the outline, front, area, mean thickness, reach.
//!
//! The folder (`folder=`) holds `dem.asc`, `outline.asc`, `vents.asc` and `emission_rate.txt`, which
//! do not ship. Keys of constants and their defaults are those of [`KEYS`]; `tries` draws that
//! many more sets around the best so far, `seed` draws others, `grids` is the number of grids,
//! `first` the number of the first grid.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use lavoxel_flow::{Cooling, Flow, FlowBox, FlowPour, FlowSetup, Lava, Viscosity};

/// Number of cells of the elevation map along x and z, and their width in metres.
const MAP: [usize; 2] = [517, 378];
const CELL_M: f64 = 10.0;
/// Smallest thickness in metres from which a column counts as covered.
const LEAST_M: f64 = 0.05;
const DAY_S: f64 = 86_400.0;
/// Elevation of the box's floor in metres.
const FLOOR_M: f64 = 1500.0;

/// Published numbers: column of the front from the west, area in km², mean thickness in metres.
const FRONT: f64 = 402.0;
const AREA_KM2: f64 = 0.6585;
const MEAN_M: f64 = 7.1;
/// Column of the first vent, from which the front counts.
const VENT: f64 = 71.0;

/// Grids of the fit: angle to the map in degrees, and shift in cells along both axes.
const GRIDS: [(f64, f64); 6] = [
    (0.0, 0.0),
    (0.0, 0.5),
    (22.5, 0.0),
    (45.0, 0.0),
    (11.25, 0.5),
    (33.75, 0.5),
];

/// Fitted constants: key, default, bounds.
const KEYS: [(&str, f64, f64, f64); 7] = [
    ("crystals", 50.0, 1.0, 50.0),
    ("exposed", 0.06, 0.02, 0.12),
    ("tear", 2000.0, 300.0, 6000.0),
    ("yield", 500.0, 0.0, 4000.0),
    ("factor", 20.0, 1.0, 60.0),
    ("bed", 0.8, 0.0, 1.0),
    ("crust", 0.51, 0.4, 1.0),
];

type Constants = [f64; KEYS.len()];

fn lava(
    [
        crystals,
        exposed,
        tear_m,
        yield_pa,
        yield_factor,
        bed,
        crust,
    ]: Constants,
) -> Lava {
    Lava {
        viscosity: Viscosity::Etna {
            water: 0.02,
            crystals,
        },
        yield_pa,
        yield_factor,
        cooling: Cooling::Skin { tear_m, exposed },
        conduction: crust,
        bed_conduction: bed,
        ..Lava::default()
    }
}

/// The eruption: heights, outline, and its vents with their effusion rates on each day in m³/s.
struct Event {
    heights: Vec<f64>,
    outline: Vec<bool>,
    vents: Vec<([f64; 2], Vec<f64>)>,
}

impl Event {
    fn read(folder: &Path) -> Self {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
        let grid = |name: &str| -> Vec<f64> {
            let text = read(name);
            let lines = text.lines().skip(6);
            lines
                .flat_map(str::split_whitespace)
                .map(|n| n.parse().expect("a number"))
                .collect()
        };
        let places = grid("vents.asc");
        let text = read("emission_rate.txt");
        let tables = text.split("[VENT_ID]").skip(1).enumerate();
        let vent = |(i, table): (usize, &str)| {
            let place = places.iter().position(|&place| place == (i + 1) as f64);
            let place = place.expect("a place for each vent");
            let rates = table.split_whitespace().skip(1);
            (
                middle(place),
                rates.filter_map(|word| word.parse().ok()).collect(),
            )
        };
        Self {
            heights: grid("dem.asc"),
            outline: grid("outline.asc").iter().map(|&n| n == 1.0).collect(),
            vents: tables.map(vent).collect(),
        }
    }

    /// Height in metres of the map at a position in metres from its north-west corner, bilinear.
    fn height(&self, at: [f64; 2]) -> f64 {
        let axis = |i: usize| {
            let place = (at[i] / CELL_M - 0.5).clamp(0.0, (MAP[i] - 1) as f64);
            let low = (place as usize).min(MAP[i] - 2);
            (low, place - low as f64)
        };
        let ((x, u), (z, v)) = (axis(0), axis(1));
        let row = |z: usize| {
            let start = z * MAP[0] + x;
            self.heights[start] * (1.0 - u) + self.heights[start + 1] * u
        };
        row(z) * (1.0 - v) + row(z + 1) * v
    }

    fn volume(rates: &[f64], time_s: f64) -> f64 {
        let days = rates.iter().enumerate();
        days.map(|(day, rate)| rate * (time_s - day as f64 * DAY_S).clamp(0.0, DAY_S))
            .sum()
    }
}

/// Middle of a cell of the map in metres from its north-west corner.
fn middle(cell: usize) -> [f64; 2] {
    [cell % MAP[0], cell / MAP[0]].map(|n| (n as f64 + 0.5) * CELL_M)
}

/// Grid at an angle to the map.
#[derive(Clone, Copy)]
struct Grid {
    space: FlowBox,
    turn: [f64; 2],
    /// Position on the map of the grid's corner, in metres.
    corner: [f64; 2],
}

impl Grid {
    fn new((degrees, shift): (f64, f64), dx_m: f64, dz_m: f64) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let [width, height] = MAP.map(|n| n as f64 * CELL_M);
        let (across, along) = (width * cos + height * sin, width * sin + height * cos);
        let cells = |m: f64| (m / dx_m) as usize;
        let turned = |x: f64, z: f64| [x * cos - z * sin, x * sin + z * cos];
        let middle = turned(0.5 * across - shift * dx_m, 0.5 * along - shift * dx_m);
        Self {
            space: FlowBox {
                nx: cells(across),
                ny: (2000.0 / dz_m) as usize,
                nz: cells(along),
                dx_m,
                dz_m,
            },
            turn: [cos, sin],
            corner: [0.5 * width - middle[0], 0.5 * height - middle[1]],
        }
    }

    /// Position on the map of a place on the grid, both in metres.
    fn place(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        let [cos, sin] = self.turn;
        [
            self.corner[0] + x * cos - z * sin,
            self.corner[1] + x * sin + z * cos,
        ]
    }

    /// Column under a position on the map in metres; `None` outside of the grid.
    fn column(&self, at: [f64; 2]) -> Option<usize> {
        let FlowBox { nx, nz, dx_m, .. } = self.space;
        let ([cos, sin], x, z) = (self.turn, at[0] - self.corner[0], at[1] - self.corner[1]);
        let (x, z) = ((x * cos + z * sin) / dx_m, (z * cos - x * sin) / dx_m);
        let is_inside = x >= 0.0 && z >= 0.0 && x < nx as f64 && z < nz as f64;
        is_inside.then(|| z as usize * nx + x as usize)
    }

    /// Height of a column's ground above the box's floor: the mean over pieces of 10 m.
    fn ground(&self, event: &Event, c: usize) -> f64 {
        let FlowBox { nx, dx_m, .. } = self.space;
        let pieces = (dx_m / CELL_M).round().max(1.0) as usize;
        let at = |n: usize, i: usize| (n as f64 + (i as f64 + 0.5) / pieces as f64) * dx_m;
        let piece = |i: usize| {
            event.height(self.place([at(c % nx, i % pieces), at(c / nx, i / pieces)])) - FLOOR_M
        };
        let count = pieces * pieces;
        ((0..count).map(piece).sum::<f64>() / count as f64).max(0.0)
    }
}

/// Numbers of a run, or means of several.
#[derive(Clone, Copy, Default)]
struct Found {
    score: f64,
    front: f64,
    area_km2: f64,
    mean_m: f64,
    reach_m: f64,
    seconds: f64,
}

impl Found {
    fn mean(all: &[Self]) -> Self {
        let of =
            |field: fn(&Self) -> f64| all.iter().map(field).sum::<f64>() / all.len().max(1) as f64;
        Self {
            score: of(|found| found.score),
            front: of(|found| found.front),
            area_km2: of(|found| found.area_km2),
            mean_m: of(|found| found.mean_m),
            reach_m: of(|found| found.reach_m),
            seconds: of(|found| found.seconds),
        }
    }

    /// Number that the search maximizes: the score, less a part of the relative errors of front, area
    /// and thickness.
    fn merit(&self) -> f64 {
        let errors = [
            (self.front - FRONT) / (FRONT - VENT),
            self.area_km2 / AREA_KM2 - 1.0,
            self.mean_m / MEAN_M - 1.0,
        ];
        self.score - 0.1 * errors.iter().map(|e| e.abs()).sum::<f64>()
    }

    fn text(&self) -> String {
        format!(
            "score {:.4} front {:5.1} area {:.4} mean {:.2} reach {:.0} merit {:.4} {:.1} s",
            self.score,
            self.front,
            self.area_km2,
            self.mean_m,
            self.reach_m,
            self.merit(),
            self.seconds
        )
    }
}

fn run(event: &Event, grid: Grid, lava: Lava, asked: &Asked) -> Found {
    let ground: Vec<f64> = (0..grid.space.columns())
        .map(|c| grid.ground(event, c))
        .collect();
    let setup = FlowSetup {
        lava,
        step_s: asked.of("step", 40.0),
        open_sides: true,
        seed: asked.of("flow_seed", 1.0) as u64,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(grid.space, setup, &ground).expect("numbers in range");
    let start = Instant::now();
    while flow.time_s() < asked.of("days", 13.0) * DAY_S {
        let (from, to) = (flow.time_s(), flow.time_s() + flow.last_step_s());
        let pour = |(at, rates): &([f64; 2], Vec<f64>)| FlowPour {
            column: grid.column(*at).expect("a vent on the grid"),
            level: None,
            before_m3: Event::volume(rates, from),
            after_m3: Event::volume(rates, to),
            temperature_k: 1360.0,
        };
        flow.step(&event.vents.iter().map(pour).collect::<Vec<_>>());
    }
    flow.check().expect("exact ledgers");
    let (account, seconds) = (flow.account(), start.elapsed().as_secs_f64());
    if asked.of("cost", 0.0) > 0.0 {
        println!(
            "faces {:.3e} capped {:.1e} out {}; {:?} columns covered, with a time of arrival, both",
            account.faces as f64,
            account.capped_share(),
            account.out,
            reached(&flow)
        );
    }
    measure(event, grid, &flow, seconds)
}

/// Numbers of columns covered by lava, of those with a time of arrival, and of those with both.
fn reached(flow: &Flow) -> [usize; 3] {
    let columns = (0..flow.space().columns()).map(|c| {
        let came = flow.column(c).arrival_s.is_some();
        [flow.thickness_m(c) >= LEAST_M, came]
    });
    columns.fold([0; 3], |[covered, came, both], [is_covered, has_come]| {
        [
            covered + usize::from(is_covered),
            came + usize::from(has_come),
            both + usize::from(is_covered && has_come),
        ]
    })
}

/// Numbers of the flow; the outline is compared cell by cell of the map.
fn measure(event: &Event, grid: Grid, flow: &Flow, seconds: f64) -> Found {
    let thick: Vec<f64> = (0..grid.space.columns())
        .map(|c| flow.thickness_m(c))
        .collect();
    let there = thick.iter().filter(|&&thick| thick >= LEAST_M);
    let (count, sum) = there.fold((0.0, 0.0), |(n, sum), thick| (n + 1.0, sum + thick));
    let (mut both, mut either, mut front, mut reach_m) = (0.0, 0.0, 0_usize, 0.0_f64);
    let vent = event.vents[0].0;
    for (cell, &outline) in event.outline.iter().enumerate() {
        let at = middle(cell);
        let covered = grid.column(at).is_some_and(|c| thick[c] >= LEAST_M);
        both += f64::from(u8::from(covered && outline));
        either += f64::from(u8::from(covered || outline));
        if covered {
            front = front.max(cell % MAP[0]);
            reach_m = reach_m.max((at[0] - vent[0]).hypot(at[1] - vent[1]));
        }
    }
    Found {
        score: (both / either).sqrt(),
        front: front as f64,
        area_km2: count * grid.space.dx_m * grid.space.dx_m / 1e6,
        mean_m: sum / f64::max(count, 1.0),
        reach_m,
        seconds,
    }
}

/// Words `key=value` of the command line.
struct Asked(BTreeMap<String, String>);

impl Asked {
    fn of(&self, key: &str, default: f64) -> f64 {
        self.0
            .get(key)
            .map_or(default, |text| text.parse().expect("a number"))
    }

    /// Sets of constants: the lines of the file `sets` over the command line, or that alone.
    fn sets(&self) -> Vec<Constants> {
        let file = self.0.get("sets");
        let text = file.map_or("\n".to_owned(), |path| {
            std::fs::read_to_string(path).expect("a file of sets")
        });
        let set = |line: &str| {
            let line = Self::of_words(line.split_whitespace().map(str::to_owned));
            KEYS.map(|(key, default, ..)| line.of(key, self.of(key, default)))
        };
        text.lines().map(set).collect()
    }

    fn of_words(words: impl Iterator<Item = String>) -> Self {
        let pair = |word: String| {
            let (key, value) = word.split_once('=')?;
            Some((key.to_owned(), value.to_owned()))
        };
        Self(words.filter_map(pair).collect())
    }
}

/// Numbers between −1 and 1 (xorshift).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        for shift in [13_i32, -7, 17] {
            self.0 ^= if shift > 0 {
                self.0 << shift
            } else {
                self.0 >> -shift
            };
        }
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Draws a set of constants around `best`, within their bounds; a third of the constants stay.
fn drawn(best: Constants, spread: f64, asked: &Asked, dice: &mut Dice) -> Constants {
    let mut set = best;
    for (i, (key, _, least, most)) in KEYS.into_iter().enumerate() {
        let (stays, by) = (dice.next() < -0.3, spread * dice.next());
        if stays
            || asked
                .0
                .get("fixed")
                .is_some_and(|fixed| fixed.contains(key))
        {
            continue;
        }
        let wide = if key == "yield" || key == "bed" {
            set[i] + by * 0.5 * most
        } else {
            set[i] * by.exp()
        };
        let digits = 10_f64.powf(2.0 - wide.abs().max(1e-9).log10().floor());
        set[i] = ((wide * digits).round() / digits).clamp(least, most);
    }
    set
}

fn main() {
    let asked = Asked::of_words(std::env::args().skip(1));
    let folder = asked.0.get("folder").map(String::as_str);
    let event = Event::read(Path::new(folder.unwrap_or("../shared/terrains/etna2006")));
    let grids = asked.of("grids", 4.0) as usize;
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ asked.of("seed", 1.0).to_bits());
    let sets = asked.sets();
    let tries = asked.of("tries", 0.0) as usize;
    let mut best = (sets[0], f64::NEG_INFINITY, f64::NEG_INFINITY);
    for each in 0..sets.len() + tries {
        let set = sets.get(each).copied();
        let set = set.unwrap_or_else(|| drawn(best.0, asked.of("spread", 0.3), &asked, &mut dice));
        let found = tried(&event, set, &asked, grids, best.2);
        if found.merit() > best.1 {
            best = (set, found.merit(), found.score);
        }
    }
}

/// Runs a set of constants on all grids, prints the numbers and returns their means. A set whose
/// first two grids score far below `least` ends there.
fn tried(event: &Event, set: Constants, asked: &Asked, grids: usize, least: f64) -> Found {
    let dx_m = asked.of("dx", 20.0);
    let on = |from: usize, to: usize| -> Vec<Found> {
        let first = asked.of("first", 0.0) as usize;
        let grids = &GRIDS[first..][from.min(to)..to];
        let one = |&(turn, shift): &(f64, f64)| {
            let grid = Grid::new((turn, shift), dx_m, asked.of("dz", 5.0));
            let found = run(event, grid, lava(set), asked);
            if asked.of("each", 1.0) > 0.0 {
                let text = found.text();
                println!("  dx {dx_m} turn {turn} shift {shift}: {text}");
            }
            found
        };
        // A pool of one thread for each run: threads that wait for parts of a run would take up whole
        // other runs.
        let alone = |grid| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            pool.expect("a thread").install(|| one(grid))
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = grids
                .iter()
                .map(|grid| scope.spawn(move || alone(grid)))
                .collect();
            runs.into_iter()
                .map(|run| run.join().expect("a run"))
                .collect()
        })
    };
    let mut all = on(0, grids.min(2));
    if Found::mean(&all).score > least - asked.of("race", 0.04) {
        all.extend(on(2, grids));
    }
    let words: Vec<String> = KEYS
        .iter()
        .zip(set)
        .map(|((key, ..), value)| format!("{key}={value}"))
        .collect();
    let words = words.join(" ");
    let mut mean = Found::mean(&all);
    println!("dx {dx_m} mean of {}: {} | {words}", all.len(), mean.text());
    if all.len() < grids {
        mean.score = 0.0;
    }
    mean
}
