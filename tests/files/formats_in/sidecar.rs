//! Tests of sidecar files of rasters, markers of no data, units, rotated rasters, and maps whose
//! unit is not a metre on the ground; all files are written byte by byte.

use super::tiff::Tiff;
use super::*;

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

fn write_file(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns a TIFF of floats without coordinates, coordinate system or marker of no data.
fn bare(size: [u16; 2], heights: &[f32]) -> Vec<u8> {
    Tiff::new(
        size,
        [32, 3],
        heights.iter().flat_map(|h| h.to_le_bytes()).collect(),
        false,
    )
    .bytes()
}

const WORLD: &str = "10\n0\n0\n-20\n500005\n4199990\n";

fn xml(inside: &str) -> String {
    format!("<PAMDataset>{inside}</PAMDataset>")
}

#[test]
fn a_world_file_and_a_projection_place_a_tiff() {
    let folder = folder();
    let path = write_file(&folder, "land.tif", bare([2, 2], &[1.0, 2.0, 3.0, 4.0]));
    assert_refused(&path, &LoadOptions::default(), &["cell size"]);
    write_file(&folder, "land.tfw", WORLD);
    write_file(&folder, "land.prj", "EPSG:32633\n");
    let map = plain(&path).unwrap();
    assert_eq!(map.cell_size_m, (10.0, 20.0));
    let origin = map.origin.unwrap();
    assert_eq!(
        (origin.x_west, origin.y_north, origin.crs.epsg()),
        (500_000.0, 4_200_000.0, Some(32633))
    );
    // Pictures have world files too.
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 2, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[1, 2, 3, 4])
        .unwrap();
    let picture = write_file(&folder, "photo.png", &png);
    write_file(&folder, "photo.PGW", WORLD);
    let map = plain(&picture).unwrap();
    assert_eq!(
        (map.cell_size_m, map.origin.map(|origin| origin.y_north)),
        ((10.0, 20.0), Some(4_200_000.0))
    );

    // The file's own coordinates take precedence; a world file that differs is named.
    let own = write_file(
        &folder,
        "own.tif",
        Tiff::on_map(&[(1024, 1), (3072, 32633)], [4e5, 4e6, 5.0]).bytes(),
    );
    assert_eq!(plain(&own).unwrap().notes, Vec::<String>::new());
    write_file(&folder, "own.tfw", WORLD);
    let map = plain(&own).unwrap();
    assert_eq!(map.cell_size_m, (5.0, 5.0));
    assert!(
        map.notes[0].contains("own.tfw is not used"),
        "{:?}",
        map.notes
    );
    write_file(&folder, "own.tfw", "5\n0\n0\n-5\n400002.5\n3999997.5\n");
    assert!(plain(&own).unwrap().notes.is_empty());

    write_file(&folder, "land.tfw", "10\n0\n0\n");
    let message = plain(&path).unwrap_err().to_string();
    assert!(
        message.contains("land.tfw, line 3") && message.contains("six in all"),
        "{message}"
    );
}

