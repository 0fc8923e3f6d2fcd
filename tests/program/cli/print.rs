//! Tests of traced pictures (`--style print`): flags, layers, films and Ctrl-C.

use std::fs;

use exr::prelude::{AnyChannels, FlatSamples, Image, Layer, read_first_flat_layer_from_file};

use super::film::killed;
use super::place::{Place, SMALL, apng_frames, picture, text};

/// Flags of a traced picture that takes a second.
const QUICK: &str = "--style print --samples 4 --size 48x32 --quiet";

#[test]
fn flags_of_traced_pictures_belong_to_the_style_print() {
    let place = Place::new();
    for flag in [
        "--samples 4",
        "--noise 2%",
        "--time 1s",
        "--aperture 0.1",
        "--focus 2",
        "--exr a.exr",
    ] {
        let line = place.refused(&format!("render small.toml --picture a.png {flag}"));
        let name = flag.split(' ').next().unwrap();
        let words = format!("{name} belongs to traced pictures: add --style print");
        assert!(line.contains(&words), "{flag}: {line}");
    }
    let line = place.refused("render small.toml --style print --picture a.png --exr a.tif");
    assert!(
        line.contains("--exr a.tif: ") && line.contains(".exr"),
        "{line}"
    );
    place.write_file("old.exr", "old");
    let line = place.refused("render small.toml --style print --picture a.png --exr old.exr");
    assert!(
        line.contains("old.exr") && line.contains("--force"),
        "{line}"
    );
    let line = place.refused_with(
        1,
        "render small.toml --style print --picture a.png --exr small.toml/a.exr",
    );
    assert!(line.contains("cannot write small.toml/a.exr"), "{line}");
}

#[test]
fn wrong_flags_of_traced_pictures_are_refused_with_usage() {
    let place = Place::new();
    for flags in [
        "--samples 0",
        "--samples 65537",
        "--samples many",
        "--noise 0%",
        "--noise 101%",
        "--noise 2s",
        "--time 0s",
        "--time 1week",
        "--slice x=3 --samples 4",
        "--slice x=3 --exr a.exr",
        "--exr a.exr --animation a.webp",
        "--exr a.exr --frames f",
        "--exr a.exr --beside thickness",
    ] {
        let output = place.run(&format!(
            "render small.toml --style print --picture a.png {flags}"
        ));
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags}\n{err}");
        assert!(err.starts_with("error: "), "{flags}\n{err}");
        assert_eq!(place.files(), ["small.toml"], "{flags}");
    }
    let output = place.run("render small.toml --style print --exr a.exr");
    let err = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && err.contains("--picture"),
        "{err}"
    );
}

/// Returns the size of a file of layers, and its channels by name.
fn layers(place: &Place, name: &str) -> Image<Layer<AnyChannels<FlatSamples>>> {
    read_first_flat_layer_from_file(place.path(name)).unwrap()
}

