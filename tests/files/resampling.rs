//! Tests of the resampling of heights: exact means on coarser grids, smooth on finer grids, and
//! cells without data never count as heights.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use lavoxel::map::{Crs, Georeference};
use lavoxel::terrain::resample::{Window, resample};
use lavoxel::terrain::{Crop, Fill, Heightmap, TerrainKind, TerrainSpec};
use ndarray::{Array2, Axis, array, s};
use proptest::prelude::*;

/// Number of columns and rows of a heightmap.
type Size = (usize, usize);

fn sides(from: usize, to: usize) -> impl Strategy<Value = Size> {
    (from..to, from..to)
}

/// Strategy for random heights; the fraction `share_of_holes` of the cells has no data.
fn land(size: Size, share_of_holes: f64) -> impl Strategy<Value = Array2<f32>> {
    let cell = (100.0f32..200.0, proptest::bool::weighted(share_of_holes));
    let cells = proptest::collection::vec(
        cell.prop_map(|(h, hole)| if hole { f32::NAN } else { h }),
        size.0 * size.1,
    );
    cells.prop_map(move |cells| Array2::from_shape_vec((size.1, size.0), cells).unwrap())
}

fn to(heights: &Array2<f32>, (cols, rows): Size) -> Array2<f32> {
    resample(heights, Window::whole(heights), cols, rows)
}

fn mean(heights: &Array2<f32>) -> f64 {
    heights.iter().map(|&h| f64::from(h)).sum::<f64>() / heights.len() as f64
}

proptest! {
    /// Checks that a plane stays a plane, with each axis finer or coarser independently. When
    /// finer, the outer halves of the outermost cells are excluded; when coarser by a factor that
    /// is not whole, the mean may be off by an eighth of the rise over an old cell.
    #[test]
    fn a_plane_stays_a_plane(
        old in sides(2, 14),
        new in sides(1, 40),
        (east, south) in (-30.0f64..30.0, -30.0f64..30.0),
    ) {
        // Height at a place in units of old cells.
        let plane = |x: f64, z: f64| 500.0 + east * x + south * z;
        let heights = Array2::from_shape_fn((old.1, old.0), |(r, c)| plane(c as f64 + 0.5, r as f64 + 0.5) as f32);
        let inside = |x: f64, old: usize, new: usize| new <= old || (x >= 0.5 && x <= old as f64 - 0.5);
        let off = |old: usize, new: usize| if old.is_multiple_of(new) || new > old { 0.0 } else { 0.125 };
        let most = 2e-3 + off(old.0, new.0) * east.abs() + off(old.1, new.1) * south.abs();
        for ((r, c), &h) in to(&heights, new).indexed_iter() {
            let x = (c as f64 + 0.5) * old.0 as f64 / new.0 as f64;
            let z = (r as f64 + 0.5) * old.1 as f64 / new.1 as f64;
            if inside(x, old.0, new.0) && inside(z, old.1, new.1) {
                let expected = plane(x, z);
                prop_assert!((f64::from(h) - expected).abs() < most, "{h} for {expected} at {x}, {z}");
            }
        }
    }

    #[test]
    fn going_down_keeps_the_mean(
        (heights, new) in sides(1, 20).prop_flat_map(|old| (land(old, 0.0), (1..=old.0, 1..=old.1))),
    ) {
        let coarse = to(&heights, new);
        prop_assert!((mean(&coarse) - mean(&heights)).abs() < 1e-3);
    }

    #[test]
    fn by_whole_factors_it_is_the_mean_of_each_block(
        (heights, factor) in (sides(1, 6), sides(1, 6)).prop_flat_map(|(new, factor)| {
            (land((new.0 * factor.0, new.1 * factor.1), 0.2), Just(factor))
        }),
    ) {
        let new = (heights.ncols() / factor.0, heights.nrows() / factor.1);
        let blocks = heights.exact_chunks((factor.1, factor.0));
        for (block, &h) in blocks.into_iter().zip(to(&heights, new).iter()) {
            let known: Vec<f64> = block.iter().filter(|h| !h.is_nan()).map(|&h| f64::from(h)).collect();
            if 2 * known.len() < block.len() {
                prop_assert!(h.is_nan(), "{h} from {block}");
            } else {
                let expected = known.iter().sum::<f64>() / known.len() as f64;
                prop_assert!((f64::from(h) - expected).abs() < 1e-3, "{h} from {block}");
            }
        }
    }

    /// Checks holes and the range: all heights lie between 100 and 200, so a hole taken for zero or
    /// an overshooting cubic would be noticed.
    #[test]
    fn holes_stay_holes_and_nothing_leaves_the_range(
        (heights, new) in sides(1, 12).prop_flat_map(|old| (land(old, 0.3), sides(1, 30))),
    ) {
        let known: Vec<f32> = heights.iter().copied().filter(|h| !h.is_nan()).collect();
        let low = known.iter().copied().fold(f32::INFINITY, f32::min);
        let high = known.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for &h in &to(&heights, new) {
            prop_assert!(h.is_nan() || (low - 1e-3..=high + 1e-3).contains(&h), "{h} from {low} to {high}");
        }
        if known.len() == heights.len() {
            prop_assert!(to(&heights, new).iter().all(|h| !h.is_nan()));
        }
    }

    #[test]
    fn each_axis_goes_by_itself(
        (heights, new) in sides(2, 12).prop_flat_map(|old| (land(old, 0.0), sides(1, 30))),
    ) {
        // Terrain that is constant along the columns does not depend on the number of rows.
        let row = heights.slice(s![..1, ..]).to_owned();
        let same = row.broadcast(heights.raw_dim()).unwrap().to_owned();
        let expected = to(&row, (new.0, 1));
        for line in to(&same, new).axis_iter(Axis(0)) {
            prop_assert!(line.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-3), "{line} for {expected}");
        }
    }
}

