//! Tests of heat and crust of the liquid that crosses faces, computed to second order: exact sums,
//! bounds, sharp edges.

use super::tests::{at_step, draw, random_flow};
use super::*;
use crate::motion::parcel::Parcel;
use crate::store::column::Warmth;

/// Sums over all columns of amount, heat, and heat deficit of the crust, in units.
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

/// Width in metres over which the temperature changes from 10 to 90 % between hot and cold lava
/// side by side, after 200 m of flow down a slope of 8° at an angle to the grid. `is_second_order`:
/// method for the heat that crosses faces; false: donor-cell method.
fn mixed_m(is_second_order: bool) -> f64 {
    let n = 48;
    let space = FlowBox {
        nx: n,
        ny: 40,
        nz: n,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let lava = Lava {
        viscosity: Viscosity::Constant { pa_s: 1e5 },
        cooling: Cooling::None,
        yield_pa: 0.0,
        yield_factor: 0.0,
        bed_conduction: 0.0,
        ..Lava::default()
    };
    let setup = FlowSetup {
        lava,
        step_s: 40.0,
        open_sides: true,
        seed: 1,
        heaters: Vec::new(),
    };
    let fall = 8f64.to_radians().tan() * 10.0 / 2f64.sqrt();
    let ground: Vec<f64> = (0..n * n)
        .map(|c| 150.0 - fall * (c % n + c / n) as f64)
        .collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    flow.tables.is_second_order = is_second_order;
    flow.fill((0..n * n).map(|column| FlowPour {
        column,
        level: None,
        before_m3: 0.0,
        after_m3: 200.0,
        temperature_k: if column % n > column / n {
            1360.0
        } else {
            1160.0
        },
    }));
    // A sheet 2 m deep moves by 4.7 cm/s.
    (0..107).for_each(|_| flow.step(&[]));
    flow.check().expect("exact");
    let share = |i: i32| {
        let c = ((24 + i) + (24 - i) * n as i32) as usize;
        let kelvin = flow.column(c).surface_k.expect("liquid");
        assert!((1159.9..1360.1).contains(&kelvin), "{kelvin} K");
        (kelvin - 1160.0) / 200.0
    };
    let mixed = (-15..=15).filter(|&i| (0.1..0.9).contains(&share(i)));
    mixed.count() as f64 * 10.0 * 2f64.sqrt()
}

#[test]
fn hot_and_cold_lava_side_by_side_stay_apart_aslant_to_the_grid() {
    let [donor, parcels] = [false, true].map(mixed_m);
    assert!(donor > 70.0, "{donor} m: without parcels");
    assert!(parcels < 40.0, "{parcels} m");
}
