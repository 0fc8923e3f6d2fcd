//! Tests of `lavoxel run`: reports and accounts.

use assert_cmd::Command;
use predicates::str::contains;

use super::place::{Place, SMALL, text};

#[test]
fn run_reports_for_people() {
    let place = Place::new();
    let output = place.run("run small.toml");
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    assert!(
        report.starts_with(
            "Small scene: 20 steps on 24 × 20 × 24 cells of 10 m, seed 5, 2 threads\n"
        ),
        "{report}"
    );
    for part in [
        "mass ",
        "energy ",
        "cells ",
        "extent ",
        "per step ",
        "state ",
    ] {
        assert!(
            report.lines().any(|line| line.starts_with(part)),
            "no {part} in\n{report}"
        );
    }
    assert!(report.contains("30.000 poured and put in"), "{report}");
    assert_eq!(place.files(), ["small.toml"]);
}

#[test]
fn run_reports_for_programs_and_the_account_is_exact() {
    let place = Place::new();
    place.write_file(
        "open.toml",
        SMALL.replace(
            "[[vent]]",
            "[rules]\nthreshold = 0.05\nwalls = \"open\"\n[[vent]]",
        ),
    );
    for (args, open) in [
        ("run small.toml --json", false),
        ("run open.toml --steps 300 --json", true),
    ] {
        let report = place.json(args);
        let number = |key: &str| {
            report[key]
                .as_u64()
                .unwrap_or_else(|| panic!("{key} in {report}"))
        };
        assert_eq!(number("steps"), if open { 300 } else { 20 });
        assert_eq!((number("seed"), number("threads")), (5, 2));
        assert_eq!(report["dims"], serde_json::json!([24, 20, 24]));
        assert_eq!(report["cell_size_m"], 10.0);
        let unit = number("unit");
        let sourced = number("sourced_units");
        assert_eq!(
            sourced,
            number("steps") * unit * 3 / 2 - number("blocked_units")
        );
        let gone = number("outflow_units") + number("solidified_units") + number("removed_units");
        assert_eq!(
            number("initial_units") + sourced,
            number("mass_units") + gone
        );
        assert_eq!(number("outflow_units") > 0, open, "{report}");
        assert!(report["energy"].as_f64().unwrap() > 0.0);
        let (liquid, covered) = (number("liquid_cells"), number("covered_columns"));
        assert!(
            covered > 0 && covered <= liquid && number("active_cells") <= liquid,
            "{report}"
        );
        assert!(report["max_depth_cells"].as_f64().unwrap() > 0.0);
        let hash = report["state_hash"].as_str().unwrap();
        assert!(
            hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()),
            "{hash}"
        );
        for stage in ["gravity", "spreading", "sources"] {
            assert!(
                report["timings_ms"][stage]
                    .as_f64()
                    .is_some_and(|ms| ms >= 0.0),
                "{stage} in {report}"
            );
        }
    }
}

#[test]
fn a_body_of_lava_is_in_the_account() {
    let place = Place::new();
    let body = "[[body]]\nshape = { kind = \"box\", from = [1.0, 10.0, 1.0], to = [3.0, 12.0, 3.0] }\n\
                matter = { kind = \"lava\", amount = 1.0, energy = 1.0 }\n";
    place.write_file("body.toml", format!("{SMALL}{body}"));
    let report = place.json("run body.toml --json");
    assert_eq!(
        report["initial_units"].as_u64(),
        report["unit"].as_u64().map(|unit| 8 * unit)
    );
}

#[test]
fn the_state_depends_on_the_seed_and_on_nothing_else() {
    let place = Place::new();
    let hash = |args: &str| {
        place.json(&format!("run small.toml --steps 120 --json {args}"))["state_hash"].clone()
    };
    let one = hash("--threads 1");
    for same in [
        "--threads 2",
        "--threads 5",
        "--seed 5",
        "--engine plain",
        "--engine fast",
        "--quiet",
    ] {
        assert_eq!(hash(same), one, "{same}");
    }
    assert_ne!(hash("--seed 6"), one);
    let report = place.json("run small.toml --seed 77 --threads 3 --json");
    assert_eq!(
        (report["seed"].as_u64(), report["threads"].as_u64()),
        (Some(77), Some(3))
    );
}

#[test]
fn no_steps_and_no_vent_are_fine() {
    let place = Place::new();
    let report = place.json("run small.toml --steps 0 --json");
    assert_eq!(
        (report["steps"].as_u64(), report["mass_units"].as_u64()),
        (Some(0), Some(0))
    );
    place.write_file("empty.toml", "");
    let report = place.json("run empty.toml --steps 1 --json");
    assert_eq!(report["dims"], serde_json::json!([128, 100, 128]));
    assert_eq!(report["liquid_cells"], 0);
}

#[test]
fn a_scene_in_which_nothing_pours_is_told_by_every_command() {
    let place = Place::new();
    place.write_file("dry.toml", SMALL.split("[[vent]]").next().unwrap());
    let warning =
        "warning: dry.toml: nothing pours: add a [[vent]] to the scene, or pass --vent X,Z\n";
    for args in [
        "run dry.toml --steps 2",
        "render dry.toml --steps 2 --picture a.png --size 40x30",
        "scene dry.toml",
    ] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(0), "{args}");
        assert!(
            text(&output.stderr).contains(warning),
            "{args}: {}",
            text(&output.stderr)
        );
    }
    let output = place.run("run dry.toml --steps 2 --vent 12,12");
    assert_eq!(text(&output.stderr), "");
}

#[cfg(unix)]
#[test]
fn a_scene_comes_from_a_file_or_a_pipe() {
    let place = Place::new();
    let line = place.refused("run /dev/null");
    assert!(
        line.contains("/dev/null is not a regular file but a device"),
        "{line}"
    );
    assert!(
        place
            .refused("run .")
            .contains("is not a regular file but a folder")
    );
    let piped = format!(
        "mkfifo pipe && (cat small.toml > pipe &) && exec {} run pipe --steps 3",
        env!("CARGO_BIN_EXE_lavoxel")
    );
    let mut command = Command::new("sh");
    command
        .current_dir(place.0.path())
        .args(["-c", &piped])
        .assert()
        .success()
        .stdout(contains("Small scene: 3 steps"));
}

#[test]
fn quiet_says_nothing() {
    let place = Place::new();
    for args in [
        "run small.toml --quiet",
        "render small.toml -q --picture a.png --animation a.gif --frames f",
    ] {
        let output = place.run(args);
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(0), String::new()),
            "{args}"
        );
    }
}
