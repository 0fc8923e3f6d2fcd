//! Tests that each scene of docs/small-scenes.md runs unchanged, and that its result matches the
//! text above the scene.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lavoxel::goals::Verdict;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::units::cells;

use crate::common;

/// Returns the scenes of the page by name, each after its last step.
fn played() -> BTreeMap<String, BuiltScene> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let page = fs::read_to_string(docs.join("small-scenes.md")).expect("the page");
    let sections: Vec<_> = page.split("\n## ").skip(1).collect();
    let play = |section: &&str| {
        let text = section
            .split_once("```toml\n")
            .and_then(|(_, rest)| rest.split_once("```"))
            .expect("a scene")
            .0;
        for picture in section
            .split("](small_scenes/")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            assert!(
                docs.join("small_scenes").join(picture).is_file(),
                "{picture}"
            );
        }
        let scene = Scene::parse(text, Path::new("small.toml"))
            .unwrap_or_else(|e| panic!("{e} in\n{text}"));
        let mut stage = scene
            .build(common::tiled())
            .unwrap_or_else(|e| panic!("{e} in\n{text}"));
        let warnings = scene.warnings(&stage.simulation, Some(scene.spec.film.steps));
        assert!(warnings.is_empty(), "{}: {warnings:?}", scene.spec.name);
        (0..scene.spec.film.steps).for_each(|_| stage.simulation.step());
        stage
            .simulation
            .world()
            .check()
            .expect("the account is exact");
        (scene.spec.name.clone(), stage)
    };
    let played: BTreeMap<_, _> = sections.iter().map(play).collect();
    assert_eq!(played.len(), sections.len(), "a name each");
    played
}

/// Returns the amount of a material in full cells between the corners `from` and `to` of the box.
fn inside(stage: &BuiltScene, material: &str, from: [usize; 3], to: [usize; 3]) -> f64 {
    let layer = stage
        .simulation
        .world()
        .layer(material)
        .expect("a material of the scene");
    let is_inside =
        |place: [usize; 3]| (0..3).all(|axis| (from[axis]..to[axis]).contains(&place[axis]));
    layer
        .held()
        .filter(|(place, _)| is_inside(*place))
        .map(|(_, cell)| cells(u64::from(cell.amount)))
        .sum()
}

/// Returns the mean height of a material above the floor, in cells.
fn middle(stage: &BuiltScene, material: &str) -> f64 {
    let layer = stage
        .simulation
        .world()
        .layer(material)
        .expect("a material of the scene");
    let (weight, all) = layer
        .held()
        .fold((0.0, 0.0), |(weight, all), ([_, y, _], cell)| {
            let amount = f64::from(cell.amount);
            (weight + amount * (y as f64 + 0.5), all + amount)
        });
    weight / all
}

#[test]
fn ten_small_scenes_come_to_what_their_words_say() {
    let played = played();
    assert_eq!(played.len(), 10);
    let stage = |name: &str| &played[name];
    let mass = |name: &str, material: &str| inside(stage(name), material, [0; 3], [usize::MAX; 3]);
    let all = [usize::MAX; 3];

    let flood = inside(stage("lake"), "water", [27, 0, 0], all);
    assert!(flood > 500.0, "{flood} cells of water below the dam");

    let (rubble, steam) = (mass("shore", "rubble"), mass("shore", "steam"));
    assert!(
        rubble > 20.0 && steam > 0.0,
        "{rubble} of rubble, {steam} of steam"
    );

    let tall = (2..36)
        .filter(|y| inside(stage("pile"), "sand", [23, *y, 23], [25, y + 1, 25]) > 3.5)
        .count();
    let foot = inside(stage("pile"), "sand", [0, 2, 0], [48, 3, 48]);
    assert!(
        (6..30).contains(&tall) && foot > 200.0,
        "{tall} cells high on {foot} cells"
    );

    let wax = stage("wax block")
        .simulation
        .world()
        .flow()
        .expect("of the physical model");
    let low = inside(stage("wax block"), "melt", [0; 3], all)
        + inside(stage("wax block"), "set", [18, 2, 0], all);
    assert!(
        wax.check().is_ok() && low > 20.0,
        "{low} cells have run out of the block"
    );

    let ditch = stage("ditch")
        .simulation
        .world()
        .flow()
        .expect("of the physical model");
    let lava =
        |x: usize, z: usize| ditch.column(z * 40 + x).liquid_m + ditch.column(z * 40 + x).set_m;
    let half = |xs: std::ops::Range<usize>| {
        xs.map(|x| (28..40).map(|z| lava(x, z)).sum::<f64>())
            .sum::<f64>()
    };
    let (west, east) = (half(0..20), half(20..40));
    assert!(
        east > 4.0 * west && east > 1.0,
        "{west} m in the west, {east} m in the east, where the ditch leads"
    );

    let [mercury, water, oil] =
        ["mercury", "water", "oil"].map(|material| middle(stage("layers"), material));
    assert!(mercury < water && water < oil, "{mercury}, {water}, {oil}");

    let arms = [[6, 12], [28, 34]]
        .map(|[from, to]| inside(stage("joined"), "water", [from, 6, 0], [to, 30, 9]));
    assert!(
        (arms[0] - arms[1]).abs() < 42.0 && arms[1] > 200.0,
        "{arms:?}"
    );

    let [ice, wood, water] =
        ["ice", "wood", "water"].map(|material| middle(stage("floes"), material));
    assert!(water < ice && ice < wood, "{water}, {ice}, {wood}");

    let air = stage("chimney")
        .simulation
        .world()
        .air()
        .expect("air")
        .max_speed_m_s();
    let steam = stage("chimney")
        .simulation
        .world()
        .array("air.steam")
        .expect("steam");
    let down = |xs: std::ops::Range<usize>| {
        steam
            .indexed_iter()
            .filter(|((.., x), _)| xs.contains(x))
            .map(|(_, mass)| mass)
            .sum::<f32>()
    };
    let (upwind, downwind) = (down(0..10), down(24..64));
    assert!(
        air > 2.0 && downwind > 10.0 * upwind && downwind > 0.0,
        "{upwind} upwind, {downwind} downwind"
    );

    let goals = &stage("hamlet").simulation;
    let verdicts: Vec<_> = goals
        .goals()
        .iter()
        .filter_map(|(_, progress)| progress.verdict)
        .collect();
    assert!(matches!(verdicts[..], [(Verdict::Lost, _)]), "{verdicts:?}");
}
