//! The program as people and scripts use it: what it prints, what it writes, and how it refuses.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "common/child.rs"]
mod child;
#[path = "common/needs.rs"]
mod needs;

use std::fs;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::Output;
#[cfg(unix)]
use std::time::{Duration, Instant};

use assert_cmd::Command;
use child::Running;
use image::AnimationDecoder;
use image::codecs::{gif::GifDecoder, png::PngDecoder, webp::WebPDecoder};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// Twenty steps on a plain, drawn small.
const SMALL: &str = r#"
name = "Small scene"
seed = 5
threads = 2

[grid]
size = [24, 20, 24]

[terrain]
kind = "plane"

[[vent]]
x = 12.0
z = 12.0
radius = 2.0
rate = 1.5

[film]
steps = 20
every = 5
size = [64, 48]
picture_size = [96, 72]
fps = 10
"#;

const SUBCOMMANDS: [&str; 6] = ["render", "run", "resume", "bench", "terrain", "scene"];

/// A heightmap of 4 × 3 cells.
const TINY_ASC: &str = "ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4\n2 3 4 5\n3 4 5 9\n";

fn lavoxel() -> Command {
    assert_cmd::cargo::cargo_bin_cmd!("lavoxel")
}

/// A folder in which the program runs.
struct Place(TempDir);

impl Place {
    /// A folder with [`SMALL`] as `small.toml`.
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.put("small.toml", SMALL);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// All files beneath the folder, sorted.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path.strip_prefix(self.0.path()).unwrap().display().to_string());
                }
            }
        }
        files.sort();
        files
    }

    /// Runs the program with `args`, split at spaces.
    fn run(&self, args: &str) -> Output {
        lavoxel().current_dir(self.0.path()).args(args.split_whitespace()).output().unwrap()
    }

    /// Runs what must succeed and returns standard output.
    fn done(&self, args: &str) -> String {
        let output = self.run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{args}\n{out}\n{err}");
        out
    }

    fn json(&self, args: &str) -> Value {
        serde_json::from_str(&self.done(args)).unwrap()
    }

    /// Runs what must be refused with `code` and one line, with every file as it was; returns the line.
    fn refused_with(&self, code: i32, args: &str) -> String {
        let contents = || self.files().into_iter().map(|name| (self.read(&name), name)).collect::<Vec<_>>();
        let before = contents();
        let output = self.run(args);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args}\n{err}");
        assert_eq!(text(&output.stdout), "", "{args}");
        assert!(err.starts_with("lavoxel: ") && err.ends_with('\n'), "{args}\n{err}");
        assert_eq!(err.lines().count(), 1, "{args}\n{err}");
        assert!(!err.contains("panicked"), "{args}\n{err}");
        let parts: Vec<_> = err.trim_end().split(": ").collect();
        let twice = parts.iter().enumerate().find(|(i, part)| part.len() > 20 && parts[..*i].contains(part));
        assert!(twice.is_none(), "{args} says something twice\n{err}");
        assert!(contents() == before, "{args} left {:?}", self.files());
        err
    }

    /// Runs what must be refused as wrong use or wrong input.
    fn refused(&self, args: &str) -> String {
        self.refused_with(2, args)
    }

    /// `run` on a scene with this text, which must be refused.
    fn refused_scene(&self, scene: impl AsRef<[u8]>) -> String {
        self.put("wrong.toml", scene);
        self.refused("run wrong.toml --quiet --steps 1")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn picture(bytes: &[u8]) -> image::RgbImage {
    image::load_from_memory_with_format(bytes, image::ImageFormat::Png).unwrap().to_rgb8()
}

/// The fraction of pixels that differ between two pictures of one size.
fn difference(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count() as f64 / f64::from(a.width() * a.height())
}

fn frames<'a>(decoder: impl AnimationDecoder<'a>) -> Vec<image::Frame> {
    decoder.into_frames().collect_frames().unwrap()
}

/// Number of frames in the header of an animated PNG.
fn apng_header_frames(bytes: &[u8]) -> u32 {
    let at = bytes.windows(4).position(|chunk| chunk == b"acTL").expect("an animation has this chunk");
    u32::from_be_bytes(bytes[at + 4..at + 8].try_into().unwrap())
}

fn apng_frames(bytes: &[u8]) -> Vec<image::Frame> {
    frames(PngDecoder::new(Cursor::new(bytes)).unwrap().apng().unwrap())
}

fn ffmpeg_is_there() -> bool {
    needs::program("ffmpeg", "ffmpeg")
}

// Help.

#[test]
fn help_and_version_are_there_for_every_command() {
    lavoxel().arg("--version").assert().success().stdout(contains(env!("CARGO_PKG_VERSION")));
    let mut help = lavoxel().arg("--help").assert().success().stderr("");
    for command in SUBCOMMANDS {
        help = help.stdout(contains(format!("  {command} ")));
        let flag = lavoxel().args([command, "--help"]).assert().success().stderr("");
        flag.stdout(contains(format!("Usage: lavoxel {command}")));
        lavoxel().args(["help", command]).assert().success();
    }
}

// run

#[test]
fn run_reports_for_people() {
    let place = Place::new();
    let output = place.run("run small.toml");
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    assert!(report.starts_with("Small scene: 20 steps on 24 × 20 × 24 cells of 10 m, seed 5, 2 threads\n"), "{report}");
    for part in ["mass ", "energy ", "cells ", "extent ", "per step ", "state "] {
        assert!(report.lines().any(|line| line.starts_with(part)), "no {part} in\n{report}");
    }
    assert!(report.contains("30.000 sourced"), "{report}");
    assert_eq!(place.files(), ["small.toml"]);
}

#[test]
fn run_reports_for_programs_and_the_account_is_exact() {
    let place = Place::new();
    place.put("open.toml", SMALL.replace("[[vent]]", "[rules]\nthreshold = 0.05\nwalls = \"open\"\n[[vent]]"));
    for (args, open) in [("run small.toml --json", false), ("run open.toml --steps 300 --json", true)] {
        let report = place.json(args);
        let number = |key: &str| report[key].as_u64().unwrap_or_else(|| panic!("{key} in {report}"));
        assert_eq!(number("steps"), if open { 300 } else { 20 });
        assert_eq!((number("seed"), number("threads")), (5, 2));
        assert_eq!(report["dims"], serde_json::json!([24, 20, 24]));
        assert_eq!(report["cell_size_m"], 10.0);
        let unit = number("unit");
        let sourced = number("sourced_units");
        assert_eq!(sourced, number("steps") * unit * 3 / 2 - number("blocked_units"));
        let gone = number("outflow_units") + number("solidified_units") + number("removed_units");
        assert_eq!(number("initial_units") + sourced, number("mass_units") + gone);
        assert_eq!(number("outflow_units") > 0, open, "{report}");
        assert!(report["energy"].as_f64().unwrap() > 0.0);
        let (liquid, covered) = (number("liquid_cells"), number("covered_columns"));
        assert!(covered > 0 && covered <= liquid && number("active_cells") <= liquid, "{report}");
        assert!(report["max_depth_cells"].as_f64().unwrap() > 0.0);
        let hash = report["state_hash"].as_str().unwrap();
        assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
        for stage in ["gravity", "spreading", "sources", "filter"] {
            assert!(report["timings_ms"][stage].as_f64().is_some_and(|ms| ms >= 0.0), "{stage} in {report}");
        }
    }
}

#[test]
fn a_body_of_lava_is_in_the_account() {
    let place = Place::new();
    let body = "[[body]]\nshape = { kind = \"box\", from = [1.0, 10.0, 1.0], to = [3.0, 12.0, 3.0] }\n\
                matter = { kind = \"lava\", amount = 1.0, energy = 1.0 }\n";
    place.put("body.toml", format!("{SMALL}{body}"));
    let report = place.json("run body.toml --json");
    assert_eq!(report["initial_units"].as_u64(), report["unit"].as_u64().map(|unit| 8 * unit));
}

#[test]
fn the_state_depends_on_the_seed_and_on_nothing_else() {
    let place = Place::new();
    let hash = |args: &str| place.json(&format!("run small.toml --steps 120 --json {args}"))["state_hash"].clone();
    let one = hash("--threads 1");
    for same in ["--threads 2", "--threads 5", "--seed 5", "--engine plain", "--engine fast", "--quiet"] {
        assert_eq!(hash(same), one, "{same}");
    }
    assert_ne!(hash("--seed 6"), one);
    let report = place.json("run small.toml --seed 77 --threads 3 --json");
    assert_eq!((report["seed"].as_u64(), report["threads"].as_u64()), (Some(77), Some(3)));
}

