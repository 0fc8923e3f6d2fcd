//! Tests of runs that start with existing lava.

use super::place::Place;

/// Creates a folder with the heightmap of a valley of 30 × 40 cells of 10 m that falls to the
/// south, and a map of the lava at its upper end.
fn place() -> Place {
    let place = Place::new();
    let raster = |of: &dyn Fn(usize, usize) -> f64| {
        let row = |z: usize| {
            (0..30)
                .map(|x| of(x, z).to_string())
                .collect::<Vec<_>>()
                .join(" ")
                + "\n"
        };
        let rows: String = (0..40).map(row).collect();
        format!("ncols 30\nnrows 40\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}")
    };
    let ground = |x: usize, z: usize| 400.0 - 3.0 * z as f64 + x.abs_diff(15) as f64;
    let lava = |x: usize, z: usize| {
        if x.abs_diff(15) < 3 && (4..12).contains(&z) {
            8.0
        } else {
            0.0
        }
    };
    place.write_file("valley.asc", raster(&ground));
    place.write_file("thickness.asc", raster(&lava));
    place.write_file("today.asc", raster(&|x, z| ground(x, z) + lava(x, z)));
    let square = "[[[1130, 5280], [1180, 5280], [1180, 5360], [1130, 5360], [1130, 5280]]]";
    let feature = format!(
        "{{\"type\": \"Feature\", \"properties\": {{}}, \"geometry\": {{\"type\": \"Polygon\", \"coordinates\": {square}}}}}"
    );
    place.write_file(
        "today.geojson",
        format!("{{\"type\": \"FeatureCollection\", \"crs\": null, \"features\": [{feature}]}}"),
    );
    place
}

const RUN: &str = "run valley.asc --lava etna-basalt --cell-height 2 --vent 155m,15m@0m3/s --duration 2h --walls open --json --quiet";

#[test]
fn lava_of_today_goes_on_and_old_lava_less_far() {
    let place = place();
    let flow = |more: &str| place.json(&format!("{RUN} {more}"))["flow"].take();
    let number = |flow: &serde_json::Value, key: &str| {
        flow[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key} of {flow}"))
    };
    let fresh = flow("--start thickness.asc");
    assert!(
        (number(&fresh, "placed_m3") - 40.0 * 800.0).abs() < 1.0,
        "{fresh}"
    );
    assert_eq!(fresh["exact"], true, "{fresh}");
    let outlined = flow("--start today.geojson --start-thickness 8");
    assert_eq!(outlined["placed_m3"], fresh["placed_m3"]);
    assert_eq!(outlined["area_m2"], fresh["area_m2"]);
    let old = flow("--start thickness.asc --start-age 20d");
    assert!(
        number(&fresh, "area_m2") > 1.3 * number(&old, "area_m2"),
        "{fresh}\n{old}"
    );
    // A scene that names the heights before and after gives the same result.
    let scene = |start: &str, terrain: &str| {
        format!(
            "model = \"flow\"\n[grid]\nsize = [30, 90, 40]\ncell_height_m = 2\n[terrain]\nkind = \"heightmap\"\nfile = \"{terrain}\"\nbase_cells = 8\n\
             [flow]\nstep_s = 10\nduration = \"2 h\"\n[flow.start]\n{start}\n"
        )
    };
    place.write_file("after.toml", scene("after = \"today.asc\"", "valley.asc"));
    place.write_file("before.toml", scene("before = \"valley.asc\"", "today.asc"));
    let [after, before] = ["after", "before"]
        .map(|name| place.json(&format!("run {name}.toml --json --quiet"))["flow"].take());
    assert_eq!(after["placed_m3"], fresh["placed_m3"]);
    assert!(
        (number(&before, "area_m2") / number(&after, "area_m2") - 1.0).abs() < 0.02,
        "{before}\n{after}"
    );
}

