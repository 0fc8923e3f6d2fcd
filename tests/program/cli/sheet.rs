//! Tests of map sheets: pages of known sizes, equal bytes in each run, projects that QGIS opens,
//! and wrong inputs.

use std::process::Command;

use super::place::{Place, text};
use crate::needs;

const UTM: &str = r#"PROJCS["WGS 84 / UTM zone 33N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",15],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1],AUTHORITY["EPSG","32633"]]"#;

/// Returns an ASCII grid of `cols` × `rows` cells of 10 m with its lower left corner at (500000,
/// 4170000); `value` gives the text for each column and row.
fn grid((cols, rows): (usize, usize), value: impl Fn(usize, usize) -> String) -> String {
    let head = format!(
        "ncols {cols}\nnrows {rows}\nxllcorner 500000\nyllcorner 4170000\ncellsize 10\nNODATA_value -9999\n"
    );
    let line = |row| {
        (0..cols)
            .map(|col| value(col, row))
            .collect::<Vec<_>>()
            .join(" ")
    };
    head + &(0..rows).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// Creates a folder with a slope and a thickness map of a part of the slope, in UTM coordinates.
fn place() -> Place {
    let place = Place::new();
    let thickness = |col: usize, row: usize| match (col, row) {
        (10..20, 5..25) => format!("{}", 0.5 + 0.1 * row as f64),
        _ => "-9999".to_owned(),
    };
    for name in ["thickness", "slope"] {
        place.write_file(&format!("{name}.prj"), UTM);
    }
    place.write_file("thickness.asc", grid((40, 30), thickness));
    place.write_file(
        "slope.asc",
        grid((60, 50), |_, row| (300 - 3 * row).to_string()),
    );
    place
}

/// Creates a folder with a hazard map of a few runs, including exposure.
fn study() -> Place {
    let place = Place::new();
    place.write_file(
        "slope.asc",
        grid((24, 24), |_, row| (200 - 2 * row).to_string()),
    );
    place.write_file("slope.prj", UTM);
    place.write_file(
        "road.geojson",
        r#"{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}}, "features": [
            {"type": "Feature", "properties": {"name": "Road & bridge"},
             "geometry": {"type": "LineString", "coordinates": [[500020, 4170180], [500220, 4170180]]}},
            {"type": "Feature", "properties": {"name": "House"}, "geometry": {"type": "Point", "coordinates": [500010, 4170010]}}]}"#,
    );
    let laws = "--rates 5 --volumes 1500 --runs 4 --duration 2h --seed 7 --before 1h";
    place.done(&format!(
        "hazard slope.asc --vent map:500120,4170200 {laws} --exposure road.geojson --out maps -q"
    ));
    place
}

/// Returns width and height of a PNG in pixels.
fn size(png: &[u8]) -> [u32; 2] {
    [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()))
}

/// Returns the text of a PDF; `None` if no program that reads PDFs is installed.
fn words(place: &Place, name: &str) -> Option<String> {
    needs::program("pdftotext", "poppler-utils").then(|| {
        let out = Command::new("pdftotext")
            .arg("-layout")
            .arg(place.path(name))
            .arg("-")
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    })
}