#[test]
fn facts_of_gdals_sidecar_files_are_read() {
    let folder = folder();
    let path = write_file(
        &folder,
        "land.tif",
        bare([2, 2], &[10.0, -9999.0, 30.0, 40.0]),
    );
    let text = xml(
        "<SRS>EPSG:32633</SRS><GeoTransform>500000, 10, 0, 4200000, 0, -20</GeoTransform>\
                    <PAMRasterBand band=\"1\"><NoDataValue>-9.999E+03</NoDataValue><Offset>100</Offset><Scale>0.5</Scale>\
                    <UnitType>US Survey Feet</UnitType></PAMRasterBand>",
    );
    write_file(&folder, "land.tif.aux.xml", &text);
    let map = plain(&path).unwrap();
    let foot = 1200.0 / 3937.0;
    assert!(map.heights[[0, 1]].is_nan() && map.no_data() == 1);
    assert_near(
        f64::from(map.heights[[1, 1]]),
        (40.0 * 0.5 + 100.0) * foot,
        1e-5,
        "scale, offset and feet",
    );
    assert_eq!(
        (
            map.cell_size_m,
            map.origin.and_then(|origin| origin.crs.epsg())
        ),
        ((10.0, 20.0), Some(32633))
    );
    // The sidecar takes precedence over the file's tags, as in GDAL.
    let mut tagged = Tiff::on_map(&[(1024, 1), (3072, 32633)], [4e5, 4e6, 5.0]);
    tagged.text(42113, b"2\0");
    let tagged = write_file(&folder, "tagged.tif", tagged.bytes());
    assert_eq!(
        plain(&tagged)
            .unwrap()
            .heights
            .iter()
            .position(|h| h.is_nan()),
        Some(2)
    );
    write_file(
        &folder,
        "tagged.tif.aux.xml",
        xml("<PAMRasterBand band=\"1\"><NoDataValue>3</NoDataValue></PAMRasterBand>"),
    );
    assert_eq!(
        plain(&tagged)
            .unwrap()
            .heights
            .iter()
            .position(|h| h.is_nan()),
        Some(3)
    );

    write_file(
        &folder,
        "land.tif.aux.xml",
        text.replace("0.5</Scale>", "half</Scale>"),
    );
    let message = plain(&path).unwrap_err().to_string();
    assert!(
        message.contains("land.tif.aux.xml") && message.contains("(Scale)"),
        "{message}"
    );

    // ASCII grids have such sidecar files too.
    let grid = write_file(
        &folder,
        "grid.asc",
        "ncols 2\nnrows 1\ncellsize 10\nxllcorner 0\nyllcorner 0\n5 7\n",
    );
    write_file(
        &folder,
        "grid.asc.aux.xml",
        xml(
            "<SRS>EPSG:32633</SRS><PAMRasterBand band=\"1\"><NoDataValue>7</NoDataValue></PAMRasterBand>",
        ),
    );
    let map = plain(&grid).unwrap();
    assert!(map.heights[[0, 1]].is_nan() && map.origin.unwrap().crs.epsg() == Some(32633));
}

#[test]
fn a_mask_of_its_own_file_hides_cells() {
    let folder = folder();
    let path = write_file(&folder, "land.tif", bare([2, 2], &[1.0, 2.0, 3.0, 4.0]));
    let mask = |size: [u16; 2]| Tiff::new(size, [8, 1], vec![255, 0, 255, 255], false).bytes();
    write_file(&folder, "land.tif.msk", mask([2, 2]));
    let map = load(&path, &cells_of(1.0)).unwrap();
    assert_eq!(
        map.heights.iter().map(|h| h.is_nan()).collect::<Vec<_>>(),
        [false, true, false, false]
    );
    write_file(&folder, "land.tif.msk", mask([4, 1]));
    let message = load(&path, &cells_of(1.0)).unwrap_err().to_string();
    assert!(
        message.contains("land.tif.msk") && message.contains("2 columns × 2 rows"),
        "{message}"
    );
}

#[test]
fn control_points_are_no_grid() {
    let folder = folder();
    let mut tiff = Tiff::on_map(&[(1024, 1), (3072, 32633)], [4e5, 4e6, 5.0]);
    tiff.without(33550);
    tiff.doubles(
        33922,
        &[
            0.0,
            0.0,
            0.0,
            4e5,
            4e6,
            0.0,
            2.0,
            0.0,
            0.0,
            400_010.0,
            4e6,
            0.0,
            0.0,
            2.0,
            0.0,
            4e5,
            3_999_990.0,
            0.0,
        ],
    );
    let path = write_file(&folder, "points.tif", tiff.bytes());
    assert_refused(
        &path,
        &LoadOptions::default(),
        &["3 control points", "gdalwarp -tps"],
    );
    assert_eq!(load(&path, &cells_of(7.0)).unwrap().cell_size_m, (7.0, 7.0));
    let path = write_file(&folder, "land.tif", bare([2, 2], &[1.0; 4]));
    write_file(
        &folder,
        "land.tif.aux.xml",
        xml("<GCPList Projection=\"EPSG:32633\"><GCP Id=\"1\"/><GCP Id=\"2\"/></GCPList>"),
    );
    assert_refused(&path, &LoadOptions::default(), &["2 control points"]);
}

/// Returns 3 × 3 heights, of which the last two equal `mark`.
fn marked(mark: f32) -> Vec<f32> {
    vec![812.5, 820.0, 835.0, 841.0, 850.25, 862.0, 871.0, mark, mark]
}

