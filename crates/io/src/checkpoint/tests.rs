//! Tests with forged checkpoint files, which have valid checksums and invalid contents.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::sections::{SectionReader, SectionWriter};
use super::*;
use lavoxel_automaton::engine::plain::Plain;
use lavoxel_automaton::engine::tiled::Tiled;
use lavoxel_automaton::world::{Edit, Matter, Shape};
use lavoxel_base::random::mix64;
use lavoxel_scene::scene::Scene;
use lavoxel_sim::simulation::Simulation;

/// Scene with a cave, lava, a vent that ends before step 20, and events on both sides of step 20.
const SCENE: &str = r#"
name = "cave"
default_reactions = false
[grid]
size = [12, 70, 9]
[terrain]
kind = "hills"
[[material]]
name = "water"
[[source]]
material = "water"
x = 2.0
z = 6.0
[[vent]]
x = 5.0
z = 4.0
end = 15
[[vent]]
x = 8.0
z = 4.0
start = 10
[[event]]
at = 3
put = { shape = { kind = "sphere", center = [6.0, 10.0, 4.0], radius = 4.0 }, matter = { kind = "nothing" } }
[[event]]
at = 4
put = { shape = { kind = "box", from = [2.0, 12.0, 2.0], to = [9.0, 13.0, 7.0] }, matter = { kind = "rock" } }
[[event]]
at = 12
seed = 9
[[event]]
at = 25
rules = { threshold = 0.3, walls = "open" }
"#;

type Sections = Vec<(String, Vec<u8>)>;

/// Returns the file bytes of a checkpoint of [`SCENE`] after 20 steps.
fn whole() -> Vec<u8> {
    let scene = Scene::parse(SCENE, Path::new("scene.toml")).expect("a scene");
    let mut stage = scene.build(Box::new(Tiled::default())).expect("a stage");
    (0..20).for_each(|_| stage.simulation.step());
    assert!(
        !stage.simulation.world().ground().caves().is_empty()
            && stage.simulation.world().lava().mass() > 0
    );
    let mut bytes = Vec::new();
    let extras = [("records", b"remember me".to_vec())];
    let snapshot = CheckpointWriter {
        scene: &scene,
        stage: &stage,
        extras: &extras,
    };
    snapshot
        .write(Path::new("run.lvx"), &mut bytes)
        .expect("memory");
    bytes
}

fn open(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    Checkpoint::read(bytes, Path::new("run.lvx"), Box::new(Tiled::default()))
}

fn refused(bytes: &[u8]) -> String {
    match open(bytes) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("it was read"),
    }
}

fn sections(bytes: &[u8]) -> Sections {
    let mut reader = SectionReader::new(bytes).expect("whole");
    let mut sections = Vec::new();
    while let Some(name) = reader.next_section().expect("whole") {
        sections.push((name, reader.read_to_end(u64::MAX).expect("whole")));
    }
    sections
}

fn file(sections: &Sections) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = SectionWriter::new(&mut bytes).expect("memory");
    for (name, body) in sections {
        writer.section(name).expect("memory");
        writer.add(body).expect("memory");
        writer.end_section().expect("memory");
    }
    writer.finish().expect("memory");
    bytes
}

/// Returns the error message of reading a checkpoint of `SCENE` whose section `name` was altered by
/// `change`.
fn refused_with(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut sections = sections(&whole());
    let (_, body) = sections
        .iter_mut()
        .find(|(found, _)| found == name)
        .expect("it has one");
    change(body);
    refused(&file(&sections))
}

/// Returns a function that replaces the text `old` by `new` in the bytes of a section; fails the
/// test if `old` is missing.
fn replace<'a>(old: &'a str, new: &'a str) -> impl FnOnce(&mut Vec<u8>) + 'a {
    move |body| {
        let text = String::from_utf8(body.clone()).expect("text");
        assert!(text.contains(old), "{text}");
        *body = text.replacen(old, new, 1).into_bytes();
    }
}

