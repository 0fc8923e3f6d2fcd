//! Tests that files made by GDAL give the same heights, bit for bit, at the same coordinates.

use geotiff_reader::geokeys::GeoKeyValue;
use geotiff_writer::GeoTiffBuilder;
use lavoxel::map::GeoKey;

use super::*;

const COLS: usize = 37;
const ROWS: usize = 23;
const WEST: f64 = 500_000.5;
const NORTH: f64 = 5_100_460.0;
const CELL: (f64, f64) = (10.0, 20.0);

/// Folder with a raster, and methods to convert that raster by GDAL.
struct Bench {
    folder: TempDir,
    heights: Array2<f32>,
}

impl Bench {
    /// Creates the folder and its raster; `None` if GDAL is missing.
    fn new(heights: Array2<f32>) -> Option<Self> {
        if !there("gdal_translate") {
            return None;
        }
        let bench = Self {
            folder: TempDir::new().unwrap(),
            heights,
        };
        let (rows, cols) = bench.heights.dim();
        let mut text = format!(
            "ncols {cols}\nnrows {rows}\nxllcorner {WEST}\nyllcorner {}\ndx {}\ndy {}\nNODATA_value -9999\n",
            NORTH - rows as f64 * CELL.1,
            CELL.0,
            CELL.1
        );
        for row in bench.heights.rows() {
            let row: Vec<String> = row
                .iter()
                .map(|h| {
                    if h.is_nan() {
                        "-9999".to_owned()
                    } else {
                        format!("{h:?}")
                    }
                })
                .collect();
            text += &(row.join(" ") + "\n");
        }
        fs::write(bench.file("source.asc"), text).unwrap();
        Some(bench)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Converts the raster by `gdal_translate` with `options` to the file `to`.
    fn translate(&self, options: &str, to: &str) -> PathBuf {
        self.translate_from("source.asc", options, to)
    }

    fn translate_from(&self, from: &str, options: &str, to: &str) -> PathBuf {
        let (from, path) = (self.file(from), self.file(to));
        let mut args: Vec<&str> = vec!["-q"];
        args.extend(options.split_whitespace());
        args.extend([from.to_str().unwrap(), path.to_str().unwrap()]);
        run("gdal_translate", &args);
        path
    }

    /// Returns the path of a copy of the raster with the geotransform `transform`.
    fn turned(&self, transform: &str, to: &str) -> PathBuf {
        self.translate("-of VRT", "turned.vrt");
        let vrt = fs::read_to_string(self.file("turned.vrt")).unwrap();
        let (before, rest) = vrt.split_once("<GeoTransform>").unwrap();
        let after = rest.split_once("</GeoTransform>").unwrap().1;
        let vrt = format!("{before}<GeoTransform>{transform}</GeoTransform>{after}");
        fs::write(self.file("turned.vrt"), vrt).unwrap();
        self.translate_from("turned.vrt", "", to)
    }
}

/// Returns x and y of the north-west corner and the width and height of a cell as gdalinfo prints
/// them.
fn info(path: &Path) -> [f64; 4] {
    let text = run("gdalinfo", &[path.to_str().unwrap()]);
    let pair = |key: &str| {
        let inside = text
            .split_once(key)
            .unwrap()
            .1
            .split_once('(')
            .unwrap()
            .1
            .split_once(')')
            .unwrap()
            .0;
        let (x, y) = inside.split_once(',').unwrap();
        (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap())
    };
    let ((west, north), (dx, dy)) = (pair("Origin ="), pair("Pixel Size ="));
    [west, north, dx, -dy]
}

/// Returns x and y of the north-west corner and the width and height of a cell of a heightmap, in
/// the order of [`info`].
fn place(map: &Heightmap) -> [f64; 4] {
    let origin = map.origin.as_ref().unwrap();
    let (x, y) = origin.metres_per_unit;
    [
        origin.x_west,
        origin.y_north,
        map.cell_size_m.0 / x,
        map.cell_size_m.1 / y,
    ]
}

fn assert_placed(map: &Heightmap, path: &Path) {
    for (found, expected) in place(map).into_iter().zip(info(path)) {
        assert_near(
            found,
            expected,
            1e-9 * expected.abs(),
            &path.display().to_string(),
        );
    }
}

fn whole() -> Array2<f32> {
    Array2::from_shape_fn((ROWS, COLS), |(r, c)| ((r * COLS + c) % 200 + 1) as f32)
}

fn fractions() -> Array2<f32> {
    Array2::from_shape_fn((ROWS, COLS), |(r, c)| {
        1000.0 + (r as f32 * 1.37 - c as f32 * 0.61).sin() * 250.0
    })
}

#[test]
fn geotiffs_of_every_type_and_packing() {
    let (Some(bench), Some(smooth)) = (Bench::new(whole()), Bench::new(fractions())) else {
        return;
    };
    let known = run("gdalinfo", &["--format", "GTiff"]);
    let tiles = "-co TILED=YES -co BLOCKXSIZE=16 -co BLOCKYSIZE=16";
    let mut layouts = vec![
        "-co BLOCKYSIZE=5".to_owned(),
        tiles.to_owned(),
        format!("{tiles} -co COMPRESS=LZW -co PREDICTOR=2"),
        "-co COMPRESS=DEFLATE -co PREDICTOR=2 -co ENDIANNESS=BIG".to_owned(),
        "-co COMPRESS=PACKBITS -co BLOCKYSIZE=23 -co BIGTIFF=YES".to_owned(),
        format!("{tiles} -co COMPRESS=LZW -co ENDIANNESS=BIG"),
    ];
    for (packing, more) in [("ZSTD", "-co PREDICTOR=2"), ("LERC", "")] {
        if known.contains(packing) {
            layouts.push(format!("{tiles} -co COMPRESS={packing} {more}"));
        }
    }
    for kind in [
        "Byte", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64",
    ] {
        let bench = if kind.starts_with('F') {
            &smooth
        } else {
            &bench
        };
        for layout in &layouts {
            // Predictor 3 is for floating point; in big-endian files GDAL cannot read its own
            // output with predictor 3.
            let third = kind.starts_with('F') && !layout.contains("BIG");
            let layout = if third {
                layout.replace("PREDICTOR=2", "PREDICTOR=3")
            } else {
                layout.clone()
            };
            let path = bench.translate(&format!("-ot {kind} -a_srs EPSG:26710 {layout}"), "a.tif");
            let map = plain(&path).unwrap();
            assert_same(&map.heights, &bench.heights, &format!("{kind} {layout}"));
            // One query per type only, because GDAL is slow to start.
            if layout.contains("PACKBITS") {
                assert_placed(&map, &path);
            }
            let origin = map.origin.unwrap();
            assert_eq!(
                (origin.x_west, origin.y_north, map.cell_size_m),
                (WEST, NORTH, CELL)
            );
            assert_eq!(
                (origin.crs.epsg(), origin.metres_per_unit),
                (Some(26710), (1.0, 1.0))
            );
        }
    }
}

#[test]
fn no_data_is_never_a_height() {
    let mut heights = whole();
    heights.slice_mut(s![3..9, 5..30]).fill(f32::NAN);
    let Some(bench) = Bench::new(heights) else {
        return;
    };
    for options in [
        "-ot Float32",
        "-ot Int16",
        "-ot Float64 -co COMPRESS=DEFLATE",
    ] {
        let map = plain(&bench.translate(options, "a.tif")).unwrap();
        assert_same(&map.heights, &bench.heights, options);
    }
    // Markers of no data: the largest float as programs print it, and NaN itself.
    for sign in ["-3.4028234663852886e+38", "nan"] {
        let (from, path) = (bench.file("source.asc"), bench.file("warped.tif"));
        let args = [
            "-q",
            "-overwrite",
            "-tr",
            "10",
            "20",
            "-ot",
            "Float32",
            "-dstnodata",
            sign,
        ];
        run(
            "gdalwarp",
            &[&args[..], &[from.to_str().unwrap(), path.to_str().unwrap()]].concat(),
        );
        assert_same(&plain(&path).unwrap().heights, &bench.heights, sign);
    }
    // No data by a mask in the file, and by an alpha band.
    let path = bench.translate(
        "-ot Byte -mask mask --config GDAL_TIFF_INTERNAL_MASK YES -a_nodata none",
        "m.tif",
    );
    assert_same(&plain(&path).unwrap().heights, &bench.heights, "mask");
    let (from, path) = (bench.file("source.asc"), bench.file("alpha.tif"));
    let args = [
        "-q",
        "-tr",
        "10",
        "20",
        "-ot",
        "Float32",
        "-dstalpha",
        from.to_str().unwrap(),
        path.to_str().unwrap(),
    ];
    run("gdalwarp", &args);
    assert_same(&plain(&path).unwrap().heights, &bench.heights, "alpha");
    // A picture in which one grey level is transparent.
    let path = bench.translate("-ot UInt16 -a_nodata 5 -of PNG", "a.png");
    let options = LoadOptions {
        no_data: Some(0.0),
        ..cells_of(10.0)
    };
    let expected = bench.heights.mapv(|h| if h == 5.0 { f32::NAN } else { h });
    assert_same(&load(&path, &options).unwrap().heights, &expected, "PNG");
}

#[test]
fn blocks_left_out_have_no_data() {
    let mut heights = Array2::from_elem((64, 64), 7.0);
    heights.slice_mut(s![16..32, 0..64]).fill(0.0);
    heights.slice_mut(s![32..48, 16..32]).fill(0.0);
    let Some(bench) = Bench::new(heights) else {
        return;
    };
    let mut expected = bench.heights.clone();
    expected.slice_mut(s![16..32, 0..64]).fill(f32::NAN);
    for (layout, tiles) in [
        ("-co TILED=YES -co BLOCKXSIZE=16 -co BLOCKYSIZE=16", true),
        ("-co BLOCKYSIZE=16", false),
    ] {
        let options =
            format!("-a_nodata none -ot Float32 -co SPARSE_OK=TRUE {layout} -co COMPRESS=DEFLATE");
        let path = bench.translate(&options, "sparse.tif");
        let mut expected = expected.clone();
        if tiles {
            expected.slice_mut(s![32..48, 16..32]).fill(f32::NAN);
        }
        assert_same(&plain(&path).unwrap().heights, &expected, layout);
    }
    let path = bench.file("nothing.tif");
    let size = [
        "-q",
        "-outsize",
        "64",
        "64",
        "-ot",
        "Float32",
        "-co",
        "SPARSE_OK=TRUE",
    ];
    run(
        "gdal_create",
        &[
            &size[..],
            &["-a_ullr", "0", "640", "640", "0", path.to_str().unwrap()],
        ]
        .concat(),
    );
    assert_eq!(plain(&path).unwrap().no_data(), 64 * 64);
}

#[test]
fn places_are_those_of_gdalinfo() {
    let Some(bench) = Bench::new(fractions()) else {
        return;
    };
    let path = bench.translate("-mo AREA_OR_POINT=Point -a_srs EPSG:32610", "point.tif");
    assert_placed(&plain(&path).unwrap(), &path);
    assert_eq!(place(&plain(&path).unwrap()), [WEST, NORTH, CELL.0, CELL.1]);

    // In degrees, whose length along the longitude is shorter.
    let path = bench.translate(
        "-a_srs EPSG:4326 -a_ullr 138.7 35.4 139.07 35.285",
        "degrees.tif",
    );
    let map = plain(&path).unwrap();
    assert_placed(&map, &path);
    let origin = map.origin.as_ref().unwrap();
    assert_eq!(origin.crs.epsg(), Some(4326));
    assert_near(
        origin.metres_per_unit.0,
        90_906.0,
        2.0,
        "a degree of longitude",
    );
    assert_near(
        origin.metres_per_unit.1,
        110_947.0,
        2.0,
        "a degree of latitude",
    );
    let grid = bench.translate_from("degrees.tif", "-of AAIGrid", "degrees.asc");
    let from_text = plain(&grid).unwrap();
    assert_near(
        from_text.cell_size_m.0,
        map.cell_size_m.0,
        1e-6,
        "cells of a grid in degrees",
    );
    assert!(from_text.origin.unwrap().crs.is_geographic());

    // Feet on the map, and feet of height. The raster lies within the zone, where the zone's feet
    // are ground feet.
    let (east, south) = (980_000 + 10 * COLS, 210_000 - 20 * ROWS);
    let path = bench.translate(
        &format!("-a_srs EPSG:2263 -a_ullr 980000 210000 {east} {south}"),
        "feet.tif",
    );
    let map = plain(&path).unwrap();
    assert_placed(&map, &path);
    assert_near(
        map.cell_size_m.1,
        20.0 * 1200.0 / 3937.0,
        1e-9,
        "cells in feet",
    );
    let path = bench.translate("-a_srs EPSG:26910+6360", "up.tif");
    let map = plain(&path).unwrap();
    assert_near(
        f64::from(map.heights[[5, 7]]),
        f64::from(bench.heights[[5, 7]]) * 1200.0 / 3937.0,
        1e-3,
        "feet up",
    );
    assert_eq!(map.cell_size_m, CELL);

    let path = bench.translate("-a_scale 0.1 -a_offset 100", "scaled.tif");
    assert_near(
        f64::from(plain(&path).unwrap().heights[[5, 7]]),
        f64::from(bench.heights[[5, 7]]) * 0.1 + 100.0,
        1e-4,
        "scale",
    );
}

#[test]
fn turned_and_mirrored_rasters_come_north_up() {
    let Some(bench) = Bench::new(fractions()) else {
        return;
    };
    let map = plain(&bench.turned("500000, 10, 0, 5100000, 0, 20", "up.tif")).unwrap();
    let mut expected = bench.heights.clone();
    expected.invert_axis(Axis(0));
    assert_same(&map.heights, &expected, "rows that run north");
    assert_eq!(place(&map), [500_000.0, 5_100_460.0, 10.0, 20.0]);

    // Rotated by 30 degrees to the left, compared with gdalwarp with the same kernel on the same
    // raster.
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let transform = format!(
        "500000, {}, {}, 5100000, {}, {}",
        10.0 * cos,
        10.0 * sin,
        10.0 * sin,
        -10.0 * cos
    );
    let path = bench.turned(&transform, "turned.tif");
    let as_values = LoadOptions {
        any_unit: true,
        ..LoadOptions::default()
    };
    let map = load(&path, &as_values).unwrap();
    let [west, north, dx, dy] = place(&map);
    assert_near(dx, 10.0, 1e-9, "cells keep their size");
    let (east, south) = (
        west + dx * map.cols() as f64,
        north - dy * map.rows() as f64,
    );
    let bounds = [west, south, east, north].map(|v| v.to_string());
    let mut args = vec![
        "-q",
        "-r",
        "bilinear",
        "-et",
        "0",
        "-dstnodata",
        "nan",
        "-ts",
    ];
    let size = [map.cols().to_string(), map.rows().to_string()];
    args.extend(size.iter().map(String::as_str));
    args.push("-te");
    args.extend(bounds.iter().map(String::as_str));
    let warped = bench.file("warped.tif");
    args.extend([path.to_str().unwrap(), warped.to_str().unwrap()]);
    run("gdalwarp", &args);
    let warped = plain(&warped).unwrap();
    assert_eq!(warped.heights.dim(), map.heights.dim());
    let both = map
        .heights
        .iter()
        .zip(&warped.heights)
        .filter(|(a, b)| !a.is_nan() && !b.is_nan());
    // GDAL renormalizes its weights at the border of the raster, where our reader clamps to the
    // outer cell.
    let (mut same, mut all) = (0, 0);
    for (a, b) in both {
        (same, all) = (same + usize::from((a - b).abs() < 0.01), all + 1);
    }
    assert!(all > 700 && same * 100 > all * 85, "{same} of {all}");
    assert!(map.no_data() > 300);

    // For use as ground, the corners outside the raster are cropped, and a remark says so.
    let ground = plain(&path).unwrap();
    assert!(
        ground.no_data() == 0 && ground.heights.len() > map.heights.len() / 8,
        "{:?}",
        ground.heights.dim()
    );
    assert!(
        ground
            .notes
            .iter()
            .any(|note| note.contains("turned on its map") && note.contains("gdalwarp")),
        "{:?}",
        ground.notes
    );
}

#[test]
fn other_formats_of_gdal() {
    let Some(bench) = Bench::new(whole()) else {
        return;
    };
    // The USGS format has square cells with heights at points.
    let path = bench.translate("-of USGSDEM -a_srs EPSG:26710 -tr 10 10 -ot Int16", "a.dem");
    let map = plain(&path).unwrap();
    let back = bench.translate_from("a.dem", "-of AAIGrid -co FORCE_CELLSIZE=YES", "back.asc");
    let back = plain(&back).unwrap();
    let ([west, north, ..], [west_gdal, north_gdal, ..]) = (place(&map), place(&back));
    assert_eq!(
        (
            west,
            map.cell_size_m,
            map.origin.as_ref().unwrap().crs.epsg()
        ),
        (west_gdal, (10.0, 10.0), Some(26710))
    );
    // GDAL counts a row without heights.
    let from = ((north_gdal - north) / 10.0) as usize;
    let known = back
        .heights
        .slice(s![from..from + map.rows(), ..])
        .to_owned();
    assert_same(&map.heights, &known, "USGS elevation model");
    assert_eq!(
        back.no_data() - (back.rows() - map.rows()) * COLS,
        map.no_data()
    );

    // Raw binary numbers.
    for (kind, name) in [("Byte", "u8"), ("Int16", "i16"), ("Float64", "f64")] {
        let path = bench.translate(&format!("-of ENVI -ot {kind}"), "a.raw");
        let options = LoadOptions {
            raw_size: Some([COLS, ROWS]),
            raw_type: Some(name.parse().unwrap()),
            ..cells_of(10.0)
        };
        assert_same(
            &load(&path, &options).unwrap().heights,
            &bench.heights,
            name,
        );
    }
    let map = load(
        &bench.translate("-of PNG -ot UInt16", "a.png"),
        &cells_of(10.0),
    )
    .unwrap();
    assert_same(&map.heights, &bench.heights, "PNG");
    let path = bench.translate("-of PNG -ot Byte", "b.png");
    assert_same(
        &load(&path, &cells_of(10.0)).unwrap().heights,
        &bench.heights,
        "PNG of 8 bits",
    );
}

#[test]
fn a_tile_of_the_radar_mission() {
    let heights = Array2::from_shape_fn((1201, 1201), |(r, c)| (r + 2 * c) as f32 - 500.0);
    let Some(bench) = Bench::new(heights) else {
        return;
    };
    let half = 1.0 / 2400.0;
    let bounds = format!(
        "{} {} {} {}",
        138.0 - half,
        36.0 + half,
        139.0 + half,
        35.0 - half
    );
    bench.translate(
        &format!("-ot Int16 -a_srs EPSG:4326 -a_ullr {bounds}"),
        "tile.tif",
    );
    let path = bench.translate_from("tile.tif", "-of SRTMHGT", "N35E138.hgt");
    let map = plain(&path).unwrap();
    assert_same(&map.heights, &bench.heights, "hgt");
    assert_placed(&map, &path);
    // The same tile as a GeoTIFF.
    let tile = plain(&bench.file("tile.tif")).unwrap();
    assert_near(map.cell_size_m.0, tile.cell_size_m.0, 1e-6, "cells");
    assert_eq!(
        map.origin.unwrap().crs.epsg(),
        tile.origin.unwrap().crs.epsg()
    );
}

/// Checks that the sidecar of a grid written from a GeoTIFF means the same system to GDAL.
#[test]
fn the_system_goes_along_into_a_grid() {
    let Some(bench) = Bench::new(fractions()) else {
        return;
    };
    for code in ["4326", "32633", "32760", "26710", "25832"] {
        let bounds = if code == "4326" {
            "-a_ullr 10 50 10.37 49.77"
        } else {
            ""
        };
        let path = bench.translate(&format!("-a_srs EPSG:{code} {bounds}"), "a.tif");
        let map = plain(&path).unwrap();
        let out = bench.file("out.asc");
        write::heightmap(&map, &out, lavoxel::output::Existing::Replace).unwrap();
        let back = plain(&out).unwrap();
        assert_eq!(
            back.origin.as_ref().unwrap().crs.epsg(),
            Some(code.parse().unwrap())
        );
        assert_placed(&back, &path);
        let said = run(
            "gdalsrsinfo",
            &["-o", "epsg", out.with_extension("prj").to_str().unwrap()],
        );
        assert_eq!(said.trim(), format!("EPSG:{code}"));
    }
}

/// Checks that a system without an EPSG number, here a meridian between two zones, is written as
/// GeoTIFF keys, read by GDAL, and read back.
#[test]
fn a_system_without_a_number_reaches_gdal() {
    let Some(bench) = Bench::new(fractions()) else {
        return;
    };
    let path = bench.translate("-of AAIGrid", "a.asc");
    let degrees = "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],\
                   PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]";
    let wkt = format!(
        "PROJCS[\"between\",{degrees},PROJECTION[\"Transverse_Mercator\"],PARAMETER[\"False_Easting\",500000.0],\
         PARAMETER[\"False_Northing\",0.0],PARAMETER[\"Central_Meridian\",12.5],PARAMETER[\"Scale_Factor\",0.9996],\
         PARAMETER[\"Latitude_Of_Origin\",0.0],UNIT[\"Meter\",1.0]]"
    );
    fs::write(path.with_extension("prj"), &wkt).unwrap();
    let map = plain(&path).unwrap();
    let crs = map.origin.unwrap().crs;
    assert_eq!((crs.epsg(), crs.to_wkt().as_deref()), (None, Some(&*wkt)));

    let out = bench.file("out.tif");
    let mut builder = GeoTiffBuilder::new(COLS as u32, ROWS as u32)
        .pixel_scale(10.0, 20.0)
        .origin(WEST, NORTH);
    for (id, key) in crs.to_geo_keys() {
        builder = builder.geokey(
            id,
            match key {
                GeoKey::Short(number) => GeoKeyValue::Short(number),
                GeoKey::Doubles(numbers) => GeoKeyValue::Double(numbers),
                GeoKey::Text(text) => GeoKeyValue::Ascii(text),
            },
        );
    }
    builder.write_2d(&out, bench.heights.view()).unwrap();
    let back = plain(&out).unwrap();
    assert_eq!(back.origin.unwrap().crs.to_wkt(), Some(wkt));
    let said = run("gdalsrsinfo", &["-o", "proj4", out.to_str().unwrap()]);
    for word in ["+proj=tmerc", "+lon_0=12.5", "+k=0.9996", "+x_0=500000"] {
        assert!(said.contains(word), "{word} is not in {said}");
    }
}

#[test]
fn what_is_no_heights_is_refused() {
    let Some(bench) = Bench::new(whole()) else {
        return;
    };
    let none = LoadOptions::default();
    let colours = bench.translate("-ot Byte -b 1 -b 1 -b 1 -co PHOTOMETRIC=RGB", "rgb.tif");
    assert_refused(
        &colours,
        &none,
        &["one band of heights", "gdal_translate -b 1"],
    );
    let bands = bench.translate("-b 1 -b 1 -co PHOTOMETRIC=MINISBLACK", "bands.tif");
    assert_refused(&bands, &none, &["2 bands"]);
    let complex = bench.translate("-ot CFloat32", "complex.tif");
    assert_refused(&complex, &none, &[]);
    // A picture without coordinates needs a cell size, and accepts `black_m` and `white_m`.
    bench.translate("-of PNG -ot Byte", "a.png");
    let picture = bench.translate_from("a.png", "-co PROFILE=BASELINE", "bare.tif");
    fs::remove_file(bench.file("bare.tif.aux.xml")).ok();
    assert_refused(&picture, &none, &["cell size"]);
    let options = LoadOptions {
        black_m: Some(100.0),
        white_m: Some(355.0),
        ..cells_of(5.0)
    };
    assert_same(
        &load(&picture, &options).unwrap().heights,
        &bench.heights.mapv(|h| h + 100.0),
        "gray",
    );
}

#[test]
fn netcdf_of_every_kind_and_grids_of_gmt() {
    let (Some(bench), Some(smooth)) = (Bench::new(whole()), Bench::new(fractions())) else {
        return;
    };
    if !run("gdalinfo", &["--formats"]).contains("netCDF") {
        needs::skip("GDAL without netCDF");
        return;
    }
    let kinds = ["Byte", "Int16", "Int32", "Float32", "Float64"];
    for (format, packing) in [
        ("NC", ""),
        ("NC2", ""),
        ("NC4C", "-co COMPRESS=DEFLATE -co ZLEVEL=6"),
        ("NC4", "-co COMPRESS=DEFLATE -co CHUNKING=YES"),
    ] {
        for kind in kinds {
            let bench = if kind.starts_with('F') {
                &smooth
            } else {
                &bench
            };
            for (bottom_up, ending) in [("YES", "nc"), ("NO", "grd")] {
                let options = format!(
                    "-of netCDF -ot {kind} -a_srs EPSG:32633 -co FORMAT={format} {packing} -co WRITE_BOTTOMUP={bottom_up}"
                );
                let path = bench.translate(&options, &format!("a.{ending}"));
                let map = plain(&path).unwrap();
                assert_same(&map.heights, &bench.heights, &options);
                let origin = map.origin.as_ref().unwrap();
                assert_eq!(origin.crs.epsg(), Some(32633), "{options}");
                for (found, expected) in place(&map).into_iter().zip([WEST, NORTH, CELL.0, CELL.1])
                {
                    assert_near(found, expected, 1e-6, &options);
                }
            }
        }
    }
}

#[test]
fn netcdf_in_degrees_with_holes_and_packed_numbers() {
    let mut heights = whole();
    heights[[3, 4]] = f32::NAN;
    heights[[22, 36]] = f32::NAN;
    let Some(bench) = Bench::new(heights) else {
        return;
    };
    if !run("gdalinfo", &["--formats"]).contains("netCDF") {
        needs::skip("GDAL without netCDF");
        return;
    }
    // Packed: what is stored times 0.5 plus 100; a hole stays a hole.
    bench.translate(
        "-of netCDF -ot Int16 -a_srs EPSG:32633 -a_scale 0.5 -a_offset 100",
        "packed.nc",
    );
    let map = plain(&bench.file("packed.nc")).unwrap();
    assert_same(
        &map.heights,
        &bench.heights.mapv(|height| 0.5 * height + 100.0),
        "packed",
    );
    let degrees = "-of netCDF -a_srs EPSG:4326 -a_ullr 14.9 37.8 15.1 37.7";
    let path = bench.translate(degrees, "degrees.nc");
    let map = plain(&path).unwrap();
    assert_same(&map.heights, &bench.heights, "degrees");
    assert!(map.origin.as_ref().unwrap().crs.is_geographic());
    assert_placed(&map, &path);
    // Of several variables one is called as GDAL calls heights; where none is, the message names them.
    bench.translate(
        "-of netCDF -a_srs EPSG:32633 -co FORMAT=NC -b 1 -b 1",
        "two.nc",
    );
    let map = plain(&bench.file("two.nc")).unwrap();
    assert_eq!(
        map.notes,
        ["the heights are \"Band1\"; not read: \"Band2\""]
    );
    let mut bytes = fs::read(bench.file("two.nc")).unwrap();
    while let Some(at) = bytes.windows(4).position(|word| word == b"Band") {
        bytes[at..at + 4].copy_from_slice(b"Wind");
    }
    fs::write(bench.file("winds.nc"), &bytes).unwrap();
    assert_refused(
        &bench.file("winds.nc"),
        &LoadOptions::default(),
        &["Wind1, Wind2", "ncks -v"],
    );
    let text = fs::read(&path).unwrap();
    fs::write(bench.file("cut.nc"), &text[..text.len() / 2]).unwrap();
    assert_refused(&bench.file("cut.nc"), &LoadOptions::default(), &["cut.nc"]);
    fs::write(bench.file("surfer.grd"), b"DSAA\n3 3\n").unwrap();
    assert_refused(
        &bench.file("surfer.grd"),
        &LoadOptions::default(),
        &["netCDF", "gdal_translate"],
    );
}

#[test]
fn a_folder_of_tiles_is_the_map_that_they_were_cut_from() {
    let Some(bench) = Bench::new(fractions()) else {
        return;
    };
    let folder = bench.file("tiles");
    fs::create_dir(&folder).unwrap();
    // Four tiles of several formats; two rows of the southern ones lie in the northern ones, too.
    let cut = |window: &str, options: &str, name: &str| {
        bench.translate(
            &format!("-a_srs EPSG:32633 -srcwin {window} {options}"),
            &format!("tiles/{name}"),
        )
    };
    cut("0 0 20 14", "", "a.tif");
    cut("20 0 17 14", "-of netCDF", "b.nc");
    let third = cut("0 12 20 11", "", "c.tif");
    cut("20 12 17 11", "-of XYZ", "d.xyz");
    fs::write(folder.join("d.prj"), "EPSG:32633").unwrap();
    fs::write(folder.join("README.txt"), "no raster").unwrap();
    let map = plain(&folder).unwrap();
    assert_same(&map.heights, &bench.heights, "tiles");
    assert!(map.notes.is_empty(), "{:?}", map.notes);
    for (found, expected) in place(&map).into_iter().zip([WEST, NORTH, CELL.0, CELL.1]) {
        assert_near(found, expected, 1e-4, "tiles");
    }
    // Another height where tiles overlap: the first by name counts.
    let higher = bench
        .heights
        .slice(s![12.., ..20])
        .mapv(|height| height + 2.5);
    let mut other = plain(&third).unwrap();
    other.heights = higher;
    write::heightmap(
        &other,
        &folder.join("c.asc"),
        lavoxel::output::Existing::Replace,
    )
    .unwrap();
    fs::remove_file(&third).unwrap();
    let map = plain(&folder).unwrap();
    assert_same(
        &map.heights.slice(s![..14, ..]).to_owned(),
        &bench.heights.slice(s![..14, ..]).to_owned(),
        "overlap",
    );
    assert!(
        map.notes[0].contains("differ in 40 cells, by up to 2.5 m"),
        "{:?}",
        map.notes
    );
    // Without a tile there is no data.
    fs::remove_file(folder.join("c.asc")).unwrap();
    assert_eq!(plain(&folder).unwrap().no_data(), 20 * 9);
    for (options, name, words) in [
        (
            "-a_srs EPSG:32634",
            "e.tif",
            "coordinate system of the other tiles",
        ),
        ("-a_srs EPSG:32633 -outsize 50% 50%", "e.tif", "cells of 10"),
        (
            "-a_srs EPSG:32633 -a_ullr 500003.5 5100460 500373.5 5100000",
            "e.tif",
            "of a cell beside",
        ),
    ] {
        let path = bench.translate(options, &format!("tiles/{name}"));
        let message = plain(&folder).unwrap_err().to_string();
        assert!(
            message.contains(words) && message.contains("e.tif"),
            "{message}"
        );
        fs::remove_file(path).unwrap();
    }
    assert_refused(&folder, &cells_of(5.0), &["--cell-size"]);
    let empty = bench.file("empty");
    fs::create_dir(&empty).unwrap();
    assert_refused(&empty, &LoadOptions::default(), &["a folder"]);
}

#[test]
fn points_on_a_grid_in_any_order() {
    let mut heights = fractions();
    heights[[3, 4]] = f32::NAN;
    let Some(bench) = Bench::new(heights) else {
        return;
    };
    let folder = bench.folder.path();
    for options in [
        "-of XYZ",
        "-of XYZ -co ADD_HEADER_LINE=YES -co COLUMN_SEPARATOR=,",
        "-of XYZ -co COLUMN_SEPARATOR=;",
    ] {
        let path = bench.translate(options, "a.xyz");
        let map = load(
            &path,
            &LoadOptions {
                no_data: Some(-9999.0),
                ..LoadOptions::default()
            },
        )
        .unwrap();
        assert_same(&map.heights, &bench.heights, options);
        for (found, expected) in place(&map).into_iter().zip([WEST, NORTH, CELL.0, CELL.1]) {
            assert_near(found, expected, 1e-4, options);
        }
        // Backwards, and without the points that have no height.
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().rev().filter(|line| !line.contains("-9999"));
        let backwards: Vec<&str> = lines.filter(|line| !line.starts_with('X')).collect();
        fs::write(folder.join("b.xyz"), backwards.join("\r\n")).unwrap();
        fs::write(folder.join("b.prj"), "EPSG:32633").unwrap();
        let map = plain(&folder.join("b.xyz")).unwrap();
        assert_same(&map.heights, &bench.heights, "backwards");
        assert_eq!(map.origin.unwrap().crs.epsg(), Some(32633));
    }
    for (text, words) in [
        ("0 0 1\n0.1 5 2\n77 3 1\n40 9 2", "gdal_grid"),
        ("0 0 1\n1 0 2\n2 0 3", "points on one line"),
        ("0 0 1\n1 0 2\n0 1 3\n1 1 4\n0 0 9", "one height per place"),
        ("0 0 1\n1 0\n0 1 3", "x, y and height"),
        ("x y z\n", "no points"),
    ] {
        fs::write(folder.join("c.xyz"), text).unwrap();
        assert_refused(&folder.join("c.xyz"), &LoadOptions::default(), &[words]);
    }
}

#[test]
fn arrays_of_numpy() {
    let Some(python) = needs::python("numpy", "python3-numpy") else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let expected = Array2::from_shape_fn((5, 7), |(r, c)| (10 * r + c) as f32);
    for kind in ["<i2", ">i2", "u1", "<u4", ">i8", "<f2", "<f4", ">f4", "<f8"] {
        for order in ["C", "F"] {
            let path = folder.path().join("a.npy");
            let script = format!(
                "import numpy as np; a = (10*np.arange(5)[:,None]+np.arange(7)).astype('{kind}'); \
                 np.save(r'{}', np.asarray(a, order='{order}'))",
                path.display()
            );
            run_quietly(python, &script).unwrap();
            let map = load(&path, &cells_of(2.0)).unwrap();
            assert_same(&map.heights, &expected, &format!("{kind} {order}"));
            assert!(map.heights.is_standard_layout() && map.origin.is_none());
        }
    }
    let path = folder.path().join("a.npy");
    for (script, word) in [
        ("np.zeros((2, 3, 4))", "two axes"),
        ("np.zeros((2, 3), complex)", "real numbers"),
    ] {
        run_quietly(
            python,
            &format!(
                "import numpy as np; np.save(r'{}', {script})",
                path.display()
            ),
        )
        .unwrap();
        assert_refused(&path, &cells_of(2.0), &[word]);
    }
}

fn run_quietly(python: &str, script: &str) -> Option<()> {
    let status = Command::new(python)
        .args(["-c", script])
        .stderr(Stdio::null())
        .status()
        .ok()?;
    status.success().then_some(())
}
