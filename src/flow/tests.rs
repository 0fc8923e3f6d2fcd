//! The fast step against the plain one, ledgers, and box worlds.

use super::*;
use crate::random::mix64;

/// A draw from 0 to 1.
fn draw(seed: u64, use_: u64) -> f64 {
    (mix64(mix64(seed) ^ use_) >> 11) as f64 / (1u64 << 53) as f64
}

/// A random small world: rough ground, caves, and a lava that cools and sets.
fn random_flow(seed: u64) -> (Flow, Vec<FlowPour>) {
    let d = |use_| draw(seed, use_);
    let space = FlowBox {
        nx: 6 + (d(1) * 12.0) as usize,
        ny: 24,
        nz: 6 + (d(2) * 12.0) as usize,
        dx_m: 2.0 + 10.0 * d(3),
        dz_m: 0.5 + 4.0 * d(4),
    };
    let mut lava = Lava::preset(if d(5) < 0.7 { "etna-basalt" } else { "fogo-2014" }).expect("a preset");
    lava.cooling = match (d(6) * 3.0) as u32 {
        0 => Cooling::Bare { exposed: d(7) },
        1 => Cooling::Skin { tear_m: 10.0 + 200.0 * d(8) },
        _ => Cooling::Bare { exposed: 0.0 },
    };
    lava.yield_pa = if d(9) < 0.5 { 0.0 } else { 4000.0 * d(10) };
    lava.yield_factor = if d(9) < 0.5 { 0.0 } else { 10.0 };
    if d(11) < 0.6 {
        (lava.bed_conduction, lava.conduction) = (2.0 * d(12), 3.0 * d(13));
    }
    let setup = FlowSetup { lava, step_s: 1.0 + 60.0 * d(14), open_sides: d(15) < 0.5, seed, heaters: Vec::new() };
    let steep = d(16) * 0.6;
    let ground: Vec<f64> = (0..space.columns())
        .map(|c| space.dz_m * (2.0 + steep * (c % space.nx) as f64 + 4.0 * draw(seed ^ 77, c as u64).powi(3)))
        .collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    let roofs = (0..space.columns()).filter(|&c| draw(seed ^ 99, c as u64 / 3) < 0.3 * d(17));
    let roofs: Vec<_> = roofs.map(|c| [c % space.nx, 8 + (d(18) * 8.0) as usize, c / space.nx]).collect();
    flow.set_rock(roofs, true);
    let vent = |i: u64| {
        // One world in six is flooded.
        let flood = if seed % 6 == 5 { 6.0 } else { 1.0 };
        let rate = flood * 0.7 * d(20 + i) * space.cell_m3();
        FlowPour {
            column: (d(30 + i) * space.columns() as f64) as usize,
            level: (d(40 + i) < 0.5).then_some(4),
            before_m3: 0.0,
            after_m3: rate,
            temperature_k: 1200.0 + 160.0 * d(50 + i),
        }
    };
    (flow, (0..1 + (d(60) * 3.0) as u64).map(vent).collect())
}

/// The pours of a step, from what is poured in each.
fn at_step(pours: &[FlowPour], step: u64, until: u64) -> Vec<FlowPour> {
    let at = |pour: &FlowPour, n: u64| n.min(until) as f64 * pour.after_m3;
    pours.iter().map(|pour| FlowPour { before_m3: at(pour, step), after_m3: at(pour, step + 1), ..*pour }).collect()
}

#[test]
fn the_fast_step_is_the_plain_step_to_the_bit() {
    let (mut set, mut roofed, mut out) = (0, 0, 0);
    for seed in 0..24 {
        let (mut fast, pours) = random_flow(seed);
        let mut plain = fast.clone();
        for step in 0..24 {
            let pours = at_step(&pours, step, 16);
            fast.step(&pours);
            plain.plain_step(&pours);
            assert_eq!(fast.account, plain.account, "seed {seed}, step {step}");
            assert_eq!(fast.hash(), plain.hash(), "seed {seed}, step {step}");
            fast.check().expect("exact");
        }
        set += fast.account.set;
        out += fast.account.out;
        roofed += (0..fast.columns.len()).filter(|&c| fast.column(c).roofed).count();
    }
    // The worlds have what makes the difference.
    assert!(set > 0 && out > 0 && roofed > 0, "{set} {out} {roofed}");
}

#[test]
fn threads_and_a_saved_state_do_not_change_a_bit() {
    for seed in [3, 8] {
        let (first, pours) = random_flow(seed);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut flow = first.clone();
                (0..20).for_each(|step| flow.step(&at_step(&pours, step, 20)));
                flow.hash()
            })
        };
        let hashes = [1, 2, 5].map(run);
        assert!(hashes.iter().all(|&hash| hash == hashes[0]));
        let mut flow = first.clone();
        (0..9).for_each(|step| flow.step(&at_step(&pours, step, 20)));
        let mut other = first.clone();
        other.restore(flow.state()).expect("a state of the same box");
        (9..20).for_each(|step| other.step(&at_step(&pours, step, 20)));
        assert_eq!(other.hash(), hashes[0]);
    }
}