#[test]
fn layers_of_a_picture_are_written_as_exr() {
    let place = Place::new();
    let camera = "--elevation 10 --distance 1.5";
    place.done(&format!(
        "render small.toml {QUICK} {camera} --picture a.png --exr deep/a.exr --threads 1"
    ));
    assert_eq!(place.files(), ["a.png", "deep/a.exr", "small.toml"]);
    let layer = layers(&place, "deep/a.exr").layer_data;
    assert_eq!((layer.size.0, layer.size.1), (48, 32));
    let list = &layer.channel_data.list;
    let names: Vec<String> = list
        .iter()
        .map(|channel| channel.name.to_string())
        .collect();
    let expected = "B G R Z albedo.B albedo.G albedo.R emission.B emission.G emission.R \
                    normal.X normal.Y normal.Z samples smoothed.B smoothed.G smoothed.R";
    assert_eq!(names.join(" "), expected);
    let values = |name: &str| -> Vec<f32> {
        let channel = list.iter().find(|channel| channel.name == *name).unwrap();
        channel.sample_data.values_as_f32().collect()
    };
    assert!(values("samples").iter().all(|&samples| samples == 4.0));
    // A plain of 240 m below the sky; the lava glows.
    let (sky, near): (Vec<f32>, Vec<f32>) = values("Z").into_iter().partition(|z| z.is_infinite());
    assert!(sky.len() > 200 && near.len() > 200, "{}", near.len());
    assert!(near.iter().all(|z| (100.0..1000.0).contains(z)), "{near:?}");
    let glow = values("emission.R").into_iter().fold(0.0, f32::max);
    assert!(glow > 0.2, "{glow}");
    let (light, smoothed) = (values("R"), values("smoothed.R"));
    assert!(light != smoothed && light.iter().all(|light| light.is_finite()));
    let comments = layer.attributes.comments.unwrap().to_string();
    for line in ["Title: Small scene", "Seed: 5", "Step: 20", "State: "] {
        assert!(comments.contains(line), "{comments}");
    }
    // The same bits with another number of threads, over the old files.
    let before = ["a.png", "deep/a.exr"].map(|name| place.read(name));
    place.done(&format!(
        "render small.toml {QUICK} {camera} --picture a.png --exr deep/a.exr --threads 2 --force"
    ));
    assert!(before == ["a.png", "deep/a.exr"].map(|name| place.read(name)));
}

#[test]
fn a_traced_picture_ends_by_samples_noise_or_time() {
    let place = Place::new();
    let samples = |flags: &str| {
        place.done(&format!(
            "render small.toml --style print --size 24x16 {flags} --quiet --force --picture a.png --exr a.exr"
        ));
        let layer = layers(&place, "a.exr").layer_data;
        let channel = (layer.channel_data.list.iter())
            .find(|channel| channel.name == *"samples")
            .unwrap();
        channel.sample_data.values_as_f32().next().unwrap()
    };
    assert_eq!(samples("--samples 3"), 3.0);
    let noisy = samples("--samples 500 --noise 40%");
    let clean = samples("--samples 500 --noise 2%");
    assert!(8.0 <= noisy && noisy < clean, "{noisy} and {clean}");
    let timed = samples("--samples 65536 --time 0.5s");
    assert!((1.0..65536.0).contains(&timed), "{timed}");
}

#[test]
fn a_traced_film_that_was_killed_goes_on_to_the_same_bytes() {
    let outputs = format!("{QUICK} --animation a.png --animation a.webp");
    let whole = Place::new();
    whole.done(&format!("render small.toml {outputs} --threads 1"));
    let frames = apng_frames(&whole.read("a.png"));
    assert_eq!(frames.len(), 5);
    let place = Place::new();
    let args = format!("render small.toml {outputs} --threads 2");
    killed(&place, &args, "a.png.parts/frame-000002.png");
    assert!(!place.path("a.png").exists());
    // Frames of another number of samples are no frames of this film.
    let other = args.replace("--samples 4", "--samples 5");
    let line = place.refused(&other);
    assert!(line.contains("samples 4"), "{line}");
    let frame = place.path("a.png.parts/frame-000001.png");
    let made = fs::metadata(&frame).unwrap().modified().unwrap();
    assert!(made.elapsed().is_ok());
    place.done(&args);
    for name in ["a.png", "a.webp"] {
        assert!(place.read(name) == whole.read(name), "{name}");
    }
    assert!(!place.path("a.png.parts").exists());
}

/// Checks that the noise of a picture is that of all frames: it must not move.
#[test]
fn frames_of_a_traced_film_do_not_flicker() {
    let place = Place::new();
    let still = SMALL.replace("rate = 1.5", "rate = 0.0");
    place.write_file("still.toml", still);
    place.done(&format!("render still.toml {QUICK} --frames f"));
    let first = picture(&place.read("f/small-scene_000000.png"));
    let last = picture(&place.read("f/small-scene_000020.png"));
    assert!(first == last, "nothing moves");
}
