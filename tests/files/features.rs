//! Tests of layers of points, lines and polygons, which exposure and barriers read and assign to
//! the columns of a box.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common::{Dice, cases, tiled};
use lavoxel::exposure::Assets;
use lavoxel::scene::Scene;
use serde_json::{Value, json};

const COLUMNS: usize = 40;
const ROWS: usize = 30;

/// Returns a scene of a plain of 40 × 30 columns of 10 m, with the barriers of the file
/// `layer.geojson` in `folder`.
fn plain(folder: &Path) -> Scene {
    let text = format!(
        "[grid]\nsize = [{COLUMNS}, 20, {ROWS}]\ncell_size_m = 10\n[terrain]\nkind = \"plane\"\nbase_cells = 4\n\
         [[barrier]]\nfile = \"layer.geojson\"\nheight_m = 10\n"
    );
    Scene::parse(&text, &folder.join("scene.toml")).unwrap()
}

fn layer(geometries: &[Value]) -> String {
    let feature =
        |geometry: &Value| json!({ "type": "Feature", "properties": {}, "geometry": geometry });
    let features: Vec<Value> = geometries.iter().map(feature).collect();
    json!({ "type": "FeatureCollection", "crs": null, "features": features }).to_string()
}

/// Returns the length in metres of the part of a segment that lies inside a column of 10 m, by
/// clipping with the column's four sides.
fn length_in(column: usize, [a, b]: [[f64; 2]; 2]) -> f64 {
    let low = [
        10.0 * (column % COLUMNS) as f64,
        10.0 * (ROWS - 1 - column / COLUMNS) as f64,
    ];
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let step = b[k] - a[k];
        let ends = [(low[k] - a[k]) / step, (low[k] + 10.0 - a[k]) / step];
        (from, to) = (from.max(ends[0].min(ends[1])), to.min(ends[0].max(ends[1])));
    }
    (to - from).max(0.0) * (b[0] - a[0]).hypot(b[1] - a[1])
}

#[test]
fn lines_have_every_column_that_they_cross_as_barriers_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(9);
    let mut place = || [0.0, 0.0].map(|_| dice.below(6_000_000) as f64 / 1e4 - 100.0);
    let lines: Vec<[[f64; 2]; 2]> = (0..cases(300)).map(|_| [place(), place()]).collect();
    let path = folder.path().join("layer.geojson");
    fs::write(
        &path,
        layer(
            &lines
                .iter()
                .map(|line| json!({ "type": "LineString", "coordinates": line }))
                .collect::<Vec<_>>(),
        ),
    )
    .unwrap();
    let scene = plain(folder.path());
    let site = scene.build(tiled()).unwrap().site;
    let (assets, barriers) = (
        Assets::read(&path, &site).unwrap(),
        scene.barriers(&site).unwrap(),
    );
    let mut crossed = 0;
    for ((asset, barrier), line) in assets.list().iter().zip(&barriers).zip(&lines) {
        assert_eq!(asset.columns, barrier.columns, "{line:?}");
        for column in 0..COLUMNS * ROWS {
            let (length, found) = (
                length_in(column, *line),
                asset.columns.binary_search(&(column as u32)).is_ok(),
            );
            assert!(
                found || length < 1e-6,
                "{line:?} is {length} m long in column {column}"
            );
            crossed += usize::from(length > 1e-6);
        }
    }
    assert!(crossed > 20 * lines.len(), "{crossed} columns");
}

