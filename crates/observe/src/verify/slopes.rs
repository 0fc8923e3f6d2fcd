//! Verification of flows on an incline of 10°.

use super::{Measured, MeasuredRow, at_once, curve, exponent, flow, flow_box, isothermal, steady};
use lavoxel_flow::motion::tables::GRAVITY;
use lavoxel_flow::{Flow, FlowBox, Lava};

/// Gradient of the incline: tangent of 10°.
const TAN: f64 = 0.176_326_980_708_464_98;

/// Viscosity of the isothermal liquid on the incline (Pa s).
const PA_S: f64 = 1e5;
/// Density of the isothermal liquid on the incline (kg/m³).
const DENSITY: f64 = 2600.0;

/// Flow on an incline below a point source. `turn`: unit vector (x, z) of the downslope direction;
/// `source`: index (x, z) of the source's column.
struct Incline {
    flow: Flow,
    turn: (f64, f64),
    source: (usize, usize),
}

impl Incline {
    fn new(space: FlowBox, lava: Lava, degrees: f64, source: (usize, usize), step_s: f64) -> Self {
        let turn = (
            libm::cos(degrees.to_radians()),
            libm::sin(degrees.to_radians()),
        );
        let length = space.dx_m * (space.nx as f64 * turn.0 + space.nz as f64 * turn.1);
        let top = length * TAN + 2.0 * space.dz_m;
        let ground =
            |x: usize, z: usize| top - space.dx_m * TAN * (x as f64 * turn.0 + z as f64 * turn.1);
        Self {
            flow: flow(space, lava, step_s, true, ground),
            turn,
            source,
        }
    }

    /// Returns the depth in metres at the point `down` metres down the slope and `across` metres
    /// across the slope from the source, interpolated between columns.
    fn depth(&self, down: f64, across: f64) -> f64 {
        let (space, (cos, sin)) = (self.flow.space(), self.turn);
        let x = self.source.0 as f64 + (down * cos - across * sin) / space.dx_m;
        let z = self.source.1 as f64 + (down * sin + across * cos) / space.dx_m;
        if x < 0.0 || z < 0.0 || x >= (space.nx - 1) as f64 || z >= (space.nz - 1) as f64 {
            return 0.0;
        }
        let (i, j) = (x as usize, z as usize);
        let (a, b) = (x - i as f64, z - j as f64);
        let at = |i: usize, j: usize| self.flow.column(j * space.nx + i).liquid_m;
        (1.0 - b) * ((1.0 - a) * at(i, j) + a * at(i + 1, j))
            + b * ((1.0 - a) * at(i, j + 1) + a * at(i + 1, j + 1))
    }

    /// Returns the largest depth h₀ in the cross section `down` metres from the source, and the
    /// half-width 3S/(4 h₀) that follows from its area S; both in metres.
    fn section(&self, down: f64) -> (f64, f64) {
        let pace = self.flow.space().dx_m / 4.0;
        let depths: Vec<f64> = (-160..=160)
            .map(|i| self.depth(down, f64::from(i) * pace))
            .collect();
        let deepest = depths.iter().copied().fold(0.0, f64::max);
        (deepest, 0.75 * depths.iter().sum::<f64>() * pace / deepest)
    }

    /// Returns the distance in metres from the source to the farthest liquid, measured down the
    /// slope.
    fn front(&self) -> f64 {
        let space = self.flow.space();
        let down = |c: u32| {
            let (x, z) = (c as usize % space.nx, c as usize / space.nx);
            let (x, z) = (
                x as f64 - self.source.0 as f64,
                z as f64 - self.source.1 as f64,
            );
            (x * self.turn.0 + z * self.turn.1) * space.dx_m
        };
        let deep = |c: &&u32| self.flow.column(**c as usize).liquid_m > 0.02;
        self.flow
            .wet()
            .iter()
            .filter(deep)
            .map(|&c| down(c))
            .fold(0.0, f64::max)
    }

    fn run(&mut self, until: f64, rate: f64) {
        let column = self.source.1 * self.flow.space().nx + self.source.0;
        while self.flow.time_s() < until {
            let pour = steady(&self.flow, column, rate, 1360.0);
            self.flow.step(&[pour]);
        }
    }
}

/// Returns half-width and depth of the flow in metres at `down` metres from the source, for the
/// volume flux `rate` in m³/s (Smith 1973, with the cosine of the slope).
fn law(rate: f64, down: f64) -> (f64, f64) {
    let cos2 = 1.0 / (1.0 + TAN * TAN);
    let a = DENSITY * GRAVITY * TAN / (3.0 * PA_S) * cos2 * cos2;
    let cube = 14.0 / (3.0 * TAN);
    let width = libm::pow(35.0 / 32.0 * rate / a * cube * cube * cube, 1.0 / 7.0);
    (
        width * libm::pow(down, 3.0 / 7.0),
        3.0 / 14.0 * TAN * width * width * libm::pow(down, -1.0 / 7.0),
    )
}

