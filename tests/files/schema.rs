//! Tests that the schema of scenes accepts every valid scene, and rejects those errors that the
//! program finds key by key.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lavoxel::scene::{Scene, VOLCANO, schema};
use serde_json::json;
use toml::Value;

use super::needs;
use crate::common::one_in;

/// Scene in which the lava has a material table, and an event changes that table.
const OF_LAVA: &str = "[[material]]\nname = \"lava\"\ndensity = 2400.0\nviscosity = 0.8\nthreshold = 0.3\nfriction = { on_solid = 0.1 \
                       }\n[[event]]\nat = 3\nmaterial = { name = \"lava\", spread = 0.1 }\n";

/// Returns the shipped scenes, and the built-in scene with all its commented keys except those for
/// other kinds of ground.
fn scenes() -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains");
    let files = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).expect("text"));
    let mut texts: Vec<_> = files.map(read).collect();
    texts.sort();
    assert!(texts.len() > 20, "{} scenes", texts.len());
    texts.push((folder.join("every key.toml"), with_every_key()));
    texts.push((folder.join("lava.toml"), OF_LAVA.to_owned()));
    texts
        .into_iter()
        .map(|(path, text)| (path, Value::Table(text.parse().expect("TOML"))))
        .collect()
}

fn with_every_key() -> String {
    let mut table = String::new();
    let line = |line: &str| {
        if line.starts_with('[') {
            table = line.split(']').next().unwrap_or_default().to_owned();
        }
        let key = line.strip_prefix("# ").filter(|rest| rest.contains(" = "));
        let of_volcano = |key: &&str| {
            ["seed", "rough", "base_c", "height ", "crater"]
                .iter()
                .any(|name| key.starts_with(name))
        };
        let shown = match &table[..] {
            "[grid" | "[camera" | "[look" => key,
            "[terrain" => key.filter(of_volcano),
            _ => None,
        };
        shown.unwrap_or(line).to_owned() + "\n"
    };
    VOLCANO.lines().map(line).collect()
}

/// Mutation of one value: name, and a function that returns the replacement, or `None` if the
/// mutation does not apply to the value.
type Change = (&'static str, fn(&Value) -> Option<Value>);

const WRONG: [Change; 5] = [
    ("a text", |value| {
        (!value.is_str()).then(|| Value::String("x y".to_owned()))
    }),
    ("a number", |value| {
        value.is_str().then_some(Value::Float(0.5))
    }),
    ("a strange key", |value| {
        let mut table = value.as_table()?.clone();
        table.insert("strange_key".to_owned(), Value::Integer(1));
        Some(Value::Table(table))
    }),
    ("far too much", |value| {
        is_number(value).then_some(Value::Float(1e300))
    }),
    ("far too little", |value| {
        is_number(value).then_some(Value::Float(-1e300))
    }),
];

fn is_number(value: &Value) -> bool {
    value.is_integer() || value.is_float()
}

/// Collects the paths of all values in a scene, lists and tables included.
fn places(value: &Value, at: &mut Vec<String>, all: &mut Vec<Vec<String>>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, value)| (i.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (key, value) in inner {
        at.push(key);
        all.push(at.clone());
        places(value, at, all);
        at.pop();
    }
}

fn value_at<'a>(scene: &'a mut Value, at: &[String]) -> &'a mut Value {
    at.iter().fold(scene, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().expect("a number")],
        other => other.get_mut(key).expect("a key"),
    })
}

