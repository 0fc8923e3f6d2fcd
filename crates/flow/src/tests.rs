//! Tests of the fast step against the reference implementation, of the accounts, and of small
//! random boxes.

use super::*;
use lavoxel_base::random::mix64;

/// Pseudo-random number in [0, 1), a hash of `seed` and of a number `use_` for its purpose.
pub(super) fn draw(seed: u64, use_: u64) -> f64 {
    (mix64(mix64(seed) ^ use_) >> 11) as f64 / (1u64 << 53) as f64
}

/// Random small flow and its pours: rough ground, caves, and a lava that cools and solidifies.
pub(super) fn random_flow(seed: u64) -> (Flow, Vec<FlowPour>) {
    random_flow_in(
        seed,
        [1, 2].map(|use_| 6 + (draw(seed, use_) * 12.0) as usize),
    )
}

/// Random flow of `nx` × `nz` columns and the volumes that vents pour in each step.
pub(super) fn random_flow_in(seed: u64, [nx, nz]: [usize; 2]) -> (Flow, Vec<FlowPour>) {
    let d = |use_| draw(seed, use_);
    let space = FlowBox {
        nx,
        ny: 24,
        nz,
        dx_m: 2.0 + 10.0 * d(3),
        dz_m: 0.5 + 4.0 * d(4),
    };
    let mut lava = Lava::preset(if d(5) < 0.7 {
        "etna-basalt"
    } else {
        "fogo-2014"
    })
    .expect("a preset");
    lava.cooling = match (d(6) * 3.0) as u32 {
        0 => Cooling::Bare { exposed: d(7) },
        1 => Cooling::Skin {
            tear_m: 10.0 + 200.0 * d(8),
            exposed: 0.3 * d(7),
        },
        _ => Cooling::Bare { exposed: 0.0 },
    };
    lava.yield_pa = if d(9) < 0.5 { 0.0 } else { 4000.0 * d(10) };
    lava.yield_factor = if d(9) < 0.5 { 0.0 } else { 10.0 };
    if d(11) < 0.6 {
        (lava.bed_conduction, lava.conduction) = (2.0 * d(12), 3.0 * d(13));
        lava.latent_heat = 2e5 * d(14);
    }
    let setup = FlowSetup {
        lava,
        step_s: 1.0 + 60.0 * d(14),
        open_sides: d(15) < 0.5,
        seed,
        heaters: Vec::new(),
    };
    let steep = d(16) * 0.6;
    let ground: Vec<f64> = (0..space.columns())
        .map(|c| {
            space.dz_m
                * (2.0 + steep * (c % space.nx) as f64 + 4.0 * draw(seed ^ 77, c as u64).powi(3))
        })
        .collect();
    let mut flow = Flow::new(space, setup, &ground).expect("numbers in range");
    let roofs = (0..space.columns()).filter(|&c| draw(seed ^ 99, c as u64 / 3) < 0.3 * d(17));
    let roofs: Vec<_> = roofs
        .map(|c| [c % space.nx, 8 + (d(18) * 8.0) as usize, c / space.nx])
        .collect();
    flow.edit(roofs, FlowEdit::Rock);
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

/// Pours for the step number `step`: each of `pours` adds its volume `after_m3` in every step
/// before the step `until`.
pub(super) fn at_step(pours: &[FlowPour], step: u64, until: u64) -> Vec<FlowPour> {
    let at = |pour: &FlowPour, n: u64| n.min(until) as f64 * pour.after_m3;
    pours
        .iter()
        .map(|pour| FlowPour {
            before_m3: at(pour, step),
            after_m3: at(pour, step + 1),
            ..*pour
        })
        .collect()
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
        roofed += (0..fast.space.columns())
            .filter(|&c| fast.column(c).roofed)
            .count();
    }
    // The comparison counts only if the worlds have set lava, roofs and outflow.
    assert!(set > 0 && out > 0 && roofed > 0, "{set} {out} {roofed}");
}

#[test]
fn threads_and_a_saved_state_do_not_change_a_bit() {
    for seed in [3, 8] {
        let (first, pours) = random_flow(seed);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
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
        other
            .restore(flow.state())
            .expect("a state of the same box");
        (9..20).for_each(|step| other.step(&at_step(&pours, step, 20)));
        assert_eq!(other.hash(), hashes[0]);
    }
}

