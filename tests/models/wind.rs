//! Tests of changes of the wind while the air moves, by events of the scene and by the user; a
//! recorded session and a checkpoint give the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;

use crate::common::{plain, tiled};
use lavoxel::air::Wind;
use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::output::Existing;
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::{Command, Simulation};

const SCENE: &str = "[grid]\nsize = [24, 16, 24]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n\
    [air]\nheight_m = 320.0\nstep_s = 1.0\nwind = [[0.0, 2.0, 270.0], [300.0, 4.0, 270.0]]\nSOLVER\n\
    [[fume]]\nx = 12.0\nz = 12.0\nradius = 2.0\nrate = 2000.0\nair = { gas = 0.5, ash = 0.2 }\n\
    [[event]]\nat = 6\nwind = { speed_m_s = 5.0, from_deg = 180.0 }\n";

const SOLVERS: [&str; 2] = ["solver = \"incompressible\"", "solver = \"article\""];

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn run(simulation: &mut Simulation, steps: u64) -> u64 {
    while simulation.steps() < steps {
        simulation.step();
    }
    simulation.world().check().unwrap();
    simulation.world().state_hash()
}

/// Returns the mean velocity of the air in m/s, to the east and to the south.
fn mean(simulation: &Simulation) -> [f64; 2] {
    let air = simulation.world().air().unwrap();
    let cells = air.grid().cells;
    let sum = cells
        .places()
        .map(|place| air.velocity_m_s(place))
        .fold([0.0; 2], |s, v| [s[0] + v[0], s[1] + v[2]]);
    sum.map(|sum| sum / cells.cells() as f64)
}

#[test]
fn an_event_turns_the_wind() {
    for solver in SOLVERS {
        let scene = scene(&SCENE.replace("SOLVER", solver));
        let mut simulation = scene.build(tiled()).unwrap().simulation;
        run(&mut simulation, 5);
        let [east, south] = mean(&simulation);
        assert!(
            east > 1.5 && south.abs() < 0.8,
            "{solver}: from the west, {east} {south}"
        );
        assert_eq!(simulation.wind().unwrap().fastest(), [4.0, 270.0]);
        run(&mut simulation, 8);
        let [east, south] = mean(&simulation);
        assert!(
            east.abs() < 1.0 && south < -3.0,
            "{solver}: from the south, {east} {south}"
        );
        assert_eq!(simulation.wind(), Some(&Wind::even(5.0, 180.0)));
        simulation.command(Wind::default()).unwrap();
        run(&mut simulation, 9);
        let [east, south] = mean(&simulation);
        assert!(
            east.abs() < 1.2 && south.abs() < 1.2,
            "{solver}: still, {east} {south}"
        );
    }
}

/// Checks that a uniform wind over a plain stays uniform with default keys, for all time steps and
/// numbers of ground cells.
#[test]
fn a_uniform_wind_over_a_plain_stays_uniform() {
    for (step_s, base) in [(0.5, 0), (0.5, 2), (0.1, 4), (1.0, 9)] {
        let text = format!(
            "[grid]\nsize = [32, 16, 32]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\nbase_cells = {base}.0\n\
             [air]\nstep_s = {step_s:?}\nwind = [[0.0, 3.0, 270.0]]\n"
        );
        let mut simulation = scene(&text).build(tiled()).unwrap().simulation;
        run(&mut simulation, 1000);
        let air = simulation.world().air().unwrap();
        let is_open = |place: &[usize; 3]| !air.openness().is_solid(*place);
        let off = |place| {
            let [east, up, south] = air.velocity_m_s(place);
            (east - 3.0).abs().max(up.abs()).max(south.abs())
        };
        let most = air
            .grid()
            .cells
            .places()
            .filter(is_open)
            .map(off)
            .fold(0.0, f64::max);
        assert!(
            most <= 0.03,
            "{most} m/s off, step {step_s} s, {base} cells of ground"
        );
    }
}

