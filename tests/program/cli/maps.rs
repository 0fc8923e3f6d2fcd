//! Tests of the maps and fields that `lavoxel run` writes.

use std::fs;

use serde_json::Value;

use super::place::{Place, text};

const MAPS: &str = "--map thickness=out/t.tif --map arrival=a.asc --map max-thickness=m.tiff --map peak-energy=p.tif \
                    --map surface=s.tif --map ground=g.asc --npz all.npz";

#[test]
fn run_writes_maps_and_fields() {
    let place = Place::new();
    let output = place.run(&format!("run small.toml --json {MAPS}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let printed: Vec<_> = text(&output.stderr).lines().map(str::to_owned).collect();
    let names = [
        "out/t.tif",
        "a.asc",
        "m.tiff",
        "p.tif",
        "s.tif",
        "g.asc",
        "all.npz",
    ];
    assert_eq!(printed, names.map(|name| format!("{name} (step 20)")));
    let rasters = place
        .files()
        .into_iter()
        .filter(|name| !name.ends_with(".qml"))
        .collect::<Vec<_>>();
    assert_eq!(
        rasters,
        [
            "a.asc",
            "all.npz",
            "g.asc",
            "m.tiff",
            "out/t.tif",
            "p.tif",
            "s.tif",
            "small.toml"
        ]
    );
    let styles = place
        .files()
        .into_iter()
        .filter(|name| name.ends_with(".qml"))
        .collect::<Vec<_>>();
    assert_eq!(
        styles,
        ["a.qml", "g.qml", "m.qml", "out/t.qml", "p.qml", "s.qml"]
    );

    let arrival = text(&place.read("a.asc"));
    assert!(arrival.starts_with(
        "ncols 24\nnrows 24\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
    ));
    let came = arrival
        .lines()
        .skip(6)
        .flat_map(|row| row.split(' '))
        .filter(|&step| step != "-9999")
        .count();
    assert!(
        came as u64 >= report["covered_columns"].as_u64().unwrap() && came > 10,
        "{came} columns"
    );

    // The slow engine writes the same maps, and the report equals that of a run without maps.
    let before: Vec<_> = names.map(|name| place.read(name)).into();
    let again = place.json(&format!(
        "run small.toml --json --quiet --force --engine plain {MAPS}"
    ));
    assert_eq!(before, names.map(|name| place.read(name)));
    let bare = place.json("run small.toml --json --quiet");
    assert_eq!(
        (&again["state_hash"], &bare["state_hash"]),
        (&report["state_hash"], &report["state_hash"])
    );
}

#[test]
fn maps_of_a_resumed_run_are_those_of_one_that_was_never_stopped() {
    let place = Place::new();
    let maps = |name: &str| {
        format!(
            "--map arrival={name}a.tif --map max-thickness={name}m.tif --map peak-energy={name}p.asc --npz {name}.npz"
        )
    };
    place.done(&format!(
        "run small.toml --steps 20 --quiet {}",
        maps("whole-")
    ));
    place.done(&format!(
        "run small.toml --steps 9 --quiet --checkpoint half.lvx {}",
        maps("half-")
    ));
    place.done("run small.toml --steps 9 --quiet --checkpoint bare.lvx");
    place.done(&format!(
        "resume half.lvx --steps 20 --quiet {}",
        maps("resumed-")
    ));
    for end in ["a.tif", "m.tif", "p.asc", ".npz"] {
        let [whole, resumed, half] =
            ["whole-", "resumed-", "half-"].map(|name| place.read(&format!("{name}{end}")));
        assert!(whole == resumed && whole != half, "{end}");
    }
    // Records that were not kept cannot be reconstructed.
    let line = place.refused("resume bare.lvx --steps 20 --map arrival=late.tif");
    assert!(line.contains("no records of its 9 steps"), "{line}");
    place.done("resume bare.lvx --steps 20 --quiet --map thickness=now.tif");
}

#[test]
fn maps_that_cannot_be_written_are_refused_before_the_work() {
    let place = Place::new();
    place.write_file("there.tif", "mine");
    place.write_file("plan.prj", "mine");
    place.write_file("plan.qml", "mine");
    place.write_file("huge.toml", "[grid]\nsize = [8192, 64, 8192]");
    // The steps would outlast the test, so the refusal must come before the first.
    let run = "run small.toml --steps 1000000000";
    for (args, part) in [
        ("--map thickness", "must be NAME=FILE"),
        ("--map thickness=", "must be NAME=FILE"),
        (
            "--map depth=d.tif",
            "no map \"depth\"; maps are thickness, arrival, max-thickness, peak-energy, surface, ground",
        ),
        ("--map thickness=t.bmp", "no map format ends in \"bmp\""),
        (
            "--map oil.footprint=t.tif",
            "no map \"oil.footprint\"; maps are thickness, arrival",
        ),
        (
            "--map footprint=t.tif --footprint-above -1",
            "--footprint-above -1: must be a number from 0 up",
        ),
        (
            "--map thickness=out/a.tif --map arrival=out/a.asc",
            "out/a.tif and out/a.asc would share the style out/a.qml",
        ),
        ("--map thickness=t", "no map format ends in \"\""),
        (
            "--map thickness=there.tif",
            "there.tif exists already: choose another name, or pass --force",
        ),
        ("--map thickness=plan.asc", "plan.prj exists already"),
        (
            "--map thickness=t.tif --map arrival=t.tif",
            "two outputs cannot have the same name",
        ),
        ("--npz all.zip", "let the name end in .npz"),
    ] {
        let line = place.refused(&format!("{run} {args}"));
        assert!(line.contains(part), "{args}\n{line}");
    }
    let line = place.refused("run huge.toml --npz all.npz");
    assert!(
        line.contains("grid.size = [8192, 64, 8192]: must be at most"),
        "{line}"
    );
    for args in [
        "--map thickness=small.toml/t.tif",
        "--npz small.toml/all.npz",
        "--force --map surface=.",
    ] {
        place.refused_with(
            if args.contains("surface") { 2 } else { 1 },
            &format!("{run} {args}"),
        );
    }
}

#[test]
fn a_style_that_is_there_stays_and_does_not_hinder() {
    let place = Place::new();
    place.write_file("plan.qml", "mine");
    place.done("run small.toml --steps 1 --map thickness=plan.tif");
    assert_eq!(fs::read_to_string(place.path("plan.qml")).unwrap(), "mine");
    place.done("run small.toml --steps 1 --map thickness=plan.tif --force");
    assert!(
        fs::read_to_string(place.path("plan.qml"))
            .unwrap()
            .contains("qgis")
    );
}

#[test]
fn a_map_goes_without_a_style_where_that_is_asked_for() {
    let place = Place::new();
    place.done("run small.toml --quiet --no-style --map thickness=a.tif --map arrival=a.asc --map footprint=f.asc");
    assert_eq!(place.files(), ["a.asc", "a.tif", "f.asc", "small.toml"]);
    // A footprint is 1 where the thickness exceeds the limit.
    place.done("run small.toml --quiet --map footprint=thick.asc --map thickness=t.asc --footprint-above 4");
    let cells = |name: &str| -> Vec<f64> {
        let grid = text(&place.read(name));
        grid.lines()
            .skip(6)
            .flat_map(|row| row.split(' '))
            .map(|cell| cell.parse().unwrap())
            .collect()
    };
    let expected: Vec<f64> = cells("t.asc")
        .iter()
        .map(|&t| if t > 4.0 { 1.0 } else { -9999.0 })
        .collect();
    assert_eq!(cells("thick.asc"), expected);
    let ones = |name: &str| cells(name).iter().filter(|&&cell| cell == 1.0).count();
    assert!(ones("thick.asc") > 5 && ones("thick.asc") < ones("f.asc"));
}

#[test]
fn maps_are_drawn_as_pictures_and_lines() {
    let place = Place::new();
    place.done(
        "run small.toml --quiet --map thickness=t.png --map footprint=f.png --map arrival=a.png --map ground=g.png \
         --map thickness=t.geojson --map footprint=f.geojson --levels 2,0.5,1,0.5 --map footprint=f.asc",
    );
    for name in ["t.png", "f.png", "a.png", "g.png"] {
        let picture = super::place::picture(&place.read(name));
        assert!(
            picture.width() > 768 && picture.height() > 768,
            "{name}: {:?}",
            picture.dimensions()
        );
    }
    // Thick lava in the middle of the map is brighter than the grey ground.
    let colored = |name: &str| {
        let picture = super::place::picture(&place.read(name));
        let (w, h) = picture.dimensions();
        let middle = picture
            .enumerate_pixels()
            .filter(|(x, y, _)| (w / 3..w / 2).contains(x) && (h / 3..h / 2).contains(y));
        middle
            .filter(|(.., p)| p.0[0] > p.0[2].saturating_add(40))
            .count()
    };
    assert!(colored("t.png") > 1000 && colored("f.png") > 1000 && colored("g.png") == 0);
    let read = |name: &str| -> Value { serde_json::from_slice(&place.read(name)).unwrap() };
    let lines = read("t.geojson");
    let levels: Vec<_> = lines["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["properties"]["level"].clone())
        .collect();
    assert_eq!(levels, [0.5, 1.0, 2.0]);
    assert_eq!(
        (&lines["crs"], &lines["features"][0]["geometry"]["type"]),
        (&Value::Null, &"MultiLineString".into())
    );
    let pieces = read("f.geojson");
    let cells: u64 = pieces["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["properties"]["cells"].as_u64().unwrap())
        .sum();
    let ones = text(&place.read("f.asc"))
        .lines()
        .skip(6)
        .flat_map(|row| row.split(' '))
        .filter(|&cell| cell == "1")
        .count();
    assert_eq!(cells, ones as u64);
    let line = place.refused("run small.toml --levels 1,2 --map thickness=again.tif");
    assert!(
        line.contains("--levels: pass --map NAME=FILE.geojson or FILE.gpkg, too"),
        "{line}"
    );
}
