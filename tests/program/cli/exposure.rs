//! Tests of exposure: buildings, roads and areas that lava reaches, in one run and in many,
//! compared with GDAL's counts on the maps.

use serde_json::Value;

use super::place::{Place, text};
use crate::needs;

/// Returns the heightmap of a slope of 24 × 24 cells of 10 m that falls to the south, with a hollow
/// along the middle, as an ASCII grid.
fn slope() -> String {
    let height = |x: usize, z: usize| 250 - 4 * z + x.abs_diff(12);
    let row = |z: usize| {
        (0..24)
            .map(|x| height(x, z).to_string())
            .collect::<Vec<_>>()
            .join(" ")
            + "\n"
    };
    let rows: String = (0..24).map(row).collect();
    format!("ncols 24\nnrows 24\nxllcorner 1000\nyllcorner 5000\ncellsize 10\n{rows}")
}

const TOWN: &str = r#"{"type": "FeatureCollection", "crs": null, "features": [
    {"type": "Feature", "properties": {"name": "field", "owner": "A, B"},
     "geometry": {"type": "Polygon", "coordinates": [[[1090, 5060], [1160, 5060], [1160, 5140], [1090, 5140], [1090, 5060]]]}},
    {"type": "Feature", "properties": {"name": "far barn"}, "geometry": {"type": "Point", "coordinates": [1005, 5005]}},
    {"type": "Feature", "properties": {"name": "road"},
     "geometry": {"type": "LineString", "coordinates": [[1005, 5105], [1235, 5105]]}}]}"#;

fn place() -> Place {
    let place = Place::new();
    place.write_file("slope.asc", slope());
    place.write_file("town.geojson", TOWN);
    place
}

const RUN: &str = "slope.asc --lava etna-basalt --vent 125m,35m@6m3/s";

/// Python program that counts, with GDAL, the cells of a run's rasters inside the polygon of its
/// exposure layer.
const COUNT: &str = "\
import json
from osgeo import gdal, ogr
gdal.UseExceptions(); ogr.UseExceptions()
layers = ogr.Open('town_out.geojson')
layer = layers.GetLayer(0)
assert layer.GetFeatureCount() == 3
rasters = {name: gdal.Open(name + '.tif') for name in ('thick', 'arrival')}
place = rasters['thick'].GetGeoTransform()
mask = gdal.GetDriverByName('MEM').Create('', 24, 24, 1, gdal.GDT_Byte)
mask.SetGeoTransform(place)
field = next(f for f in layer if f.GetField('name') == 'field')
memory = ogr.GetDriverByName('Memory').CreateDataSource('')
one = memory.CreateLayer('one')
feature = ogr.Feature(one.GetLayerDefn()); feature.SetGeometry(field.geometry().Clone()); one.CreateFeature(feature)
gdal.RasterizeLayer(mask, [1], one, burn_values=[1])
def cells(raster):
    import struct
    return struct.unpack('576f', raster.GetRasterBand(1).ReadRaster(buf_type=gdal.GDT_Float32))
inside = [i for i, b in enumerate(mask.GetRasterBand(1).ReadRaster()) if b]
thick = [cells(rasters['thick'])[i] for i in inside]
reached = [i for i in inside if cells(rasters['thick'])[i] > 0.05]
first = min(cells(rasters['arrival'])[i] for i in reached)
print(json.dumps({
    'columns': len(inside), 'reached': len(reached), 'thickest': max(thick), 'first': first,
    'of_field': {key: field.GetField(key) for key in ('columns', 'share_reached', 'thickness_max_m', 'arrival_h', 'owner')}}))
";

fn python(place: &Place, with: &str, program: &str) -> Value {
    let run = std::process::Command::new(with)
        .current_dir(place.0.path())
        .args(["-c", program])
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}{}",
        text(&run.stdout),
        text(&run.stderr)
    );
    serde_json::from_slice(&run.stdout).unwrap()
}