#[test]
fn marks_for_no_data_that_nothing_names_are_no_ground() {
    let folder = folder();
    for mark in [-9999.0f32, -32768.0, -32767.0, -99_999.0, 65_535.0] {
        let path = write_file(&folder, "land.tif", bare([3, 3], &marked(mark)));
        let flag = format!("--no-data {mark}");
        assert_refused(
            &path,
            &cells_of(10.0),
            &["2 of 9 heights are", "column 1, row 2", &flag],
        );
        let options = LoadOptions {
            no_data: Some(f64::from(mark)),
            ..cells_of(10.0)
        };
        assert_eq!(load(&path, &options).unwrap().no_data(), 2);
        // Tables and arrays have no tag for no data.
        let rows: Vec<String> = marked(mark)
            .chunks(3)
            .map(|row| row.iter().map(f32::to_string).collect::<Vec<_>>().join(","))
            .collect();
        assert_refused(
            &write_file(&folder, "land.csv", rows.join("\n")),
            &cells_of(10.0),
            &["2 of 9 heights are", &flag],
        );
        let raw: Vec<u8> = marked(mark).iter().flat_map(|h| h.to_le_bytes()).collect();
        assert_refused(
            &write_file(&folder, "land.r32", raw),
            &cells_of(10.0),
            &["2 of 9 heights are", &flag],
        );
    }
    // One file is in feet, and the numbers of another are tenths.
    let mut feet = Tiff::on_map(&[(1024, 1), (3072, 2263), (4099, 9003)], [9e5, 2e5, 10.0]);
    feet.pixels(
        [5000.0f32, -9999.0, 5100.0, 5200.0]
            .iter()
            .flat_map(|h| h.to_le_bytes())
            .collect(),
    );
    assert_refused(
        &write_file(&folder, "feet.tif", feet.bytes()),
        &LoadOptions::default(),
        &["1 of 4 heights are -9999"],
    );
    // The sea bed has heights close to −9999, so the value is no marker; a plain that contains only
    // the value −9999 stays a plain.
    let trench = bare(
        [3, 3],
        &[
            -9999.0, -9990.0, -9000.0, -8600.0, -8200.0, -8000.0, -7600.0, -7200.0, -7000.0,
        ],
    );
    assert!(load(&write_file(&folder, "trench.tif", trench), &cells_of(10.0)).is_ok());
    let path = write_file(&folder, "far.tif", bare([2, 1], &[812.5, 1e20]));
    assert_refused(&path, &cells_of(10.0), &["within ±100 km", "--no-data"]);
}

#[test]
fn zeros_from_a_corner_of_high_land_are_told() {
    let folder = folder();
    let told = |heights: &[f32]| {
        load(
            &write_file(&folder, "land.tif", bare([3, 3], heights)),
            &cells_of(10.0),
        )
        .unwrap()
        .notes
    };
    let notes = told(&[0.0, 0.0, 835.0, 841.0, 850.0, 862.0, 871.0, 900.0, 901.0]);
    assert!(
        notes[0].starts_with("2 heights are exactly 0")
            && notes[0].contains("below 835 m")
            && notes[0].contains("--no-data 0")
    );
    // A coast has low land next to 0, a 0 in the interior is no missing corner, and a plain with a
    // mountain is mostly 0.
    assert!(told(&[0.0, 0.0, 3.0, 41.0, 50.0, 62.0, 71.0, 90.0, 91.0]).is_empty());
    assert!(told(&[835.0, 836.0, 837.0, 838.0, 0.0, 840.0, 841.0, 842.0, 843.0]).is_empty());
    assert!(told(&[0.0, 0.0, 0.0, 0.0, 850.0, 0.0, 0.0, 0.0, 0.0]).is_empty());
}