#[test]
fn no_steps_and_no_vent_are_fine() {
    let place = Place::new();
    let report = place.json("run small.toml --steps 0 --json");
    assert_eq!((report["steps"].as_u64(), report["mass_units"].as_u64()), (Some(0), Some(0)));
    place.put("empty.toml", "");
    let report = place.json("run empty.toml --steps 1 --json");
    assert_eq!(report["dims"], serde_json::json!([128, 100, 128]));
    assert_eq!(report["liquid_cells"], 0);
}

#[test]
fn a_scene_in_which_nothing_pours_is_told_by_every_command() {
    let place = Place::new();
    place.put("dry.toml", SMALL.split("[[vent]]").next().unwrap());
    let warning = "warning: dry.toml: nothing pours: add a [[vent]] to the scene, or pass --vent X,Z\n";
    for args in ["run dry.toml --steps 2", "render dry.toml --steps 2 --picture a.png --size 40x30", "scene dry.toml"] {
        let output = place.run(args);
        assert_eq!(output.status.code(), Some(0), "{args}");
        assert!(text(&output.stderr).contains(warning), "{args}: {}", text(&output.stderr));
    }
    let output = place.run("run dry.toml --steps 2 --vent 12,12");
    assert_eq!(text(&output.stderr), "");
}

#[cfg(unix)]
#[test]
fn a_scene_comes_from_a_file_or_a_pipe() {
    let place = Place::new();
    let line = place.refused("run /dev/null");
    assert!(line.contains("/dev/null is not a regular file but a device"), "{line}");
    assert!(place.refused("run .").contains("is not a regular file but a folder"));
    let piped = format!(
        "mkfifo pipe && (cat small.toml > pipe &) && exec {} run pipe --steps 3",
        env!("CARGO_BIN_EXE_lavoxel")
    );
    let mut command = Command::new("sh");
    command
        .current_dir(place.0.path())
        .args(["-c", &piped])
        .assert()
        .success()
        .stdout(contains("Small scene: 3 steps"));
}

#[test]
fn quiet_says_nothing() {
    let place = Place::new();
    for args in ["run small.toml --quiet", "render small.toml -q --picture a.png --animation a.gif --frames f"] {
        let output = place.run(args);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args}");
    }
}

// render

#[test]
fn render_writes_a_picture_with_its_origin() {
    let place = Place::new();
    let output = place.run("render small.toml --picture deep/er/out.PNG");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("out.PNG (step 20)"));
    assert_eq!(place.files(), ["deep/er/out.PNG", "small.toml"]);
    let bytes = place.read("deep/er/out.PNG");
    assert_eq!(picture(&bytes).dimensions(), (96, 72));
    let reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
    let label = |keyword: &str| {
        let chunks = &reader.info().utf8_text;
        chunks.iter().find(|chunk| chunk.keyword == keyword).and_then(|chunk| chunk.get_text().ok())
    };
    let hash = place.json("run small.toml --json")["state_hash"].as_str().map(str::to_owned);
    assert_eq!((label("Title").as_deref(), label("State")), (Some("Small scene"), hash));
    assert_eq!((label("Step").as_deref(), label("Seed").as_deref()), (Some("20"), Some("5")));
}

#[test]
fn render_writes_frames_and_every_kind_of_animation() {
    let place = Place::new();
    let args = "render small.toml --frames frames --animation a.png --animation a.webp --animation a.gif --every 8";
    let output = place.run(args);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("a.webp (4 frames)"), "{}", text(&output.stderr));
    let stills = ["000000", "000008", "000016", "000020"].map(|step| format!("frames/small-scene_{step}.png"));
    let mut expected: Vec<_> = ["a.gif", "a.png", "a.webp"].map(str::to_owned).to_vec();
    expected.extend(stills.iter().cloned());
    expected.push("small.toml".to_owned());
    assert_eq!(place.files(), expected);

    let bytes = place.read("a.png");
    assert_eq!(apng_header_frames(&bytes), 4);
    let apng = apng_frames(&bytes);
    let gif = frames(GifDecoder::new(Cursor::new(place.read("a.gif"))).unwrap());
    let webp = frames(WebPDecoder::new(Cursor::new(place.read("a.webp"))).unwrap());
    for (name, frames) in [("apng", &apng), ("gif", &gif), ("webp", &webp)] {
        assert_eq!(frames.len(), 4, "{name}");
        assert!(frames.iter().all(|frame| frame.buffer().dimensions() == (64, 48)), "{name}");
        assert!(frames.iter().all(|frame| frame.delay().numer_denom_ms() == (100, 1)), "{name}");
    }
    for (frame, still) in apng.iter().zip(&stills) {
        let still = picture(&place.read(still));
        let frame = image::DynamicImage::ImageRgba8(frame.buffer().clone()).to_rgb8();
        assert!(frame == still, "APNG keeps every bit");
    }
}

#[test]
fn mp4_is_written_or_refused_clearly() {
    let place = Place::new();
    if ffmpeg_is_there() {
        place.done("render small.toml --animation a.mp4");
        assert!(place.read("a.mp4").windows(4).any(|bytes| bytes == b"ftyp"));
    } else {
        let line = place.refused("render small.toml --animation a.mp4");
        assert!(line.contains("ffmpeg") && line.contains(".webp"), "{line}");
    }
}

#[test]
fn mp4_without_ffmpeg_is_refused_before_the_work() {
    let place = Place::new();
    let mut command = lavoxel();
    command.current_dir(place.0.path()).env("PATH", "").args(["render", "small.toml", "--animation", "a.mp4"]);
    command.assert().code(2).stderr(contains("install it, or write .png, .webp or .gif"));
    assert_eq!(place.files(), ["small.toml"]);
}

#[test]
fn slices_show_each_axis_and_field() {
    let place = Place::new();
    let mut pictures = Vec::new();
    for slice in ["x=12", "y=2", "z=12"] {
        for field in ["amount", "energy", "solid"] {
            let name = format!("{slice}-{field}.png");
            place.done(&format!(
                "render small.toml --slice {slice} --field {field} --picture {name} --picture-size 120x100"
            ));
            pictures.push(place.read(&name));
        }
    }
    for (i, a) in pictures.iter().enumerate() {
        assert!(!pictures[..i].contains(a), "two slices look the same");
        assert_eq!(picture(a).dimensions(), (120, 100));
    }
    place.done("render small.toml --slice z=12 --animation cut.gif");
    assert_eq!(frames(GifDecoder::new(Cursor::new(place.read("cut.gif"))).unwrap()).len(), 5);
    place.done("render small.toml --slice y=3 --animation cut.png --steps 120 --every 60");
    let frames = apng_frames(&place.read("cut.png"));
    assert_eq!(frames.len(), 3);
    assert!(frames.iter().all(|frame| frame.buffer().dimensions() == (64, 48)));
}

#[test]
fn slices_are_placed_in_metres_and_show_the_whole_box_on_request() {
    let place = Place::new();
    let draw = |flags: &str| {
        place.done(&format!("render small.toml --force --picture a.png --size 400x300 --steps 20 {flags}"));
        picture(&place.read("a.png"))
    };
    let cells = draw("--slice x=12");
    assert_eq!(cells.dimensions(), (400, 300));
    assert!(difference(&cells, &draw("--slice x=125m")) == 0.0, "cell 12 goes from 120 m to 130 m");
    assert!(difference(&cells, &draw("--slice x=135m")) > 0.0);
    // The air above the ground is left out unless it is asked for.
    assert!(difference(&cells, &draw("--slice x=12 --whole")) > 0.01);
}

#[test]
fn camera_and_style_flags_change_the_picture() {
    let place = Place::new();
    let draw = |flags: &str| {
        place.done(&format!("render small.toml --force --picture a.png --steps 10 --size 64x48 {flags}"));
        picture(&place.read("a.png"))
    };
    let plain = draw("");
    for flags in [
        "--style scientific",
        "--style surface",
        "--style maximum",
        "--clip x=0..0.5",
        "--clip x=0..0.6 --clip z=0.2..0.5",
        "--azimuth -60",
        "--elevation 70",
        "--distance 0.7",
        "--fov 60",
        "--orbit 90",
        "--target 0.1,0.5,0.9",
    ] {
        assert!(difference(&plain, &draw(flags)) > 0.01, "{flags} changes nothing");
    }
    assert!(difference(&plain, &draw("--style cinematic --orbit 0 --clip y=0..1")) == 0.0);
    let (south, north) = (draw("--clip z=0.5..1"), draw("--clip z=0..0.5"));
    assert!(difference(&south, &north) > 0.01, "halves that look the same");
    assert_eq!(draw("--picture-size 33x21").dimensions(), (33, 21));
}

