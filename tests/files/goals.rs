//! Tests of goals: they do not change a run, they are saved with a state, and the shipped
//! challenges are lost without action and can be won.

use std::path::Path;

use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::engine::tiled::Tiled;
use lavoxel::goals::{Progress, Verdict, outcome};
use lavoxel::prelude::Shape;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::{EventSpec, Simulation};
use lavoxel::world::{Edit, Matter};

fn stage(scene: &Scene) -> BuiltScene {
    scene.build(Box::new(Tiled::default())).expect("built")
}

fn progress(simulation: &Simulation) -> Vec<Progress> {
    simulation
        .goals()
        .iter()
        .map(|(_, progress)| progress)
        .collect()
}

const POND: &str = r#"
[grid]
size = [24, 20, 24]
[terrain]
kind = "bowl"
[[material]]
name = "water"
[[vent]]
x = 12.0
z = 12.0
rate = 2.0
[[source]]
material = "water"
x = 5.0
z = 12.0
rate = 3.0
[[goal]]
name = "lava stays away from the rim"
shape = { kind = "box", from = [0.0, 0.0, 0.0], to = [24.0, 20.0, 3.0] }
keep_below = 1.0
until = 90
[[goal]]
name = "a full middle"
shape = { kind = "cylinder", base = [12.0, 0.0, 12.0], radius = 4.0, height = 6.0 }
fill = 0.1
until = 80
[[goal]]
name = "much water"
material = "water"
shape = { kind = "below", level = 20.0 }
reach = 1e6
until = 50
"#;

fn pond(text: &str) -> Scene {
    Scene::parse(text, Path::new("pond.toml")).expect("a right scene")
}

#[test]
fn goals_move_nothing_and_are_decided_once() {
    let (with, without) = (
        pond(POND),
        pond(&POND[..POND.find("[[goal]]").expect("goals")]),
    );
    let (mut with, mut without) = (stage(&with).simulation, stage(&without).simulation);
    let mut decided: Vec<Option<(Verdict, u64)>> = vec![None; 3];
    for step in 1..=100 {
        with.step();
        without.step();
        assert_eq!(
            with.world().state_hash(),
            without.world().state_hash(),
            "step {step}"
        );
        for (progress, before) in progress(&with).iter().zip(&mut decided) {
            assert!(
                before.is_none() || progress.verdict == *before,
                "a verdict stays"
            );
            *before = progress.verdict;
        }
        assert_eq!(with.goals().are_open(), decided.iter().any(Option::is_none));
    }
    assert_eq!(
        [decided[0], decided[2]],
        [Some((Verdict::Won, 90)), Some((Verdict::Lost, 50))]
    );
    assert!(
        decided[1].is_some_and(|(verdict, step)| verdict == Verdict::Won && step < 80),
        "{decided:?}"
    );
    // The goal's count equals that of the cells.
    let cells = Shape::Below { level: 20.0 };
    let water = with.world().layer("water").expect("there");
    let mut again = stage(&pond(POND)).simulation;
    (0..30).for_each(|_| again.step());
    let water_then = again.world().layer("water").expect("there");
    let sum: u64 = cells
        .cells(again.world().grid())
        .map(|place| u64::from(water_then.at(place).amount))
        .sum();
    assert_eq!(progress(&again)[2].now, sum);
    assert!(sum > 0 && sum < water.mass());
}

#[test]
fn they_go_with_snapshots_and_checkpoints() {
    let scene = pond(POND);
    let mut stage = stage(&scene);
    (0..40).for_each(|_| stage.simulation.step());
    let (then, snapshot) = (progress(&stage.simulation), stage.simulation.snapshot(None));
    let mut bytes = Vec::new();
    let path = Path::new("pond.lvx");
    CheckpointWriter {
        scene: &scene,
        stage: &stage,
        extras: &[],
    }
    .write(path, &mut bytes)
    .expect("written");
    (0..60).for_each(|_| stage.simulation.step());
    let end = progress(&stage.simulation);
    stage.simulation.go_back(&snapshot);
    assert_eq!(progress(&stage.simulation), then);
    let mut read = Checkpoint::read(&bytes[..], path, Box::new(Tiled::default()))
        .expect("read")
        .stage;
    assert_eq!(progress(&read.simulation), then);
    for simulation in [&mut stage.simulation, &mut read.simulation] {
        (0..60).for_each(|_| simulation.step());
        assert_eq!(progress(simulation), end);
    }
}

#[test]
fn a_goal_counts_what_shows_a_flow() {
    let text = r#"
model = "flow"
[flow]
duration = "1 h"
[grid]
size = [24, 20, 24]
cell_size_m = 10.0
[terrain]
kind = "bowl"
[[vent]]
x = 12.0
z = 12.0
rate_m3_s = 5.0
[[goal]]
name = "lava in the bowl"
shape = { kind = "below", level = 20.0 }
reach = 3.0
until = 200
"#;
    let mut simulation = stage(&pond(text)).simulation;
    simulation.show_when_asked();
    for _ in 0..200 {
        simulation.step();
        simulation.show();
        if simulation.goals().are_open() {
            assert_eq!(
                progress(&simulation)[0].now,
                simulation.world().lava().mass()
            );
        }
    }
    assert_eq!(
        progress(&simulation)[0].verdict.map(|(verdict, _)| verdict),
        Some(Verdict::Won)
    );
}

