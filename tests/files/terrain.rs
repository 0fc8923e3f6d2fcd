//! Tests of terrain: readers accept valid files and name errors, resampling preserves the land, and
//! the results of generators equal stored hashes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lavoxel::generate;
use lavoxel::grid::Grid;
use lavoxel::map::{Crs, Georeference};
use lavoxel::output::{Existing, OutputError};
use lavoxel::terrain::formats::{asc, csv};
use lavoxel::terrain::write;
use lavoxel::terrain::{
    Crop, Fill, Heightmap, Hillshade, LoadOptions, Surface, TerrainError, TerrainKind, TerrainSpec,
    load,
};
use ndarray::{Array2, array};
use proptest::prelude::*;

const HEAD: &str =
    "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\n";

fn map(heights: Array2<f32>) -> Heightmap {
    Heightmap {
        heights,
        cell_size_m: (10.0, 10.0),
        origin: None,
        notes: Vec::new(),
    }
}

fn place(x_west: f64, y_north: f64, wkt: Option<&str>) -> Georeference {
    Georeference {
        x_west,
        y_north,
        metres_per_unit: (1.0, 1.0),
        crs: wkt.map_or_else(Crs::default, Crs::from_wkt),
    }
}

fn read_asc(text: &str) -> Result<Heightmap, TerrainError> {
    asc::read_from(Cursor::new(text), text.len() as u64, Path::new("test.asc"))
}

fn read_csv(text: &str) -> Result<Heightmap, TerrainError> {
    csv::read_from(Cursor::new(text), Path::new("test.csv"), &ten_metres())
}

fn ten_metres() -> LoadOptions {
    LoadOptions {
        cell_size_m: Some(10.0),
        ..LoadOptions::default()
    }
}

