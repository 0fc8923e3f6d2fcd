//! Tests of `lavoxel compare`: footprints of known shapes, and invalid files.

use super::place::Place;

/// Returns an ASCII grid of `cols` × `rows` cells of 10 m with its lower left corner at (1000,
/// 2000): 1 in the rectangle (first and last column, first and last row, counted from the
/// south-west), else no data.
fn grid(cols: usize, rows: usize, [w, e, s, n]: [usize; 4]) -> String {
    let head = format!(
        "ncols {cols}\nnrows {rows}\nxllcorner 1000\nyllcorner 2000\ncellsize 10\nNODATA_value -9999\n"
    );
    let cell = |row: usize, col: usize| {
        if (w..=e).contains(&col) && (s..=n).contains(&row) {
            "1"
        } else {
            "-9999"
        }
    };
    let line = |row| {
        (0..cols)
            .map(|col| cell(row, col))
            .collect::<Vec<_>>()
            .join(" ")
    };
    head + &(0..rows).rev().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Returns a GeoJSON polygon around the same rectangle, in an unknown coordinate system.
fn polygon([w, e, s, n]: [usize; 4]) -> String {
    let (w, e, s, n) = (1000 + 10 * w, 1010 + 10 * e, 2000 + 10 * s, 2010 + 10 * n);
    format!(
        r#"{{"type": "Polygon", "crs": null, "coordinates": [[[{w}, {s}], [{e}, {s}], [{e}, {n}], [{w}, {n}], [{w}, {s}]]]}}"#
    )
}

const UTM: &str = r#"PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1],AUTHORITY["EPSG","32633"]]"#;

#[test]
fn shapes_that_are_known_have_the_measures_that_are_known() {
    let place = Place::new();
    // 6 × 10 cells each, with 2 × 10 in common.
    place.write_file("a.asc", grid(20, 10, [0, 5, 0, 9]));
    place.write_file("b.asc", grid(20, 10, [4, 9, 0, 9]));
    place.write_file("b.geojson", polygon([4, 9, 0, 9]));
    for b in ["b.asc", "b.geojson"] {
        let found = place.json(&format!("compare a.asc {b} --json --from 1000,2050"));
        let cells =
            ["a", "b", "intersection", "union"].map(|key| found[key]["cells"].as_u64().unwrap());
        assert_eq!(cells, [60, 60, 20, 100], "{b}");
        assert_eq!(found["a"]["area_m2"], 6000.0);
        let numbers =
            ["jaccard", "precision", "recall", "fit"].map(|key| found[key].as_f64().unwrap());
        let expected = [0.2, 1.0 / 3.0, 1.0 / 3.0, 0.2_f64.sqrt()];
        assert!(
            numbers
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12),
            "{b}: {numbers:?}"
        );
        // From the middle of the west edge to the centres of the farthest cells, 45 m up and down.
        let [a, b, less] = [
            &found["a"]["front_m"],
            &found["b"]["front_m"],
            &found["front_difference_m"],
        ];
        let (near, far) = (55.0_f64.hypot(45.0), 95.0_f64.hypot(45.0));
        assert!(
            (a.as_f64().unwrap() - near).abs() < 1e-9 && (b.as_f64().unwrap() - far).abs() < 1e-9
        );
        assert!((less.as_f64().unwrap() - (near - far)).abs() < 1e-9);
        assert_eq!(found["length_difference_m"], 0.0);
    }
    let text = place.done("compare a.asc b.asc");
    assert!(
        text.contains("A            60 cells, 6 000 m² (a.asc)"),
        "{text}"
    );
    assert!(
        text.contains("fit          0.447  √(∩/∪)") && !text.contains("front"),
        "{text}"
    );
    let same = place.json("compare b.geojson b.geojson --json --cell-size 2.5");
    assert_eq!(
        (&same["fit"], &same["a"]["cells"]),
        (&1.0.into(), &(16 * 60).into())
    );
}

