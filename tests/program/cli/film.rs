//! Tests of films: key frames, cached frames, and the same bytes however often the program is
//! stopped.

use std::collections::BTreeSet;
use std::fs;

use super::place::{Place, apng_frames, picture, text};
use crate::child::Running;
use crate::common::one_in;
use crate::needs;

/// Scene of lava that runs down from one side of the box, seen through key frames: a turn with an
/// approach, a time-lapse and a rest.
const KEYED: &str = r#"
name = "Keyed"
seed = 5
threads = 2
[grid]
size = [48, 32, 48]
[terrain]
kind = "plane"
[[vent]]
x = 14.0
z = 24.0
radius = 2.0
rate = 2.5
[film]
steps = 120
every = 5
size = [160, 120]
picture_size = [96, 72]
fps = 10
hold_s = 0.5
[[film.key]]
time_s = 0.0
step = 0
camera = { azimuth_deg = 90.0, distance = 1.4 }
[[film.key]]
time_s = 2.0
step = 40
ease = "linear"
camera = { azimuth_deg = 200.0, distance = 0.9, target = [0.3, 0.4, 0.5] }
[[film.key]]
time_s = 4.0
step = 120
"#;

fn keyed() -> Place {
    let place = Place::new();
    place.write_file("keyed.toml", KEYED);
    place
}

/// Starts the program and kills it once `file` exists; panics if the program ends before that.
pub(super) fn killed(place: &Place, args: &str, file: &str) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .current_dir(place.0.path())
        .args(args.split_whitespace())
        .stderr(std::process::Stdio::null());
    let mut program = Running::start(&mut command);
    while !place.path(file).exists() {
        assert!(
            program.try_wait().unwrap().is_none(),
            "{args}: ended before {file} was there"
        );
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    program.kill().unwrap();
    program.wait().unwrap();
}

/// Returns the names and bytes of all files of a folder, without temporary files that killed
/// writers left.
fn contents(place: &Place) -> Vec<(String, Vec<u8>)> {
    let names = place
        .files()
        .into_iter()
        .filter(|name| !name.contains(".lavoxel-"));
    names
        .map(|name| (name.clone(), place.read(&name)))
        .collect()
}

fn ffmpeg() -> bool {
    needs::program("ffmpeg", "ffmpeg")
}

#[test]
fn key_frames_say_how_many_frames_there_are_and_which_steps_they_show() {
    let place = keyed();
    place.done("render keyed.toml --frames f --animation a.png");
    // Four seconds with their last frame, and half a second more.
    let frames: Vec<String> = (0..46).map(|n| format!("f/keyed_{n:06}.png")).collect();
    let files: BTreeSet<String> = place.files().into_iter().collect();
    assert!(
        frames.iter().all(|frame| files.contains(frame))
            && files.iter().filter(|name| name.starts_with("f/")).count() == 46
    );
    assert!(
        files.iter().all(|name| !name.contains(".parts")),
        "{files:?}"
    );
    let label = |name: &String| {
        let bytes = place.read(name);
        let reader = png::Decoder::new(std::io::Cursor::new(&bytes))
            .read_info()
            .unwrap();
        let chunk = reader
            .info()
            .utf8_text
            .iter()
            .find(|chunk| chunk.keyword == "Step")
            .unwrap();
        chunk.get_text().unwrap().parse::<u64>().unwrap()
    };
    let steps: Vec<u64> = frames.iter().map(label).collect();
    assert_eq!([0, 20, 30, 40, 45].map(|n| steps[n]), [0, 40, 80, 120, 120]);
    assert!(steps.is_sorted());
    let stills: Vec<_> = frames
        .iter()
        .map(|name| picture(&place.read(name)))
        .collect();
    let shown: Vec<_> = apng_frames(&place.read("a.png"));
    assert_eq!(shown.len(), 46);
    for (frame, still) in shown.into_iter().zip(&stills) {
        assert!(image::DynamicImage::ImageRgba8(frame.into_buffer()).to_rgb8() == *still);
    }
    assert!(
        stills[40..].windows(2).all(|pair| pair[0] == pair[1]),
        "the last picture stays"
    );
    // The frame at a key equals the picture of this camera at that step.
    let camera = "--azimuth 200 --distance 0.9 --target 0.3,0.4,0.5";
    let plain = KEYED.split("[[film.key]]").next().unwrap();
    place.write_file("plain.toml", plain);
    place.done(&format!(
        "render plain.toml --steps 40 --picture 40.png --size 160x120 {camera}"
    ));
    assert!(picture(&place.read("40.png")) == stills[20]);
}

