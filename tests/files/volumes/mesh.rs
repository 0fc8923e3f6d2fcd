//! Tests of meshes: the surface itself, and its `.ply` and `.glb` files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use lavoxel::export::mesh::{Mesh, write_glb, write_ply};
use lavoxel::grid::{Grid, Place};
use lavoxel::map::Site;
use lavoxel::output::Existing;
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE};
use lavoxel::world::{Ground, World};
use serde_json::{Value, json};

use super::reading::{Bytes, between, floats};
use super::state::{Bench, CELL, SOUTH, WEST, python, skin};
use crate::common::{Dice, cases, random_world};

/// Checks that a mesh is a closed manifold: every edge occurs once in each direction, and the
/// triangles around every corner form one ring.
pub(crate) fn assert_closed(mesh: &Mesh) {
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    for t in &mesh.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            *edges.entry((a, b)).or_default() += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "edge {a} {b}");
    }
    // For each corner, the next corner of the ring around this corner, per triangle.
    let mut rings: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    for t in &mesh.triangles {
        for i in 0..3 {
            rings
                .entry(t[i])
                .or_default()
                .insert(t[(i + 1) % 3], t[(i + 2) % 3]);
        }
    }
    assert_eq!(rings.len(), mesh.positions.len(), "every corner is used");
    for (corner, ring) in rings {
        let start = *ring.keys().min().unwrap();
        let (mut at, mut length) = (ring[&start], 1);
        while at != start {
            (at, length) = (ring[&at], length + 1);
        }
        assert_eq!(length, ring.len(), "corner {corner} has more than one ring");
    }
    for normal in &mesh.normals {
        assert!((normal.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-4);
    }
}

/// Returns the Euler characteristic of a mesh: corners − edges + faces.
fn euler(mesh: &Mesh) -> i64 {
    mesh.positions.len() as i64 - mesh.triangles.len() as i64 / 2
}

#[test]
fn a_ball_of_lava_is_one_closed_surface_of_its_volume() {
    let grid = Grid::new(50, 45, 40);
    let mut world = World::new(Ground::none(grid));
    let inside = |&[x, y, z]: &Place| {
        let d = [x as f64 - 26.0, y as f64 - 21.0, z as f64 - 18.0];
        d.iter().map(|v| v * v).sum::<f64>() < 15.0 * 15.0
    };
    grid.places()
        .filter(inside)
        .for_each(|place| world.place(place, AMOUNT_ONE, ENERGY_ONE));
    let mut bench = Bench::new(world);
    bench.site = Site {
        cell_size_m: 4.0,
        vertical_exaggeration: 2.0,
        floor_m: 100.0,
        ..bench.site
    };
    let mesh = Mesh::surface(&bench.shot(), "lava", 0.5).unwrap();
    assert_closed(&mesh);
    assert_eq!(euler(&mesh), 2);
    let volume = bench.world.lava().tally().cells as f64 * 32.0;
    assert!(
        (mesh.volume_m3() / volume - 1.0).abs() < 0.02,
        "{} of {volume}",
        mesh.volume_m3()
    );
    // The centre of the ball must be where the ball was put; north counts from the south.
    let middle = [26.5 * 4.0, (40.0 - 18.5) * 4.0, 100.0 + 21.5 * 2.0];
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        let d: Vec<f64> = (0..3)
            .map(|axis| f64::from(position[axis]) - middle[axis])
            .collect();
        let length = (d[0] / 4.0).hypot(d[1] / 4.0).hypot(d[2] / 2.0);
        assert!(
            (length - 15.0).abs() < 1.0,
            "{length} cells from the middle"
        );
        assert!(
            d.iter()
                .zip(normal)
                .map(|(d, n)| d * f64::from(*n))
                .sum::<f64>()
                > 0.0,
            "normals look out"
        );
    }
    assert!(
        mesh.energies
            .iter()
            .all(|energy| (energy - 1.0).abs() < 0.02)
    );
}

#[test]
fn every_mesh_is_closed() {
    for (seed, solid, liquid) in [
        (1, 0, 30),
        (2, 30, 50),
        (3, 10, 80),
        (4, 50, 10),
        (5, 0, 100),
        (6, 20, 65),
    ] {
        let bench = Bench::new(random_world(Grid::new(37, 19, 21), seed, solid, liquid));
        for level in [0.1, 0.3, 0.42, 0.6] {
            let mesh = Mesh::surface(&bench.shot(), "lava", level).unwrap();
            assert_closed(&mesh);
            assert!(mesh.volume_m3() >= 0.0);
        }
    }
}

