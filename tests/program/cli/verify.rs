//! Tests of `lavoxel verify` against field data.

use serde_json::Value;

use super::place::{Place, text};
use crate::needs;

#[test]
fn a_folder_without_field_data_is_refused_with_where_to_get_it() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("data/marcath")).unwrap();
    std::fs::create_dir_all(place.path("empty")).unwrap();
    for (args, message) in [
        (
            "verify --field none",
            "--field none: is no folder; expected a folder that holds or is mauna_ulu_1974/ (the folder MaunaUlu74 of",
        ),
        (
            "verify --field small.toml",
            "--field small.toml: is no folder; expected",
        ),
        (
            "verify --field empty",
            "--field empty: holds no field data; expected",
        ),
        (
            "verify --field data --json",
            "--field data/marcath/topography.tif: no such file; it is a file of github.com/Jacksaville1/lava-lubrication",
        ),
        (
            "verify field-marcath",
            "field-marcath: needs the folder of its files, with --field FOLDER",
        ),
        (
            "verify field-none",
            "field-none: no such case; there are huppert-volume,",
        ),
    ] {
        let line = place.refused(args);
        assert!(line.contains(message), "{args}\n{line}");
    }
}

#[test]
fn a_wrong_file_of_field_data_is_refused() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("marcath")).unwrap();
    place.write_file("marcath/topography.tif", "no raster");
    place.write_file("marcath/lavafield.tif", "no raster");
    let line = place.refused("verify --field . --picture page.svg");
    assert!(line.contains("marcath/topography.tif"), "{line}");
}

/// Copies the real files of the Mauna Ulu channel, with so little lava that the flow is slow and
/// quick to compute; `None` if the data is missing.
fn slow_channel(place: &Place) -> Option<()> {
    let from = needs::terrain("mauna_ulu_1974")?;
    std::fs::create_dir_all(place.path("MaunaUlu74/field_data")).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let bytes = std::fs::read(file.path()).unwrap();
        if name.ends_with(".json") {
            let less =
                text(&bytes).replace("\"effusion_rate_init\": 165", "\"effusion_rate_init\": 4");
            place.write_file(&format!("MaunaUlu74/{name}"), less);
        } else {
            place.write_file(&format!("MaunaUlu74/field_data/{name}"), bytes);
        }
    }
    Some(())
}

#[test]
fn the_channel_of_mauna_ulu_is_compared_and_does_not_fail() {
    let place = Place::new();
    let Some(()) = slow_channel(&place) else {
        return;
    };
    let found = place.json("verify --field . field-mauna-ulu --json --picture page.svg");
    let [outcome] = found.as_array().unwrap().as_slice() else {
        panic!("{found}")
    };
    assert_eq!(
        (&outcome["name"], &outcome["is_field"]),
        (&Value::from("field-mauna-ulu"), &Value::from(true))
    );
    assert_eq!(
        (&outcome["is_exact"], &outcome["verdict"]),
        (&Value::from(true), &Value::from("outside"))
    );
    let rows = outcome["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + 10 + 9);
    assert_eq!(
        (&rows[1]["what"], &rows[1]["reference"]),
        (&"temperature at 1430 m, °C".into(), &1164.0.into())
    );
    assert!(rows[1]["value"].as_f64().unwrap() < 1150.0, "{outcome}");
    assert!(
        text(&place.read("page.svg")).contains("The physical model beside theory and field data")
    );
    let line = place.refused("verify --field MaunaUlu74 field-marcath");
    let known =
        "field-marcath: the folder of --field has no files of it; there are huppert-volume,";
    assert!(line.contains(known), "{line}");
}

#[test]
fn real_files_of_both_cases_are_read_and_a_case_of_the_suite_runs_beside_them() {
    let (Some(one), Some(_)) = (needs::terrain("marcath"), needs::terrain("mauna_ulu_1974")) else {
        return;
    };
    let out = Place::new().done(&format!(
        "verify cliff --field {}",
        one.parent().unwrap().display()
    ));
    assert!(
        out.starts_with("cliff: holds") && out.ends_with("1 of 1 cases hold\n"),
        "{out}"
    );
}
