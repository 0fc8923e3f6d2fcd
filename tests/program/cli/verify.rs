//! `lavoxel verify` beside field data.

use serde_json::Value;

use super::place::{Place, text};
use crate::needs;

#[test]
fn a_folder_without_field_data_is_refused_with_where_to_get_it() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("data/marcath")).unwrap();
    std::fs::create_dir_all(place.path("empty")).unwrap();
    for (args, message) in [
        ("verify --field none", "--field none: is no folder; expected a folder that holds or is mauna_ulu_1974/ (the folder MaunaUlu74 of"),
        ("verify --field small.toml", "--field small.toml: is no folder; expected"),
        ("verify --field empty", "--field empty: holds no field data; expected"),
        (
            "verify --field data --json",
            "--field data/marcath/topography.tif: no such file; it is a file of github.com/Jacksaville1/lava-lubrication",
        ),
        ("verify field-marcath", "field-marcath: needs the folder of its files, with --field FOLDER"),
        ("verify field-none", "field-none: no such case; there are huppert-volume,"),
    ] {
        let line = place.refused(args);
        assert!(line.contains(message), "{args}\n{line}");
    }
}

#[test]
fn a_wrong_file_of_field_data_is_refused() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("marcath")).unwrap();
    place.put("marcath/topography.tif", "no raster");
    place.put("marcath/lavafield.tif", "no raster");
    let line = place.refused("verify --field . --picture page.svg");
    assert!(line.contains("marcath/topography.tif"), "{line}");
}

#[test]
fn the_channel_of_mauna_ulu_is_compared_and_does_not_fail() {
    let Some(folder) = needs::terrain("mauna_ulu_1974") else { return };
    let place = Place::new();
    let folder = folder.display();
    let found = place.json(&format!("verify --field {folder} field-mauna-ulu --json --picture page.svg"));
    let [outcome] = found.as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&outcome["name"], &outcome["is_field"]), (&Value::from("field-mauna-ulu"), &Value::from(true)));
    assert_eq!(outcome["is_exact"], true);
    let rows = outcome["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1 + 10 + 9);
    assert!(rows.iter().all(|row| row["verdict"] == "holds" || row["verdict"] == "outside"), "{outcome}");
    assert_eq!(rows[1]["what"], "temperature at 1430 m, °C");
    assert_eq!(rows[1]["reference"], 1164.0);
    assert!(text(&place.read("page.svg")).contains("The physical model beside theory and field data"));
    let line = place.refused(&format!("verify --field {folder} field-marcath"));
    assert!(line.contains("field-marcath: the folder of --field has no files of it; there are huppert-volume,"), "{line}");
}
