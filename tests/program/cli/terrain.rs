//! Tests of `lavoxel terrain`.

use super::place::{Place, TINY_ASC, picture};

#[test]
fn terrain_measures_every_built_in_kind() {
    let place = Place::new();
    for kind in ["volcano", "hills", "plane", "slope", "bowl"] {
        let report = place.done(&format!("terrain {kind} --size 32x24x40"));
        assert!(
            report.starts_with("raster      32 columns × 40 rows\n"),
            "{kind}: {report}"
        );
        assert_eq!(report.contains("crater "), kind == "volcano", "{report}");
        let json = place.json(&format!("terrain {kind} --size 32x24x40 --json"));
        assert_eq!(
            (json["cols"].as_u64(), json["rows"].as_u64()),
            (Some(32), Some(40)),
            "{json}"
        );
    }
    assert_eq!(place.files(), ["small.toml"]);
}

#[test]
fn terrain_converts_and_draws_a_heightmap() {
    let place = Place::new();
    place.write_file("tiny.asc", TINY_ASC);
    assert!(
        place
            .done("terrain tiny.asc")
            .contains("heights     1.0 to 9.0 m")
    );
    place.done("terrain tiny.asc --picture tiny.png --out back.asc");
    place.done("terrain tiny.asc --picture bare.png --no-legend");
    let (whole, bare) = (
        picture(&place.read("tiny.png")),
        picture(&place.read("bare.png")),
    );
    assert_eq!(bare.width(), 768);
    assert!(
        whole.width() > 768 && whole.height() > bare.height(),
        "a bar at the right, a length below"
    );
    assert_eq!(
        place.json("terrain back.asc --json"),
        place.json("terrain tiny.asc --json")
    );
    place.done("terrain tiny.asc --out gray.png");
    assert_eq!(place.json("terrain gray.png --json")["max_m"], 9.0);
    let line = place.refused("terrain tiny.asc --out back.asc");
    assert!(line.contains("--force"), "{line}");
    place.done("terrain tiny.asc --resample 8x6 --out back.asc --force");
    assert_eq!(place.json("terrain back.asc --json")["cols"], 8);
}

#[test]
fn terrain_refuses_what_makes_no_sense() {
    let place = Place::new();
    place.write_file("tiny.asc", TINY_ASC);
    for args in [
        "terrain nowhere.asc",
        "terrain volcan",
        "terrain vulcano",
        "terrain tiny.asc --crop 2,2,9,9",
        "terrain tiny.asc --out tiny.doc",
        "terrain tiny.asc --picture tiny.jpg",
        "terrain tiny.asc --exaggerate nan",
        "terrain tiny.asc --exaggerate inf",
        "terrain tiny.asc --seed 4",
        "terrain plane --black 3",
        "terrain tiny.asc --crop 0,0,18446744073709551615,1",
    ] {
        place.refused(args);
    }
}
