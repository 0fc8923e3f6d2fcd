//! Tests of the positions of vents and boxes, given in cells, in metres or in the coordinates of
//! the terrain's file.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::needs;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common;
use lavoxel::map::Bounds;
use lavoxel::output::Existing;
use lavoxel::rules::Walls;
use lavoxel::scene::{BuiltScene, Overrides, Scene, VentOverride, VentPlace};
use lavoxel::source::VentSpec;
use lavoxel::terrain::{Fill, LoadOptions, TerrainSpec, load};
use tempfile::TempDir;

/// Creates a heightmap file of 12 × 8 cells of 10 m, highest at column 5, row 2; its west edge lies
/// at x = 1000, its north edge at y = 580.
fn hill() -> (TempDir, PathBuf) {
    let height = |r: i32, c: i32| 100 - 3 * (r - 2).pow(2) - 2 * (c - 5).pow(2);
    let row = |r: i32| {
        (0..12)
            .map(|c| height(r, c).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows = (0..8).map(row).collect::<Vec<_>>().join("\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hill.asc");
    fs::write(
        &path,
        format!("ncols 12\nnrows 8\nxllcorner 1000\nyllcorner 500\ncellsize 10\n{rows}\n"),
    )
    .unwrap();
    (folder, path)
}

fn scene(folder: &Path, rest: &str) -> Scene {
    let text = format!(
        "[grid]\nsize = [24, 60, 16]\n[terrain]\nkind = \"heightmap\"\nfile = \"hill.asc\"\n{rest}"
    );
    Scene::parse(&text, &folder.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(scene: &Scene) -> BuiltScene {
    scene
        .build(common::tiled())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn vents(scene: &Scene) -> Vec<VentSpec> {
    build(scene).simulation.vents().cloned().collect()
}

fn refused(scene: &Scene) -> String {
    let line = scene
        .build(common::tiled())
        .err()
        .expect("refused")
        .to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn a_vent_is_at_the_same_place_however_it_is_said() {
    let (folder, _) = hill();
    // With cells of 5 m the box covers the whole map.
    let found = vents(&scene(
        folder.path(),
        "[[vent]]\nx = 11.0\nz = 5.0\nradius = 2.0\n[[vent]]\nx_m = 55.0\nz_m = 25.0\nradius_m = 10.0\n\
         [[vent]]\nmap_x = 1055.0\nmap_y = 555.0\nradius = 2.0\n",
    ));
    assert_eq!(found.len(), 3);
    assert!(
        found
            .iter()
            .all(|vent| (vent.x, vent.z, vent.radius) == (11.0, 5.0, 2.0)),
        "{found:?}"
    );

    // The same map position in a crop: 2 columns and 1 row less, 12 × 8 columns of 5 m.
    let part = "bounds = [1020.0, 530.0, 1080.0, 570.0]\n[[vent]]\nmap_x = 1055.0\nmap_y = 555.0\n";
    let mut part = scene(folder.path(), part);
    part.spec.grid.size = [12, 60, 8];
    let stage = build(&part);
    let vent = stage.simulation.vents().next().unwrap();
    assert_eq!((vent.x, vent.z, stage.site.cell_size_m), (7.0, 3.0, 5.0));
    assert_eq!(
        stage.site.georeference.unwrap().bounds(60.0, 40.0),
        Bounds::from([1020.0, 530.0, 1080.0, 570.0])
    );
}

#[test]
fn a_vent_outside_is_named_with_the_bounds_of_the_box() {
    let (folder, path) = hill();
    let rest = "[[vent]]\nx = 1.0\nz = 1.0\n[[vent]]\n";
    for (vent, expected) in [
        (
            "map_x = 999.0\nmap_y = 550.0",
            "vent[1].map_x, map_y = 999, 550: must be within the box: x 1000 to 1120, y 500 to 580",
        ),
        (
            "x_m = 121.0\nz_m = 0.0",
            "vent[1].x_m = 121: must be a number from 0 to 120",
        ),
        (
            "x_m = 1.0\nz_m = 0.0\nradius_m = 500.0",
            "vent[1].radius_m = 500: must be a number from 0 to 120",
        ),
    ] {
        let line = refused(&scene(folder.path(), &format!("{rest}{vent}\n")));
        assert!(
            line.contains("scene.toml") && line.contains(expected),
            "{line}"
        );
    }
    let text = "[[vent]]\nmap_x = 1.0\nmap_y = 1.0\n";
    let line = refused(&Scene::parse(text, Path::new("made.toml")).unwrap());
    assert!(
        line.contains("made.toml: vent[0].map_x, map_y") && line.contains("no place on a map"),
        "{line}"
    );
    // An explicit cell size makes the file's coordinates meaningless.
    let other = refused(&scene(
        folder.path(),
        "cell_size_m = 20.0\n[[vent]]\nmap_x = 1010.0\nmap_y = 550.0\n",
    ));
    assert!(other.contains("no place on a map"), "{other}");
    assert!(path.exists());
}

#[test]
fn many_wide_vents_in_metres_are_too_much_too() {
    let (folder, _) = hill();
    let mut wide = scene(
        folder.path(),
        &"[[vent]]\nx_m = 60.0\nz_m = 40.0\nradius_m = 60.0\n".repeat(9_999),
    );
    assert!(build(&wide).simulation.vents().count() == 9_999);
    wide.spec.vents.extend(wide.spec.vents.clone());
    assert!(refused(&wide).contains("number of [[vent]] tables"));
}

#[test]
fn what_a_session_saves_is_in_cells() {
    let (folder, _) = hill();
    let scene = scene(
        folder.path(),
        "[[vent]]\nmap_x = 1055.0\nmap_y = 555.0\nradius_m = 12.5\n",
    );
    let mut stage = build(&scene);
    (0..5).for_each(|_| stage.simulation.step());
    let saved = folder.path().join("saved.toml");
    scene
        .recorded(&stage.simulation)
        .save(&saved, Existing::Keep)
        .unwrap();
    let again = Scene::load(&saved).unwrap();
    let vent = again.spec.vents[0].in_cells().expect("in cells");
    assert_eq!((vent.x, vent.z, vent.radius), (11.0, 5.0, 2.5));
    let mut replay = build(&again).simulation;
    (0..5).for_each(|_| replay.step());
    assert_eq!(
        replay.world().state_hash(),
        stage.simulation.world().state_hash()
    );
}

#[test]
fn a_heightmap_becomes_a_scene_as_wished() {
    let (_folder, path) = hill();
    let plain = Scene::around_heightmap(&path, &Overrides::default()).unwrap();
    assert_eq!(plain.spec.rules.walls, Walls::Open);
    let vent = vents(&plain)[0].clone();
    let stage = build(&plain);
    let site = stage.site.clone();
    let (x, y) = site.georeference.unwrap().to_map(
        vent.x * stage.site.cell_size_m,
        vent.z * stage.site.cell_size_m,
    );
    assert!(
        (1050.0..1060.0).contains(&x) && (550.0..560.0).contains(&y),
        "the summit's cell, not {x}, {y}"
    );

    let place = VentPlace::Map {
        map_x: 1055.0,
        map_y: 535.0,
    };
    let overrides = Overrides {
        size: Some([20, 90, 10]),
        cell_size_m: Some(4.0),
        terrain: TerrainSpec {
            bounds: Some([1020.0, 500.0, 1120.0, 570.0]),
            base_cells: Some(2.0),
            vertical_exaggeration: Some(1.5),
            fill_no_data: Some(Fill::Lowest),
            ..TerrainSpec::default()
        },
        vents: vec![
            VentOverride {
                place,
                to: None,
                rate: Some(0.25),
                rate_m3_s: None,
                rates: None,
            },
            VentOverride {
                place,
                to: None,
                rate: None,
                rate_m3_s: None,
                rates: None,
            },
        ],
        walls: Some(Walls::Closed),
        ..Overrides::default()
    };
    let wished = Scene::around_heightmap(&path, &overrides).unwrap();
    let stage = build(&wished);
    assert_eq!(
        (wished.spec.grid.size, wished.spec.rules.walls),
        ([20, 90, 10], Walls::Closed)
    );
    assert_eq!(
        (stage.site.cell_size_m, stage.site.vertical_exaggeration),
        (4.0, 1.5)
    );
    // 80 m × 40 m, cut from the middle of 100 m × 70 m.
    let bounds = stage.site.georeference.unwrap().bounds(80.0, 40.0);
    assert_eq!(bounds, Bounds::from([1030.0, 515.0, 1110.0, 555.0]));
    let found: Vec<_> = stage
        .simulation
        .vents()
        .map(|vent| (vent.x, vent.z, vent.rate))
        .collect();
    assert_eq!(
        (found[0], found[1].0, found[1].1),
        ((6.25, 5.0, 0.25), 6.25, 5.0)
    );
    assert!(found[1].2 > 0.25);
}

#[test]
fn wishes_replace_what_a_scene_says() {
    let (folder, _) = hill();
    let mut scene = scene(
        folder.path(),
        "crop = [0, 0, 4, 4]\n[[vent]]\nx = 1.0\nz = 1.0\n",
    );
    let overrides = Overrides {
        terrain: TerrainSpec {
            crop_m: Some([20.0, 0.0, 60.0, 40.0]),
            ..TerrainSpec::default()
        },
        vents: vec![VentOverride {
            place: VentPlace::Metres {
                x_m: 30.0,
                z_m: 20.0,
            },
            to: None,
            rate: None,
            rate_m3_s: None,
            rates: None,
        }],
        ..Overrides::default()
    };
    scene.apply(&overrides).unwrap();
    assert_eq!(
        (scene.spec.terrain.crop, scene.spec.terrain.crop_m),
        (None, Some([20.0, 0.0, 60.0, 40.0]))
    );
    let stage = build(&scene);
    let vent = stage.simulation.vents().next().unwrap();
    assert_eq!(
        (
            vent.x,
            vent.z,
            stage.site.georeference.as_ref().unwrap().x_west
        ),
        (12.0, 8.0, 1020.0)
    );
    let mut made = Scene::volcano();
    assert!(
        made.apply(&overrides)
            .unwrap_err()
            .to_string()
            .contains("terrain.crop_m")
    );
}

#[test]
fn one_part_may_be_said_in_one_way_only() {
    let refused = |keys: &str| {
        let text = format!("[terrain]\nkind = \"heightmap\"\nfile = \"hill.asc\"\n{keys}\n");
        Scene::parse(&text, Path::new("scene.toml"))
            .expect_err(keys)
            .to_string()
    };
    let line = refused("crop = [0, 0, 1, 1]\nbounds = [0.0, 0.0, 1.0, 1.0]");
    assert!(
        line.contains("terrain.bounds") && line.contains("left out beside terrain.crop"),
        "{line}"
    );
    assert!(refused("bounds = [0.0, nan, 1.0, 1.0]").contains("terrain.bounds = NaN"));
    assert!(refused("bounds = [0.0, 1.0, 1.0]").contains("scene.toml:"));
}

#[test]
fn parts_outside_say_what_there_is() {
    let (folder, path) = hill();
    let line = refused(&scene(
        folder.path(),
        "bounds = [900.0, 500.0, 1050.0, 550.0]\n",
    ));
    assert!(
        line.contains("bounds [900, 500, 1050, 550]") && line.contains("[1000, 500, 1120, 580]"),
        "{line}"
    );
    for wrong in [
        "[1050.0, 500.0, 1020.0, 550.0]",
        "[1050.0, 500.0, 1051.0, 550.0]",
    ] {
        assert!(
            refused(&scene(folder.path(), &format!("bounds = {wrong}\n")))
                .contains("narrower than a cell")
        );
    }
    let line = refused(&scene(folder.path(), "crop_m = [0.0, 0.0, 130.0, 80.0]\n"));
    assert!(
        line.contains("crop_m [0, 0, 130, 80]") && line.contains("120 m × 80 m"),
        "{line}"
    );
    let table = folder.path().join("table.csv");
    fs::write(&table, "1,2\n3,4\n").unwrap();
    let bounds = TerrainSpec {
        bounds: Some([0.0, 0.0, 1.0, 1.0]),
        ..TerrainSpec::default()
    };
    let overrides = Overrides {
        terrain: bounds,
        ..Overrides::default()
    };
    let line = Scene::around_heightmap(&table, &overrides)
        .unwrap_err()
        .to_string();
    assert!(
        line.contains("table.csv") && line.contains("place on a map"),
        "{line}"
    );
    assert!(path.exists());
}

/// Checks that Etna's vents of 2006, from the map that marks them, land in the cells given in its
/// description.
#[test]
fn etnas_vents_of_2006_are_in_their_cells() {
    let Some(folder) = needs::terrain("etna2006") else {
        return;
    };
    let marks = load(&folder.join("vents.asc"), &LoadOptions::default()).unwrap();
    let origin = marks.origin.clone().unwrap();
    let marked: Vec<_> = marks
        .heights
        .indexed_iter()
        .filter(|(_, h)| !h.is_nan())
        .map(|((r, c), _)| (c, r))
        .collect();
    assert_eq!(marked, [(71, 114), (77, 114)]);
    let tables = marked.iter().map(|&(c, r)| {
        let (x, y) = origin.to_map((c as f64 + 0.5) * 10.0, (r as f64 + 0.5) * 10.0);
        format!("[[vent]]\nmap_x = {x:?}\nmap_y = {y:?}\nradius = 0.0\n")
    });
    let tables: String = tables.collect();
    // Once on the file's own cells, and once on a crop with cells of half the size.
    for (keys, size, (dx, dz), scale) in [
        ("crop = [0, 0, 378, 378]", [378, 300, 378], (0, 0), 1),
        (
            "bounds = [499647.5, 4177162.5, 500647.5, 4178162.5]",
            [200, 300, 200],
            (10, 60),
            2,
        ),
    ] {
        let text = format!(
            "[grid]\nsize = {size:?}\n[terrain]\nkind = \"heightmap\"\nfile = '{}'\n{keys}\n{tables}",
            folder.join("dem.asc").display()
        );
        let stage = build(&Scene::parse(&text, Path::new("etna.toml")).unwrap());
        let cells = stage
            .simulation
            .vents()
            .map(|vent| (vent.x as usize / scale + dx, vent.z as usize / scale + dz));
        assert_eq!(cells.collect::<Vec<_>>(), marked, "{keys}");
    }
}
