//! Tests of images draped over the ground: their position in renderings and on meshes, and files
//! that are rejected.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common;
use geotiff_writer::GeoTiffBuilder;
use lavoxel::export::mesh::{Skin, write_glb};
use lavoxel::export::{ExportState, Provenance};
use lavoxel::lowpass::LowPass;
use lavoxel::map::{Crs, ToDegrees};
use lavoxel::output::Existing;
use lavoxel::render::{Camera, CameraSpec, Image, LookSpec, Renderer};
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::view::Palette;
use ndarray::Array3;
use tempfile::TempDir;
use tiff_core::PhotometricInterpretation;

const RED: [u8; 3] = [220, 20, 20];
const BLUE: [u8; 3] = [20, 20, 220];

/// West and north edge of the heightmap in UTM zone 33N, and its side length, in metres.
const WEST: f64 = 499_000.0;
const NORTH: f64 = 4_179_000.0;
const SIDE: f64 = 240.0;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let heights = ndarray::Array2::from_elem((24, 24), 100.0_f32);
    let map = GeoTiffBuilder::new(24, 24)
        .projected_epsg(32633)
        .pixel_scale(10.0, 10.0)
        .origin(WEST, NORTH);
    map.write_2d(folder.path().join("flat.tif"), heights.view())
        .unwrap();
    folder
}

/// Returns a scene with the terrain `terrain`, and its state.
fn built(folder: &TempDir, terrain: &str) -> (Scene, BuiltScene) {
    let text = format!(
        "[grid]\nsize = [24, 12, 24]\n[terrain]\n{terrain}\n[look]\nsky = \"day\"\nclouds = 0\n"
    );
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(&path).unwrap();
    let stage = scene.build(common::tiled()).unwrap();
    (scene, stage)
}

/// Draws a scene with its draped image, seen from the south and high above.
fn seen((scene, stage): &(Scene, BuiltScene)) -> Image {
    let look = LookSpec {
        drape: scene.drape(stage).unwrap(),
        haze: 0.0,
        glow: 0.0,
        ..scene.look()
    };
    let world = stage.simulation.world();
    let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look).unwrap();
    let spec = CameraSpec {
        azimuth_deg: 180.0,
        elevation_deg: 85.0,
        ..CameraSpec::default()
    };
    let camera = Camera::new(&spec, &renderer.subject(), (96, 96));
    let mut lowpass = LowPass::new(world.grid());
    renderer.frame(lowpass.refresh(world), &camera)
}

/// Returns the mean red, green and blue (0 to 255) around a point, given as fractions of the
/// picture's width and height.
fn mean_color_near(image: &Image, [x, y]: [f64; 2]) -> [f64; 3] {
    let (left, top) = ((x * 96.0) as usize - 4, (y * 96.0) as usize - 4);
    let pixels: Vec<_> = (0..64)
        .map(|i| image.pixel(left + i % 8, top + i / 8))
        .collect();
    [0, 1, 2].map(|channel| {
        pixels
            .iter()
            .map(|pixel| f64::from(pixel[channel]))
            .sum::<f64>()
            / 64.0
    })
}

/// Returns the mean colours around the centres of a picture's quarters: north-west, north-east,
/// south-west, south-east.
fn quarters(image: &Image) -> [[f64; 3]; 4] {
    [[0.35, 0.35], [0.65, 0.35], [0.35, 0.65], [0.65, 0.65]]
        .map(|place| mean_color_near(image, place))
}

fn is_red([red, _, blue]: [f64; 3]) -> bool {
    red > 1.6 * blue && red > 60.0
}

fn is_blue([red, _, blue]: [f64; 3]) -> bool {
    blue > 1.6 * red && blue > 60.0
}

/// Returns true if red and blue differ by less than 35 %, as in the rock's own colours.
fn is_rock([red, _, blue]: [f64; 3]) -> bool {
    (red - blue).abs() < 0.35 * red.max(blue)
}

/// Writes a PNG that is red in the west and blue in the east.
fn two_colours(path: &Path) {
    let picture =
        image::RgbImage::from_fn(64, 32, |x, _| image::Rgb(if x < 32 { RED } else { BLUE }));
    picture.save(path).unwrap();
}

/// Writes a GeoTIFF of one colour, 20 × 10 pixels, `wide` × `deep` map units, in the coordinate
/// system EPSG:`code`.
fn colours(
    path: &Path,
    code: u16,
    [west, north]: [f64; 2],
    [wide, deep]: [f64; 2],
    colour: [u8; 3],
) {
    let bands = Array3::from_shape_fn((10, 20, 3), |(_, _, band)| colour[band]);
    let tiff = GeoTiffBuilder::new(20, 10)
        .bands(3)
        .photometric(PhotometricInterpretation::Rgb)
        .epsg(code);
    let tiff = tiff
        .pixel_scale(wide / 20.0, deep / 10.0)
        .origin(west, north);
    tiff.write_3d(path, bands.view()).unwrap();
}