pub(super) fn along() -> Measured {
    let space = flow_box([130, 60, 41], [10.0, 5.0]);
    let mut incline = Incline::new(space, viscous(), 0.0, (12, 20), 100.0);
    let mut found = curve("theory", ["distance in m", "depth in m"], false);
    incline.run(120_000.0, 5.0);
    let mut rows = Vec::new();
    for down in [300.0, 600.0] {
        let ((width, depth), (deepest, half)) = (law(5.0, down), incline.section(down));
        rows.push(MeasuredRow::relative(
            &format!("depth at {down} m, m"),
            depth,
            deepest,
            0.01,
        ));
        rows.push(MeasuredRow::relative(
            &format!("half-width at {down} m, m"),
            width,
            half,
            0.05,
        ));
    }
    for down in (1..=18).map(|i| f64::from(i) * 50.0) {
        found.push(down, incline.section(down).0, law(5.0, down).1);
    }
    Measured {
        rows,
        curve: found,
        flow: incline.flow,
    }
}

/// Returns the liquid of the isothermal flows on inclines, which has no yield strength.
fn viscous() -> Lava {
    isothermal(DENSITY, PA_S, 0.0)
}

pub(super) fn turned() -> Measured {
    turned_of(&viscous(), 0.02)
}

/// Compares flows of a cooling lava with the parameters of Etna on inclines at several angles to
/// the grid. The lava has no yield strength and does not solidify, because both would make single
/// columns of a cross section higher or lower; the case `valley-turned` compares such flows as a
/// whole.
pub(super) fn turned_cooling() -> Measured {
    let lava = Lava {
        yield_pa: 0.0,
        yield_factor: 0.0,
        solidus_k: 0.0,
        ..Lava::default()
    };
    turned_of(&lava, 0.1)
}

/// Compares flows of `lava` on inclines at 22.5° and 45° to the grid with a flow along the grid:
/// front, depth and half-width, each with the relative tolerance `within`.
fn turned_of(lava: &Lava, within: f64) -> Measured {
    let mut found = curve("along the grid", ["angle in degrees", "front in m"], false);
    let mut all = Vec::new();
    let mut last = None;
    for degrees in [0.0, 22.5, 45.0] {
        let space = flow_box([130, 90, 121], [10.0, 5.0]);
        let mut incline = Incline::new(
            space,
            lava.clone(),
            degrees,
            (14, if degrees == 0.0 { 60 } else { 24 }),
            100.0,
        );
        incline.run(36_000.0, 5.0);
        let (depth, width) = incline.section(400.0);
        all.push([incline.front(), depth, width]);
        found.model.push((degrees, incline.front()));
        last = Some(incline.flow);
    }
    found.compare(|_| all[0][0]);
    let mut rows = Vec::new();
    for (turned, degrees) in all[1..].iter().zip(["22.5°", "45°"]) {
        for (i, what) in ["front", "depth at 400 m", "half-width at 400 m"]
            .iter()
            .enumerate()
        {
            // The front is known only to one cell (10 m).
            let share = if i == 0 {
                within.max(10.0 / all[0][0])
            } else {
                within
            };
            rows.push(MeasuredRow::relative(
                &format!("{what} at {degrees}, m"),
                all[0][i],
                turned[i],
                share,
            ));
        }
    }
    Measured {
        rows,
        curve: found,
        flow: last.expect("three inclines"),
    }
}

pub(super) fn volume() -> Measured {
    let space = flow_box([200, 90, 61], [10.0, 5.0]);
    let mut incline = Incline::new(space, viscous(), 0.0, (20, 30), 100.0);
    let near = (-3i32..=3)
        .flat_map(|x| (-3i32..=3).map(move |z| (x, z)))
        .filter(|(x, z)| x * x + z * z <= 9);
    let columns: Vec<usize> = near
        .map(|(x, z)| (30 + z) as usize * space.nx + (20 + x) as usize)
        .collect();
    let each = 2e5 / columns.len() as f64;
    incline
        .flow
        .fill(columns.into_iter().map(|c| at_once(c, each, 1360.0)));
    let mut found = curve("theory", ["time in s", "length in m"], true);
    for until in [4e3, 8e3, 1.6e4, 3.2e4, 6.4e4] {
        while incline.flow.time_s() < until {
            incline.flow.step(&[]);
        }
        found.model.push((until, incline.front()));
    }
    let first = found.model[0];
    found.compare(|t| first.1 * libm::cbrt(t / first.0));
    let rows = vec![MeasuredRow::between(
        "exponent of the length",
        [0.29, 0.34],
        exponent(first, found.model[4]),
    )];
    Measured {
        rows,
        curve: found,
        flow: incline.flow,
    }
}
