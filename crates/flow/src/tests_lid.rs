//! Tests of lids of rock that cool together with the liquid below them.

use super::*;

/// Pond of lava 2 m deep in a pit of 3 × 3 columns, with walls of rock, in cells `dz_m` metres
/// high.
fn pond(dz_m: f64) -> Flow {
    let space = FlowBox {
        nx: 7,
        ny: (30.0 / dz_m) as usize,
        nz: 7,
        dx_m: 10.0,
        dz_m,
    };
    let setup = FlowSetup {
        lava: Lava::default(),
        step_s: 60.0,
        open_sides: false,
        seed: 1,
        heaters: Vec::new(),
    };
    let is_pit = |c: &usize| (2..5).contains(&(c % 7)) && (2..5).contains(&(c / 7));
    let ground: Vec<f64> = (0..49)
        .map(|c| if is_pit(&c) { 10.0 } else { 16.0 })
        .collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    let pour = |column| FlowPour {
        column,
        level: None,
        before_m3: 0.0,
        after_m3: 200.0,
        temperature_k: 1360.0,
    };
    flow.fill((0..49).filter(is_pit).map(pour));
    flow
}

/// Heat in 10⁸ J/m² that the surface of a pond with cells of height `dz_m` (metres) lost in `hours`
/// hours, and the final thickness in metres of the rock.
fn lost(dz_m: f64, hours: u64) -> (f64, f64) {
    let mut flow = pond(dz_m);
    for step in 0..60 * hours {
        flow.step(&[]);
        if step % 240 == 0 {
            let mut other = pond(dz_m);
            other
                .restore(flow.state())
                .expect("a state of the same box");
            assert_eq!(other.hash(), flow.hash());
        }
    }
    flow.check().expect("exact");
    let account = flow.account();
    let joules = (account.heat_sky + account.heat_roof) as f64 / flow.heat_units_of_joule();
    (joules / 900.0 / 1e8, flow.column(3 * 7 + 3).set_m)
}

#[test]
fn a_pond_that_sets_loses_the_same_heat_in_cells_of_any_height() {
    let (whole, _) = lost(2.0, 72);
    for dz_m in [1.0, 0.5, 0.25] {
        let (other, _) = lost(dz_m, 72);
        assert!(
            (other / whole - 1.0).abs() < 0.03,
            "{dz_m} m: {other}, {whole}"
        );
    }
    // Within a day a lid sets in low cells alone.
    let [(whole, none), (low, lid)] = [2.0, 0.25].map(|dz_m| lost(dz_m, 24));
    assert!((low / whole - 1.0).abs() < 0.03, "{low}, {whole}");
    assert!(none == 0.0 && lid > 0.0, "{none} m, {lid} m");
}
