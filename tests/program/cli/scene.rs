//! Tests of `lavoxel scene`, and of scenes that are rejected.

use std::fs;
use std::path::Path;

use predicates::str::contains;

use super::place::{Place, SMALL, TINY_ASC, lavoxel, text};

#[test]
fn the_schema_is_that_of_the_library() {
    let place = Place::new();
    let printed: serde_json::Value =
        serde_json::from_str(&place.done("scene --schema")).expect("JSON");
    assert_eq!(printed, lavoxel::scene::schema());
    for other in [
        "scene small.toml --schema",
        "scene --list --schema",
        "scene --defaults --schema",
    ] {
        let output = place.run(other);
        assert_eq!(output.status.code(), Some(2), "{other}");
        assert!(
            text(&output.stderr).contains("cannot be used with"),
            "{other}"
        );
    }
}

#[test]
fn keys_beside_a_kind_without_keys_are_refused() {
    let place = Place::new();
    place.write_file("rock.toml", format!("{SMALL}\n[[body]]\nshape = {{ kind = \"below\", level = 2.0 }}\nmatter = {{ kind = \"rock\", amout = 1 }}\n"));
    let refused = place.refused("scene rock.toml");
    assert!(
        refused.contains("unknown key `amout`: nothing can be set here"),
        "{refused}"
    );
}

#[test]
fn the_printed_scene_is_the_built_in_one() {
    let place = Place::new();
    let printed = place.done("scene --defaults");
    let scene = lavoxel::scene::Scene::parse(&printed, Path::new("printed")).unwrap();
    assert_eq!(scene.spec, lavoxel::scene::Scene::volcano().spec);
    // The output ends with the default reactions, as comments.
    for line in [
        "# [[reaction]]                    # lava and water side by side",
        "# makes = { rubble = 1, steam = 4 }",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}");
    }
    assert!(printed.contains("default_reactions = true"));
    place.write_file("my.toml", printed);
    assert!(
        place
            .done("scene my.toml")
            .contains("my.toml: fine; 128 × 100 × 128 cells of 10 m, 1 vent")
    );
    assert!(place.done("scene small.toml").contains("fine"));
    assert!(
        place
            .refused("terrain vulcano")
            .contains("no file \"vulcano\" and no such terrain (did you mean volcano?)")
    );
    lavoxel()
        .arg("scene")
        .assert()
        .code(2)
        .stderr(contains("--defaults"));
}

#[test]
fn shipped_scenes_are_inside_the_program() {
    let place = Place::new();
    let list = place.done("scene --list");
    assert!(
        list.lines()
            .any(|line| line.starts_with("island ") && line.contains("A volcano in the sea")),
        "{list}"
    );
    assert!(
        place
            .done("scene island")
            .contains("shipped:/island.toml: fine")
    );
    place.done("run maunga_whau --steps 1 --map thickness=lava.tif");
    place.done("run maunga_whau.asc --steps 1");
    assert!(
        place
            .refused("scene ilsand")
            .contains("did you mean island?")
    );
    // A file of that name takes precedence over the shipped scene.
    place.write_file("island", SMALL);
    assert!(place.done("scene island").contains("island: fine"));
    assert!(!place.done("scene island").contains("shipped"));
}

#[test]
fn a_checked_scene_lists_its_reactions() {
    let place = Place::new();
    let scene = "[grid]\nsize = [9, 9, 9]\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 4\nz = 4\n[[material]]\nname = \"water\"\n";
    place.write_file("sea.toml", scene);
    let printed = place.done("scene sea.toml");
    assert!(
        printed.contains("lava + water → rubble + 4 steam across a face (default)"),
        "{printed}"
    );
    assert!(
        printed.contains("steam comes of default reactions"),
        "{printed}"
    );
    place.write_file("own.toml", format!("{scene}elements = {{ h2o = 1 }}\n"));
    let printed = place.done("scene own.toml");
    assert!(
        printed.contains("not in force: water has another kind or other elements"),
        "{printed}"
    );
    place.write_file("off.toml", format!("default_reactions = false\n{scene}"));
    assert!(!place.done("scene off.toml").contains('→'));
}

