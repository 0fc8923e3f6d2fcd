//! Tests of heightmaps as scenes, of crops of heightmaps, and of vents on heightmaps, for every
//! command.

use serde_json::Value;

use super::place::{Place, text};

/// ASCII grid of 4 columns and 3 rows, with a cell without data in the middle of the west side.
const HOLED_ASC: &str =
    "ncols 4\nnrows 3\ncellsize 10\nNODATA_value -1\n4 5 6 7\n-1 6 7 8\n6 7 8 9\n";

/// Returns an ASCII grid of a hill of 30 × 20 cells of 10 m with its summit at column 20, row 8; x
/// from 1000 to 1300, y from 500 to 700.
fn hill() -> String {
    let height =
        |r: i32, c: i32| 100.0 - 0.5 * f64::from((r - 8).pow(2)) - 0.2 * f64::from((c - 20).pow(2));
    let row = |r| {
        (0..30)
            .map(|c| height(r, c).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows: Vec<_> = (0..20).map(row).collect();
    format!(
        "ncols 30\nnrows 20\nxllcorner 1000\nyllcorner 500\ncellsize 10\n{}\n",
        rows.join("\n")
    )
}

fn place_with_hill() -> Place {
    let place = Place::new();
    place.write_file("hill.asc", hill());
    place.write_file("holed.asc", HOLED_ASC);
    let terrain =
        "[grid]\nsize = [30, 80, 20]\n[terrain]\nkind = \"heightmap\"\nfile = \"hill.asc\"\n";
    place.write_file(
        "hill.toml",
        format!("name = \"Hill\"\n{terrain}crop = [0, 0, 30, 20]\n[[vent]]\nx = 5.0\nz = 5.0\n"),
    );
    place
}

#[test]
fn a_heightmap_is_a_scene_for_every_command() {
    let place = place_with_hill();
    let report = place.json("run hill.asc --voxel-size 5 --steps 3 --json");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(report["scene"], "hill");
    assert_eq!(
        report["map"]["bounds"],
        serde_json::json!([1000.0, 500.0, 1300.0, 700.0])
    );
    let vent = &report["vents"][0];
    let (x, y) = (number(&vent["map_x"]), number(&vent["map_y"]));
    assert!(
        (1200.0..1210.0).contains(&x) && (610.0..620.0).contains(&y),
        "not the summit: {vent}"
    );
    let (cell, [nx, _, nz]) = (
        number(&report["cell_size_m"]),
        [0, 1, 2].map(|i| number(&report["dims"][i])),
    );
    assert!(
        (nx * cell - 300.0).abs() < 1e-6 && (nz * cell - 200.0).abs() < 1e-6,
        "{report}"
    );
    assert!(
        (number(&vent["x"]) * cell + 1000.0 - x).abs() < 1e-6
            && (700.0 - number(&vent["z"]) * cell - y).abs() < 1e-6
    );
    let lowest = 100.0 - 0.5 * 121.0 - 0.2 * 400.0;
    let floor = number(&report["floor_m"]);
    assert!(
        (floor - (lowest - 4.0 * cell / number(&report["vertical_exaggeration"]))).abs() < 1e-3,
        "{floor}"
    );
    // The largest square cells with which 64 columns fit leave out a part of the rows, equal in
    // north and south.
    let text = place.done("run hill.asc --steps 1 --quiet");
    let chosen = [
        "place       floor at ",
        "map         x 1000 to 1300, y 501.5625 to 698.4375",
        "vent        x = ",
        "chosen      cells of 4.69 m, interpolated from 10 m in the file (--voxel-size)",
        "            a vent on the highest ground away from the edge, 0.84 full cells a step (--vent X,Z@RATE)",
        "            spreading threshold 0.3",
        "            open sides: lava that reaches the edge leaves (--walls closed)",
    ];
    for part in chosen {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains("heights ×"), "nothing was stretched\n{text}");
    let drawn = place.run("render hill.asc --steps 2 --size 40x30 --picture told.png");
    let drawn = self::text(&drawn.stderr);
    assert!(chosen.iter().all(|part| drawn.contains(part)), "{drawn}");
    place.done("render hill.asc --steps 2 --size 40x30 --picture a.png");
    place.done("run hill.asc --steps 1 --threads 3 --seed 4");
}

/// Returns the bytes of a PNG with a 16-bit ramp, 40 × 20 pixels over all grey levels.
fn ramp16() -> Vec<u8> {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 40, 20);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let level = |i: u32| ((i % 40) * 65535 / 39) as u16;
    let pixels: Vec<u8> = (0..800).flat_map(|i| level(i).to_be_bytes()).collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixels)
        .unwrap();
    png
}