/// Checks films of a liquid on uneven ground: patches that touch across corners, have holes, and
/// lie at the sides of the box.
#[test]
fn sheets_of_films_are_closed_and_have_their_volume() {
    for seed in 0..cases(12) as u64 {
        let (nx, nz) = (17 + seed as usize % 5, 13);
        let mut dice = Dice(seed);
        let mut height = |_| 3.0 + dice.below(40) as f32 / 20.0;
        let ground = ndarray::Array2::from_shape_fn((nz, nx), &mut height);
        let mut world = World::new(Ground::from_surface(20, ground));
        let (share, mut inner, mut all) = (20 + 6 * seed, 0.0, 0.0);
        for (x, z) in (0..nz).flat_map(|z| (0..nx).map(move |x| (x, z))) {
            if dice.below(100) < share {
                let amount = 1 + dice.below(u64::from(AMOUNT_ONE) / 5) as u16;
                world.place([x, world.ground().top(x, z), z], amount, amount / 8);
                let is_inner = x > 0 && z > 0 && x + 1 < nx && z + 1 < nz;
                let metres = 4.0 * f64::from(amount) / f64::from(AMOUNT_ONE);
                all += metres;
                inner += if is_inner { metres } else { 0.0 };
            }
        }
        let mut bench = Bench::new(world);
        bench.site = Site {
            cell_size_m: 2.0,
            vertical_exaggeration: 1.0,
            ..bench.site
        };
        let mesh = Mesh::surface(&bench.shot(), "lava", 0.42).unwrap();
        assert_closed(&mesh);
        // The ground's mesh ends in the middles of the outermost columns.
        let volume = mesh.volume_m3() / 2.0;
        assert!(
            volume > inner - 1e-3 && volume < all + 1e-3,
            "seed {seed}: {inner} < {volume} < {all}"
        );
        assert!(
            mesh.energies
                .iter()
                .all(|energy| (energy - 0.5).abs() < 0.51),
            "{:?}",
            mesh.energies
        );
    }
}

#[test]
fn lava_on_rock_reaches_half_a_cell_into_it() {
    let grid = Grid::new(30, 12, 30);
    let mut world = World::new(Ground::from_surface(
        12,
        ndarray::Array2::from_elem((30, 30), 4.0),
    ));
    for z in 8..22 {
        for x in 8..22 {
            (4..8).for_each(|y| world.place([x, y, z], AMOUNT_ONE, ENERGY_ONE));
        }
    }
    let mesh = Mesh::surface(&Bench::new(world).shot(), "lava", 0.42).unwrap();
    assert_closed(&mesh);
    let ends =
        |pick: fn(f32, f32) -> f32| mesh.positions.iter().map(|p| p[2]).reduce(pick).unwrap();
    let (low, high) = (ends(f32::min), ends(f32::max));
    assert!(
        (low - 3.5).abs() < 0.05 && (high - 8.0).abs() < 0.3,
        "{low} to {high}"
    );
    assert_eq!(grid.ny, 12);
}

/// Contents of a PLY file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ply {
    /// Corners as (position and normal, colour, energy).
    pub(crate) corners: Vec<([f32; 6], [u8; 3], f32)>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Material index of each triangle; empty if the file has none.
    pub(crate) materials: Vec<u8>,
}

pub(crate) fn read_ply(path: &Path) -> Ply {
    let all = fs::read(path).unwrap();
    let end = all.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let head = String::from_utf8(all[..end].to_vec()).unwrap();
    let count = |what: &str| {
        between(&head, &format!("element {what} "), "\n")
            .parse::<usize>()
            .unwrap()
    };
    let mut bytes = Bytes(&all[end..]);
    let corner = |bytes: &mut Bytes<'_>| {
        let numbers = floats(bytes.take(24)).try_into().unwrap();
        (
            numbers,
            bytes.take(3).try_into().unwrap(),
            floats(bytes.take(4))[0],
        )
    };
    let corners = (0..count("vertex")).map(|_| corner(&mut bytes)).collect();
    let mut ply = Ply {
        corners,
        ..Ply::default()
    };
    let numbered = head
        .contains("property list uchar int vertex_indices\nproperty uchar material\nend_header");
    for _ in 0..count("face") {
        assert_eq!(bytes.take(1), [3]);
        ply.triangles.push([bytes.u32(), bytes.u32(), bytes.u32()]);
        ply.materials
            .extend(if numbered { bytes.take(1) } else { &[] });
    }
    assert!(bytes.0.is_empty());
    ply
}

