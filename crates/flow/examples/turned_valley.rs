//! Run-out, area, mean thickness and heat of a flow in a valley at an angle to the grid:
//! `cargo run --release -p lavoxel-flow --example turned_valley -- dx=10 turn=0,15,30,45 …`, one
//! line for each angle. The keys and their defaults are those of [`Asked::of`].
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use std::collections::BTreeMap;
use std::time::Instant;

use lavoxel_flow::{Cooling, Flow, FlowBox, FlowPour, FlowSetup, Lava, Viscosity};

/// Smallest thickness in metres that counts as lava.
const LEAST_M: f64 = 0.05;
/// Height in metres above which the flanks of the valley are level.
const FLANKS_M: f64 = 60.0;
/// Length and width in metres of the valley below its source.
const LENGTH_M: f64 = 2200.0;
const WIDTH_M: f64 = 240.0;
/// Distance in metres of the source from the upper end of the valley, and margin around the valley.
const SOURCE_M: f64 = 40.0;
const MARGIN_M: f64 = 50.0;

/// Numbers from the command line, by key.
struct Asked(BTreeMap<String, String>);

impl Asked {
    fn of(&self, key: &str, default: f64) -> f64 {
        self.0
            .get(key)
            .map_or(default, |text| text.parse().expect("a number"))
    }

    fn lava(&self) -> Lava {
        let constant = self.of("eta", 0.0);
        Lava {
            viscosity: if constant > 0.0 {
                Viscosity::Constant { pa_s: constant }
            } else {
                Viscosity::Etna {
                    water: 0.02,
                    crystals: self.of("crystals", 40.0),
                }
            },
            yield_pa: self.of("yield", 1000.0),
            yield_factor: self.of("factor", 10.0),
            solidus_k: self.of("solidus", 0.0),
            cooling: if self.of("cool", 1.0) > 0.0 {
                Cooling::Skin {
                    tear_m: self.of("tear", 1200.0),
                    exposed: self.of("exposed", 0.04),
                }
            } else {
                Cooling::None
            },
            conduction: self.of("conduction", 0.51),
            bed_conduction: self.of("bed", 0.0),
            ..Lava::default()
        }
    }
}

/// Valley whose axis is turned against the grid.
struct Valley {
    space: FlowBox,
    turn: (f64, f64),
    /// Position in metres of the source.
    source: (f64, f64),
}

impl Valley {
    fn new(asked: &Asked, degrees: f64) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (dx_m, dz_m) = (asked.of("dx", 10.0), asked.of("dz", 5.0));
        let cells = |m: f64| ((m + 2.0 * MARGIN_M) / dx_m).ceil() as usize;
        let at = |along: f64, across: f64| MARGIN_M + 0.5 * WIDTH_M * across + SOURCE_M * along;
        Self {
            space: FlowBox {
                nx: cells(LENGTH_M * cos + WIDTH_M * sin),
                ny: (500.0 / dz_m) as usize,
                nz: cells(LENGTH_M * sin + WIDTH_M * cos),
                dx_m,
                dz_m,
            },
            turn: (cos, sin),
            source: (
                at(cos, sin) - asked.of("shift", 0.0) * sin,
                at(sin, cos) + asked.of("shift", 0.0) * cos,
            ),
        }
    }

    /// Position of a column's middle in metres: along the axis from the source, and across.
    fn place(&self, c: usize) -> (f64, f64) {
        let FlowBox { nx, dx_m, .. } = self.space;
        let x = ((c % nx) as f64 + 0.5) * dx_m - self.source.0;
        let z = ((c / nx) as f64 + 0.5) * dx_m - self.source.1;
        let (cos, sin) = self.turn;
        (x * cos + z * sin, z * cos - x * sin)
    }

    fn flow(&self, asked: &Asked) -> Flow {
        let fall = asked.of("slope", 8.0).to_radians().tan();
        let radius = asked.of("radius", 500.0);
        let ground: Vec<f64> = (0..self.space.columns())
            .map(|c| {
                let (along, across) = self.place(c);
                let flank = (across * across / (2.0 * radius)).min(FLANKS_M);
                (40.0 + LENGTH_M * fall - along * fall + flank).max(0.0)
            })
            .collect();
        let setup = FlowSetup {
            lava: asked.lava(),
            step_s: asked.of("step", 20.0),
            open_sides: true,
            seed: asked.of("seed", 1.0) as u64,
            heaters: Vec::new(),
        };
        Flow::new(self.space, setup, &ground).expect("numbers in range")
    }
}

fn main() {
    let pairs = std::env::args().skip(1).filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    });
    let asked = Asked(pairs.collect());
    let turns = asked.0.get("turn").map_or("0,15,30,45", String::as_str);
    for degrees in turns.split(',') {
        report(&asked, degrees.parse().expect("an angle"));
    }
}

fn report(asked: &Asked, degrees: f64) {
    let valley = Valley::new(asked, degrees);
    let mut flow = valley.flow(asked);
    let space = valley.space;
    let column = (valley.source.1 / space.dx_m) as usize * space.nx
        + (valley.source.0 / space.dx_m) as usize;
    let (rate, poured_s) = (asked.of("rate", 4.0), 3600.0 * asked.of("hours", 12.0));
    let end_s = poured_s + 3600.0 * asked.of("more", 0.0);
    let (start, mut seconds) = (Instant::now(), 0.0);
    let volume = |time_s: f64| rate * time_s.min(poured_s);
    while flow.time_s() < end_s {
        let (from, to) = (flow.time_s(), flow.time_s() + flow.last_step_s());
        flow.step(&[FlowPour {
            column,
            level: None,
            before_m3: volume(from),
            after_m3: volume(to),
            temperature_k: 1360.0,
        }]);
        seconds = start.elapsed().as_secs_f64();
    }
    let (mut reach, mut area, mut whole, mut half) = (0.0_f64, 0.0, 0.0, 0.0_f64);
    for c in 0..space.columns() {
        let thick = flow.thickness_m(c);
        if thick > LEAST_M {
            let (along, across) = valley.place(c);
            (reach, half) = (reach.max(along), half.max(across.abs()));
            (area, whole) = (
                area + space.dx_m * space.dx_m,
                whole + thick * space.dx_m * space.dx_m,
            );
        }
    }
    let account = flow.account();
    let share = |heat: i128| heat as f64 / account.heat_poured as f64;
    println!(
        "{degrees:4} dx {:4} reach {reach:6.0} area {area:8.0} mean {:5.2} half {half:4.0} sky {:.4} bed {:.4} \
         set {:.4} out {:.3} {} faces {:.2e} capped {:.1e} {:.0} s, {:.0} ns a face",
        space.dx_m,
        whole / area,
        share(account.heat_sky),
        share(account.heat_bed),
        account.set as f64 / account.poured as f64,
        account.out as f64 / account.poured as f64,
        flow.check()
            .map_or_else(|fault| fault, |()| "exact".to_owned()),
        account.faces as f64,
        account.capped_share(),
        seconds,
        seconds * 1e9 / account.faces as f64,
    );
}
