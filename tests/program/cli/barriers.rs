//! Tests of barriers: dams and ditches along lines, and their table compared with two separate
//! runs.

use serde_json::Value;

use super::place::{Place, text};
use crate::needs;

/// Returns the heightmap of a valley of 30 × 40 cells of 10 m that falls to the south, as an ASCII
/// grid.
fn valley() -> String {
    let height = |x: usize, z: usize| 300 - 3 * z + x.abs_diff(15);
    let row = |z: usize| {
        (0..30)
            .map(|x| height(x, z).to_string())
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..40).map(row).collect();
    format!("ncols 30\nnrows 40\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}")
}

/// GeoJSON of a dam across the valley, and of a ditch far from the lava.
const LINES: &str = r#"{"type": "FeatureCollection", "crs": null, "features": [
    {"type": "Feature", "properties": {"name": "dam, upper", "height_m": 12, "width_m": 20},
     "geometry": {"type": "LineString", "coordinates": [[1050, 5205], [1270, 5205]]}},
    {"type": "Feature", "properties": {"name": "ditch", "height_m": -4},
     "geometry": {"type": "LineString", "coordinates": [[1010, 5015], [1040, 5015]]}}]}"#;

const RUN: &str = "run valley.asc --lava etna-basalt --cell-height 2 --vent 155m,55m@5m3/s --duration 1h --walls open";

fn place() -> Place {
    let place = Place::new();
    place.write_file("valley.asc", valley());
    place.write_file("lines.geojson", LINES);
    place
}

/// Returns the values of an ASCII grid, in rows from north to south.
fn map(place: &Place, name: &str) -> Vec<f64> {
    let text = text(&place.read(name));
    let rows = text
        .lines()
        .filter(|line| line.split_whitespace().count() == 30);
    rows.flat_map(str::split_whitespace)
        .map(|number| number.parse().unwrap())
        .collect()
}

