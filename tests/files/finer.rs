//! Tests that a scene computed with finer cells keeps its lengths, volumes and times in metres and
//! seconds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use crate::common;
use lavoxel::grid::Grid;
use lavoxel::scene::{BuiltScene, Overrides, Scene};
use lavoxel::shipped;
use lavoxel::world::{CellMeasure, Quantity, World};

fn finer(scene: &Scene, factor: usize) -> Scene {
    let mut scene = scene.clone();
    scene
        .make_finer(factor)
        .unwrap_or_else(|error| panic!("{}: {error}", scene.spec.name));
    scene
}

fn shipped(name: &str) -> Scene {
    Scene::open(Path::new(&format!("shipped:/{name}.toml"))).unwrap()
}

fn after(scene: &Scene, steps: u64) -> BuiltScene {
    let mut stage = scene
        .build(common::tiled())
        .unwrap_or_else(|error| panic!("{}: {error}", scene.spec.name));
    (0..steps).for_each(|_| stage.simulation.step());
    stage
}

/// Returns the volume in m³ that the vents have poured.
fn poured_m3(stage: &BuiltScene) -> f64 {
    let world = stage.simulation.world();
    match world.flow() {
        Some(flow) => flow.account().poured as f64 * flow.space().unit_m3(),
        None => lavoxel::units::cells(world.lava().ledger().sourced) * stage.site.cell_volume_m3(),
    }
}

/// Returns for each column of the coarse scene whether lava covers it; `factor`: number of fine
/// columns per coarse column along each axis.
fn footprint(stage: &BuiltScene, factor: usize) -> Vec<bool> {
    let world = stage.simulation.world();
    let Grid { nx, nz, .. } = world.grid();
    let mut covered = vec![0; nx / factor * (nz / factor)];
    let mut columns = vec![false; nx * nz];
    for ([x, _, z], amount) in world
        .values(&Quantity::new(CellMeasure::Amount, "lava"))
        .held()
    {
        columns[z * nx + x] |= amount >= 0.05;
    }
    for (at, _) in columns.iter().enumerate().filter(|(_, covered)| **covered) {
        covered[at / nx / factor * (nx / factor) + at % nx / factor] += 1;
    }
    covered
        .into_iter()
        .map(|count| 2 * count >= factor * factor)
        .collect()
}

/// Returns the Jaccard index of two footprints: area of the intersection divided by that of the
/// union.
fn likeness(a: &[bool], b: &[bool]) -> f64 {
    let count = |both: fn(bool, bool) -> bool| {
        a.iter().zip(b).filter(|(a, b)| both(**a, **b)).count() as f64
    };
    count(|a, b| a && b) / count(|a, b| a || b)
}

#[test]
fn the_volcano_in_finer_cells_pours_as_much_and_covers_about_the_same_ground() {
    let mut scene = Scene::volcano();
    scene.spec.grid.size = [64, 50, 64];
    let (coarse, fine) = (after(&scene, 600), after(&finer(&scene, 2), 1200));
    assert_eq!(fine.simulation.world().grid(), Grid::new(128, 100, 128));
    assert_eq!(fine.site.cell_size_m, 5.0);
    let ratio = poured_m3(&fine) / poured_m3(&coarse);
    assert!((ratio - 1.0).abs() < 0.01, "{ratio} of the volume");
    let (coarse, fine) = (footprint(&coarse, 1), footprint(&fine, 2));
    let (alike, areas) = (
        likeness(&coarse, &fine),
        [&coarse, &fine].map(|of| of.iter().filter(|c| **c).count()),
    );
    println!("volcano: ratio {ratio:.4}, likeness {alike:.3}, areas {areas:?}");
    assert!(
        alike > 0.6,
        "{alike:.2} of the ground is covered by both: {areas:?}"
    );
    let grows = areas[1] as f64 / areas[0] as f64;
    assert!((0.6..1.7).contains(&grows), "{areas:?}");
}

#[test]
fn a_flow_of_the_physical_model_in_finer_cells_pours_as_much_and_covers_about_the_same_ground() {
    let mut scene = shipped("basalt");
    scene.spec.set_steps(60);
    let (coarse, fine) = (after(&scene, 60), after(&finer(&scene, 2), 120));
    let time = |stage: &BuiltScene| stage.simulation.world().flow().map(|flow| flow.time_s());
    assert_eq!(time(&coarse), time(&fine), "the same minutes");
    let ratio = poured_m3(&fine) / poured_m3(&coarse);
    assert!((ratio - 1.0).abs() < 1e-3, "{ratio} of the volume");
    let (coarse, fine) = (footprint(&coarse, 1), footprint(&fine, 2));
    let alike = likeness(&coarse, &fine);
    println!("basalt: ratio {ratio:.6}, likeness {alike:.3}");
    assert!(alike > 0.6, "{alike:.2} of the ground is covered by both");
}

#[test]
fn a_factor_of_one_changes_nothing_and_shipped_scenes_are_finer_or_say_why_not() {
    let mut refused = Vec::new();
    for shipped in shipped::scenes() {
        let scene = Scene::open(&shipped.path()).unwrap();
        assert_eq!(finer(&scene, 1).spec, scene.spec, "{}", shipped.name);
        let mut fine = scene.clone();
        match fine.make_finer(2) {
            Ok(()) => {
                assert_eq!(
                    fine.spec.grid.size,
                    scene.spec.grid.size.map(|side| 2 * side)
                );
                let whole = fine.to_toml(Path::new("finer.toml")).unwrap();
                let again = Scene::parse(&whole, Path::new("finer.toml")).unwrap();
                assert_eq!(again.spec.grid, fine.spec.grid, "{}", shipped.name);
            }
            Err(error) => {
                assert!(
                    error.to_string().contains("grid.size"),
                    "{}: {error}",
                    shipped.name
                );
                refused.push(shipped.name);
            }
        }
    }
    assert_eq!(
        refused,
        ["branching", "cycle_2d", "inks", "sand_2d", "smoke2d"],
        "slices of one cell"
    );
}

