//! Tests of files of worlds with several materials: every format contains every material under its
//! name.

use std::collections::BTreeMap;
use std::path::Path;

use lavoxel::air::{Field, UNIT};
use lavoxel::export::mesh::{Mesh, write_glb, write_ply};
use lavoxel::export::{write_vdb, write_vti};
use lavoxel::lowpass::RowFilter;
use lavoxel::matter::Material;
use lavoxel::output::Existing;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::units::amount;
use lavoxel::world::{Edit, Ground, Layer, Matter, Shape, World};
use ndarray::Array2;
use serde_json::{Value, json};

use super::mesh::{accessor, assert_closed, assert_valid, read_glb, read_ply};
use super::reading::floats;
use super::state::{Bench, python, skin};
use super::vdb::read_vdb;
use super::vti::Vti;
use crate::common::tiled;

/// Creates the state some steps after lava fell into a lake in a bowl.
fn lake() -> Bench {
    let height =
        |(z, x): (usize, usize)| 3.0 + 0.06 * ((x as f32 - 9.0).powi(2) + (z as f32 - 8.0).powi(2));
    let ground = Ground::from_surface(24, Array2::from_shape_fn((18, 20), height));
    let mut world = World::with_materials(ground, vec![Material::water()]);
    let water = Matter::Material {
        name: "water".to_owned(),
        amount: 1.0,
    };
    world.edit(&Edit {
        shape: Shape::Below { level: 8.0 },
        matter: water,
    });
    let ball = Shape::Sphere {
        center: [13.0, 13.0, 9.0],
        radius: 4.0,
    };
    world.edit(&Edit {
        shape: ball,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    });
    world.open_account();
    let mut simulation = Simulation::from(world);
    (0..8).for_each(|_| simulation.step());
    simulation.world().check().unwrap();
    Bench::new(simulation.world().clone())
}

fn water(bench: &Bench) -> &Layer {
    bench.world.layer("water").unwrap()
}

/// Returns the cells `[east, north, up]` with water, and their amounts in full cells.
fn wet(bench: &Bench) -> BTreeMap<[usize; 3], f32> {
    water(bench)
        .held()
        .map(|(at, cell)| (bench.site.cell(at), amount(cell.amount)))
        .collect()
}

#[test]
fn a_vti_has_the_amounts_of_every_material() {
    let bench = lake();
    let path = bench.path("lake.vti");
    write_vti(&path, &bench.shot(), Existing::Keep).unwrap();
    let vti = Vti::read(&path);
    let names = |part: &str| vti.names(part);
    assert_eq!(
        names("CellData"),
        ["amount", "energy", "solid", "water.amount"]
    );
    assert_eq!(names("PointData"), ["density", "energy", "water.density"]);

    let (world, [nx, ny, nz]) = (&bench.world, bench.site.shape());
    let found = vti.floats("CellData", "water.amount");
    for (at, found) in found.iter().enumerate() {
        let place = [at % nx, at / (nx * ny), world.grid().nz - 1 - at / nx % ny];
        assert_eq!(*found, amount(water(&bench).at(place).amount), "{place:?}");
    }
    let sum = found
        .iter()
        .map(|value| f64::from(*value) * 32768.0)
        .sum::<f64>();
    assert_eq!(sum, water(&bench).mass() as f64, "to the unit");

    let density = vti.floats("PointData", "water.density");
    assert_eq!(density.len(), (nx + 1) * (ny + 1) * (nz + 1));
    for (at, found) in density.into_iter().enumerate() {
        let [i, j, k] = [
            at % (nx + 1),
            at / (nx + 1) % (ny + 1),
            at / ((nx + 1) * (ny + 1)),
        ];
        let corners = (0..8)
            .map(|c| [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)].map(|v| v.wrapping_sub(1)));
        let inside = corners.filter(|&[x, north, y]| x < nx && north < ny && y < nz);
        let open: Vec<_> = inside.map(|[x, north, y]| [x, y, ny - 1 - north]).collect();
        let open: Vec<_> = open
            .into_iter()
            .filter(|&place| !world.ground().is_solid(place))
            .collect();
        let sum: f64 = open
            .iter()
            .map(|&place| f64::from(amount(water(&bench).at(place).amount)))
            .sum();
        let mean = sum / open.len().max(1) as f64;
        assert!(
            (f64::from(found) - mean).abs() < 1e-6,
            "point {i} {j} {k}: {found} against {mean}"
        );
    }
    python("check_layers.py", &path, &json!({"water": sum / 32768.0}));
}

#[test]
fn a_vdb_has_grids_of_every_material() {
    let bench = lake();
    let path = bench.path("lake.vdb");
    write_vdb(&path, &bench.shot(), Existing::Keep).unwrap();
    let grids = read_vdb(&path).1;
    let names: Vec<_> = grids.keys().collect();
    assert_eq!(
        names,
        [
            "amount",
            "density",
            "energy",
            "water_amount",
            "water_density"
        ]
    );
    assert_eq!(grids["water_amount"].voxels, wet(&bench));
    let mut density = BTreeMap::new();
    RowFilter::of_layer(1).each_cell(&bench.world, |at, value, energy| {
        assert_eq!(energy, 0, "water carries none");
        if value > 0 {
            density.insert(bench.site.cell(at), f32::from(value) / 255.0);
        }
    });
    assert!(density.len() > wet(&bench).len() && density.values().any(|value| *value == 1.0));
    assert_eq!(grids["water_density"].voxels, density);
}

