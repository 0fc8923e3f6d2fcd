//! Verification cases in boxes with roofs, tunnels, overhangs and cliffs.

use super::{Measured, MeasuredRow, at_once, curve, flow, flow_box, isothermal, steady};
use lavoxel_flow::motion::tables::GRAVITY;
use lavoxel_flow::{Flow, FlowBox, FlowEdit};

/// Creates a box of rock with hollow cells: the cells for which `is_open(x, y)` is true, for all z.
/// `pa_s`: viscosity of the lava in Pa s; `step_s`: time step in seconds.
fn carved(space: FlowBox, pa_s: f64, step_s: f64, is_open: impl Fn(usize, usize) -> bool) -> Flow {
    let mut flow = flow(
        space,
        isothermal(2600.0, pa_s, 0.0),
        step_s,
        false,
        |_, _| 0.0,
    );
    let places = (0..space.nz)
        .flat_map(|z| (0..space.ny).flat_map(move |y| (0..space.nx).map(move |x| [x, y, z])));
    flow.edit(places.filter(|&[x, y, _]| !is_open(x, y)), FlowEdit::Rock);
    flow
}

pub(super) fn roofed_channel() -> Measured {
    // A shaft kept at 15 m, 160 m of a channel 5 m high, and a shaft that fills from 5.5 m.
    let space = flow_box([30, 14, 3], [10.0, 5.0]);
    let is_shaft = |x: usize| (2..7).contains(&x) || (22..27).contains(&x);
    let mut flow = carved(space, 1e5, 0.25, |x, y| {
        y > 0 && (is_shaft(x) || (7..22).contains(&x) && y == 1)
    });
    let fill = |flow: &mut Flow, x: usize, high: f64| {
        for z in 0..3 {
            let c = z * space.nx + x;
            let missing = high - flow.column(c).liquid_m;
            if missing > 0.0 {
                flow.fill([at_once(c, missing * 100.0, 1360.0)]);
            }
        }
    };
    (7..22).for_each(|x| fill_tunnel(&mut flow, x));
    // The lower end is submerged from the start: 5.5 m of liquid at a channel 5 m high.
    (22..27).for_each(|x| fill(&mut flow, x, 5.5));
    let mut found = curve("theory", ["time in s", "flux in m²/s"], false);
    let mut before = None;
    let mut last = (0.0, 0.0);
    for _ in 0..20 {
        for _ in 0..400 {
            (2..7).for_each(|x| fill(&mut flow, x, 15.0));
            flow.step(&[]);
        }
        let there: f64 = (22..27)
            .map(|x| flow.column(space.nx + x).liquid_m)
            .sum::<f64>()
            * 10.0;
        let right = flow.column(space.nx + 22).liquid_m;
        if let Some((was, level)) = before {
            let middle: f64 = (right + level) / 2.0;
            let length = 160.0;
            let law = 2600.0 * GRAVITY * 125.0 * (15.0 - middle) / (12.0 * 1e5 * length);
            last = (law, (there - was) / 100.0);
            found.push(flow.time_s(), last.1, law);
        }
        before = Some((there, right));
    }
    let rows = vec![MeasuredRow::relative(
        "flux through the channel, m²/s",
        last.0,
        last.1,
        0.01,
    )];
    Measured::new(rows, found, flow)
}

/// Fills the cell of the tunnel (y = 1) in column `x` with lava, in all three rows z.
fn fill_tunnel(flow: &mut Flow, x: usize) {
    let space = flow.space();
    flow.fill((0..3).map(|z| super::FlowPour {
        level: Some(1),
        ..at_once(z * space.nx + x, 500.0, 1360.0)
    }));
}

pub(super) fn u_tube() -> Measured {
    // A shaft of 60 m next to an empty shaft: the liquid comes to rest above the roof of the
    // tunnel, under pressure.
    let space = flow_box([25, 16, 3], [10.0, 5.0]);
    let is_shaft = |x: usize| (2..7).contains(&x) || (18..23).contains(&x);
    let mut flow = carved(space, 1e6, 20.0, |x, y| {
        y > 0 && (is_shaft(x) || (7..18).contains(&x) && y <= 2)
    });
    flow.fill((0..3).flat_map(|z| (2..7).map(move |x| at_once(z * 25 + x, 6000.0, 1360.0))));
    let level = |flow: &Flow, from: usize| {
        (from..from + 5)
            .map(|x| flow.column(25 + x).liquid_m)
            .sum::<f64>()
            / 5.0
    };
    let mut found = curve("the other shaft", ["time in s", "level in m"], false);
    for _ in 0..40 {
        (0..50).for_each(|_| flow.step(&[]));
        found.push(flow.time_s(), level(&flow, 2), level(&flow, 18));
    }
    // The poured volume fills the tunnel of 11 columns to 10 m and 10 columns of the shafts. A slot
    // of 1/16 represents pressure: the tunnel stores 1/16 m more for each metre of head above its
    // roof.
    let above = (5.0 * 60.0 - 21.0 * 10.0) / (10.0 + 11.0 / 16.0);
    let rows = vec![
        MeasuredRow::absolute("levels meet, m", level(&flow, 18), level(&flow, 2), 0.001),
        MeasuredRow::relative(
            "level above the tunnel's floor, m",
            10.0 + above,
            level(&flow, 2),
            0.001,
        ),
        MeasuredRow::absolute(
            "thickness in the full tunnel, m",
            10.0,
            flow.column(25 + 12).liquid_m,
            1e-6,
        ),
    ];
    Measured::new(rows, found, flow)
}

