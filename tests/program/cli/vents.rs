//! Tests of vents of the physical model in the forms that observatories publish: rate tables and
//! fissures.

use super::place::{Place, text};

/// Returns the heightmap of a plain of 30 × 20 cells of 10 m, as an ASCII grid.
fn plain() -> String {
    format!(
        "ncols 30\nnrows 20\nxllcorner 500000\nyllcorner 4170000\ncellsize 10\n{}",
        "100 ".repeat(600)
    )
}

/// Returns a scene of one hour on the plain; `vent`: keys of its vent.
fn scene(vent: &str) -> String {
    format!(
        "model = \"flow\"\n[flow]\nduration = \"1 h\"\nstep_s = 60\nopen_sides = false\n[grid]\nsize = [30, 40, 20]\ncell_size_m = 10\n\
         cell_height_m = 2\n[terrain]\nkind = \"heightmap\"\nfile = \"plain.asc\"\n[[vent]]\n{vent}\n"
    )
}

fn place(vent: &str) -> Place {
    let place = Place::new();
    place.write_file("plain.asc", plain());
    place.write_file("vent.toml", scene(vent));
    place
}

fn poured(place: &Place, args: &str) -> f64 {
    let report = place.json(args);
    assert_eq!(report["flow"]["exact"].as_bool(), Some(true), "{report}");
    report["flow"]["poured_m3"].as_f64().unwrap()
}

#[test]
fn tables_of_rates_are_read_joined_and_kept_as_numbers() {
    let vent = "x = 15\nz = 10\nradius = 1\nrates_files = [\"ground.csv\", \"space.csv\"]\nrates_form = \"linear\"\nradiant_j_m3 = 1.4e8";
    let place = place(vent);
    place.write_file(
        "ground.csv",
        "date;rate_m3_s;error_m3_s\n2006-07-14T12:00;2;0.5\n2006-07-14T12:30;8;1\n",
    );
    place.write_file(
        "space.csv",
        "# of a satellite\ndate,power_mw\n2006-07-14T15:00+02:00,280\n",
    );
    // From 2 to 8 m³/s within half an hour, and back to 2 within another half.
    let volume = 0.5 * (2.0 + 8.0) * 1800.0 + 0.5 * (8.0 + 2.0) * 1800.0;
    let measured = poured(&place, "run vent.toml --json --checkpoint half.lvx");
    assert!((measured - volume).abs() < 0.01, "{measured} m³");
    place.done("scene vent.toml --pack whole.lavoxel");
    for name in ["ground.csv", "space.csv"] {
        std::fs::remove_file(place.0.path().join(name)).unwrap();
    }
    // Two more minutes at the last rate, 2 m³/s.
    assert!((poured(&place, "resume half.lvx --steps 62 --json") - volume - 240.0).abs() < 0.01);
    assert!((poured(&place, "run whole.lavoxel --json") - volume).abs() < 0.01);
    let gone = place.run("run vent.toml");
    assert_eq!(gone.status.code(), Some(2));
    assert!(
        text(&gone.stderr).contains("ground.csv"),
        "{}",
        text(&gone.stderr)
    );
}

#[test]
fn new_rates_go_on_from_a_checkpoint() {
    let place = place("x = 15\nz = 10\nradius = 1\nrate_m3_s = 2");
    place.write_file("new.csv", "time_min,rate_m3_s\n0,9\n70,5\n");
    place.write_file(
        "dates.csv",
        "date,rate_m3_s\n2026-11-01T00:00,9\n2026-11-01T01:10,5\n",
    );
    for rates in ["new.csv", "1=new.csv", "dates.csv --rates-start 2026-11-01"] {
        place.done("run vent.toml --quiet --checkpoint now.lvx --force");
        // One hour at the old rate, ten minutes at the first new rate, ten at the next.
        let poured = poured(
            &place,
            &format!("resume now.lvx --steps 80 --json --rates {rates}"),
        );
        assert!(
            (poured - (2.0 * 3600.0 + 9.0 * 600.0 + 5.0 * 600.0)).abs() < 0.01,
            "{rates}: {poured}"
        );
    }
    place.done("run vent.toml --quiet --checkpoint now.lvx --force");
    for (rates, part) in [
        ("gone.csv", "gone.csv"),
        ("2=new.csv", "no vent 2 that is open"),
        ("dates.csv", "--rates-start"),
        ("vent.toml", "must be a table of rates"),
    ] {
        let error = place.refused(&format!("resume now.lvx --steps 80 --rates {rates}"));
        assert!(error.contains(part), "{rates}: {error}");
    }
    place.done("resume now.lvx --steps 61 --quiet");
}

#[test]
fn a_table_of_rates_is_not_replaced_by_the_command_that_reads_it() {
    let place = place(
        "x = 15\nz = 10\nrates_files = [\"rates.csv\"]\n[[barrier]]\nline_m = [[9, 9], [99, 9]]",
    );
    place.write_file("rates.csv", "time_h,rate_m3_s\n0,2\n");
    place.refused("run vent.toml --barrier-table rates.csv --force");
    assert_eq!(place.read("rates.csv"), b"time_h,rate_m3_s\n0,2\n");
}

