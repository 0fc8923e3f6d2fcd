//! A flow that cools in a valley, at several heights and widths of cells. The valley runs aslant, so that margins lie at all places
//! within their columns, as on real ground; along the grid a whole row of columns sets at once.

use super::{Curve, Measured, Row, curve, flow};
use lavoxel_flow::{Flow, FlowBox, FlowPour, Lava};

const HOUR_S: f64 = 3600.0;
const LENGTH_M: f64 = 2400.0;
const WIDTH_M: f64 = 480.0;
const STEP_S: f64 = 20.0;

/// The source: a square of so many metres, the near end of which lies so far from the upper end of the valley.
const SOURCE_M: f64 = 40.0;
const SOURCE_AT_M: f64 = 100.0;

/// Rate in m³/s, and when it ends.
const RATE: f64 = 12.0;
const POURED_H: f64 = 6.0;
const END_H: f64 = 18.0;

/// By how much the axis of the valley leaves the grid, and where it lies at the source.
const SLANT: f64 = 0.08;
const AXIS_M: f64 = -60.0;

/// A parabolic valley that falls by 8°, 20 m deep where it is 400 m wide.
fn valley(dx_m: f64, dz_m: f64) -> Flow {
    let cells = |metres: f64| (metres / dx_m).round() as usize;
    let space = FlowBox { nx: cells(LENGTH_M), ny: (520.0 / dz_m) as usize, nz: cells(WIDTH_M), dx_m, dz_m };
    let fall = libm::tan(8.0_f64.to_radians());
    flow(space, Lava::default(), STEP_S, true, |x, z| {
        let (x, z) = place(dx_m, [x, z]);
        20.0 + (LENGTH_M - x) * fall + 20.0 * (z / 200.0) * (z / 200.0)
    })
}

/// Middle of a column: way along the valley, and from its axis.
fn place(dx_m: f64, [x, z]: [usize; 2]) -> (f64, f64) {
    let (x, z) = ((x as f64 + 0.5) * dx_m, (z as f64 + 0.5) * dx_m);
    (x, z - 0.5 * WIDTH_M - AXIS_M - SLANT * (x - SOURCE_AT_M - 0.5 * SOURCE_M))
}

/// End of a flow.
struct Reached {
    /// Way from the source within which 99.5 % of the volume lies.
    runout_m: f64,
    /// Heat in liquid, as part of what was poured.
    hot: f64,
}

impl Reached {
    fn of(flow: &Flow) -> Self {
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
        let runout_m = (end as f64 - left / along[end - 1].max(1e-9)) * dx_m - SOURCE_AT_M - SOURCE_M;
        let account = flow.account();
        let gone = account.heat_set + account.heat_out + account.heat_sky + account.heat_roof + account.heat_bed;
        Self { runout_m, hot: (account.heat_poured - gone) as f64 / account.heat_poured as f64 }
    }
}

/// Runs a valley to its end; gives the run-out by the hour too.
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
        let (before_m3, after_m3, temperature_k) = (volume(from_s), volume(to_s), flow.setup().lava.vent_k);
        let pour = |&column: &usize| FlowPour { column, level: None, before_m3, after_m3, temperature_k };
        let pours: Vec<FlowPour> = source.iter().map(pour).collect();
        flow.step(&pours);
        if flow.steps().is_multiple_of((HOUR_S / STEP_S) as u64) {
            runout.push((flow.time_s() / HOUR_S, Reached::of(&flow).runout_m));
        }
    }
    let reached = Reached::of(&flow);
    (flow, reached, runout)
}

/// The flow at some sizes of cells, the first of which is the reference of the others.
fn compared(cells: &[(f64, f64)], share: f64) -> Measured {
    let (mut flow, first, theory) = run(cells[0].0, cells[0].1);
    let axes = ["time in h", "run-out in m"];
    let mut found = Curve { reference: "the finest cells", theory, ..curve(axes, false) };
    let mut rows = Vec::new();
    for &(dx_m, dz_m) in &cells[1..] {
        let (other, reached, runout) = run(dx_m, dz_m);
        let at = format!("cells of {dx_m} m × {dz_m} m");
        rows.push(Row::relative(&format!("run-out in m, {at}"), first.runout_m, reached.runout_m, share));
        rows.push(Row::relative(&format!("share of the heat still liquid, {at}"), first.hot, reached.hot, 0.03));
        (flow, found.model) = (other, runout);
    }
    Measured { rows, curve: found, flow }
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

    /// The case in small: cells 20 and 10 m wide, and two heights.
    #[test]
    fn a_cooling_flow_does_not_know_its_cells() {
        let found = compared(&[(20.0, 1.0), (20.0, 10.0), (10.0, 5.0)], 0.04);
        assert_eq!(found.flow.check(), Ok(()));
        for row in &found.rows {
            assert!(row.holds(), "{row:?}");
        }
    }
}