#[test]
fn the_unit_of_heights_can_be_said() {
    let folder = folder();
    let feet = 1200.0 / 3937.0;
    let path = write_file(
        &folder,
        "state.tif",
        Tiff::on_map(&[(1024, 1), (3072, 2227)], [6e6, 2e6, 10.0]).bytes(),
    );
    let map = plain(&path).unwrap();
    assert_near(map.cell_size_m.0, 10.0 * feet, 1e-12, "horizontal feet");
    assert!(
        map.heights[[1, 1]] == 3.0
            && map.notes.len() == 1
            && map.notes[0].contains("--height-unit us-ft"),
        "{:?}",
        map.notes
    );
    let said = |unit: &str| LoadOptions {
        height_unit: Some(unit.parse().unwrap()),
        ..LoadOptions::default()
    };
    let map = load(&path, &said("us-ft")).unwrap();
    assert_near(
        f64::from(map.heights[[1, 1]]),
        3.0 * feet,
        1e-7,
        "vertical feet",
    );
    assert!(map.notes.is_empty() && load(&path, &said("m")).unwrap().notes.is_empty());

    let unit = |name: &str| {
        let mut tiff = Tiff::on_map(&[(1024, 1), (3072, 32633)], [4e5, 4e6, 5.0]);
        let text = format!(
            "<GDALMetadata><Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">{name}</Item></GDALMetadata>\0"
        );
        tiff.text(42112, text.as_bytes());
        write_file(&folder, "unit.tif", tiff.bytes())
    };
    assert_eq!(plain(&unit("m a.s.l.")).unwrap().heights[[1, 1]], 3.0);
    assert_near(
        f64::from(plain(&unit("US Survey Feet")).unwrap().heights[[1, 1]]),
        3.0 * feet,
        1e-7,
        "feet by name",
    );
    assert_refused(
        &unit("furlong"),
        &LoadOptions::default(),
        &["metres or feet", "--height-unit", "furlong"],
    );
    assert_eq!(
        load(&unit("furlong"), &said("m")).unwrap().heights[[1, 1]],
        3.0
    );
    let grid = write_file(
        &folder,
        "grid.asc",
        "ncols 2\nnrows 1\ncellsize 10\n100 200\n",
    );
    assert_near(
        f64::from(load(&grid, &said("ft")).unwrap().heights[[0, 1]]),
        60.96,
        1e-5,
        "feet of a grid",
    );
}

#[test]
fn grids_of_text_have_many_spellings() {
    let folder = folder();
    let head = "# made by hand\nNCOLS 3 # columns\nNROWS 2\nCELLSIZE 1.0D+01\nNODATA -1\n";
    let text = format!("{head}1.5D+02 -1 1.#QNAN\n# between\n-1.#IND00 none 7\n\x1a");
    let map = plain(&write_file(&folder, "a.asc", text)).unwrap();
    let n = f32::NAN;
    assert_same(
        &map.heights,
        &ndarray::arr2(&[[150.0, n, n], [n, n, 7.0]]),
        "spellings",
    );
    assert_eq!(map.cell_size_m, (10.0, 10.0));
    assert_refused(
        &write_file(&folder, "b.asc", "ncols 1\nnrows 1\ncellsize 1\nx7\n"),
        &LoadOptions::default(),
        &["line 4"],
    );
}

#[test]
fn what_is_packed_or_of_another_kind_is_told_how_to_mend() {
    let folder = folder();
    for (name, words) in [
        ("land.tif.gz", "gunzip land.tif.gz"),
        ("land.zip", "unzip land.zip"),
        ("land.jp2", "gdal_translate land.jp2 land.tif"),
    ] {
        assert_refused(
            &write_file(&folder, name, "text"),
            &LoadOptions::default(),
            &["not a known heightmap format", words],
        );
    }
    let complex = Tiff::new([1, 1], [64, 6], vec![0; 8], false).bytes();
    assert_refused(
        &write_file(&folder, "c.tif", complex),
        &cells_of(1.0),
        &["complex numbers", "DERIVED_SUBDATASET:AMPLITUDE:c.tif"],
    );
    let degrees = "ncols 2\nnrows 2\nxllcorner 15\nyllcorner 37.7\ncellsize 0.000277778\n1200 1210\n1300 1290\n";
    let path = write_file(&folder, "degrees.asc", degrees);
    assert_refused(
        &path,
        &LoadOptions::default(),
        &["a coordinate system", "--crs EPSG:4326"],
    );
    let options = LoadOptions {
        crs: Some("EPSG:4326".parse().unwrap()),
        ..LoadOptions::default()
    };
    assert_near(
        load(&path, &options).unwrap().cell_size_m.1,
        30.83,
        0.01,
        "a second of arc",
    );
}