#[test]
fn a_state_kept_after_every_step_goes_on_to_the_same_bits_when_the_vents_move_and_close() {
    for seed in 0..24 {
        let (mut flow, pours) = random_flow(seed);
        let columns = flow.space.columns();
        for step in 0..40 {
            let mut pours = at_step(&pours, step % 10, 8);
            let moved = [0, 1, 0, 5][step as usize / 3 % 4];
            pours
                .iter_mut()
                .for_each(|pour| pour.column = (pour.column + moved) % columns);
            let pours = if step < 30 { &pours[..] } else { &[] };
            let mut kept = flow.clone();
            kept.restore(flow.state()).expect("a state of the same box");
            flow.step(pours);
            kept.step(pours);
            assert_eq!(kept.hash(), flow.hash(), "seed {seed}, step {step}");
        }
    }
}

/// Changes a random flow between two steps: edits of every kind, and reactions.
pub(super) fn disturb(flow: &mut Flow, seed: u64, step: u64) {
    let d = |use_: u64| draw(seed ^ step << 20, 1000 + use_);
    let space = flow.space();
    let at = |use_: u64, n: usize| ((d(use_) * n as f64) as usize).min(n - 1);
    let corner = [at(1, space.nx), at(2, space.ny), at(3, space.nz)];
    let near = |low: usize, n: usize, wide: usize| low..(low + wide).min(n);
    let (xs, ys, zs) = (
        near(corner[0], space.nx, 4),
        near(corner[1], space.ny, 6),
        near(corner[2], space.nz, 3),
    );
    let cells = zs.clone().flat_map(|z| ys.clone().map(move |y| (y, z)));
    let cells: Vec<_> = cells
        .flat_map(|(y, z)| xs.clone().map(move |x| [x, y, z]))
        .collect();
    let kelvin = 1150.0 + 200.0 * d(4);
    let kind = (d(5) * 7.0) as u32;
    if kind == 6 {
        // Raised by up to two cells, or dug.
        let columns = zs
            .clone()
            .flat_map(|z| xs.clone().map(move |x| (z * space.nx + x) as u32));
        flow.raise(&columns.collect::<Vec<_>>(), 4.0 * d(8) - 2.0);
        return;
    }
    let edit = match kind {
        0 => Some(FlowEdit::Rock),
        1 => Some(FlowEdit::Nothing),
        2 => Some(FlowEdit::Drain),
        3 => Some(FlowEdit::Lava {
            share: d(6),
            temperature_k: kelvin,
        }),
        _ => None,
    };
    let changed = edit.map_or_else(Vec::new, |edit| flow.edit(cells.iter().copied(), edit));
    assert!(changed.is_sorted());
    if edit.is_none() {
        react(flow, &cells, d(7));
    }
}

/// Removes heat and liquid from some of `cells`, and creates liquid in others, as reactions do.
fn react(flow: &mut Flow, cells: &[[usize; 3]], share: f64) {
    for &place in cells {
        let Some(met) = flow.met(place, Phase::Liquid, 700.0) else {
            continue;
        };
        assert!(met.temperature_k > 500.0 && met.excess >= 0, "{met:?}");
        let before = flow.account.heat_used;
        let taken = flow.take_heat(
            place,
            Phase::Liquid,
            (met.excess as f64 * 0.2 * share) as i64,
        );
        flow.return_heat(place, Phase::Liquid, taken / 3);
        assert_eq!(
            flow.account.heat_used - before,
            i128::from(taken - taken / 3)
        );
        flow.take_liquid(place, (f64::from(UNITS) * 0.1 * share) as i32);
        flow.make_liquid(
            [place[0], place[1], cells[0][2]],
            (f64::from(UNITS) * 0.05 * share) as i32,
            900.0,
        );
    }
    let mut columns: Vec<u32> = cells
        .iter()
        .map(|&[x, _, z]| (z * flow.space().nx + x) as u32)
        .collect();
    columns.extend(
        cells
            .iter()
            .map(|&[x, ..]| (cells[0][2] * flow.space().nx + x) as u32),
    );
    columns.sort_unstable();
    columns.dedup();
    flow.take_in(&columns);
    let covered: Vec<bool> = flow
        .wet()
        .iter()
        .map(|&c| draw(77, c.into()) < 0.5)
        .collect();
    flow.cover(&covered);
}