#[test]
fn an_orbit_turns_the_camera_from_frame_to_frame() {
    let place = Place::new();
    // Without lava, all that can change is the camera.
    place.put("still.toml", SMALL.replace("\"plane\"", "\"volcano\"").replace("rate = 1.5", "rate = 0.0"));
    place.done("render still.toml --animation still.png");
    place.done("render still.toml --animation turn.png --orbit 180");
    let (still, turn) = (apng_frames(&place.read("still.png")), apng_frames(&place.read("turn.png")));
    assert!(still.windows(2).all(|pair| pair[0].buffer() == pair[1].buffer()));
    assert!(turn.windows(2).all(|pair| pair[0].buffer() != pair[1].buffer()));
    assert!(still[0].buffer() == turn[0].buffer());
}

#[test]
fn files_that_nobody_named_get_free_names() {
    let place = Place::new();
    place.done("render small.toml");
    let first = ["lavoxel-out/small-scene.png", "lavoxel-out/small-scene.webp"].map(|name| place.read(name));
    place.done("render small.toml --seed 9");
    place.done("render small.toml");
    let expected = ["-2.png", "-2.webp", "-3.png", "-3.webp", ".png", ".webp"];
    let mut expected = expected.map(|end| format!("lavoxel-out/small-scene{end}")).to_vec();
    expected.push("small.toml".to_owned());
    assert_eq!(place.files(), expected);
    assert!(first[0] == place.read("lavoxel-out/small-scene.png"), "the old picture is untouched");
    assert!(first[0] == place.read("lavoxel-out/small-scene-3.png"), "the same scene gives the same picture");
    assert!(first[1] == place.read("lavoxel-out/small-scene-3.webp"), "the same scene gives the same animation");
    assert!(first[0] != place.read("lavoxel-out/small-scene-2.png"));
}

#[test]
fn a_name_full_of_signs_stays_in_the_folder() {
    let place = Place::new();
    place.put("odd.toml", SMALL.replace("Small scene", "../../\u{e4}\\n/ .. Etna"));
    place.done("render odd.toml --steps 1");
    let files = place.files();
    assert!(files.iter().any(|name| name.starts_with("lavoxel-out/") && name.ends_with("etna.png")), "{files:?}");
}

#[test]
fn force_replaces_and_nothing_else_does() {
    let place = Place::new();
    for name in ["a.png", "a.webp", "a.gif"] {
        place.put(name, "old");
        let flag = if name == "a.png" { "--picture" } else { "--animation" };
        let line = place.refused(&format!("render small.toml {flag} {name}"));
        assert!(line.contains(name) && line.contains("--force"), "{line}");
        place.done(&format!("render small.toml {flag} {name} --force"));
        assert!(place.read(name) != b"old");
    }
    place.done("render small.toml --frames f");
    let line = place.refused("render small.toml --frames f");
    assert!(line.contains("small-scene_000000.png"), "{line}");
    place.done("render small.toml --frames f --force");
}

/// A pipe into which nothing is ever written is a scene that never comes: one signal is enough to end it.
#[cfg(unix)]
#[test]
fn a_first_signal_ends_the_program_while_it_reads() {
    use rustix::process::Signal;

    for (args, signal) in [("run pipe", Signal::TERM), ("render pipe", Signal::INT), ("resume pipe", Signal::TERM)] {
        let place = Place::new();
        let made = std::process::Command::new("mkfifo").arg(place.path("pipe")).status();
        assert!(made.is_ok_and(|status| status.success()), "coreutils has mkfifo");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
        command.current_dir(place.0.path()).args(args.split(' ')).stderr(std::process::Stdio::piped());
        let mut program = Running::start(&mut command);
        std::thread::sleep(Duration::from_secs(1));
        if program.try_wait().unwrap().is_none() {
            program.signal(signal);
        }
        let code = program.output().status.code();
        assert!(code == Some(130) || (args == "resume pipe" && code == Some(2)), "{args}: {code:?}");
    }
}