/// Returns the volume of a material at the start, as a fraction of the volume of the box.
fn filled(scene: &Scene, material: &str) -> f64 {
    let stage = after(scene, 0);
    let world: &World = stage.simulation.world();
    let layer = world
        .layers()
        .iter()
        .find(|layer| layer.material().name == material)
        .unwrap();
    lavoxel::units::cells(layer.tally().mass) / world.grid().cells() as f64
}

#[test]
fn bodies_events_sources_and_steps_grow_with_the_cells() {
    let text = "[grid]\nsize = [24, 20, 16]\n[terrain]\nkind = \"plane\"\nbase_cells = 2.0\n[rules]\nalpha = 0.81\n\
        [rules.friction]\non_solid = 0.19\n[[material]]\nname = \"water\"\n[[material]]\nname = \"sand\"\n\
        [[vent]]\nx = 5.5\nz = 6.0\nradius = 1.5\nrate = 2.0\nheight = 9.0\nstart = 3\nend = 8\n\
        [[source]]\nmaterial = \"sand\"\nx = 4.0\nz = 4.0\nradius = 1.0\nrate = 0.5\n\
        [[source]]\nmaterial = \"water\"\nx = 4.0\nz = 4.0\nradius = 1.0\nrate = 0.5\nfor_box = [12, 10, 8]\n\
        [[body]]\nshape = { kind = \"box\", from = [1, 3, 1], to = [5, 6, 4] }\nmatter = { kind = \"material\", name = \"water\", amount = 1.0 }\n\
        [[event]]\nat = 7\nput = { shape = { kind = \"sphere\", center = [9, 9, 9], radius = 3.5 }, matter = { kind = \"rock\" } }\n\
        [[event]]\nat = 9\nrules = { alpha = 0.25 }\n[film]\nsteps = 100\nevery = 5\n";
    let scene = Scene::parse(text, Path::new("scene.toml")).unwrap();
    let fine = finer(&scene, 2);
    let (was, is) = (after(&scene, 0), after(&fine, 0));
    let vents = |stage: &BuiltScene| stage.simulation.vents().cloned().collect::<Vec<_>>();
    for (was, is) in vents(&was).iter().zip(vents(&is)) {
        assert_eq!(
            (is.x, is.z, is.radius),
            (2.0 * was.x, 2.0 * was.z, 2.0 * was.radius)
        );
        assert_eq!(
            (is.start, is.end),
            (2 * was.start, was.end.map(|end| 2 * end))
        );
        let grains = was.material.as_deref() == Some("sand");
        assert_eq!(
            is.rate,
            if grains { was.rate } else { 4.0 * was.rate },
            "{:?}",
            was.material
        );
    }
    assert_eq!(filled(&fine, "water"), filled(&scene, "water"));
    let spec = &fine.spec;
    assert_eq!(
        (spec.film.steps, spec.film.every, spec.terrain.base_cells),
        (200, 10, Some(4.0))
    );
    assert!(
        (spec.rules.alpha - 0.9).abs() < 1e-12
            && (spec.rules.friction.on_solid - 0.1).abs() < 1e-12
    );
    assert_eq!(spec.events[0].at, 14);
    let rules = spec.events[1]
        .rules
        .as_ref()
        .unwrap()
        .applied(spec.rules.clone());
    assert!((rules.alpha - 0.5).abs() < 1e-12, "{}", rules.alpha);
}

#[test]
fn a_heightmap_keeps_its_metres_and_too_many_cells_are_refused() {
    let path = Path::new("shipped:/maunga_whau.asc");
    let of = |finer: Option<usize>| {
        Scene::around_heightmap(
            path,
            &Overrides {
                finer,
                ..Overrides::default()
            },
        )
    };
    let (was, is) = (of(None).unwrap(), of(Some(2)).unwrap());
    let site = |scene: &Scene| after(scene, 0).site;
    assert!((site(&was).cell_size_m / site(&is).cell_size_m - 2.0).abs() < 1e-9);
    let summit = |scene: &Scene| {
        let stage = after(scene, 0);
        let (x, z) = stage
            .simulation
            .vents()
            .next()
            .map(|vent| (vent.x as usize, vent.z as usize))
            .unwrap();
        stage.site.elevation_m(f64::from(
            stage.simulation.world().ground().surface()[[z, x]],
        ))
    };
    assert!(
        (summit(&was) - summit(&is)).abs() < 6.0,
        "{} and {}",
        summit(&was),
        summit(&is)
    );
    let mut huge = Scene::volcano();
    huge.spec.grid.size = [2000, 100, 2000];
    let message = huge.make_finer(8).unwrap_err().to_string();
    assert!(
        message.contains("grid.size") && message.contains("at most 1024 along each side"),
        "{message}"
    );
    assert!(
        huge.make_finer(9)
            .unwrap_err()
            .to_string()
            .contains("finer = 9: must be a number from 1 to 8")
    );
}
