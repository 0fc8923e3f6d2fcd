//! Tests of readers of heightmaps with files written byte by byte, valid and invalid.

use geotiff_writer::{Compression, GeoTiffBuilder};
use lavoxel::terrain::formats::{geotiff, npy, usgs_dem};

use super::*;

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

fn write_file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns the bytes of an SRTM tile of 1201 × 1201 heights.
fn tile() -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..1201 * 1201)
        .flat_map(|i: i32| ((i % 4000) as i16).to_be_bytes())
        .collect();
    bytes[2..4].copy_from_slice(&(-32768i16).to_be_bytes());
    bytes
}

#[test]
fn a_tile_lies_where_its_name_says() {
    let folder = folder();
    let map = plain(&write_file(&folder, "S02W079.hgt", &tile())).unwrap();
    assert_eq!((map.heights.dim(), map.no_data()), ((1201, 1201), 1));
    assert!(map.heights[[0, 1]].is_nan() && map.heights[[1, 0]] == 1201.0);
    let origin = map.origin.unwrap();
    assert_near(origin.x_west, -79.0 - 0.5 / 1200.0, 1e-12, "west");
    assert_near(origin.y_north, -1.0 + 0.5 / 1200.0, 1e-12, "north");
    assert_near(
        map.cell_size_m.1,
        110_576.0 / 1200.0,
        0.01,
        "cells near the equator",
    );
    assert!(map.cell_size_m.0 > map.cell_size_m.1 * 1.005);

    // If the file name has no coordinates, the user may give a cell size.
    let nameless = write_file(&folder, "crater.hgt", &tile());
    assert_refused(
        &nameless,
        &LoadOptions::default(),
        &["N35E138.hgt", "--cell-size"],
    );
    assert_eq!(
        load(&nameless, &cells_of(90.0)).unwrap().cell_size_m,
        (90.0, 90.0)
    );
    assert_refused(
        &write_file(&folder, "N00E000.hgt", &tile()[..1000]),
        &LoadOptions::default(),
        &["1000 bytes", "cut short"],
    );
}

#[test]
fn bare_numbers_are_read_as_told() {
    let folder = folder();
    let square: Vec<u8> = (0..9u16).flat_map(|v| (100 * v).to_le_bytes()).collect();
    let map = load(&write_file(&folder, "a.r16", &square), &cells_of(3.0)).unwrap();
    assert_eq!(
        (map.heights.dim(), map.heights[[2, 1]], map.cell_size_m),
        ((3, 3), 700.0, (3.0, 3.0))
    );
    let options = LoadOptions {
        black_m: Some(-100.0),
        white_m: Some(65435.0),
        no_data: Some(800.0),
        ..cells_of(3.0)
    };
    let map = load(&write_file(&folder, "a.raw", &square), &options).unwrap();
    assert!(map.heights[[0, 1]] == 0.0 && map.heights[[2, 2]].is_nan());

    let floats: Vec<u8> = [1.5f32, -2.5, 0.0, 4.0]
        .into_iter()
        .flat_map(f32::to_le_bytes)
        .collect();
    let options = LoadOptions {
        raw_size: Some([4, 1]),
        ..cells_of(1.0)
    };
    let map = load(&write_file(&folder, "a.r32", &floats), &options).unwrap();
    assert_eq!((map.heights.dim(), map.heights[[0, 1]]), ((1, 4), -2.5));
    // With a given size any file name is accepted.
    let options = LoadOptions {
        raw_size: Some([2, 2]),
        raw_type: Some("f32".parse().unwrap()),
        ..cells_of(1.0)
    };
    assert_eq!(
        load(&write_file(&folder, "a.bin", &floats), &options)
            .unwrap()
            .heights[[1, 1]],
        4.0
    );

    assert_refused(
        &write_file(&folder, "b.r16", &square[..16]),
        &cells_of(1.0),
        &["a square", "--raw-size", "16 bytes"],
    );
    assert_refused(
        &write_file(&folder, "c.r16", &square),
        &LoadOptions::default(),
        &["cell size"],
    );
    assert_refused(
        &write_file(&folder, "d.r16", b""),
        &cells_of(1.0),
        &["0 bytes"],
    );
    for (size, word) in [
        ([3, 2], "needed"),
        ([3, 4], "cannot hold"),
        ([0, 4], "0 columns"),
        ([usize::MAX, 2], "more than"),
    ] {
        let options = LoadOptions {
            raw_size: Some(size),
            ..cells_of(1.0)
        };
        let word = if word == "needed" { "12 bytes" } else { word };
        assert_refused(&write_file(&folder, "e.raw", &square), &options, &[word]);
    }
    assert_refused(
        &write_file(&folder, "f.r32", &f32::INFINITY.to_le_bytes()),
        &cells_of(1.0),
        &["--no-data", "inf"],
    );
}

