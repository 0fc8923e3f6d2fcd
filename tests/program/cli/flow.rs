//! Tests of the physical model in the program: a heightmap with lava, its report, and error
//! messages.

use geotiff_reader::GeoTiffFile;
use serde_json::Value;

use super::place::{Place, text};

/// Returns the heightmap of a slope of 30 × 20 cells of 10 m that falls to the south, as an ASCII
/// grid.
fn slope() -> String {
    let row = |z: usize| format!("{}\n", vec![(200 - 2 * z).to_string(); 30].join(" "));
    let rows: String = (0..20).map(row).collect();
    format!("ncols 30\nnrows 20\nxllcorner 500000\nyllcorner 4170000\ncellsize 10\n{rows}")
}

#[test]
fn a_heightmap_with_a_lava_runs_in_seconds_and_cubic_metres() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    let args = "run slope.asc --vent map:500150,4170150@20m3/s --duration 10min --lava etna-basalt --walls closed";
    let report = place.json(&format!(
        "{args} --json --map arrival=hours.tif --checkpoint run.lvx"
    ));
    let flow = |key: &str| {
        report["flow"][key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key} in {report}"))
    };
    assert_eq!(
        (report["steps"].as_u64(), flow("time_s"), flow("step_s")),
        (Some(15), 600.0, 40.0)
    );
    assert!(
        (flow("poured_m3") - 12_000.0).abs() < 0.01 && flow("out_m3") == 0.0,
        "{report}"
    );
    assert!(
        (flow("liquid_m3") + flow("set_m3") - flow("poured_m3")).abs() < 0.01,
        "{report}"
    );
    assert!(
        flow("area_m2") >= 100.0 && flow("max_thickness_m") >= flow("mean_thickness_m"),
        "{report}"
    );
    assert_eq!(report["flow"]["exact"], Value::Bool(true));
    let words = place.run(args);
    let words = text(&words.stdout);
    for line in [
        "time        10 min in steps of 40 s",
        "volume      12 000 m³ poured: ",
        "accounts    volume and heat exact",
    ] {
        assert!(words.contains(line), "no {line:?} in\n{words}");
    }
    let resumed = place.json("resume run.lvx --steps 20 --json");
    assert_eq!(resumed["flow"]["time_s"].as_f64(), Some(800.0));
}

#[test]
fn a_run_ends_with_its_duration_and_not_with_a_step() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    let run =
        "run slope.asc --vent map:500150,4170150@20m3/s --lava etna-basalt --walls closed --json";
    let number = |report: &Value, key: &str| {
        report["flow"][key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key} in {report}"))
    };
    for (duration, time_s, steps) in [
        ("1min", 60.0, 2),
        ("10s", 10.0, 1),
        ("90.5s", 90.5, 3),
        ("2min", 120.0, 3),
    ] {
        let report = place.json(&format!("{run} --duration {duration}"));
        assert_eq!(
            (report["steps"].as_u64(), number(&report, "time_s")),
            (Some(steps), time_s),
            "{duration}"
        );
        let poured = number(&report, "poured_m3");
        assert!(
            (poured - 20.0 * time_s).abs() < 0.01,
            "{duration}: {poured} m³"
        );
        assert_eq!(report["flow"]["exact"], Value::Bool(true));
    }
    // A run resumed from a step before its end gives the same report.
    let kept = format!("{run} --duration 100s --checkpoint run.lvx --checkpoint-every 1");
    let straight = place.json(&kept);
    assert_eq!(
        (
            number(&straight, "time_s"),
            number(&straight, "last_step_s")
        ),
        (100.0, 20.0)
    );
    let resumed = place.json("resume run.lvx.previous --json --force");
    assert_eq!(
        (&resumed["state_hash"], number(&resumed, "time_s")),
        (&straight["state_hash"], 100.0)
    );
    // The end can be moved: after the shortened step, steps are whole again.
    let later = place.json("resume run.lvx --duration 170s --json --checkpoint later.lvx");
    assert_eq!(
        (later["steps"].as_u64(), number(&later, "time_s")),
        (Some(5), 170.0)
    );
    assert!(
        (number(&later, "poured_m3") - 3400.0).abs() < 0.01,
        "{later}"
    );
    let by_steps = place.json("resume later.lvx --steps 7 --json");
    assert_eq!(number(&by_steps, "time_s"), 250.0);
    let words = text(
        &place
            .run(&run.replace(" --json", " --duration 1min"))
            .stdout,
    );
    assert!(
        words.contains("time        1 min in steps of 40 s, the last one of 20 s\n"),
        "{words}"
    );
    let refused = place.refused_with(2, "resume later.lvx --duration 90s");
    assert!(
        refused.contains("--duration 90 s") || refused.contains("--duration 1.5 min"),
        "{refused}"
    );
}

