//! Tests of the accounts of amount and heat, of melting and solidification, and of pieces of solid
//! that fall when they lose their support.

use super::super::*;
use super::{FlowHeater, Heats};
use lavoxel_base::random::mix64;

fn draw(seed: u64, use_: u64) -> f64 {
    (mix64(mix64(seed ^ 0x736f_6c69) ^ use_) >> 11) as f64 / (1u64 << 53) as f64
}

fn setup(lava: Lava, step_s: f64) -> FlowSetup {
    FlowSetup {
        lava,
        step_s,
        open_sides: false,
        seed: 3,
        heaters: Vec::new(),
    }
}

fn preset(name: &str) -> Lava {
    Lava::preset(name).expect("a preset")
}

/// Box of `nx` × `ny` × `nz` cells, cubes of a centimetre.
fn small(nx: usize, ny: usize, nz: usize) -> FlowBox {
    FlowBox {
        nx,
        ny,
        nz,
        dx_m: 0.01,
        dz_m: 0.01,
    }
}

fn block(from: [usize; 3], to: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [x, y, z] = [0, 1, 2].map(|i| from[i]..to[i]);
    x.flat_map(move |x| {
        y.clone().flat_map({
            let z = z.clone();
            move |y| z.clone().map(move |z| [x, y, z])
        })
    })
}

/// Random small flow of a lava that melts, with rough ground, blocks of solid, heaters, and warm or
/// cold air; and the pour of its vent.
fn random_flow(seed: u64) -> (Flow, FlowPour) {
    let d = |use_| draw(seed, use_);
    let names = ["paraffin-wax", "chocolate", "semisolid-aluminium", "ice"];
    let mut lava = preset(names[(d(1) * 4.0) as usize]);
    lava.ambient_k = lava.solidus_k - 20.0 + 60.0 * d(2);
    lava.vent_k = lava.liquidus_k.max(lava.ambient_k) + 10.0 + 60.0 * d(3);
    lava.bed_conduction = if d(4) < 0.5 { 0.0 } else { d(4) };
    // Stiff, so that a test needs few sub-steps.
    lava.viscosity = Viscosity::Melt {
        pa_s: 5.0 + 50.0 * d(5),
        mush: 100.0,
    };
    let space = FlowBox {
        nx: 5 + (d(6) * 6.0) as usize,
        ny: 12,
        nz: 6,
        dx_m: 0.02,
        dz_m: 0.005 + 0.02 * d(7),
    };
    let columns = space.columns();
    let cells = |salt: u64| {
        let near = move |c: usize| draw(seed ^ salt, c as u64 / 4) < 0.3;
        (0..columns as u32)
            .filter(move |&c| near(c as usize))
            .flat_map(|c| (1..9).map(move |level| (c, level)))
    };
    let heater = |salt: u64, heats| FlowHeater {
        cells: cells(salt).collect(),
        heats,
        power_w: 200.0 * d(8 + salt),
        up_to_k: lava.vent_k,
        from_s: 0.0,
        until_s: 60.0 * d(10 + salt),
    };
    let heaters = vec![heater(1, Heats::Surface), heater(2, Heats::Inside)];
    let step_s = 0.5 + 4.0 * d(13);
    let setup = FlowSetup {
        open_sides: d(14) < 0.5,
        heaters,
        seed,
        ..setup(lava.clone(), step_s)
    };
    let ground: Vec<f64> = (0..columns)
        .map(|c| space.dz_m * (0.5 + 3.0 * draw(seed ^ 5, c as u64)))
        .collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    for i in 0..3 {
        let at = [0, 1, 2].map(|axis| 0.7 * draw(seed ^ 9, 3 * i + axis));
        let sides = [space.nx, space.ny, space.nz];
        let from = [0, 1, 2].map(|axis| (at[axis] * sides[axis] as f64) as usize);
        let to = [0, 1, 2].map(|axis| (from[axis] + 3).min(sides[axis]));
        flow.edit(
            block(from, to),
            FlowEdit::Solid {
                temperature_k: lava.ambient_k.min(lava.solidus_k),
            },
        );
    }
    let pour = FlowPour {
        column: (d(15) * columns as f64) as usize,
        level: None,
        before_m3: 0.0,
        after_m3: 0.5 * space.cell_m3(),
        temperature_k: lava.vent_k,
    };
    (flow, pour)
}

fn pour_at(pour: FlowPour, step: u64) -> FlowPour {
    let each = if step < 12 { pour.after_m3 } else { 0.0 };
    FlowPour {
        before_m3: step as f64 * each,
        after_m3: (step + 1) as f64 * each,
        ..pour
    }
}

#[test]
fn ledgers_are_exact_after_every_step_of_random_worlds() {
    let (mut melted, mut set, mut heated, mut dug) = (0, 0, 0, 0);
    for seed in 0..16 {
        let (mut fast, pour) = random_flow(seed);
        let mut plain = fast.clone();
        for step in 0..25 {
            if step % 6 == 5 {
                // A ditch or a bank, with ends within cells.
                let removed = fast.account().removed;
                let near = |c: &u32| draw(seed ^ 77, step + u64::from(c / 5)) < 0.5;
                let columns: Vec<u32> = (0..fast.space().columns() as u32).filter(near).collect();
                let by = 2.0 * draw(seed ^ 78, step) - 1.5;
                fast.raise(&columns, by);
                plain.raise(&columns, by);
                fast.check()
                    .unwrap_or_else(|fault| panic!("seed {seed}, raised at step {step}: {fault}"));
                dug += i64::from(by < 0.0 && fast.account().removed > removed);
            }
            let before = fast.account().set;
            fast.step(&[pour_at(pour, step)]);
            plain.plain_step(&[pour_at(pour, step)]);
            fast.check()
                .unwrap_or_else(|fault| panic!("seed {seed}, step {step}: {fault}"));
            assert_eq!(fast.hash(), plain.hash(), "seed {seed}, step {step}");
            melted += (before - fast.account().set).max(0);
            set += (fast.account().set - before).max(0);
        }
        heated += i64::from(fast.account().heat_heated > 0);
    }
    assert!(
        melted > 0 && set > 0 && heated > 8,
        "melted {melted}, set {set}, heated in {heated} worlds"
    );
    assert!(dug > 8, "solid was dug away {dug} times");
}