#[test]
fn exposure_of_a_run_is_what_gdal_counts_on_its_maps() {
    let place = place();
    let maps = "--map max-thickness=thick.tif --map arrival=arrival.tif";
    let out = place.run(&format!(
        "run {RUN} --duration 40min {maps} --exposure town.geojson=town.csv --exposure town.geojson=town_out.geojson"
    ));
    let said = text(&out.stderr);
    assert!(said.contains("town.csv: 2 of 3 reached; first "), "{said}");
    let table = text(&place.read("town.csv"));
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(
        rows[0][..6],
        ["feature", "name", "kind", "columns", "in_box", "reached"]
    );
    assert_eq!(
        rows[0][6..],
        [
            "share_reached",
            "arrival_h",
            "thickness_max_m",
            "temperature_max_k"
        ]
    );
    assert_eq!(rows[1][..6], ["1", "field", "area", "56", "yes", "yes"]);
    assert_eq!(
        rows[2],
        [
            "2", "far barn", "point", "1", "yes", "no", "0.0", "", "", ""
        ]
    );
    assert_eq!(rows[3][..6], ["3", "road", "line", "24", "yes", "yes"]);
    let kelvin: f64 = rows[1][9].parse().unwrap();
    assert!((800.0..1400.0).contains(&kelvin), "{table}");
    let Some(with) = needs::python("osgeo.ogr", "python3-gdal") else {
        return;
    };
    let counted = python(&place, with, COUNT);
    let number = |name: &str| counted.pointer(name).and_then(Value::as_f64).unwrap();
    assert_eq!(number("/columns"), number("/of_field/columns"));
    assert!(
        number("/reached") > 5.0 && number("/reached") < number("/columns"),
        "{counted}"
    );
    assert!(
        (number("/reached") / number("/columns") - number("/of_field/share_reached")).abs() < 1e-4,
        "{counted}"
    );
    assert!(
        (number("/thickest") - number("/of_field/thickness_max_m")).abs() < 0.002,
        "{counted}"
    );
    assert!(
        (number("/first") - number("/of_field/arrival_h")).abs() < 1e-3,
        "{counted}"
    );
    assert_eq!(
        counted.pointer("/of_field/owner").and_then(Value::as_str),
        Some("A, B")
    );
}

#[test]
fn exposure_goes_on_from_a_checkpoint() {
    let place = place();
    let asked = "--exposure town.geojson=";
    place.done(&format!("run {RUN} --steps 90 {asked}whole.csv"));
    place.done(&format!(
        "run {RUN} --steps 40 {asked}half.csv --checkpoint run.lvx"
    ));
    place.done(&format!("resume run.lvx --steps 90 {asked}both.csv"));
    assert_eq!(place.read("whole.csv"), place.read("both.csv"));
    assert_ne!(place.read("whole.csv"), place.read("half.csv"));
    place.done(&format!("run {RUN} --steps 5 --checkpoint bare.lvx"));
    let refused = place.refused_with(2, &format!("resume bare.lvx --steps 9 {asked}none.csv"));
    assert!(
        refused.contains("no records of its 5 steps, which --exposure needs"),
        "{refused}"
    );
}

/// Compares the probability map at the point and in the columns of the polygon with the table.
#[test]
fn exposure_of_many_runs_is_that_of_their_maps() {
    let place = place();
    let vents =
        r#"{"type": "LineString", "crs": null, "coordinates": [[1040, 5200], [1200, 5200]]}"#;
    place.write_file("vents.geojson", vents);
    let points: Vec<String> = (0..24)
        .map(|x| {
            format!(
                r#"{{"type": "Feature", "geometry": {{"type": "Point", "coordinates": [{}, 5105]}}}}"#,
                1005 + 10 * x
            )
        })
        .collect();
    place.write_file(
        "points.geojson",
        format!(
            r#"{{"type": "FeatureCollection", "crs": null, "features": [{}]}}"#,
            points.join(",")
        ),
    );
    let asked = "--exposure town.geojson --exposure points.geojson --before 10min,1h";
    let out = place.done(&format!(
        "hazard slope.asc --vent-area vents.geojson --rates power-law:2,8,1.5 --volumes 4000 --duration 2h --runs 12 {asked} --out maps"
    ));
    assert!(
        out.contains("exposure    town: 2 of 3 reached by any run; most often road: 1.00"),
        "{out}"
    );
    let rows = |name: &str| -> Vec<Vec<String>> {
        let table = text(&place.read(&format!("maps/exposure_{name}.csv")));
        table
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect()
    };
    let town = rows("town");
    assert_eq!(
        town[0][5..8],
        ["probability", "arrival_first_h", "arrival_median_h"]
    );
    assert_eq!(
        town[0][8..],
        [
            "arrival_last_h",
            "thickness_median_m",
            "thickness_max_m",
            "probability_10min",
            "probability_1h"
        ]
    );
    let number = |text: &String| text.parse::<f64>().unwrap();
    let road: Vec<f64> = town[3][5..].iter().map(number).collect();
    assert!(
        road[1] <= road[2] && road[2] <= road[3] && road[4] <= road[5],
        "{road:?}"
    );
    assert!(road[6] <= road[7] && road[7] <= road[0], "{road:?}");
    let Some(with) = needs::python("osgeo.gdal", "python3-gdal") else {
        return;
    };
    let maps = python(
        &place,
        with,
        "import json, struct\nfrom osgeo import gdal\ngdal.UseExceptions()\n\
         names = ('probability', 'probability_10min', 'probability_1h')\n\
         all = [gdal.Open('maps/' + name + '.tif') for name in names]\n\
         row = lambda map: struct.unpack('24f', map.GetRasterBand(1).ReadRaster(0, 13, 24, 1, buf_type=gdal.GDT_Float32))\n\
         print(json.dumps([row(map) for map in all]))",
    );
    let points = rows("points");
    for (map, field) in [(0, 5), (1, 11), (2, 12)] {
        let of_map: Vec<f64> = maps[map]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| value.as_f64().unwrap())
            .collect();
        let of_table: Vec<f64> = points[1..].iter().map(|row| number(&row[field])).collect();
        let same = of_map
            .iter()
            .zip(&of_table)
            .all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(
            same && of_map.len() == 24,
            "{field}: {of_map:?} {of_table:?}"
        );
    }
    assert!(
        maps[0]
            .as_array()
            .unwrap()
            .iter()
            .filter(|value| value.as_f64() > Some(0.0))
            .count()
            > 5
    );
}