fn array(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn arrays_without_numpy() {
    let folder = folder();
    let data: Vec<u8> = [1i16, 2, 3, -4, 5, 6]
        .into_iter()
        .flat_map(i16::to_be_bytes)
        .collect();
    let bytes = array(
        "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n",
        &data,
    );
    // The format is recognised by content under any name.
    for name in ["a.npy", "a.data"] {
        let map = load(&write_file(&folder, name, &bytes), &cells_of(5.0)).unwrap();
        assert_same(
            &map.heights,
            &ndarray::arr2(&[[1.0, 3.0, 5.0], [2.0, -4.0, 6.0]]),
            name,
        );
    }
    let path = write_file(&folder, "b.npy", &bytes[..bytes.len() - 1]);
    assert_refused(&path, &cells_of(5.0), &["6 heights", "cut short"]);
    let huge = array(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (8000, 8000), }\n",
        &data,
    );
    assert_refused(
        &write_file(&folder, "c.npy", &huge),
        &cells_of(5.0),
        &["8000 columns × 8000 rows"],
    );
    let huge = array(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (80000000000, 8000), }\n",
        &data,
    );
    assert_refused(
        &write_file(&folder, "d.npy", &huge),
        &cells_of(5.0),
        &["more than the"],
    );
    assert_refused(
        &write_file(&folder, "e.npy", b"PK\x03\x04 not an array"),
        &cells_of(5.0),
        &["array of NumPy"],
    );
    assert_refused(
        &write_file(&folder, "f.npy", &bytes[..20]),
        &cells_of(5.0),
        &["ends in the header"],
    );
    assert_refused(
        &write_file(&folder, "g.npy", &bytes),
        &LoadOptions::default(),
        &["cell size"],
    );
}

/// Returns a record of a USGS elevation model of 1024 characters; `fields`: texts, each with the
/// column in which it ends, counted from 1.
fn record(fields: &[(usize, &str)]) -> String {
    let mut text = vec![b' '; 1024];
    for (end, field) in fields {
        text[end - field.len()..*end].copy_from_slice(field.as_bytes());
    }
    String::from_utf8(text).unwrap()
}

/// Returns the records of a USGS elevation model in feet in UTM zone 10, with three profiles that
/// start at different northings.
fn model() -> Vec<String> {
    let head = record(&[
        (150, "1"),
        (156, "1"),
        (162, "1"),
        (168, "10"),
        (534, "2"),
        (540, "1"),
        (546, "4"),
        (828, "0.300000E+02"),
        (840, "0.300000E+02"),
        (852, "0.100000E+01"),
        (858, "1"),
        (864, "3"),
        (892, "3"),
    ]);
    let profile = |x: &str, y: &str, heights: &[&str]| {
        let count = heights.len().to_string();
        let mut fields = vec![
            (18, count.as_str()),
            (24, "1"),
            (48, x),
            (72, y),
            (96, "0.1000000D+03"),
        ];
        fields.extend(heights.iter().enumerate().map(|(i, h)| (150 + 6 * i, *h)));
        record(&fields)
    };
    vec![
        head,
        profile("0.5000D+06", "0.5100030D+07", &["1", "2", "3"]),
        profile(
            "0.50003D+06",
            "0.5100000D+07",
            &["10", "-32767", "12", "13"],
        ),
        profile("0.50006D+06", "0.5100000D+07", &["20", "21"]),
    ]
}

