//! Tests of the shipped scenes: all run, and the built-in scene shows every key with its default.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common;
use lavoxel::air::{Air, Field, Wind};
use lavoxel::engine::tiled::Tiled;
use lavoxel::matter::Material;
use lavoxel::rules::{MaterialChange, RulesSpec};
use lavoxel::scene::{BodySpec, Scene, SceneSpec, VOLCANO, VentPlace, VentRadius, VentTable};
use lavoxel::simulation::EventSpec;
use lavoxel::terrain::{Fill, TerrainKind, TerrainSpec};
use lavoxel::world::{Matter, Shape};
use toml::{Table, Value};

#[test]
fn the_volcano_of_the_window_is_the_built_in_one_with_open_sides_and_smoke() {
    let (window, built_in) = (Scene::eruption(), Scene::volcano());
    assert_eq!(window.spec.rules.walls, lavoxel::rules::Walls::Open);
    assert!(window.spec.air.is_some() && window.spec.vents[0].air.is_some());
    let mut plain = window.spec.clone();
    plain.name.clone_from(&built_in.spec.name);
    plain.rules.walls = built_in.spec.rules.walls;
    plain.air = None;
    plain.vents[0].air = None;
    // The built-in scene has its own camera and look: by night, with room for the plume.
    plain.camera.clone_from(&built_in.spec.camera);
    plain.look.clone_from(&built_in.spec.look);
    assert_eq!(plain, built_in.spec);
}

/// Keys for which the built-in scene has other values than the default, because the scene
/// demonstrates them.
const OWN: [&str; 4] = ["name", "seed", "vent", "camera"];

fn scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains");
    let mut scenes: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    scenes.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    scenes.sort();
    scenes
}

#[test]
fn every_scene_runs() {
    let scenes = scenes();
    assert!(scenes.len() >= 4, "{scenes:?}");
    for path in scenes {
        let scene = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert!(!scene.spec.name.is_empty(), "{}", path.display());
        let mut simulation = scene
            .build(common::tiled())
            .unwrap_or_else(|e| panic!("{e}"))
            .simulation;
        for _ in 0..20 {
            simulation.step();
        }
        let world = simulation.world();
        world
            .check()
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let is_full = |air: &Air| {
            [Field::Ash, Field::Ink1]
                .iter()
                .any(|&field| air.amounts().total(field) > 0)
        };
        let matter =
            world.layers().iter().any(|layer| layer.mass() > 0) || world.air().is_some_and(is_full);
        assert!(matter, "{}: no matter", path.display());
        for layer in world.layers() {
            assert_eq!(
                layer.ledger().blocked,
                0,
                "{}: the roof is in the way",
                path.display()
            );
        }
    }
}

/// Returns a scene description with a value for every key.
fn full() -> SceneSpec {
    let mut spec = SceneSpec::default();
    spec.grid.cell_size_m = Some(10.0);
    spec.terrain = TerrainSpec {
        kind: TerrainKind::Heightmap,
        seed: Some(1),
        roughness: Some(1.0),
        base_cells: Some(8.0),
        height: Some(0.74),
        crater_radius: Some(0.1),
        turn_deg: Some(30.0),
        crater_depth: Some(0.1),
        angle_deg: Some(10.0),
        file: Some("mountain.asc".into()),
        cell_size_m: Some(10.0),
        black_m: Some(0.0),
        white_m: Some(1.0),
        crs: Some("EPSG:27200".parse().expect("a projected system")),
        smooth: Some(true),
        no_data: Some(-9999.0),
        height_unit: Some("us-ft".parse().unwrap()),
        raw_size: Some([1; 2]),
        raw_type: Some("u16".parse().unwrap()),
        crop: Some([0; 4]),
        crop_m: Some([0.0; 4]),
        bounds: Some([0.0; 4]),
        vertical_exaggeration: Some(1.0),
        fill_no_data: Some(Fill::Nearest),
        base_m: Some(0.0),
        drape: Some("photo.tif".into()),
        error_m: Some(1.0),
        error_length_m: Some(100.0),
        error_seed: Some(1),
    };
    let vent = VentTable {
        end: Some(1),
        ..VentTable::at(VentPlace::Cells { x: 1.0, z: 1.0 })
    };
    let metres = VentPlace::Metres { x_m: 1.0, z_m: 1.0 };
    spec.vents.push(VentTable {
        place: metres,
        radius: VentRadius::Metres(1.0),
        ..vent.clone()
    });
    spec.vents.push(VentTable {
        place: VentPlace::Map {
            map_x: 1.0,
            map_y: 1.0,
        },
        ..vent.clone()
    });
    spec.vents.push(VentTable {
        place: VentPlace::Summit,
        for_box: Some([1; 3]),
        ..vent.clone()
    });
    spec.vents.push(vent);
    let shape = Shape::Sphere {
        center: [1.0; 3],
        radius: 1.0,
    };
    let body = BodySpec {
        shape,
        matter: Matter::Lava {
            amount: 1.0,
            energy: 1.0,
            temperature_k: None,
        },
    };
    spec.bodies.push(body.clone());
    let deeper = Material {
        viscosity: 0.5,
        ..Material::water()
    };
    let change = MaterialChange::between(&Material::water(), &deeper);
    spec.events.push(EventSpec {
        at: 1,
        seed: Some(1),
        put: Some(body),
        rules: Some(RulesSpec::default().into()),
        material: Some(change),
        wind: Some(Wind::even(3.0, 270.0)),
    });
    spec.camera.distance = Some(1.0);
    spec.camera.target = Some([0.5; 3]);
    spec.look.plate_size = Some(3.0);
    spec.look.kelvin = Some([1143.0, 1360.0]);
    spec.look.sun_elevation_deg = Some(10.0);
    spec
}