/// Returns the fields of a line of a table, after replacing the only quoted name.
fn fields(line: &str) -> Vec<String> {
    line.replace("\"dam, upper\"", "dam")
        .split(',')
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_table_of_barriers_agrees_with_two_runs_made_by_hand() {
    let place = place();
    let maps = |name: &str| {
        ["thickness", "arrival", "ground"]
            .map(|map| format!("--map {map}={map}_{name}.asc"))
            .join(" ")
    };
    let with = place.run(&format!(
        "{RUN} --barrier lines.geojson {} --barrier-table table.csv",
        maps("with")
    ));
    let said = text(&with.stderr);
    assert!(with.status.success(), "{said}");
    assert!(
        said.contains("the same")
            && said.contains("without barriers")
            && said.contains("1 of 2 reached"),
        "{said}"
    );
    place.done(&format!("{RUN} {}", maps("without")));
    let rows: Vec<_> = text(&place.read("table.csv")).lines().map(fields).collect();
    assert_eq!(rows.len(), 4, "{rows:?}");
    let field = |row: usize, name: &str| {
        let column = rows[0]
            .iter()
            .position(|heading| heading == name)
            .unwrap_or_else(|| panic!("{name} in {rows:?}"));
        rows[row][column].clone()
    };
    let number = |row, name: &str| {
        field(row, name)
            .parse::<f64>()
            .unwrap_or_else(|_| panic!("{name} in {rows:?}"))
    };
    let [thick, thick_without] =
        ["with", "without"].map(|name| map(&place, &format!("thickness_{name}.asc")));
    let [hours, hours_without] =
        ["with", "without"].map(|name| map(&place, &format!("arrival_{name}.asc")));
    let [ground, ground_without] =
        ["with", "without"].map(|name| map(&place, &format!("ground_{name}.asc")));
    // The dam covers rows of columns and is 12 m high.
    let dam: Vec<usize> = (0..1200)
        .filter(|&i| (ground[i] - ground_without[i] - 12.0).abs() < 0.01)
        .collect();
    assert_eq!(
        (
            dam.len().to_string(),
            number(1, "height_m"),
            number(1, "width_m")
        ),
        (field(1, "columns"), 12.0, 20.0)
    );
    assert!(dam.len() >= 44, "{dam:?}");
    let beside = |i: usize| {
        [i - 1, i + 1, i - 30, i + 30]
            .into_iter()
            .filter(|other| !dam.contains(other))
            .collect::<Vec<_>>()
    };
    let reached = dam
        .iter()
        .flat_map(|&i| beside(i))
        .map(|i| hours[i])
        .filter(|hours| *hours >= 0.0)
        .fold(f64::MAX, f64::min);
    assert!((number(1, "reached_h") - reached).abs() < 2e-4, "{rows:?}");
    let over = dam
        .iter()
        .map(|&i| hours[i])
        .filter(|hours| *hours >= 0.0)
        .reduce(f64::min);
    assert_eq!(
        field(1, "overflow_h").is_empty(),
        over.is_none(),
        "{rows:?}"
    );
    assert!((number(1, "held_m3")) > 1000.0, "{rows:?}");
    assert_eq!(
        (
            field(2, "reached_h"),
            field(2, "overflow_h"),
            number(2, "held_m3")
        ),
        (String::new(), String::new(), 0.0)
    );
    // All barriers together, compared with the run without barriers.
    let cells =
        |test: &dyn Fn(usize) -> bool| (0..1200).filter(|&i| test(i)).count() as f64 * 100.0;
    assert_eq!(
        number(3, "saved_m2"),
        cells(&|i| hours[i] < 0.0 && hours_without[i] >= 0.0),
        "{rows:?}"
    );
    assert_eq!(
        number(3, "added_m2"),
        cells(&|i| hours[i] >= 0.0 && hours_without[i] < 0.0),
        "{rows:?}"
    );
    let turned: f64 = (0..1200)
        .map(|i| 50.0 * (thick[i].max(0.0) - thick_without[i].max(0.0)).abs())
        .sum();
    assert!(
        (number(3, "turned_m3") - turned).abs() < 0.01 * turned,
        "{turned} {rows:?}"
    );
    assert!(number(3, "saved_m2") > 0.0 && turned > 1000.0, "{rows:?}");
}

#[test]
fn barriers_are_drawn_in_gis_and_kept_in_checkpoints_and_packs() {
    let place = place();
    let whole = place.json(&format!(
        "{RUN} --barrier lines.geojson --json --checkpoint half.lvx --barrier-table table.geojson"
    ));
    let resumed = place.json("resume half.lvx --steps 100 --json --barrier-table more.csv");
    assert!(resumed["flow"]["poured_m3"].as_f64() > whole["flow"]["poured_m3"].as_f64());
    assert!(text(&place.read("more.csv")).lines().count() == 4);
    place.write_file(
        "dam.toml",
        "model = \"flow\"\n[flow]\nduration = 1200\n[grid]\nsize = [30, 200, 40]\ncell_size_m = 10\ncell_height_m = 2\n[terrain]\n\
         kind = \"heightmap\"\nfile = \"valley.asc\"\n[[barrier]]\nfile = \"lines.geojson\"\n[[vent]]\nx = 15\nz = 5\nrate_m3_s = 5\n",
    );
    place.done("scene dam.toml --pack dam.lavoxel");
    let here = place.json("run dam.toml --json");
    std::fs::remove_file(place.path("lines.geojson")).unwrap();
    let packed = place.json("run dam.lavoxel --json");
    assert_eq!(packed["flow"]["area_m2"], here["flow"]["area_m2"]);
    assert!(place.refused("run dam.toml").contains("lines.geojson"));
    let Some(with) = needs::python("osgeo.ogr", "python3-gdal") else {
        return;
    };
    let count = "import json\nfrom osgeo import ogr\nogr.UseExceptions()\nfile = ogr.Open('table.geojson')\nlayer = file.GetLayer(0)\n\
                 rows = [(f.GetField('name'), f.geometry().Length() if f.geometry() else None, f.GetField('held_m3')) for f in layer]\n\
                 print(json.dumps(rows))";
    let run = std::process::Command::new(with)
        .current_dir(place.0.path())
        .args(["-c", count])
        .output()
        .unwrap();
    let rows: Value =
        serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", text(&run.stderr)));
    assert_eq!(
        (rows[0][0].as_str(), rows[0][1].as_f64()),
        (Some("dam, upper"), Some(220.0)),
        "{rows}"
    );
    assert_eq!(
        (rows.as_array().map(Vec::len), rows[2][1].is_null()),
        (Some(3), true),
        "{rows}"
    );
}

#[test]
fn barriers_that_cannot_be_are_named_in_one_line() {
    let place = place();
    place.write_file(
        "points.geojson",
        r#"{"type": "Point", "crs": null, "coordinates": [1050, 5205]}"#,
    );
    place.write_file(
        "high.geojson",
        LINES
            .replace("\"height_m\": 12", "\"height_m\": \"high\"")
            .as_bytes(),
    );
    place.write_file("torn.geojson", &LINES.as_bytes()[..90]);
    for (args, part) in [
        ("--barrier-table table.csv", "there are no barriers"),
        ("--barrier points.geojson", "has points"),
        ("--barrier high.geojson", "height_m that is no number from"),
        ("--barrier torn.geojson", "is no JSON"),
        ("--barrier gone.geojson", "gone.geojson"),
        (
            "--barrier lines.geojson --barrier-table table.txt",
            "end in .csv or .geojson",
        ),
    ] {
        let out = place.run(&format!("{RUN} {args}"));
        let error = text(&out.stderr);
        let faults = error
            .lines()
            .filter(|line| line.contains("error") || line.contains(part))
            .count();
        assert_eq!(out.status.code(), Some(2), "{args}: {error}");
        assert!(
            error.contains(part) && faults == 1,
            "{args}: {part:?} in {error}"
        );
        assert!(
            !place.files().iter().any(|name| name.starts_with("table")),
            "{args}"
        );
    }
}