pub(super) fn lake() -> Measured {
    let space = flow_box([41, 14, 41], [10.0, 5.0]);
    let ground = |x: usize, z: usize| {
        let (x, z) = (x as f64 - 20.0, z as f64 - 20.0);
        let r = (x * x + z * z).sqrt();
        let rim = if r < 9.0 {
            (10.0 + 0.5 * r * r).min(40.0)
        } else {
            (40.0 - (r - 9.0) * 4.0).max(1.0)
        };
        // The notch is the lowest lip: lava must leave the lake over the notch alone.
        let notch = 30.0 - (r - 9.0).max(0.0) * 3.0;
        if x > 4.0 && z.abs() <= 2.0 {
            rim.min(notch).max(1.0)
        } else {
            rim
        }
    };
    let mut flow = flow(space, isothermal(2600.0, 1e5, 0.0), 10.0, true, ground);
    let middle = space.columns() / 2;
    let mut found = curve("the lowest lip", ["time in s", "level in m"], false);
    for _ in 0..15 {
        for _ in 0..60 {
            let pour = steady(&flow, middle, 20.0, 1360.0);
            flow.step(&[pour]);
        }
        found.push(flow.time_s(), flow.column(middle).surface_m, 30.0);
    }
    let (mut spilt, mut over_lip, mut highest, mut lowest) = (0.0, 0.0, f64::MIN, f64::MAX);
    for c in 0..space.columns() {
        let (x, z) = ((c % 41) as f64 - 20.0, (c / 41) as f64 - 20.0);
        let (r, column) = ((x * x + z * z).sqrt(), flow.column(c));
        if r > 11.0 {
            spilt += column.liquid_m;
            over_lip += if x > z.abs() { column.liquid_m } else { 0.0 };
        }
        if r < 4.0 {
            highest = column.surface_m.max(highest);
            lowest = column.surface_m.min(lowest);
        }
    }
    let rows = vec![
        MeasuredRow::absolute(
            "share of the spill over the lowest lip",
            1.0,
            if spilt > 0.0 { over_lip / spilt } else { 0.0 },
            1e-9,
        ),
        MeasuredRow::absolute("the lake is level, m", 0.0, highest - lowest, 0.15),
    ];
    Measured::new(rows, found, flow)
}

pub(super) fn cliff() -> Measured {
    let space = flow_box([31, 24, 31], [10.0, 5.0]);
    let mut flow = carved(space, 1e5, 50.0, |x, y| {
        if x < 12 {
            y >= 14 || x >= 6 && (4..10).contains(&y)
        } else {
            y > 0
        }
    });
    let mut found = curve(
        "poured",
        ["time in s", "volume below the cliff in m³"],
        false,
    );
    let below = |flow: &Flow| {
        let columns = (0..space.columns()).filter(|c| c % space.nx >= 12);
        columns
            .map(|c| flow.column(c).liquid_m * 100.0)
            .sum::<f64>()
    };
    // Checked after each step: a fall past an edge may pass through rock only for a moment.
    let mut faults = 0.0;
    for _ in 0..20 {
        for _ in 0..20 {
            let pour = steady(&flow, 15 * space.nx + 4, 5.0, 1360.0);
            flow.step(&[pour]);
            faults += f64::from(u8::from(flow.check().is_err()));
        }
        found.push(flow.time_s(), below(&flow), 5.0 * flow.time_s());
    }
    let rows = vec![
        MeasuredRow::absolute("steps with liquid in rock or afloat", 0.0, faults, 0.0),
        MeasuredRow::absolute(
            "liquid falls past the edge",
            1.0,
            f64::from(u8::from(below(&flow) > 0.0)),
            0.0,
        ),
    ];
    Measured::new(rows, found, flow)
}