fn table_of(spec: &SceneSpec) -> Table {
    Table::try_from(spec).unwrap()
}

/// Collects all dotted keys with their values; `vent`, `body` and `event` count as tables.
fn keys(prefix: &str, table: &Table, found: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let name = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Table(inner) if !["body", "event"].contains(&prefix) => {
                keys(&name, inner, found)
            }
            Value::Array(items) if items.first().is_some_and(Value::is_table) => {
                items
                    .iter()
                    .for_each(|item| keys(&name, item.as_table().unwrap(), found));
            }
            _ => found.push((name, value.clone())),
        }
    }
}

/// Returns the dotted keys that a scene text sets or shows in a comment.
fn shown(text: &str) -> Vec<String> {
    let mut table = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches("# ");
        if line.starts_with('[') {
            let end = line.find(']').unwrap();
            table = format!("{}.", line[..end].trim_matches('['));
        } else if let Some((key, _)) = line.split_once(" = ") {
            found.push(format!("{table}{key}"));
        }
    }
    found
}

#[test]
fn the_built_in_scene_shows_every_key() {
    let mut wanted = Vec::new();
    keys("", &table_of(&full()), &mut wanted);
    assert!(wanted.len() > 60, "{wanted:?}");
    let shown = shown(VOLCANO);
    let missing: Vec<_> = wanted
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !shown.contains(key))
        .collect();
    assert!(missing.is_empty(), "not shown: {missing:?}");
}

#[test]
fn the_built_in_scene_shows_the_defaults() {
    let mut built_in = table_of(&Scene::volcano().spec);
    let mut default = table_of(&SceneSpec::default());
    for key in OWN {
        for table in [&mut built_in, &mut default] {
            table.remove(key);
        }
    }
    // The volcano has land around the box; without the key a box floats in the sky.
    for (table, surroundings) in [(&mut built_in, "land"), (&mut default, "sky")] {
        let look = table["look"].as_table_mut().unwrap();
        assert_eq!(
            look.remove("surroundings").unwrap().as_str(),
            Some(surroundings)
        );
    }
    assert_eq!(built_in, default);
}

#[test]
fn values_in_comments_can_be_put_in() {
    // Each commented `# key = value` in a table of plain values must be accepted.
    let mut table = "";
    for line in VOLCANO.lines() {
        if line.starts_with('[') {
            table = line.split_once(']').unwrap().0.trim_start_matches('[');
        }
        let heightmap = [
            "file",
            "cell_size_m",
            "black_m",
            "white_m",
            "height_unit",
            "no_data",
            "crs",
            "smooth",
            "raw_",
            "crop",
            "bounds",
            "vertical",
            "fill_no",
            "base_m",
        ];
        let proposal = line.strip_prefix("# ").filter(|rest| {
            let key = rest.split_once(" = ").map_or("", |(key, _)| key);
            !key.is_empty()
                && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                && key != "shape"
        });
        let Some(proposal) = proposal.filter(|_| table != "vent") else {
            continue;
        };
        let beside = match table {
            "terrain" if heightmap.iter().any(|key| proposal.starts_with(key)) => {
                if proposal.starts_with("file") {
                    "kind = \"heightmap\"\n"
                } else {
                    "kind = \"heightmap\"\nfile = \"x\"\n"
                }
            }
            "terrain" if proposal.starts_with("angle_deg") => "kind = \"slope\"\n",
            _ => "",
        };
        let text = format!("[{table}]\n{beside}{proposal}\n");
        if let Err(e) = Scene::parse(&text, Path::new("scene.toml")) {
            panic!("{e} in\n{text}");
        }
    }
}