#[test]
fn scenes_that_are_no_scenes() {
    let place = Place::new();
    let line = place.refused("run nowhere.toml");
    assert!(line.contains("nowhere.toml"), "{line}");
    fs::create_dir(place.path("folder")).unwrap();
    place.refused("run folder");
    place.refused("scene folder");
    place.refused("render folder --picture a.png");
    let junk: Vec<u8> = (0..5000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    assert!(place.refused_scene(junk).contains("not UTF-8"));
    place.refused_scene(vec![0; 1000]);
    place.refused_scene("x".repeat(2_000_000));
    place.refused_scene("[".repeat(100_000));
    place.refused_scene(format!("a = {}", "[".repeat(100_000)));
    place.refused_scene(format!("a{} = 1", ".a".repeat(100_000)));
    for end in 1..SMALL.len() {
        // Wherever the text is cut off, the program ends in order; some beginnings are valid
        // scenes.
        if SMALL.is_char_boundary(end) && end % 17 == 0 {
            place.write_file("cut.toml", &SMALL[..end]);
            let code = place.run("scene cut.toml").status.code();
            assert!(code == Some(0) || code == Some(2), "{end}: {code:?}");
        }
    }
    let line = place.refused_scene("[rules]\n\nspread = 9.5");
    assert!(
        line.ends_with(
            "wrong.toml:3: rules.spread = 9.5: must be a number from 0.000016 to 0.25\n"
        ),
        "{line}"
    );
    let line = place.refused_scene("[rules]\nthreshold = \"high\"");
    assert!(
        line.ends_with("wrong.toml:2: rules.threshold = \"high\": must be a number\n"),
        "{line}"
    );
    let line = place.refused_scene("name = \"x\"\n[grid]\nsize = [24, 20");
    assert!(line.contains("wrong.toml:3: "), "{line}");
}

#[test]
fn unknown_keys_get_the_nearest_name() {
    let place = Place::new();
    let line = place.refused_scene("[rules]\nthresold = 0.4");
    assert!(
        line.contains("wrong.toml:2: ") && line.contains("did you mean `threshold`?"),
        "{line}"
    );
    let line = place.refused_scene("[terain]\nkind = \"plane\"");
    assert!(line.contains("did you mean `terrain`?"), "{line}");
    let line = place.refused_scene("[terrain]\nkind = \"volcanoe\"");
    assert!(line.contains("did you mean `volcano`?"), "{line}");
    let line = place.refused_scene("[[vent]]\nx = 1\nz = 1\nradius = 1\nrate = 1\npower = 3");
    assert!(line.contains("power"), "{line}");
    place.refused_scene("[[vent]]\nx = 1");
    place.refused_scene("[look]\ncolour_by = \"energy\"");
}

#[test]
fn values_out_of_range_name_their_key() {
    let place = Place::new();
    let vent = "[[vent]]\nx = 10.0\nz = 10.0\nradius = 2.0\nrate = 1.0\n";
    for (scene, key) in [
        ("[grid]\nsize = [60000, 60000, 60000]", "grid.size"),
        ("[grid]\nsize = [0, 10, 10]", "grid.size"),
        ("[grid]\ncell_size_m = nan", "grid.cell_size_m"),
        ("[grid]\ncell_size_m = -1", "grid.cell_size_m"),
        ("[rules]\nspread = 0.26", "rules.spread"),
        ("[rules]\nspread = nan", "rules.spread"),
        ("[rules]\nthreshold = inf", "rules.threshold"),
        ("[rules]\nfactor = -0.5", "rules.factor"),
        (
            "[rules.friction]\non_solid = 1.1",
            "rules.friction.on_solid",
        ),
        ("[rules]\nspreading_every = 0", "rules.spreading_every"),
        ("[terrain]\nroughness = nan", "terrain.roughness"),
        (
            "[terrain]\nkind = \"slope\"\nangle_deg = 1e300",
            "terrain.angle_deg",
        ),
        ("[camera]\nelevation_deg = nan", "camera.elevation_deg"),
        ("[look]\nexposure = inf", "look.exposure"),
        ("[look]\nopacity = []", "look.opacity"),
        (
            "[look]\nclip = [[0.0, 1.0], [0.9, 0.1], [0.0, 1.0]]",
            "look.clip",
        ),
        ("[look]\npalette = \"rainbow\"", "look.palette"),
        ("[film]\nfps = 61", "film.fps"),
        ("[film]\nsize = [100000, 100000]", "film.size"),
        ("threads = 100000", "threads"),
    ] {
        let line = place.refused_scene(scene);
        assert!(line.contains(&format!("{key} = ")), "{scene}: {line}");
    }
    // Each vent is valid; together they would take gigabytes.
    let line = place.refused_scene(vent.replace("radius = 2.0", "radius = 128.0").repeat(2000));
    assert!(line.contains("[[vent]]"), "{line}");
    for (from, to, key) in [
        ("x = 10.0", "x = -1.0", "vent[0].x"),
        ("z = 10.0", "z = nan", "vent[0].z"),
        ("radius = 2.0", "radius = inf", "vent[0].radius"),
        ("rate = 1.0", "rate = 1e30", "vent[0].rate"),
        ("rate = 1.0", "rate = 1.0\nenergy = 3.0", "vent[0].energy"),
        (
            "rate = 1.0",
            "rate = 1.0\nstart = 5\nend = 2",
            "vent[0].end",
        ),
    ] {
        let line = place.refused_scene(vent.replace(from, to));
        assert!(line.contains(key), "{to}: {line}");
    }
}

#[test]
fn values_of_the_wrong_type_name_their_line() {
    let place = Place::new();
    for scene in [
        "\nseed = \"one\"",
        "\nseed = -1",
        "\nseed = 1.5",
        "\nname = 3",
        "\ngrid = 4",
        "\nvent = 4",
        "[grid]\nsize = 12",
        "[grid]\nsize = [1, 2]",
        "[rules]\nwalls = true",
        "[film]\nsteps = -4",
        "[film]\nfps = 99999999999",
        "[rules]\nspread = \"much\"",
    ] {
        let line = place.refused_scene(scene);
        assert!(line.contains("wrong.toml:2: "), "{scene}: {line}");
    }
}

#[test]
fn heightmaps_that_are_none() {
    let place = Place::new();
    let scene = |file: &str| {
        format!("[grid]\nsize = [24, 20, 24]\n[terrain]\nkind = \"heightmap\"\nfile = \"{file}\"\n")
    };
    let line = place.refused_scene(scene("nowhere.asc"));
    assert!(line.contains("nowhere.asc"), "{line}");
    place.refused_scene(scene("."));
    place.refused_scene(scene("small.toml"));
    place.refused_scene("[terrain]\nkind = \"heightmap\"");
    place.write_file("short.asc", TINY_ASC.replace("5 9", ""));
    place.refused_scene(scene("short.asc"));
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 32, 32);
    encoder.set_color(png::ColorType::Grayscale);
    let noise: Vec<u8> = (0..1024u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as u8)
        .collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&noise)
        .unwrap();
    for end in [0, 7, 20, png.len() / 2, png.len() - 13] {
        place.write_file("cut.png", &png[..end]);
        let line = place.refused_scene(format!("{}cell_size_m = 10.0\n", scene("cut.png")));
        assert!(line.contains("cut.png"), "{line}");
    }
}