/// Sends commands that change the wind: twice before one step, and again later.
fn meddle(simulation: &mut Simulation) {
    run(simulation, 9);
    simulation
        .command(Wind(vec![[0.0, 1.7, 33.3], [200.0, 7.1, 61.0]]))
        .unwrap();
    simulation.command(Wind::even(3.3, 100.0)).unwrap();
    run(simulation, 12);
    simulation.command(Wind::even(2.2, 10.0)).unwrap();
}

#[test]
fn a_recorded_session_with_wind_replays_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    for solver in SOLVERS {
        let original = scene(&SCENE.replace("SOLVER", solver));
        let mut simulation = original.build(tiled()).unwrap().simulation;
        meddle(&mut simulation);
        let moment = simulation.snapshot(None);
        let path = folder.path().join("recorded.toml");
        original
            .recorded(&simulation)
            .save(&path, Existing::Replace)
            .unwrap();
        let hash = run(&mut simulation, 20);
        let again = Scene::load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            again.spec.events.len(),
            4,
            "{}",
            fs::read_to_string(&path).unwrap()
        );
        let mut replay = again.build(plain()).unwrap().simulation;
        assert_eq!(run(&mut replay, 20), hash, "{solver}");
        assert_eq!(
            (replay.wind(), replay.events()),
            (simulation.wind(), simulation.events())
        );
        // A wind set after a snapshot is forgotten when going back.
        simulation.command(Wind::even(9.0, 200.0)).unwrap();
        run(&mut simulation, 22);
        simulation.go_back(&moment);
        assert_eq!(run(&mut simulation, 20), hash, "{solver}: back and forth");
    }
}

#[test]
fn a_checkpoint_has_the_wind_in_force() {
    for solver in SOLVERS {
        let scene = scene(&SCENE.replace("SOLVER", solver));
        let mut stage = scene.build(tiled()).unwrap();
        meddle(&mut stage.simulation);
        let mut bytes = Vec::new();
        let writer = |stage: &BuiltScene, bytes: &mut Vec<u8>| {
            CheckpointWriter {
                scene: &scene,
                stage,
                extras: &[],
            }
            .write(Path::new("run.lvx"), bytes)
            .unwrap();
        };
        writer(&stage, &mut bytes);
        let mut again = Checkpoint::read(&bytes[..], Path::new("run.lvx"), tiled())
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            again.stage.simulation.wind(),
            stage.simulation.wind(),
            "{solver}"
        );
        let hashes = [&mut again.stage, &mut stage].map(|stage| run(&mut stage.simulation, 20));
        assert_eq!(hashes[0], hashes[1], "{solver}");
    }
}

#[test]
fn wind_without_air_is_refused() {
    let bare = "[grid]\nsize = [8, 8, 8]\n[terrain]\nkind = \"plane\"\n";
    let mut simulation = scene(bare).build(tiled()).unwrap().simulation;
    let refused = simulation
        .command(Wind::even(3.0, 0.0))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("no [air]"), "{refused}");
    assert!(simulation.events().is_empty());
    let event = format!("{bare}[[event]]\nat = 1\nwind = {{ speed_m_s = 3.0, from_deg = 0.0 }}\n");
    let refused = scene(&event).build(tiled()).err().unwrap().to_string();
    assert!(
        refused.contains("event[0].wind") && refused.contains("no [air]"),
        "{refused}"
    );
    let wrong = |wind: &str| {
        let text = format!("{bare}[air]\n[[event]]\nat = 1\nwind = {wind}\n");
        Scene::parse(&text, Path::new("scene.toml"))
            .unwrap_err()
            .to_string()
    };
    assert!(wrong("{ speed_m_s = 300.0, from_deg = 0.0 }").contains("event[0].wind speed = 300"));
    let misspelt = wrong("{ speed = 3.0, from_deg = 0.0 }");
    assert!(misspelt.contains("speed"), "{misspelt}");
    assert!(wrong("[[9.0, 1.0, 0.0], [3.0, 1.0, 0.0]]").contains("in the order of the heights"));
    assert_eq!(
        Command::from(Wind::default()),
        Command::Wind(Wind::default())
    );
}
