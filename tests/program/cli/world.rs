//! Tests of maps in degrees from 0 to 360 or across the date line, and of maps whose unit is not a
//! metre on the ground, in all commands.

use serde_json::Value;

use super::place::{Place, text};

/// Writes the heightmap of a hill of 40 × 40 cells of 0.0001° with its south-west corner at
/// (`west`, `south`) in degrees.
fn hill(place: &Place, name: &str, [west, south]: [f64; 2]) {
    let height = |x: usize, z: usize| 400.0 - 5.0 * (x.abs_diff(20) + z.abs_diff(20)) as f64;
    let row = |z: usize| {
        (0..40)
            .map(|x| height(x, z).to_string())
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..40).map(row).collect();
    let head =
        format!("ncols 40\nnrows 40\nxllcorner {west}\nyllcorner {south}\ncellsize 0.0001\n");
    place.write_file(&format!("{name}.asc"), head + &rows);
    place.write_file(&format!("{name}.prj"), "EPSG:4326");
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// Collects all positions of a GeoJSON value.
fn positions(value: &Value, all: &mut Vec<[f64; 2]>) {
    match value {
        Value::Array(list) => match (
            list.first().and_then(Value::as_f64),
            list.get(1).and_then(Value::as_f64),
        ) {
            (Some(x), Some(y)) => all.push([x, y]),
            _ => list.iter().for_each(|inner| positions(inner, all)),
        },
        Value::Object(keys) => keys
            .iter()
            .filter(|(key, _)| ["features", "geometry", "coordinates"].contains(&key.as_str()))
            .for_each(|(_, inner)| positions(inner, all)),
        _ => {}
    }
}

fn text_of(place: &Place, name: &str) -> String {
    text(&place.read(name))
}

const RUN: &str = "--lava etna-basalt --duration 20min --quiet";

#[test]
fn longitudes_come_to_the_range_of_the_map() {
    let place = Place::new();
    hill(&place, "hawaii", [204.5, 19.3]);
    place.write_file(
        "town.geojson",
        r#"{"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": "house"}, "geometry": {"type": "Point", "coordinates": [-155.498, 19.302]}},
            {"type": "Feature", "properties": {"name": "far"}, "geometry": {"type": "LineString", "coordinates": [[24.4, 19.3], [24.6, 19.4]]}}]}"#,
    );
    let vent = "--vent map:-155.498,19.302@20m3/s";
    let report = place
        .json(&format!("run hawaii.asc {vent} {RUN} --json --exposure town.geojson=out.csv --map footprint=f.geojson"));
    let vent_x = number(&report["vents"][0]["map_x"]);
    assert!((vent_x - 204.502).abs() < 1e-9, "{vent_x}");
    let rows = text_of(&place, "out.csv");
    assert!(
        rows.contains("house,point,yes") || rows.contains("house") && rows.contains("yes"),
        "{rows}"
    );
    let mut all = Vec::new();
    positions(
        &serde_json::from_str(&text_of(&place, "f.geojson")).unwrap(),
        &mut all,
    );
    assert!(
        all.len() > 4 && all.iter().all(|[x, _]| (-155.501..-155.495).contains(x)),
        "{all:?}"
    );
    // Files of one place compare equal, in either notation of the longitude.
    hill(&place, "west", [-155.5, 19.3]);
    let found = place.json("compare hawaii.asc west.asc --json");
    assert_eq!(found["jaccard"], 1.0);
    assert_eq!(
        place.json("compare hawaii.asc f.geojson --json")["recall"]
            .as_f64()
            .map(|share| share > 0.99),
        Some(true)
    );
}

