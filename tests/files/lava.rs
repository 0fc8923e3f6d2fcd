//! Tests that the lava's `[[material]]` table means the same as `[rules]` and `[look]`, and gives
//! the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use crate::common::tiled;
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::rules::RulesSpec;
use lavoxel::scene::{BuiltScene, Scene, schema};

const BOX: &str = "[grid]\nsize = [16, 20, 16]\ncell_size_m = 1.0\n[terrain]\nkind = \"hills\"\n[[vent]]\nx = 8.0\nz = 8.0\nrate = \
                   1.5\n[[material]]\nname = \"water\"\n[[body]]\nshape = { kind = \"below\", level = 3.0 }\nmatter = { kind = \
                   \"material\", name = \"water\", amount = 1.0 }\n";

/// Rule parameters other than the defaults, as a `[rules]` table and as a material table of the
/// lava.
const OF_RULES: &str = "factor = 0.75\nbeta = 1.25\nthreshold = 0.2\nspread = 0.125\nalpha = 0.7\nsupport = 0.5\n\
                        spreading_every = 2\nfriction = { on_solid = 0.1, on_liquid = 0.2 }";
const OF_LAVA: &str = "factor = 0.75\nbeta = 1.25\nthreshold = 0.2\nspread = 0.125\nalpha = 0.7\nviscosity = 0.5\n\
                       spreading_every = 2\nfriction = { on_solid = 0.1, on_liquid = 0.2 }";
const OPACITY: &str = "opacity = [[0.1, 0], [1, 0.5]]";

fn parsed(text: &str) -> Result<Scene, String> {
    Scene::parse(text, Path::new("lava.toml")).map_err(|error| error.to_string())
}