#[test]
fn flags_of_the_other_model_are_refused() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    for (args, message) in [
        (
            "run slope.asc --lava basalt",
            "--lava \"basalt\": must be one of \"etna-basalt\"",
        ),
        (
            "run slope.asc --lava etna-basalt --vent 9,9@2",
            "--vent 9,9@2: rate must be in cubic metres a second",
        ),
        (
            "run slope.asc --vent 9,9@2m3/s",
            "--vent 9,9@2m3/s: rate_m3_s must be in full cells a step",
        ),
        (
            "run slope.asc --duration 10d",
            "--duration 10 d: must be left out in the classic model",
        ),
        (
            "run small.toml --lava etna-basalt",
            "--lava etna-basalt: must be left out in the classic model",
        ),
        (
            "run slope.asc --lava etna-basalt --exaggerate 2",
            "--exaggerate 2: must be left out",
        ),
        (
            "run small.toml --cell-height 2",
            "--cell-height 2: must be left out",
        ),
        (
            "run slope.asc --cell-height 2",
            "--cell-height 2: must be left out",
        ),
        (
            "run slope.asc --time-step 1min",
            "--time-step 1 min: must be left out",
        ),
        (
            "run slope.asc --lava etna-basalt --time-step 0",
            "--time-step 0 s: must be a number from 0.0001",
        ),
        (
            "run slope.asc --lava etna-basalt --cell-height 0",
            "--cell-height 0: must be a number from 0.001",
        ),
    ] {
        let output = place.run(args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}: {error}");
        assert!(error.contains(message), "{args}\n→ {error}");
    }
}

#[test]
fn the_help_of_lava_names_all_presets() {
    let place = Place::new();
    let words = text(&place.run("run --help").stdout)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for name in lavoxel::flow::Lava::PRESETS {
        assert!(words.contains(name), "no {name} in\n{words}");
    }
}

#[test]
fn a_report_warns_with_numbers_where_the_model_does_not_hold() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    let args = "run slope.asc --vent map:500150,4170150@20m3/s --duration 20min --lava kilauea --cell-height 2 --walls open";
    let report = place.json(&format!("{args} --json"));
    let flow = &report["flow"];
    let reynolds = |key: &str| {
        flow["reynolds"][key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key} in {flow}"))
    };
    assert!(
        reynolds("max") > 1.0 && reynolds("above_1_since_s") <= reynolds("at_s"),
        "{flow}"
    );
    assert!(
        (0.0..300.0).contains(&reynolds("x_m")) && (0.0..200.0).contains(&reynolds("z_m")),
        "{flow}"
    );
    assert!(flow["out_m3"].as_f64().unwrap() > 0.0, "{flow}");
    assert!(
        (0.5..5.0).contains(&flow["cells_across"].as_f64().unwrap()),
        "{flow}"
    );
    let warnings: Vec<&str> = report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        warnings.len() >= 3 && warnings[1].starts_with("Reynolds number up to "),
        "{warnings:?}"
    );
    let words = text(&place.run(args).stdout);
    for warning in warnings {
        assert!(
            words.contains(&format!("\nwarning: {warning}")),
            "no {warning:?} in\n{words}"
        );
    }
    for line in [
        "warning: Reynolds number up to ",
        ", above 1 since ",
        " % of all, left by the sides of the box",
        "cells 2 m high",
        "warning: unconverged: the flow is ",
        " run-out and area follow the cells; make cells ",
    ] {
        assert!(words.contains(line), "no {line:?} in\n{words}");
    }
    assert!(!words.contains("heights ×"), "{words}");
}

#[test]
fn a_scene_says_before_it_starts_that_it_flows_too_fast_for_its_steps() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    place.write_file("thin.toml", super::signals::DEEP);
    let error = text(&place.run("scene thin.toml").stderr);
    assert!(
        error.contains("of a step can follow") && error.contains("make flow.step_s "),
        "{error}"
    );
}