#[test]
fn a_model_of_the_survey_is_put_together() {
    let folder = folder();
    let feet = |steps: f64| ((100.0 + steps) * 0.3048) as f32;
    let n = f32::NAN;
    let expected = ndarray::arr2(&[
        [feet(3.0), feet(13.0), n],
        [feet(2.0), feet(12.0), n],
        [feet(1.0), n, feet(21.0)],
        [n, feet(10.0), feet(20.0)],
    ]);
    let trimmed = |end: &str| {
        model()
            .iter()
            .map(|r| r.trim_end().to_owned() + end)
            .collect::<String>()
    };
    for (name, text) in [
        ("fixed.dem", model().concat()),
        ("lines.dem", model().join("\n")),
        ("dos.dem", model().join("\r\n")),
        ("short.dem", trimmed("\n")),
        ("short-dos.dem", trimmed("\r\n")),
        ("no-ending", model().concat()),
    ] {
        let map = plain(&write_file(&folder, name, text.as_bytes())).unwrap();
        for (at, height) in map.heights.indexed_iter() {
            let exact = expected[at];
            assert!(
                (height - exact).abs() < 1e-4 || (height.is_nan() && exact.is_nan()),
                "{name} {at:?}: {height}"
            );
        }
        let origin = map.origin.unwrap();
        assert_eq!(
            (origin.x_west, origin.y_north, map.cell_size_m),
            (499_985.0, 5_100_105.0, (30.0, 30.0))
        );
        assert_eq!(origin.crs.epsg(), Some(32610));
    }
}

#[test]
fn a_wrong_model_names_its_record() {
    let folder = folder();
    let none = LoadOptions::default();
    let text = model().concat();
    assert_refused(
        &write_file(&folder, "cut.dem", &text.as_bytes()[..2500]),
        &none,
        &["record 4", "cut short"],
    );
    assert_refused(
        &write_file(&folder, "no.dem", b"hello"),
        &none,
        &["the head of a USGS"],
    );
    let wrong = |at: usize, with: &str| {
        let mut bytes = text.clone().into_bytes();
        bytes[at..at + with.len()].copy_from_slice(with.as_bytes());
        write_file(&folder, "wrong.dem", &bytes)
    };
    assert_refused(
        &wrong(1024 + 150, " 1e9x "),
        &none,
        &["record 2", "a height", "columns 151 to 156", "\"1e9x\""],
    );
    assert_refused(
        &wrong(1024 + 12, "99999x"),
        &none,
        &["record 2", "the number of heights"],
    );
    assert_refused(&wrong(1024 + 12, " 99999"), &none, &["a height"]);
    assert_refused(&wrong(858, "999999"), &none, &["record 5", "cut short"]);
    assert_refused(&wrong(534, "     7"), &none, &["feet (1) or metres (2)"]);
    assert_refused(&wrong(816, " 0.000000000"), &none, &["distances above 0"]);
    assert_refused(
        &wrong(2048 + 24, "0.900000000000000000D+08"),
        &none,
        &["profiles side by side"],
    );
    assert_refused(
        &wrong(2048 + 24, "0.900000000000000000D+30"),
        &none,
        &["heights allowed"],
    );
}

fn tiff(compression: Compression) -> Vec<u8> {
    let heights = Array2::from_shape_fn((40, 50), |(r, c)| (r * 50 + c) as f32);
    let mut file = std::io::Cursor::new(Vec::new());
    let builder = GeoTiffBuilder::new(50, 40)
        .tile_size(16, 16)
        .compression(compression);
    let builder = builder
        .projected_epsg(32633)
        .pixel_scale(10.0, 20.0)
        .origin(499_000.0, 4_179_000.0)
        .nodata("7");
    builder.write_2d_to(&mut file, heights.view()).unwrap();
    file.into_inner()
}

