//! The promise: every pattern of directions is drawn equally often, and draws of neighbours and of
//! consecutive steps are independent. All seeds are fixed, so the tests cannot fail by chance.

use crate::common::tiled;
use lavoxel_automaton::rules::spreading::Spreading;
use lavoxel_automaton::rules::{Rule, RulesSpec};
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE};

/// Pearson's chi-square statistic against equal counts.
fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts
        .iter()
        .map(|&n| (n as f64 - expected).powi(2) / expected)
        .sum()
}

/// Counts of each pattern on isolated single cells of lava on the floor, after one spreading step
/// each.
fn seen(rock_in_the_west: bool) -> [u64; 16] {
    let grid = Grid::new(90, 1, 90);
    let rule = Spreading::from(&RulesSpec::default());
    let mut counts = [0; 16];
    for step in 0..60 {
        let mut world = World::new(Ground::none(grid));
        let centres = || {
            (1..90)
                .step_by(3)
                .flat_map(|z| (1..90).step_by(3).map(move |x| (x, z)))
        };
        for (x, z) in centres() {
            world.place([x, 0, z], AMOUNT_ONE, ENERGY_ONE);
            if rock_in_the_west {
                let from = [x as f64 - 1.0, 0.0, z as f64];
                world.edit(&Edit {
                    shape: Shape::Box {
                        from,
                        to: from.map(|v| v + 1.0),
                    },
                    matter: Matter::Rock,
                });
            }
        }
        tiled().run(
            &mut world,
            (0, &Rule::Spreading(rule)),
            Draw { seed: 2, step },
        );
        let wet = |x: usize, z: usize| usize::from(world.lava().at([x, 0, z]).amount > 0);
        for (x, z) in centres() {
            counts[wet(x - 1, z) | wet(x + 1, z) << 1 | wet(x, z - 1) << 2 | wet(x, z + 1) << 3] +=
                1;
        }
    }
    counts
}

#[test]
fn each_of_the_16_patterns_is_drawn_equally_often() {
    let counts = seen(false);
    assert!(counts.iter().all(|&n| n > 0), "{counts:?}");
    let chi = chi_square(&counts);
    assert!(
        chi < 37.7,
        "15 degrees of freedom, one in a thousand: {chi} for {counts:?}"
    );
}

#[test]
fn with_rock_in_the_west_each_of_the_8_patterns_left_is_drawn_equally_often() {
    let counts = seen(true);
    let left: Vec<u64> = counts.iter().copied().step_by(2).collect();
    assert_eq!(
        left.iter().sum::<u64>(),
        counts.iter().sum::<u64>(),
        "nothing goes into rock"
    );
    let chi = chi_square(&left);
    assert!(
        chi < 24.3,
        "7 degrees of freedom, one in a thousand: {chi} for {left:?}"
    );
}

#[test]
fn neighbours_and_following_steps_draw_independently() {
    type Pair = fn(StepKey, StepKey, Place) -> [u8; 2];
    let pairs: [(&str, Pair); 4] = [
        ("x", |now, _, [x, y, z]| {
            [now.pattern([x, y, z]), now.pattern([x + 1, y, z])]
        }),
        ("y", |now, _, [x, y, z]| {
            [now.pattern([x, y, z]), now.pattern([x, y + 1, z])]
        }),
        ("z", |now, _, [x, y, z]| {
            [now.pattern([x, y, z]), now.pattern([x, y, z + 1])]
        }),
        ("step", |now, next, place| {
            [now.pattern(place), next.pattern(place)]
        }),
    ];
    for (name, pair) in pairs {
        let mut counts = [0; 256];
        for step in 0..20 {
            let (now, next) = (StepKey::new(9, step), StepKey::new(9, step + 1));
            for i in 0..20_000 {
                let [a, b] = pair(now, next, [i % 61, i / 61 % 17, i / (61 * 17)]);
                counts[usize::from(a) << 4 | usize::from(b)] += 1;
            }
        }
        let chi = chi_square(&counts);
        assert!(
            chi < 331.0,
            "255 degrees of freedom, one in a thousand: {chi} along {name}"
        );
    }
}