fn in_folder(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Returns a PNG file with the colour type `color` and the bit depth `depth`.
fn png(size: (u32, u32), color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(data)
        .unwrap();
    bytes
}

#[test]
fn asc_reads_north_first_with_its_place() {
    let map = read_asc(&format!("{HEAD}1 2 3\n4 -9999 6\n")).unwrap();
    assert_eq!(map.heights.dim(), (2, 3));
    assert_eq!(map.heights[[0, 2]], 3.0);
    assert!(map.heights[[1, 1]].is_nan());
    assert_eq!(map.origin, Some(place(100.0, 220.0, None)));
}

#[test]
fn asc_takes_every_way_to_write_the_same() {
    let plain = read_asc(&format!("{HEAD}1 2 3\n4 5 6\n")).unwrap();
    let odd = "\u{feff}NROWS 2\r\nNcols 3\r\nXLLCENTER 105\r\nyllcenter 205.0\r\ndx 10\r\ndy 1e1\r\n1 2\r\n3 4 5\r\n 6";
    assert_eq!(read_asc(odd).unwrap(), plain);
    let wide = read_asc("ncols 1\nnrows 1\ndx 2\ndy 3\n7").unwrap();
    assert_eq!((wide.cell_size_m, wide.origin), ((2.0, 3.0), None));
    let f32_max =
        "ncols 2 nrows 1 cellsize 1 nodata_value -3.4028234663852886e+38 -3.40282347e+38 nan";
    assert_eq!(read_asc(f32_max).unwrap().no_data(), 2);
}

#[test]
fn asc_names_the_line_and_what_is_wrong() {
    let cases = [
        ("", "empty file"),
        ("hello world", "line 1: expected a header keyword"),
        ("\u{0}\u{1}\u{2}", "binary data"),
        ("ncols 3\nnrows 2\n1 2 3 4 5 6", "cellsize"),
        ("ncols 3\nncols 3\n", "line 2: expected ncols once"),
        (
            "ncols 3\nnrows two\n",
            "line 2: expected a number after nrows, found \"two\"",
        ),
        (
            "ncols -3\nnrows 2\ncellsize 1\n1",
            "ncols to be a whole number from 1, found -3",
        ),
        (
            "ncols 3\nnrows 2\ncellsize -10\n1 2 3 4 5 6",
            "cell sizes above 0",
        ),
        (
            "ncols 3\nnrows 2\ncellsize nan\n1 2 3 4 5 6",
            "a number after cellsize",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\nxllcorner 5\n1 2 3 4 5 6",
            "yllcorner",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 5",
            "6 heights (3 columns × 2 rows), found the end of the file after 5",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 5 6 7",
            "line 5: expected the end of the file",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 oops 6",
            "line 5: expected a height in metres, found \"oops\"",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 3\n4 5,5 6",
            "decimal point",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 inf\n4 5 6",
            "line 4: expected a height within ±100 km",
        ),
        (
            "ncols 3\nnrows 2\ncellsize 1\n1 2 1e9\n4 5 6",
            "NODATA_value line",
        ),
        ("ncols 60000\nnrows 60000\ncellsize 1\n1 2", "more than the"),
        ("ncols 8000\nnrows 8000\ncellsize 1\n1 2", "cut short"),
    ];
    for (text, expected) in cases {
        let error = read_asc(text).unwrap_err().to_string();
        assert!(
            error.contains("test.asc") && error.contains(expected),
            "{text:?} gave: {error}"
        );
    }
}

#[test]
fn csv_reads_tables_with_and_without_heading() {
    let expected = array![[1.0f32, 2.0], [3.0, 4.5]];
    for text in [
        "\"V1\",\"V2\"\n1,2\n3,4.5\n",
        "1;2\r\n3;4.5",
        "\u{feff}1\t2\n\n3\t4.5\n",
    ] {
        assert_eq!(read_csv(text).unwrap().heights, expected, "{text:?}");
    }
    assert_eq!(read_csv("1,NA\n,4\n").unwrap().no_data(), 2);
}

#[test]
fn csv_names_the_line_and_what_is_wrong() {
    let long = "1,".repeat(600_000);
    let cases = [
        ("", "no numbers"),
        ("a,b\n", "no numbers"),
        ("1,2\n3\n", "line 2: expected 2 fields"),
        ("1,2\n3,x\n", "line 2: expected a height"),
        (
            "1,2\n3,\u{0}\n",
            "line 2: expected a table of numbers, found binary data",
        ),
        (&long, "line 1"),
    ];
    for (text, expected) in cases {
        let error = read_csv(text).unwrap_err().to_string();
        assert!(
            error.contains(expected),
            "{:?} gave: {error}",
            &text[..text.len().min(20)]
        );
    }
    let error = csv::read_from(
        Cursor::new("1,2"),
        Path::new("a.csv"),
        &LoadOptions::default(),
    )
    .unwrap_err();
    assert!(matches!(error, TerrainError::NoCellSize { .. }));
}

#[test]
fn png_reads_all_kinds_of_gray() {
    use png::{BitDepth::*, ColorType::*};
    let options = LoadOptions {
        black_m: Some(100.0),
        white_m: Some(355.0),
        ..ten_metres()
    };
    let cases = [
        png((2, 1), Grayscale, Eight, &[0, 255]),
        png((2, 1), Grayscale, Sixteen, &[0, 0, 255, 255]),
        png((2, 1), Grayscale, One, &[0b0100_0000]),
        png(
            (2, 1),
            GrayscaleAlpha,
            Sixteen,
            &[0, 0, 255, 255, 255, 255, 255, 255],
        ),
        png((2, 1), Rgb, Eight, &[0, 0, 0, 255, 255, 255]),
        png((2, 1), Rgba, Eight, &[0, 0, 0, 255, 255, 255, 255, 255]),
    ];
    for bytes in cases {
        let (_folder, path) = in_folder("a.png", &bytes);
        assert_eq!(
            load(&path, &options).unwrap().heights,
            array![[100.0f32, 355.0]]
        );
    }
    let (_folder, path) = in_folder(
        "a.png",
        &png((2, 1), GrayscaleAlpha, Eight, &[7, 255, 9, 0]),
    );
    let map = load(&path, &ten_metres()).unwrap();
    assert!(map.heights[[0, 0]] == 7.0 && map.heights[[0, 1]].is_nan());
}

#[test]
fn png_refuses_what_holds_no_heights() {
    use png::{BitDepth::*, ColorType::*};
    let good = png((64, 64), Grayscale, Sixteen, &[0; 8192]);
    let mut huge = good.clone();
    huge[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    huge.resize(1024, 0);
    let cases = [
        (png((1, 1), Rgb, Eight, &[1, 2, 3]), "colours"),
        (Vec::new(), "a PNG picture"),
        (b"not a picture at all".to_vec(), "a PNG picture"),
        (good[..good.len() / 2].to_vec(), "a PNG picture"),
        (huge, "a.png"),
    ];
    for (bytes, expected) in cases {
        let (_folder, path) = in_folder("a.png", &bytes);
        let start = Instant::now();
        let error = load(&path, &ten_metres()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(start.elapsed().as_secs_f64() < 1.0);
    }
}

#[test]
fn load_knows_formats_by_ending_and_by_content() {
    let text = format!("{HEAD}1 2 3\n4 5 6\n");
    let (_folder, path) = in_folder("dem.txt", text.as_bytes());
    assert_eq!(
        load(&path, &LoadOptions::default()).unwrap().cell_size_m,
        (10.0, 10.0)
    );
    let given = load(
        &path,
        &LoadOptions {
            cell_size_m: Some(5.0),
            ..LoadOptions::default()
        },
    )
    .unwrap();
    assert_eq!((given.cell_size_m, given.origin), ((5.0, 5.0), None));
    let (folder, path) = in_folder("dem.unknown", b"?");
    let error = load(&path, &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(".asc, .csv, .dem, .exr, .hgt, .las, .laz, .cdf, .grd, .nc, .nc4, .npy, .png, .r16, .r32, .raw, .tif, .tiff, .vrt, .xyz"),
        "{error}"
    );
    assert!(
        load(folder.path(), &LoadOptions::default())
            .unwrap_err()
            .to_string()
            .contains("a folder")
    );
    let missing = load(&folder.path().join("none.asc"), &LoadOptions::default()).unwrap_err();
    assert!(matches!(missing, TerrainError::Read { .. }));
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = LoadOptions {
            cell_size_m: Some(size),
            ..LoadOptions::default()
        };
        assert!(matches!(
            load(&path, &options),
            Err(TerrainError::Invalid(_))
        ));
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), kind in 0..4usize) {
        let starts: [&[u8]; 4] = [b"", b"ncols 3\nnrows 2\ncellsize 1\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"1,2\n3,"];
        let all = [starts[kind], &bytes].concat();
        for name in ["a.asc", "a.csv", "a.png", "a"] {
            let (_folder, path) = in_folder(name, &all);
            let _ = load(&path, &ten_metres());
        }
    }

    #[test]
    fn random_headers_never_panic(cols in "[0-9.e-]{1,12}", rows in "[0-9.e-]{1,12}", size in "[0-9.e-]{1,9}") {
        let _ = read_asc(&format!("ncols {cols}\nnrows {rows}\ncellsize {size}\n1 2 3\n"));
    }

    #[test]
    fn finer_heights_stay_within_the_coarse(values in proptest::collection::vec(-50f32..50.0, 12), cols in 4..40usize, rows in 3..30usize) {
        let coarse = map(Array2::from_shape_vec((3, 4), values).unwrap());
        let (low, high) = coarse.range().unwrap();
        let fine = coarse.resampled(cols, rows).expect("memory");
        prop_assert!(fine.heights.iter().all(|&h| h >= low && h <= high));
    }
}

#[test]
fn coarser_heights_are_the_mean_of_what_they_cover() {
    let fine = map(array![[1.0, 3.0, 5.0, 7.0], [1.0, 3.0, 5.0, f32::NAN]]);
    let half = fine.resampled(2, 1).expect("memory");
    assert_eq!(half.heights, array![[2.0, 17.0 / 3.0]]);
    assert_eq!(half.cell_size_m, (20.0, 20.0));
    // Three cells are resampled to two: each new cell covers one and a half old cells.
    assert_eq!(
        map(array![[0.0, 3.0, 6.0]])
            .resampled(2, 1)
            .expect("memory")
            .heights,
        array![[1.0, 5.0]]
    );
    assert_eq!(
        fine.resampled(4, 2)
            .expect("memory")
            .heights
            .slice(ndarray::s![0, ..]),
        fine.heights.slice(ndarray::s![0, ..])
    );
}

#[test]
fn finer_heights_follow_a_plane_exactly() {
    let coarse = map(Array2::from_shape_fn((8, 8), |(r, c)| {
        (2 * r + 3 * c) as f32
    }));
    let fine = coarse.resampled(32, 32).expect("memory").heights;
    for ((r, c), &h) in fine
        .indexed_iter()
        .filter(|((r, c), _)| (8..24).contains(r) && (8..24).contains(c))
    {
        let (z, x) = ((r as f32 + 0.5) / 4.0 - 0.5, (c as f32 + 0.5) / 4.0 - 0.5);
        assert!((h - (2.0 * z + 3.0 * x)).abs() < 1e-4);
    }
    let hole = map(array![[1.0, f32::NAN], [1.0, 1.0]])
        .resampled(8, 8)
        .expect("memory")
        .heights;
    assert!(hole[[0, 7]].is_nan() && hole.iter().all(|h| h.is_nan() || (*h - 1.0).abs() < 1e-6));
}

#[test]
fn statistics_crop_fill_and_exaggeration() {
    let mut hilly = map(array![
        [0.0, 10.0, 20.0],
        [0.0, 10.0, f32::NAN],
        [0.0, 10.0, 20.0]
    ]);
    let s = hilly.statistics();
    assert_eq!(
        (s.min_m, s.max_m, s.mean_m, s.no_data, s.width_m),
        (0.0, 20.0, 8.75, 1, 30.0)
    );
    assert!(matches!(
        hilly.fill(Fill::Error),
        Err(TerrainError::NoData {
            missing: 1,
            total: 9
        })
    ));
    let mut lowest = hilly.clone();
    lowest.fill(Fill::Lowest).unwrap();
    assert_eq!(lowest.heights[[1, 2]], 0.0);
    hilly.fill(Fill::Nearest).unwrap();
    assert!(hilly.heights[[1, 2]] >= 10.0);
    assert!(
        (map(Array2::from_shape_fn((3, 3), |(_, c)| 10.0 * c as f32))
            .statistics()
            .slope_mean_deg
            - 45.0)
            .abs()
            < 1e-9
    );
    let part = hilly.crop(Crop::from([1, 0, 2, 3])).unwrap();
    assert_eq!(part.heights.dim(), (3, 2));
    for wrong in [
        [0, 0, 4, 1],
        [3, 0, 1, 1],
        [0, 0, 0, 1],
        [usize::MAX, 0, 2, 1],
    ] {
        assert!(matches!(
            hilly.crop(wrong.into()),
            Err(TerrainError::Crop { .. })
        ));
    }
    hilly.exaggerate(2.0, 10.0);
    assert_eq!(hilly.heights[[0, 0]], -10.0);
    let mut nothing = map(array![[f32::NAN]]);
    assert!(matches!(
        nothing.fill(Fill::Nearest),
        Err(TerrainError::AllNoData { total: 1 })
    ));
    assert!(nothing.statistics().mean_m.is_nan());
}

#[test]
fn written_heights_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let origin = place(499_547.5, 4_178_762.5, Some("LOCAL_CS[\"x\"]"));
    let heights = array![[1.5, f32::NAN, 3000.25], [-12.0, 0.1, 7.0]];
    let map = Heightmap {
        heights,
        cell_size_m: (10.0, 20.0),
        origin: Some(origin),
        notes: Vec::new(),
    };
    let asc = folder.path().join("a.asc");
    write::heightmap(&map, &asc, Existing::Keep).unwrap();
    let back = load(&asc, &LoadOptions::default()).unwrap();
    assert_eq!(
        (&back.origin, back.cell_size_m),
        (&map.origin, map.cell_size_m)
    );
    assert!(
        back.heights
            .iter()
            .zip(&map.heights)
            .all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
    );

    let png = folder.path().join("a.png");
    write::heightmap(&map, &png, Existing::Keep).unwrap();
    let back = load(&png, &LoadOptions::default()).unwrap();
    assert_eq!(back.cell_size_m, map.cell_size_m);
    assert!(
        back.heights
            .iter()
            .zip(&map.heights)
            .all(|(a, b)| (a - b).abs() < 0.03 || (a.is_nan() && b.is_nan()))
    );

    assert!(matches!(
        write::heightmap(&map, &png, Existing::Keep),
        Err(TerrainError::Output(OutputError::Exists { .. }))
    ));
    write::heightmap(&map, &png, Existing::Replace).unwrap();
    let elsewhere = asc.join("a.asc");
    assert!(matches!(
        write::heightmap(&map, &elsewhere, Existing::Keep),
        Err(TerrainError::Output(OutputError::Io { .. }))
    ));
    assert!(matches!(
        write::heightmap(&map, &folder.path().join("a.tif"), Existing::Keep),
        Err(TerrainError::UnknownFormat { .. })
    ));
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "only the grid, its projection and the picture"
    );
}