#[test]
fn a_session_file_is_a_scene_for_every_command() {
    let place = Place::new();
    place.write_file("tiny.asc", TINY_ASC);
    place.write_file("tiny.prj", "");
    let packed = place.done("scene tiny.asc --pack trip.lavoxel");
    assert!(packed.ends_with("trip.lavoxel\n"), "{packed}");
    fs::create_dir(place.path("elsewhere")).unwrap();
    fs::rename(
        place.path("trip.lavoxel"),
        place.path("elsewhere/trip.lavoxel"),
    )
    .unwrap();
    let state = |scene: &str| {
        let report: serde_json::Value =
            serde_json::from_str(&place.done(&format!("run {scene} --steps 3 --json"))).unwrap();
        report["state_hash"].clone()
    };
    assert_eq!(state("elsewhere/trip.lavoxel"), state("tiny.asc"));
    place.done("render elsewhere/trip.lavoxel --steps 1 --picture a.png --picture-size 64x48");
    assert!(place.done("scene elsewhere/trip.lavoxel").contains("fine"));
    // Input files are never replaced, existing files only with `--force`.
    assert!(
        place
            .refused("scene elsewhere/trip.lavoxel --pack elsewhere/trip.lavoxel --force")
            .contains("trip.lavoxel")
    );
    place.done("scene tiny.asc --pack b.lavoxel");
    assert!(
        place
            .refused("scene tiny.asc --pack b.lavoxel")
            .contains("exists already")
    );
    place.done("scene tiny.asc --pack b.lavoxel --force");
    let output = place.run("scene tiny.asc --pack b.zip");
    assert!(
        output.status.code() == Some(2)
            && text(&output.stderr).contains("let the name end in .lavoxel")
    );
    place.write_file("wrong.lavoxel", "no archive");
    assert!(place.refused("run wrong.lavoxel").contains("wrong.lavoxel"));
    place.done("run small.toml --steps 1 --checkpoint c.lavoxel");
    assert!(
        place
            .refused("run c.lavoxel")
            .contains("lavoxel resume takes checkpoints")
    );
    place.done("resume c.lavoxel --steps 2");
}