#[test]
fn what_crosses_the_date_line_is_cut_there() {
    let place = Place::new();
    hill(&place, "fiji", [179.998, -16.002]);
    place.done(&format!(
        "run fiji.asc --vent map:-180,-16@40m3/s {RUN} --map footprint=f.geojson --map thickness=t.geojson"
    ));
    for file in ["f.geojson", "t.geojson"] {
        let read: Value = serde_json::from_str(&text_of(&place, file)).unwrap();
        let mut all = Vec::new();
        positions(&read, &mut all);
        assert!(
            all.iter().all(|[x, _]| (-180.0..=180.0).contains(x)),
            "{file}"
        );
        assert!(
            all.iter().any(|[x, _]| *x > 179.9) && all.iter().any(|[x, _]| *x < -179.9),
            "{file}: on both sides"
        );
        // No edge may run around the earth.
        let mut lines = Vec::new();
        for feature in read["features"].as_array().unwrap() {
            rings(&feature["geometry"]["coordinates"], &mut lines);
        }
        let widest = lines
            .iter()
            .flat_map(|line| line.windows(2))
            .map(|pair| (pair[1][0] - pair[0][0]).abs())
            .fold(0.0, f64::max);
        assert!(widest < 0.01, "{file}: an edge of {widest}°");
    }
    assert_eq!(place.json("compare f.geojson f.geojson --json")["fit"], 1.0);
    let area = |file: &str| {
        number(&place.json(&format!("compare fiji.asc {file} --json"))["b"]["area_m2"])
    };
    assert!(area("f.geojson") > 1000.0);
}

/// Collects all lists of positions: lines and rings.
fn rings(value: &Value, all: &mut Vec<Vec<[f64; 2]>>) {
    let Some(list) = value.as_array() else { return };
    if list
        .first()
        .and_then(|first| first.get(0))
        .is_some_and(Value::is_number)
    {
        let mut points = Vec::new();
        positions(value, &mut points);
        all.push(points);
    } else {
        list.iter().for_each(|inner| rings(inner, all));
    }
}

#[test]
fn cells_that_are_also_degrees_are_asked_for() {
    let place = Place::new();
    hill(&place, "etna", [15.0, 37.7]);
    let run = |vent: &str| place.run(&format!("run etna.asc --vent {vent} {RUN}"));
    let refused = run("15.002,37.702@5m3/s");
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("map:15.002,37.702")
            && said.contains("as cells and as longitude and latitude"),
        "{said}"
    );
    assert!(run("map:15.002,37.702@5m3/s").status.success());
    assert!(
        run("20,20@5m3/s").status.success(),
        "no longitude and latitude of this map"
    );
}

/// Writes a map of 20 × 20 cells of 10 map units with the south-west corner at (`west`, `south`)
/// and the value 1 in its west half.
fn half(place: &Place, name: &str, code: u32, [west, south]: [f64; 2]) {
    let row = "1 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0\n".repeat(20);
    place.write_file(
        &format!("{name}.asc"),
        format!("ncols 20\nnrows 20\nxllcorner {west}\nyllcorner {south}\ncellsize 10\n{row}"),
    );
    place.write_file(&format!("{name}.prj"), format!("EPSG:{code}"));
}