#[test]
fn edits_and_reactions_keep_the_ledgers_and_the_plain_step() {
    let (mut removed, mut used, mut made) = (0, 0, 0);
    for seed in 100..112 {
        let (mut fast, pours) = random_flow(seed);
        let mut plain = fast.clone();
        for step in 0..20 {
            for flow in [&mut fast, &mut plain] {
                disturb(flow, seed, step);
                flow.check()
                    .unwrap_or_else(|fault| panic!("seed {seed}, before step {step}: {fault}"));
            }
            let pours = at_step(&pours, step, 20);
            fast.step(&pours);
            plain.plain_step(&pours);
            assert_eq!(fast.account, plain.account, "seed {seed}, step {step}");
            assert_eq!(fast.hash(), plain.hash(), "seed {seed}, step {step}");
            fast.check()
                .unwrap_or_else(|fault| panic!("seed {seed}, step {step}: {fault}"));
        }
        removed += fast.account.removed;
        used += fast.account.used;
        made += fast.account.made;
    }
    assert!(
        removed > 0 && used > 0 && made > 0,
        "{removed} {used} {made}"
    );
}

#[test]
fn a_state_kept_after_edits_goes_on_to_the_same_bits() {
    for seed in [101, 106, 111] {
        let (first, pours) = random_flow(seed);
        let advance = |flow: &mut Flow, steps: std::ops::Range<u64>| {
            for step in steps {
                disturb(flow, seed, step);
                flow.step(&at_step(&pours, step, 20));
            }
        };
        let mut flow = first.clone();
        advance(&mut flow, 0..8);
        let mut other = first.clone();
        other
            .restore(flow.state())
            .expect("a state of the same box");
        // The cover is no part of a state, since the world sets it before every step.
        flow.cover(&vec![false; flow.wet().len()]);
        advance(&mut flow, 8..16);
        advance(&mut other, 8..16);
        assert_eq!(flow.hash(), other.hash());
    }
}

