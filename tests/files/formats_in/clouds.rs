//! Tests of points of laser scans and of virtual rasters.

use super::*;
use las::point::Classification;
use las::{Builder, Point, Transform, Vector, Writer, point::Format};

/// Writes points (x, y, z, class) in steps of a millimetre.
fn write(path: &Path, points: &[([f64; 3], u8)]) {
    let mut builder = Builder::from((1, 4));
    builder.point_format = Format::new(6).unwrap();
    builder.point_format.is_compressed = path.extension().is_some_and(|ending| ending == "laz");
    let step = |offset| Transform {
        scale: 0.001,
        offset,
    };
    builder.transforms = Vector {
        x: step(500_000.0),
        y: step(4_000_000.0),
        z: step(0.0),
    };
    let mut writer = Writer::from_path(path, builder.into_header().unwrap()).unwrap();
    for ([x, y, z], class) in points {
        let point = Point {
            x: *x,
            y: *y,
            z: *z,
            classification: Classification::new(*class).unwrap(),
            gps_time: Some(0.0),
            ..Point::default()
        };
        writer.write_point(point).unwrap();
    }
    writer.close().unwrap();
}

/// A slope of ground with trees 8 m high, one place without ground, and a bird.
fn slope() -> Vec<([f64; 3], u8)> {
    let mut points = Vec::new();
    for i in 0..80 {
        for j in 0..60 {
            let [x, y] = [0.25 + 0.5 * f64::from(i), 0.25 + 0.5 * f64::from(j)];
            let ground = 100.0 + 0.5 * x;
            let place = |z| [500_000.0 + x, 4_000_000.0 + y, z];
            if !(20..24).contains(&i) || !(20..24).contains(&j) {
                points.push((place(ground), 2));
            }
            if (i + j) % 7 == 0 {
                points.push((place(ground + 8.0), 5));
            }
        }
    }
    points.push(([500_010.0, 4_000_010.0, 900.0], 7));
    points
}

#[test]
fn points_of_the_ground_become_means_of_cells() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["scan.las", "scan.laz"] {
        let path = folder.path().join(name);
        write(&path, &slope());
        let map = load(&path, &cells_of(2.0)).unwrap();
        assert_eq!(
            (map.heights.dim(), map.cell_size_m),
            ((15, 20), (2.0, 2.0)),
            "{name}"
        );
        for ((row, col), height) in map.heights.indexed_iter() {
            // Cells of 2 m hold 16 points around their middle.
            if (row, col) == (9, 5) {
                assert!(height.is_nan(), "{height}");
                continue;
            }
            let middle = 100.0 + 0.5 * (2.0 * col as f64 + 1.0);
            assert_near(f64::from(*height), middle, 2e-3, name);
        }
        let origin = map.origin.as_ref().unwrap();
        assert_eq!((origin.x_west, origin.y_north), (500_000.0, 4_000_030.0));
        let count = map.notes[0].replace(|c: char| !c.is_ascii_digit(), "");
        assert!(
            count.starts_with("4784") && map.notes[0].contains("points of the ground"),
            "{count}"
        );
        // Four points in a cell where no size is named.
        assert_near(plain(&path).unwrap().cell_size_m.0, 1.0, 0.02, name);
    }
    let whole: Vec<_> = slope()
        .into_iter()
        .map(|(place, class)| (place, if class == 2 { 1 } else { class }))
        .collect();
    let path = folder.path().join("unknown.las");
    write(&path, &whole);
    let map = load(&path, &cells_of(2.0)).unwrap();
    assert!(
        map.notes[0].contains("none of which is said to be ground"),
        "{:?}",
        map.notes
    );
    assert!(
        map.heights
            .iter()
            .all(|height| height.is_nan() || *height < 200.0)
    );
}

#[test]
fn damaged_points_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scan.laz");
    write(&path, &slope());
    let bytes = fs::read(&path).unwrap();
    for cut in [3, 100, 300, bytes.len() / 2] {
        fs::write(&path, &bytes[..cut]).unwrap();
        let message = plain(&path).unwrap_err().to_string();
        assert!(message.contains("scan.laz"), "{cut}: {message}");
    }
    write(&path, &[([500_000.0, 4_000_000.0, 5.0], 7)]);
    let message = plain(&path).unwrap_err().to_string();
    assert!(message.contains("points of the ground"), "{message}");
}