fn scene(text: &str) -> Scene {
    parsed(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns a scene with additional keys in `[rules]`, `[look]` and the material table of the lava.
fn both(rules: &str, look: &str, lava: &str) -> String {
    format!("{BOX}[rules]\n{rules}\n[look]\n{look}\n[[material]]\nname = \"lava\"\n{lava}\n")
}

fn steps(stage: &mut BuiltScene, steps: usize) -> u64 {
    (0..steps).for_each(|_| stage.simulation.step());
    stage.simulation.world().check().unwrap();
    stage.simulation.world().state_hash()
}

fn built(scene: &Scene) -> BuiltScene {
    scene.build(tiled()).unwrap()
}

#[test]
fn a_scene_written_both_ways_has_the_same_states() {
    let by_rules = scene(&both(OF_RULES, OPACITY, ""));
    let by_lava = scene(&both("", "", &format!("{OF_LAVA}\nlook = {{ {OPACITY} }}")));
    assert_eq!(by_lava.spec, by_rules.spec);
    // Each number differs from the default.
    for param in RulesSpec::params() {
        assert_ne!(
            (param.get)(&by_lava.spec.rules),
            param.default(),
            "{}",
            param.key
        );
    }
    assert_eq!(
        steps(&mut built(&by_lava), 80),
        steps(&mut built(&by_rules), 80)
    );
    assert_ne!(
        steps(&mut built(&by_lava), 80),
        steps(&mut built(&scene(&both("", "", ""))), 80)
    );
    // Some keys are in one table and some in the other, and one key is in both, in different
    // notations.
    let mixed = both(
        "threshold = 2e-1\nfriction.on_solid = 0.1",
        "opacity = [[0.1, 0.0], [1.0, 0.5]]",
        OF_LAVA,
    );
    let mixed = mixed + &format!("look.{OPACITY}\n");
    assert_eq!(scene(&mixed).spec, by_rules.spec);
    // A saved scene keeps all values, under `[rules]` and `[look]`.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.toml");
    by_lava
        .save(&path, lavoxel::output::Existing::Keep)
        .unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("support = 0.5") && text.contains("on_liquid = 0.2"),
        "{text}"
    );
    assert_eq!(Scene::load(&path).unwrap().spec.rules, by_rules.spec.rules);
}

#[test]
fn what_two_tables_say_differently_or_none_knows_is_refused() {
    let line = |text: &str, of: &str| text.lines().position(|line| line.contains(of)).unwrap() + 1;
    for (rules, look, lava, place, expected) in [
        (
            "support = 0.9",
            "",
            "viscosity = 0.4",
            "viscosity",
            "material[1].viscosity = 0.4: must be 0.9 as rules.support, or",
        ),
        (
            "friction.on_solid = 0",
            "",
            "friction = { on_solid = 0.1 }",
            "{ on_solid",
            "material[1].friction.on_solid = 0.1: must be 0 as",
        ),
        (
            "",
            OPACITY,
            "look = { opacity = [[0.1, 0], [1, 1]] }",
            "look =",
            "material[1].look.opacity = [[0.1, 0], [1, 1]]: must be [[",
        ),
        (
            "",
            "",
            "spread = 9",
            "spread",
            "material[1].spread = 9: must be a number from",
        ),
        (
            "",
            "",
            "viscosity = 1.5",
            "viscosity",
            "material[1].viscosity = 1.5: must be a number from 0 to 1",
        ),
        (
            "",
            "",
            "friction.on_liquid = 2",
            "on_liquid",
            "material[1].friction.on_liquid = 2: must be",
        ),
        (
            "",
            "",
            "threshold = \"high\"",
            "threshold",
            "material.threshold = \"high\": must be a number",
        ),
        (
            "",
            "",
            "thresold = 0.2",
            "thresold",
            "unknown key `thresold`: did you mean `threshold`?",
        ),
        (
            "",
            "",
            "friction = { on_ice = 0.1 }",
            "on_ice",
            "unknown key `on_ice`",
        ),
        ("", "", "support = 0.9", "", "unknown key `support`"),
        (
            "",
            "",
            "fluidity = 3",
            "fluidity",
            "material[1].fluidity = \"set\": must be left out: of lava, tables have",
        ),
    ] {
        let text = both(rules, look, lava);
        let message = parsed(&text).expect_err(lava);
        assert!(
            message.contains(&expected.replace("\"set\"", "set")),
            "{message}\n{expected}"
        );
        if !place.is_empty() {
            assert!(
                message.starts_with(&format!("lava.toml:{}: ", line(&text, place))),
                "{message}"
            );
        }
    }
    // Keys of the lava are unknown in tables of other materials.
    let message = parsed(&format!(
        "{BOX}[[material]]\nname = \"oil\"\nthreshold = 0.2\n"
    ))
    .unwrap_err();
    assert!(message.contains("unknown key `threshold`"), "{message}");
    let message =
        parsed("model = \"flow\"\n[[material]]\nname = \"lava\"\nthreshold = 0.2\n").unwrap_err();
    assert!(
        message.contains("material[0].name") && message.contains("flow.lava"),
        "{message}"
    );
}

#[test]
fn an_event_that_changes_the_lava_changes_the_rules() {
    let event = |change: &str| format!("{BOX}[[event]]\nat = 20\n{change}\n");
    let by_rules = scene(&event(&format!("[event.rules]\n{OF_RULES}")));
    let by_lava = scene(&event(&format!(
        "[event.material]\nname = \"lava\"\n{OF_LAVA}"
    )));
    assert_eq!(by_lava.spec, by_rules.spec);
    let mut never_stopped = built(&by_rules);
    let expected = steps(&mut never_stopped, 60);
    assert_ne!(expected, steps(&mut built(&scene(BOX)), 60));
    // The run is saved and resumed before the event and after.
    let mut stage = built(&by_lava);
    for _ in 0..3 {
        steps(&mut stage, 15);
        let (mut bytes, scene) = (Vec::new(), &by_lava);
        CheckpointWriter {
            scene,
            stage: &stage,
            extras: &[],
        }
        .write(Path::new("run.lvx"), &mut bytes)
        .unwrap();
        stage = Checkpoint::read(&bytes[..], Path::new("run.lvx"), tiled())
            .unwrap()
            .stage;
    }
    assert_eq!(steps(&mut stage, 15), expected);
    assert_eq!(
        steps(&mut built(&by_lava.recorded(&stage.simulation)), 60),
        expected
    );
    for (change, expected) in [
        (
            "material = { name = \"lava\", speed = 0.5 }",
            "event[0].material.speed = set: must be left out: of lava",
        ),
        (
            "material = { name = \"lava\" }",
            "event[0].material = only the name \"lava\"",
        ),
        (
            "material = { name = \"lava\", viscosity = 7 }",
            "event[0].material.viscosity = 7: must be",
        ),
        (
            "material = { name = \"lava\", beta = 2.0 }\nrules = { alpha = 0.5 }",
            "exactly one of",
        ),
    ] {
        let message = parsed(&event(change)).expect_err(change);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_schema_knows_the_keys_of_the_lava() {
    let schema = schema();
    let material = "/properties/material/items/properties";
    for table in [
        material,
        "/properties/event/items/properties/material/properties",
    ] {
        for param in RulesSpec::params() {
            let key = if param.key == "support" {
                "viscosity"
            } else {
                param.key
            };
            let number = schema
                .pointer(&format!("{table}/{}", key.replace('.', "/properties/")))
                .expect(key);
            assert_eq!(number["maximum"].as_f64(), Some(param.high), "{key}");
        }
    }
}
