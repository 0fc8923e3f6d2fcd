//! Tests of heat and crust that cross faces to second order: exact sums, bounds, sharp edges.

use super::tests::{at_step, draw, random_flow};
use super::*;
use crate::motion::parcel::Parcel;
use crate::store::column::Warmth;

/// Sums over all columns: amount, heat, crust.
fn sums(flow: &Flow) -> [i128; 3] {
    flow.columns
        .iter()
        .fold([0; 3], |[amount, heat, crust], (_, column)| {
            [
                amount + i128::from(column.amount()),
                heat + column.heat(),
                crust + i128::from(column.crust),
            ]
        })
}

#[test]
fn motion_keeps_amount_heat_and_crust_to_the_unit() {
    let (mut carried, mut moved) = (0, 0);
    for seed in 300..324 {
        let (mut flow, pours) = random_flow(seed);
        for step in 0..20 {
            flow.step(&at_step(&pours, step, 12));
            for (c, column) in flow
                .columns
                .iter_mut()
                .filter(|(_, column)| column.is_wet())
            {
                if flow.tables.carries_skin {
                    let kelvin = 300.0 * draw(seed, 900 + c as u64);
                    column.crust = (kelvin * column.amount() as f64 * HEAT_UNITS as f64) as i64;
                }
            }
            flow.find_runs();
            let (before, faces) = (sums(&flow), flow.account.fluxes);
            let sky = flow.account.heat_sky;
            let wet: Vec<u32> = flow.wet().to_vec();
            let mut plan = motion::plan::Plan::new(flow.space.columns());
            plan.begin(flow.ground(), Some(&wet), &[]);
            assert!(flow.make_rounds(&mut plan, &[], None));
            let after = sums(&flow);
            // What a drained cell leaves by rounding is booked to the sky, and its crust dropped.
            assert_eq!(before[0], after[0], "seed {seed}, step {step}");
            assert_eq!(before[1], after[1] + flow.account.heat_sky - sky);
            if wet.iter().all(|&c| flow.columns[c as usize].is_wet()) {
                assert_eq!(before[2], after[2], "seed {seed}, step {step}");
                carried += before[2];
            }
            flow.check().expect("exact");
            moved += flow.account.fluxes - faces;
        }
    }
    assert!(carried > 0 && moved > 10_000, "{carried} {moved}");
}

#[test]
fn four_parcels_leave_no_cell_without_its_heat() {
    for seed in 0..20_000 {
        let d = |use_| draw(seed, use_);
        let amount = 1 + (d(1).powi(3) * f64::from(UNITS)) as i32;
        let cell = FlowCell {
            amount,
            heat: (f64::from(amount) * 1400.0 * d(2) * 256.0) as i64,
            rock: 0,
        };
        let warmth = Warmth::from_cell(cell);
        let mut left = cell.heat;
        for face in 0..4 {
            let part = (d(10 + face).sqrt() * f64::from(amount / 4)) as i32;
            let parcel = Parcel::of((3000.0 * (d(20 + face) - 0.5)) as f32, 0.0);
            let heat = parcel.heat(part, i64::from(amount), warmth);
            assert!(heat >= 0, "{cell:?}: {heat}");
            left -= heat;
        }
        assert!(left >= 0, "{cell:?}: {left}");
    }
}