#[test]
fn what_exposure_cannot_be_of_is_refused() {
    let place = place();
    let refused = |args: &str, part: &str| {
        let said = place.refused_with(2, args);
        assert!(said.contains(part), "{said}");
    };
    refused(
        "run small.toml --exposure town.geojson=a.csv",
        "need the physical model",
    );
    refused(
        &format!("run {RUN} --exposure town.geojson"),
        "must be MAP=FILE",
    );
    refused(
        &format!("run {RUN} --exposure town.geojson=a.shp"),
        "must end in .csv or .geojson",
    );
    refused(
        &format!("run {RUN} --exposure none.geojson=a.csv"),
        "none.geojson",
    );
    refused(
        &format!("run {RUN} --exposure town.geojson=a.csv --map thickness=a.csv"),
        "",
    );
    place.write_file("far.geojson", TOWN.replace(", 5", ", 95"));
    refused(
        &format!("run {RUN} --exposure far.geojson=a.csv"),
        "has no feature in the box",
    );
    place.write_file("degrees.geojson", TOWN.replace("\"crs\": null, ", ""));
    refused(
        &format!("run {RUN} --exposure degrees.geojson=a.csv"),
        "\"crs\": null in the file",
    );
}

/// Checks that the layer gives the same table as a GeoPackage made by GDAL, and that unsupported
/// formats are named.
#[test]
fn a_geopackage_is_read_as_its_geojson_and_other_formats_are_named() {
    let place = place();
    place.write_file("town.shp", "no matter what");
    for (args, fault) in [
        (
            "--exposure town.shp=out.csv",
            "town.shp: is neither GeoJSON nor a GeoPackage: bring it into one (ogr2ogr town.geojson town.shp)",
        ),
        ("--barrier town.shp", "bring it into one (ogr2ogr"),
    ] {
        let error = text(
            &place
                .run(&format!("run {RUN} {args} --duration 1min"))
                .stderr,
        );
        assert!(error.contains(fault), "{args}: {error}");
    }
    let error = place.refused("compare slope.asc town.shp");
    assert!(
        error.contains("town.shp: is neither GeoJSON nor a GeoPackage"),
        "{error}"
    );
    place.write_file("town.gpkg", "no database, of some length");
    let error = text(
        &place
            .run(&format!(
                "run {RUN} --exposure town.gpkg=out.csv --duration 1min"
            ))
            .stderr,
    );
    assert!(
        error.contains("town.gpkg is no GeoPackage that can be read"),
        "{error}"
    );
    if !needs::program("ogr2ogr", "gdal-bin") {
        return;
    }
    std::fs::remove_file(place.path("town.gpkg")).unwrap();
    let args = [place.path("town.gpkg"), place.path("town.geojson")];
    // GDAL takes GeoJSON without a coordinate system for longitude and latitude.
    let made = std::process::Command::new("ogr2ogr")
        .args(["-a_srs", "none"])
        .args(args)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    for map in ["town.geojson", "town.gpkg"] {
        place.done(&format!(
            "run {RUN} --duration 10min --exposure {map}={map}.csv"
        ));
    }
    assert_eq!(
        text(&place.read("town.gpkg.csv")),
        text(&place.read("town.geojson.csv"))
    );
    // Maps written by the program itself.
    place.done(&format!(
        "run {RUN} --duration 10min --map footprint=a.gpkg --map footprint=a.geojson"
    ));
    let agreement = place.json("compare a.gpkg a.geojson --json");
    assert_eq!(agreement["jaccard"], 1.0, "{agreement}");
}