#[test]
fn a_kept_state_goes_on_to_the_same_bits() {
    for seed in 0..6 {
        let (mut flow, pour) = random_flow(seed);
        (0..8).for_each(|step| flow.step(&[pour_at(pour, step)]));
        let (mut other, _) = random_flow(seed);
        other
            .restore(flow.state())
            .expect("a state of the same flow");
        for step in 8..16 {
            flow.step(&[pour_at(pour, step)]);
            other.step(&[pour_at(pour, step)]);
        }
        assert_eq!(flow.hash(), other.hash(), "seed {seed}");
    }
}

#[test]
fn heat_and_temperature_are_each_others_inverse() {
    let lava = preset("ice");
    for kelvin in [100.0, 272.0, 272.65, 272.9, 273.15, 273.2, 300.0] {
        let back = lava.temperature_of(lava.heat_at(kelvin));
        assert!((back - kelvin).abs() < 1e-9, "{kelvin}: {back}");
    }
    let latent = lava.heat_at(lava.liquidus_k) - lava.liquidus_k;
    assert!((latent - lava.latent_heat / lava.heat_capacity).abs() < 1e-9);
}

#[test]
fn a_block_melts_in_warm_air_and_sets_again_in_cold() {
    let warm = Lava {
        ambient_k: 360.0,
        vent_k: 360.0,
        convection: 200.0,
        ..preset("paraffin-wax")
    };
    let lava = Lava {
        viscosity: Viscosity::Melt {
            pa_s: 5.0,
            mush: 100.0,
        },
        ..warm
    };
    let mut flow =
        Flow::new(small(8, 6, 8), setup(lava.clone(), 5.0), &[0.01; 64]).expect("in range");
    flow.edit(
        block([2, 1, 2], [6, 4, 6]),
        FlowEdit::Solid {
            temperature_k: 290.0,
        },
    );
    let solid = flow.account().set;
    assert_eq!(solid, 48 * i64::from(UNITS));
    assert_eq!(
        flow.temperature_k([3, 2, 3])
            .map(|kelvin| (kelvin * 100.0).round()),
        Some(29_000.0)
    );
    for _ in 0..3000 {
        flow.step(&[]);
    }
    flow.check().expect("exact");
    assert_eq!(flow.account().set, 0, "all is molten");
    let depths: Vec<f64> = (0..64).map(|c| flow.column(c).liquid_m).collect();
    let mean = depths.iter().sum::<f64>() / 64.0;
    assert!(
        depths
            .iter()
            .all(|depth| (depth - mean).abs() < 0.02 * mean),
        "level: {depths:?}"
    );
    // The same liquid in cold air.
    let mut cold = Flow::new(
        small(8, 6, 8),
        setup(
            Lava {
                ambient_k: 280.0,
                ..lava
            },
            5.0,
        ),
        &[0.01; 64],
    )
    .expect("in range");
    cold.restore(flow.state()).expect("a flow of the same box");
    for _ in 0..3000 {
        cold.step(&[]);
    }
    cold.check().expect("exact");
    assert_eq!(
        (cold.account().set, cold.is_dry()),
        (solid, true),
        "all is solid again"
    );
}

#[test]
fn what_nothing_carries_falls_and_floats() {
    let lava = Lava {
        cooling: Cooling::None,
        conduction: 0.0,
        ..preset("paraffin-wax")
    };
    let heater = FlowHeater {
        // The foot of a mushroom.
        cells: (1..3).map(|level| (12, level)).collect(),
        heats: Heats::Inside,
        power_w: 1e5,
        up_to_k: lava.vent_k,
        from_s: 0.0,
        until_s: 1.0,
    };
    let setup = FlowSetup {
        heaters: vec![heater],
        ..setup(lava, 1.0)
    };
    let mut flow = Flow::new(small(5, 8, 5), setup, &[0.01; 25]).expect("in range");
    flow.edit(
        block([2, 1, 2], [3, 3, 3]),
        FlowEdit::Solid {
            temperature_k: 300.0,
        },
    );
    flow.edit(
        block([1, 3, 1], [4, 4, 4]),
        FlowEdit::Solid {
            temperature_k: 300.0,
        },
    );
    let hat = 9 * i64::from(UNITS);
    for _ in 0..20 {
        flow.step(&[]);
        flow.check().expect("exact");
    }
    assert_eq!(flow.account().set, hat, "the foot is molten");
    // The hat lies on the melt or on the ground.
    let levels: Vec<usize> = (0..6)
        .filter(|&y| flow.cell([1, y, 1]).rock == UNITS)
        .collect();
    assert_eq!(levels, [0, 1], "ground and hat");
}
