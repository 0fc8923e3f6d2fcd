//! Tests that requests without effect give a warning that names the place and a remedy.

use std::fs::File;
use std::process::Stdio;

use serde_json::Value;

use super::place::{Place, lavoxel, text};

/// Scene of a rock basin, 12 × 12 cells wide and 8 deep, full of water; oil, steam and ash are
/// further materials.
const BASIN: &str = r#"
name = "basin"
[grid]
size = [16, 24, 16]
[terrain]
kind = "plane"
base_cells = 2.0
[[material]]
name = "water"
[[material]]
name = "oil"
[[material]]
name = "steam"
[[material]]
name = "ash"
kind = "grain"
density = 700.0
[[body]]
shape = { kind = "box", from = [1, 2, 1], to = [15, 10, 15] }
matter = { kind = "rock" }
[[body]]
shape = { kind = "box", from = [2, 2, 2], to = [14, 10, 14] }
matter = { kind = "nothing" }
[[body]]
shape = { kind = "box", from = [2, 2, 2], to = [14, 10, 14] }
matter = { kind = "material", name = "water", amount = 1.0 }
[film]
steps = 4
"#;

/// Scene of a lake that covers the box.
const LAKE: &str = r#"
name = "lake"
[grid]
size = [16, 24, 16]
[terrain]
kind = "plane"
base_cells = 2.0
[rules]
walls = "open"
[[material]]
name = "water"
[[body]]
shape = { kind = "box", from = [0, 2, 0], to = [16, 6, 16] }
matter = { kind = "material", name = "water", amount = 1.0 }
[film]
steps = 400
"#;