/// Starts the program, presses Ctrl-C once `ready` says so, and waits for its end.
#[cfg(unix)]
fn interrupted(place: &Place, args: &str, ready: impl Fn(Duration) -> bool) -> std::process::Output {
    use std::process::{Command, Stdio};

    let mut command = Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command.current_dir(place.0.path()).args(args.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running::start(&mut command);
    let start = Instant::now();
    while !ready(start.elapsed()) {
        assert!(child.try_wait().unwrap().is_none(), "ended before it was stopped");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.interrupt();
    child.output()
}

#[cfg(unix)]
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
    assert!(files.iter().all(|name| !name.contains(".lavoxel-")), "{files:?}");
    let stills: Vec<_> = files.iter().filter(|name| name.starts_with("f/")).collect();
    assert!(stills.len() >= 3);
    for still in &stills {
        assert_eq!(picture(&place.read(still)).dimensions(), (40, 30));
    }
    let bytes = place.read("a.png");
    assert_eq!(apng_header_frames(&bytes) as usize, stills.len());
    assert_eq!(apng_frames(&bytes).len(), stills.len());
    let gif = GifDecoder::new(BufReader::new(fs::File::open(place.path("a.gif")).unwrap())).unwrap();
    assert_eq!(frames(gif).len(), stills.len());
    assert_eq!(picture(&place.read("end.png")).dimensions(), (40, 30));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_its_report() {
    let place = Place::new();
    // Before it listens, the signal would end it without a report; two seconds are plenty.
    let plenty = |since: Duration| since > Duration::from_secs(2);
    let output = interrupted(&place, "run small.toml --steps 1000000000 --json", plenty);
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interrupted"], true);
    assert!(report["steps"].as_u64().unwrap() < 1_000_000_000);
}

// terrain

#[test]
fn terrain_measures_every_built_in_kind() {
    let place = Place::new();
    for kind in ["volcano", "hills", "plane", "slope", "bowl"] {
        let report = place.done(&format!("terrain {kind} --size 32x24x40"));
        assert!(report.starts_with("raster      32 columns × 40 rows\n"), "{kind}: {report}");
        assert_eq!(report.contains("crater "), kind == "volcano", "{report}");
        let json = place.json(&format!("terrain {kind} --size 32x24x40 --json"));
        assert_eq!((json["cols"].as_u64(), json["rows"].as_u64()), (Some(32), Some(40)), "{json}");
    }
    assert_eq!(place.files(), ["small.toml"]);
}

#[test]
fn terrain_converts_and_draws_a_heightmap() {
    let place = Place::new();
    place.put("tiny.asc", TINY_ASC);
    assert!(place.done("terrain tiny.asc").contains("heights     1.0 to 9.0 m"));
    place.done("terrain tiny.asc --picture tiny.png --out back.asc");
    place.done("terrain tiny.asc --picture bare.png --no-legend");
    let (whole, bare) = (picture(&place.read("tiny.png")), picture(&place.read("bare.png")));
    assert_eq!(bare.width(), 768);
    assert!(whole.width() > 768 && whole.height() > bare.height(), "a bar at the right, a length below");
    assert_eq!(place.json("terrain back.asc --json"), place.json("terrain tiny.asc --json"));
    place.done("terrain tiny.asc --out gray.png");
    assert_eq!(place.json("terrain gray.png --json")["max_m"], 9.0);
    let line = place.refused("terrain tiny.asc --out back.asc");
    assert!(line.contains("--force"), "{line}");
    place.done("terrain tiny.asc --resample 8x6 --out back.asc --force");
    assert_eq!(place.json("terrain back.asc --json")["cols"], 8);
}

#[test]
fn terrain_refuses_what_makes_no_sense() {
    let place = Place::new();
    place.put("tiny.asc", TINY_ASC);
    for args in [
        "terrain nowhere.asc",
        "terrain volcan",
        "terrain vulcano",
        "terrain tiny.asc --crop 2,2,9,9",
        "terrain tiny.asc --out tiny.doc",
        "terrain tiny.asc --picture tiny.jpg",
        "terrain tiny.asc --exaggerate nan",
        "terrain tiny.asc --exaggerate inf",
        "terrain tiny.asc --seed 4",
        "terrain plane --black 3",
        "terrain tiny.asc --crop 0,0,18446744073709551615,1",
    ] {
        place.refused(args);
    }
}

// Heightmaps, parts of them, and vents.

/// Four columns of 3 rows with a hole in the middle of the west side.
const HOLED_ASC: &str = "ncols 4\nnrows 3\ncellsize 10\nNODATA_value -1\n4 5 6 7\n-1 6 7 8\n6 7 8 9\n";

/// A hill of 30 × 20 cells of 10 m, whose summit is at column 20, row 8; x from 1000 to 1300, y from 500 to 700.
fn hill() -> String {
    let height = |r: i32, c: i32| 100.0 - 0.5 * f64::from((r - 8).pow(2)) - 0.2 * f64::from((c - 20).pow(2));
    let row = |r| (0..30).map(|c| height(r, c).to_string()).collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = (0..20).map(row).collect();
    format!("ncols 30\nnrows 20\nxllcorner 1000\nyllcorner 500\ncellsize 10\n{}\n", rows.join("\n"))
}

fn place_with_hill() -> Place {
    let place = Place::new();
    place.put("hill.asc", hill());
    place.put("holed.asc", HOLED_ASC);
    let terrain = "[grid]\nsize = [30, 80, 20]\n[terrain]\nkind = \"heightmap\"\nfile = \"hill.asc\"\n";
    place.put("hill.toml", format!("name = \"Hill\"\n{terrain}crop = [0, 0, 30, 20]\n[[vent]]\nx = 5.0\nz = 5.0\n"));
    place
}

#[test]
fn a_heightmap_is_a_scene_for_every_command() {
    let place = place_with_hill();
    let report = place.json("run hill.asc --voxel-size 5 --steps 3 --json");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{report}"));
    assert_eq!(report["scene"], "hill");
    assert_eq!(report["map"]["bounds"], serde_json::json!([1000.0, 500.0, 1300.0, 700.0]));
    let vent = &report["vents"][0];
    let (x, y) = (number(&vent["map_x"]), number(&vent["map_y"]));
    assert!((1200.0..1210.0).contains(&x) && (610.0..620.0).contains(&y), "not the summit: {vent}");
    let (cell, [nx, _, nz]) = (number(&report["cell_size_m"]), [0, 1, 2].map(|i| number(&report["dims"][i])));
    assert!((nx * cell - 300.0).abs() < 1e-6 && (nz * cell - 200.0).abs() < 1e-6, "{report}");
    assert!(
        (number(&vent["x"]) * cell + 1000.0 - x).abs() < 1e-6 && (700.0 - number(&vent["z"]) * cell - y).abs() < 1e-6
    );
    let lowest = 100.0 - 0.5 * 121.0 - 0.2 * 400.0;
    let floor = number(&report["floor_m"]);
    assert!((floor - (lowest - 4.0 * cell / number(&report["vertical_exaggeration"]))).abs() < 1e-3, "{floor}");
    // The largest square cells with which 64 columns fit leave a little of the rows out, the same in north and south.
    let text = place.done("run hill.asc --steps 1 --quiet");
    let chosen = [
        "place       floor at ",
        "map         x 1000 to 1300, y 501.5625 to 698.4375",
        "vent        x = ",
        "chosen      cells of 4.69 m, interpolated from 10 m in the file (--voxel-size)",
        "            a vent on the highest ground away from the edge, 0.84 full cells a step (--vent X,Z@RATE)",
        "            spreading threshold 0.3",
        "            open sides: lava that reaches the edge leaves (--walls closed)",
    ];
    for part in chosen {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains("heights ×"), "nothing was stretched\n{text}");
    let drawn = place.run("render hill.asc --steps 2 --size 40x30 --picture told.png");
    let drawn = self::text(&drawn.stderr);
    assert!(chosen.iter().all(|part| drawn.contains(part)), "{drawn}");
    place.done("render hill.asc --steps 2 --size 40x30 --picture a.png");
    place.done("run hill.asc --steps 1 --threads 3 --seed 4");
}

/// A 16-bit ramp of 40 × 20 pixels over all gray levels.
fn ramp16() -> Vec<u8> {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 40, 20);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let level = |i: u32| ((i % 40) * 65535 / 39) as u16;
    let pixels: Vec<u8> = (0..800).flat_map(|i| level(i).to_be_bytes()).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    png
}

#[test]
fn a_gray_picture_gets_a_relief_and_a_needle_is_pressed_down() {
    let place = place_with_hill();
    place.put("ramp.png", ramp16());
    let report = place.json("run ramp.png --steps 1 --json");
    let chosen: Vec<_> = report["chosen"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(chosen.contains(&"10 m assumed for a cell of the file, which names no size (--cell-size)"), "{chosen:?}");
    assert!(chosen.contains(&"white assumed at 50 m, as the picture does not say (--white)"), "{chosen:?}");
    assert!(report["dims"][1].as_u64().unwrap() < 40, "{report}");
    let white = place.json("run ramp.png --cell-size 10 --white 80 --steps 1 --json")["chosen"].to_string();
    assert!(!white.contains("white") && !white.contains("assumed"), "{white}");
    // A table whose heights are a hundred times its width.
    place.put("needle.csv", "0,0,0,0\n0,4000,0,0\n0,0,0,0\n0,0,0,0\n");
    let report = place.json("run needle.csv --steps 1 --json");
    assert_eq!(report["vertical_exaggeration"], 0.01, "{report}");
    assert!(report["chosen"].to_string().contains("heights × 0.01, so that they fit a box"), "{report}");
    place.put("holed.asc", HOLED_ASC);
    let chosen = place.json("run holed.asc --steps 1 --json")["chosen"].to_string();
    assert!(chosen.contains("1 cell without data filled with the nearest height (--fill)"), "{chosen}");
}

#[test]
fn heightmaps_have_open_sides_unless_they_are_closed() {
    let place = place_with_hill();
    let run =
        |flags: &str| place.json(&format!("run hill.asc --vent 1,1@3 --grid 30x80x20 --steps 200 --json {flags}"));
    let open = run("");
    assert_eq!(open["walls"], "open");
    let left = open["outflow_units"].as_u64().unwrap();
    assert!(left > 0 && open["outflow_m3"].as_f64().unwrap() > 0.0, "{open}");
    let closed = run("--walls closed");
    assert_eq!((&closed["walls"], closed["outflow_units"].as_u64()), (&"closed".into(), Some(0)));
    assert!(closed["edge_columns"].as_u64().unwrap() > 1, "{closed}");
    assert!(closed["note"].as_str().unwrap().contains("no forecast"), "{closed}");
    // A scene says itself what its sides are.
    assert_eq!(place.json("run hill.toml --steps 1 --json")["walls"], "closed");
    assert_eq!(place.json("run hill.toml --steps 1 --json --walls open")["walls"], "open");
    let flags = "--vent 1,1@3 --grid 30x80x20 --steps 200";
    let report = place.done(&format!("run hill.asc {flags}"));
    assert!(report.contains("\nedge        lava reached the open sides: "), "{report}");
    let drawn = place.run(&format!("render hill.asc {flags} --walls closed --size 40x30 --picture a.png"));
    assert!(text(&drawn.stderr).contains("lava stands at the closed sides in "), "{}", text(&drawn.stderr));
}

#[test]
fn the_volcano_erupts_at_its_summit_in_any_box() {
    let place = Place::new();
    for (grid, rate) in [("64x50x64", 0.45), ("128x100x128", 1.8), ("96x50x160", 1.8 * 0.75 * 0.5)] {
        let report = place.json(&format!("run --grid {grid} --steps 60 --json"));
        let vent = &report["vents"][0];
        assert!((vent["rate"].as_f64().unwrap() - rate).abs() < 1e-9, "{vent}");
        let crater = place.done(&format!("terrain volcano --size {grid}"));
        let (x, z) = (vent["x"].as_f64().unwrap() - 0.5, vent["z"].as_f64().unwrap() - 0.5);
        assert!(crater.contains(&format!("crater      column x = {x}, z = {z}\n")), "{vent} {crater}");
        // All that was poured still lies in the crater.
        assert!(report["covered_columns"].as_u64().unwrap() < 400, "{report}");
    }
}

#[test]
fn flags_choose_the_part_the_box_and_the_vents() {
    let place = place_with_hill();
    let run = |flags: &str| place.json(&format!("run {flags} --steps 2 --json"));
    let bounds = |report: &Value| report["map"]["bounds"].clone();
    for source in ["hill.asc", "hill.toml"] {
        let vent = "--vent 1,1";
        for part in ["--crop 10,0,15,12", "--crop 100m,0m,150m,120m", "--bounds 1100,580,1250,700"] {
            let report = run(&format!("{source} {part} --grid 30x90x24 {vent}"));
            assert_eq!(bounds(&report), serde_json::json!([1100.0, 580.0, 1250.0, 700.0]), "{source} {part}");
            assert_eq!((&report["dims"], &report["cell_size_m"]), (&serde_json::json!([30, 90, 24]), &5.0.into()));
        }
        let report = run(&format!("{source} --grid 20,90,20 --voxel-size 5 {vent}"));
        assert_eq!(bounds(&report), serde_json::json!([1100.0, 550.0, 1200.0, 650.0]));
        let report = run(&format!("{source} --exaggerate 1.5 --base-cells 7 --base-m -20 --grid 30x80x20 {vent}"));
        assert_eq!(report["vertical_exaggeration"], 1.5);
        let floor = report["floor_m"].as_f64().unwrap();
        assert!((floor - (-20.0 - 70.0 / 1.5)).abs() < 1e-9, "{floor}");
    }
    let vents = "--vent 20,8@0.5 --vent 200m,80m --vent map:1200,620@3";
    let report = run(&format!("hill.toml {vents}"));
    let found: Vec<_> = report["vents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| (v["x"].clone(), v["z"].clone(), v["rate"].clone()))
        .collect();
    let at = |rate: f64| (Value::from(20.0), Value::from(8.0), Value::from(rate));
    assert_eq!(found, [at(0.5), at(1.8), at(3.0)]);
    // Files that do not say how large their cells are, or where black lies.
    place.done("terrain hill.asc --out hill.png");
    place.put("table.csv", "1,2,3\n2,3,4\n3,4,9\n");
    assert_eq!(run("table.csv --cell-size 20 --grid 6x40x6")["cell_size_m"], 10.0);
    let report = run("hill.png --black 0 --white 50 --cell-size 10 --grid 30x90x20 --exaggerate 1");
    assert_eq!(report["map"], Value::Null);
    // A generated terrain takes what means something there.
    let report = run("--grid 40x50x40 --voxel-size 2 --base-cells 3 --vent 40m,40m");
    assert_eq!((report["cell_size_m"].as_f64(), report["vents"][0]["x"].as_f64()), (Some(2.0), Some(20.0)));
}

#[test]
fn holes_are_treated_as_the_flag_says() {
    let place = place_with_hill();
    let floor =
        |flags: &str| place.json(&format!("run holed.asc {flags} --grid 12x60x9 --exaggerate 1 --steps 1 --json"));
    for flags in ["", "--fill nearest", "--fill lowest", "--fill cut"] {
        let report = floor(flags);
        let lowest = if flags == "--fill cut" { 5.0 } else { 4.0 };
        let cell = report["cell_size_m"].as_f64().unwrap();
        assert!((report["floor_m"].as_f64().unwrap() - (lowest - 4.0 * cell)).abs() < 1e-6, "{flags}: {report}");
    }
    assert!(place.refused("run holed.asc --fill error").contains("holed.asc: 1 of 12 heights have no data"));
    assert_eq!(place.json("terrain holed.asc --fill cut --json")["cols"], 3);
    let line = place.refused("terrain holed.asc --size 8x60x8");
    assert!(line.contains("have no data"), "{line}");
}

#[test]
fn terrain_takes_the_same_flags() {
    let place = place_with_hill();
    let part = place.json("terrain hill.asc --bounds 1100,580,1250,700 --json");
    assert_eq!((&part["cols"], &part["bounds"]), (&15.into(), &serde_json::json!([1100.0, 580.0, 1250.0, 700.0])));
    assert!(part == place.json("terrain hill.asc --crop 100m,0m,150m,120m --json"));
    assert!(place.done("terrain hill.asc").contains("map         x 1000 to 1300, y 500 to 700"));
    let fitted = "terrain hill.asc --grid 20x90x20 --voxel-size 5 --base-m 0 --base-cells 2 --exaggeration 2 --json";
    assert_eq!(place.json(fitted)["bounds"], serde_json::json!([1100.0, 550.0, 1200.0, 650.0]));
    for (args, part) in [
        ("--base-m 5", "--base-m: says how a box is filled"),
        ("--base-cells 5", "--base-cells: says how a box is filled"),
        ("--voxel-size 5", "--voxel-size: needs a box"),
        ("--bounds 0,0,1,1", "covers [1000, 500, 1300, 700]"),
    ] {
        let line = place.refused(&format!("terrain hill.asc {args}"));
        assert!(line.contains(part), "{args}: {line}");
    }
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let place = place_with_hill();
    for flag in [
        "--crop 0,0,5,5",
        "--crop 0m,0m,5m,5m",
        "--bounds 0,0,1,1",
        "--cell-size 5",
        "--black 0",
        "--white 9",
        "--fill lowest",
        "--exaggerate 2",
        "--base-m 3",
        "--vent map:1,2",
    ] {
        for source in ["", "small.toml"] {
            let line = place.refused(&format!("run {source} {flag}"));
            let name = flag.split(' ').next().unwrap();
            assert!(line.contains(name) && line.contains("generated") && line.contains("kind = "), "{flag}: {line}");
        }
    }
    for (args, part) in [
        ("run hill.asc --crop 0,0,31,5", "hill.asc: crop [0, 0, 31, 5]"),
        ("run hill.toml --crop 0,0,31,5", "hill.toml: crop [0, 0, 31, 5]"),
        ("run hill.asc --bounds 900,500,1100,600", "covers [1000, 500, 1300, 700]"),
        ("run hill.asc --vent map:999,600", "--vent map:999,600: must be within the box: x 1000 to"),
        ("run hill.asc --vent 1,1 --vent 500m,10m", "--vent 500m,10m: x_m must be a number from 0 to 300"),
        (
            "run hill.toml --vent 31,1",
            "--vent 31,1: must be a number from 0 to 30 cells; for metres write 500m,500m, for the map map:X,Y",
        ),
        ("run hill.toml --vent 1,1@-2", "--vent 1,1@-2: rate must be a number from 0 to 1000000"),
        ("run hill.toml --vent nan,1", "--vent nan,1: must be a number from 0 to 30 cells"),
        ("run hill.asc --voxel-size 50 --grid 20x80x20", "use cells of 10.000 m or less"),
        ("run hill.asc --grid 30x20x20 --exaggerate 3", "make the box at least ny = "),
        ("run hill.asc --exaggerate 0", "--exaggerate 0: must be a number from 0.01 to 100"),
        ("run hill.asc --base-cells -1", "--base-cells -1: must be a number from 0 to 8192 cells"),
        ("run hill.asc --base-m nan", "--base-m NaN: must be a number from -100000 to 100000 metres"),
        ("run hill.asc --voxel-size 0", "--voxel-size 0: must be a number from 0.001 to 100000 metres"),
        ("run nowhere.asc", "cannot read nowhere.asc"),
        ("run holed.asc --bounds 0,0,1,1", "holed.asc: bounds need a heightmap with a place on a map"),
        ("run holed.asc --vent map:0,0", "no place on a map"),
        ("run hill.doc", "cannot read hill.doc: no such file; did you mean hill."),
        ("run vulcano", "cannot read vulcano: no such file; name a scene (.toml) or a heightmap"),
    ] {
        let line = place.refused(args);
        assert!(line.contains(part), "{args}: {line}");
    }
    place.put("hill.doc", "What a fine hill.");
    let line = place.refused("run hill.doc");
    assert!(
        line.contains("hill.doc: not a scene (.toml) and not a known heightmap") && line.contains(".asc"),
        "{line}"
    );
    place.put("photo.jpg", b"\xff\xd8\xff\xe0 and so on");
    for command in ["run", "render", "terrain"] {
        let line = place.refused(&format!("{command} photo.jpg"));
        assert!(line.contains("photo.jpg") && line.contains("convert the picture to a gray PNG"), "{line}");
    }
    for args in [
        "run hill.asc --vent submit",
        "run hill.asc --vent 4",
        "run hill.asc --crop 1,2,3",
        "run hill.asc --crop 1m,2,3m,4m",
        "run hill.asc --bounds 1,2,3",
        "run hill.asc --bounds 1,2,3,4 --crop 1,2,3,4",
        "run hill.asc --grid 0x1x1",
        "run hill.asc --grid 30x20",
        "run hill.asc --fill zero",
        "terrain hill.asc --vent 1,1",
    ] {
        let output = place.run(args);
        let err = text(&output.stderr);
        assert!(output.status.code() == Some(2) && err.starts_with("error: "), "{args}\n{err}");
    }
}

// scene

#[test]
fn the_printed_scene_is_the_built_in_one() {
    let place = Place::new();
    let printed = place.done("scene --defaults");
    let scene = lavoxel::scene::Scene::parse(&printed, Path::new("printed")).unwrap();
    assert_eq!(scene.spec, lavoxel::scene::Scene::volcano().spec);
    place.put("my.toml", printed);
    assert!(place.done("scene my.toml").contains("my.toml: fine; 128 × 100 × 128 cells of 10 m, 1 vent"));
    assert!(place.done("scene small.toml").contains("fine"));
    assert!(
        place.refused("terrain vulcano").contains("no file \"vulcano\" and no such terrain (did you mean volcano?)")
    );
    lavoxel().arg("scene").assert().code(2).stderr(contains("--defaults"));
}

// bench

#[test]
fn bench_prints_its_table() {
    let place = Place::new();
    let table = place.json("bench --steps 1 --pictures 1 --json");
    assert_eq!(table["dims"], serde_json::json!([128, 100, 128]));
    assert_eq!(table["paper"]["spreading_ms"], 21.6);
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in &rows[..6] {
        for stage in ["gravity_ms", "spreading_ms", "lowpass_ms", "cinematic_ms", "scientific_ms", "hash_ms"] {
            assert!(row[stage]["p50"].is_number(), "{stage}: {row}");
        }
    }
    assert!(rows[6..].iter().all(|row| row["open_ms"]["p50"].as_f64().unwrap() > 0.0), "{table}");
}

#[test]
fn bench_keeps_tables_and_compares_them() {
    let place = Place::new();
    let bench = "bench --steps 3 --only spreading,open --pictures 1";
    let text = place.done(&format!("{bench} --save new/a.json --label first"));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let saved: Value = serde_json::from_slice(&place.read("new/a.json")).unwrap();
    assert_eq!((&saved["label"], &saved["steps"]), (&"first".into(), &3.into()));
    assert!(place.refused(&format!("{bench} --save new/a.json")).contains("new/a.json exists already"));

    // A table of the same rows that says they took a thousand times as long, on another machine.
    let slow = scaled(&saved, 1000.0);
    place.put("slow.json", slow.to_string());
    let compared = place.json(&format!("{bench} --compare slow.json --json"))["compared"].take();
    let changes = compared["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 6 + 2);
    assert!(changes.iter().all(|change| change["outside_noise"] == true), "{compared}");
    assert!(changes.iter().all(|change| change["ratio"].as_f64().unwrap() < 1.0), "{compared}");
    assert_eq!(compared["warnings"][0].as_str().unwrap().matches("not a loom").count(), 1);

    let text = place.done(&format!("{bench} --compare slow.json --save new/a.json --force"));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("against slow.json (first)") && text.matches("  faster").count() == 8, "{text}");
    let saved: Value = serde_json::from_slice(&place.read("new/a.json")).unwrap();
    assert!(saved.get("label").is_none() && saved.get("compared").is_none());
}

/// A kept table of a loom, with all its times multiplied.
fn scaled(table: &Value, factor: f64) -> Value {
    let mut table = table.clone();
    table["machine"] = "a loom".into();
    for row in table["rows"].as_array_mut().unwrap() {
        for times in row.as_object_mut().unwrap().values_mut().filter_map(Value::as_object_mut) {
            times.values_mut().for_each(|ms| *ms = (ms.as_f64().unwrap() * factor).into());
        }
    }
    table
}

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let place = Place::new();
    let bench = "bench --steps 1 --only open --pictures 1";
    place.done(&format!("{bench} --save a.json"));
    let mut table: Value = serde_json::from_slice(&place.read("a.json")).unwrap();
    table["label"] = "\u{1b}]0;mine\u{7}".into();
    table["machine"] = "\u{1b}[31mloom".into();
    place.put("b.json", table.to_string());
    place.put("format.json", r#"{"format": "\u001b[2J"#.to_owned() + &"x".repeat(100_000) + "\"}");
    for args in [
        format!("{bench} --compare b.json"),
        "bench --compare format.json".to_owned(),
        "run \u{1b}[31mred.toml".to_owned(),
        "terrain \u{1b}[31mred.asc".to_owned(),
        "run small.toml --steps \u{1b}[31m".to_owned(),
    ] {
        let output = place.run(&args);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(!told.contains(['\u{1b}', '\u{7}']) && told.len() < 4000, "{args}: {told:?}");
    }
}

#[test]
fn bench_refuses_what_is_no_table() {
    let place = Place::new();
    let times = r#"{"mean": 1, "p10": 3, "p50": 2, "p90": 2, "p99": 2}"#;
    let table = |format: &str, times: &str| {
        format!(
            r#"{{"format": "{format}", "version": "1", "machine": "m", "threads": 1, "dims": [1, 1, 1], "steps": 1,
            "pictures": 1, "rows": [{{"world": "w", "open_ms": {times}}}]}}"#
        )
    };
    place.put("empty.json", "");
    place.put("list.json", "[1, 2]");
    place.put("deep.json", "[".repeat(100_000));
    place.put("bytes.json", b"\xff\xfe{}");
    place.put("long.json", " ".repeat(2 << 20));
    place.put("newer.json", table("lavoxel bench 9", times));
    place.put("upside-down.json", table("lavoxel bench 1", times));
    place.put("words.json", table("lavoxel bench 1", "\"fast\""));
    for name in ["empty", "list", "deep", "bytes", "long", "newer", "upside-down", "words", "missing"] {
        let line = place.refused(&format!("bench --compare {name}.json --save out.json"));
        assert!(line.contains(&format!("{name}.json")), "{line}");
    }
}

// Wrong use.

#[test]
fn wrong_flags_are_refused_with_usage() {
    let place = Place::new();
    for args in [
        "run small.toml --steps abc",
        "run small.toml --steps -1",
        "run small.toml --steps 1.5",
        "render small.toml --steps 99999999999999",
        "render small.toml --every 0",
        "run small.toml --threads 0",
        "run small.toml --threads 100000",
        "run small.toml --seed -1",
        "run small.toml --seed 1.5",
        "run small.toml --engine gpu",
        "run small.toml more.toml",
        "run small.toml --unknown",
        "render small.toml --size 0",
        "render small.toml --size axb",
        "render small.toml --size -4x4",
        "render small.toml --slice w=3",
        "render small.toml --slice x",
        "render small.toml --slice x=-1",
        "render small.toml --slice y=map:5",
        "render small.toml --field energy",
        "render small.toml --whole",
        "render small.toml --style pretty",
        "render small.toml --clip x",
        "render small.toml --clip w=0..1",
        "render small.toml --clip x=0.5",
        "render small.toml --clip x=a..b",
        "render small.toml --target 1,2",
        "bench --steps 0",
        "terrain",
        "terrain volcano --size 0x1x1",
        "terrain volcano --size 9000x9x9",
        "erupt",
        "scene small.toml --defaults",
    ] {
        let output = place.run(args);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}\n{err}");
        assert!(err.starts_with("error: ") && !err.contains("panicked"), "{args}\n{err}");
        assert_eq!(place.files(), ["small.toml"], "{args}");
    }
}

