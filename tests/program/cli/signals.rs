//! Tests that signals end the program, which leaves only complete files.
#![cfg(unix)]

use std::fs;
use std::io::BufReader;
use std::time::{Duration, Instant};

use image::codecs::gif::GifDecoder;
use serde_json::Value;

use super::place::{Place, apng_frames, apng_header_frames, frames, picture, text};
use crate::child::Running;
use crate::common::one_in;

/// Checks that one signal ends the program while it reads a scene from a pipe into which nothing is
/// ever written.
#[test]
fn a_first_signal_ends_the_program_while_it_reads() {
    use rustix::process::Signal;

    for (args, signal) in [
        ("run pipe", Signal::TERM),
        ("render pipe", Signal::INT),
        ("resume pipe", Signal::TERM),
    ] {
        let place = Place::new();
        let made = std::process::Command::new("mkfifo")
            .arg(place.path("pipe"))
            .status();
        assert!(
            made.is_ok_and(|status| status.success()),
            "coreutils has mkfifo"
        );
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
        command
            .current_dir(place.0.path())
            .args(args.split(' '))
            .stderr(std::process::Stdio::piped());
        let mut program = Running::start(&mut command);
        std::thread::sleep(Duration::from_secs(1));
        if program.try_wait().unwrap().is_none() {
            program.signal(signal);
        }
        let code = program.output().status.code();
        assert!(
            code == Some(130) || (args == "resume pipe" && code == Some(2)),
            "{args}: {code:?}"
        );
    }
}

/// Starts the program, sends SIGINT once `ready` returns true for the time since the start, and
/// waits for the end.
fn interrupted(
    place: &Place,
    args: &str,
    ready: impl Fn(Duration) -> bool,
) -> std::process::Output {
    use std::process::{Command, Stdio};

    let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .current_dir(place.0.path())
        .args(args.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    let start = Instant::now();
    while !ready(start.elapsed()) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was stopped"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child.interrupt();
    child.output()
}

#[test]
fn ctrl_c_leaves_whole_files() {
    let place = Place::new();
    let third = place.path("f/small-scene_000020.png");
    let args = "render small.toml --steps 1000000 --every 10 --size 40x30 --frames f --animation a.png --animation a.gif \
                --picture end.png";
    let output = interrupted(&place, args, |_| third.exists());
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("stopped after step "), "{err}");

    let files = place.files();
    assert!(
        files.iter().all(|name| !name.contains(".lvx-")),
        "{files:?}"
    );
    let stills: Vec<_> = files.iter().filter(|name| name.starts_with("f/")).collect();
    assert!(stills.len() >= 3);
    for still in &stills {
        assert_eq!(picture(&place.read(still)).dimensions(), (40, 30));
    }
    let bytes = place.read("a.png");
    assert_eq!(apng_header_frames(&bytes) as usize, stills.len());
    assert_eq!(apng_frames(&bytes).len(), stills.len());
    let gif =
        GifDecoder::new(BufReader::new(fs::File::open(place.path("a.gif")).unwrap())).unwrap();
    assert_eq!(frames(gif).len(), stills.len());
    assert_eq!(picture(&place.read("end.png")).dimensions(), (40, 30));
}

/// Checks that a picture that takes hours is given up soon after the signal, with nothing written.
#[test]
fn ctrl_c_ends_a_traced_picture() {
    let place = Place::new();
    let wait = Duration::from_secs(4);
    let args = "render small.toml --style print --samples 65536 --size 640x480 --picture a.png --exr a.exr";
    let begin = Instant::now();
    let output = interrupted(&place, args, |since| since > wait);
    let took = begin.elapsed() - wait;
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("stopped before a.png was drawn"), "{err}");
    assert_eq!(place.files(), ["small.toml"]);
    // One second is the grace period; the rest is for a busy machine.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn ctrl_c_ends_a_run_with_its_report() {
    let place = Place::new();
    // Before the signal handler is installed, the signal would end the program without a report;
    // two seconds are plenty.
    let plenty = |since: Duration| since > Duration::from_secs(2);
    let output = interrupted(&place, "run small.toml --steps 1000000000 --json", plenty);
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interrupted"], true);
    let steps = report["steps"].as_u64().unwrap();
    assert!(steps < 1_000_000_000);
    assert_eq!(
        text(&output.stderr),
        format!("stopped after step {steps}\n")
    );
}

#[test]
fn an_interrupted_run_writes_the_maps_of_its_steps() {
    let place = Place::new();
    let plenty = |since: Duration| since > Duration::from_secs(2);
    let args = "run small.toml --steps 1000000000 --json --map arrival=a.tif --npz all.npz";
    let output = interrupted(&place, args, plenty);
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let step = &report["steps"];
    let printed = text(&output.stderr);
    let expected = format!(
        "stopped after step {step}; these files are of the steps up to there:\na.tif (step {step})\nall.npz (step {step})\n"
    );
    assert_eq!(printed, expected);
    assert_eq!(place.files(), ["a.qml", "a.tif", "all.npz", "small.toml"]);
}

