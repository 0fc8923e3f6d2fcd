//! Tests of files of a run of the physical model: temperatures in kelvin, viscosity in Pa s,
//! velocity in m/s, and a volume that equals the account's.

use std::fs::File;
use std::path::Path;

use lavoxel::engine::tiled::Tiled;
use lavoxel::export::maps::Maps;
use lavoxel::export::mesh::{Mesh, write_glb, write_ply};
use lavoxel::export::{npz, write_vdb, write_vti};
use lavoxel::output::Existing;
use lavoxel::records::Records;
use lavoxel::scene::Scene;
use ndarray::{Array1, Array3};
use ndarray_npy::NpzReader;
use serde_json::{Value, json};

use super::mesh::{assert_closed, read_glb, read_ply};
use super::state::{Bench, about, python, skin};
use super::vdb::read_vdb;
use super::vti::Vti;

/// Scene of lava from a vent on a slope that falls to the south; some of the lava solidifies.
const SCENE: &str = "model = 'flow'\nseed = 5\n[grid]\nsize = [24, 40, 40]\ncell_size_m = 4.0\ncell_height_m = 0.5\n\
    [terrain]\nkind = 'slope'\nangle_deg = 4.0\n[flow]\nstep_s = 120.0\nopen_sides = false\n\
    [[vent]]\nx = 12.0\nz = 8.0\nrate_m3_s = 0.1\n";

const NAMES: [&str; 6] = [
    "amount",
    "temperature",
    "viscosity",
    "velocity-east",
    "velocity-north",
    "set",
];

fn slope() -> (Bench, Records) {
    let stage = Scene::parse(SCENE, Path::new("slope.toml"))
        .unwrap()
        .build(Box::new(Tiled::default()))
        .unwrap();
    let (site, mut simulation) = (stage.site, stage.simulation);
    let mut records = Records::new(simulation.world().grid());
    for _ in 0..60 {
        simulation.step();
        records.observe(
            simulation.world(),
            simulation.world().flow(),
            simulation.steps(),
        );
    }
    let bench = Bench {
        site,
        about: about(60),
        ..Bench::new(simulation.world().clone())
    };
    (bench, records)
}