#[test]
fn what_cannot_be_the_lava_of_today_is_named() {
    let place = place();
    for (args, part) in [
        (format!("{RUN} --start none.tif"), "none.tif"),
        (format!("{RUN} --start-age 3d"), "--start"),
        (
            format!("{RUN} --start thickness.asc --start-age -3d"),
            "--start-age",
        ),
        ("run small.toml --start thickness.asc".to_owned(), "--start"),
    ] {
        let output = place.run(&args);
        let said = super::place::text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(part),
            "{args}: {said}"
        );
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_with_another_vent_and_a_dam() {
    let place = place();
    let run = RUN.replace("@0m3/s", "@2m3/s").replace(
        "--duration 2h --walls open --json",
        "--duration 5min --walls open --checkpoint a.lvx",
    );
    place.done(&run);
    let line = "{\"type\": \"LineString\", \"coordinates\": [[1005, 5205], [1295, 5205]]}";
    place.write_file("dam.geojson", format!(
        "{{\"type\": \"FeatureCollection\", \"crs\": null, \"features\": [{{\"type\": \"Feature\", \"properties\": {{\"height_m\": 30}}, \"geometry\": {line}}}]}}"
    ));
    std::fs::copy(place.0.path().join("a.lvx"), place.0.path().join("b.lvx")).unwrap();
    let flow = |file: &str, more: &str| {
        place.json(&format!("resume {file} --steps 500 --json --quiet {more}"))["flow"].take()
    };
    let plain = flow("a.lvx", "");
    let more = flow("b.lvx", "--barrier dam.geojson --vent 155m,105m@4m3/s");
    let number = |flow: &serde_json::Value, key: &str| {
        flow[key]
            .as_f64()
            .unwrap_or_else(|| panic!("{key} of {flow}"))
    };
    assert!(
        number(&more, "poured_m3") > 2.0 * number(&plain, "poured_m3"),
        "{plain}\n{more}"
    );
    assert!(
        number(&plain, "lowest_m") < 320.0 && number(&more, "lowest_m") > 337.0,
        "{plain}\n{more}"
    );
    assert!(more["exact"] == true, "{more}");
    let refused = place.run("resume b.lvx --steps 600 --vent 5000m,5000m@1m3/s");
    assert_eq!(
        refused.status.code(),
        Some(2),
        "{}",
        super::place::text(&refused.stderr)
    );
}

#[test]
fn a_new_survey_takes_the_place_of_the_ground_where_no_lava_is() {
    let place = place();
    // The second survey has a bank across the valley.
    let row = |z: usize| {
        let height = |x: usize| {
            400.0 - 3.0 * z as f64 + x.abs_diff(15) as f64 + if z == 20 { 30.0 } else { 0.0 }
        };
        (0..30)
            .map(|x| height(x).to_string())
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..40).map(row).collect();
    place.write_file(
        "bank.asc",
        format!("ncols 30\nnrows 40\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}"),
    );
    let run = RUN.replace("@0m3/s", "@4m3/s").replace("2h", "1h");
    let lowest = |flow: &serde_json::Value| {
        assert_eq!(flow["exact"], true, "{flow}");
        flow["lowest_m"]
            .as_f64()
            .unwrap_or_else(|| panic!("{flow}"))
    };
    let plain = lowest(&place.json(&run)["flow"]);
    let held = lowest(&place.json(&format!("{run} --survey 1min=bank.asc"))["flow"]);
    // The bank comes too late for lava that has already passed.
    let late = lowest(&place.json(&format!("{run} --survey 30min=bank.asc"))["flow"]);
    assert!(
        plain < 300.0 && held > 337.0 && late < 300.0,
        "{plain} {held} {late}"
    );
    // A resumed run takes up the new ground and keeps it.
    place.done(&run.replace(
        "--duration 1h --walls open --json",
        "--duration 1min --walls open --checkpoint a.lvx",
    ));
    place.json("resume a.lvx --steps 3 --json --quiet --survey bank.asc");
    let gone_on = lowest(&place.json("resume a.lvx --steps 90 --json --quiet")["flow"]);
    assert!((gone_on - held).abs() < 3.0, "{gone_on} {held}");
    for (args, part) in [
        (format!("{run} --survey 1h=none.tif"), "none.tif"),
        (format!("{run} --survey bank.asc"), "TIME=FILE"),
        (format!("{run} --survey -1h=bank.asc"), "--survey"),
        (
            "resume a.lvx --steps 400 --survey none.tif".to_owned(),
            "--survey",
        ),
        ("run small.toml --survey 1h=bank.asc".to_owned(), "--survey"),
    ] {
        let output = place.run(&args);
        let said = super::place::text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(part),
            "{args}: {said}"
        );
    }
}
