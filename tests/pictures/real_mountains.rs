//! Tests with real elevation data next to the checkout; without the data, these tests report a skip
//! and pass.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::PathBuf;

use crate::needs;
use lavoxel::engine::tiled::Tiled;
use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, Image, Renderer};
use lavoxel::scene::Scene;
use lavoxel::terrain::{
    Fill, Heightmap, LoadOptions, TerrainError, TerrainKind, TerrainSpec, load,
};
use lavoxel::units::AMOUNT_ONE;

fn read(path: &std::path::Path) -> Heightmap {
    load(path, &LoadOptions::default()).unwrap()
}

/// Builds a heightmap on 128 columns in a box that is high enough, and checks what holds for every
/// mountain.
fn on_128_columns(path: PathBuf, crop: Option<[usize; 4]>) {
    let spec = TerrainSpec {
        kind: TerrainKind::Heightmap,
        file: Some(path),
        crop,
        fill_no_data: Some(Fill::Nearest),
        ..TerrainSpec::default()
    };
    let surface = spec
        .build(Grid::new(128, 100, 128), None, "".as_ref())
        .unwrap();
    assert_eq!(surface.heights.dim(), (128, 128));
    let low = surface.heights.iter().copied().fold(f32::MAX, f32::min);
    let high = surface.heights.iter().copied().fold(0.0, f32::max);
    assert!(
        (4.0..8.0).contains(&low) && high > 20.0 && high <= 96.0,
        "{low} to {high} cells"
    );
}

#[test]
fn st_helens_opens_to_the_north() {
    let Some(path) = needs::terrain("st_helens/st_helens_30m_utm10n.asc") else {
        return;
    };
    let map = read(&path);
    let s = map.statistics();
    assert_eq!(
        (s.cols, s.rows, s.min_m, s.max_m, s.no_data),
        (327, 468, 682.0, 2543.0, 4151)
    );
    assert!(map.origin.as_ref().unwrap().crs.wkt.is_some());
    // The crater is around row 190, column 162: its walls stand in the south, and its north side is
    // open.
    let wall =
        |rows: std::ops::Range<usize>| rows.map(|r| map.heights[[r, 162]]).fold(0.0, f32::max);
    assert!(wall(190..240) > wall(110..190) + 200.0);

    let spec = TerrainSpec {
        kind: TerrainKind::Heightmap,
        file: Some(path.clone()),
        ..TerrainSpec::default()
    };
    let error = spec
        .build(Grid::new(128, 100, 128), None, "".as_ref())
        .unwrap_err();
    assert!(matches!(error, TerrainError::NoData { .. }), "{error}");
    on_128_columns(path, None);
}

#[test]
fn fuji_fits_with_its_holes_filled() {
    let Some(path) = needs::terrain("fuji/fuji_90m_utm54n.asc") else {
        return;
    };
    let s = read(&path).statistics();
    assert_eq!(
        (s.cols, s.rows, s.min_m, s.max_m, s.no_data),
        (200, 200, 477.0, 3733.0, 46)
    );
    on_128_columns(path, None);
}

#[test]
fn etna_stands_where_it_should() {
    let Some(path) = needs::terrain("etna2006/dem.asc") else {
        return;
    };
    let map = read(&path);
    assert_eq!(
        (map.cols(), map.rows(), map.cell_size_m, map.no_data()),
        (517, 378, (10.0, 10.0), 0)
    );
    let origin = map.origin.clone().unwrap();
    assert_eq!((origin.x_west, origin.y_north), (499_547.5, 4_178_762.5));
    // The summit craters are in the north-west of this map, the ground falls to the Valle del Bove
    // in the east.
    assert!(map.heights[[40, 10]] > 3000.0 && map.heights[[200, 500]] < 2000.0);
    on_128_columns(path, Some([0, 0, 378, 378]));
}

/// Pours lava on a mountain in a box of 96 × 96 columns and draws the result: the account stays
/// exact, the lava runs downhill from its vent, and the picture shows lava.
fn pour(name: &str, terrain: &str, (vent_x, vent_z): (f64, f64)) {
    let Some(path) = needs::terrain(name) else {
        return;
    };
    let text = format!(
        "name = 'mountain'\n[grid]\nsize = [96, 96, 96]\n[terrain]\nkind = 'heightmap'\nfile = '{}'\n{terrain}\n\
         [rules]\nthreshold = 0.2\n[[vent]]\nx = {vent_x}\nz = {vent_z}\nradius = 2\nrate = 3\n",
        path.canonicalize().unwrap().display()
    );
    let scene = Scene::parse(&text, "mountain.toml".as_ref()).unwrap();
    let mut simulation = scene.build(Box::new(Tiled::default())).unwrap().simulation;
    let mut lowpass = LowPass::new(simulation.world().grid());
    let world = simulation.world();
    let mut renderer = Renderer::new(
        world.ground().surface(),
        world.grid(),
        scene.spec.look.clone(),
    )
    .unwrap();
    let camera = Camera::new(&scene.spec.camera, &renderer.subject(), (96, 64));
    let cold = renderer.frame(lowpass.refresh(simulation.world()), &camera);
    (0..600).for_each(|_| simulation.step());
    let world = simulation.world();
    world.check().unwrap();
    assert_eq!(world.lava().mass(), 600 * 3 * u64::from(AMOUNT_ONE));

    let vent = world.ground().top(vent_x as usize, vent_z as usize);
    let lowest = world.lava().held().map(|([_, y, _], _)| y).min().unwrap();
    assert!(lowest + 3 < vent, "lava from {vent} came down to {lowest}");

    let hot = renderer.frame(lowpass.refresh(world), &camera);
    let glows = |p: &[u8]| p[0] > 180 && u16::from(p[0]) > 2 * u16::from(p[2]);
    let count = |image: &Image| image.rgb.chunks(3).filter(|p| glows(p)).count();
    assert_eq!(count(&cold), 0);
    assert!(count(&hot) > 10, "{} pixels glow", count(&hot));
}

#[test]
fn lava_on_mount_st_helens() {
    pour(
        "st_helens/st_helens_30m_utm10n.asc",
        "fill_no_data = 'nearest'\nvertical_exaggeration = 1.5",
        (46.0, 56.0),
    );
}

#[test]
fn lava_on_mount_fuji() {
    pour(
        "fuji/fuji_90m_utm54n.asc",
        "fill_no_data = 'nearest'\nvertical_exaggeration = 2",
        (48.0, 48.0),
    );
}

#[test]
fn lava_on_etna_in_2006() {
    // The second vent of the eruption: row 114, column 77 of the file.
    let scale = 96.0 / 378.0;
    pour(
        "etna2006/dem.asc",
        "crop = [0, 0, 378, 378]",
        (77.0 * scale, 114.0 * scale),
    );
}