#[test]
fn numbers_out_of_range_name_their_flag_or_key() {
    let place = Place::new();
    for (flags, key) in [
        ("--slice z=24", "--slice z=24: must be 0 to 23 (cells), or 0m to 240m"),
        ("--slice x=241m", "--slice x=241m: must be 0m to 240m"),
        ("--slice x=map:5", "the terrain has no map coordinates"),
        ("--size 0x10", "--size 0x10: must be a number from 1 to 8192 pixels along each side"),
        ("--size 9000x10", "--size 9000x10: must be"),
        ("--picture-size 10x0", "--picture-size 10x0: must be"),
        ("--fps 0", "--fps 0: must be a number from 1 to 60 frames a second"),
        ("--azimuth nan", "--azimuth NaN: must be"),
        ("--elevation 90", "--elevation 90: must be"),
        ("--distance inf", "--distance inf: must be"),
        ("--fov 0", "--fov 0: must be"),
        ("--target 0,nan,0", "--target 0,NaN,0: must be"),
        ("--orbit nan", "--orbit NaN: must be"),
        ("--clip x=0.5..0.5", "--clip x=0.5..0.5: must be"),
        ("--clip y=-0.1..1", "--clip y=-0.1..1: must be"),
        ("--clip y=0..1.5", "--clip y=0..1.5: must be"),
        ("--clip z=nan..1", "--clip z=NaN..1: must be"),
        ("--clip x=0..0.5 --clip x=0.7..1", "--clip x"),
    ] {
        let line = place.refused(&format!("render small.toml --picture a.png {flags}"));
        assert!(line.contains(key), "{flags}: {line}");
    }
}