#[test]
fn the_second_raster_comes_onto_the_cells_of_the_first() {
    let place = Place::new();
    place.write_file("a.asc", grid(4, 4, [1, 2, 1, 2]));
    // The covered ground is the same, in cells of 5 m on a raster that extends further east.
    let fine = grid(30, 8, [2, 5, 2, 5]).replace("cellsize 10", "cellsize 5");
    place.write_file("fine.asc", fine);
    let found = place.json("compare a.asc fine.asc --json");
    assert_eq!(
        (&found["fit"], &found["a"]["cells"], &found["b"]["cells"]),
        (&1.0.into(), &4.into(), &4.into())
    );
    // Cells outside the first raster count too.
    place.write_file("east.asc", grid(20, 4, [2, 19, 1, 2]));
    let found = place.json("compare a.asc east.asc --json");
    assert_eq!(
        (&found["b"]["cells"], &found["intersection"]["cells"]),
        (&36.into(), &2.into())
    );
    // `--above` selects the cells.
    let none = place.refused("compare a.asc fine.asc --above 1");
    assert!(
        none.contains("neither footprint has a cell (--above 1)"),
        "{none}"
    );
}

#[test]
fn a_mark_for_no_data_that_no_file_names_is_named_by_the_flag() {
    let place = Place::new();
    let bare = |edges| {
        grid(20, 10, edges)
            .replace("NODATA_value -9999\n", "")
            .replace("-9999", "-32768")
    };
    place.write_file("a.asc", bare([0, 5, 0, 9]));
    place.write_file("b.asc", bare([4, 9, 0, 9]));
    let line = place.refused("compare a.asc b.asc");
    assert!(line.contains("--no-data -32768"), "{line}");
    let found = place.json("compare a.asc b.asc --no-data -32768 --above -100000 --json");
    let cells =
        ["a", "b", "intersection", "union"].map(|key| found[key]["cells"].as_u64().unwrap());
    assert_eq!(
        cells,
        [60, 60, 20, 100],
        "cells without data are in no footprint, below any limit"
    );
}

#[test]
fn a_footprint_of_a_run_agrees_with_its_own_polygons() {
    let place = Place::new();
    let dem = "ncols 24\nnrows 24\nxllcorner 500000\nyllcorner 4178000\ncellsize 10\n".to_owned()
        + &"5 ".repeat(576);
    place.write_file("dem.asc", dem);
    place.write_file("dem.prj", UTM);
    place.done(
        "run dem.asc --vent 12,12@2 --steps 60 --quiet --map footprint=f.tif --map footprint=f.geojson \
         --map thickness=t.tif --no-style",
    );
    let text = String::from_utf8(place.read("f.geojson")).unwrap();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(found.get("crs").is_none(), "degrees need no name");
    let first = &found["features"][0]["geometry"]["coordinates"][0][0];
    assert!(
        (first[0].as_f64().unwrap() - 15.0).abs() < 0.01
            && (first[1].as_f64().unwrap() - 37.7).abs() < 0.1
    );
    for (a, b) in [
        ("f.tif", "f.geojson"),
        ("f.geojson", "f.tif"),
        ("t.tif", "f.geojson"),
    ] {
        let found = place.json(&format!("compare {a} {b} --json"));
        assert_eq!(found["fit"], 1.0, "{a} {b}: {found}");
        assert!(found["a"]["cells"].as_u64().unwrap() > 20);
    }
}

/// Checks maps of arrival in hours: a cell with a value was reached, and `--until` sets the latest
/// time.
#[test]
fn a_map_of_arrival_is_a_footprint_of_any_time() {
    let place = Place::new();
    let row = |z: usize| format!("{}\n", vec![(200 - 2 * z).to_string(); 24].join(" "));
    let rows: String = (0..24).map(row).collect();
    place.write_file(
        "dem.asc",
        format!("ncols 24\nnrows 24\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}"),
    );
    let run = |time: &str, maps: &str| {
        place.done(&format!(
            "run dem.asc --lava etna-basalt --vent 12,6@8m3/s --duration {time} --quiet --no-style {maps}"
        ))
    };
    run(
        "30min",
        "--map arrival=hours.tif --map max-thickness=late.tif",
    );
    run("10min", "--map max-thickness=early.tif");
    // All reached columns count, including those reached in under 0.05 h. A film that sets within its
    // step, as rock thinner than 5 cm, covers no column yet and has no arrival.
    let found = place.json("compare hours.tif late.tif --above 0 --json");
    assert!(
        found["precision"] == 1.0 && found["fit"].as_f64().unwrap() > 0.98,
        "{found}"
    );
    let early = place.json("compare hours.tif early.tif --above 0 --until 10min --json");
    assert!(
        early["precision"] == 1.0 && early["fit"].as_f64().unwrap() > 0.95,
        "{early}"
    );
    let cells = |found: &serde_json::Value| found["a"]["cells"].as_u64().unwrap();
    assert!(
        cells(&early) > 10 && cells(&early) < cells(&found),
        "{early} {found}"
    );
    let error = place.refused("compare early.tif late.tif --until 1h");
    assert!(
        error.contains("--until: neither file is a GeoTIFF in hours or another time"),
        "{error}"
    );
    let wrong = place.run("compare hours.tif late.tif --until soon");
    let error = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        wrong.status.code() == Some(2) && error.contains("must be a number of seconds, or a time"),
        "{error}"
    );
    // As a heightmap the file is still refused.
    let error = place.refused("terrain hours.tif");
    assert!(error.contains("heights in metres or feet"), "{error}");
}

