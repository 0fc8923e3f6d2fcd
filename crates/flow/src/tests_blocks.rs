//! Tests of columns in blocks that are allocated as lava comes near, compared with a box whose
//! blocks are all allocated.

use super::tests::{at_step, disturb, draw, random_flow_in};
use super::*;

/// Random numbers of columns along x and z, mostly not multiples of the block width.
fn wide(seed: u64) -> [usize; 2] {
    [
        20 + (draw(seed, 71) * 110.0) as usize,
        9 + (draw(seed, 72) * 60.0) as usize,
    ]
}

fn made(flow: &Flow) -> usize {
    (0..flow.columns.count())
        .filter(|&block| flow.columns.is_made(block))
        .count()
}

#[test]
fn a_flow_in_blocks_is_that_of_a_whole_box() {
    let (mut few, mut grown) = (0, 0);
    for seed in 200..230 {
        let (mut flow, pours) = random_flow_in(seed, wide(seed));
        let mut whole = flow.clone();
        whole.reach_all();
        let first = made(&flow);
        for step in 0..12 {
            // Every third world is edited too, since edits allocate blocks without a step.
            if seed % 3 == 0 {
                [&mut flow, &mut whole]
                    .into_iter()
                    .for_each(|flow| disturb(flow, seed, step));
            }
            let pours = at_step(&pours, step, 9);
            flow.step(&pours);
            whole.step(&pours);
            assert_eq!(
                (flow.account, flow.hash()),
                (whole.account, whole.hash()),
                "seed {seed}, step {step}"
            );
            assert_eq!(
                (flow.wet(), flow.changed()),
                (whole.wet(), whole.changed()),
                "seed {seed}, step {step}"
            );
        }
        flow.check().expect("exact");
        let columns = 0..flow.space.columns();
        assert!(
            columns
                .clone()
                .all(|c| flow.column(c) == whole.column(c) && flow.levels(c) == whole.levels(c))
        );
        assert!(
            columns
                .clone()
                .all(|c| flow.slope_cosine(c) == whole.columns[c].cos2)
        );
        few += usize::from(made(&flow) < flow.columns.count());
        grown += usize::from(made(&flow) > first);
        assert_eq!(made(&whole), whole.columns.count());
    }
    assert!(
        few > 5 && grown > 5,
        "{few} boxes with blocks to make, {grown} in which some were made"
    );
}

#[test]
fn a_flow_in_blocks_is_the_plain_step_to_the_bit() {
    for seed in 230..236 {
        let (mut fast, pours) = random_flow_in(seed, [33 + seed as usize % 40, 12]);
        let mut plain = fast.clone();
        for step in 0..5 {
            let pours = at_step(&pours, step, 5);
            fast.step(&pours);
            plain.plain_step(&pours);
            assert_eq!(
                (fast.account, fast.hash()),
                (plain.account, plain.hash()),
                "seed {seed}, step {step}"
            );
        }
    }
}

#[test]
fn a_kept_state_has_what_lava_reached_and_comes_back_to_the_same_bits() {
    for seed in 240..246 {
        let (first, pours) = random_flow_in(seed, wide(seed));
        let mut flow = first.clone();
        (0..6).for_each(|step| flow.step(&at_step(&pours, step, 6)));
        let state = flow.state();
        let need = state.need(flow.space());
        // Restores over another ground: that of the state counts.
        let ground = vec![1.0; first.space.columns()];
        let mut other =
            Flow::new(first.space, first.setup.clone(), &ground).expect("numbers in range");
        other
            .restore(state.clone())
            .expect("a state of the same box");
        assert_eq!((other.hash(), other.account), (flow.hash(), flow.account));
        assert!(
            other.bytes() <= Flow::need(first.space, &first.setup.lava) + need,
            "{} of {need}",
            other.bytes()
        );
        assert!(made(&other) <= made(&flow));
        // Back at the start, every changed column is listed.
        let mut back = flow.clone();
        back.restore(first.state())
            .expect("a state of the same box");
        assert!(
            flow.wet()
                .iter()
                .all(|c| back.changed().binary_search(c).is_ok())
        );
        for step in 6..10 {
            flow.step(&at_step(&pours, step, 10));
            other.step(&at_step(&pours, step, 10));
        }
        assert_eq!(other.hash(), flow.hash());
    }
}

#[test]
fn a_large_box_takes_what_its_lava_takes() {
    let space = FlowBox {
        nx: 4096,
        ny: 400,
        nz: 4096,
        dx_m: 10.0,
        dz_m: 5.0,
    };
    let lava = Lava::default();
    let columns = space.columns() as u64;
    assert!(
        Flow::need(space, &lava) <= 8 * columns,
        "{} bytes of dry ground",
        Flow::need(space, &lava)
    );
    // Blocks of a disc of one column in a hundred, and of as many columns in a channel along z.
    let reached = |inside: &dyn Fn(usize, usize) -> bool| {
        let all = (0..space.columns()).filter(|c| inside(c % 4096, c / 4096));
        Flow::need(space, &lava) + Flow::need_of_blocks_around(space, all)
    };
    let disc = reached(&|x, z| (x as f64 - 2048.0).hypot(z as f64 - 2048.0) < 231.1);
    let channel = reached(&|x, _| (2048..2048 + 41).contains(&x));
    assert!(
        disc < 300 << 20 && channel < 1 << 30,
        "{disc} and {channel} bytes"
    );
    assert!(Flow::most(space, &lava) > 6 << 30);
}
