//! The promise: a parameter is written once, in its rule's file; the built-in scene and the documentation say the same of it.

use std::fs;
use std::path::Path;

use lavoxel::matter::Material;
use lavoxel::rules::{Param, RulesSpec, Scale};
use lavoxel::scene::VOLCANO;

#[test]
fn the_built_in_scene_says_what_each_parameter_does() {
    for param in Param::all() {
        let key = param.key.rsplit('.').next().expect("a key is not empty");
        let line = VOLCANO.lines().find(|line| line.starts_with(&format!("{key} = "))).expect(key);
        let (value, what) = line.split_once('#').expect(key);
        let value: f64 = value.split_once('=').expect(key).1.trim().parse().expect(key);
        assert_eq!((value, what.trim()), (param.default(), param.what), "{key}");
    }
}

#[test]
fn the_documentation_has_a_row_for_each_parameter() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenes.md")).expect("docs/scenes.md");
    let rules = Param::all().map(row_of);
    for row in rules.chain(Material::params().map(row_of)) {
        assert!(page.contains(&row), "docs/scenes.md lacks this row:\n{row}");
    }
}

fn row_of<T: Default>(param: &Param<T>) -> String {
    if param.scale == Scale::Switch {
        return format!("| `{}` | `false`, `true` | `{}` | {} |", param.key, param.default() >= 0.5, param.what);
    }
    let low = if param.low > 0.0 && param.low < 1e-3 { "above 0".to_owned() } else { param.low.to_string() };
    let high = (param.high * 1e3).floor() / 1e3;
    format!("| `{}` | {low} to {high} | {} | {} |", param.key, param.default(), param.what)
}

#[test]
fn a_number_out_of_its_range_is_refused_by_the_name_of_its_table() {
    for param in Param::all() {
        for value in [param.low, param.high, param.default()] {
            let mut spec = RulesSpec::default();
            (param.set)(&mut spec, value);
            assert_eq!((param.get)(&spec), value, "{} is read as it was written", param.key);
            spec.validate("rules").expect(param.key);
        }
        let mut spec = RulesSpec::default();
        (param.set)(&mut spec, 2.0 * param.high + 1.0);
        let refused = spec.validate("material[1].rules").expect_err(param.key).to_string();
        assert!(refused.contains(&format!("material[1].rules.{}", param.key)), "{refused}");
    }
}
