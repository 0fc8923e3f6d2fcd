//! Verification of a flow that cools in a valley, with cells of several heights and widths.
//!
//! The valley runs obliquely to the grid, so that the margins of the flow lie at all positions
//! within columns, as on real ground. In a valley along the grid, whole rows of columns would
//! solidify at once.

use super::{Measured, MeasuredRow, curve, flow, flow_box};
use lavoxel_flow::{Flow, FlowBox, FlowPour, Lava};

const HOUR_S: f64 = 3600.0;
/// Length of the simulated valley (m).
const LENGTH_M: f64 = 2400.0;
/// Width of the simulation box across the valley (m).
const WIDTH_M: f64 = 480.0;
/// Time step of the simulated valley flow, in seconds.
const STEP_S: f64 = 20.0;

/// Length of a side of the square source (m).
const SOURCE_M: f64 = 40.0;
/// Distance from the upper end of the valley to the nearer edge of the source (m).
const SOURCE_AT_M: f64 = 100.0;

/// Effusion rate of the source (m³/s).
const RATE: f64 = 12.0;
/// Simulated time at which the eruption ends (h).
const POURED_H: f64 = 6.0;
/// Simulated time at which the simulation ends (h).
const END_H: f64 = 18.0;

/// Slope of the valley axis in plan view: metres across the grid per metre along the grid.
const SLANT: f64 = 0.08;
/// Distance of the valley axis from the middle of the simulation box, at the source (m).
const AXIS_M: f64 = -60.0;

/// Creates the flow, still without lava, of a parabolic valley that slopes by 8° and is 20 m deep
/// at a width of 400 m; `dx_m` and `dz_m`: width and height of a cell in metres.
fn valley(dx_m: f64, dz_m: f64) -> Flow {
    let cells = |metres: f64| (metres / dx_m).round() as usize;
    let space = flow_box(
        [cells(LENGTH_M), (520.0 / dz_m) as usize, cells(WIDTH_M)],
        [dx_m, dz_m],
    );
    let fall = libm::tan(8.0_f64.to_radians());
    flow(space, Lava::default(), STEP_S, true, |x, z| {
        let (x, z) = place(dx_m, [x, z]);
        20.0 + (LENGTH_M - x) * fall + 20.0 * (z / 200.0) * (z / 200.0)
    })
}

/// Returns the position of the middle of column `[x, z]` in metres: distance along the valley, and
/// distance across from its axis.
fn place(dx_m: f64, [x, z]: [usize; 2]) -> (f64, f64) {
    let (x, z) = ((x as f64 + 0.5) * dx_m, (z as f64 + 0.5) * dx_m);
    (
        x,
        z - 0.5 * WIDTH_M - AXIS_M - SLANT * (x - SOURCE_AT_M - 0.5 * SOURCE_M),
    )
}

/// State of a flow at the end of its simulation.
struct Reached {
    /// Run-out in metres: distance from the source within which 99.5 % of the volume lies.
    runout_m: f64,
    /// Fraction of the heat of the poured lava that the liquid still contains.
    hot: f64,
}

impl Reached {
    fn from_flow(flow: &Flow) -> Self {
        let FlowBox { nx, dx_m, .. } = flow.space();
        let mut along = vec![0.0; nx];
        for c in 0..flow.space().columns() {
            let column = flow.column(c);
            along[c % nx] += column.liquid_m + column.set_m;
        }
        let mut left = 0.005 * along.iter().sum::<f64>();
        let mut end = nx;
        while end > 1 && along[end - 1] < left {
            left -= along[end - 1];
            end -= 1;
        }
        let runout_m =
            (end as f64 - left / along[end - 1].max(1e-9)) * dx_m - SOURCE_AT_M - SOURCE_M;
        let account = flow.account();
        let gone = account.heat_set
            + account.heat_out
            + account.heat_sky
            + account.heat_roof
            + account.heat_bed;
        Self {
            runout_m,
            hot: (account.heat_poured - gone) as f64 / account.heat_poured as f64,
        }
    }
}

/// Simulates lava in a valley with cells `dx_m` metres wide and `dz_m` metres high until `END_H`.
/// Returns the flow, its final state, and pairs (time in hours, run-out in metres).
fn run(dx_m: f64, dz_m: f64) -> (Flow, Reached, Vec<(f64, f64)>) {
    let mut flow = valley(dx_m, dz_m);
    let nx = flow.space().nx;
    let is_source = |&c: &usize| {
        let (x, z) = ((c % nx) as f64 + 0.5, (c / nx) as f64 + 0.5);
        (SOURCE_AT_M..SOURCE_AT_M + SOURCE_M).contains(&(x * dx_m))
            && (z * dx_m - 0.5 * WIDTH_M - AXIS_M).abs() < 0.5 * SOURCE_M
    };
    let source: Vec<usize> = (0..flow.space().columns()).filter(is_source).collect();
    let volume = |t: f64| RATE * t.min(POURED_H * HOUR_S) / source.len() as f64;
    let mut runout = Vec::new();
    while flow.time_s() < END_H * HOUR_S {
        let (from_s, to_s) = (flow.time_s(), flow.time_s() + STEP_S);
        let (before_m3, after_m3, temperature_k) =
            (volume(from_s), volume(to_s), flow.setup().lava.vent_k);
        let pour = |&column: &usize| FlowPour {
            column,
            level: None,
            before_m3,
            after_m3,
            temperature_k,
        };
        let pours: Vec<FlowPour> = source.iter().map(pour).collect();
        flow.step(&pours);
        if flow.steps().is_multiple_of((HOUR_S / STEP_S) as u64) {
            runout.push((flow.time_s() / HOUR_S, Reached::from_flow(&flow).runout_m));
        }
    }
    let reached = Reached::from_flow(&flow);
    (flow, reached, runout)
}

/// Compares the final states of flows in the same valley with several cell sizes `cells` (width,
/// height) in metres; the first size is the reference. `share`: tolerance of the run-out as a
/// fraction.
fn compared(cells: &[(f64, f64)], share: f64) -> Measured {
    let (mut flow, first, theory) = run(cells[0].0, cells[0].1);
    let axes = ["time in h", "run-out in m"];
    let mut found = curve("the finest cells", axes, false);
    found.theory = theory;
    let mut rows = Vec::new();
    for &(dx_m, dz_m) in &cells[1..] {
        let (other, reached, runout) = run(dx_m, dz_m);
        let at = format!("cells of {dx_m} m × {dz_m} m");
        rows.push(MeasuredRow::relative(
            &format!("run-out in m, {at}"),
            first.runout_m,
            reached.runout_m,
            share,
        ));
        rows.push(MeasuredRow::relative(
            &format!("share of the heat still liquid, {at}"),
            first.hot,
            reached.hot,
            0.03,
        ));
        (flow, found.model) = (other, runout);
    }
    Measured::new(rows, found, flow)
}

pub(super) fn by_height() -> Measured {
    compared(&[(10.0, 1.0), (10.0, 2.5), (10.0, 5.0), (10.0, 10.0)], 0.03)
}

pub(super) fn by_width() -> Measured {
    compared(&[(5.0, 5.0), (10.0, 5.0), (20.0, 5.0)], 0.04)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a small version of the case: cells 20 and 10 m wide, and three heights.
    #[test]
    fn a_cooling_flow_does_not_know_its_cells() {
        let found = compared(&[(20.0, 1.0), (20.0, 10.0), (10.0, 5.0)], 0.04);
        assert_eq!(found.flow.check(), Ok(()));
        for row in &found.rows {
            assert!(row.is_within_tolerance(), "{row:?}");
        }
    }
}