#[test]
fn a_checkpoint_made_of_its_sections_is_the_same_one() {
    let bytes = whole();
    assert_eq!(file(&sections(&bytes)), bytes);
    let checkpoint = open(&bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        checkpoint.extras.into_iter().collect::<Vec<_>>(),
        [("records".to_owned(), b"remember me".to_vec())]
    );
    let mut bytes_again = Vec::new();
    let extras = [("records", b"remember me".to_vec())];
    let snapshot = CheckpointWriter {
        scene: &checkpoint.scene,
        stage: &checkpoint.stage,
        extras: &extras,
    };
    snapshot
        .write(Path::new("run.lvx"), &mut bytes_again)
        .expect("memory");
    assert!(bytes == bytes_again);
}

#[test]
fn every_bit_counts_and_so_does_every_length() {
    let bytes = whole();
    for place in 0..bytes.len() {
        let mut wrong = bytes.clone();
        wrong[place] ^= 1 << (place % 8);
        assert!(refused(&wrong).starts_with("run.lvx: "), "byte {place}");
    }
    for length in (0..bytes.len()).step_by(3) {
        let said = refused(&bytes[..length]);
        assert!(
            said.contains(if length < 8 {
                "not a checkpoint"
            } else {
                "it ends in the middle of its"
            }),
            "{said}"
        );
    }
}