#[test]
fn wrong_outputs_are_refused_before_the_work() {
    let place = Place::new();
    let line = place.refused("render small.toml --picture a.jpg");
    assert!(line.contains(".png"), "{line}");
    let line = place.refused("render small.toml --animation a.avi");
    assert!(line.contains("avi") && line.contains(".webp"), "{line}");
    place.refused("render small.toml --animation a");
    place.refused("render small.toml --picture .");
    let line = place.refused("render small.toml --picture a.png --animation a.png");
    assert!(line.contains("a.png"), "{line}");
    place.refused("render small.toml --animation b.gif --animation b.gif");
}

#[test]
fn a_place_that_cannot_be_written_is_one_line() {
    let place = Place::new();
    place.put("file", "");
    for args in [
        "render small.toml --picture file/a.png",
        "render small.toml --animation file/a.webp",
        "render small.toml --frames file/f",
        "terrain plane --out file/a.asc",
        "terrain plane --picture file/a.png",
    ] {
        let line = place.refused_with(1, args);
        assert!(line.contains("cannot write file/"), "{args}: {line}");
    }
}

// Wrong scenes.

#[test]
fn scenes_that_are_no_scenes() {
    let place = Place::new();
    let line = place.refused("run nowhere.toml");
    assert!(line.contains("nowhere.toml"), "{line}");
    fs::create_dir(place.path("folder")).unwrap();
    place.refused("run folder");
    place.refused("scene folder");
    place.refused("render folder --picture a.png");
    let junk: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert!(place.refused_scene(junk).contains("not UTF-8"));
    place.refused_scene(vec![0; 1000]);
    place.refused_scene("x".repeat(2_000_000));
    place.refused_scene("[".repeat(100_000));
    place.refused_scene(format!("a = {}", "[".repeat(100_000)));
    place.refused_scene(format!("a{} = 1", ".a".repeat(100_000)));
    for end in 1..SMALL.len() {
        // Whatever is cut off, the program ends in order; some beginnings are scenes of their own.
        if SMALL.is_char_boundary(end) && end % 17 == 0 {
            place.put("cut.toml", &SMALL[..end]);
            let code = place.run("scene cut.toml").status.code();
            assert!(code == Some(0) || code == Some(2), "{end}: {code:?}");
        }
    }
    let line = place.refused_scene("[rules]\n\nspread = 9.5");
    assert!(line.ends_with("wrong.toml:3: rules.spread = 9.5: must be a number from 0.000016 to 0.25\n"), "{line}");
    let line = place.refused_scene("[rules]\nthreshold = \"high\"");
    assert!(line.ends_with("wrong.toml:2: rules.threshold = \"high\": must be a number\n"), "{line}");
    let line = place.refused_scene("name = \"x\"\n[grid]\nsize = [24, 20");
    assert!(line.contains("wrong.toml:3: "), "{line}");
}