/// Returns the JSON chunk and the binary chunk of a GLB file.
pub(crate) fn read_glb(path: &Path) -> (Value, Vec<u8>) {
    let all = fs::read(path).unwrap();
    let mut bytes = Bytes(&all);
    assert_eq!(
        (bytes.take(4), bytes.u32(), bytes.u32() as usize),
        (&b"glTF"[..], 2, all.len())
    );
    let mut chunks = Vec::new();
    while !bytes.0.is_empty() {
        let (length, kind) = (bytes.u32() as usize, bytes.take(4));
        assert!(length.is_multiple_of(4));
        chunks.push((kind, bytes.take(length).to_vec()));
    }
    assert_eq!(chunks[0].0, b"JSON");
    let json = serde_json::from_slice(&chunks[0].1).unwrap();
    (
        json,
        chunks.get(1).map_or(Vec::new(), |chunk| chunk.1.clone()),
    )
}

/// Returns the bytes of the accessor with the index `number`.
pub(crate) fn accessor<'a>(root: &Value, bin: &'a [u8], number: &Value) -> &'a [u8] {
    let accessor = &root["accessors"][number.as_u64().unwrap() as usize];
    let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    &bin[number(&view["byteOffset"])..][..number(&view["byteLength"])]
}

/// Returns the expected properties of a mesh for the check in Python.
fn facts(mesh: &Mesh) -> Value {
    let end = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
        (0..3)
            .map(|axis| mesh.positions.iter().map(|p| p[axis]).reduce(pick).unwrap())
            .collect()
    };
    json!({
        "vertices": mesh.positions.len(), "triangles": mesh.triangles.len(), "volume": mesh.volume_m3(), "seed": "3",
        "bounds": [end(f32::min), end(f32::max)],
    })
}

#[test]
fn ply_gives_back_the_mesh() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.ply");
    write_ply(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let mesh = Mesh::surface(&bench.shot(), "lava", skin().level).unwrap();
    assert_closed(&mesh);
    let Ply {
        corners,
        triangles,
        materials,
    } = read_ply(&path);
    assert_eq!((triangles, materials), (mesh.triangles.clone(), vec![]));
    assert_eq!(corners.len(), mesh.positions.len());
    for (i, ([x, y, z, nx, ny, nz], color, energy)) in corners.into_iter().enumerate() {
        assert_eq!(
            ([x, y, z], [nx, ny, nz], energy),
            (mesh.positions[i], mesh.normals[i], mesh.energies[i])
        );
        assert_eq!(color, skin().palette.srgb(energy / 2.0));
    }
    for script in ["check_mesh.py", "check_mesh_vtk.py"] {
        python(script, &path, &facts(&mesh));
    }
}

#[test]
fn glb_gives_back_the_mesh_and_the_ground() {
    let bench = Bench::hill(30);
    let path = bench.path("hill.glb");
    write_glb(&path, &bench.shot(), &skin(), Existing::Keep).unwrap();
    let (root, bin) = read_glb(&path);
    let mesh = Mesh::surface(&bench.shot(), "lava", skin().level).unwrap();
    assert_eq!(
        [&root["nodes"][0]["name"], &root["nodes"][1]["name"]],
        ["lava", "ground"]
    );
    assert_eq!(
        root["scenes"][0]["extras"]["offset_m"],
        format!("{WEST} {SOUTH} 0")
    );
    let lava = &root["meshes"][0]["primitives"][0];
    let read = |name: &str| accessor(&root, &bin, &lava["attributes"][name]);
    let y_up = |points: &[[f32; 3]]| {
        points
            .iter()
            .flat_map(|p| [p[0], p[2], -p[1]])
            .collect::<Vec<f32>>()
    };
    assert_eq!(floats(read("POSITION")), y_up(&mesh.positions));
    assert_eq!(floats(read("NORMAL")), y_up(&mesh.normals));
    assert_eq!(floats(read("_ENERGY")), mesh.energies);
    let indices: Vec<u8> = mesh
        .triangles
        .iter()
        .flatten()
        .flat_map(|i| i.to_le_bytes())
        .collect();
    assert_eq!(accessor(&root, &bin, &lava["indices"]), indices);
    let colors = read("COLOR_0").as_chunks::<8>().0;
    assert_eq!(colors.len(), mesh.energies.len());
    for (color, energy) in colors.iter().zip(&mesh.energies) {
        let linear = skin().palette.linear(energy / 2.0);
        let share =
            |n: usize| f32::from(u16::from_le_bytes([color[2 * n], color[2 * n + 1]])) / 65535.0;
        assert!((0..3).all(|n| (share(n) - linear[n]).abs() < 1e-4) && share(3) >= 1.0);
    }
    check_glow(&root, &bin);
    check_ground(
        &bench,
        &floats(accessor(
            &root,
            &bin,
            &root["meshes"][1]["primitives"][0]["attributes"]["POSITION"],
        )),
    );
    assert_valid(root);
    for script in ["check_mesh.py", "check_mesh_vtk.py"] {
        python(script, &path, &facts(&mesh));
    }
}