#[test]
fn other_files_and_other_versions_are_named() {
    let mut bytes = whole();
    assert_eq!(
        refused(b"[grid]\nsize = [8, 8, 8]\n"),
        "run.lvx: not a checkpoint of lavoxel"
    );
    bytes[8] = 6;
    let said = refused(&bytes);
    assert!(
        said.contains("of format 6, written by lavoxel ") && said.contains("reads format 7"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let floats = |body: &mut Vec<u8>| body[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let caves = 4 * 12 * 9;
    // First tile of the lava: its position, its bits, and amount and energy of the first cell.
    let first = |from: usize, bytes: &'static [u8]| {
        move |body: &mut Vec<u8>| body[from..from + bytes.len()].copy_from_slice(bytes)
    };
    for (said, expected) in [
        (
            refused_with("header", replace("step = 20", "step = -20")),
            "its header: ",
        ),
        (
            refused_with("header", replace("seed = \"0\"", "seed = \"many\"")),
            "its header: its seed is no number",
        ),
        (
            refused_with("header", replace("cell_size_m = 10.0", "cell_size_m = nan")),
            "its header: cell_size_m = NaN",
        ),
        (
            refused_with("header", replace("size = [12, ", "size = [13, ")),
            "its scene: another one than the header",
        ),
        (
            refused_with(
                "header",
                replace("vent_numbers = [0, 1, 2]", "vent_numbers = [0]"),
            ),
            "vent numbers = 1 below 3",
        ),
        (
            refused_with("header", replace("next_vent = 3", "next_vent = 1")),
            "vent numbers = 3 below 1",
        ),
        (
            refused_with("header", replace("step = 20", "stepp = 20")),
            "its header: unknown field `stepp`",
        ),
        (
            refused_with("header", replace("\"water\"", "\"beer\"")),
            "its header: no account of water",
        ),
        (
            refused_with("header", |body| body.push(0xff)),
            "its header: no text",
        ),
        (
            refused_with("scene", replace("threshold = 0.3", "threshold = 30")),
            "event[3].rules.threshold = 30",
        ),
        (
            refused_with("scene", replace("at = 12", "at = 26")),
            "event = in disorder",
        ),
        (
            refused_with("ground", floats),
            "its ground: the height of column 0 is NaN",
        ),
        (
            refused_with("ground", |body| body.truncate(99)),
            "its ground: shorter than it must be",
        ),
        (
            refused_with("ground", |body| body.push(0)),
            "its ground: longer than it can be",
        ),
        (
            refused_with("ground", first(caves, &[0; 4])),
            "its ground: longer than it can be",
        ),
        (
            refused_with("ground", first(caves + 4, &[0xff; 4])),
            "its ground: there is no column 4294967295",
        ),
        (
            refused_with("ground", first(caves + 8, &[0; 16])),
            "do not fit its height",
        ),
        (
            refused_with("lava", first(0, &[2])),
            "its lava: no place for a tile at (2, ",
        ),
        (
            refused_with("lava", |body| body.extend(body.clone())),
            "its lava: no place for a tile",
        ),
        (refused_with("lava", first(6, &[0; 4])), "its lava: "),
        (
            refused_with("lava", first(10, &[0; 2])),
            "a tile with less matter than it says",
        ),
        (
            refused_with("lava", first(10, &[1, 0x80])),
            "its matter: lava: more than a full cell",
        ),
        (
            refused_with("lava", first(10, &[1, 0])),
            "its matter: lava: mass: ",
        ),
        (
            refused_with("lava", first(2, &[0])),
            "its matter: lava: liquid in a solid cell",
        ),
        (
            refused_with("material:water", first(0, &[2])),
            "its material:water: no place for a tile",
        ),
        (
            refused_with("material:water", first(10, &[1])),
            "its matter: water: mass: ",
        ),
        (
            refused_with("records", |body| body.resize(3 << 20, 1)),
            "its records: longer than",
        ),
    ] {
        assert!(
            said.contains("damaged: ") && said.contains(expected),
            "{said}\nfor {expected}"
        );
    }
}

#[test]
fn sections_come_once_and_in_order() {
    let parts = sections(&whole());
    for i in 0..4 {
        let mut without = parts.clone();
        without.remove(i);
        assert!(
            refused(&file(&without)).contains(&format!("found where its {} should be", parts[i].0))
        );
        let mut twice = parts.clone();
        twice.push(parts[i].clone());
        assert!(refused(&file(&twice)).contains("one section too many"));
    }
    let many = (0..20).map(|i| (format!("extra{i}"), Vec::new()));
    assert!(
        refused(&file(&parts.into_iter().chain(many).collect())).contains("one section too many")
    );
}

/// Checks that later steps run without a panic if a checkpoint with random wrong bytes is accepted
/// (small fuzz test).
#[test]
fn what_is_read_never_fails_later() {
    let parts = sections(&whole());
    let mut read = 0;
    for round in 0..4000u64 {
        let dice = |k: u64, n: usize| mix64(mix64(round) ^ k) as usize % n;
        let mut wrong = parts.clone();
        // Mostly one byte of the numbers, sometimes of the texts; the accounts are in the header.
        let (_, body) = &mut wrong[[0, 1, 2, 3, 3][dice(0, 5)]];
        let place = dice(1, body.len());
        body[place] = [
            body[place] ^ 1 << dice(2, 8),
            dice(3, 256) as u8,
            b'0' + dice(4, 10) as u8,
        ][dice(5, 3)];
        let engine: Box<dyn Engine> = if round % 2 == 0 {
            Box::new(Tiled::default())
        } else {
            Box::new(Plain)
        };
        if let Ok(checkpoint) = Checkpoint::read(&file(&wrong)[..], Path::new("run.lvx"), engine) {
            let mut simulation = checkpoint.stage.simulation;
            (0..10).for_each(|_| simulation.step());
            simulation
                .world()
                .check()
                .unwrap_or_else(|fault| panic!("round {round}: {fault}"));
            read += 1;
        }
    }
    assert!(read > 100, "{read} were read");
}

/// Scene of the physical model in which lava, a sea, sand, ash and air interact.
const COAST: &str = r#"
name = "coast"
model = "flow"
[flow]
step_s = 2.0
lava = "etna-basalt"
[grid]
size = [16, 14, 12]
cell_size_m = 4.0
[terrain]
kind = "slope"
[[material]]
name = "water"
[[material]]
name = "steam"
[[material]]
name = "sand"
[[material]]
name = "ash"
[[body]]
shape = { kind = "below", level = 5.0 }
matter = { kind = "material", name = "water", amount = 1.0 }
[[body]]
shape = { kind = "box", from = [3, 10, 8], to = [6, 13, 10] }
matter = { kind = "material", name = "sand", amount = 1.0 }
[air]
step_s = 2.0
height_m = 56.0
steam = "steam"
ash = "ash"
wind = [[0.0, 2.0, 250.0]]
[[vent]]
x = 8.0
z = 4.0
radius = 1.0
rate_m3_s = 30.0
air = { gas = 0.06, ash = 0.02, jet_m_s = 15.0 }
"#;

const WAX: &str = r#"
name = "wax"
model = "flow"
[flow]
step_s = 1.0
lava = { preset = "paraffin-wax", viscosity = { pa_s = 0.1 } }
[grid]
size = [12, 12, 12]
cell_size_m = 0.002
cell_height_m = 0.002
[terrain]
kind = "plane"
[[body]]
shape = { kind = "cylinder", base = [6.0, 1.0, 6.0], radius = 3.0, height = 7.0 }
matter = { kind = "solid" }
[[heater]]
shape = { kind = "sphere", center = [7.0, 7.0, 6.0], radius = 3.0 }
heats = "inside"
power_w = 3.0
up_to_k = 350.0
"#;

/// Scene of the cellular automaton in which water, sand, steam and lava interact.
const SHORE: &str = r#"
name = "shore"
[grid]
size = [24, 20, 16]
[terrain]
kind = "slope"
[[material]]
name = "water"
[[material]]
name = "steam"
[[material]]
name = "sand"
[[body]]
shape = { kind = "below", level = 6.0 }
matter = { kind = "material", name = "water", amount = 1.0 }
[[body]]
shape = { kind = "box", from = [3, 12, 8], to = [9, 17, 12] }
matter = { kind = "material", name = "sand", amount = 1.0 }
[[vent]]
x = 12.0
z = 8.0
radius = 2.0
rate = 1.5
"#;

/// Checks that a step which is interrupted after each of its stages, and is each time saved to a
/// file and to a snapshot, gives the same bits as an uninterrupted step.
#[test]
fn a_step_that_was_cut_goes_on_from_its_file() {
    // Cuts before emission and fallout; between the rules of an automaton.
    for (text, cuts) in [(COAST, 2), (SHORE, 15)] {
        let scene = Scene::parse(text, Path::new("cut.toml")).expect("a scene");
        let mut whole = scene.build(Box::new(Tiled::default())).expect("a stage");
        let mut cut = scene.build(Box::new(Tiled::default())).expect("a stage");
        let (steps, mut stages) = (12, 0);
        (0..steps).for_each(|_| whole.simulation.step());
        while cut.simulation.steps() < steps {
            cut.simulation.cut_by(Arc::new(AtomicBool::new(true)));
            cut.simulation.step();
            stages += usize::from(cut.simulation.was_stopped());
            cut.simulation
                .world()
                .check()
                .expect("accounts hold where it was cut");
            let mut bytes = Vec::new();
            let writer = CheckpointWriter {
                scene: &scene,
                stage: &cut,
                extras: &[],
            };
            writer
                .write(Path::new("run.lvx"), &mut bytes)
                .expect("memory");
            let held = cut.simulation.snapshot(None);
            cut.simulation.step();
            cut.simulation.go_back(&held);
            let (before, made) = (
                cut.simulation.world().state_hash(),
                cut.simulation.stages_made(),
            );
            cut = open(&bytes).unwrap_or_else(|error| panic!("{error}")).stage;
            assert_eq!(
                (
                    cut.simulation.world().state_hash(),
                    cut.simulation.stages_made()
                ),
                (before, made)
            );
        }
        assert!(stages >= cuts * steps as usize, "{stages} cuts");
        assert_eq!(
            cut.simulation.world().state_hash(),
            whole.simulation.world().state_hash()
        );
        // A command ends the step first.
        cut.simulation.cut_by(Arc::new(AtomicBool::new(true)));
        cut.simulation.step();
        let shape = Shape::Sphere {
            center: [5.0, 12.0, 6.0],
            radius: 2.0,
        };
        let rock = || Edit {
            shape: shape.clone(),
            matter: Matter::Rock,
        };
        cut.simulation.command(rock()).expect("an edit");
        whole.simulation.step();
        whole.simulation.command(rock()).expect("an edit");
        assert_eq!(
            (cut.simulation.steps(), cut.simulation.stages_made()),
            (steps + 1, 0)
        );
        assert_eq!(
            cut.simulation.world().state_hash(),
            whole.simulation.world().state_hash()
        );
    }
}

/// Checks that each bit of a state survives a checkpoint file and a packed copy, and changes the
/// state's hash. Bits of a surface height within a ground cell affect pictures only: later steps do
/// not depend on these bits.
fn each_bit_is_kept_packed_and_hashed(text: &str, rounds: u64, held: &[&str]) {
    let scene = Scene::parse(text, Path::new("coast.toml")).expect("a scene");
    let mut stage = scene.build(Box::new(Tiled::default())).expect("a stage");
    (0..60).for_each(|_| stage.simulation.step());
    let write = |stage: &BuiltScene| {
        let mut bytes = Vec::new();
        let snapshot = CheckpointWriter {
            scene: &scene,
            stage,
            extras: &[],
        };
        snapshot
            .write(Path::new("run.lvx"), &mut bytes)
            .expect("memory");
        sections(&bytes)
    };
    let (parts, hash) = (write(&stage), stage.simulation.world().state_hash());
    let later = |simulation: &mut Simulation| {
        (0..3).for_each(|_| simulation.step());
        simulation.world().state_hash()
    };
    let future = later(&mut stage.simulation);
    let mut read = BTreeMap::new();
    for round in 0..rounds {
        let dice = |k: u64, n: usize| mix64(mix64(round) ^ k) as usize % n;
        let mut wrong = parts.clone();
        let held: Vec<usize> = (2..parts.len())
            .filter(|&number| !parts[number].1.is_empty())
            .collect();
        let (name, body) = &mut wrong[held[dice(0, held.len())]];
        let place = dice(1, body.len());
        body[place] ^= 1 << dice(2, 8);
        let about = format!("byte {place} of {name}");
        let is_flow = name == StatePart::FLOW;
        let (is_ground, name) = (name == StatePart::GROUND, name.clone());
        let Ok(mut other) = open(&file(&wrong)) else {
            continue;
        };
        let kept = write(&other.stage);
        // A number of a flow may be encoded longer than necessary and is then equal.
        if is_flow && kept == parts {
            continue;
        }
        assert!(is_flow || kept == wrong, "{about} is not kept");
        *read.entry(name).or_insert(0) += 1;
        let is_hashed = other.stage.simulation.world().state_hash() != hash;
        let simulation = &mut other.stage.simulation;
        let packed = simulation.snapshot(None);
        let future_there = later(simulation);
        assert!(
            is_hashed || is_ground && future_there == future,
            "{about} is not hashed"
        );
        simulation.go_back(&packed);
        assert!(write(&other.stage) == kept, "{about} is not packed");
    }
    for &section in held {
        assert!(
            read.get(section).is_some_and(|count| *count > 10),
            "{read:?}"
        );
    }
}

#[test]
fn every_number_of_a_state_is_kept_packed_and_hashed() {
    each_bit_is_kept_packed_and_hashed(
        COAST,
        500,
        &["ground", "lava", StatePart::AIR, StatePart::FLOW],
    );
    each_bit_is_kept_packed_and_hashed(WAX, 200, &[StatePart::FLOW]);
}