/// Checks that an unusable feature does not affect the others; each unusable feature is counted, or
/// named with its error.
#[test]
fn a_layer_is_read_whatever_else_lies_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer.geojson");
    let road = r#"{"type": "Feature", "properties": {"name": "road", "weight": "40 t"},
        "geometry": {"type": "LineString", "coordinates": [[5, 105], [395, 105]]}}"#;
    let empty = r#"{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": []}}"#;
    let far = r#"{"type": "Feature", "properties": {"name": "far"}, "geometry": {"type": "Point", "coordinates": [1e9, 5]}}"#;
    let all = |features: &str| {
        format!(r#"{{"type": "FeatureCollection", "crs": null, "features": [{features}]}}"#)
    };
    fs::write(
        &path,
        format!(
            "\u{feff}{}",
            all(&[empty, far, road, r#"{"geometry": null}"#].join(", "))
        ),
    )
    .unwrap();
    let scene = Scene::parse(
        "[grid]\nsize = [40, 20, 30]\ncell_size_m = 10\n",
        &folder.path().join("a.toml"),
    )
    .unwrap();
    let site = scene.build(tiled()).unwrap().site;
    let assets = Assets::read(&path, &site).unwrap();
    let about: Vec<_> = assets
        .list()
        .iter()
        .map(|asset| (asset.name.as_str(), asset.columns.len(), asset.cut))
        .collect();
    assert_eq!(about, [("far", 0, true), ("road", 40, false)]);
    assert_eq!(assets.without_geometry(), 2);

    let wrong = r#"{"type": "Feature", "properties": {"name": "bridge"}, "geometry": {"type": "LineString", "coordinates": [[5, 105]]}}"#;
    fs::write(&path, all(&[road, wrong].join(", "))).unwrap();
    let fault = Assets::read(&path, &site).unwrap_err();
    assert!(
        fault.ends_with("has a line that is not two points or more, in feature 2 \"bridge\""),
        "{fault}"
    );
}

/// Checks degrees on a map in metres: a point on the other side of the earth has no coordinates
/// there and counts as outside.
#[test]
fn a_feature_far_from_a_map_in_metres_lies_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer.geojson");
    let point = |x: f64, y: f64| json!({ "type": "Point", "coordinates": [x, y] });
    let geometries = [point(15.001, 37.752), point(-165.0, -37.7)];
    fs::write(&path, layer(&geometries).replace("\"crs\":null,", "")).unwrap();
    let utm = "PROJCS[\"WGS 84 / UTM zone 33N\",AUTHORITY[\"EPSG\",\"32633\"]]";
    fs::write(folder.path().join("map.prj"), utm).unwrap();
    let head = "ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 4178200\ncellsize 10\n";
    fs::write(
        folder.path().join("map.asc"),
        head.to_owned() + &("100 ".repeat(40) + "\n").repeat(30),
    )
    .unwrap();
    let text = "[grid]\nsize = [40, 20, 30]\n[terrain]\nkind = \"heightmap\"\nfile = \"map.asc\"\n";
    let site = Scene::parse(text, &folder.path().join("a.toml"))
        .unwrap()
        .build(tiled())
        .unwrap()
        .site;
    let assets = Assets::read(&path, &site).unwrap();
    let about: Vec<_> = assets
        .list()
        .iter()
        .map(|asset| (asset.columns.len(), asset.cut))
        .collect();
    assert_eq!(about, [(1, false), (0, true)]);
}

#[test]
fn a_barrier_outside_of_the_box_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let line = |x: f64| json!({ "type": "LineString", "coordinates": [[x, 5], [x, 295]] });
    let path = folder.path().join("layer.geojson");
    fs::write(&path, layer(&[line(4000.0), line(-50.0)])).unwrap();
    let scene = plain(folder.path());
    let error = scene.build(tiled()).map(drop).unwrap_err().to_string();
    assert!(
        error.contains("has no line in the box: are longitude and latitude swapped"),
        "{error}"
    );
    fs::write(&path, layer(&[line(4000.0), line(50.0)])).unwrap();
    let stage = scene.build(tiled()).unwrap();
    let lines = scene.summary(&stage.site, &stage.simulation);
    assert!(
        lines.contains(&"barriers    1 of 2 lie outside of the box: barrier 1".to_owned()),
        "{lines:?}"
    );
    let text = "[grid]\nsize = [40, 20, 30]\ncell_size_m = 10\n[[barrier]]\nline_m = [[500, 5], [600, 5]]\nheight_m = 10\n";
    let error = Scene::parse(text, Path::new("a.toml"))
        .unwrap()
        .build(tiled())
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("barrier[0].line_m") && error.contains("a line that comes into the box"),
        "{error}"
    );
}