#[test]
fn files_of_a_physical_run_hold_its_volume_and_kelvin() {
    let (bench, records) = slope();
    let (world, flow) = (&bench.world, bench.world.flow().unwrap());
    let (lava, account) = (&flow.setup().lava, flow.account());
    let volume_m3 = account.liquid() as f64 * flow.space().unit_m3();
    let set_m3 = account.set as f64 * flow.space().unit_m3();
    assert!(
        volume_m3 > 400.0 && set_m3 > 0.1,
        "{volume_m3} m³ of lava, {set_m3} m³ set"
    );

    let [vti, vdb, archive] = ["a.vti", "a.vdb", "a.npz"].map(|name| bench.path(name));
    let maps = Maps {
        world,
        records: std::slice::from_ref(&records),
        site: &bench.site,
    };
    npz::write(&archive, &maps, &bench.about, Existing::Keep).unwrap();
    write_vti(&vti, &bench.shot(), Existing::Keep).unwrap();
    write_vdb(&vdb, &bench.shot(), Existing::Keep).unwrap();

    let mut file = NpzReader::new(File::open(&archive).unwrap()).unwrap();
    let mut field = |name: &str| -> Array3<f32> { file.by_name(&format!("{name}.npy")).unwrap() };
    let [amount, kelvin, viscosity, east, north, set] = [
        "amount",
        "cell_temperature",
        "cell_viscosity",
        "velocity_east",
        "velocity_north",
        "set",
    ]
    .map(&mut field);
    assert!(
        file.by_name::<ndarray::OwnedRepr<f32>, ndarray::Ix3>("energy.npy")
            .is_err(),
        "no vent units"
    );
    let in_m3 = |field: &Array3<f32>| {
        field.iter().map(|&v| f64::from(v)).sum::<f64>() * flow.space().cell_m3()
    };
    assert!(
        (in_m3(&amount) / volume_m3 - 1.0).abs() < 1e-6,
        "{} of {volume_m3} m³",
        in_m3(&amount)
    );
    assert!(
        (in_m3(&set) / set_m3 - 1.0).abs() < 1e-6,
        "{} of {set_m3} m³ set",
        in_m3(&set)
    );
    let [mut low, mut high, mut fastest] = [f32::INFINITY, 0.0, 0.0_f32];
    for (at, &amount) in amount.indexed_iter() {
        let kelvin = kelvin[at];
        assert_eq!(kelvin > 0.0, amount > 0.0, "kelvin where there is lava");
        if amount > 0.0 {
            let expected = lava.viscosity_pa_s(f64::from(kelvin)) as f32;
            assert!(
                (viscosity[at] / expected - 1.0).abs() < 1e-3,
                "{} Pa s at {kelvin} K",
                viscosity[at]
            );
            (low, high) = (low.min(kelvin), high.max(kelvin));
            fastest = fastest.max(east[at].hypot(north[at]));
        }
    }
    assert!(
        lava.ambient_k as f32 <= low && low < high && high <= lava.vent_k as f32 + 0.01,
        "{low} to {high} K"
    );
    // Uphill of the vent there is less flux than downhill, where the lava flows south.
    let flux = |rows: std::ops::Range<usize>| -> f64 {
        let cells = amount
            .indexed_iter()
            .filter(|((_, row, _), _)| rows.contains(row));
        cells
            .map(|(at, &amount)| f64::from(amount * north[at]))
            .sum()
    };
    assert!(
        flux(9..40) < -3.0 * flux(0..8).abs(),
        "{} downhill, {} uphill",
        flux(9..40),
        flux(0..8)
    );
    let most = (0..flow.space().columns())
        .map(|c| flow.column(c).max_speed_m_s)
        .fold(0.0, f64::max);
    assert!(
        f64::from(fastest) > 0.01 * most && f64::from(fastest) < most,
        "{fastest} m/s beside {most} at the surface"
    );

    let (_, grids) = read_vdb(&vdb);
    for name in NAMES {
        let quantity = world.quantity(name).unwrap();
        let grid = &grids[&name.replace('-', "_")];
        for (&at, &value) in &grid.voxels {
            let [x, z, y] = at;
            assert_eq!(
                world.values(&quantity).at([x, y, world.grid().nz - 1 - z]),
                value,
                "{name} at {at:?}"
            );
        }
        assert!(!grid.voxels.is_empty(), "{name}");
    }
    let expected = expected(&bench, volume_m3, [lava.ambient_k, lava.vent_k + 0.01]);
    python("check_physical.py", &vti, &expected);
    python("check_physical.py", &vdb, &expected);
}

/// Returns the values that the libraries must find: all measures of every seventh cell with lava,
/// by `[east, north, up]`.
fn expected(bench: &Bench, volume_m3: f64, kelvin: [f64; 2]) -> Value {
    let (world, site) = (&bench.world, &bench.site);
    let amounts = world.values(&world.quantity("amount").unwrap());
    let of_cell = |at| {
        let values = NAMES[..5]
            .iter()
            .map(|name| (*name, world.values(&world.quantity(name).unwrap()).at(at)));
        json!([
            site.cell(at),
            values
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .collect::<serde_json::Map<_, _>>()
        ])
    };
    let cells: Vec<_> = world
        .grid()
        .places()
        .filter(|&at| amounts.at(at) > 0.0)
        .step_by(7)
        .map(of_cell)
        .collect();
    json!({ "volume_m3": volume_m3, "kelvin": kelvin, "cells": cells })
}

#[test]
fn melting_worlds_measure_solid_and_liquid() {
    let text = include_str!("../../../terrains/wax.toml");
    let stage = Scene::parse(text, Path::new("terrains/wax.toml"))
        .unwrap()
        .build(Box::new(Tiled::default()))
        .unwrap();
    let mut simulation = stage.simulation;
    (0..40).for_each(|_| simulation.step());
    let world = simulation.world();
    let names: Vec<_> = world
        .quantities()
        .iter()
        .map(|quantity| quantity.name())
        .collect();
    assert!(
        names.contains(&"temperature".to_owned()) && !names.contains(&"energy".to_owned()),
        "{names:?}"
    );
    let [kelvin, set] = ["temperature", "set"].map(|name| world.array(name).unwrap());
    let lava = &world.flow().unwrap().setup().lava;
    let solids: Array1<f32> = kelvin
        .iter()
        .zip(&set)
        .filter(|(_, set)| **set > 0.99)
        .map(|(kelvin, _)| *kelvin)
        .collect();
    assert!(
        solids.len() > 100
            && solids
                .iter()
                .all(|&k| k > 250.0 && f64::from(k) <= lava.liquidus_k + 0.01)
    );
    let solid_m3 = f64::from(set.sum()) * world.flow().unwrap().space().cell_m3();
    let account =
        world.flow().unwrap().account().set as f64 * world.flow().unwrap().space().unit_m3();
    assert!(
        (solid_m3 / account - 1.0).abs() < 1e-3,
        "{solid_m3} of {account} m³"
    );
}