#[test]
fn a_picture_without_a_place_covers_the_box_with_north_up() {
    let folder = folder();
    two_colours(&folder.path().join("two.png"));
    for terrain in [
        "kind = \"plane\"",
        "kind = \"heightmap\"\nfile = \"flat.tif\"",
    ] {
        let image = seen(&built(&folder, &format!("{terrain}\ndrape = \"two.png\"")));
        let [nw, ne, sw, se] = quarters(&image);
        assert!(
            is_red(nw) && is_red(sw) && is_blue(ne) && is_blue(se),
            "{terrain}: {nw:?} {ne:?} {sw:?} {se:?}"
        );
    }
    let image = seen(&built(&folder, "kind = \"plane\""));
    assert!(
        quarters(&image).into_iter().all(is_rock),
        "{:?}",
        quarters(&image)
    );
}

#[test]
fn the_ground_of_a_mesh_has_the_picture() {
    let folder = folder();
    two_colours(&folder.path().join("two.png"));
    let (scene, stage) = built(&folder, "kind = \"plane\"\ndrape = \"two.png\"");
    let world = stage.simulation.world();
    let about = Provenance {
        scene: "two".to_owned(),
        seed: 1,
        ..Provenance::default()
    };
    let shot = ExportState {
        world,
        site: &stage.site,
        about: &about,
        state: world.state_hash(),
    };
    let drape = scene.drape(&stage).unwrap();
    let skin = Skin {
        level: 0.5,
        palette: Palette::named("lava").unwrap(),
        drape,
        blocks: Vec::new(),
    };
    let path = folder.path().join("out.glb");
    write_glb(&path, &shot, &skin, Existing::Keep).unwrap();
    let bytes = fs::read(&path).unwrap();
    let starts = bytes
        .windows(8)
        .enumerate()
        .filter(|(_, start)| *start == b"\x89PNG\r\n\x1a\n")
        .map(|(at, _)| at);
    let pictures = starts.map(|at| image::load_from_memory(&bytes[at..]).unwrap().to_rgb8());
    let ground = pictures.max_by_key(image::RgbImage::height).unwrap();
    let (wide, high) = ground.dimensions();
    let texel = |x: u32| ground.get_pixel(x, high / 2).0.map(f64::from);
    assert!(
        is_red(texel(wide / 4)) && is_blue(texel(3 * wide / 4)),
        "{:?}, {wide} × {high}",
        texel(0)
    );
}

#[test]
fn a_geotiff_lies_by_its_coordinates() {
    let folder = folder();
    let path = folder.path().join("south.tif");
    let terrain = "kind = \"heightmap\"\nfile = \"flat.tif\"\ndrape = \"south.tif\"";
    // The picture covers the southern half, and reaches beyond the sides of the box.
    colours(
        &path,
        32633,
        [WEST - 50.0, NORTH - 0.5 * SIDE],
        [SIDE + 100.0, SIDE],
        BLUE,
    );
    let [nw, ne, sw, se] = quarters(&seen(&built(&folder, terrain)));
    assert!(
        is_rock(nw) && is_rock(ne) && is_blue(sw) && is_blue(se),
        "{nw:?} {ne:?} {sw:?} {se:?}"
    );
    // The picture covers the western half, in degrees.
    let way = ToDegrees::from_crs(&Crs::from_epsg(32633).unwrap()).unwrap();
    let [north_west, south_middle] = [way.at(WEST, NORTH), way.at(WEST + 0.5 * SIDE, NORTH - SIDE)];
    let size = [
        south_middle[0] - north_west[0],
        north_west[1] - south_middle[1],
    ];
    colours(&path, 4326, north_west, size, RED);
    let [nw, ne, sw, se] = quarters(&seen(&built(&folder, terrain)));
    assert!(
        is_red(nw) && is_rock(ne) && is_red(sw) && is_rock(se),
        "{nw:?} {ne:?} {sw:?} {se:?}"
    );
}

#[test]
fn a_picture_of_another_place_and_what_is_no_picture_are_refused() {
    let folder = folder();
    let terrain = "kind = \"heightmap\"\nfile = \"flat.tif\"\ndrape = ";
    let refused = |file: &str| {
        let (scene, stage) = built(&folder, &format!("{terrain}\"{file}\""));
        scene.drape(&stage).unwrap_err().to_string()
    };
    colours(
        &folder.path().join("far.tif"),
        32633,
        [WEST + 9000.0, NORTH],
        [SIDE; 2],
        RED,
    );
    let far = refused("far.tif");
    assert!(
        far.contains("far.tif")
            && far.contains("x 499000 to 499240")
            && far.contains("x 508000 to"),
        "{far}"
    );
    fs::write(folder.path().join("text.png"), "no picture").unwrap();
    fs::write(folder.path().join("cut.png"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
    fs::write(folder.path().join("cut.jpg"), b"\xff\xd8\xff\xe0\0\0").unwrap();
    for file in ["text.png", "cut.png", "cut.jpg", "none.png", "flat.tif"] {
        let error = refused(file);
        assert!(
            error.contains(file) && error.lines().count() == 1,
            "{error}"
        );
    }
}
