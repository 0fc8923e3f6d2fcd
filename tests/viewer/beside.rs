//! Two runs side by side in one window: steps and numbers as those of separate runs, the end of
//! the second run, and wrong second scenes.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lavoxel::engine::tiled::Tiled;
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;

use crate::window::{Display, Window, focused};

/// Smoke in a small box one cell thick, moved by `solver`.
fn smoke(solver: &str) -> String {
    format!(
        "name = \"{solver}\"\nseed = 4\n[grid]\nsize = [48, 32, 1]\ncell_size_m = 1.0\n[terrain]\nkind = \"plane\"\n[air]\n\
         solver = \"{solver}\"\nheight_m = 32.0\nstep_s = 0.05\nratio = 1\nsides = {{ x = \"wall\", z = \"wall\", top = \"wall\" }}\n\
         [[fume]]\nx = 24.0\nz = 0.5\nradius = 10.0\nrate = 100.0\n\
         air = {{ gas = 0.5, ash = 0.001, temperature_k = 330.0 }}\n"
    )
}

/// Scene of lava on a plane; `rate` in cells a step.
fn lava(name: &str, rate: f64) -> String {
    format!(
        "name = \"{name}\"\nseed = 3\n[grid]\nsize = [32, 24, 32]\n[terrain]\nkind = \"plane\"\n[[vent]]\nx = 16.0\nz = 16.0\n\
         radius = 2.0\nrate = {rate:?}\n"
    )
}

/// Separate run of a scene file.
fn separate(path: &Path, steps: u64) -> Simulation {
    let scene = Scene::load(path).expect("a right scene");
    let stage = scene.build(Box::new(Tiled::default())).expect("it fits");
    let mut run = stage.simulation;
    (0..steps).for_each(|_| run.step());
    run
}

/// Returns the line about two runs that both made `steps` steps, with the states of separate runs.
fn expected(paths: [&Path; 2], steps: u64) -> String {
    let [left, right] = paths.map(|path| separate(path, steps).world().state_hash());
    format!("two runs at steps {steps} and {steps}, states {left:016x} and {right:016x}")
}

/// Returns left value, right value and difference of the row `name`.
fn row(window: &mut Window, name: &str) -> [f64; 3] {
    let line = window.wait_for(&format!("{name}: "));
    let words: Vec<&str> = line
        .rsplit(": ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
    let last = words.last().and_then(|word| word.parse().ok());
    match (number(0), number(2), last) {
        (Some(left), Some(right), Some(difference)) => [left, right, difference],
        _ => panic!("not a row of numbers: {line}"),
    }
}

#[test]
fn two_solvers_of_the_air_run_side_by_side_with_the_numbers_of_separate_runs() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let paths = ["article", "incompressible"].map(|solver| {
        let path = folder.join(format!("{solver}.toml"));
        fs::write(&path, smoke(solver)).expect("written");
        path
    });
    let words = [
        "article.toml",
        "--beside",
        "incompressible.toml",
        "--steps",
        "60",
    ];
    let mut window = Window::open(&display, folder, &words);
    window.wait_for("second run incompressible 48x32x1");
    window.wait_for(&expected([&paths[0], &paths[1]], 60));
    let ash = paths.each_ref().map(|path| {
        let run = separate(path, 60);
        let air = run.world().air().expect("it has air");
        let field = lavoxel::air::Field::Ash;
        air.amounts().total(field) as f64 * air.scale().of_unit(field)
    });
    let [left, right, difference] = row(&mut window, "ash of the air");
    assert!(ash[0] > 0.0, "{ash:?}");
    assert_eq!([left, right, difference], [ash[0], ash[1], ash[1] - ash[0]]);
    let session = focused(&display, &mut window, folder);
    assert_eq!(Scene::load(&session).expect("a scene").spec.name, "article");
    display.key("period");
    window.wait_for(&expected([&paths[0], &paths[1]], 61));
    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());
}

#[test]
fn the_second_run_ends_and_gives_its_memory_back() {
    let Some(display) = Display::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("left.toml"), lava("left", 1.0)).expect("written");
    // The ground of a large box takes memory from the start.
    let large = lava("right", 1.0).replace("[32, 24, 32]", "[512, 128, 512]");
    fs::write(folder.join("right.toml"), large).expect("written");
    let words = ["left.toml", "--beside", "right.toml", "--steps", "40"];
    let mut window = Window::open(&display, folder, &words);
    window.wait_for("two runs at steps 40 and 40");
    focused(&display, &mut window, folder);
    let both = window.resident_mb();
    display.key("b");
    window.wait_for("second run closed");
    std::thread::sleep(Duration::from_secs(3));
    let one = window.resident_mb();
    // Ground, low-pass and pictures of the large box: 38 MB on Linux.
    assert!(
        one < both - 15.0,
        "{both:.0} MB with two runs, {one:.0} MB with one"
    );
    display.key("period");
    window.wait_for("paused at step 41");
    // The key opens the start screen for the choice of another one.
    display.key("b");
    window.wait_for("open dialog");
    display.xdotool(&["type", "--delay", "120", "bowl"]);
    std::thread::sleep(Duration::from_millis(1500));
    display.key("Return");
    window.wait_for("second run bowl");
    window.wait_for("two runs at steps 41 and 41");
    display.key("ctrl+q");
    window.wait_for("closed");
    assert!(window.end().success());
}

#[test]
fn a_wrong_second_scene_is_refused_before_a_window_opens() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    file("left.toml", &lava("left", 1.0));
    file("wrong.toml", "[grid]\nsize = [8, 9000, 8]\n");
    file(
        "large.toml",
        &lava("large", 1.0).replace("[32, 24, 32]", "[1024, 256, 1024]"),
    );
    let cases: [(&[&str], &[&str]); 5] = [
        (&["missing.toml"], &["--beside missing.toml"]),
        (&["nowhere"], &["--beside nowhere"]),
        (&["wrong.toml"], &["wrong.toml", "9000"]),
        (&["thickness"], &["--beside thickness", "films only"]),
        (
            &["large.toml", "--max-memory", "200M"],
            &["--beside", "large.toml", "allow more with --max-memory"],
        ),
    ];
    for (words, parts) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
        command
            .current_dir(folder.path())
            .args(["view", "left.toml", "--beside"])
            .args(words)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY");
        let done = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {said}");
        let names_all = parts.iter().all(|part| said.contains(part));
        assert!(names_all && said.lines().count() == 1, "{words:?}: {said}");
    }
}