#[test]
fn a_vdb_has_a_grid_of_every_ink_of_the_air() {
    let text = "[grid]\nsize = [16, 12, 16]\n[terrain]\nkind = 'plane'\n[air]\ninks = 2\n[[fume]]\nx = 8.0\nz = 8.0\n\
        rate = 400.0\nair = { ash = 0.1, inks = [0.0, 0.1], temperature_k = 300.0 }\n";
    let scene = Scene::parse(text, Path::new("inks.toml")).unwrap();
    let mut simulation = scene.build(tiled()).unwrap().simulation;
    (0..5).for_each(|_| simulation.step());
    let bench = Bench::new(simulation.world().clone());
    let path = bench.path("inks.vdb");
    write_vdb(&path, &bench.shot(), Existing::Keep).unwrap();
    let grids = read_vdb(&path).1;
    let names: Vec<_> = grids
        .keys()
        .filter(|name| name.starts_with("air_"))
        .collect();
    assert_eq!(
        names,
        [
            "air_density",
            "air_heat",
            "air_ink1",
            "air_ink2",
            "air_steam"
        ]
    );
    assert!(grids["air_ink1"].voxels.is_empty());
    // The scene emits as much ink as ash, but some ash has sunk.
    let [ash, ink] =
        ["air_density", "air_ink2"].map(|name| grids[name].voxels.values().sum::<f32>());
    let air = simulation.world().air().unwrap();
    let kg_m3 =
        air.amounts().total(Field::Ink2) as f64 / f64::from(UNIT) * air.scale().ash_unit_kg_m3;
    assert!(
        ink > 0.0 && (f64::from(ink) / kg_m3 - 1.0).abs() < 1e-5,
        "{ink} of {kg_m3} kg/m³"
    );
    assert!(
        ash > 0.5 * ink && ash <= 1.001 * ink,
        "{ash} of ash, {ink} of ink"
    );
}

#[test]
fn a_glb_has_a_mesh_for_every_material() {
    let bench = lake();
    let path = bench.path("lake.glb");
    write_glb(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let (root, bin) = read_glb(&path);
    let names: Vec<&Value> = root["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| &node["name"])
        .collect();
    assert_eq!(names, ["lava", "water", "ground"]);

    let mesh = Mesh::surface(&bench.shot(), "water", skin().level).unwrap();
    assert_closed(&mesh);
    assert!(mesh.energies.is_empty());
    // The surface extends half a cell into the bed, which adds to the volume of a lake that is five
    // cells deep.
    let volume = wet(&bench).values().sum::<f32>();
    assert!(
        (0.9..1.5).contains(&(mesh.volume_m3() / f64::from(volume))),
        "{} of {volume}",
        mesh.volume_m3()
    );

    let primitive = &root["meshes"][1]["primitives"][0];
    let y_up = mesh
        .positions
        .iter()
        .flat_map(|p| [p[0], p[2], -p[1]])
        .collect::<Vec<f32>>();
    assert_eq!(
        floats(accessor(&root, &bin, &primitive["attributes"]["POSITION"])),
        y_up
    );
    assert_eq!(
        primitive["attributes"].as_object().unwrap().len(),
        2,
        "neither energy nor colours"
    );
    let material = &root["materials"][primitive["material"].as_u64().unwrap() as usize];
    let color: Vec<f64> = material["pbrMetallicRoughness"]["baseColorFactor"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(Value::as_f64)
        .collect();
    assert!(
        material["name"] == "water" && material["alphaMode"] == "BLEND",
        "{material}"
    );
    assert!(color[2] > color[0] && color[3] < 1.0, "{material}");
    assert_ne!(root["materials"][0]["alphaMode"], "BLEND", "lava is opaque");
    assert_valid(root);
}

#[test]
fn a_ply_says_of_which_material_each_triangle_is() {
    let bench = lake();
    let path = bench.path("lake.ply");
    write_ply(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    assert!(text.contains("\ncomment material 0: lava\ncomment material 1: water\n"));
    let [lava, water] =
        ["lava", "water"].map(|name| Mesh::surface(&bench.shot(), name, skin().level).unwrap());
    let ply = read_ply(&path);
    let (corners, split) = (&ply.corners, lava.positions.len());
    assert_eq!(corners.len(), split + water.positions.len());
    for (i, ([x, y, z, nx, ny, nz], color, energy)) in corners.iter().copied().enumerate() {
        let (mesh, at) = if i < split {
            (&lava, i)
        } else {
            (&water, i - split)
        };
        assert_eq!(
            ([x, y, z], [nx, ny, nz]),
            (mesh.positions[at], mesh.normals[at])
        );
        assert_eq!(energy, mesh.energies.get(at).copied().unwrap_or(0.0));
        assert!(i < split || color == [41, 128, 219], "{color:?}");
    }
    let shifted = water
        .triangles
        .iter()
        .map(|triangle| triangle.map(|corner| corner + split as u32));
    assert_eq!(
        ply.triangles,
        lava.triangles
            .iter()
            .copied()
            .chain(shifted)
            .collect::<Vec<_>>()
    );
    let numbers = lava
        .triangles
        .iter()
        .map(|_| 0)
        .chain(water.triangles.iter().map(|_| 1));
    assert_eq!(ply.materials, numbers.collect::<Vec<u8>>());
}