#[test]
fn a_geotiff_is_read_under_any_name() {
    let folder = folder();
    for name in ["a.tif", "a.TIFF", "a.data"] {
        let map = plain(&write_file(&folder, name, &tiff(Compression::Deflate))).unwrap();
        assert_eq!(
            (map.heights.dim(), map.heights[[39, 49]], map.cell_size_m),
            ((40, 50), 1999.0, (10.0, 20.0))
        );
        assert!(map.heights[[0, 7]].is_nan() && map.no_data() == 1);
        let origin = map.origin.unwrap();
        assert_eq!(
            (origin.x_west, origin.y_north, origin.crs.epsg()),
            (499_000.0, 4_179_000.0, Some(32633))
        );
    }
    let options = LoadOptions {
        no_data: Some(8.0),
        ..LoadOptions::default()
    };
    assert_eq!(
        load(
            &write_file(&folder, "a.tif", &tiff(Compression::None)),
            &options
        )
        .unwrap()
        .no_data(),
        2
    );
    assert_refused(
        &write_file(&folder, "b.tif", b"II*\0"),
        &LoadOptions::default(),
        &["a TIFF or GeoTIFF"],
    );
    assert_refused(
        &write_file(&folder, "c.tif", b"\x89PNG no"),
        &LoadOptions::default(),
        &["a TIFF or GeoTIFF"],
    );
}