const VRT: &str = r#"<VRTDataset rasterXSize="5" rasterYSize="3">
  <GeoTransform> 1.0e+02, 1.0e+01, 0.0, 2.0e+02, 0.0, -1.0e+01</GeoTransform>
  <VRTRasterBand dataType="Float32" band="1">
    <NoDataValue>-1</NoDataValue>
    <SimpleSource>
      <SourceFilename relativeToVRT="1">a.asc</SourceFilename>
      <SourceBand>1</SourceBand>
      <SrcRect xOff="0" yOff="0" xSize="3" ySize="3" />
      <DstRect xOff="0" yOff="0" xSize="3" ySize="3" />
    </SimpleSource>
    <ComplexSource>
      <SourceFilename relativeToVRT="1">b &amp; c.asc</SourceFilename>
      <SourceBand>1</SourceBand>
      <SrcRect xOff="1" yOff="0" xSize="2" ySize="2" />
      <DstRect xOff="2" yOff="1" xSize="2" ySize="2" />
      <NODATA>-1</NODATA>
    </ComplexSource>
  </VRTRasterBand>
</VRTDataset>"#;

#[test]
fn a_virtual_raster_places_parts_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let asc = |cells: &str| {
        format!("ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -1\n{cells}")
    };
    put("a.asc", &asc("1 2 3\n4 5 6\n7 8 9"));
    put("b & c.asc", &asc("20 21 22\n23 -1 25\n26 27 28"));
    put("map.vrt", VRT);
    let map = plain(&folder.path().join("map.vrt")).unwrap();
    let no = f32::NAN;
    let expected = ndarray::array![
        [1.0, 2.0, 3.0, no, no],
        [4.0, 5.0, 21.0, 22.0, no],
        // What the later source lacks stays that of the earlier one.
        [7.0, 8.0, 9.0, 25.0, no]
    ];
    assert_same(&map.heights, &expected, "map.vrt");
    let origin = map.origin.unwrap();
    assert_eq!(
        (origin.x_west, origin.y_north, map.cell_size_m),
        (100.0, 200.0, (10.0, 10.0))
    );
    for (from, to, words) in [
        (
            "xSize=\"2\" ySize=\"2\" />\n      <NODATA>",
            "xSize=\"4\" ySize=\"4\" />\n      <NODATA>",
            "b & c.asc",
        ),
        ("a.asc", "none.asc", "none.asc"),
        ("a.asc", "map.vrt", "another .vrt"),
        (
            "<NODATA>-1</NODATA>",
            "<ScaleRatio>2</ScaleRatio>",
            "ScaleRatio",
        ),
        ("</SimpleSource>", "", "map.vrt"),
        ("1.0e+01, 0.0, 2.0e+02", "1.0e+01, 0.5, 2.0e+02", "gdalwarp"),
    ] {
        put("map.vrt", &VRT.replace(from, to));
        let message = plain(&folder.path().join("map.vrt"))
            .unwrap_err()
            .to_string();
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn a_virtual_raster_of_gdal_is_read_as_gdal_reads_it() {
    if !there("gdalbuildvrt") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    for (name, west, add) in [("a.asc", 0, 0.0), ("b.asc", 30, 50.0)] {
        let cells: Vec<String> = (0..20).map(|k| (f64::from(k) + add).to_string()).collect();
        let text = format!(
            "ncols 5\nnrows 4\nxllcorner {west}\nyllcorner 0\ncellsize 10\n{}",
            cells.join(" ")
        );
        fs::write(path(name), text).unwrap();
    }
    run(
        "gdalbuildvrt",
        &["-q", &path("map.vrt"), &path("a.asc"), &path("b.asc")],
    );
    run(
        "gdal_translate",
        &["-q", &path("map.vrt"), &path("map.tif")],
    );
    let [virtually, truly] =
        ["map.vrt", "map.tif"].map(|name| plain(Path::new(&path(name))).unwrap());
    assert_same(&virtually.heights, &truly.heights, "map.vrt");
}
