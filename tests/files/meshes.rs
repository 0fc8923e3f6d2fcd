//! Tests of bodies from meshes: the cells inside, every format, damaged files, and meshes written
//! by Lavoxel itself.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::HashSet;
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use crate::common;
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::export::mesh::{Skin, write_glb};
use lavoxel::export::{ExportState, Provenance};
use lavoxel::output::Existing;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::Simulation;
use lavoxel::units::AMOUNT_ONE;
use lavoxel::view::Palette;
use lavoxel::world::World;

/// Triangles of a mesh with the axes x east, y up, z south.
type Triangles = Vec<[[f32; 3]; 3]>;

/// Returns a closed surface `at`(u, v) for two angles u, v of a circle: both periodic, or the
/// second from pole to pole. `steps`: number of steps of each angle.
fn turned(steps: [usize; 2], at: impl Fn(f64, f64) -> [f64; 3]) -> Triangles {
    let point = |i: usize, j: usize| {
        let share = |k: usize, n: usize| (k % n) as f64 / n as f64;
        at(2.0 * PI * share(i, steps[0]), 2.0 * PI * share(j, steps[1])).map(|v| v as f32)
    };
    let square = |i: usize, j: usize| {
        let [a, b, c, d] = [
            point(i, j),
            point(i + 1, j),
            point(i + 1, j + 1),
            point(i, j + 1),
        ];
        [[a, c, b], [a, d, c]]
    };
    (0..steps[0])
        .flat_map(|i| (0..steps[1]).flat_map(move |j| square(i, j)))
        .collect()
}

fn torus(wide: f64, thick: f64) -> Triangles {
    turned([96, 48], |a, b| {
        let out = wide + thick * b.cos();
        [out * a.cos(), thick * b.sin(), out * a.sin()]
    })
}

/// Returns the triangles of a box with the side lengths `sides` and its lowest corner at the
/// origin.
fn cuboid(sides: [f32; 3]) -> Triangles {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { sides[k] } else { 0.0 });
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    faces
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]].map(|t| t.map(corner)))
        .collect()
}