#[test]
fn a_film_without_keys_has_the_pictures_of_its_steps() {
    let place = Place::new();
    place.done("render small.toml --frames f --orbit 90");
    for step in [0, 5, 20] {
        let turned = 150.0 + 90.0 * f64::from(step) / 20.0;
        place.done(&format!(
            "render small.toml --steps {step} --picture {step}.png --size 64x48 --azimuth {turned}"
        ));
        let frame = picture(&place.read(&format!("f/small-scene_{step:06}.png")));
        assert!(
            frame == picture(&place.read(&format!("{step}.png"))),
            "{step}"
        );
    }
}

#[test]
fn a_film_that_was_killed_goes_on_to_the_same_bytes() {
    let outputs =
        "--animation a.png --animation a.webp --animation a.gif --frames f --picture end.png";
    let whole = keyed();
    whole.done(&format!("render keyed.toml {outputs} --threads 1"));
    let place = keyed();
    for frame in [3, 17, 30] {
        let args = format!("render keyed.toml {outputs} --threads 2");
        killed(&place, &args, &format!("a.png.parts/frame-{frame:06}.png"));
        assert!(!place.path("a.png").exists());
    }
    // Existing frames are not drawn again.
    let frame = place.path("a.png.parts/frame-000005.png");
    let made = fs::metadata(&frame).unwrap().modified().unwrap();
    killed(
        &place,
        &format!("render keyed.toml {outputs}"),
        "a.png.parts/frame-000033.png",
    );
    assert_eq!(fs::metadata(&frame).unwrap().modified().unwrap(), made);
    // An incomplete frame is drawn again.
    let half = place.path("a.png.parts/frame-000007.png");
    let bytes = fs::read(&half).unwrap();
    fs::remove_file(&half).unwrap();
    fs::write(&half, &bytes[..bytes.len() / 2]).unwrap();
    fs::remove_file(place.path("f/keyed_000007.png")).unwrap();
    place.done(&format!("render keyed.toml {outputs}"));
    assert!(
        contents(&place) == contents(&whole),
        "{:?} and {:?}",
        place.files(),
        whole.files()
    );
}

#[test]
fn a_film_goes_on_from_a_checkpoint_to_the_same_bytes() {
    for (name, scene, step) in [("keyed.toml", KEYED, 60), ("molten.toml", MOLTEN, 11)] {
        let (whole, place) = (Place::new(), Place::new());
        for place in [&whole, &place] {
            place.write_file(name, scene);
        }
        let args = format!("render {name} --animation a.png --picture end.png");
        whole.done(&args);
        killed(&place, &args, "a.png.parts/frame-000006.png");
        let made: Vec<_> = place
            .files()
            .into_iter()
            .filter(|name| name.contains("frame-"))
            .collect();
        // A cached state after the next frame's step cannot be used; an earlier state can.
        let from =
            format!("run {name} --steps {step} --checkpoint a.png.parts/state.lavoxel --quiet");
        place.done(&from);
        let kept = |place: &Place| {
            place
                .files()
                .into_iter()
                .filter(|name| name.contains("frame-"))
                .count()
        };
        assert_eq!(kept(&place), made.len());
        place.done(&args);
        assert!(contents(&place) == contents(&whole), "{name}");
    }
}

/// Scene of the physical model: lava that runs down a slope and solidifies.
const MOLTEN: &str = r#"
name = "Molten"
model = "flow"
threads = 2
[flow]
step_s = 60.0
[grid]
size = [40, 24, 24]
cell_size_m = 10.0
cell_height_m = 4.0
[terrain]
kind = "plane"
[[vent]]
x = 8.0
z = 12.0
radius = 1.5
rate_m3_s = 30.0
[film]
steps = 40
every = 2
size = [120, 80]
picture_size = [120, 80]
fps = 10
"#;

#[test]
fn a_camera_that_follows_the_front_goes_on_as_it_went() {
    for one in ["follow-front", "along-front", "turntable"]
        .into_iter()
        .step_by(one_in(3))
    {
        let (whole, place) = (Place::new(), Place::new());
        for place in [&whole, &place] {
            place.write_file("molten.toml", MOLTEN);
        }
        let args = format!("render molten.toml --move {one} --hold 0.5 --animation a.png");
        whole.done(&args);
        killed(&place, &args, "a.png.parts/frame-000012.png");
        place.done(&args);
        assert!(contents(&place) == contents(&whole), "{one}");
        let frames = apng_frames(&whole.read("a.png"));
        assert_eq!(frames.len(), 26);
    }
}