#[test]
fn areas_are_those_of_the_ground() {
    let place = Place::new();
    half(&place, "mercator", 3857, [-2_100_000.0, 9_358_000.0]);
    half(&place, "utm", 32627, [500_000.0, 7_100_000.0]);
    let area = |name: &str| {
        number(&place.json(&format!("compare {name}.asc {name}.asc --json"))["a"]["area_m2"])
    };
    assert_eq!(area("utm"), 20_000.0);
    let found = area("mercator") / 20_000.0;
    // The expected factor is the square of 0.4405, the scale of the projection at 64.0° N on the
    // ellipsoid.
    assert!((0.190..0.198).contains(&found), "{found}");
    let told = place.done("compare mercator.asc mercator.asc");
    assert!(told.contains("m on the ground"), "{told}");
    // A map of half a continent has no single scale.
    place.write_file(
        "wide.asc",
        text_of(&place, "mercator.asc").replace("cellsize 10", "cellsize 100000"),
    );
    place.write_file("wide.prj", "EPSG:3857");
    let refused = place.run("compare wide.asc wide.asc");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("scale varies by")
            && text(&refused.stderr).contains("gdalwarp")
    );
    let refused = place.run("run wide.asc --steps 1");
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(
        text(&refused.stderr).contains("more than 5 %"),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn a_scale_and_what_was_assumed_are_told() {
    let place = Place::new();
    let rows = "100 101 102 103\n".repeat(4);
    let head = |west: f64, south: f64| {
        format!("ncols 4\nnrows 4\nxllcorner {west}\nyllcorner {south}\ncellsize 10\n{rows}")
    };
    place.write_file("north.asc", head(-2_100_000.0, 9_358_000.0));
    place.write_file("north.prj", "EPSG:3857");
    let told = place.done("terrain north.asc");
    assert!(
        told.contains("scale       a metre of this map is 0.4391 × 0.4385 m")
            && told.contains("extent      17.6 m"),
        "{told}"
    );
    place.write_file("state.asc", head(6_000_000.0, 2_000_000.0));
    place.write_file("state.prj", "EPSG:2227");
    let told = place.run("run state.asc --steps 1 --json");
    assert!(
        text(&told.stderr).contains("warning: heights are taken for metres"),
        "{}",
        text(&told.stderr)
    );
    let report: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert!(
        report["warnings"][0]
            .as_str()
            .is_some_and(|line| line.contains("--height-unit")),
        "{report}"
    );
    let quiet = place.run("run state.asc --steps 1 --height-unit us-ft --json");
    assert!(
        !text(&quiet.stderr).contains("heights are taken"),
        "{}",
        text(&quiet.stderr)
    );
}

#[test]
fn a_small_model_of_the_laboratory_opens() {
    let place = Place::new();
    let height = |x: usize, z: usize| 0.05 - 0.001 * (x.abs_diff(15) + z.abs_diff(15)) as f64;
    let row = |z: usize| {
        (0..30)
            .map(|x| format!("{:.4}", height(x, z)))
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..30).map(row).collect();
    place.write_file(
        "model.asc",
        format!("ncols 30\nnrows 30\ncellsize 0.001\n{rows}"),
    );
    place.done(
        "run model.asc --lava paraffin-wax --vent summit@0.0000001m3/s --duration 1s --quiet",
    );
}

#[test]
fn lava_of_a_file_without_a_system_lies_on_the_map_of_the_terrain() {
    let place = Place::new();
    let raster = |value: &dyn Fn(usize, usize) -> f64| {
        let row = |z: usize| {
            (0..20)
                .map(|x| value(x, z).to_string())
                .collect::<Vec<_>>()
                .join(" ")
                + "\n"
        };
        format!(
            "ncols 20\nnrows 20\nxllcorner 500000\nyllcorner 4200000\ncellsize 10\n{}",
            (0..20).map(row).collect::<String>()
        )
    };
    place.write_file("land.asc", raster(&|x, z| 200.0 - z as f64 + x as f64));
    place.write_file("land.prj", "EPSG:32633");
    place.write_file(
        "lava.asc",
        raster(&|x, z| if x == 10 && z == 10 { 5.0 } else { 0.0 }),
    );
    let report = place
        .json("run land.asc --lava etna-basalt --start lava.asc --vent 50m,50m@0m3/s --duration 1min --json --quiet");
    assert!(
        (number(&report["flow"]["placed_m3"]) - 500.0).abs() < 1.0,
        "{}",
        report["flow"]["placed_m3"]
    );
    place.write_file("lava.prj", "EPSG:32632");
    let refused = place.run("run land.asc --lava etna-basalt --start lava.asc --duration 1min");
    assert!(
        text(&refused.stderr).contains("EPSG:32632"),
        "{}",
        text(&refused.stderr)
    );
}