#[test]
fn wrong_goals_are_refused_by_name() {
    let refused = |from: &str, to: &str| {
        let text = POND.replacen(from, to, 1);
        assert_ne!(text, POND);
        Scene::parse(&text, Path::new("pond.toml"))
            .expect_err("wrong")
            .to_string()
    };
    for (from, to, words) in [
        (
            "keep_below = 1.0\n",
            "",
            "one of keep_below, reach and fill",
        ),
        (
            "keep_below = 1.0",
            "keep_below = 1.0\nfill = 0.5",
            "one of keep_below, reach and fill",
        ),
        ("until = 90", "until = 0", "goal[0].until"),
        ("fill = 0.1", "fill = 1.1", "goal[1].fill"),
        (
            "material = \"water\"\nshape",
            "material = \"wine\"\nshape",
            "wine",
        ),
        (
            "kind = \"below\", level = 20.0",
            "kind = \"mesh\", file = \"a.obj\", base = [9.0, 0.0, 9.0], height = 5.0",
            "goal[2].shape.kind",
        ),
        ("reach = 1e6", "reach = 1e6\ncolour = 1", "colour"),
    ] {
        let message = refused(from, to);
        assert!(message.contains(words), "{message}");
    }
}

fn edit_event(at: u64, shape: Shape, matter: Matter) -> EventSpec {
    EventSpec {
        at,
        put: Some(Edit { shape, matter }),
        ..EventSpec::default()
    }
}

/// Returns the event of a dam that a player builds before the first step, by two clicks with the
/// window's tool at its defaults: 5 cells high and 4 wide.
fn dam(points: [[f64; 2]; 2]) -> EventSpec {
    edit_event(
        1,
        Shape::Line {
            points: points.to_vec(),
            width: 4.0,
        },
        Matter::Raise { by: 5.0 },
    )
}

/// Default brush radius of the window in cells.
const BRUSH: f64 = 4.0;

/// Returns the actions of a player who wins the shipped challenge `name`, with the window's tools
/// at their defaults.
fn played(name: &str) -> Vec<EventSpec> {
    match name {
        // Two dams form a wedge above the village.
        "village" => vec![
            dam([[48.0, 64.0], [28.0, 92.0]]),
            dam([[48.0, 64.0], [74.0, 92.0]]),
        ],
        // Three adjacent strokes across the ridge, each repeated three times deeper, and a dam
        // where the ridge is low.
        "channel" => {
            let strokes = [44.0, 49.0, 54.0]
                .into_iter()
                .flat_map(|x| [30.0, 26.0, 23.0].map(|y| (x, y)));
            let dabs =
                strokes.flat_map(|(x, y)| (0..12).map(move |k| [x, y, 54.0 + 2.0 * f64::from(k)]));
            let dig = |center| {
                edit_event(
                    1,
                    Shape::Sphere {
                        center,
                        radius: BRUSH,
                    },
                    Matter::Nothing,
                )
            };
            dabs.map(dig)
                .chain([dam([[4.0, 60.0], [30.0, 66.0]])])
                .collect()
        }
        // Water is put before the front every 40 steps.
        "forest" => {
            let ball = |k: u64, x: f64| {
                let center = [x, 26.8, 60.0 + 3.0 * (k % 3) as f64];
                let water = Matter::Material {
                    name: "water".to_owned(),
                    amount: 1.0,
                };
                edit_event(
                    100 + 40 * k,
                    Shape::Sphere {
                        center,
                        radius: BRUSH,
                    },
                    water,
                )
            };
            (0..20)
                .flat_map(|k| [34.0, 41.0, 48.0, 55.0, 62.0].map(|x| ball(k, x)))
                .collect()
        }
        // Two dams form a funnel that ends at the gate.
        "mould" => vec![
            dam([[4.0, 50.0], [43.0, 60.0]]),
            dam([[76.0, 50.0], [53.0, 60.0]]),
        ],
        other => panic!("no acts for {other}"),
    }
}

#[test]
fn the_challenges_are_lost_by_watching_and_can_be_won() {
    let challenges: Vec<_> = lavoxel::shipped::scenes()
        .map(|shipped| (shipped.name, Scene::open(&shipped.path()).expect("shipped")))
        .filter(|(_, scene)| !scene.spec.goals.is_empty())
        .collect();
    assert_eq!(
        challenges.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["channel", "forest", "mould", "village"]
    );
    // Outcome as on the window's card: lost as soon as the first goal is lost.
    let seen = |scene: &Scene| {
        let mut simulation = stage(scene).simulation;
        loop {
            let goals: Vec<_> = simulation
                .goals()
                .iter()
                .map(|(goal, progress)| (goal.clone(), progress))
                .collect();
            if let Some(verdict) = outcome(&goals) {
                return Some(verdict);
            }
            if !simulation.goals().are_open() {
                return None;
            }
            simulation.step();
        }
    };
    for (name, mut scene) in challenges {
        assert_eq!(seen(&scene), Some(Verdict::Lost), "{name} by watching");
        scene.spec.events = played(name);
        scene.validate().expect("right acts");
        assert_eq!(seen(&scene), Some(Verdict::Won), "{name} with the tools");
    }
}
