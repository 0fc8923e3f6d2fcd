//! Tests with real elevation data next to the checkout; without the data, these tests report a skip
//! and pass.

use super::*;

#[test]
fn st_helens_is_the_same_in_both_formats() {
    let (Some(model), Some(grid)) = (
        needs::terrain("st_helens/SainteHelens.dem"),
        needs::terrain("st_helens/st_helens_30m_utm10n.asc"),
    ) else {
        return;
    };
    let (model, grid) = (plain(&model).unwrap(), plain(&grid).unwrap());
    let (a, b) = (
        model.origin.as_ref().unwrap(),
        grid.origin.as_ref().unwrap(),
    );
    assert_eq!((a.crs.epsg(), b.crs.epsg()), (Some(26710), Some(26710)));
    assert_eq!(
        (a.x_west, model.cell_size_m, model.cols()),
        (b.x_west, grid.cell_size_m, grid.cols())
    );
    // The grid has a row without heights at either end, where the corners of the quadrangle lie.
    let above = ((b.y_north - a.y_north) / 30.0) as usize;
    let same = grid
        .heights
        .slice(s![above..above + model.rows(), ..])
        .to_owned();
    assert_same(&model.heights, &same, "St. Helens");
    assert_eq!(
        grid.no_data() - model.no_data(),
        (grid.rows() - model.rows()) * grid.cols()
    );
}

/// Checks that the tile in degrees and its crop in metres agree in heights at the same places.
#[test]
fn fuji_in_degrees_is_fuji_in_metres() {
    let (Some(tile), Some(crop)) = (
        needs::terrain("fuji/mt_fuji_90m.tif"),
        needs::terrain("fuji/fuji_90m_utm54n.asc"),
    ) else {
        return;
    };
    let (tile, crop) = (plain(&tile).unwrap(), plain(&crop).unwrap());
    let origin = tile.origin.as_ref().unwrap();
    assert_eq!(
        (tile.heights.dim(), origin.crs.epsg()),
        ((1201, 1201), Some(4326))
    );
    assert_near(origin.x_west, 138.0 - 0.5 / 1200.0, 1e-9, "west");
    assert_near(origin.y_north, 36.0 + 0.5 / 1200.0, 1e-9, "north");
    // The expected size is that of three arc seconds at 35.5° N.
    assert_near(
        tile.cell_size_m.0,
        75.6,
        0.1,
        "metres of three seconds east",
    );
    assert_near(
        tile.cell_size_m.1,
        92.46,
        0.05,
        "metres of three seconds north",
    );

    // Mount Fuji's summit, in both maps.
    let summit = |map: &Heightmap, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>| {
        let known = map
            .heights
            .slice(s![rows.clone(), cols.clone()])
            .indexed_iter()
            .fold(
                ((0, 0), 0.0),
                |best, (at, h)| if *h > best.1 { (at, *h) } else { best },
            );
        ((known.0.0 + rows.start, known.0.1 + cols.start), known.1)
    };
    let ((row, col), height) = summit(&tile, 600..1000, 600..1201);
    let ((crop_row, crop_col), crop_height) = summit(&crop, 0..crop.rows(), 0..crop.cols());
    assert!(
        (height - crop_height).abs() < 30.0,
        "{height} and {crop_height}"
    );

    // At equal distances from the summit both maps have nearly the same height: the scale of the
    // degrees is right.
    let mut worst = (0.0f32, (0.0, 0.0));
    let mut differences = Vec::new();
    for (east, south) in [
        (4e3, 0.0),
        (-4e3, 0.0),
        (0.0, 4e3),
        (0.0, -4e3),
        (3e3, 3e3),
        (-3e3, 3e3),
        (3e3, -3e3),
        (-3e3, -3e3),
    ] {
        let at = |map: &Heightmap, row: usize, col: usize| {
            let (x, y) = (
                col as f64 + east / map.cell_size_m.0,
                row as f64 + south / map.cell_size_m.1,
            );
            map.heights[[y.round() as usize, x.round() as usize]]
        };
        let (a, b) = (at(&tile, row, col), at(&crop, crop_row, crop_col));
        if !a.is_nan() && !b.is_nan() {
            differences.push((a - b).abs());
            if (a - b).abs() > worst.0 {
                worst = ((a - b).abs(), (east, south));
            }
        }
    }
    let mean = differences.iter().sum::<f32>() / differences.len() as f32;
    assert!(
        differences.len() >= 6 && mean < 60.0,
        "mean {mean}, worst {worst:?}"
    );
}

/// Reads the classic table of Maunga Whau, whose rows run from west to east and whose columns from
/// south to north.
#[test]
fn the_classic_table_of_maunga_whau() {
    let Some(path) = needs::terrain("maunga_whau/volcano_maungawhau.csv") else {
        return;
    };
    let map = load(&path, &cells_of(10.0)).unwrap();
    let s = map.statistics();
    assert_eq!(
        (s.cols, s.rows, s.min_m, s.max_m, s.no_data),
        (61, 87, 94.0, 195.0, 0)
    );
}

#[test]
fn etna_without_its_zeros() {
    let Some(path) = needs::terrain("etna2006/dem.asc") else {
        return;
    };
    let given = load(
        &path,
        &LoadOptions {
            no_data: Some(0.0),
            ..LoadOptions::default()
        },
    )
    .unwrap();
    assert_eq!(
        given.no_data(),
        plain(&path)
            .unwrap()
            .heights
            .iter()
            .filter(|h| h.is_nan() || **h == 0.0)
            .count()
    );
}