#[test]
fn a_gray_picture_gets_a_relief_and_a_needle_is_pressed_down() {
    let place = place_with_hill();
    place.write_file("ramp.png", ramp16());
    let report = place.json("run ramp.png --steps 1 --json");
    let chosen: Vec<_> = report["chosen"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        chosen.contains(&"10 m assumed for a cell of the file, which names no size (--cell-size)"),
        "{chosen:?}"
    );
    assert!(
        chosen.contains(&"white assumed at 50 m, as the picture does not say (--white)"),
        "{chosen:?}"
    );
    assert!(report["dims"][1].as_u64().unwrap() < 40, "{report}");
    let white =
        place.json("run ramp.png --cell-size 10 --white 80 --steps 1 --json")["chosen"].to_string();
    assert!(
        !white.contains("white") && !white.contains("assumed"),
        "{white}"
    );
    // The heights of this table are a hundred times its width.
    place.write_file("needle.csv", "0,0,0,0\n0,4000,0,0\n0,0,0,0\n0,0,0,0\n");
    let report = place.json("run needle.csv --steps 1 --json");
    assert_eq!(report["vertical_exaggeration"], 0.01, "{report}");
    assert!(
        report["chosen"]
            .to_string()
            .contains("heights × 0.01, so that they fit a box"),
        "{report}"
    );
    place.write_file("holed.asc", HOLED_ASC);
    let chosen = place.json("run holed.asc --steps 1 --json")["chosen"].to_string();
    assert!(
        chosen.contains("1 cell without data filled with the nearest height (--fill)"),
        "{chosen}"
    );
}

#[test]
fn heightmaps_have_open_sides_unless_they_are_closed() {
    let place = place_with_hill();
    let run = |flags: &str| {
        place.json(&format!(
            "run hill.asc --vent 1,1@3 --grid 30x80x20 --steps 200 --json {flags}"
        ))
    };
    let open = run("");
    assert_eq!(open["walls"], "open");
    let left = open["outflow_units"].as_u64().unwrap();
    assert!(
        left > 0 && open["outflow_m3"].as_f64().unwrap() > 0.0,
        "{open}"
    );
    let closed = run("--walls closed");
    assert_eq!(
        (&closed["walls"], closed["outflow_units"].as_u64()),
        (&"closed".into(), Some(0))
    );
    assert!(closed["edge_columns"].as_u64().unwrap() > 1, "{closed}");
    assert!(
        closed["note"].as_str().unwrap().contains("no forecast"),
        "{closed}"
    );
    // A scene sets its own walls.
    assert_eq!(
        place.json("run hill.toml --steps 1 --json")["walls"],
        "closed"
    );
    assert_eq!(
        place.json("run hill.toml --steps 1 --json --walls open")["walls"],
        "open"
    );
    let flags = "--vent 1,1@3 --grid 30x80x20 --steps 200";
    let report = place.done(&format!("run hill.asc {flags}"));
    assert!(
        report.contains("\nedge        lava reached the open sides: "),
        "{report}"
    );
    let drawn = place.run(&format!(
        "render hill.asc {flags} --walls closed --size 40x30 --picture a.png"
    ));
    assert!(
        text(&drawn.stderr).contains("lava stands at the closed sides in "),
        "{}",
        text(&drawn.stderr)
    );
}

#[test]
fn the_volcano_erupts_at_its_summit_in_any_box() {
    let place = Place::new();
    for (grid, rate) in [
        ("64x50x64", 0.75),
        ("128x100x128", 3.0),
        ("96x50x160", 3.0 * 0.75 * 0.5),
    ] {
        let report = place.json(&format!("run --grid {grid} --steps 60 --json"));
        let vent = &report["vents"][0];
        assert!(
            (vent["rate"].as_f64().unwrap() - rate).abs() < 1e-9,
            "{vent}"
        );
        let crater = place.done(&format!("terrain volcano --size {grid}"));
        let (x, z) = (
            vent["x"].as_f64().unwrap() - 0.5,
            vent["z"].as_f64().unwrap() - 0.5,
        );
        assert!(
            crater.contains(&format!("crater      column x = {x}, z = {z}\n")),
            "{vent} {crater}"
        );
        // All poured lava still lies in the crater.
        assert!(
            report["covered_columns"].as_u64().unwrap() < 400,
            "{report}"
        );
    }
}

