//! The promise: no direction is preferred. A blob released on a flat floor spreads alike to all
//! four sides.

use crate::common::{still, tiled};
use lavoxel_automaton::rules::RulesSpec;
use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
use lavoxel_base::grid::Grid;

const SIDE: usize = 41;
const RUNS: u64 = 60;

/// Weight of the column at an offset (x, z) from the middle.
type Weight<'a> = &'a dyn Fn(f64, f64) -> f64;

/// Thickness of each column (x fastest) after a blob was released, for one seed.
fn blob(seed: u64) -> Vec<f64> {
    let grid = Grid::new(SIDE, 8, SIDE);
    let mut world = World::new(Ground::none(grid));
    let middle = SIDE as f64 / 2.0;
    let shape = Shape::Cylinder {
        base: [middle, 0.0, middle],
        radius: 4.0,
        height: 7.0,
    };
    world.edit(&Edit {
        shape,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    });
    let mut simulation = still(
        world,
        &RulesSpec {
            threshold: 0.1,
            ..RulesSpec::default()
        },
        seed,
        tiled(),
    );
    (0..150).for_each(|_| simulation.step());
    let world = simulation.world();
    let mut thickness = vec![0.0; grid.columns()];
    for z in 0..SIDE {
        for y in 0..grid.ny {
            for x in 0..SIDE {
                thickness[grid.column(x, z)] += f64::from(world.lava().at([x, y, z]).amount);
            }
        }
    }
    thickness
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[test]
fn the_centre_of_mass_stays_and_the_four_sides_are_alike() {
    let runs: Vec<Vec<f64>> = (0..RUNS).map(blob).collect();
    let offset = |i: usize| (i as f64) - (SIDE as f64 - 1.0) / 2.0;
    let moment = |weight: Weight| -> (f64, f64) {
        let one = |run: &Vec<f64>| {
            let total: f64 = run.iter().sum();
            let sum: f64 = run
                .iter()
                .enumerate()
                .map(|(i, t)| t * weight(offset(i % SIDE), offset(i / SIDE)))
                .sum();
            sum / total
        };
        mean(&runs.iter().map(one).collect::<Vec<f64>>())
    };
    let moments: [(&str, Weight); 6] = [
        ("displacement along x", &|x, _| x),
        ("displacement along z", &|_, z| z),
        ("spread along x against z", &|x, z| x * x - z * z),
        ("one diagonal against the other", &|x, z| x * z),
        ("skew along x", &|x, _| x * x * x),
        ("skew along z", &|_, z| z * z * z),
    ];
    for (name, weight) in moments {
        let (value, error) = moment(weight);
        assert!(
            value.abs() < 3.5 * error,
            "{name}: {value} with a standard error of {error}"
        );
    }
    let (radius, _) = moment(&|x, z| x * x + z * z);
    assert!(
        radius > 30.0,
        "the blob did spread: mean square radius {radius}, 8 at the start"
    );
}

#[test]
fn the_mean_picture_has_four_fold_symmetry() {
    let mut sum = vec![0.0; SIDE * SIDE];
    for seed in 0..RUNS {
        sum.iter_mut()
            .zip(blob(1000 + seed))
            .for_each(|(s, t)| *s += t);
    }
    let turned = |x: usize, z: usize| sum[x * SIDE + (SIDE - 1 - z)];
    let total: f64 = sum.iter().sum();
    let apart: f64 = (0..SIDE * SIDE)
        .map(|i| (sum[i] - turned(i % SIDE, i / SIDE)).abs())
        .sum();
    assert!(
        apart / total < 0.06,
        "a quarter turn moves {} of the mean thickness",
        apart / total
    );
}