/// Creates the state of the shipped scene `name` after `steps` steps.
fn shipped(name: &str, steps: u64) -> Bench {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("terrains")
        .join(name)
        .with_extension("toml");
    let stage = Scene::load(&path)
        .unwrap()
        .build(Box::new(Tiled::default()))
        .unwrap();
    let (site, mut simulation) = (stage.site, stage.simulation);
    (0..steps).for_each(|_| simulation.step());
    Bench {
        site,
        about: about(steps),
        ..Bench::new(simulation.world().clone())
    }
}

/// Checks densities on points: lava in a cell that counts as rock, because rock fills at least
/// half, belongs to no open cell.
#[test]
fn densities_on_points_are_means_of_the_cells_that_have_room() {
    let mut in_rock = 0;
    for bench in [slope().0, shipped("basalt", 40)] {
        let path = bench.path("points.vti");
        write_vti(&path, &bench.shot(), Existing::Keep).unwrap();
        let density = Vti::read(&path).floats("PointData", "density");
        let (world, [nx, ny, nz]) = (&bench.world, bench.site.shape());
        let amounts = world.values(&world.quantity("amount").unwrap());
        assert_eq!(density.len(), (nx + 1) * (ny + 1) * (nz + 1));
        for (at, &found) in density.iter().enumerate() {
            let [i, j, k] = [
                at % (nx + 1),
                at / (nx + 1) % (ny + 1),
                at / ((nx + 1) * (ny + 1)),
            ];
            let (mut room, mut sum) = (0.0, 0.0);
            for corner in 0..8 {
                let [x, north, y] = [i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2)]
                    .map(|v| v.wrapping_sub(1));
                if x >= nx || north >= ny || y >= nz {
                    continue;
                }
                let cell = [x, y, ny - 1 - north];
                let (amount, is_solid) =
                    (f64::from(amounts.at(cell)), world.ground().is_solid(cell));
                in_rock += usize::from(amount > 0.0 && is_solid);
                if amount > 0.0 || !is_solid {
                    (room, sum) = (room + 1.0, sum + amount);
                }
            }
            let mean = if sum > 0.0 { sum / room } else { 0.0 };
            assert!(
                (f64::from(found) - mean).abs() < 1e-6,
                "point {i} {j} {k}: {found}, not {mean}"
            );
            assert!(found <= 1.0, "more than full");
        }
    }
    assert!(
        in_rock > 40,
        "{in_rock} cells of rock with lava beside points"
    );
}

/// Checks a flow of decimetres in cells of a metre, whose density lies below the iso level
/// everywhere.
#[test]
fn a_thin_flow_has_a_surface_of_its_volume() {
    let bench = shipped("basalt", 40);
    let flow = bench.world.flow().unwrap();
    let liquid_m3 = flow.account().liquid() as f64 * flow.space().unit_m3();
    let mesh = Mesh::surface(&bench.shot(), "lava", skin().level).unwrap();
    assert_closed(&mesh);
    assert!(
        (mesh.volume_m3() / liquid_m3 - 1.0).abs() < 0.1,
        "{} of {liquid_m3} m³",
        mesh.volume_m3()
    );
    assert_eq!(mesh.energies.len(), mesh.positions.len());
    let [ply, glb] = ["thin.ply", "thin.glb"].map(|name| bench.path(name));
    write_ply(&ply, &bench.shot(), &skin(), Existing::Keep).unwrap();
    write_glb(&glb, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let read = read_ply(&ply);
    assert_eq!(
        (read.corners.len(), read.triangles.len()),
        (mesh.positions.len(), mesh.triangles.len())
    );
    let (json, _) = read_glb(&glb);
    let names: Vec<_> = json["meshes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mesh| mesh["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["lava", "ground"]);
    let position = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
        .as_u64()
        .unwrap() as usize;
    assert_eq!(json["accessors"][position]["count"], mesh.positions.len());
}