#[test]
fn proposed_terrain_keys_are_the_defaults() {
    let terrain = VOLCANO
        .split_once("[terrain]")
        .unwrap()
        .1
        .split_once("# For kind = \"heightmap\"")
        .unwrap()
        .0;
    let proposals = terrain
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| !line.starts_with("angle"));
    let text = format!(
        "[terrain]\nkind = \"volcano\"\n{}\n",
        proposals.collect::<Vec<_>>().join("\n")
    );
    let ground = |text: &str| {
        let scene = Scene::parse(text, Path::new("scene.toml"))
            .unwrap_or_else(|e| panic!("{e} in\n{text}"));
        scene
            .build(common::tiled())
            .unwrap()
            .simulation
            .world()
            .ground()
            .surface()
            .clone()
    };
    assert!(text.lines().count() > 6, "{text}");
    assert!(ground(&text) == ground(""), "not the defaults:\n{text}");
}

#[test]
fn a_scene_survives_being_written_and_read() {
    let spec = full();
    let again: SceneSpec = toml::from_str(&toml::to_string(&spec).unwrap()).unwrap();
    assert_eq!(again, spec);
}

#[test]
fn unknown_keys_are_refused_in_every_table() {
    let whole = toml::to_string(&full()).unwrap();
    assert!(toml::from_str::<SceneSpec>(&whole).is_ok());
    let headers: Vec<_> = whole.lines().filter(|line| line.starts_with('[')).collect();
    for part in [
        "[grid]",
        "[terrain]",
        "[rules]",
        "[rules.friction]",
        "[[vent]]",
        "[camera]",
        "[look]",
        "[film]",
    ] {
        assert!(headers.contains(&part), "{part} in {headers:?}");
    }
    for header in headers {
        let text = whole.replacen(header, &format!("{header}\nunheard_of = 1"), 1);
        let error = toml::from_str::<SceneSpec>(&text).expect_err(header);
        assert!(error.message().contains("unheard_of"), "{header}: {error}");
    }
    assert!(toml::from_str::<SceneSpec>(&format!("unheard_of = 1\n{whole}")).is_err());
    let shapes = [
        "kind = \"box\", from = [0, 0, 0], to = [1, 1, 1]",
        "kind = \"sphere\", center = [0, 0, 0], radius = 1",
    ];
    for shape in shapes {
        let body = |more: &str| {
            format!("[[body]]\nshape = {{ {shape}{more} }}\nmatter = {{ kind = \"rock\" }}\n")
        };
        assert!(toml::from_str::<SceneSpec>(&body("")).is_ok(), "{shape}");
        assert!(
            toml::from_str::<SceneSpec>(&body(", unheard_of = 1")).is_err(),
            "{shape}"
        );
    }
}

/// Scenes with lists as values of keys that [`full`] lacks.
const LISTS: [&str; 7] = [
    "[air]\nfriction = [0.1, 0.1, 0.1]\nwind = [[0.0, 4.0, 250.0], [200.0, 8.0, 290.0]]\n[air.article]\nheat_decay = [0.0, 0.0, 0.0]",
    "[[body]]\nshape = { kind = \"box\", from = [0, 0, 0], to = [1, 1, 1] }\nmatter = { kind = \"rock\" }",
    "[[body]]\nshape = { kind = \"mesh\", file = \"a.stl\", height = 1, base = [0, 0, 0] }\nmatter = { kind = \"rock\" }",
    "[[body]]\nshape = { kind = \"mesh\", file = \"a.stl\", height = 1, origin = [0, 0, 0] }\nmatter = { kind = \"rock\" }",
    "[[body]]\nshape = { kind = \"heightmap\", file = \"a.asc\", from = [0, 0, 0], size = [1, 1, 1] }\nmatter = { kind = \"rock\" }",
    "[[body]]\nshape = { kind = \"below\", level = 1 }\nmatter = { kind = \"air\", wind_m_s = [1, 2, 3] }",
    "[[body]]\nshape = { kind = \"line\", points = [[1, 2], [3, 4]], width = 2 }\nmatter = { kind = \"raise\", by = 1 }",
];