#[test]
fn a_random_volcano_is_printed_the_same_twice_and_runs() {
    let place = Place::new();
    let print = "scene --random 7 --relief 0.4 --crater 0.1 --roughness 0.5 --side 48";
    let scene = place.done(print);
    assert_eq!(scene, place.done(print));
    assert_ne!(
        scene,
        place.done("scene --random 8 --relief 0.4 --crater 0.1 --roughness 0.5 --side 48")
    );
    place.write_file("mine.toml", &scene);
    let hash = || place.json("run mine.toml --steps 20 --json")["state_hash"].take();
    let first = hash();
    assert!(first.is_string() && first == hash());
    let high = place.refused("scene --random 7 --relief 2");
    assert!(
        high.contains("--relief 2: must be a number from 0.1 to 0.9"),
        "{high}"
    );
    for (words, part) in [
        ("scene --random -1", "must not be negative"),
        ("scene --relief 0.5", "--random <SEED>"),
    ] {
        let output = place.run(words);
        assert!(
            output.status.code() == Some(2) && text(&output.stderr).contains(part),
            "{words}"
        );
    }
}

#[test]
fn finer_cells_are_for_every_command_with_a_scene_and_refused_by_one_message() {
    let place = Place::new();
    place.write_file("small.toml", SMALL);
    let report = |flags: &str| place.json(&format!("run small.toml --steps 4 --json {flags}"));
    let (was, is) = (report(""), report("--finer 2"));
    let grid = |report: &serde_json::Value| -> Vec<u64> {
        report["dims"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(serde_json::Value::as_u64)
            .collect()
    };
    assert_eq!(
        grid(&is),
        grid(&was).iter().map(|side| 2 * side).collect::<Vec<_>>(),
        "{is}"
    );
    place.done("render small.toml --finer 2 --steps 2 --picture a.png --size 64x48 -q");
    let output = place.run("run small.toml --finer 9");
    assert!(
        output.status.code() == Some(2)
            && text(&output.stderr).contains("must be 1 to 8 cells in place of one")
    );
    let slice = place.refused("run branching --finer 2");
    assert!(
        slice.contains("--finer 2") && slice.contains("a slice has no finer cells across"),
        "{slice}"
    );
    let much = place.refused("run small.toml --finer 8 --grid 1000x1000x1000 --max-memory 100M");
    assert!(much.contains("--max-memory"), "{much}");
}

#[test]
fn a_shipped_scene_is_printed_as_it_stands() {
    let place = Place::new();
    let printed = place.done("scene smoke2d --print");
    let text = include_str!("../../../terrains/smoke2d.toml");
    assert_eq!(printed.trim_end(), text.trim_end());
    place.write_file(
        "own.toml",
        printed.replace("solver = \"article\"", "solver = \"incompressible\""),
    );
    assert!(place.done("scene own.toml").contains("fine"));
    lavoxel().args(["scene", "--print"]).assert().code(2);
}