#[test]
fn what_edits_do_is_counted() {
    let space = FlowBox {
        nx: 5,
        ny: 10,
        nz: 5,
        dx_m: 2.0,
        dz_m: 1.0,
    };
    let lava = Lava::preset("etna-basalt").expect("a preset");
    let setup = FlowSetup {
        lava,
        step_s: 1.0,
        open_sides: false,
        seed: 1,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(space, setup, &[2.5; 25]).expect("numbers in range");
    let block = |ys: std::ops::Range<usize>| ys.map(|y| [2, y, 2]);
    // Half of the third cell is rock; the lava lies in the other half and in the cells above.
    let changed = flow.edit(
        block(0..5),
        FlowEdit::Lava {
            share: 1.0,
            temperature_k: 1300.0,
        },
    );
    let unit = i64::from(UNITS);
    assert_eq!((changed, flow.account.placed), (vec![12], 5 * unit / 2));
    assert_eq!(flow.cell([2, 2, 2]).amount, UNITS / 2);
    assert_eq!(
        flow.cell([2, 4, 2]).temperature_k(&flow.setup.lava),
        Some(1300.0)
    );
    // A roof takes the upper cell; without the ground below, the rest falls.
    flow.edit(block(4..5), FlowEdit::Rock);
    assert_eq!(flow.account.removed, unit);
    flow.edit(block(1..2), FlowEdit::Nothing);
    assert_eq!(
        flow.cell([2, 1, 2]).amount,
        0,
        "half a cell of rock carries the lava"
    );
    flow.edit(block(2..3), FlowEdit::Nothing);
    assert_eq!(
        (flow.account.removed, flow.cell([2, 1, 2]).amount),
        (3 * unit / 2, UNITS)
    );
    assert_eq!(flow.cell([2, 3, 2]).amount, 0);
    flow.edit(block(0..9), FlowEdit::Drain);
    assert_eq!((flow.account.liquid(), flow.is_dry()), (0, true));
    flow.check().expect("exact");
}

/// Number of face evaluations of a flow on flat ground with two lavas of very different
/// temperatures: a wide pool that creeps (if `with_pool`), and a hot spring that runs (if
/// `with_spring`).
fn pool_and_spring(with_pool: bool, with_spring: bool) -> u64 {
    let space = FlowBox {
        nx: 90,
        ny: 20,
        nz: 40,
        dx_m: 10.0,
        dz_m: 2.0,
    };
    let lava = Lava {
        cooling: Cooling::None,
        ..Lava::preset("etna-basalt").expect("a preset")
    };
    let setup = FlowSetup {
        lava,
        step_s: 40.0,
        open_sides: false,
        seed: 5,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(space, setup, &vec![2.0; space.columns()]).expect("numbers in range");
    let pour = |c: usize, volume: f64, kelvin: f64| FlowPour {
        column: c,
        level: None,
        before_m3: 0.0,
        after_m3: volume,
        temperature_k: kelvin,
    };
    if with_pool {
        let columns = (5..35).flat_map(|z| (5..35).map(move |x| z * 90 + x));
        flow.fill(columns.map(|c| pour(c, 300.0, 1150.0)));
    }
    let spring = if with_spring {
        vec![pour(20 * 90 + 70, 400.0, 1500.0)]
    } else {
        Vec::new()
    };
    (0..12).for_each(|step| flow.step(&at_step(&spring, step, 12)));
    flow.check().expect("exact");
    flow.account.faces
}

#[test]
fn a_fast_front_costs_nothing_where_lava_creeps() {
    let [pool, spring, both] =
        [(true, false), (false, true), (true, true)].map(|(a, b)| pool_and_spring(a, b));
    assert!(
        both < (pool + spring) * 11 / 10,
        "{both} faces together, {pool} and {spring} alone"
    );
}

/// Checks that a vent's column sheds lava of a litre a second, which conduction would freeze at the
/// vent, to the neighbouring columns.
#[test]
fn a_trickle_builds_no_spine() {
    let space = FlowBox {
        nx: 15,
        ny: 12,
        nz: 15,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let setup = FlowSetup {
        lava: Lava::default(),
        step_s: 40.0,
        open_sides: true,
        seed: 1,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(space, setup, &[10.3; 225]).expect("numbers in range");
    let vent = FlowPour {
        column: 7 * 15 + 7,
        level: None,
        before_m3: 0.0,
        after_m3: 0.04,
        temperature_k: 1360.0,
    };
    for step in 0..20 * 2160 {
        flow.step(&at_step(&[vent], step, u64::MAX));
    }
    flow.check().expect("exact");
    let thickness = |c: usize| flow.column(c).liquid_m + flow.column(c).set_m;
    let (poured, vent) = (0.04 * 20.0 * 2160.0 / 100.0, thickness(7 * 15 + 7));
    let beside = thickness(7 * 15 + 8);
    assert!(
        vent < 0.5 * poured && beside > 0.25 * vent,
        "{vent} m, {beside} m beside, of {poured} m"
    );
}

#[test]
fn what_sets_under_pressure_is_no_thicker_than_its_room() {
    // A tunnel 5 m high joins two shafts; one was filled 30 m.
    let space = FlowBox {
        nx: 12,
        ny: 12,
        nz: 3,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let lava = Lava {
        viscosity: Viscosity::Constant { pa_s: 1e4 },
        cooling: Cooling::None,
        yield_pa: 0.0,
        yield_factor: 0.0,
        bed_conduction: 0.0,
        ..Lava::default()
    };
    let (hot, cold) = (lava.vent_k, lava.solidus_k - 10.0);
    let setup = FlowSetup {
        lava,
        step_s: 20.0,
        open_sides: false,
        seed: 1,
        heaters: Vec::new(),
    };
    let mut flow = Flow::new(space, setup, &[5.0; 36]).expect("numbers in range");
    let above = (0..3).flat_map(|z| (4..8).flat_map(move |x| (2..12).map(move |y| [x, y, z])));
    flow.edit(above, FlowEdit::Rock);
    let pour = |column| FlowPour {
        column,
        level: None,
        before_m3: 0.0,
        after_m3: 3000.0,
        temperature_k: hot,
    };
    flow.fill((0..36).filter(|c| c % 12 < 4).map(pour));
    (0..200).for_each(|_| flow.step(&[]));
    let middle = 12 + 5;
    assert!(
        flow.columns[middle].amount() > i64::from(UNITS),
        "it is under pressure"
    );
    assert!(
        flow.column(middle).liquid_m <= 5.0,
        "{} m",
        flow.column(middle).liquid_m
    );
    for cell in flow
        .columns
        .iter_mut()
        .flat_map(|(_, column)| &mut column.cells)
    {
        cell.heat = i64::from(cell.amount) * (cold * HEAT_UNITS as f64) as i64;
    }
    flow.set(&[middle as u32]);
    let column = flow.column(middle);
    assert!(
        column.set_m > 4.9 && column.set_m + column.liquid_m <= 5.0,
        "{} m",
        column.set_m
    );
}