#[test]
fn going_up_goes_through_the_old_heights() {
    let heights = array![[100.0, 140.0, 120.0, 180.0], [90.0, 80.0, 200.0, 110.0]];
    let fine = to(&heights, (12, 10));
    // With three or five new cells per old cell, the middle new cell shares its centre with the old
    // cell.
    for ((r, c), &h) in heights.indexed_iter() {
        assert!((fine[[5 * r + 2, 3 * c + 1]] - h).abs() < 1e-4);
    }
}

/// Returns the height of a plane at (`x`, `y`) on a map whose units are not metres and differ
/// between the axes.
fn plane(x: f64, y: f64) -> f64 {
    1200.0 + 3.0 * (x - 300.0) - 0.4 * (y - 9000.0)
}

/// Creates a heightmap of that plane with 40 × 60 cells of 30 m × 12 m.
fn oblong() -> Heightmap {
    let origin = Georeference {
        x_west: 300.0,
        y_north: 9000.0,
        metres_per_unit: (20.0, 0.5),
        crs: Crs::default(),
    };
    let cell_size_m = (30.0, 12.0);
    let height = |(r, c): (usize, usize)| {
        let (x, y) = origin.to_map(
            (c as f64 + 0.5) * cell_size_m.0,
            (r as f64 + 0.5) * cell_size_m.1,
        );
        plane(x, y) as f32
    };
    Heightmap {
        heights: Array2::from_shape_fn((60, 40), height),
        cell_size_m,
        origin: Some(origin),
        notes: Vec::new(),
    }
}

/// Compares the heights of `map` with the plane at the coordinates of the map's own georeference.
/// `rim`: number of cells at the edges to skip.
fn check_in_place(map: &Heightmap, rim: usize) {
    let origin = map.origin.as_ref().unwrap();
    let (rows, cols) = map.heights.dim();
    let inside = |i: usize, n: usize| i >= rim && i + rim < n;
    let mut seen = 0;
    for ((r, c), &h) in map
        .heights
        .indexed_iter()
        .filter(|((r, c), _)| inside(*r, rows) && inside(*c, cols))
    {
        let (east, south) = (
            (c as f64 + 0.5) * map.cell_size_m.0,
            (r as f64 + 0.5) * map.cell_size_m.1,
        );
        let (x, y) = origin.to_map(east, south);
        let back = origin.from_map(x, y);
        assert!((back.0 - east).abs() < 1e-6 && (back.1 - south).abs() < 1e-6);
        assert!(
            (f64::from(h) - plane(x, y)).abs() < 0.05,
            "row {r}, column {c}: {h} for {}",
            plane(x, y)
        );
        seen += 1;
    }
    assert!(seen > 10);
}

#[test]
fn every_step_keeps_the_land_at_its_place_on_the_map() {
    let map = oblong();
    check_in_place(&map, 0);
    check_in_place(&map.crop(Crop::from([3, 7, 20, 30])).unwrap(), 0);
    check_in_place(&map.resampled(10, 15).expect("memory"), 0);
    // Finer from east to west, coarser from north to south.
    check_in_place(&map.resampled(80, 12).expect("memory"), 1);
    let by_metres = map.crop_metres([90.0, 84.0, 600.0, 360.0]).unwrap();
    assert_eq!(by_metres, map.crop(Crop::from([3, 7, 20, 30])).unwrap());
    let by_bounds = map.crop_to(by_metres.bounds().unwrap()).unwrap();
    assert_eq!(by_bounds.heights, by_metres.heights);
    assert_eq!(map.crop_to(map.bounds().unwrap()).unwrap(), map);
}