#[test]
fn pages_have_the_size_of_their_paper_and_the_same_bytes_each_time() {
    let place = place();
    let sheet = "sheet thickness.asc --ground slope.asc --date 2026-01-02 --author Observatory";
    place.done(&format!("{sheet} --out a.pdf --out a.png --landscape"));
    place.done(&format!("{sheet} --out b.pdf --out b.png --landscape"));
    assert!(
        place.read("a.pdf") == place.read("b.pdf") && place.read("a.png") == place.read("b.png")
    );
    assert_eq!(size(&place.read("a.png")), [3508, 2480]);
    place.done(&format!(
        "{sheet} --out tall.png --out tall.pdf --portrait --paper a3"
    ));
    assert_eq!(size(&place.read("tall.png")), [3508, 4961]);
    assert!(place.read("a.pdf").starts_with(b"%PDF-1."));
    for (name, box_) in [
        ("a.pdf", "841.8898 595.27"),
        ("tall.pdf", "841.8898 1190.5"),
    ] {
        let found = String::from_utf8_lossy(&place.read(name)).into_owned();
        let found = found
            .split("/MediaBox [")
            .nth(1)
            .unwrap()
            .split(']')
            .next()
            .unwrap();
        assert!(found.starts_with(&format!("0 0 {box_}")), "{name}: {found}");
    }
    if let Some(words) = words(&place, "a.pdf") {
        for part in [
            "Thickness of lava",
            "UNVERIFIED",
            "Scale 1 : ",
            "EPSG:32633",
            "2.5 – 3 m",
            "Observatory, 2026-01-02",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
    }
    place.done("sheet thickness.asc --out plain.pdf --stamp none --date none");
    if let Some(words) = words(&place, "plain.pdf") {
        assert!(
            !words.contains("UNVERIFIED") && words.contains("no heightmap was named"),
            "{words}"
        );
    }
}

#[test]
fn a_folder_becomes_a_sheet_a_project_and_a_report() {
    let place = study();
    place.done("sheet maps --ground slope.asc --hours 30min --out s.pdf --qgis p/maps.qgs --report r.md --date none");
    if let Some(words) = words(&place, "s.pdf") {
        for part in [
            "Conditional on an eruption",
            "Standard error",
            "Road & bridge",
            "1 not reached",
            "4 runs",
            "quantile 0.9",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
    }
    let report = text(&place.read("r.md"));
    for part in [
        "# Probability of inundation by lava, Slope",
        "- **Caution:** 4 runs are few",
        "| Road & bridge | 100 % |",
        "exactly",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    for figure in ["probability", "arrival_q50", "thickness_q50"] {
        assert!(
            report.contains(&format!("(r_{figure}.png)"))
                && place.read(&format!("r_{figure}.png")).len() > 1000
        );
    }
    let project = text(&place.read("p/maps.qgs"));
    assert!(
        project.contains("\"../maps/probability.tif\"") && project.contains("EPSG:32633"),
        "{project}"
    );
    assert!(
        !project.contains(place.0.path().to_str().unwrap()),
        "paths are relative"
    );
    place.done("sheet maps --layer arrival_q50 --report r.html --qgis maps.qgz --stamp none");
    let page = text(&place.read("r.html"));
    assert!(
        page.contains("data:image/png;base64,iVBOR")
            && page.contains("Road &amp; bridge")
            && !page.contains("UNVERIFIED")
    );
    for project in ["p/maps.qgs", "maps.qgz"] {
        opens_in_qgis(&place, project);
    }
}

/// Checks with QGIS, where it is installed, that every layer of a project is valid.
fn opens_in_qgis(place: &Place, project: &str) {
    let Some(python) = needs::python("qgis.core", "python3-qgis") else {
        return;
    };
    let script = "import sys\nfrom qgis.core import QgsApplication, QgsProject\napp = QgsApplication([], False)\napp.initQgis()\n\
                  project = QgsProject.instance()\nprint('read', project.read(sys.argv[1]), project.crs().authid())\n\
                  for layer in project.layerTreeRoot().layerOrder(): print(layer.isValid(), layer.crs().authid(), layer.name())\n\
                  app.exitQgis()\n";
    let out = Command::new(python)
        .args(["-c", script])
        .arg(place.path(project))
        .env("QT_QPA_PLATFORM", "offscreen")
        .env("HOME", place.0.path())
        .output()
        .unwrap();
    let (found, log) = (text(&out.stdout), text(&out.stderr));
    assert!(
        found.starts_with("read True EPSG:32633\n"),
        "{found}\n{log}"
    );
    let is_right = |line: &str| {
        line.starts_with("True EPSG:32633 ") || line == "True EPSG:4326 Contours of probability"
    };
    assert!(found.lines().skip(1).all(is_right), "{found}\n{log}");
    for name in [
        "Probability of inundation by lava",
        "Contours of probability",
        "road: lines",
        "road: points",
    ] {
        assert!(found.contains(name), "{name}: {found}\n{log}");
    }
}

#[test]
fn wrong_inputs_are_named() {
    let place = place();
    place.write_file("bare.asc", grid((40, 30), |_, row| row.to_string()));
    place.write_file(
        "far.asc",
        grid((4, 4), |_, _| "1".to_owned()).replace("500000", "900000"),
    );
    place.write_file("far.prj", UTM);
    place.write_file("other.asc", grid((40, 30), |_, row| row.to_string()));
    place.write_file(
        "other.prj",
        UTM.replace("33N", "34N")
            .replace("\",15]", "\",21]")
            .replace("32633", "32634"),
    );
    place.write_file("table.csv", "name,beds\nA,3\n");
    place.write_file("here.pdf", "mine");
    place.write_file(
        "degrees.geojson",
        r#"{"type": "Point", "crs": {"type": "name", "properties": {"name": "EPSG:3857"}}, "coordinates": [1, 2]}"#,
    );
    std::fs::create_dir(place.path("empty")).unwrap();
    for (args, part) in [
        (
            "sheet nowhere --out s.pdf",
            "cannot read nowhere: no such file",
        ),
        ("sheet empty --out s.pdf", "empty: holds no map (.tif)"),
        (
            "sheet thickness.asc --layer x --out s.pdf",
            "--layer x: thickness.asc is a file",
        ),
        (
            "sheet thickness.prj --out s.pdf",
            "maps of a sheet end in .tif or .asc",
        ),
        (
            "sheet thickness.asc --out s.svg",
            "s.svg: sheets end in .pdf or .png",
        ),
        (
            "sheet thickness.asc --qgis s.xml",
            "s.xml: projects of QGIS end in .qgs or .qgz",
        ),
        (
            "sheet thickness.asc --report s.doc",
            "s.doc: reports end in .md or .html",
        ),
        (
            "sheet thickness.asc --ground other.asc --out s.pdf",
            "other.asc: is in EPSG:32634, the map in EPSG:32633",
        ),
        (
            "sheet thickness.asc --ground far.asc --out s.pdf",
            "far.asc: lies beside the map",
        ),
        (
            "sheet thickness.asc --overlay degrees.geojson --out s.pdf",
            "degrees.geojson is in EPSG:3857",
        ),
        (
            "sheet thickness.asc --table table.csv --out s.pdf",
            "has no column of probability",
        ),
        (
            "sheet thickness.asc --hours 6h --out s.pdf",
            "--hours: thickness.asc has no quantiles of arrival",
        ),
        (
            "sheet thickness.asc --out here.pdf",
            "here.pdf exists already: choose another name, or pass --force",
        ),
    ] {
        let error = place.refused_with(2, args);
        assert!(error.contains(part), "{args}: {error}");
    }
    let error = place.refused_with(1, "sheet thickness.asc --out here.pdf/s.pdf");
    assert!(error.contains("here.pdf"), "{error}");
    let error = text(&place.run("sheet thickness.asc").stderr);
    assert!(error.contains("--out"), "{error}");
    // A map without coordinates is drawn, with a note.
    place.done("sheet bare.asc --report bare.md --date none");
    assert!(text(&place.read("bare.md")).contains("The coordinate system of the map is not known"));
}
