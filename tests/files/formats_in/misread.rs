//! Tests with files that are easily misread: unit of a map, markers of no data, decimal commas,
//! unusual bit depths, unusual tags.

use lavoxel::terrain::formats::geotiff;

use super::tiff::Tiff;
use super::*;

const US_FOOT: f64 = 1200.0 / 3937.0;

fn read(tiff: &Tiff, options: &LoadOptions) -> Result<Heightmap, TerrainError> {
    geotiff::read_bytes(&tiff.bytes(), Path::new("a.tif"), options)
}

fn heights(tiff: &Tiff) -> Vec<f32> {
    read(tiff, &LoadOptions::default())
        .unwrap()
        .heights
        .into_iter()
        .collect()
}

#[test]
fn a_map_has_the_unit_of_its_system() {
    let size = |keys: &[(u16, u16)]| {
        let map = read(
            &Tiff::on_map(keys, [0.0, 0.0, 10.0]),
            &LoadOptions::default(),
        )
        .unwrap();
        (map.cell_size_m.0, f64::from(map.heights[[1, 1]]))
    };
    // Compound systems of GDAL: a code for the map, a code for the heights, and a separate unit of
    // the heights.
    let feet = (10.0 * US_FOOT, f64::from((3.0 * US_FOOT) as f32));
    assert_eq!(
        size(&[(1024, 1), (3072, 2263), (4096, 6360), (4099, 9003)]),
        feet
    );
    assert_eq!(size(&[(1024, 1), (3072, 2263), (4096, 6360)]), feet);
    assert_eq!(
        size(&[(1024, 1), (3072, 2263), (4096, 8228)]),
        (10.0 * US_FOOT, f64::from((3.0f64 * 0.3048) as f32))
    );
    assert_eq!(size(&[(1024, 1), (3072, 2263)]), (10.0 * US_FOOT, 3.0));
    assert_eq!(size(&[(3072, 2263)]), (10.0 * US_FOOT, 3.0));
    assert_eq!(
        size(&[(1024, 1), (3072, 32767), (3076, 9036)]),
        (10_000.0, 3.0)
    );
    assert_eq!(size(&[(1024, 1), (3072, 32633)]), (10.0, 3.0));

    // Units of a degree and a grad.
    let north = |code: u16| {
        let tiff = Tiff::on_map(&[(1024, 2), (2048, code)], [2.0, 50.0, 0.01]);
        read(&tiff, &LoadOptions::default()).unwrap().cell_size_m.1
    };
    assert_near(
        north(4807) / north(4326),
        0.9,
        1e-3,
        "EPSG:4807 is in grads",
    );

    for (keys, words) in [
        (&[(1024, 1), (3072, 32767), (3076, 9999)][..], "EPSG:9999"),
        (&[(1024, 1), (3072, 19999)], "EPSG:19999"),
        (&[(1024, 2), (2048, 4326), (2054, 9110)], "EPSG:9110"),
        (&[(1024, 3), (2048, 4978)], "centre of the earth"),
        (&[(1024, 1), (3072, 32633), (4099, 9150)], "EPSG:9150"),
    ] {
        let tiff = Tiff::on_map(keys, [0.0, 50.0, 0.01]);
        let message = read(&tiff, &LoadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(words) && message.starts_with("a.tif: "),
            "{message}"
        );
    }
    // With a given cell size the file needs no unit.
    let tiff = Tiff::on_map(&[(1024, 1), (3072, 19999)], [0.0, 0.0, 10.0]);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.tif");
    fs::write(&path, tiff.bytes()).unwrap();
    let map = load(&path, &cells_of(7.0)).unwrap();
    assert_eq!((map.cell_size_m, map.origin), ((7.0, 7.0), None));
}

#[test]
fn a_projection_of_any_age_is_understood() {
    const GRID: &str = "ncols 2\nnrows 2\nxllcorner 10\nyllcorner 50\ncellsize 0.01\n1 2\n3 4\n";
    const WGS: &str = "GEOGCS[\"Gr\u{f6}\u{df}e\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],\
                       PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]";
    let folder = TempDir::new().unwrap();
    let latin: Vec<u8> = WGS.chars().map(|c| c as u8).collect();
    for (name, ending, text) in [
        (
            "old",
            "prj",
            b"Projection    GEOGRAPHIC\nDatum         WGS84\nUnits         DD\nParameters\n"
                .to_vec(),
        ),
        ("capitals", "PRJ", WGS.as_bytes().to_vec()),
        ("latin", "prj", latin),
    ] {
        let path = folder.path().join(format!("{name}.asc"));
        fs::write(&path, GRID).unwrap();
        fs::write(path.with_extension(ending), text).unwrap();
        let map = plain(&path).unwrap();
        assert!(map.origin.as_ref().unwrap().crs.is_geographic(), "{name}");
        assert_near(map.cell_size_m.1, 1112.3, 0.1, name);
    }
    let path = folder.path().join("words.asc");
    fs::write(&path, GRID).unwrap();
    fs::write(path.with_extension("prj"), "what is this").unwrap();
    assert_refused(&path, &LoadOptions::default(), &[".prj", "--cell-size"]);
    assert_eq!(load(&path, &cells_of(5.0)).unwrap().cell_size_m, (5.0, 5.0));
}