#[test]
fn a_box_on_oblong_cells_lies_where_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("oblong.asc");
    lavoxel::terrain::write::heightmap(
        // The file carries no units; on a map in metres both axes have the same unit.
        &Heightmap {
            origin: oblong().origin.map(|o| Georeference {
                metres_per_unit: (1.0, 1.0),
                ..o
            }),
            ..oblong()
        },
        &file,
        lavoxel::output::Existing::Keep,
    )
    .unwrap();
    let read = lavoxel::terrain::load(&file, &lavoxel::terrain::LoadOptions::default()).unwrap();
    assert_eq!(read.cell_size_m, (30.0, 12.0));
    // The file's heights were computed for other units, so the plane is taken in metres from the
    // file's own corner.
    let inside = |east: f64, south: f64| {
        let (x, y) = oblong().origin.unwrap().to_map(east, south);
        plane(x, y)
    };
    for (keys, (nx, nz), wish) in [
        (TerrainSpec::default(), (64, 64), None),
        (TerrainSpec::default(), (33, 50), Some(11.0)),
        (
            TerrainSpec {
                crop: Some([2, 3, 30, 50]),
                ..TerrainSpec::default()
            },
            (90, 30),
            None,
        ),
        // Finer from east to west, coarser by two from north to south.
        (
            TerrainSpec {
                crop: Some([2, 3, 30, 50]),
                ..TerrainSpec::default()
            },
            (37, 25),
            Some(24.0),
        ),
        (
            TerrainSpec {
                crop_m: Some([60.0, 36.0, 900.0, 600.0]),
                ..TerrainSpec::default()
            },
            (90, 60),
            None,
        ),
        (
            TerrainSpec {
                bounds: Some([360.0, 8364.0, 1260.0, 8964.0]),
                ..TerrainSpec::default()
            },
            (90, 60),
            None,
        ),
        (
            TerrainSpec {
                vertical_exaggeration: Some(1.7),
                base_cells: Some(6.0),
                ..TerrainSpec::default()
            },
            (64, 64),
            None,
        ),
    ] {
        let spec = TerrainSpec {
            kind: TerrainKind::Heightmap,
            file: Some(file.clone()),
            ..keys
        };
        let surface = spec
            .build(lavoxel::grid::Grid::new(nx, 1000, nz), wish, folder.path())
            .unwrap();
        let place = surface.georeference.clone().unwrap();
        let (west, north) = (place.x_west - 300.0, 9000.0 - place.y_north);
        let elevations = surface.to_heightmap();
        for ((k, i), &h) in elevations.heights.indexed_iter() {
            // The outermost cells of the file are constant in their outer halves.
            if i * 30 < nx || (nx - 1 - i) * 30 < nx || k * 30 < nz || (nz - 1 - k) * 30 < nz {
                continue;
            }
            let (east, south) = (
                (i as f64 + 0.5) * surface.cell_size_m,
                (k as f64 + 0.5) * surface.cell_size_m,
            );
            let expected = inside(west + east, north + south);
            assert!(
                (f64::from(h) - expected).abs() < 0.1,
                "{spec:?}: column {i}, {k}: {h} for {expected}"
            );
        }
    }
}

#[test]
fn holes_are_filled_or_cut_as_asked() {
    let holes = array![
        [f32::NAN, 12.0, 13.0, 14.0],
        [21.0, 22.0, 23.0, 24.0],
        [31.0, 32.0, 33.0, f32::NAN],
    ];
    let map = Heightmap {
        heights: holes,
        cell_size_m: (10.0, 20.0),
        origin: oblong().origin,
        notes: Vec::new(),
    };
    let mut cut = map.clone();
    cut.fill(Fill::Cut).unwrap();
    assert_eq!(cut, map.crop(Crop::from([1, 0, 3, 2])).unwrap());
    let mut whole = cut.clone();
    whole.fill(Fill::Cut).unwrap();
    assert_eq!(whole, cut, "what has no holes stays as it is");
    for (rule, corner) in [
        (Fill::Nearest, [12.0, 21.0, 22.0].as_slice()),
        (Fill::Lowest, &[12.0]),
    ] {
        let mut filled = map.clone();
        filled.fill(rule).unwrap();
        assert!(
            corner.contains(&filled.heights[[0, 0]]),
            "{rule:?}: {}",
            filled.heights
        );
        assert_eq!(filled.no_data(), 0);
    }
    assert!(map.clone().fill(Fill::Error).is_err());
}

#[test]
fn a_box_is_cut_from_what_has_no_holes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "-9999 -9999 100 100 100 100\n-9999 100 100 100 100 100\n100 100 100 100 100 -9999\n100 100 100 100 -9999 -9999\n";
    let text = format!(
        "ncols 6\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n{rows}"
    );
    std::fs::write(folder.path().join("slanted.asc"), text).unwrap();
    let build = |fill| {
        let file = Some("slanted.asc".into());
        let spec = TerrainSpec {
            kind: TerrainKind::Heightmap,
            file,
            fill_no_data: fill,
            ..TerrainSpec::default()
        };
        spec.build(lavoxel::grid::Grid::new(6, 20, 6), None, folder.path())
    };
    assert!(
        build(None)
            .unwrap_err()
            .to_string()
            .contains("have no data")
    );
    let surface = build(Some(Fill::Cut)).unwrap();
    assert!(surface.heights.iter().all(|&h| h == 4.0) && surface.floor_m > 0.0);
    let place = surface.georeference.unwrap();
    // Two squares of 3 × 3 cells are without holes; the northern one is taken.
    assert_eq!(
        (place.x_west, place.y_north, surface.cell_size_m),
        (20.0, 40.0, 5.0)
    );
}