/// Checks the description in files of the physical model, and that the covered area is the same in
/// report, maps and sheet.
#[test]
fn files_of_a_flow_say_its_hours_its_lava_and_its_cautions() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    let args = "run slope.asc --vent map:500150,4170150@20m3/s --duration 20min --lava kilauea --cell-height 2 --walls open --json";
    let maps = "--map thickness=t.tif --map footprint=covered.geojson --map thickness=t.png --map thickness=t.asc";
    let report = place.json(&format!("{args} --no-style {maps}"));
    let flow = &report["flow"];
    assert_eq!(
        (
            &report["vertical_exaggeration"],
            flow["area_above_m"].as_f64()
        ),
        (&Value::from(1.0), Some(0.05))
    );
    let vent = report["vents"][0].as_object().unwrap();
    assert!(
        !vent.contains_key("rate") && vent["flow"]["rates_m3_s"][0][1] == 20.0,
        "{vent:?}"
    );
    assert_eq!(report["covered_area_m2"], flow["area_m2"]);
    assert_eq!(report["max_depth_m"], flow["max_thickness_m"]);
    let note = report["note"].as_str().unwrap();
    assert!(
        note.contains("neither thickness nor time is a forecast") && !note.contains("classic"),
        "{note}"
    );

    let covered: Value = serde_json::from_slice(&place.read("covered.geojson")).unwrap();
    let pieces = covered["features"].as_array().unwrap().iter();
    let area: f64 = pieces
        .map(|piece| piece["properties"]["area_m2"].as_f64().unwrap())
        .sum();
    assert_eq!(Some(area), flow["area_m2"].as_f64());
    let about = &covered["about"];
    assert_eq!(
        (about["time_s"].as_f64(), &about["lava"], &about["duration"]),
        (Some(1200.0), &"kilauea".into(), &"20 min".into())
    );
    assert_eq!(about["rate"], "20 m³/s");
    let cautions: Vec<&str> = about["cautions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let part = |part: &str| {
        assert!(
            cautions.iter().any(|text| text.contains(part)),
            "no {part:?} in {cautions:?}"
        )
    };
    [
        "left by the sides of the box",
        "unconverged",
        "Reynolds number",
    ]
    .into_iter()
    .for_each(part);

    let title = place.read("t.png");
    assert!(
        String::from_utf8_lossy(&title).contains("after 20 min of slope"),
        "the title of the picture"
    );
    place.done("sheet t.tif --report r.md --out s.png");
    let words = text(&place.read("r.md"));
    for part in [
        "left by the sides of the box",
        "Unconverged",
        "kilauea; 20 m³/s; ",
        "after 20 min",
        "duration",
    ] {
        assert!(words.contains(part), "no {part:?} in\n{words}");
    }
    place.done("sheet t.asc --report bare.md");
    assert!(text(&place.read("bare.md")).contains("carries no record of its run"));
}

/// Checks a field of two flows: the second one runs on the surface of the first, and the ground has
/// risen by both.
#[test]
fn a_flow_runs_on_the_ground_that_the_last_one_left() {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    let values = |name: &str| -> Vec<f64> {
        let file = GeoTiffFile::open(place.path(name)).unwrap();
        let all = file.read_raster::<f32>().unwrap();
        all.iter().map(|value| f64::from(*value)).collect()
    };
    let run = |ground: &str, lava: &str, vent: &str, name: &str| {
        let maps = format!(
            "--map surface={name}.tif --map ground={name}-ground.tif --map thickness={name}-thickness.tif"
        );
        let report = place.json(&format!(
            "run {ground} --lava {lava} --vent map:{vent} --duration 30min --walls closed --json {maps}"
        ));
        report["flow"]["poured_m3"].as_f64().unwrap()
    };
    let first = run("slope.asc", "etna-basalt", "500150,4170150@2m3/s", "one");
    let second = run("one.tif", "kilauea", "500140,4170120@1m3/s", "two");
    let (start, end) = (values("one.tif"), values("two.tif"));
    let risen: f64 = end.iter().zip(&start).map(|(b, a)| b - a).sum();
    assert!(
        (100.0 * risen - second).abs() < 1e-3 * second,
        "{risen} m, {second} m³"
    );
    let slope = |column: usize| 200.0 - 2.0 * (column / 30) as f64;
    let all: f64 = end.iter().enumerate().map(|(i, b)| b - slope(i)).sum();
    assert!((100.0 * all - first - second).abs() < 1e-3 * first);
    let [below, above] = ["one-thickness.tif", "two-thickness.tif"].map(values);
    let both = below
        .iter()
        .zip(&above)
        .filter(|(below, above)| **below > 0.05 && **above > 0.05);
    assert!(both.count() > 5, "the second flow lies on the first");
    assert!(
        GeoTiffFile::open(place.path("two.tif"))
            .unwrap()
            .geo_bounds()
            == GeoTiffFile::open(place.path("one.tif"))
                .unwrap()
                .geo_bounds()
    );
}