/// Checks that lava emits light by a texture of its palette, that the ground has a picture, and
/// that texture coordinates lie at the right colours.
fn check_glow(root: &Value, bin: &[u8]) {
    let strength = "KHR_materials_emissive_strength";
    assert_eq!(root["extensionsUsed"], json!([strength]));
    let [lava, ground] = [0, 1].map(|n| &root["materials"][n]);
    assert!(
        lava["extensions"][strength]["emissiveStrength"]
            .as_f64()
            .unwrap()
            > 1.0
    );
    assert_eq!(lava["emissiveFactor"], json!([1.0, 1.0, 1.0]));
    assert!(ground.get("emissiveTexture").is_none() && ground.get("extensions").is_none());
    let texels = |texture: &Value| {
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let image = number(&root["textures"][number(&texture["index"])]["source"]);
        let view = &root["bufferViews"][number(&root["images"][image]["bufferView"])];
        let png = &bin[number(&view["byteOffset"])..][..number(&view["byteLength"])];
        image::load_from_memory(png).unwrap().to_rgb8()
    };
    let glow = texels(&lava["emissiveTexture"]);
    let light = |x: u32| glow.get_pixel(x, 0).0.map(u32::from).iter().sum::<u32>();
    assert_eq!(
        (glow.dimensions(), light(0)),
        ((256, 1), 0),
        "crust is dark"
    );
    assert!(
        (1..256).all(|x| light(x) >= light(x - 1) || x > 200) && light(255) > 300,
        "{}",
        light(255)
    );
    let places = |mesh: usize| {
        let attribute = &root["meshes"][mesh]["primitives"][0]["attributes"]["TEXCOORD_0"];
        floats(accessor(root, bin, attribute))
    };
    let energies = floats(accessor(
        root,
        bin,
        &root["meshes"][0]["primitives"][0]["attributes"]["_ENERGY"],
    ));
    assert!(
        places(0)
            .as_chunks::<2>()
            .0
            .iter()
            .zip(&energies)
            .all(|(place, energy)| *place == [energy / 2.0, 0.5])
    );
    let corners = places(1);
    assert!(
        (corners[0] - 0.5 / 20.0).abs() < 1e-5 && (corners[1] - 0.5 / 12.0).abs() < 1e-5,
        "north-west first"
    );
    let picture = texels(&ground["pbrMetallicRoughness"]["baseColorTexture"]);
    assert_eq!(picture.dimensions(), (80, 48));
    let distinct = picture
        .pixels()
        .collect::<std::collections::HashSet<_>>()
        .len();
    assert!(
        distinct > 100
            && picture
                .pixels()
                .all(|pixel| pixel.0.iter().all(|&c| c > 20)),
        "{distinct}"
    );
}

/// Checks that the ground of a GLB has the heightmap's elevations in the middles of the columns.
fn check_ground(bench: &Bench, points: &[f32]) {
    let surface = bench.world.ground().surface();
    assert_eq!(points.len(), 3 * surface.len());
    for (at, point) in points.as_chunks::<3>().0.iter().enumerate() {
        let (col, row) = (at % 20, at / 20);
        let height = bench.site.floor_m + f64::from(surface[[row, col]]) * CELL / 2.0;
        let place = [
            (col as f64 + 0.5) * CELL,
            height,
            -(12.0 - row as f64 - 0.5) * CELL,
        ];
        assert!(
            place
                .iter()
                .zip(point)
                .all(|(a, b)| (a - f64::from(*b)).abs() < 1e-3),
            "{place:?} {point:?}"
        );
        let metres = (30 - col as i32 - row as i32 / 2 - (col as i32 - 9).abs()) as f64;
        assert!(
            (height - metres).abs() < 1e-3,
            "{height} m in the file, {metres} m in the heightmap"
        );
    }
}

/// Validates against the rules of glTF, as far as the crate `gltf_json` implements them.
pub(crate) fn assert_valid(mut root: Value) {
    use gltf_json::validation::Validate;
    // The crate is built without support for custom attributes.
    root["meshes"][0]["primitives"][0]["attributes"]
        .as_object_mut()
        .unwrap()
        .remove("_ENERGY");
    let root: gltf_json::Root = serde_json::from_value(root).unwrap();
    root.validate(&root, gltf_json::Path::new, &mut |path, error| {
        panic!("{}: {error}", path())
    });
}
