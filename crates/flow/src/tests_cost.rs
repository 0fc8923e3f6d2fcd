//! Tests of cost, in sub-steps and face evaluations: liquid at rest costs nothing, the cost of deep
//! liquid depends on its flux, and head differences whose levelling is deferred stay small.

use super::*;
use lavoxel_base::random::mix64;

/// Lava with the viscosity `viscosity_pa_s` (Pa s) and the yield strength `yield_pa` (Pa) at every
/// temperature, which neither cools nor solidifies.
fn still_lava(viscosity_pa_s: f64, yield_pa: f64) -> Lava {
    Lava {
        viscosity: Viscosity::Constant {
            pa_s: viscosity_pa_s,
        },
        cooling: Cooling::None,
        yield_pa,
        yield_factor: 0.0,
        bed_conduction: 0.0,
        conduction: 0.0,
        ..Lava::preset("etna-basalt").expect("a preset")
    }
}

/// Pond with `depth_m(x, z)` metres of lava in each of `n` × `n` columns, 10 m wide and surrounded
/// by walls.
fn pond(n: usize, lava: Lava, depth_m: impl Fn(usize, usize) -> f64) -> Flow {
    let space = FlowBox {
        nx: n,
        ny: 100,
        nz: n,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let hot = lava.vent_k;
    let setup = FlowSetup {
        lava,
        step_s: 40.0,
        open_sides: false,
        seed: 3,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(space, setup, &vec![10.0; space.columns()]).expect("numbers in range");
    let pour = |c: usize| FlowPour {
        column: c,
        level: None,
        before_m3: 0.0,
        after_m3: depth_m(c % n, c / n) * 100.0,
        temperature_k: hot,
    };
    flow.fill((0..n * n).map(pour));
    flow
}

fn heads(flow: &Flow) -> Vec<f64> {
    (0..flow.space.columns())
        .map(|c| flow.column(c).surface_m)
        .collect()
}

/// Makes `steps` steps; returns the number of sub-steps and the number of face evaluations in these
/// steps.
fn cost(flow: &mut Flow, steps: usize) -> [u64; 2] {
    let before = flow.account;
    (0..steps).for_each(|_| flow.step(&[]));
    [
        flow.account.sub_steps - before.sub_steps,
        flow.account.faces - before.faces,
    ]
}

/// Makes steps until no liquid moves; returns the number of these steps, and of the sub-steps and
/// face evaluations in them. Panics after `most` steps.
fn to_rest(flow: &mut Flow, most: usize) -> (usize, [u64; 2]) {
    let before = flow.account;
    for step in 0..most {
        if cost(flow, 1) == [0, 0] {
            let after = flow.account;
            return (
                step,
                [
                    after.sub_steps - before.sub_steps,
                    after.faces - before.faces,
                ],
            );
        }
    }
    panic!("no rest after {most} steps: {:?}", flow.account);
}

#[test]
fn a_level_pond_of_any_depth_costs_nothing() {
    for depth in [0.5, 5.0, 20.0, 80.0] {
        let mut flow = pond(21, still_lava(1e3, 0.0), |_, _| depth);
        flow.step(&[]);
        assert_eq!(cost(&mut flow, 1000), [0, 0], "{depth} m");
        assert!(
            flow.changed().is_empty() && flow.wet().len() == 441,
            "{depth} m"
        );
        flow.check().expect("exact");
    }
}

#[test]
fn a_disturbed_pond_comes_to_rest_at_a_cost_that_does_not_grow_with_the_cube_of_its_depth() {
    let mut faces = Vec::new();
    for depth in [5.0, 10.0, 20.0, 40.0] {
        let mut flow = pond(21, still_lava(1e3, 0.0), |x, z| {
            depth + if (x, z) == (4, 7) { 3.0 } else { 0.0 }
        });
        let (_, [_, count]) = to_rest(&mut flow, 4000);
        let heads = heads(&flow);
        let level = 10.0 + depth + 3.0 / 441.0;
        let off = heads
            .iter()
            .map(|head| (head - level).abs())
            .fold(0.0, f64::max);
        // Differences of 8 units of 0.3 µm from column to column count as rest.
        assert!(off < 21.0 * 3e-6, "{depth} m: {off} m from level");
        flow.check().expect("exact");
        faces.push(count);
    }
    assert!(
        faces.windows(2).all(|pair| pair[1] <= 2 * pair[0]),
        "{faces:?}"
    );
}

/// Basin filled with lava, with a notch in its rim; the test's vent lies far from the notch.
fn basin() -> Flow {
    let (n, depth) = (25, 10.0);
    let space = FlowBox {
        nx: n,
        ny: 60,
        nz: n,
        dx_m: 10.0,
        dz_m: 2.0,
    };
    let lava = still_lava(1e4, 0.0);
    let hot = lava.vent_k;
    let setup = FlowSetup {
        lava,
        step_s: 40.0,
        open_sides: true,
        seed: 3,
        heaters: Vec::new(),
    };
    let is_rim = |x: usize, z: usize| [x, z].iter().any(|&i| i == 1 || i == n - 2);
    let is_outside = |x: usize, z: usize| [x, z].iter().any(|&i| i == 0 || i == n - 1);
    let ground = |c: usize| match (c % n, c / n) {
        (x, z) if is_outside(x, z) => 4.0,
        (x, z) if (x, z) == (n - 2, n / 2) => 4.0 + depth - 3.0,
        (x, z) if is_rim(x, z) => 4.0 + depth + 12.0,
        _ => 4.0,
    };
    let ground: Vec<f64> = (0..n * n).map(ground).collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    let inside = (0..n * n).filter(|c| ground[*c] == 4.0 && !is_outside(c % n, c / n));
    let pour = |c| FlowPour {
        column: c,
        level: None,
        before_m3: 0.0,
        after_m3: 100.0 * depth,
        temperature_k: hot,
    };
    flow.fill(inside.map(pour));
    flow
}

#[test]
fn sub_steps_that_are_put_off_change_neither_level_nor_outflow() {
    let run = |is_exact: bool| {
        let mut flow = basin();
        // Without a tolerance the flow makes every sub-step that stability asks for.
        if is_exact {
            (flow.tables.tolerance, flow.tables.deep) = (0, 60);
        }
        let vent = FlowPour {
            column: 12 * 25 + 5,
            level: None,
            before_m3: 0.0,
            after_m3: 20.0 * 40.0,
            temperature_k: flow.setup.lava.vent_k,
        };
        for step in 0..8_u64 {
            let at = |n: u64| n as f64 * vent.after_m3;
            flow.step(&[FlowPour {
                before_m3: at(step),
                after_m3: at(step + 1),
                ..vent
            }]);
        }
        flow.check().expect("exact");
        flow
    };
    let (eased, exact) = (run(false), run(true));
    let in_basin = |c: &usize| (2..23).contains(&(c % 25)) && (2..23).contains(&(c / 25));
    let heads = [heads(&eased), heads(&exact)];
    let off: Vec<f64> = (0..625)
        .filter(in_basin)
        .map(|c| (heads[0][c] - heads[1][c]).abs())
        .collect();
    let most = off.iter().copied().fold(0.0, f64::max);
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let out =
        [eased.account.out, exact.account.out].map(|units| units as f64 * eased.space.unit_m3());
    assert!(eased.account.faces * 4 < exact.account.faces * 3);
    assert!(most < 0.01 && mean < 0.003, "{most} m, {mean} m");
    assert!(
        out[1] > 50.0 && (out[0] / out[1] - 1.0).abs() < 0.02,
        "{out:?} m³"
    );
}

#[test]
fn a_dome_that_a_yield_strength_holds_costs_nothing() {
    let strong = |x: usize, z: usize| {
        let [x, z] = [x, z].map(|i| (i as f64 - 20.0) * 10.0);
        (9.0 - 0.075 * x.hypot(z)).max(0.0)
    };
    let mut flow = pond(41, still_lava(1e4, 2e3), strong);
    to_rest(&mut flow, 20_000);
    assert!(flow.account.liquid() > 0);
    let column = flow.column(20 * 41 + 20);
    assert!(column.liquid_m > 3.0, "{} m", column.liquid_m);
    assert_eq!(cost(&mut flow, 100), [0, 0]);
}

#[test]
fn a_box_that_is_filled_to_its_roof_costs_nothing() {
    let mut flow = pond(15, still_lava(1e4, 0.0), |_, _| 14.0);
    let roof = (0..225).map(|c| [c % 15, 5, c / 15]);
    flow.edit(roof, FlowEdit::Rock);
    let vent = |step: u64| FlowPour {
        column: 7 * 15 + 3,
        level: Some(3),
        before_m3: 800.0 * step as f64,
        after_m3: 800.0 * (step + 1) as f64,
        temperature_k: 1360.0,
    };
    (0..30).for_each(|step| flow.step(&[vent(step)]));
    let full = (0..225).filter(|&c| flow.columns[c].runs[0].full).count();
    assert_eq!(full, 225, "{:?}", flow.account);
    to_rest(&mut flow, 4000);
    flow.check().expect("exact");
}

#[test]
fn what_rests_wakes_when_something_comes() {
    let lava = still_lava(1e3, 0.0);
    let hot = lava.vent_k;
    let mut flow = pond(21, lava, |_, _| 20.0);
    flow.step(&[]);
    let pour = FlowPour {
        column: 0,
        level: None,
        before_m3: 0.0,
        after_m3: 500.0,
        temperature_k: hot,
    };
    flow.step(&[pour]);
    assert!(to_rest(&mut flow, 4000).0 > 0);
    flow.edit([[10, 6, 10]], FlowEdit::Drain);
    assert!(to_rest(&mut flow, 4000).0 > 0);
    let heads = heads(&flow);
    let [low, high] =
        [f64::min, f64::max].map(|best: fn(f64, f64) -> f64| heads.iter().copied().reduce(best));
    assert!(
        high.zip(low).is_some_and(|(high, low)| high - low < 1e-4),
        "{low:?} to {high:?}"
    );
}

#[test]
fn ponds_are_the_plain_step_to_the_bit_and_do_not_depend_on_threads() {
    for seed in 0..6_u64 {
        let depth = |x: usize, z: usize| {
            15.0 + (mix64(seed << 32 | (x * 100 + z) as u64) % 100) as f64 * 0.03
        };
        let shallow = |x: usize, z: usize| if x < 9 { depth(x, z) } else { 1e-9 };
        let strength = if seed % 2 == 0 { 0.0 } else { 300.0 };
        let first = pond(13, still_lava(3e2, strength), |x, z| {
            if seed < 3 { depth(x, z) } else { shallow(x, z) }
        });
        let (mut fast, mut plain) = (first.clone(), first);
        for step in 0..6 {
            fast.step(&[]);
            plain.plain_step(&[]);
            assert_eq!(
                (fast.account, fast.hash()),
                (plain.account, plain.hash()),
                "seed {seed}, step {step}"
            );
            let state = fast.state();
            fast.restore(state).expect("its own state");
        }
    }
}

#[test]
fn a_step_that_is_given_up_leaves_the_state_before_it() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut flow = pond(
        31,
        still_lava(1e2, 0.0),
        |x, _| if x < 15 { 30.0 } else { 1e-9 },
    );
    let mut other = flow.clone();
    flow.stop_by(Arc::clone(&stop));
    for step in 0..4 {
        let (hash, account) = (flow.hash(), flow.account);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        flow.step(&[]);
        // Short steps run to their end in spite of the flag.
        assert!(flow.was_stopped() || step > 0, "the first step is long");
        if flow.was_stopped() {
            assert_eq!(
                (flow.hash(), flow.account, flow.steps()),
                (hash, account, step)
            );
            flow.check().expect("exact");
            stop.store(false, std::sync::atomic::Ordering::Relaxed);
            flow.step(&[]);
        }
        other.step(&[]);
        assert_eq!((flow.hash(), flow.steps()), (other.hash(), step + 1));
    }
}
