//! Real elevation data, where it lies beside the checkout; without it these tests only say so.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::PathBuf;

use lavoxel::grid::Grid;
use lavoxel::terrain::{Fill, Heightmap, Kind, LoadOptions, TerrainError, TerrainSpec, load};

fn find(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/terrains").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn read(path: &std::path::Path) -> Heightmap {
    load(path, &LoadOptions::default()).unwrap()
}

/// On 128 columns, high enough a box; checks what holds for every mountain.
fn on_128_columns(path: PathBuf, crop: Option<[usize; 4]>) {
    let spec = TerrainSpec {
        kind: Kind::Heightmap,
        file: Some(path),
        crop,
        fill_no_data: Some(Fill::Nearest),
        ..TerrainSpec::default()
    };
    let surface = spec.build(Grid::new(128, 100, 128), None, "".as_ref()).unwrap();
    assert_eq!(surface.heights.dim(), (128, 128));
    let low = surface.heights.iter().copied().fold(f32::MAX, f32::min);
    let high = surface.heights.iter().copied().fold(0.0, f32::max);
    assert!((4.0..8.0).contains(&low) && high > 20.0 && high <= 96.0, "{low} to {high} cells");
}

#[test]
fn st_helens_opens_to_the_north() {
    let Some(path) = find("st_helens/st_helens_30m_utm10n.asc") else { return };
    let map = read(&path);
    let s = map.statistics();
    assert_eq!((s.cols, s.rows, s.min_m, s.max_m, s.no_data), (327, 468, 682.0, 2543.0, 4151));
    assert!(map.origin.as_ref().unwrap().crs_wkt.is_some());
    // The crater is around row 190, column 162: its walls stand in the south, and it is open to the north.
    let wall = |rows: std::ops::Range<usize>| rows.map(|r| map.heights[[r, 162]]).fold(0.0, f32::max);
    assert!(wall(190..240) > wall(110..190) + 200.0);

    let spec = TerrainSpec { kind: Kind::Heightmap, file: Some(path.clone()), ..TerrainSpec::default() };
    let error = spec.build(Grid::new(128, 100, 128), None, "".as_ref()).unwrap_err();
    assert!(matches!(error, TerrainError::NoData { .. }), "{error}");
    on_128_columns(path, None);
}

#[test]
fn fuji_fits_with_its_holes_filled() {
    let Some(path) = find("fuji/fuji_90m_utm54n.asc") else { return };
    let s = read(&path).statistics();
    assert_eq!((s.cols, s.rows, s.min_m, s.max_m, s.no_data), (200, 200, 477.0, 3733.0, 46));
    on_128_columns(path, None);
}

#[test]
fn etna_stands_where_it_should() {
    let Some(path) = find("etna2006/dem.asc") else { return };
    let map = read(&path);
    assert_eq!((map.cols(), map.rows(), map.cell_size_m, map.no_data()), (517, 378, (10.0, 10.0), 0));
    let origin = map.origin.clone().unwrap();
    assert_eq!((origin.x_west, origin.y_north), (499_547.5, 4_178_762.5));
    // The summit craters are in the north-west of this map, the ground falls to the Valle del Bove in the east.
    assert!(map.heights[[40, 10]] > 3000.0 && map.heights[[200, 500]] < 2000.0);
    on_128_columns(path, Some([0, 0, 378, 378]));
}