#[test]
fn a_turned_raster_is_cut_to_its_own_ground() {
    let folder = folder();
    let (sin, cos) = 20f64.to_radians().sin_cos();
    let turned = |degrees: bool| {
        let heights: Vec<u8> = (0..400)
            .flat_map(|i| (100.0 + i as f32).to_le_bytes())
            .collect();
        let mut tiff = Tiff::new([20, 20], [32, 3], heights, false);
        let (sin, cos) = if degrees { (sin, cos) } else { (0.0, 1.0) };
        #[rustfmt::skip]
        tiff.doubles(34264, &[
            10.0 * cos, 10.0 * sin, 0.0, 500_000.0,
            10.0 * sin, -10.0 * cos, 0.0, 4_200_000.0,
            0.0, 0.0, 0.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
        ]);
        tiff.keys(&[[1024, 0, 1, 1], [3072, 0, 1, 32633]]);
        write_file(&folder, "turned.tif", tiff.bytes())
    };
    let map = plain(&turned(true)).unwrap();
    let (rows, cols) = map.heights.dim();
    assert!(
        map.no_data() == 0 && rows * cols > 150 && rows < 20,
        "{rows} × {cols}"
    );
    assert!(
        map.notes[0].contains("lies turned on its map")
            && map.notes[0].contains(&format!("{cols} × {rows}")),
        "{:?}",
        map.notes
    );
    // Other quantities than heights keep the whole raster, with no data outside.
    let all = load(
        &turned(true),
        &LoadOptions {
            any_unit: true,
            ..LoadOptions::default()
        },
    )
    .unwrap();
    assert!(all.no_data() > 100 && all.notes.is_empty());
    assert!(plain(&turned(false)).unwrap().notes.is_empty());
}

#[test]
fn metres_of_a_map_are_those_of_the_ground() {
    let folder = folder();
    let read = |code: u16, place: [f64; 3]| {
        plain(&write_file(
            &folder,
            "a.tif",
            Tiff::on_map(&[(1024, 1), (3072, code)], place).bytes(),
        ))
        .unwrap()
    };
    // Web Mercator at 64° N, where its cells of 10 m are 4.4 m wide.
    let map = read(3857, [-2_100_000.0, 9_358_000.0, 10.0]);
    assert_near(map.cell_size_m.0, 4.40, 0.02, "10 m of Web Mercator at 64°");
    let statistics = map.statistics();
    assert_eq!(
        statistics.metres_per_unit.map(|scale| scale.0),
        Some(map.cell_size_m.0 / 10.0)
    );
    assert!(statistics.scale_varies.is_some_and(|share| share < 1e-4));
    let origin = map.origin.clone().unwrap();
    assert!(
        origin
            .scale_in_words()
            .is_some_and(|words| words.contains("0.4391 × 0.4385 m on the ground"))
    );
    // A surveyor's map keeps its own metres exactly.
    let map = read(32633, [499_000.0, 4_179_000.0, 10.0]);
    assert_eq!(
        (map.cell_size_m, map.origin.unwrap().scale_in_words()),
        ((10.0, 10.0), None)
    );
    // The cell size of a part of a map in degrees is that at the part's own middle.
    let mut tall = Tiff::new([1, 100], [32, 3], [0u8; 400].to_vec(), false);
    tall.doubles(33550, &[0.1, 0.1, 0.0]);
    tall.doubles(33922, &[0.0, 0.0, 0.0, 15.0, 60.0, 0.0]);
    tall.keys(&[[1024, 0, 1, 2], [2048, 0, 1, 4326]]);
    let map = plain(&write_file(&folder, "tall.tif", tall.bytes())).unwrap();
    let north = map
        .crop(lavoxel::terrain::Crop {
            west: 0,
            north: 0,
            cols: 1,
            rows: 2,
        })
        .unwrap();
    let east = |latitude: f64| 0.1 * lavoxel::map::crs::metres_per_degree(latitude).0;
    assert_near(map.cell_size_m.0, east(55.0), 1e-6, "the whole map");
    assert_near(north.cell_size_m.0, east(59.9), 1e-6, "its north");
    assert!(
        map.statistics()
            .scale_varies
            .is_some_and(|share| share > 0.1)
    );
}

#[test]
fn bounds_may_be_written_on_either_side_of_the_date_line() {
    let folder = folder();
    let mut tiff = Tiff::new([10, 2], [32, 3], [0u8; 80].to_vec(), false);
    tiff.doubles(33550, &[0.1, 0.1, 0.0]);
    tiff.doubles(33922, &[0.0, 0.0, 0.0, 179.5, -16.0, 0.0]);
    tiff.keys(&[[1024, 0, 1, 2], [2048, 0, 1, 4326]]);
    let map = plain(&write_file(&folder, "fiji.tif", tiff.bytes())).unwrap();
    for [west, east] in [[179.8, 180.2], [179.8, -179.8], [-180.2, -179.8]] {
        let part = map.crop_to([west, -16.2, east, -16.0].into()).unwrap();
        assert_eq!(part.heights.dim(), (2, 4), "{west} to {east}");
        assert_near(part.origin.unwrap().x_west, 179.8, 1e-9, "its west");
    }
    assert!(map.crop_to([10.0, -16.2, 10.4, -16.0].into()).is_err());
}