/// Tries many truncations and changed bytes: each must give a map or a one-line error, never a
/// panic.
fn damage(whole: &[u8], head: usize, read: impl Fn(&[u8]) -> Result<Heightmap, TerrainError>) {
    let mut state = 7u64;
    let mut dice = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    assert!(read(whole).is_ok());
    let mut refused = 0;
    for _ in 0..200 {
        let mut changed = whole.to_vec();
        for _ in 0..=dice(3) {
            // Half of the changes hit the header, where most errors can occur.
            let end = if dice(2) == 0 { changed.len() } else { head };
            changed[dice(end)] = dice(256) as u8;
        }
        for bytes in [&whole[..dice(whole.len())], &changed] {
            if let Err(error) = read(bytes) {
                assert!(!error.to_string().contains('\n'), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 50);
}

#[test]
fn damaged_files_never_panic() {
    let path = Path::new("damaged");
    let options = cells_of(10.0);
    for compression in [Compression::None, Compression::Deflate, Compression::Lzw] {
        damage(&tiff(compression), 400, |bytes| {
            geotiff::read_bytes(bytes, path, &options)
        });
    }
    let text = model().concat();
    damage(text.as_bytes(), 1100, |bytes| {
        usgs_dem::read_from(bytes, bytes.len() as u64, path, &options)
    });
    let bytes = array(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        &[0; 24],
    );
    damage(&bytes, 60, |bytes| {
        npy::read_from(bytes, bytes.len() as u64, path, &options)
    });
}

/// Checks that a header size that the file cannot hold is refused before any allocation.
#[test]
fn a_huge_tiff_is_refused() {
    let folder = folder();
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        let mut bytes = Vec::new();
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        bytes
    };
    let huge = |side: u32, bits: u32, rows: u32| {
        let mut bytes = b"II*\0\x08\0\0\0\x09\0".to_vec();
        for (tag, value) in [
            (256, side),
            (257, side),
            (258, bits),
            (259, 1),
            (262, 1),
            (273, 8),
            (277, 1),
            (278, rows),
            (279, 100),
        ] {
            bytes.extend(entry(tag, 4, 1, value));
        }
        bytes.extend([0; 100]);
        bytes
    };
    let options = cells_of(1.0);
    assert_refused(
        &write_file(&folder, "a.tif", &huge(8000, 32, 8000)),
        &options,
        &["8000 columns × 8000 rows"],
    );
    assert_refused(
        &write_file(&folder, "b.tif", &huge(u32::MAX, 8, 1)),
        &options,
        &[],
    );
    assert_refused(
        &write_file(&folder, "c.tif", &huge(60000, 8, 60000)),
        &options,
        &[],
    );
}

#[test]
fn pictures_of_floats() {
    use exr::prelude::*;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.exr");
    let metres = |k: usize| 1000.0 + 3.25 * k as f32;
    let samples = |half: bool, value: &dyn Fn(usize) -> f32| {
        let values = (0..12).map(value);
        match half {
            true => FlatSamples::F16(values.map(f16::from_f32).collect()),
            false => FlatSamples::F32(values.collect()),
        }
    };
    let save = |channels: Vec<AnyChannel<FlatSamples>>, encoding: Encoding| {
        let channels = AnyChannels::sort(channels.into_iter().collect());
        let layer = Layer::new((4, 3), LayerAttributes::default(), encoding, channels);
        Image::from_layer(layer).write().to_file(&path).unwrap();
    };
    let channel = |name: &str, half: bool, value: &dyn Fn(usize) -> f32| {
        AnyChannel::new(name, samples(half, value))
    };
    let expected = Array2::from_shape_fn((3, 4), |(r, c)| metres(4 * r + c));
    for (names, half) in [
        (&["Y"][..], false),
        (&["height"], false),
        (&["R", "G", "B"], false),
        (&["elevation"], true),
    ] {
        for encoding in [
            Encoding::FAST_LOSSLESS,
            Encoding::UNCOMPRESSED,
            Encoding::SMALL_LOSSLESS,
        ] {
            save(
                names
                    .iter()
                    .map(|name| channel(name, half, &metres))
                    .collect(),
                encoding,
            );
            let map = load(&path, &cells_of(5.0)).unwrap();
            let of_half = expected.mapv(|v| if half { f16::from_f32(v).to_f32() } else { v });
            assert_same(&map.heights, &of_half, names[0]);
        }
    }
    let lossless = Encoding::FAST_LOSSLESS;
    // What is clear has no data.
    let cover = |k: usize| if k == 5 { 0.0 } else { 1.0 };
    save(
        vec![channel("Y", false, &metres), channel("A", false, &cover)],
        lossless,
    );
    let map = load(&path, &cells_of(5.0)).unwrap();
    assert!(map.heights[[1, 1]].is_nan() && map.no_data() == 1);
    // Shares and metres are told apart by the user alone.
    let share = |k: usize| k as f32 / 11.0;
    save(vec![channel("Y", false, &share)], lossless);
    assert_refused(
        &path,
        &cells_of(5.0),
        &["between 0 and 1", "--white", "--height-unit m"],
    );
    let white = LoadOptions {
        black_m: Some(100.0),
        white_m: Some(1200.0),
        ..cells_of(5.0)
    };
    let map = load(&path, &white).unwrap();
    assert_eq!((map.heights[[0, 0]], map.heights[[2, 3]]), (100.0, 1200.0));
    let metre = LoadOptions {
        height_unit: Some("m".parse().unwrap()),
        ..cells_of(5.0)
    };
    assert_eq!(load(&path, &metre).unwrap().heights[[2, 3]], 1.0);
    let other = |k: usize| metres(k) + 1.0;
    save(
        vec![
            channel("R", false, &metres),
            channel("G", false, &other),
            channel("B", false, &metres),
        ],
        lossless,
    );
    assert_refused(&path, &cells_of(5.0), &["gray heights", "colours"]);
    assert_refused(&path, &LoadOptions::default(), &["a.exr"]);
    fs::write(&path, [0x76, 0x2f, 0x31, 0x01, 2, 0]).unwrap();
    assert_refused(&path, &cells_of(5.0), &["OpenEXR"]);
}
