//! Tests of solids that can melt: files of such a scene, its continuation from a checkpoint, and
//! error messages.

use serde_json::Value;

use super::place::{Place, text};

/// Scene of a block of wax on a plain next to a heat lamp.
const BLOCK: &str = r#"
name = "block"
model = "flow"

[flow]
step_s = 2.0
duration = "2 min"
open_sides = false
lava = { preset = "paraffin-wax", viscosity = { pa_s = 2.0 } }

[grid]
size = [20, 16, 20]
cell_size_m = 0.004

[terrain]
kind = "plane"
base_cells = 2.0

[[body]]
shape = { kind = "box", from = [6.0, 2.0, 6.0], to = [14.0, 10.0, 14.0] }
matter = { kind = "solid", temperature_k = 300.0 }

[[heater]]
shape = { kind = "sphere", center = [10.0, 9.0, 10.0], radius = 4.0 }
heats = "inside"
power_w = 60.0
up_to_k = 345.0
until = "90 s"

[film]
size = [64, 48]
picture_size = [96, 72]
"#;

fn number(report: &Value, key: &str) -> f64 {
    report["flow"][key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} in {report}"))
}

#[test]
fn a_block_melts_beside_a_lamp_and_resumes_to_the_same_files() {
    let place = Place::new();
    place.write_file("block.toml", BLOCK);
    let report = place.json("run block.toml --json");
    assert_eq!(report["flow"]["exact"], Value::Bool(true), "{report}");
    let [liquid, set] = ["liquid_m3", "set_m3"].map(|key| number(&report, key));
    let block = 512.0 * 0.004_f64.powi(3);
    assert!(
        (liquid + set - block).abs() < 1e-9 && liquid > 0.05 * block && set > 0.2 * block,
        "{report}"
    );
    assert!(
        report["flow"]["heat_j"]["heated"]
            .as_f64()
            .is_some_and(|heat| heat > 1000.0),
        "{report}"
    );
    let words = place.run("run block.toml");
    assert!(
        text(&words.stdout).contains(" cm³ liquid, "),
        "{}",
        text(&words.stdout)
    );
    // Stopped half way, then resumed.
    place.run("run block.toml --steps 30 --checkpoint half.lvx");
    let resumed = place.json("resume half.lvx --steps 60 --json");
    for key in ["liquid_m3", "set_m3", "time_s"] {
        assert_eq!(number(&resumed, key), number(&report, key), "{key}");
    }
    assert_eq!(resumed["state_hash"], report["state_hash"]);
    assert!(report["state_hash"].is_string(), "{report}");
    let picture = place.run("render block.toml --steps 5 --picture block.png");
    assert!(picture.status.success(), "{}", text(&picture.stderr));
}

#[test]
fn heaters_that_do_not_fit_into_memory_are_refused() {
    let place = Place::new();
    let heater = "[[heater]]\nshape = { kind = \"below\", level = 16.0 }\npower_w = 1.0\n";
    place.write_file("hot.toml", format!("{BLOCK}{}", heater.repeat(999)));
    let output = place.run("run hot.toml --steps 1 --max-memory 45M");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("the heaters"), "{error}");
}

#[test]
fn keys_of_melting_are_refused_by_name() {
    let place = Place::new();
    let basalt = BLOCK.replace(
        "paraffin-wax\", viscosity = { pa_s = 2.0 }",
        "etna-basalt\"",
    );
    let classic = "[[heater]]\nshape = { kind = \"below\", level = 2.0 }\npower_w = 1.0\n";
    let with = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        BLOCK.replace(from, to)
    };
    for (scene, message) in [
        (
            basalt.replace("kind = \"solid\", temperature_k = 300.0", "kind = \"rock\""),
            "heater = set: must be left out, or model = \"flow\" and a lava with liquidus_k",
        ),
        (classic.to_owned(), "heater = set: must be left out"),
        (
            with("power_w = 60.0", "power_w = -1.0"),
            "heater[0].power_w",
        ),
        (
            with("up_to_k = 345.0", "up_to_k = 9999.0"),
            "heater[0].up_to_k",
        ),
        (
            with("until = \"90 s\"", "until = \"90 s\"\nfrom = \"2 min\""),
            "heater[0].until",
        ),
        (
            with("temperature_k = 300.0", "temperature_k = 0.0"),
            "body[0].matter.temperature_k",
        ),
        (
            with("pa_s = 2.0 }", "pa_s = 2.0 }, liquidus_k = 300.0"),
            "flow.lava.liquidus_k",
        ),
        (
            with("pa_s = 2.0 }", "pa_s = 2.0 }, latent_heat = 9e6"),
            "flow.lava.latent_heat",
        ),
        (
            with("pa_s = 2.0 }", "pa_s = 2.0 }, conduction = 9e3"),
            "flow.step_s",
        ),
        (
            with("[film]", "[[reaction]]\ntakes = { set = 1 }\n[film]"),
            "reaction[0].takes = \"set\": must be another material",
        ),
        (
            basalt
                .split("[[heater]]")
                .next()
                .unwrap_or_default()
                .to_owned(),
            "body[0].matter.kind = \"solid\": must be \"rock\" here: \"solid\" needs a lava with liquidus_k",
        ),
    ] {
        place.write_file("wrong.toml", &scene);
        let output = place.run("run wrong.toml");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}: {error}");
        assert!(error.contains(message), "no {message:?} in {error}");
    }
}

#[test]
fn a_report_of_wax_speaks_of_wax_and_its_size() {
    let report = Place::new().done("run wax --steps 3 --quiet");
    let line = |start: &str| {
        let found = report.lines().find(|line| line.starts_with(start));
        found
            .unwrap_or_else(|| panic!("no {start:?} in\n{report}"))
            .to_owned()
    };
    assert!(line("volume ").contains(" cm³ put there"), "{report}");
    assert!(
        line("thickness ").contains(" mm on average") && !line("thickness ").contains("roofed"),
        "{report}"
    );
    assert!(
        line("heat ").contains(" kJ at start or placed") && line("heat ").contains(" % solid"),
        "{report}"
    );
    assert!(
        line("accounts ").ends_with("none of them capped"),
        "{report}"
    );
    assert!(
        line("state ").ends_with("(a fingerprint of all cells: the same run gives the same)"),
        "{report}"
    );
    for word in ["lava", "sky", "down to", "element ", "no forecast", "e0 "] {
        assert!(!report.contains(word), "{word:?} in\n{report}");
    }
}