#[test]
fn files_that_are_no_footprints_are_refused() {
    let place = Place::new();
    place.write_file("a.asc", grid(4, 4, [1, 2, 1, 2]));
    place.write_file("utm.asc", grid(4, 4, [1, 2, 1, 2]));
    place.write_file("utm.prj", UTM);
    place.write_file(
        "degrees.geojson",
        polygon([1, 2, 1, 2]).replace(r#""crs": null, "#, ""),
    );
    place.write_file("unknown.geojson", polygon([1, 2, 1, 2]));
    place.write_file(
        "line.geojson",
        r#"{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}"#,
    );
    place.write_file(
        "none.geojson",
        r#"{"type": "FeatureCollection", "features": []}"#,
    );
    place.write_file("torn.geojson", "{");
    place.write_file("text.asc", "hello");
    place.write_file(
        "far.asc",
        grid(4, 4, [1, 2, 1, 2]).replace("xllcorner 1000", "xllcorner 5e9"),
    );
    for (args, part) in [
        ("gone.asc a.asc", "cannot read gone.asc: no such file"),
        (
            "a.asc small.toml",
            "footprints end in .tif, .asc, .geojson or .gpkg",
        ),
        (
            "a.asc line.geojson",
            "line.geojson has a LineString; a footprint has polygons",
        ),
        ("a.asc none.geojson", "none.geojson has no polygon"),
        ("a.asc torn.geojson", "torn.geojson is no JSON"),
        ("text.asc a.asc", "text.asc"),
        (
            "a.asc utm.asc",
            "a.asc is in a coordinate system that is not known, utm.asc in EPSG:32633: bring both",
        ),
        (
            "utm.asc unknown.geojson",
            "unknown.geojson is in a coordinate system that is not known, utm.asc in EPSG:32633",
        ),
        (
            "a.asc degrees.geojson",
            "degrees.geojson is in longitude and latitude (WGS 84), a.asc in a coordinate system",
        ),
        ("utm.asc degrees.geojson", "a point lies far from the map"),
        (
            "degrees.geojson unknown.geojson",
            "bring both into one coordinate system",
        ),
        ("a.asc far.asc", "too far apart for the cells of a.asc"),
        ("a.asc a.asc --from 1", "must be two numbers"),
        ("a.asc a.asc --above nan", "--above NaN: must be a number"),
        (
            "unknown.geojson unknown.geojson --cell-size 0",
            "--cell-size 0: must be a length above 0",
        ),
        (
            "a.asc unknown.geojson --cell-size -1",
            "--cell-size -1: must be a length above 0",
        ),
        (
            "a.asc a.asc --cell-size nan",
            "--cell-size NaN: must be a length above 0",
        ),
        (
            "unknown.geojson unknown.geojson --cell-size 1e-6",
            "too far apart",
        ),
    ] {
        let output = place.run(&format!("compare {args}"));
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}\n{err}");
        assert!(err.contains(part), "{args}\n{err}");
    }
}

/// Returns a raster of thickness on the cells of [`grid`]: `metres` everywhere in the rectangle.
fn thickness(metres: f64, rectangle: [usize; 4]) -> String {
    let text = grid(20, 10, rectangle);
    let (head, rows) = text.split_at(text.find("-9999\n").unwrap() + 6);
    let cell = |word: &str| {
        if word == "1" {
            metres.to_string()
        } else {
            word.to_owned()
        }
    };
    let row = |line: &str| line.split(' ').map(cell).collect::<Vec<_>>().join(" ") + "\n";
    head.to_owned() + &rows.lines().map(row).collect::<String>()
}