/// Scene of a breaking dam of very thin lava: its first step has over a hundred thousand sub-steps
/// and takes minutes.
pub(crate) const DEEP: &str = r#"
name = "deep"
model = "flow"
[flow]
step_s = 3600.0
duration = "10 h"
open_sides = false
lava = { preset = "etna-basalt", viscosity = { law = "constant", pa_s = 1.0 } }
[grid]
size = [120, 30, 120]
cell_size_m = 10.0
cell_height_m = 5.0
[terrain]
kind = "plane"
base_cells = 2.0
[[body]]
shape = { kind = "box", from = [0, 2, 0], to = [60, 20, 120] }
matter = { kind = "lava", amount = 1.0 }
[[vent]]
x = 30.0
z = 30.0
radius = 0.0
rate_m3_s = 100.0
"#;

/// Upper bound of the time from a signal to the program's exit. The exit takes one or two seconds;
/// on a machine that compiles at the same time, several times as long.
const SOON: Duration = Duration::from_secs(10);

/// Starts the program, sends `signal` once `ready` returns true for the time since the start, and
/// returns the output and the time from signal to exit.
fn stopped(
    place: &Place,
    args: &str,
    signal: rustix::process::Signal,
    ready: impl Fn(Duration) -> bool,
) -> (std::process::Output, Duration) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command.current_dir(place.0.path()).args(args.split(' '));
    let mut program = Running::start(
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped()),
    );
    let start = Instant::now();
    while !ready(start.elapsed()) {
        assert!(
            program.try_wait().unwrap().is_none(),
            "{args}: ended before it was stopped"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Instant::now();
    program.signal(signal);
    let output = program.output();
    (output, asked.elapsed())
}

/// Checks that the program has left no partial or temporary file.
fn assert_nothing_is_half(place: &Place) {
    let files = place.files();
    assert!(
        files.iter().all(|name| !name.contains(".lvx-")),
        "{files:?}"
    );
}

#[test]
fn ctrl_c_acts_inside_a_step_of_a_flow() {
    use rustix::process::Signal;

    for (args, signal) in [
        ("run deep.toml --checkpoint deep.lvx --json", Signal::INT),
        ("run deep.toml --checkpoint deep.lvx --json", Signal::TERM),
        ("hazard deep.toml --runs 1 --durations 1h", Signal::TERM),
        (
            "render deep.toml --animation a.webp --frames f --size 160x120",
            Signal::INT,
        ),
        ("render deep.toml --picture end.png", Signal::TERM),
    ] {
        let place = Place::new();
        place.write_file("deep.toml", DEEP);
        // By then the signal handler is installed, and the program is in its first step, or before
        // that in a frame.
        let (output, took) = stopped(&place, args, signal, |since| since > Duration::from_secs(4));
        assert!(took < SOON, "{args}: ended after {took:?}");
        assert_eq!(
            output.status.code(),
            Some(130),
            "{args}: {}",
            text(&output.stderr)
        );
        assert_nothing_is_half(&place);
        if args.starts_with("run") {
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(
                (&report["steps"], &report["interrupted"]),
                (&Value::from(0), &Value::Bool(true))
            );
            let kept = place.json("resume deep.lvx --steps 0 --json");
            assert_eq!(kept["state_hash"], report["state_hash"]);
        }
    }
}

/// Checks Ctrl-C within a frame: a frame of this size takes long, and there are many.
#[test]
fn ctrl_c_acts_inside_a_frame() {
    use rustix::process::Signal;

    for args in [
        "render --steps 9000 --every 1 --size 5000x4000 --animation a.webp",
        "render --steps 1 --size 6000x5000 --picture a.png",
    ] {
        let place = Place::new();
        let (output, took) = stopped(&place, args, Signal::TERM, |since| {
            since > Duration::from_secs(2)
        });
        assert!(took < SOON, "{args}: ended after {took:?}");
        assert_eq!(
            output.status.code(),
            Some(130),
            "{args}: {}",
            text(&output.stderr)
        );
        assert_nothing_is_half(&place);
    }
}

/// Box of lava whose volumes take long to write.
const FULL: &str = "name = \"full\"\n[grid]\nsize = [300, 250, 300]\n[terrain]\nkind = \"plane\"\n[[body]]\n\
                    shape = { kind = \"box\", from = [0, 25, 0], to = [300, 225, 300] }\n\
                    matter = { kind = \"lava\", amount = 0.5, energy = 0.0 }\n";

#[test]
fn a_signal_gives_up_a_file_that_a_checkpoint_can_make_again() {
    use rustix::process::Signal;

    let files = [
        "--volume all.vdb",
        "--mesh all.glb",
        "--volume all.vti",
        "--npz all.npz",
    ];
    for file in files.iter().step_by(one_in(4)) {
        let place = Place::new();
        place.write_file("full.toml", FULL);
        let args = format!("run full.toml --steps 0 --checkpoint full.lvx {file}");
        // Once the checkpoint exists, the volume is being computed or written.
        let kept = place.path("full.lvx");
        let (output, took) = stopped(&place, &args, Signal::TERM, |_| kept.exists());
        assert!(took < SOON, "{file}: ended after {took:?}");
        assert_eq!(
            output.status.code(),
            Some(130),
            "{file}: {}",
            text(&output.stderr)
        );
        assert_eq!(
            place.files(),
            ["full.lvx", "full.toml", "small.toml"],
            "{file}"
        );
        assert_eq!(place.json("resume full.lvx --steps 0 --json")["steps"], 0);
    }
}