#[test]
fn an_endless_no_data_leaves_the_heights() {
    let mut tiff = Tiff::on_map(&[], [0.0, 0.0, 10.0]);
    tiff.text(42113, b"inf\0");
    assert_eq!(heights(&tiff), [0.0, 1.0, 2.0, 3.0]);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.asc");
    fs::write(
        &path,
        "ncols 2\nnrows 1\ncellsize 1\nNODATA_value inf\n5 inf\n",
    )
    .unwrap();
    let map = plain(&path).unwrap();
    assert!(map.heights[[0, 0]] == 5.0 && map.heights[[0, 1]].is_nan());
    fs::write(&path, "ncols 2\nnrows 1\ncellsize 1\n5 inf\n").unwrap();
    assert_refused(&path, &LoadOptions::default(), &["inf", "NODATA_value"]);
}

#[test]
fn tags_mean_what_they_mean_to_libtiff() {
    // A predictor needs a compression that has predictors; a strip length of 0 is estimated if
    // there is one strip.
    let mut tiff = Tiff::on_map(&[], [0.0, 0.0, 10.0]);
    for change in [
        |tiff: &mut Tiff| tiff.shorts(317, &[2]),
        |tiff: &mut Tiff| tiff.longs(279, &[0]),
        |tiff: &mut Tiff| tiff.without(279),
    ] {
        change(&mut tiff);
        assert_eq!(heights(&tiff), [0.0, 1.0, 2.0, 3.0]);
    }
    // PackBits data, in which −15 is a run of 16 zeros; PackBits has no predictor either.
    let mut packed = Tiff::new([2, 2], [32, 3], vec![(-15i8) as u8, 0], false);
    packed.shorts(259, &[32773]);
    packed.shorts(317, &[3]);
    packed.longs(279, &[0]);
    assert_eq!(read(&packed, &cells_of(1.0)).unwrap().heights.sum(), 0.0);
}

#[test]
fn small_floats_are_read_and_odd_numbers_refused() {
    // Bits of 1.5, −2, 1000 and 0.25 as 16-bit floats.
    let bits = [0x3e00u16, 0xc000, 0x63d0, 0x3400];
    for big_endian in [false, true] {
        let order = if big_endian {
            u16::to_be_bytes
        } else {
            u16::to_le_bytes
        };
        let tiff = Tiff::new(
            [2, 2],
            [16, 3],
            bits.into_iter().flat_map(order).collect(),
            big_endian,
        );
        let found: Vec<f32> = read(&tiff, &cells_of(1.0))
            .unwrap()
            .heights
            .into_iter()
            .collect();
        assert_eq!(found, [1.5, -2.0, 1000.0, 0.25]);
    }
    for (bits, packing, words) in [
        (24, 1, "numbers of 24 bits"),
        (17, 1, "-ot Float32"),
        (16, 34925, "LZMA"),
    ] {
        let mut tiff = Tiff::new([2, 2], [bits, 1], vec![0; 16], false);
        tiff.shorts(259, &[packing]);
        let message = read(&tiff, &cells_of(1.0)).unwrap_err().to_string();
        assert!(
            message.contains(words) && message.contains("gdal_translate"),
            "{message}"
        );
    }
}

/// Checks a LERC file by GDAL, which swaps the bytes of numbers before compression.
#[test]
fn lerc_in_a_big_endian_file_keeps_its_numbers() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/tif");
    let map = plain(&seeds.join("lerc-big.tif")).unwrap();
    let expected =
        Array2::from_shape_fn((40, 50), |(r, c)| 100.0 * r as f32 - 200.0 + 3.0 * c as f32);
    assert_same(&map.heights, &expected, "16-bit numbers");
    if !there("gdal_translate") {
        return;
    }
    let folder = TempDir::new().unwrap();
    for number in ["UInt16", "Int32", "UInt32", "Float32", "Float64"] {
        let path = folder.path().join(format!("{number}.tif"));
        let (from, to) = (seeds.join("lerc-big.tif"), path.display().to_string());
        let pack = [
            "-co",
            "COMPRESS=LERC",
            "-co",
            "ENDIANNESS=BIG",
            "-scale",
            "-200",
            "3847",
            "0",
            "4047",
        ];
        run(
            "gdal_translate",
            &[
                &["-q", "-ot", number][..],
                &pack,
                &[&from.display().to_string(), &to],
            ]
            .concat(),
        );
        assert_same(
            &plain(&path).unwrap().heights,
            &expected.mapv(|h| h + 200.0),
            number,
        );
    }
}

#[test]
fn gray_levels_are_metres_however_few_bits_they_have() {
    let folder = TempDir::new().unwrap();
    for (depth, row, levels) in [
        (::png::BitDepth::One, 0b0110_0000u8, vec![0.0, 1.0, 1.0]),
        (::png::BitDepth::Two, 0b0001_1100, vec![0.0, 1.0, 3.0]),
        (::png::BitDepth::Four, 0x7f, vec![7.0, 15.0]),
    ] {
        let path = folder.path().join("a.png");
        let mut encoder =
            ::png::Encoder::new(fs::File::create(&path).unwrap(), levels.len() as u32, 1);
        encoder.set_color(::png::ColorType::Grayscale);
        encoder.set_depth(depth);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[row])
            .unwrap();
        let found = |options: &LoadOptions| -> Vec<f32> {
            load(&path, options).unwrap().heights.into_iter().collect()
        };
        assert_eq!(found(&cells_of(1.0)), levels);
        // White stays the highest level.
        let most = levels.iter().copied().fold(0.0, f32::max);
        let white = LoadOptions {
            white_m: Some(510.0),
            ..cells_of(1.0)
        };
        assert_eq!(
            found(&white).into_iter().fold(0.0, f32::max),
            510.0,
            "{most}"
        );
    }
}