#[test]
fn volumes_are_those_inside_and_outside_and_their_errors() {
    let place = Place::new();
    place.write_file("a.asc", thickness(2.0, [0, 5, 0, 9]));
    place.write_file("b.asc", thickness(3.0, [4, 9, 0, 9]));
    place.write_file("b.geojson", polygon([4, 9, 0, 9]));
    let found = place.json("compare a.asc b.asc --thickness --classes differ.asc --json");
    let of = |name: &str| found["thickness"][name].as_f64().unwrap();
    // 60 cells of 100 m² each, with 20 in common.
    assert_eq!(
        [of("a_m3"), of("a_inside_m3"), of("a_outside_m3")],
        [12_000.0, 4000.0, 8000.0]
    );
    assert_eq!([of("b_m3"), of("b_missed_m3")], [18_000.0, 12_000.0]);
    // Differences over 100 cells: 2 m in 40, −1 m in 20, −3 m in 40.
    assert!(
        (of("bias_m") + 0.6).abs() < 1e-9 && (of("rms_m") - 5.4_f64.sqrt()).abs() < 1e-9,
        "{found}"
    );
    let map = String::from_utf8(place.read("differ.asc")).unwrap();
    let count = |class: &str| map.split_whitespace().filter(|word| *word == class).count();
    assert_eq!([count("1"), count("2"), count("3")], [20, 40, 40], "{map}");
    let alone = place.json("compare a.asc b.geojson --thickness --json");
    assert_eq!(alone["thickness"]["a_inside_m3"], 4000.0);
    assert!(alone["thickness"]["rms_m"].is_null());
    let text = place.done("compare a.asc b.asc --thickness");
    assert!(text.contains("bias -0.60 m, rms 2.32 m"), "{text}");
    place.done("compare a.asc b.asc --classes differ.tif");
    let style = String::from_utf8(place.read("differ.qml")).unwrap();
    assert!(
        style.contains("EXACT") && style.contains("false alarm: A alone"),
        "{style}"
    );
    for (args, message) in [
        ("compare a.asc b.asc --classes differ.asc", "differ.asc"),
        (
            "compare a.asc b.asc --classes differ.png",
            "--classes differ.png: the map is a raster",
        ),
        (
            "compare b.geojson b.geojson --thickness",
            "--thickness: b.geojson is no raster of thickness",
        ),
    ] {
        assert!(place.refused(args).contains(message), "{args}");
    }
}

#[test]
fn days_are_rows_of_a_table() {
    let place = Place::new();
    let valley: String = (0..20)
        .map(|z| {
            (0..20)
                .map(|x: i32| format!("{} ", 200 - 4 * z + (x - 10).abs()))
                .collect::<String>()
                + "\n"
        })
        .collect();
    place.write_file(
        "valley.asc",
        format!("ncols 20\nnrows 20\nxllcorner 0\nyllcorner 0\ncellsize 10\n{valley}"),
    );
    let run =
        "run valley.asc --lava etna-basalt --cell-height 2 --vent 105m,25m@4m3/s --walls open";
    place.done(&format!(
        "{run} --duration 20min --map arrival=arrival.tif --map max-thickness=all.asc"
    ));
    place.done(&format!(
        "{run} --duration 8min --map max-thickness=early.asc"
    ));
    let all = place.json("compare arrival.tif early.asc@8min all.asc@20min --json");
    let rows = all.as_array().unwrap();
    assert_eq!(
        rows.iter()
            .map(|row| row["until_s"].as_f64().unwrap())
            .collect::<Vec<_>>(),
        [480.0, 1200.0]
    );
    // A map of arrival includes films thinner than 5 cm.
    assert!(
        rows.iter()
            .all(|row| row["fit"].as_f64().unwrap() > 0.5 && row["recall"] == 1.0),
        "{all}"
    );
    assert!(rows[0]["b"]["cells"].as_u64() < rows[1]["b"]["cells"].as_u64());
    let text = place.done("compare arrival.tif all.asc --until 4min,8min,20min");
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(
        text.starts_with("until ") && text.contains("\n8 min "),
        "{text}"
    );
    for (args, message) in [
        (
            "compare arrival.tif early.asc all.asc",
            "each needs its time, such as early.asc@1d",
        ),
        (
            "compare arrival.tif all.asc@20min --until 4min,8min",
            "each B has its time already",
        ),
        (
            "compare arrival.tif all.asc --until 4min,8min --classes x.tif",
            "the map of one comparison",
        ),
    ] {
        assert!(place.refused(args).contains(message), "{args}");
    }
}