#[test]
fn unknown_keys_get_the_nearest_name() {
    let place = Place::new();
    let line = place.refused_scene("[rules]\nthresold = 0.4");
    assert!(line.contains("wrong.toml:2: ") && line.contains("did you mean `threshold`?"), "{line}");
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
        ("[rules.friction]\non_solid = 1.1", "rules.friction.on_solid"),
        ("[rules]\nspreading_every = 0", "rules.spreading_every"),
        ("[terrain]\nroughness = nan", "terrain.roughness"),
        ("[terrain]\nkind = \"slope\"\nangle_deg = 1e300", "terrain.angle_deg"),
        ("[camera]\nelevation_deg = nan", "camera.elevation_deg"),
        ("[look]\nexposure = inf", "look.exposure"),
        ("[look]\nopacity = []", "look.opacity"),
        ("[look]\nclip = [[0.0, 1.0], [0.9, 0.1], [0.0, 1.0]]", "look.clip"),
        ("[look]\npalette = \"rainbow\"", "look.palette"),
        ("[film]\nfps = 61", "film.fps"),
        ("[film]\nsize = [100000, 100000]", "film.size"),
        ("threads = 100000", "threads"),
    ] {
        let line = place.refused_scene(scene);
        assert!(line.contains(&format!("{key} = ")), "{scene}: {line}");
    }
    // Each of them is fine; together they would take gigabytes.
    let line = place.refused_scene(vent.replace("radius = 2.0", "radius = 128.0").repeat(2000));
    assert!(line.contains("[[vent]]"), "{line}");
    for (from, to, key) in [
        ("x = 10.0", "x = -1.0", "vent[0].x"),
        ("z = 10.0", "z = nan", "vent[0].z"),
        ("radius = 2.0", "radius = inf", "vent[0].radius"),
        ("rate = 1.0", "rate = 1e30", "vent[0].rate"),
        ("rate = 1.0", "rate = 1.0\nenergy = 3.0", "vent[0].energy"),
        ("rate = 1.0", "rate = 1.0\nstart = 5\nend = 2", "vent[0].end"),
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
    let scene =
        |file: &str| format!("[grid]\nsize = [24, 20, 24]\n[terrain]\nkind = \"heightmap\"\nfile = \"{file}\"\n");
    let line = place.refused_scene(scene("nowhere.asc"));
    assert!(line.contains("nowhere.asc"), "{line}");
    place.refused_scene(scene("."));
    place.refused_scene(scene("small.toml"));
    place.refused_scene("[terrain]\nkind = \"heightmap\"");
    place.put("short.asc", TINY_ASC.replace("5 9", ""));
    place.refused_scene(scene("short.asc"));
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 32, 32);
    encoder.set_color(png::ColorType::Grayscale);
    let noise: Vec<u8> = (0..1024u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 9) as u8).collect();
    encoder.write_header().unwrap().write_image_data(&noise).unwrap();
    for end in [0, 7, 20, png.len() / 2, png.len() - 13] {
        place.put("cut.png", &png[..end]);
        let line = place.refused_scene(format!("{}cell_size_m = 10.0\n", scene("cut.png")));
        assert!(line.contains("cut.png"), "{line}");
    }
}

/// The largest boxes, pictures and maps under a small limit: refused at once, with what would help.
#[test]
fn what_takes_too_much_memory_is_refused_at_once() {
    let place = Place::new();
    place.put("box.toml", "[grid]\nsize = [8192, 2048, 8192]");
    place.put("wide.asc", format!("ncols 4000\nnrows 4000\ncellsize 10\n{}", "1 ".repeat(16_000_000)));
    place.put("wide.toml", "[terrain]\nkind = \"heightmap\"\nfile = \"wide.asc\"");
    let vent = "[[vent]]\nx = 60.0\nz = 60.0\nradius = 60.0\nrate = 900000.0\n";
    place
        .put("flood.toml", format!("threads = 2\n[grid]\nsize = [128, 900, 128]\n[terrain]\nkind = \"plane\"\n{vent}"));
    let shape = "shape = { kind = \"box\", from = [0, 0, 0], to = [8000, 900, 8000] }";
    let put = format!("{shape}\nmatter = {{ kind = \"lava\", amount = 1.0, energy = 1.0 }}\n");
    place.put("body.toml", format!("[grid]\nsize = [1000, 1000, 1000]\n[[body]]\n{put}"));
    for (args, what) in [
        ("run box.toml --max-memory 64M", "box.toml: the ground would need"),
        ("scene box.toml --max-memory 64M", "box.toml: the ground would need"),
        ("render box.toml --max-memory 4G --picture a.png", "box.toml: drawing the volume would need"),
        ("render --size 8192x8192 --picture a.png --max-memory 1G", "the picture would need"),
        ("render --size 8192x8192 --slice x=3 --picture a.png --max-memory 1G", "the picture would need"),
        ("terrain wide.asc --max-memory 64M", "wide.asc: the heights of the file would need"),
        ("run wide.toml --max-memory 64M", "wide.asc: the heights of the file would need"),
        ("run body.toml --max-memory 2G", "body.toml: the lava would need"),
    ] {
        let line = place.refused(args);
        assert!(line.contains(what) && line.contains("--max-memory"), "{args}: {line}");
    }
    // What flows in is looked at as it comes.
    let line = place.refused("run flood.toml --steps 100000 --quiet --max-memory 64M");
    assert!(line.contains("the lava would need"), "{line}");
    place.done("run small.toml --steps 2 --quiet --max-memory 64M");
    let output = place.run("run small.toml --max-memory lots");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("is not a size such as 512M"), "{}", text(&output.stderr));
}