#[test]
fn flags_choose_the_part_the_box_and_the_vents() {
    let place = place_with_hill();
    let run = |flags: &str| place.json(&format!("run {flags} --steps 2 --json"));
    let bounds = |report: &Value| report["map"]["bounds"].clone();
    for source in ["hill.asc", "hill.toml"] {
        let vent = "--vent 1,1";
        for part in [
            "--crop 10,0,15,12",
            "--crop 100m,0m,150m,120m",
            "--bounds 1100,580,1250,700",
        ] {
            let report = run(&format!("{source} {part} --grid 30x90x24 {vent}"));
            assert_eq!(
                bounds(&report),
                serde_json::json!([1100.0, 580.0, 1250.0, 700.0]),
                "{source} {part}"
            );
            assert_eq!(
                (&report["dims"], &report["cell_size_m"]),
                (&serde_json::json!([30, 90, 24]), &5.0.into())
            );
        }
        let report = run(&format!("{source} --grid 20,90,20 --voxel-size 5 {vent}"));
        assert_eq!(
            bounds(&report),
            serde_json::json!([1100.0, 550.0, 1200.0, 650.0])
        );
        let report = run(&format!(
            "{source} --exaggerate 1.5 --base-cells 7 --base-m -20 --grid 30x80x20 {vent}"
        ));
        assert_eq!(report["vertical_exaggeration"], 1.5);
        let floor = report["floor_m"].as_f64().unwrap();
        assert!((floor - (-20.0 - 70.0 / 1.5)).abs() < 1e-9, "{floor}");
    }
    let vents = "--vent 20,8@0.5 --vent 200m,80m --vent map:1200,620@3";
    let report = run(&format!("hill.toml {vents}"));
    let found: Vec<_> = report["vents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| (v["x"].clone(), v["z"].clone(), v["rate"].clone()))
        .collect();
    let at = |rate: f64| (Value::from(20.0), Value::from(8.0), Value::from(rate));
    assert_eq!(found, [at(0.5), at(1.8), at(3.0)]);
    // These files lack a cell size or the height of black.
    place.done("terrain hill.asc --out hill.png");
    place.write_file("table.csv", "1,2,3\n2,3,4\n3,4,9\n");
    assert_eq!(
        run("table.csv --cell-size 20 --grid 6x40x6")["cell_size_m"],
        10.0
    );
    let report = run("hill.png --black 0 --white 50 --cell-size 10 --grid 30x90x20 --exaggerate 1");
    assert_eq!(report["map"], Value::Null);
    // A generated terrain accepts the flags that make sense for generated ground.
    let report = run("--grid 40x50x40 --voxel-size 2 --base-cells 3 --vent 40m,40m");
    assert_eq!(
        (
            report["cell_size_m"].as_f64(),
            report["vents"][0]["x"].as_f64()
        ),
        (Some(2.0), Some(20.0))
    );
}

#[test]
fn holes_are_treated_as_the_flag_says() {
    let place = place_with_hill();
    let floor = |flags: &str| {
        place.json(&format!(
            "run holed.asc {flags} --grid 12x60x9 --exaggerate 1 --steps 1 --json"
        ))
    };
    for flags in ["", "--fill nearest", "--fill lowest", "--fill cut"] {
        let report = floor(flags);
        let lowest = if flags == "--fill cut" { 5.0 } else { 4.0 };
        let cell = report["cell_size_m"].as_f64().unwrap();
        assert!(
            (report["floor_m"].as_f64().unwrap() - (lowest - 4.0 * cell)).abs() < 1e-6,
            "{flags}: {report}"
        );
    }
    assert!(
        place
            .refused("run holed.asc --fill error")
            .contains("holed.asc: 1 of 12 heights have no data")
    );
    assert_eq!(place.json("terrain holed.asc --fill cut --json")["cols"], 3);
    let line = place.refused("terrain holed.asc --size 8x60x8");
    assert!(line.contains("have no data"), "{line}");
}

#[test]
fn terrain_takes_the_same_flags() {
    let place = place_with_hill();
    let part = place.json("terrain hill.asc --bounds 1100,580,1250,700 --json");
    assert_eq!(
        (&part["cols"], &part["bounds"]),
        (
            &15.into(),
            &serde_json::json!([1100.0, 580.0, 1250.0, 700.0])
        )
    );
    assert!(part == place.json("terrain hill.asc --crop 100m,0m,150m,120m --json"));
    assert!(
        place
            .done("terrain hill.asc")
            .contains("map         x 1000 to 1300, y 500 to 700")
    );
    let fitted = "terrain hill.asc --grid 20x90x20 --voxel-size 5 --base-m 0 --base-cells 2 --exaggeration 2 --json";
    assert_eq!(
        place.json(fitted)["bounds"],
        serde_json::json!([1100.0, 550.0, 1200.0, 650.0])
    );
    for (args, part) in [
        ("--base-m 5", "--base-m: says how a box is filled"),
        ("--base-cells 5", "--base-cells: says how a box is filled"),
        ("--voxel-size 5", "--voxel-size: needs a box"),
        ("--bounds 0,0,1,1", "covers [1000, 500, 1300, 700]"),
    ] {
        let line = place.refused(&format!("terrain hill.asc {args}"));
        assert!(line.contains(part), "{args}: {line}");
    }
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let place = place_with_hill();
    for flag in [
        "--crop 0,0,5,5",
        "--crop 0m,0m,5m,5m",
        "--bounds 0,0,1,1",
        "--cell-size 5",
        "--black 0",
        "--white 9",
        "--fill lowest",
        "--exaggerate 2",
        "--base-m 3",
        "--vent map:1,2",
    ] {
        for source in ["", "small.toml"] {
            let line = place.refused(&format!("run {source} {flag}"));
            let name = flag.split(' ').next().unwrap();
            assert!(
                line.contains(name) && line.contains("generated") && line.contains("kind = "),
                "{flag}: {line}"
            );
        }
    }
    for (args, part) in [
        (
            "run hill.asc --crop 0,0,31,5",
            "hill.asc: crop [0, 0, 31, 5]",
        ),
        (
            "run hill.toml --crop 0,0,31,5",
            "hill.toml: crop [0, 0, 31, 5]",
        ),
        (
            "run hill.asc --bounds 900,500,1100,600",
            "covers [1000, 500, 1300, 700]",
        ),
        (
            "run hill.asc --vent map:999,600",
            "--vent map:999,600: must be within the box: x 1000 to",
        ),
        (
            "run hill.asc --vent 1,1 --vent 500m,10m",
            "--vent 500m,10m: x_m must be a number from 0 to 300",
        ),
        (
            "run hill.toml --vent 31,1",
            "--vent 31,1: must be a number from 0 to 30 cells; for metres write 500m,500m, for the map map:X,Y",
        ),
        (
            "run hill.toml --vent 1,1@-2",
            "--vent 1,1@-2: rate must be a number from 0 to 1000000",
        ),
        (
            "run hill.toml --vent nan,1",
            "--vent nan,1: must be a number from 0 to 30 cells",
        ),
        (
            "run hill.asc --voxel-size 50 --grid 20x80x20",
            "use cells of 10.000 m or less",
        ),
        (
            "run hill.asc --grid 30x20x20 --exaggerate 3",
            "make the box at least ny = ",
        ),
        (
            "run hill.asc --exaggerate 0",
            "--exaggerate 0: must be a number from 0.01 to 100",
        ),
        (
            "run hill.asc --base-cells -1",
            "--base-cells -1: must be a number from 0 to 8192 cells",
        ),
        (
            "run hill.asc --base-m nan",
            "--base-m NaN: must be a number from -100000 to 100000 metres",
        ),
        (
            "run hill.asc --voxel-size 0",
            "--voxel-size 0: must be a number from 0.001 to 100000 metres",
        ),
        ("run nowhere.asc", "cannot read nowhere.asc"),
        (
            "run holed.asc --bounds 0,0,1,1",
            "holed.asc: bounds need a heightmap with a place on a map",
        ),
        ("run holed.asc --vent map:0,0", "no place on a map"),
        (
            "run hill.doc",
            "cannot read hill.doc: no such file; did you mean hill.",
        ),
        (
            "run vulcano",
            "cannot read vulcano: no such file; did you mean volcano?",
        ),
        (
            "run xyz",
            "cannot read xyz: no such file; name a scene (.toml), a heightmap, or a shipped scene (lavoxel scene --list)",
        ),
    ] {
        let line = place.refused(args);
        assert!(line.contains(part), "{args}: {line}");
    }
    place.write_file("hill.doc", "What a fine hill.");
    let line = place.refused("run hill.doc");
    assert!(
        line.contains("hill.doc: not a scene (.toml) and not a known format of heightmaps")
            && line.contains(".asc"),
        "{line}"
    );
    place.write_file("photo.jpg", b"\xff\xd8\xff\xe0 and so on");
    for command in ["run", "render", "terrain"] {
        let line = place.refused(&format!("{command} photo.jpg"));
        assert!(
            line.contains("photo.jpg") && line.contains("convert the picture to a gray PNG"),
            "{line}"
        );
    }
    for args in [
        "run hill.asc --vent submit",
        "run hill.asc --vent 4",
        "run hill.asc --crop 1,2,3",
        "run hill.asc --crop 1m,2,3m,4m",
        "run hill.asc --bounds 1,2,3",
        "run hill.asc --bounds 1,2,3,4 --crop 1,2,3,4",
        "run hill.asc --grid 0x1x1",
        "run hill.asc --grid 30x20",
        "run hill.asc --fill zero",
        "terrain hill.asc --vent 1,1",
    ] {
        let output = place.run(args);
        let err = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && err.starts_with("error: "),
            "{args}\n{err}"
        );
    }
}