/// Adds a number to the list of numbers with the index `number`, counted through all of `value`,
/// and returns the key of the list.
fn lengthen(value: &mut Value, key: &str, number: &mut usize) -> Option<String> {
    match value {
        Value::Table(table) => table
            .iter_mut()
            .find_map(|(key, value)| lengthen(value, key, number)),
        Value::Array(items)
            if items
                .first()
                .is_some_and(|item| item.is_integer() || item.is_float()) =>
        {
            *number = number.checked_sub(1).unwrap_or(usize::MAX);
            (*number == usize::MAX).then(|| {
                items.push(items[0].clone());
                key.to_owned()
            })
        }
        Value::Array(items) => items
            .iter_mut()
            .find_map(|item| lengthen(item, key, number)),
        _ => None,
    }
}

#[test]
fn a_list_with_a_number_too_many_is_refused() {
    let whole = toml::to_string(&full()).unwrap();
    let mut lengthened = Vec::new();
    for text in LISTS.into_iter().chain([whole.as_str()]) {
        let scene: Table = text.parse().unwrap();
        let read = |scene: &Value| toml::from_str::<SceneSpec>(&toml::to_string(scene).unwrap());
        read(&Value::Table(scene.clone())).unwrap_or_else(|e| panic!("{text}: {e}"));
        for i in 0.. {
            let mut longer = Value::Table(scene.clone());
            let Some(key) = lengthen(&mut longer, "", &mut i.clone()) else {
                break;
            };
            assert!(read(&longer).is_err(), "{key} took a number more: {longer}");
            lengthened.push(key);
        }
    }
    for key in [
        "kelvin",
        "heat_decay",
        "for_box",
        "wind_m_s",
        "from",
        "base",
        "size",
        "clip",
        "friction",
        "wind",
        "crop_m",
    ] {
        assert!(
            lengthened.iter().any(|found| found == key),
            "{key} in {lengthened:?}"
        );
    }
}

#[test]
fn a_wrong_key_in_a_palette_is_named_in_words_of_a_scene() {
    let palette =
        |stop: &str| format!("[look]\npalette = [{{ at = 0.0, color = \"#000000\" }}, {stop}]\n");
    let read = |stop: &str| Scene::parse(&palette(stop), Path::new("scene.toml")).map(drop);
    assert!(read("{ at = 1.0, color = \"#ffffff\" }").is_ok());
    let error = read("{ at = 1.0, colour = \"#ffffff\" }")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("scene.toml:2: unknown key `colour`: did you mean `color`?"),
        "{error}"
    );
    let error = Scene::parse("[look]\npalette = 3\n", Path::new("scene.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("look.palette = 3: must be one of") && error.contains("{ at, color }"),
        "{error}"
    );
}

#[test]
fn the_stages_of_a_scene_are_timed_by_the_clock_of_the_system() {
    let mut simulation = Scene::volcano()
        .build(Box::new(Tiled::default()))
        .expect("the built-in scene")
        .simulation;
    (0..3).for_each(|_| simulation.step());
    let gravity = simulation.timings().stage("gravity");
    assert_eq!(gravity.runs, 3);
    assert!(gravity.total > Duration::ZERO, "a step takes some time");
}

#[test]
fn the_air_names_materials_of_its_kinds() {
    let wrong = |key: &str| {
        let materials = "[[material]]\nname = \"water\"\n[[material]]\nname = \"steam\"\n";
        let text = format!("{materials}[air]\n{key}\n");
        Scene::parse(&text, Path::new("scene.toml"))
            .expect_err(key)
            .to_string()
    };
    let steam = wrong("steam = \"water\"");
    assert!(
        steam.contains("air.steam = water: must be the name of a material that is a gas"),
        "{steam}"
    );
    assert!(wrong("ash = \"sand\"").contains("air.ash = "));
}