// Maps and fields.

const MAPS: &str = "--map thickness=out/t.tif --map arrival=a.asc --map max-thickness=m.tiff --map peak-energy=p.tif \
                    --map surface=s.tif --map ground=g.asc --npz all.npz";

#[test]
fn run_writes_maps_and_fields() {
    let place = Place::new();
    let output = place.run(&format!("run small.toml --json {MAPS}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let told: Vec<_> = text(&output.stderr).lines().map(str::to_owned).collect();
    let names = ["out/t.tif", "a.asc", "m.tiff", "p.tif", "s.tif", "g.asc", "all.npz"];
    assert_eq!(told, names.map(|name| format!("{name} (step 20)")));
    assert_eq!(place.files(), ["a.asc", "all.npz", "g.asc", "m.tiff", "out/t.tif", "p.tif", "s.tif", "small.toml"]);

    let arrival = text(&place.read("a.asc"));
    assert!(arrival.starts_with("ncols 24\nnrows 24\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"));
    let came = arrival.lines().skip(6).flat_map(|row| row.split(' ')).filter(|&step| step != "-9999").count();
    assert!(came as u64 >= report["covered_columns"].as_u64().unwrap() && came > 10, "{came} columns");

    // The slow engine sees the same, and the report is that of a run without maps.
    let before: Vec<_> = names.map(|name| place.read(name)).into();
    let again = place.json(&format!("run small.toml --json --quiet --force --engine plain {MAPS}"));
    assert_eq!(before, names.map(|name| place.read(name)));
    let bare = place.json("run small.toml --json --quiet");
    assert_eq!((&again["state_hash"], &bare["state_hash"]), (&report["state_hash"], &report["state_hash"]));
}

#[test]
fn maps_of_a_resumed_run_are_those_of_one_that_was_never_stopped() {
    let place = Place::new();
    let maps = |name: &str| {
        format!(
            "--map arrival={name}a.tif --map max-thickness={name}m.tif --map peak-energy={name}p.asc --npz {name}.npz"
        )
    };
    place.done(&format!("run small.toml --steps 20 --quiet {}", maps("whole-")));
    place.done(&format!("run small.toml --steps 9 --quiet --checkpoint half.lavoxel {}", maps("half-")));
    place.done("run small.toml --steps 9 --quiet --checkpoint bare.lavoxel");
    place.done(&format!("resume half.lavoxel --steps 20 --quiet {}", maps("resumed-")));
    for end in ["a.tif", "m.tif", "p.asc", ".npz"] {
        let [whole, resumed, half] = ["whole-", "resumed-", "half-"].map(|name| place.read(&format!("{name}{end}")));
        assert!(whole == resumed && whole != half, "{end}");
    }
    // Records that nobody kept cannot be made up.
    let line = place.refused("resume bare.lavoxel --steps 20 --map arrival=late.tif");
    assert!(line.contains("no records of its 9 steps"), "{line}");
    place.done("resume bare.lavoxel --steps 20 --quiet --map thickness=now.tif");
}

#[test]
fn maps_that_cannot_be_written_are_refused_before_the_work() {
    let place = Place::new();
    place.put("there.tif", "mine");
    place.put("plan.prj", "mine");
    place.put("huge.toml", "[grid]\nsize = [8192, 64, 8192]");
    // So many steps would not end before the test does.
    let run = "run small.toml --steps 1000000000";
    for (args, part) in [
        ("--map thickness", "must be NAME=FILE"),
        ("--map thickness=", "must be NAME=FILE"),
        (
            "--map depth=d.tif",
            "no map \"depth\"; maps are thickness, arrival, max-thickness, peak-energy, surface, ground",
        ),
        ("--map thickness=t.png", "no map format ends in \"png\""),
        ("--map thickness=t", "no map format ends in \"\""),
        ("--map thickness=there.tif", "there.tif exists already: choose another name, or pass --force"),
        ("--map thickness=plan.asc", "plan.prj exists already"),
        ("--map thickness=t.tif --map arrival=t.tif", "two outputs cannot have the same name"),
        ("--npz all.zip", "let the name end in .npz"),
    ] {
        let line = place.refused(&format!("{run} {args}"));
        assert!(line.contains(part), "{args}\n{line}");
    }
    let line = place.refused("run huge.toml --npz all.npz");
    assert!(line.contains("grid.size = [8192, 64, 8192]: must be at most"), "{line}");
    for args in ["--map thickness=small.toml/t.tif", "--npz small.toml/all.npz", "--force --map surface=."] {
        place.refused_with(if args.contains("surface") { 2 } else { 1 }, &format!("{run} {args}"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_the_maps_of_its_steps() {
    let place = Place::new();
    let plenty = |since: Duration| since > Duration::from_secs(2);
    let args = "run small.toml --steps 1000000000 --json --map arrival=a.tif --npz all.npz";
    let output = interrupted(&place, args, plenty);
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let step = &report["steps"];
    let told = text(&output.stderr);
    let expected = format!(
        "stopped after step {step}; these files are of the steps up to there:\na.tif (step {step})\nall.npz (step {step})\n"
    );
    assert_eq!(told, expected);
    assert_eq!(place.files(), ["a.tif", "all.npz", "small.toml"]);
}

/// Files that promise more than any memory holds, read under a limit of memory.
#[cfg(target_os = "linux")]
#[test]
fn huge_promises_take_no_memory() {
    let place = Place::new();
    let values = "1 ".repeat(450);
    let header = |n: u64| format!("ncols {n}\nnrows {n}\nxllcorner 0\nyllcorner 0\ncellsize 10\n{values}");
    place.put("huge.asc", header(60_000));
    place.put("overflow.asc", header(u64::MAX));
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 16, 0, 0, 0, 0, 0xcc, 0xe1, 0x28, 0xf1]);
    png.extend([0; 1000]);
    place.put("huge.png", png);
    for name in ["huge.asc", "overflow.asc", "huge.png"] {
        let terrain = format!("[terrain]\nkind = \"heightmap\"\nfile = \"{name}\"\ncell_size_m = 10.0\n");
        place.put(&format!("{name}.toml"), format!("threads = 2\n[grid]\nsize = [24, 20, 24]\n{terrain}"));
    }
    place.put("grid.toml", "[grid]\nsize = [60000, 60000, 60000]");
    place.put("cells.toml", "threads = 2\n[grid]\nsize = [1024, 1024, 1024]");
    for args in [
        "run grid.toml",
        "render cells.toml --picture cells.png",
        "run huge.asc.toml",
        "run overflow.asc.toml",
        "run huge.png.toml",
        "terrain huge.asc",
        "terrain overflow.asc",
        "terrain huge.png --cell-size 10",
    ] {
        let limited = format!("ulimit -v 400000; exec \"$0\" {args}");
        let mut command = Command::new("sh");
        command.current_dir(place.0.path()).args(["-c", &limited, env!("CARGO_BIN_EXE_lavoxel")]);
        let one_line = predicate::function(|err: &str| err.lines().count() == 1 && err.starts_with("lavoxel: "));
        command.assert().code(2).stderr(one_line);
    }
    // What cannot be drawn can still be run: memory follows the ground's surface and the lava.
    let mut command = Command::new("sh");
    let limited = "ulimit -v 400000; exec \"$0\" run cells.toml --steps 2 --quiet";
    command.current_dir(place.0.path()).args(["-c", limited, env!("CARGO_BIN_EXE_lavoxel")]).assert().success();
}