/// Returns the warnings of a report.
fn warnings(report: &Value) -> Vec<String> {
    report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn matter_put_where_denser_matter_leaves_no_room_is_counted() {
    let place = Place::new();
    let body = |name: &str, from: usize, to: usize| {
        let shape = format!("{{ kind = \"box\", from = [4, {from}, 4], to = [8, {to}, 8] }}");
        format!(
            "shape = {shape}, matter = {{ kind = \"material\", name = \"{name}\", amount = 1.0 }}"
        )
    };
    for name in ["oil", "steam", "ash"] {
        let table = |put: &str| format!("[[body]]\n{}\n", put.replace("}, matter", "}\nmatter"));
        let event = |put: &str| format!("[[event]]\nat = 1\nput = {{ {put} }}\n");
        // 4 × 4 × 4 cells, all below the water, or half above.
        for (from, refused) in [(4, 64.0), (8, 32.0)] {
            let put = body(name, from, from + 4);
            for more in [table(&put), event(&put)] {
                place.write_file("basin.toml", format!("{BASIN}{more}"));
                let report = place.json("run basin.toml --json --steps 1");
                let units = report["materials"][name]["refused_units"].as_f64().unwrap();
                let unit = report["unit"].as_f64().unwrap();
                assert_eq!(units / unit, refused, "{more}\n{report}");
                let said = warnings(&report);
                let line = format!(
                    "{refused:.3} full cells of {name} were put where denser matter or a grain leaves no room"
                );
                assert_eq!(
                    said.iter().filter(|said| said.starts_with(&line)).count(),
                    1,
                    "{said:?}"
                );
            }
        }
    }
    // A fill up to a level takes only the room that denser matter leaves.
    let sea = "[[body]]\nshape = { kind = \"below\", level = 12.0 }\nmatter = { kind = \"material\", name = \"oil\", amount = 1.0 }\n";
    place.write_file("basin.toml", format!("{BASIN}{sea}"));
    let report = place.json("run basin.toml --json --steps 1");
    assert_eq!(
        report["materials"]["oil"]["refused_units"].as_f64(),
        Some(0.0),
        "{report}"
    );
    assert!(
        report["materials"]["oil"]["initial_units"].as_f64() > Some(0.0),
        "{report}"
    );
}

#[test]
fn places_outside_of_the_box_and_times_after_the_end_are_said() {
    let place = Place::new();
    let more = "[[vent]]\nx = 8\nz = 8\nrate = 0.1\n[[vent]]\nx = 4\nz = 4\nstart = 9\n\
                [[body]]\nshape = { kind = \"sphere\", center = [40, 8, 8], radius = 3 }\nmatter = { kind = \"rock\" }\n\
                [[event]]\nat = 2\nput = { shape = { kind = \"box\", from = [0, 30, 0], to = [4, 40, 4] }, matter = { kind = \"nothing\" } }\n\
                [[event]]\nat = 7\nseed = 3\n";
    place.write_file("basin.toml", format!("{BASIN}{more}"));
    let output = place.run("run basin.toml");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for line in [
        "warning: body[3], event[0].put: no middle of a cell of the box lies in the shape, so that nothing is put; the box has 16 × \
         24 × 16 cells",
        "warning: vent[1], event[1]: comes after the end of the run, step 4, and does nothing in it",
    ] {
        assert!(said.contains(line), "no {line:?} in\n{said}");
    }
    let longer = text(&place.run("run basin.toml --steps 10").stderr);
    assert!(!longer.contains("comes after"), "{longer}");
}

#[test]
fn a_lake_that_open_sides_do_not_hold_is_said_before_and_after() {
    let place = Place::new();
    place.write_file("lake.toml", LAKE);
    let output = place.run("run lake.toml --json");
    let said = text(&output.stderr);
    let line = "warning: water stands at the open sides of the box, in 60 columns, and will run out there; walls = \"closed\" in [rules]";
    assert!(said.contains(line), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |key: &str| report["materials"]["water"][key].as_f64().unwrap();
    let share = number("outflow_units") / number("initial_units");
    assert!(share > 0.5, "{share}");
    let line = format!(
        "{} % of the water left through the open sides of the box",
        (100.0 * share).round()
    );
    assert!(
        warnings(&report).iter().any(|said| said.starts_with(&line)),
        "{line}: {:?}",
        warnings(&report)
    );
    place.write_file(
        "lake.toml",
        LAKE.replace("walls = \"open\"", "walls = \"closed\""),
    );
    let output = place.run("run lake.toml --json --steps 40");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        !text(&output.stderr).contains("open sides") && warnings(&report).is_empty(),
        "{report}"
    );
}

#[test]
fn a_pool_that_takes_hours_is_said_before_it_starts() {
    let place = Place::new();
    let pool = |rate: f64, sides: bool| {
        format!(
            "model = \"flow\"\n[flow]\nstep_s = 20\nduration = \"1 min\"\nopen_sides = {sides}\nlava = {{ preset = \"etna-basalt\", \
             cooling = {{ kind = \"none\" }}, viscosity = {{ law = \"constant\", pa_s = 1e4 }} }}\n[grid]\nsize = [21, 60, 21]\n\
             cell_size_m = 10\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 10.5\nz = 10.5\nrate_m3_s = {rate}\n"
        )
    };
    let said = |scene: String, duration: &str| {
        place.write_file("pool.toml", scene.replace("1 min", duration));
        let output = place.run("scene pool.toml");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr).contains("behind the closed sides the lava will stand up to")
    };
    assert!(said(pool(300.0, false), "12 h"));
    assert!(
        !said(pool(300.0, true), "12 h")
            && !said(pool(0.3, false), "12 h")
            && !said(pool(300.0, false), "1 min")
    );
}

/// Checks that files are written even if standard output refuses the report.
#[test]
#[cfg(target_os = "linux")]
fn files_are_written_where_the_report_goes_to_a_full_disk() {
    let place = Place::new();
    let full = File::create("/dev/full").unwrap();
    let mut run = std::process::Command::new(lavoxel().get_program());
    run.current_dir(place.0.path()).args([
        "run",
        "small.toml",
        "--map",
        "thickness=lava.asc",
        "--npz",
        "all.npz",
    ]);
    let output = run
        .stdout(Stdio::from(full))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("lavoxel: cannot write to standard output: No space left on device"),
        "{said}"
    );
    assert!(
        place.path("lava.asc").exists() && place.path("all.npz").exists(),
        "{:?}",
        place.files()
    );
}