fn takes(scene: &Value, path: &Path) -> Result<(), String> {
    let text = toml::to_string(scene).expect("TOML");
    Scene::parse(&text, path)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Returns the scene with at most [`BODIES`] bodies of each kind of shape and matter: hundreds of
/// walls and trees test nothing more, at quadratic cost.
fn with_few_bodies(scene: &Value) -> Value {
    let (mut scene, mut seen) = (scene.clone(), HashMap::new());
    if let Some(bodies) = scene.get_mut("body").and_then(Value::as_array_mut) {
        bodies.retain(|body| {
            let kind = |key: &str| {
                body.get(key)
                    .and_then(|part| part.get("kind"))
                    .map(Value::to_string)
            };
            let count = seen.entry([kind("shape"), kind("matter")]).or_insert(0);
            *count += 1;
            *count <= BODIES
        });
    }
    scene
}

/// Number of bodies of each kind that are tested.
const BODIES: usize = 4;

/// Test case: one wrong value in one scene.
struct Case {
    scene: usize,
    at: Vec<String>,
    what: &'static str,
    value: Value,
}

fn cases(scenes: &[(PathBuf, Value)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (scene, (_, whole)) in scenes.iter().enumerate() {
        let mut all = Vec::new();
        places(whole, &mut Vec::new(), &mut all);
        for at in all {
            let old = value_at(&mut whole.clone(), &at).clone();
            let changed = WRONG
                .iter()
                .filter_map(|(what, change)| Some((*what, change(&old)?)));
            cases.extend(changed.map(|(what, value)| Case {
                scene,
                at: at.clone(),
                what,
                value,
            }));
        }
    }
    cases
}

/// Returns true if the value is checked in relation to others or by the format of its text, which
/// the schema leaves to the program.
fn is_beyond_a_schema(case: &Case) -> bool {
    let key = case
        .at
        .iter()
        .rev()
        .find(|key| key.parse::<usize>().is_err())
        .map(String::as_str)
        .unwrap_or_default();
    let is_time =
        ["duration", "from", "until", "rates_m3_s"].contains(&key) && case.what != "a strange key";
    let is_named = ["color", "part", "raw_type", "crs", "height_unit"].contains(&key);
    let is_of_wind = key == "wind" && case.what.starts_with("far");
    // Names of materials and elements are arbitrary keys in these tables.
    let is_free =
        ["takes", "makes", "near", "elements"].contains(&key) && case.what == "a strange key";
    is_time || is_named || is_of_wind || is_free
}

#[test]
fn scenes_fit_and_wrong_values_are_refused_as_the_program_refuses_them() {
    let Some(python) = needs::python("jsonschema", "python3-jsonschema") else {
        return;
    };
    let scenes = scenes();
    for (path, scene) in &scenes {
        assert_eq!(takes(scene, path), Ok(()), "{}", path.display());
    }
    let few: Vec<_> = scenes
        .iter()
        .map(|(path, scene)| (path.clone(), with_few_bodies(scene)))
        .collect();
    let share = one_in(3);
    let wrong: Vec<_> = cases(&few).into_iter().step_by(share).collect();
    let whole = (0..scenes.len()).map(|i| json!([i, [], null]));
    let changed = wrong
        .iter()
        .map(|case| json!([scenes.len() + case.scene, case.at, case.value]));
    let given = json!({
        "schema": schema(),
        "scenes": scenes.iter().chain(&few).map(|(_, scene)| json!(scene)).collect::<Vec<_>>(),
        "cases": whole.chain(changed).collect::<Vec<_>>(),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cases.json");
    fs::write(&file, given.to_string()).expect("written");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_schema.py");
    let run = Command::new(python)
        .arg(program)
        .arg(&file)
        .output()
        .expect("Python runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let fits: Vec<bool> = String::from_utf8_lossy(&run.stdout)
        .trim()
        .chars()
        .map(|digit| digit == '1')
        .collect();
    assert_eq!(fits.len(), scenes.len() + wrong.len());
    for ((path, _), fits) in scenes.iter().zip(&fits) {
        assert!(fits, "{} does not fit", path.display());
    }
    let (mut refused, mut differ) = (0, Vec::new());
    for (case, &fits) in wrong.iter().zip(&fits[scenes.len()..]) {
        let (path, whole) = &few[case.scene];
        let mut scene = whole.clone();
        *value_at(&mut scene, &case.at) = case.value.clone();
        let program = takes(&scene, path);
        let named = format!("{}: {} at {}", path.display(), case.what, case.at.join("."));
        if program.is_ok() != fits && !(fits && is_beyond_a_schema(case)) {
            differ.push(format!(
                "{} {named}: {program:?}",
                if fits { "taken:" } else { "refused:" }
            ));
        }
        refused += usize::from(!fits);
    }
    assert!(
        differ.is_empty(),
        "schema and program differ in {}:\n{}",
        differ.len(),
        differ.join("\n")
    );
    assert!(
        refused > 2000 / share && 20 * (wrong.len() - refused) < wrong.len(),
        "{refused} of {}",
        wrong.len()
    );
}

#[test]
fn ranges_defaults_and_words_come_from_the_lists() {
    let schema = schema();
    let key = |path: &str| {
        schema
            .pointer(path)
            .unwrap_or_else(|| panic!("{path}"))
            .clone()
    };
    let fov = key("/properties/camera/properties/fov_deg");
    assert_eq!(
        (&fov["minimum"], &fov["maximum"], &fov["default"]),
        (&5.into(), &120.into(), &32.0.into())
    );
    assert_eq!(fov["description"], "Vertical field of view [°]");
    let iso = key("/properties/look/properties/iso");
    assert_eq!(
        (&iso["minimum"], &iso["default"]),
        (&0.02.into(), &0.42.into()),
        "as it is written"
    );
    let friction = key("/properties/rules/properties/friction/properties/on_solid");
    assert_eq!(
        (&friction["maximum"], &friction["default"]),
        (&1.into(), &0.0.into())
    );
    assert_eq!(
        key("/properties/look/properties/sky/enum"),
        json!(["dusk", "day", "night"])
    );
    assert_eq!(key("/properties/material/items/required"), json!(["name"]));
}