#[test]
fn a_table_of_rates_that_is_wrong_is_named_in_one_line() {
    let place = place("x = 15\nz = 10\nrates_files = [\"rates.csv\"]");
    for (table, part) in [
        (
            "time_h,rate_m3_s\n0,2\n1,much\n",
            "line 3: rate \"much\" is no number",
        ),
        ("hours,rate_m3_s\n0,2\n", "its heading names no time"),
        (
            "time_h,rate_m3_s\n0,1,250.5\n",
            "line 2: has 3 fields under a heading of 2",
        ),
        (
            "time_h,rate_m3_s\n0,2,5\n",
            "line 2: has 3 fields under a heading of 2",
        ),
        (
            "sep=;\ntime_h;rate_m3_s\n0;1;5\n",
            "line 3: has 3 fields under a heading of 2",
        ),
        (
            "time_h;rate_m3_s\n;\n0;1.250,5\n",
            "line 3: rate \"1.250,5\" is no number",
        ),
        ("time_h,power_w\n0,2\n", "say with radiant_j_m3"),
        ("time_h,rate_m3_s\n0,1e9\n", "must be a number from 0"),
    ] {
        place.write_file("rates.csv", table);
        let out = place.run("run vent.toml --json");
        let error = text(&out.stderr);
        assert_eq!(
            (out.status.code(), error.trim().lines().count()),
            (Some(2), 1),
            "{error}"
        );
        assert!(error.contains(part), "{part:?} in {error}");
    }
    place.write_file(
        "vent.toml",
        scene("x = 15\nz = 10\nrate_m3_s = 2\nrates_files = [\"rates.csv\"]"),
    );
    let out = place.run("run vent.toml");
    assert!(
        text(&out.stderr).contains("either rates_files, or rate_m3_s or rates_m3_s"),
        "{}",
        text(&out.stderr)
    );
}

/// Returns the thicknesses in metres in the row `z` of a map.
fn row(place: &Place, name: &str, z: usize) -> Vec<f64> {
    let map = text(&place.read(name));
    let rows = map
        .lines()
        .filter(|line| line.split_whitespace().count() == 30);
    rows.map(|row| {
        row.split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect::<Vec<f64>>()
    })
    .nth(z)
    .unwrap()
}

#[test]
fn a_fissure_pours_along_its_line_and_focuses() {
    let fissure = "x = 5.5\nz = 10.5\nto = [[25.5, 10.5]]\nradius = 0\nrate_m3_s = 2.1";
    let place = place(&format!(
        "{fissure}\nfocus = {{ at = [0.75], share = 1.0, from = 0, until = 0.001 }}"
    ));
    place.write_file("line.toml", scene(fissure));
    let map = "--steps 2 --json --map thickness";
    assert!((poured(&place, &format!("run line.toml {map}=line.asc")) - 252.0).abs() < 0.01);
    let line = row(&place, "line.asc", 10);
    assert!(
        (5..=25).all(|x| line[x] > 0.05) && line[2] <= 0.0 && line[28] <= 0.0,
        "{line:?}"
    );
    let even = (line[8] - line[22]).abs();
    assert!(even < 1e-3, "{line:?}");
    assert!((poured(&place, &format!("run vent.toml {map}=one.asc")) - 252.0).abs() < 0.01);
    let one = row(&place, "one.asc", 10);
    assert!(one[20] > 0.5 && one[8] < 1e-3, "{one:?}");
    let flags = "run plain.asc --lava etna-basalt --walls closed --duration 2min --json";
    let typed = place.json(&format!("{flags} --vent 55m,105m..255m,105m@2.1m3/s"));
    assert!(
        (typed["flow"]["poured_m3"].as_f64().unwrap() - 252.0).abs() < 0.01,
        "{typed}"
    );
    assert!(
        typed["flow"]["area_m2"].as_f64().unwrap() >= 2100.0,
        "{typed}"
    );
}

#[test]
fn a_fissure_that_cannot_be_is_named() {
    for (vent, part) in [
        ("x = 5\nz = 5\nto = [[40, 5]]\nrate_m3_s = 1", "vent.to"),
        (
            "at = \"summit\"\nto = [[4, 5]]\nrate_m3_s = 1",
            "has its first point in cells",
        ),
        (
            "x = 5\nz = 5\nrate_m3_s = 1\nfocus = {}",
            "left out, or `to` has the further points",
        ),
        (
            "x = 5\nz = 5\nto = [[9, 5]]\nrate_m3_s = 1\nfocus = { at = [2] }",
            "focus.at",
        ),
        (
            "x = 5\nz = 5\nto = [[9, 5]]\nrate_m3_s = 1\nfocus = { until = 0 }",
            "later than from",
        ),
    ] {
        let place = place(vent);
        let out = place.run("run vent.toml");
        let error = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{vent}: {error}");
        assert!(error.contains(part), "{part:?} in {error}");
    }
}