fn spec(kind: TerrainKind) -> TerrainSpec {
    TerrainSpec {
        kind,
        ..TerrainSpec::default()
    }
}

fn built(kind: TerrainKind, grid: Grid) -> Surface {
    spec(kind).build(grid, None, Path::new("")).unwrap()
}

/// Returns the FNV-1a hash of heights in 64ths of a cell.
fn hash(ground: &Array2<f32>) -> u64 {
    let levels = ground
        .iter()
        .flat_map(|h| ((h * 64.0).round() as i32).to_le_bytes());
    levels.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn generated_ground_is_pinned() {
    let pins = [
        (TerrainKind::Volcano, PIN_VOLCANO),
        (TerrainKind::Hills, PIN_HILLS),
        (TerrainKind::Plane, PIN_PLANE),
        (TerrainKind::Slope, PIN_SLOPE),
        (TerrainKind::Bowl, PIN_BOWL),
    ];
    let found = pins.map(|(kind, _)| (kind, hash(&built(kind, Grid::new(128, 100, 128)).heights)));
    assert_eq!(
        found, pins,
        "a change of a terrain changes every scene on it: pin it again only on purpose"
    );
}

const PIN_VOLCANO: u64 = 0x6577_3ac1_44a3_6500;
const PIN_HILLS: u64 = 0x5e6d_a6bb_e4bd_2253;
const PIN_PLANE: u64 = 0xbbdc_d063_2d6a_2325;
const PIN_SLOPE: u64 = 0x6010_e6ff_6879_e625;
const PIN_BOWL: u64 = 0xc5bf_3661_99c5_466d;

#[test]
fn one_thread_makes_the_same_bits_as_many() {
    let grid = Grid::new(96, 80, 64);
    let many = built(TerrainKind::Volcano, grid);
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    assert_eq!(one.install(|| built(TerrainKind::Volcano, grid)), many);
}

#[test]
fn a_finer_box_has_the_same_volcano() {
    let coarse = built(TerrainKind::Volcano, Grid::new(64, 50, 64)).heights;
    let fine = map(built(TerrainKind::Volcano, Grid::new(256, 200, 256)).heights)
        .resampled(64, 64)
        .expect("memory")
        .heights;
    let worst = coarse
        .iter()
        .zip(&fine)
        .map(|(a, b)| (a - b / 4.0).abs())
        .fold(0.0, f32::max);
    assert!(worst < 2.5, "{worst} cells apart");
    assert_ne!(
        hash(&coarse),
        hash(
            &TerrainSpec {
                seed: Some(2),
                ..spec(TerrainKind::Volcano)
            }
            .build(Grid::new(64, 50, 64), None, Path::new(""))
            .unwrap()
            .heights
        )
    );
}

/// Fills the crater at the column (`x`, `z`) until it overflows; returns the level of the overflow
/// in cells, and its column.
fn lip(ground: &Array2<f32>, (x, z): (usize, usize)) -> (f32, (usize, usize)) {
    let bits = |h: f32| (h * 1024.0) as i64;
    let mut queue = BinaryHeap::from([(Reverse(bits(ground[[z, x]])), x, z)]);
    let mut seen = Array2::from_elem(ground.dim(), false);
    let mut highest = (f32::MIN, (x, z));
    let start = (x as f64, z as f64);
    while let Some((_, x, z)) = queue.pop() {
        if (x as f64 - start.0).hypot(z as f64 - start.1) > 0.2 * ground.ncols() as f64 {
            return highest;
        }
        if ground[[z, x]] > highest.0 {
            highest = (ground[[z, x]], (x, z));
        }
        for (nx, nz) in [(x + 1, z), (x - 1, z), (x, z + 1), (x, z - 1)] {
            if !std::mem::replace(&mut seen[[nz, nx]], true) {
                queue.push((Reverse(bits(ground[[nz, nx]])), nx, nz));
            }
        }
    }
    highest
}

/// Median slope in degrees of the columns of `ground` (cells) that are higher than `above` (cells).
fn slope_deg(ground: &Array2<f32>, above: f32) -> f64 {
    let (nz, nx) = ground.dim();
    let inside = (1..nz - 1).flat_map(|z| (1..nx - 1).map(move |x| (z, x)));
    let mut slopes: Vec<f64> = inside
        .filter(|&at| ground[at] > above)
        .map(|(z, x)| {
            let east = f64::from(ground[[z, x + 1]] - ground[[z, x - 1]]) / 2.0;
            let south = f64::from(ground[[z + 1, x]] - ground[[z - 1, x]]) / 2.0;
            east.hypot(south).atan().to_degrees()
        })
        .collect();
    slopes.sort_unstable_by(f64::total_cmp);
    slopes[slopes.len() / 2]
}

#[test]
fn the_volcano_is_the_one_that_scenes_count_on() {
    for seed in 1..12 {
        let grid = Grid::new(128, 100, 128);
        let ground = TerrainSpec {
            seed: Some(seed),
            ..spec(TerrainKind::Volcano)
        }
        .build(grid, None, Path::new(""))
        .unwrap()
        .heights;
        let top = ground.iter().copied().fold(0.0, f32::max);
        let low = ground.iter().copied().fold(f32::MAX, f32::min);
        assert!(
            (27.0..36.0).contains(&top) && low >= 3.0,
            "seed {seed}: {low} to {top}"
        );
        let (x, z) = generate::crater(grid);
        let (level, at) = lip(&ground, (x, z));
        let (dx, dz) = (at.0 as f64 - x as f64, at.1 as f64 - z as f64);
        let floor = ground[[z, x]];
        assert!(
            level - floor > 1.0 && top - level > 1.0,
            "seed {seed}: floor {floor}, lip {level}, top {top}"
        );
        assert!(
            dx > 1.0 && dz > 1.0,
            "seed {seed}: the lowest lip is to the south-east, not {dx}, {dz}"
        );
        let steep = slope_deg(&ground, 0.35 * top + 0.65 * 8.0);
        assert!(
            (25.0..35.0).contains(&steep),
            "seed {seed}: half of the cone is steeper than {steep}°, unlike real cones"
        );
    }
}

#[test]
fn plain_shapes_are_exact() {
    let grid = Grid::new(20, 50, 30);
    let plane = TerrainSpec {
        base_cells: Some(3.0),
        ..spec(TerrainKind::Plane)
    }
    .build(grid, Some(2.0), Path::new(""))
    .unwrap();
    assert!(
        plane.heights.iter().all(|&h| h == 3.0)
            && plane.heights.dim() == (30, 20)
            && plane.cell_size_m == 2.0
    );
    let slope = TerrainSpec {
        base_cells: Some(2.0),
        angle_deg: Some(45.0),
        ..spec(TerrainKind::Slope)
    };
    let ground = slope.build(grid, None, Path::new("")).unwrap().heights;
    assert!((ground[[29, 7]] - 2.0).abs() < 1e-4 && (ground[[0, 7]] - 31.0).abs() < 1e-4);
    let bowl = built(TerrainKind::Bowl, Grid::new(21, 50, 21)).heights;
    assert!(bowl[[10, 10]] == 4.0 && (bowl[[0, 0]] - 20.0).abs() < 1e-4);
    let steep = TerrainSpec {
        angle_deg: Some(80.0),
        ..slope
    }
    .build(grid, None, Path::new(""))
    .unwrap_err();
    assert!(steep.to_string().contains("ny = "), "{steep}");
}

#[test]
fn the_table_refuses_what_it_cannot_use() {
    let cases = [
        ("kind = \"heightmap\"", "terrain.file"),
        ("file = \"a.asc\"", "terrain.file"),
        ("angle_deg = 5", "terrain.angle_deg"),
        ("roughness = -1", "terrain.roughness"),
        ("height = nan", "terrain.height"),
        ("crater_depth = 0.9", "terrain.crater_depth"),
        (
            "kind = \"heightmap\"\nfile = \"a.png\"\nwhite_m = -5.0",
            "terrain.white_m",
        ),
    ];
    for (text, key) in cases {
        let spec: TerrainSpec = toml::from_str(text).unwrap();
        assert!(spec.validate().unwrap_err().key == key, "{text}");
    }
    assert!(
        toml::from_str::<TerrainSpec>("hight = 3")
            .unwrap_err()
            .to_string()
            .contains("hight")
    );
    let full =
        "kind = \"heightmap\"\nfile = \"a.asc\"\ncrop = [1, 2, 3, 4]\nfill_no_data = \"lowest\"\n";
    let spec: TerrainSpec = toml::from_str(full).unwrap();
    spec.validate().unwrap();
    assert_eq!(
        toml::from_str::<TerrainSpec>(&toml::to_string(&spec).unwrap()).unwrap(),
        spec
    );
}

#[test]
fn a_heightmap_is_fitted_into_the_box() {
    // 6 × 4 cells of 10 m rising to the east; the box is cut from the middle 4 × 4.
    let text = format!(
        "ncols 6\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n{}",
        "0 10 20 30 40 50\n".repeat(4)
    );
    let (folder, _path) = in_folder("east.asc", text.as_bytes());
    let spec = TerrainSpec {
        file: Some("east.asc".into()),
        base_cells: Some(2.0),
        ..spec(TerrainKind::Heightmap)
    };
    let surface = spec
        .build(Grid::new(4, 20, 4), None, folder.path())
        .unwrap();
    assert_eq!(surface.heights.row(0).to_vec(), [2.0, 3.0, 4.0, 5.0]);
    assert_eq!((surface.cell_size_m, surface.floor_m), (10.0, -10.0));
    let place = surface.georeference.clone().unwrap();
    assert_eq!((place.x_west, place.y_north), (10.0, 40.0));
    assert_eq!(surface.to_heightmap().heights[[0, 3]], 40.0);

    let low = spec
        .build(Grid::new(4, 7, 4), None, folder.path())
        .unwrap_err()
        .to_string();
    assert!(
        low.contains("ny = 7")
            && low.contains("at least ny = 9")
            && low.contains("vertical_exaggeration"),
        "{low}"
    );
    let wide = spec
        .build(Grid::new(4, 20, 4), Some(11.0), folder.path())
        .unwrap_err()
        .to_string();
    assert!(wide.contains("10.000 m or less"), "{wide}");
    let half = spec
        .build(Grid::new(4, 20, 4), Some(5.0), folder.path())
        .unwrap();
    assert_eq!(half.georeference.unwrap().x_west, 20.0);
}

#[test]
fn the_shipped_mountain_is_the_right_way_up() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/maunga_whau.asc");
    let map = load(&path, &LoadOptions::default()).unwrap();
    assert_eq!(
        (map.rows(), map.cols(), map.range()),
        (87, 61, Some((94.0, 195.0)))
    );
    // The summit is on the southern rim, and the crater floor lies north of the summit.
    assert_eq!(
        (map.heights[[67, 30]], map.heights[[57, 27]]),
        (195.0, 148.0)
    );
}

#[test]
fn a_hillshade_is_light_towards_the_sun() {
    let ridge = map(Array2::from_shape_fn((40, 40), |(_, c)| {
        200.0 - 10.0 * (c as f32 - 19.5).abs()
    }));
    let picture = Hillshade::default().draw(&ridge);
    assert_eq!(
        (picture.width, picture.height, picture.rgb.len()),
        (768, 768, 768 * 768 * 3)
    );
    let at = |x: usize| u32::from(picture.rgb[(384 * 768 + x) * 3]);
    assert!(
        at(200) > at(568) + 30,
        "west faces the sun in the north-west"
    );
    let empty = Hillshade::default().draw(&map(Array2::from_elem((2, 3), f32::NAN)));
    assert_eq!((empty.width, empty.height), (768, 512));
}