fn sphere(radius: f64) -> Triangles {
    // A subdivided octahedron: unlike a sphere of meridians, its poles have no thin triangles.
    let ends = [
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let faces = [
        [2, 4, 0],
        [2, 0, 5],
        [2, 5, 1],
        [2, 1, 4],
        [3, 0, 4],
        [3, 5, 0],
        [3, 1, 5],
        [3, 4, 1],
    ];
    let mut all: Vec<[[f64; 3]; 3]> = faces.iter().map(|face| face.map(|i| ends[i])).collect();
    for _ in 0..5 {
        let cut = |[a, b, c]: [[f64; 3]; 3]| {
            let middle = |p: [f64; 3], q: [f64; 3]| {
                let sum: [f64; 3] = std::array::from_fn(|k| p[k] + q[k]);
                let length = sum.iter().map(|v| v * v).sum::<f64>().sqrt();
                sum.map(|v| v / length)
            };
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        all = all.into_iter().flat_map(cut).collect();
    }
    all.into_iter()
        .map(|face| face.map(|p| p.map(|v| (v * radius) as f32)))
        .collect()
}

fn stl(triangles: &Triangles) -> Vec<u8> {
    let mut bytes = b"solid by a program that calls every file so".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for corners in triangles {
        bytes.extend([0; 12]);
        // The file has z up: north is −z of our axes.
        bytes.extend(
            corners
                .iter()
                .flat_map(|[x, y, z]| [*x, -z, *y])
                .flat_map(f32::to_le_bytes),
        );
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text(triangles: &Triangles) -> Vec<u8> {
    let mut text = String::from("solid\n");
    for corners in triangles {
        text += "facet normal 0 0 0\n outer loop\n";
        corners
            .iter()
            .for_each(|[x, y, z]| text += &format!("  vertex {x:e} {:e} {y:e}\n", -z));
        text += " endloop\nendfacet\n";
    }
    (text + "endsolid\n").into_bytes()
}

fn obj(triangles: &Triangles) -> Vec<u8> {
    let mut text = String::from("mtllib none.mtl\no thing\nusemtl red\n");
    for (i, corners) in triangles.iter().enumerate() {
        corners
            .iter()
            .for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        text += &format!("f {} {} {}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    }
    text.into_bytes()
}

/// Returns a GLB whose node moves the mesh by 5 along x and whose child node moves it back;
/// `change` edits the JSON.
fn glb_with(triangles: &Triangles, change: impl Fn(&str) -> String) -> Vec<u8> {
    let numbers: Vec<u8> = triangles
        .iter()
        .flatten()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let (length, count) = (numbers.len(), 3 * triangles.len());
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"name":"outer","translation":[5,0,0],"children":[1]}},{{"name":"thing","translation":[-5,0,0],"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{length}}}],"buffers":[{{"byteLength":{length}}}]}}"#
    );
    let mut json = change(&json).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(((28 + json.len() + length) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &numbers)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

fn glb(triangles: &Triangles) -> Vec<u8> {
    glb_with(triangles, str::to_owned)
}

/// Returns a scene of the classic model with one body on an empty floor. `file`, `keys`: mesh file
/// and further keys of the shape; `matter`: keys of the matter.
fn scene(folder: &Path, file: &str, keys: &str, matter: &str) -> Scene {
    let text = format!(
        "[grid]\nsize = [40, 36, 44]\ncell_size_m = 2.0\n[terrain]\nkind = \"plane\"\nbase_cells = 0.0\n[[body]]\n\
         shape = {{ kind = \"mesh\", file = \"{file}\", {keys} }}\nmatter = {{ {matter} }}\n[[material]]\nname = \"water\"\n"
    );
    Scene::parse(&text, &folder.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn built(scene: &Scene) -> Simulation {
    scene
        .build(common::tiled())
        .unwrap_or_else(|e| panic!("{e}"))
        .simulation
}

/// Returns the cells of rock as `[x, y, z]`.
fn rock(simulation: &Simulation) -> Vec<[usize; 3]> {
    let world = simulation.world();
    world
        .grid()
        .places()
        .filter(|&place| world.ground().is_solid(place))
        .collect()
}

/// Returns the error message of a scene with the mesh file `file` and the shape keys `keys`.
fn error(folder: &Path, file: &str, keys: &str) -> String {
    let simulation = scene(folder, file, keys, ROCK).build(common::tiled());
    simulation
        .err()
        .unwrap_or_else(|| panic!("{file} with {keys} was taken"))
        .to_string()
}

/// Matter keys of a body of rock.
const ROCK: &str = "kind = \"rock\"";

/// Placement keys of most bodies, near the middle of the box.
const MIDDLE: &str = "unit_m = 2.0, origin = [20.0, 18.0, 22.0]";

#[test]
fn volumes_are_those_of_the_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = [
        ("sphere", sphere(13.0), 4.0 / 3.0 * PI * 13.0_f64.powi(3)),
        ("torus", torus(12.0, 5.0), 2.0 * PI * PI * 12.0 * 25.0),
        ("box", cuboid([21.3, 20.1, 23.7]), 21.3 * 20.1 * 23.7),
    ];
    for (name, triangles, volume) in bodies {
        fs::write(folder.path().join("body.stl"), stl(&triangles)).unwrap();
        for turn in [0.0, 33.0] {
            let keys = format!("unit_m = 2.0, turn_deg = {turn}, base = [20.3, 4.2, 22.1]");
            let cells = rock(&built(&scene(folder.path(), "body.stl", &keys, ROCK))).len() as f64;
            assert!(
                (cells / volume - 1.0).abs() < 0.02,
                "{name} turned by {turn}°: {cells} cells for {volume}"
            );
        }
    }
}

#[test]
fn a_box_along_the_axes_has_the_cells_of_the_shape() {
    let folder = tempfile::tempdir().unwrap();
    // The box's sides pass through the middles of cells.
    fs::write(
        folder.path().join("box.obj"),
        obj(&cuboid([6.0, 8.0, 10.0])),
    )
    .unwrap();
    let mesh = rock(&built(&scene(
        folder.path(),
        "box.obj",
        "unit_m = 2.0, origin = [3.5, 4.5, 5.5]",
        ROCK,
    )));
    let inside = |p: &[usize; 3]| {
        (3..9).contains(&p[0]) && (4..12).contains(&p[1]) && (5..15).contains(&p[2])
    };
    assert_eq!(mesh.len(), 6 * 8 * 10);
    assert!(mesh.iter().all(inside));
}

#[test]
fn every_format_gives_the_same_cells() {
    let folder = tempfile::tempdir().unwrap();
    let triangles = torus(11.0, 4.5);
    let cells = |file: &str, bytes: &[u8], more: &str| {
        fs::write(folder.path().join(file), bytes).unwrap();
        rock(&built(&scene(
            folder.path(),
            file,
            &format!("{MIDDLE}, turn_deg = 20.0{more}"),
            ROCK,
        )))
    };
    let first = cells("a.stl", &stl(&triangles), "");
    assert!(first.len() > 3000);
    for (file, bytes, more) in [
        ("text.stl", stl_text(&triangles), ""),
        ("b.OBJ", obj(&triangles), ""),
        ("c.glb", glb(&triangles), ""),
        ("c.glb", glb(&triangles), ", part = \"thing\""),
        ("c.glb", glb(&triangles), ", part = \"outer\""),
        ("d.stl", stl_text(&triangles), ", up = \"z\""),
    ] {
        assert!(cells(file, &bytes, more) == first, "{file}{more}");
    }
}

#[test]
fn proportions_are_those_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.stl"), stl(&sphere(1.0))).unwrap();
    let text = "model = \"flow\"\n[grid]\nsize = [30, 60, 30]\ncell_size_m = 2.0\ncell_height_m = 1.0\n[terrain]\n\
                kind = \"plane\"\nbase_cells = 0.0\n[[body]]\nmatter = { kind = \"rock\" }\n\
                shape = { kind = \"mesh\", file = \"ball.stl\", height = 40.0, base = [15.0, 8.0, 15.0] }\n\
                [[vent]]\nx = 1.0\nz = 1.0\nrate_m3_s = 0.1\n";
    let simulation = built(&Scene::parse(text, &folder.path().join("scene.toml")).unwrap());
    let cells = rock(&simulation);
    let side = |k: usize| {
        let values = cells.iter().map(|cell| cell[k]);
        values.clone().max().unwrap() + 1 - values.min().unwrap()
    };
    assert_eq!([side(0), side(1), side(2)], [20, 40, 20], "a ball of 40 m");
    let volume = 4.0 / 3.0 * PI * 20.0_f64.powi(3) / 4.0;
    assert!(
        (cells.len() as f64 / volume - 1.0).abs() < 0.02,
        "{} for {volume}",
        cells.len()
    );
}

#[test]
fn any_matter_fills_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.glb"), glb(&sphere(8.0))).unwrap();
    let with = |matter: &str| built(&scene(folder.path(), "ball.glb", MIDDLE, matter));
    let count = rock(&with(ROCK)).len() as u64;
    assert!(count > 2000);
    for (name, matter) in [
        ("lava", "kind = \"lava\", amount = 1.0, energy = 1.0"),
        (
            "water",
            "kind = \"material\", name = \"water\", amount = 1.0",
        ),
    ] {
        let simulation = with(matter);
        let layer = simulation.world().layer(name).unwrap();
        assert_eq!(layer.mass(), count * u64::from(AMOUNT_ONE), "{name}");
        simulation.world().check().unwrap();
    }
}

#[test]
fn small_holes_do_not_leak_and_large_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sphere(13.0);
    let cells = |triangles: &Triangles| {
        fs::write(folder.path().join("ball.stl"), stl(triangles)).unwrap();
        rock(&built(&scene(folder.path(), "ball.stl", MIDDLE, ROCK)))
    };
    let all = cells(&whole);
    // A few triangles are missing in places.
    let holed: Triangles = whole
        .iter()
        .enumerate()
        .filter(|(i, _)| i % 1000 != 17)
        .map(|(_, t)| *t)
        .collect();
    assert_eq!(whole.len() - holed.len(), 9);
    assert!(cells(&holed) == all);
    // A third of the triangles have the opposite winding.
    let turn = |(i, [a, b, c]): (usize, &[[f32; 3]; 3])| {
        if i % 3 == 0 {
            [*a, *c, *b]
        } else {
            [*a, *b, *c]
        }
    };
    assert!(cells(&whole.iter().enumerate().map(turn).collect()) == all);
    // Two balls that overlap are one body.
    let moved = |t: &[[f32; 3]; 3]| t.map(|[x, y, z]| [x + 4.0, y, z]);
    let both = cells(
        &whole
            .iter()
            .copied()
            .chain(whole.iter().map(moved))
            .collect(),
    );
    assert!(all.iter().all(|cell| both.contains(cell)) && both.len() > all.len());
    // A sheet has no inside.
    let sheet: Triangles = whole
        .iter()
        .filter(|t| t.iter().all(|p| p[0] > -2.0 && p[2] > -2.0))
        .copied()
        .collect();
    fs::write(folder.path().join("sheet.stl"), stl(&sheet)).unwrap();
    let error = error(folder.path(), "sheet.stl", MIDDLE);
    assert!(
        error.contains("sheet.stl: the mesh is not closed: ") && error.contains(" open edges"),
        "{error}"
    );
    assert!(error.contains("Fill Holes"), "{error}");
}

#[test]
fn a_damaged_file_gives_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let ball = sphere(9.0);
    let cut = |mut bytes: Vec<u8>, share: usize| {
        bytes.truncate(bytes.len() * share / 100);
        bytes
    };
    let huge = |mut bytes: Vec<u8>| {
        bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes
    };
    let mut nan = ball.clone();
    nan[7][1][2] = f32::NAN;
    let mut far = ball.clone();
    far[7][1][2] = f32::INFINITY;
    let change = |from: &'static str, to: &'static str| {
        let bytes = glb_with(&ball, |json| {
            assert!(json.contains(from), "{from}");
            json.replace(from, to)
        });
        ("x.glb", bytes)
    };
    let files = [
        (("x.stl", cut(stl(&ball), 60)), "cannot hold the"),
        (
            ("x.stl", huge(stl(&ball))),
            "cannot hold the 4294967295 triangles",
        ),
        (("x.stl", cut(stl_text(&ball), 60)), "cut short"),
        (("x.stl", Vec::new()), "too short"),
        (("x.stl", stl(&Vec::new())), "no triangles"),
        (("x.stl", stl(&nan)), "not at a finite place"),
        (("x.stl", stl(&far)), "not at a finite place"),
        (
            (
                "x.stl",
                b"solid a\nfacet normal 0 0 0\nouter loop\nvertex 1 2 x\nendsolid".to_vec(),
            ),
            "not a mesh in the format STL",
        ),
        (("x.stl", vec![0xff; 4000]), "cannot hold the"),
        (("x.obj", obj(&nan)), "not at a finite place"),
        (
            ("x.obj", b"o a\nv 0 0 0\nf 1 2 3\n".to_vec()),
            "not a mesh in the format OBJ",
        ),
        (
            ("x.obj", b"v 0 0 zero\n".to_vec()),
            "not a mesh in the format OBJ",
        ),
        (("x.obj", b"# nothing\n".to_vec()), "no triangles"),
        (("x.obj", vec![0xff; 400]), "not a mesh in the format OBJ"),
        (("x.glb", cut(glb(&ball), 70)), "cut short"),
        (("x.glb", glb(&nan)), "not at a finite place"),
        (("x.glb", stl(&ball)), "not a mesh in the format GLB"),
        (("x.glb", Vec::new()), "not a mesh in the format GLB"),
        (change("\"count\":", "\"count\":9"), "beyond the numbers"),
        (
            change("\"count\":", "\"count\":99999999999999"),
            "not a mesh in the format GLB",
        ),
        (
            change("\"bufferView\":0", "\"bufferView\":7"),
            "has no numbers",
        ),
        (change("\"POSITION\":0", "\"POSITION\":9"), "not there"),
        (change("\"mesh\":0", "\"mesh\":4000000000"), "not there"),
        (change("\"nodes\":[0]", "\"nodes\":[8]"), "not there"),
        (change("\"children\":[1]", "\"children\":[0]"), "two places"),
        (change("\"VEC3\"", "\"VEC2\""), "three numbers"),
        (change("5126", "5120"), "three numbers"),
        (change("\"buffer\":0", "\"buffer\":1"), "another file"),
        (
            change(
                "\"scene\":0",
                "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"scene\":0",
            ),
            "draco",
        ),
        (change("\"asset\"", "asset"), "not a mesh in the format GLB"),
        (
            change("\"translation\":[5,0,0]", "\"translation\":[1e39,0,0]"),
            ".glb",
        ),
    ];
    for (i, ((file, bytes), part)) in files.iter().enumerate() {
        fs::write(folder.path().join(file), bytes).unwrap();
        let error = error(folder.path(), file, MIDDLE);
        assert!(
            error.contains(part) && error.contains(file) && !error.contains('\n'),
            "{i}: {error}"
        );
        assert!(error.len() < 600, "{i}: {error}");
    }
}

#[test]
fn wrong_keys_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.glb"), glb(&sphere(9.0))).unwrap();
    fs::write(
        folder.path().join("flat.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n",
    )
    .unwrap();
    fs::create_dir(folder.path().join("folder.stl")).unwrap();
    for (file, keys, part) in [
        ("none.stl", MIDDLE, "none.stl: cannot be read"),
        ("folder.stl", MIDDLE, "not a regular file"),
        (
            "ball.glb",
            "unit_m = 2.0, origin = [2000.0, 18.0, 22.0]",
            "no cell of the box lies inside",
        ),
        (
            "ball.glb",
            "unit_m = 0.01, origin = [20.0, 18.0, 22.0]",
            "no cell of the box lies inside",
        ),
        (
            "flat.obj",
            "height = 4.0, base = [20.0, 18.0, 22.0]",
            "is flat",
        ),
        (
            "ball.glb",
            "unit_m = 2.0, origin = [20.0, 18.0, 22.0], part = \"leg\"",
            "no part \"leg\"; the file has \"outer\", \"thing\"",
        ),
    ] {
        let error = error(folder.path(), file, keys);
        assert!(error.contains(part), "{error}");
    }
    let refused = |shape: &str| {
        let text = format!(
            "[[body]]\nmatter = {{ kind = \"rock\" }}\nshape = {{ kind = \"mesh\", {shape} }}\n"
        );
        Scene::parse(&text, &folder.path().join("scene.toml"))
            .unwrap_err()
            .to_string()
    };
    let place = "base = [1, 2, 3]";
    for (shape, part) in [
        (
            format!("file = \"ball.ply\", height = 3, {place}"),
            "must be the name of a mesh (.stl, .obj, .glb)",
        ),
        (
            format!("file = \"ball.stl\", {place}"),
            "shape.height = nothing: must be given, or unit_m",
        ),
        (
            "file = \"ball.stl\", height = 3".to_owned(),
            "shape.base = nothing: must be given, or origin",
        ),
        (
            format!("file = \"ball.stl\", height = 3, unit_m = 1, {place}"),
            "shape.unit_m = set: must be left out",
        ),
        (
            format!("file = \"ball.stl\", height = 3, origin = [1, 2, 3], {place}"),
            "shape.origin = set: must be left",
        ),
        (
            format!("file = \"ball.stl\", height = -3, {place}"),
            "shape.height = -3",
        ),
        (
            format!("file = \"ball.stl\", height = 3, turn = 4, {place}"),
            "did you mean `turn_deg`",
        ),
        (
            format!("file = \"ball.stl\", height = nan, {place}"),
            "shape.height = NaN",
        ),
    ] {
        let error = refused(&shape);
        assert!(error.contains(part), "{error}");
    }
    let event = format!(
        "[[event]]\nat = 3\nput = {{ shape = {{ kind = \"mesh\", file = \"a.ply\", height = 3, {place} }}, \
                         matter = {{ kind = \"rock\" }} }}\n"
    );
    let error = Scene::parse(&event, &folder.path().join("scene.toml"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("event[0].put.shape.file"), "{error}");
}

/// Returns a scene with a ball of rock that an event adds at step `at`.
fn scene_of_event(folder: &Path, at: u64) -> Scene {
    let text = format!(
        "seed = 3\n[grid]\nsize = [40, 40, 44]\ncell_size_m = 2.0\n[terrain]\nkind = \"plane\"\nbase_cells = 2.0\n\
         [[event]]\nat = {at}\nput = {{ shape = {{ kind = \"mesh\", file = \"ball.stl\", {MIDDLE} }}, matter = {{ {ROCK} }} }}\n"
    );
    Scene::parse(&text, &folder.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn an_event_puts_a_mesh_into_the_box_when_it_is_due() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ball.stl"), stl(&sphere(6.0))).unwrap();
    let at_once = rock(&built(&scene_of_event(folder.path(), 0)));
    let scene = scene_of_event(folder.path(), 3);
    let mut stage = scene
        .build(common::tiled())
        .unwrap_or_else(|e| panic!("{e}"));
    let bare = rock(&stage.simulation).len();
    assert!(at_once.len() > bare + 800, "{} cells", at_once.len() - bare);
    let path = folder.path().join("run.lvx");
    let kept = |stage: &BuiltScene| {
        let mut bytes = Vec::new();
        CheckpointWriter {
            scene: &scene,
            stage,
            extras: &[],
        }
        .write(&path, &mut bytes)
        .unwrap();
        bytes
    };
    let read = |bytes: &[u8]| {
        Checkpoint::read(bytes, &path, common::tiled()).map(|kept| kept.stage.simulation)
    };
    stage.simulation.step();
    let early = kept(&stage);
    (0..2).for_each(|_| stage.simulation.step());
    assert_eq!(rock(&stage.simulation), at_once, "as at the start");
    let hash = stage.simulation.world().state_hash();
    let mut resumed = read(&early).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(rock(&resumed).len(), bare);
    (0..2).for_each(|_| resumed.step());
    assert_eq!(resumed.world().state_hash(), hash);
    // A recording still finds the mesh file, wherever the recording is saved.
    fs::create_dir(folder.path().join("deeper")).unwrap();
    let written = folder.path().join("deeper/recorded.toml");
    scene
        .recorded(&stage.simulation)
        .save(&written, Existing::Keep)
        .unwrap();
    let mut replay = built(&Scene::load(&written).unwrap());
    (0..3).for_each(|_| replay.step());
    assert_eq!(replay.world().state_hash(), hash);
    // Only an event that is still to come needs its file.
    let late = kept(&stage);
    fs::remove_file(folder.path().join("ball.stl")).unwrap();
    let error = read(&early).err().expect("the ball is gone").to_string();
    assert!(
        error.contains("an event to come: ") && error.contains("ball.stl"),
        "{error}"
    );
    assert_eq!(
        rock(&read(&late).unwrap_or_else(|e| panic!("{e}"))),
        at_once
    );
}

#[test]
fn a_surface_that_was_written_is_the_same_body_when_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let lava = "kind = \"lava\", amount = 1.0, energy = 1.0";
    fs::write(
        folder.path().join("box.glb"),
        glb(&cuboid([24.0, 20.0, 22.0])),
    )
    .unwrap();
    let first = scene(
        folder.path(),
        "box.glb",
        "unit_m = 2.0, origin = [7.0, 8.0, 11.0]",
        lava,
    );
    let stage = first.build(common::tiled()).unwrap();
    let world = stage.simulation.world();
    let about = Provenance {
        scene: "box".to_owned(),
        seed: 1,
        ..Provenance::default()
    };
    let shot = ExportState {
        world,
        site: &stage.site,
        about: &about,
        state: world.state_hash(),
    };
    let skin = Skin {
        level: 0.5,
        palette: Palette::named("lava").unwrap(),
        drape: None,
        blocks: Vec::new(),
    };
    write_glb(
        &folder.path().join("lava.glb"),
        &shot,
        &skin,
        Existing::Keep,
    )
    .unwrap();

    let floor = -stage.site.floor_m / stage.site.cell_height_m();
    let keys = format!("part = \"lava\", unit_m = 1.0, origin = [0.0, {floor:?}, 44.0]");
    let again = built(&scene(folder.path(), "lava.glb", &keys, lava));
    let places = |world: &World| {
        world
            .lava()
            .held()
            .map(|(place, _)| place)
            .collect::<HashSet<_>>()
    };
    let (before, after) = (places(world), places(again.world()));
    assert_eq!(before.len(), 24 * 20 * 22);
    let apart = before.symmetric_difference(&after).count();
    assert!(
        apart * 100 < before.len(),
        "{apart} of {} cells differ",
        before.len()
    );
}

#[test]
fn a_saved_scene_finds_its_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("saved");
    fs::create_dir(&other).unwrap();
    fs::write(folder.path().join("ball.glb"), glb(&sphere(8.0))).unwrap();
    let first = scene(folder.path(), "ball.glb", MIDDLE, ROCK);
    for path in [folder.path().join("again.toml"), other.join("again.toml")] {
        first.save(&path, Existing::Keep).unwrap();
        let again = Scene::load(&path).unwrap();
        assert!(
            rock(&built(&again)) == rock(&built(&first)),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_bridge_has_an_arch() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/bridge.toml");
    let simulation = built(&Scene::load(&path).unwrap());
    let ground = simulation.world().ground();
    let is_rock = |x: f64, y: usize| ground.is_solid([x as usize, y, 52]);
    let floor = (0..48).find(|&y| !ground.is_solid([30, y, 52])).unwrap();
    assert!(
        !is_rock(30.0, 21) && is_rock(30.0, 26),
        "open below the crown, rock above"
    );
    assert!(
        is_rock(14.0, floor + 3) && is_rock(46.0, floor + 3),
        "the feet"
    );
    assert!(!is_rock(30.0, 30), "nothing above the road");
}

/// Checks a block with a heightmap's relief on top, as rock and as solid that can melt.
#[test]
fn a_heightmap_is_a_body() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("relief.asc"),
        "ncols 6\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n0 0 5 5 10 10\n10 10 -9 -9 0 0\n",
    )
    .unwrap();
    let scene = |matter: &str, rest: &str| {
        let shape = "{ kind = \"heightmap\", file = \"relief.asc\", from = [2.0, 3.0, 4.0], size = [6.0, 4.0, 2.0] }";
        let text = format!(
            "[grid]\nsize = [12, 12, 10]\n[terrain]\nkind = \"plane\"\nbase_cells = 3.0\n{rest}[[body]]\nshape = {shape}\nmatter = \
             {matter}\n"
        );
        Scene::parse(&text, &folder.path().join("relief.toml"))
    };
    let rock = scene("{ kind = \"rock\" }", "")
        .unwrap()
        .build(common::tiled())
        .unwrap()
        .simulation;
    let tall = |x: usize, z: usize| rock.world().ground().top(x, z) as i32 - 3;
    assert_eq!([1, 2, 4, 6, 7, 8].map(|x| tall(x, 4)), [0, 0, 2, 4, 4, 0]);
    assert_eq!([2, 4, 6].map(|x| tall(x, 5)), [4, 0, 0]);
    let wax = "[[material]]\nname = \"set\"\n";
    let melting = scene("{ kind = \"solid\" }", wax).unwrap_err().to_string();
    assert!(melting.contains("solid"), "{melting}");
    for (from, to, message) in [
        ("relief.asc", "none.asc", "none.asc"),
        (
            "size = [6.0",
            "size = [0.0",
            "body[0].shape.size = 0: must be a number from 0.5",
        ),
        ("from = [2.0", "from = [nan", "body[0].shape.from = NaN"),
    ] {
        let text = "[grid]\nsize = [12, 12, 10]\n[[body]]\nmatter = { kind = \"rock\" }\nshape = { kind = \"heightmap\", file = \
                    \"relief.asc\", from = [2.0, 3.0, 4.0], size = [6.0, 4.0, 2.0] }\n";
        assert!(text.contains(from));
        let scene = Scene::parse(&text.replace(from, to), &folder.path().join("wrong.toml"));
        let refused = scene
            .and_then(|scene| scene.build(common::tiled()).map(drop))
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(message) && !refused.contains('\n'),
            "{refused}"
        );
    }
}