#[test]
fn a_film_that_was_ended_goes_on_with_the_same_command() {
    let outputs = "--animation a.png --frames f --picture end.png";
    let (whole, place) = (keyed(), keyed());
    let args = format!("render keyed.toml {outputs}");
    whole.done(&args);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lavoxel"));
    command
        .current_dir(place.0.path())
        .args(args.split_whitespace())
        .stderr(std::process::Stdio::piped());
    let mut program = Running::start(&mut command);
    while !place.path("a.png.parts/frame-000008.png").exists() {
        assert!(program.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    program.interrupt();
    let output = program.output();
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(
        err.contains("the same command goes on with the frames in a.png.parts"),
        "{err}"
    );
    let short = apng_frames(&place.read("a.png")).len();
    assert!((9..46).contains(&short), "{short}");
    place.done(&args);
    assert!(
        contents(&place) == contents(&whole),
        "{:?} and {:?}",
        place.files(),
        whole.files()
    );
    // A complete film is not replaced.
    assert!(place.refused(&args).contains("exists already"));
}

#[test]
fn frames_of_another_film_are_left_alone() {
    let place = keyed();
    killed(
        &place,
        "render keyed.toml --animation a.gif",
        "a.gif.parts/frame-000003.png",
    );
    let sweep = || {
        place
            .files()
            .into_iter()
            .filter(|name| name.contains(".lavoxel-"))
    };
    sweep().for_each(|name| fs::remove_file(place.path(&name)).unwrap());
    let line = place.refused("render keyed.toml --animation a.gif --size 80x60");
    let parts = [
        "a.gif.parts is in the way",
        "size = [160, 120]",
        "size = [80, 60]",
        "--force",
    ];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    place.refused("render keyed.toml --animation a.gif --slice z=12");
    place.done("render keyed.toml --animation a.gif --size 80x60 --force");
    assert!(!place.path("a.gif.parts").exists());
    fs::create_dir(place.path("b.gif.parts")).unwrap();
    place.write_file("b.gif.parts/letter", "mine");
    for args in [
        "render keyed.toml --animation b.gif",
        "render keyed.toml --animation b.gif --force",
    ] {
        assert!(place.refused(args).contains("no folder of a film's frames"));
    }
    // Frames of another film under the names of this film are not replaced either.
    fs::create_dir(place.path("f")).unwrap();
    place.write_file("f/keyed_000004.png", "mine");
    assert!(
        place
            .refused("render keyed.toml --frames f")
            .contains("keyed_000004.png exists already")
    );
}

#[test]
fn wrong_films_are_refused_by_name() {
    let place = keyed();
    for (wrong, message) in [
        ("time_s = 2.0", "film.key[1].time_s"),
        ("step = 40", "film.key[2].step"),
        ("distance = 0.9", "film.key[1].camera.distance"),
        ("ease = \"linear\"", "linaer"),
        ("hold_s = 0.5", "film.hold_s"),
    ] {
        let right = match wrong {
            "time_s = 2.0" => "time_s = 5.0",
            "step = 40" => "step = 121",
            "distance = 0.9" => "distance = 0.0",
            "hold_s = 0.5" => "hold_s = -1.0",
            _ => "ease = \"linaer\"",
        };
        let message = if wrong == "time_s = 2.0" {
            "film.key[2].time_s"
        } else {
            message
        };
        place.write_file("wrong.toml", KEYED.replace(wrong, right));
        let line = place.refused("render wrong.toml --animation a.gif");
        assert!(
            line.contains(message) && line.contains("wrong.toml"),
            "{line}"
        );
    }
    assert!(
        place
            .refused("render keyed.toml --hold -1 --animation a.gif")
            .contains("--hold")
    );
    let output = place.run("render keyed.toml --move sideways --animation a.gif");
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("follow-front"));
}

#[test]
fn an_mp4_has_the_same_bytes_with_any_number_of_threads() {
    if !ffmpeg() {
        return;
    }
    let place = keyed();
    for threads in [1, 2] {
        place.done(&format!(
            "render keyed.toml --animation {threads}.mp4 --threads {threads}"
        ));
    }
    assert!(place.read("1.mp4") == place.read("2.mp4"));
    let again = keyed();
    killed(
        &again,
        "render keyed.toml --animation a.mp4",
        "a.mp4.parts/frame-000010.png",
    );
    again.done("render keyed.toml --animation a.mp4");
    assert!(again.read("a.mp4") == place.read("1.mp4"));
}

/// Returns the mean difference of two pictures in levels (0 to 255).
fn difference(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    let sum: u64 = a
        .as_raw()
        .iter()
        .zip(b.as_raw())
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.as_raw().len() as f64
}

/// Scene of lava in one corner of a hilly box, which solidifies to rock higher than the ground.
const CORNER: &str = r#"
name = "Corner"
model = "flow"
threads = 2
[flow]
step_s = 120.0
[grid]
size = [64, 24, 64]
cell_size_m = 10.0
cell_height_m = 5.0
[terrain]
kind = "plane"
[[vent]]
x = 52.0
z = 52.0
radius = 1.0
rate_m3_s = 2.0
[look]
sky = "day"
glow = 0.0
[camera]
azimuth_deg = 180.0
elevation_deg = 60.0
[film]
steps = 60
every = 3
size = [192, 128]
fps = 10
"#;

#[test]
fn a_still_camera_sees_nothing_move_but_the_lava() {
    let place = Place::new();
    place.write_file("corner.toml", CORNER);
    place.done("render corner.toml --frames f");
    let frames: Vec<_> = (0..=20)
        .map(|n| picture(&place.read(&format!("f/corner_{:06}.png", 3 * n))))
        .collect();
    assert!(
        difference(&frames[0], &frames[20]) > 0.05,
        "the lava is seen"
    );
    // The lava comes out in the south-east, at the lower right, and lights its surroundings.
    for (n, pair) in frames.windows(2).enumerate() {
        let moved = pair[0]
            .enumerate_pixels()
            .filter(|&(x, y, pixel)| pair[1].get_pixel(x, y) != pixel);
        let outside = moved.filter(|(x, y, _)| *x < 84 || *y < 42).count();
        assert_eq!(outside, 0, "frame {}", n + 1);
    }
}

#[test]
fn nothing_pops_while_the_camera_turns_and_comes_near() {
    let place = Place::new();
    let keys = "[[film.key]]\ntime_s = 0\nstep = 60\nease = \"linear\"\ncamera = { azimuth_deg = 150, distance = 1.3 }\n\
                [[film.key]]\ntime_s = 3\nstep = 60\ncamera = { azimuth_deg = 165, distance = 1.2 }\n";
    place.write_file(
        "turn.toml",
        format!("{}\n{keys}", KEYED.split("hold_s").next().unwrap()),
    );
    place.done("render turn.toml --frames f --size 240x160");
    let frames: Vec<_> = (0..=30)
        .map(|n| picture(&place.read(&format!("f/keyed_{n:06}.png"))))
        .collect();
    let mut jumps: Vec<f64> = frames
        .windows(2)
        .map(|pair| difference(&pair[0], &pair[1]))
        .collect();
    let largest = jumps.iter().copied().fold(0.0, f64::max);
    jumps.sort_by(f64::total_cmp);
    let median = jumps[jumps.len() / 2];
    assert!(
        median > 0.0 && largest < 1.5 * median,
        "the largest of {jumps:?} is {largest}"
    );
}

/// Returns the frame delays in milliseconds of a GIF written with `frames` frames at `fps` frames
/// per second.
fn delays(place: &Place, fps: u32, frames: u32) -> Vec<u32> {
    let path = place.path(&format!("{fps}.gif"));
    let film = lavoxel::export::Film {
        width: 4,
        height: 3,
        fps,
    };
    let mut gif =
        lavoxel::export::create_animation(&path, film, lavoxel::output::Existing::Keep).unwrap();
    (0..frames).for_each(|frame| gif.frame(&[frame as u8; 36]).unwrap());
    gif.finish().unwrap();
    let decoder =
        image::codecs::gif::GifDecoder::new(std::io::Cursor::new(fs::read(path).unwrap())).unwrap();
    let frames = image::AnimationDecoder::into_frames(decoder)
        .collect_frames()
        .unwrap();
    frames
        .iter()
        .map(|frame| frame.delay().numer_denom_ms())
        .map(|(ms, of)| ms / of)
        .collect()
}

/// Checks frame delays of GIFs: browsers play delays below 20 ms as 100 ms, and the format has only
/// hundredths of a second.
#[test]
fn a_gif_plays_at_the_speed_of_its_film() {
    let place = Place::new();
    for fps in [10, 24, 30, 50, 60] {
        let frames = 6 * fps + 1;
        let delays = delays(&place, fps, frames);
        let (all, wanted) = (
            delays.iter().sum::<u32>(),
            1000.0 * f64::from(frames) / f64::from(fps),
        );
        assert!(
            (f64::from(all) - wanted).abs() <= 20.0,
            "{fps}: {all} ms for {wanted}"
        );
        assert!(delays.iter().all(|delay| *delay >= 20), "{fps}: {delays:?}");
        assert!(
            (5 * frames / 6..=frames).contains(&(delays.len() as u32)),
            "{fps}: {} frames",
            delays.len()
        );
        assert!(
            fps != 30 || delays.iter().all(|delay| [30, 40].contains(delay)),
            "{delays:?}"
        );
    }
}
