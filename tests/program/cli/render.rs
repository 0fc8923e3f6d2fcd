//! Tests of `lavoxel render`: pictures, frames and animations.

use std::io::Cursor;

use image::codecs::{gif::GifDecoder, webp::WebPDecoder};
use predicates::str::contains;

use super::place::{Place, SMALL, apng_frames, apng_header_frames, frames, lavoxel, picture, text};
use crate::needs;

/// Returns the fraction of pixels that differ between two pictures of the same size.
fn difference(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count() as f64
        / f64::from(a.width() * a.height())
}

fn ffmpeg_is_there() -> bool {
    needs::program("ffmpeg", "ffmpeg")
}

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
        chunks
            .iter()
            .find(|chunk| chunk.keyword == keyword)
            .and_then(|chunk| chunk.get_text().ok())
    };
    let hash = place.json("run small.toml --json")["state_hash"]
        .as_str()
        .map(str::to_owned);
    assert_eq!(
        (label("Title").as_deref(), label("State")),
        (Some("Small scene"), hash)
    );
    assert_eq!(
        (label("Step").as_deref(), label("Seed").as_deref()),
        (Some("20"), Some("5"))
    );
}

#[test]
fn another_scene_stands_beside_the_pictures_with_differences_in_numbers() {
    let place = Place::new();
    let caption = "\n[film.notes]\ncaption = \"as it is\"\n";
    place.write_file("small.toml", format!("{SMALL}{caption}"));
    place.write_file(
        "more.toml",
        format!("{SMALL}{caption}").replace("rate = 1.5", "rate = 3.0"),
    );
    place.write_file("wide.toml", SMALL.replace("[24, 20, 24]", "[28, 20, 24]"));
    let run = |line: &str| {
        let output = place.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stderr)
    };
    // Each half is the picture of its scene alone.
    run("render small.toml --size 100x90 --picture left.png");
    run("render more.toml --size 100x90 --picture right.png");
    let told = run(
        "render small.toml --beside more.toml --size 200x90 --picture both.png --animation both.apng",
    );
    let [left, right, both] =
        ["left.png", "right.png", "both.png"].map(|name| picture(&place.read(name)));
    assert_eq!(both.dimensions(), (200, 90));
    let half = |x: u32| image::imageops::crop_imm(&both, x, 0, 100, 90).to_image();
    assert!(
        half(0) == left && half(100) == right && left != right,
        "the halves are the pictures of both scenes"
    );
    // 20 steps of 1.5 and of 3 cells of lava, in 24 × 20 × 24 cells; the second box starts with 30
    // cells more.
    assert!(
        told.contains("beside Small scene after 20 and 20 steps:"),
        "{told}"
    );
    let line = told.lines().find(|line| {
        line.trim_start()
            .starts_with("amount: mean 0.0026 and 0.00521 full cells")
    });
    assert!(line.is_some(), "{told}");
    assert_eq!(apng_header_frames(&place.read("both.apng")), 5);
    // Two columns: a scene next to itself, and next to a box of another size.
    let told = run("render small.toml --beside small.toml --size 200x90 --picture twice.png");
    assert!(
        told.contains("beside Small scene after 20 and 20 steps: the same in every cell"),
        "{told}"
    );
    let told = run("render small.toml --beside wide.toml --size 200x90 --picture wide.png");
    assert!(told.contains("another number of cells"), "{told}");
    let output = place.run("render small.toml --beside none.toml --picture wrong.png");
    let error = text(&output.stderr);
    assert!(
        output.status.code() == Some(2) && error.contains("--beside none.toml"),
        "{error}"
    );
}

#[test]
fn a_map_stands_beside_the_pictures() {
    let place = Place::new();
    for (name, more) in [("alone.png", ""), ("both.png", "--beside thickness=4")] {
        let output = place.run(&format!(
            "render small.toml --size 200x90 --picture {name} {more}"
        ));
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let [alone, both] = ["alone.png", "both.png"].map(|name| picture(&place.read(name)));
    assert_eq!(
        (alone.dimensions(), both.dimensions()),
        ((200, 90), (200, 90))
    );
    // The scene fills the left part, and the map at the right has a plain margin.
    let corner = |image: &image::RgbImage| *image.get_pixel(199, 0);
    assert_ne!(corner(&alone), corner(&both));
    for (more, message) in [
        (
            "--beside thickness=x",
            "--beside thickness=x: must be a map, or a map and a number",
        ),
        (
            "--beside thicknes",
            "there is no map \"thicknes\" and no such scene; maps are thickness",
        ),
        ("--beside arrival", "a film keeps no records of the past"),
    ] {
        let output = place.run(&format!("render small.toml --picture wrong.png {more}"));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(message), "{error}");
        assert!(!place.files().contains(&"wrong.png".to_owned()));
    }
}

#[test]
fn render_writes_frames_and_every_kind_of_animation() {
    let place = Place::new();
    let args = "render small.toml --frames frames --animation a.png --animation a.webp --animation a.gif --every 8";
    let output = place.run(args);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stderr).contains("a.webp (4 frames)"),
        "{}",
        text(&output.stderr)
    );
    let stills = ["000000", "000008", "000016", "000020"]
        .map(|step| format!("frames/small-scene_{step}.png"));
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
        assert!(
            frames
                .iter()
                .all(|frame| frame.buffer().dimensions() == (64, 48)),
            "{name}"
        );
        assert!(
            frames
                .iter()
                .all(|frame| frame.delay().numer_denom_ms() == (100, 1)),
            "{name}"
        );
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
    command.current_dir(place.0.path()).env("PATH", "").args([
        "render",
        "small.toml",
        "--animation",
        "a.mp4",
    ]);
    command
        .assert()
        .code(2)
        .stderr(contains("install it, or write .png, .webp or .gif"));
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
    assert_eq!(
        frames(GifDecoder::new(Cursor::new(place.read("cut.gif"))).unwrap()).len(),
        5
    );
    place.done("render small.toml --slice y=3 --animation cut.png --steps 120 --every 60");
    let frames = apng_frames(&place.read("cut.png"));
    assert_eq!(frames.len(), 3);
    assert!(
        frames
            .iter()
            .all(|frame| frame.buffer().dimensions() == (64, 48))
    );
}

#[test]
fn slices_are_placed_in_metres_and_show_the_whole_box_on_request() {
    let place = Place::new();
    let draw = |flags: &str| {
        place.done(&format!(
            "render small.toml --force --picture a.png --size 400x300 --steps 20 {flags}"
        ));
        picture(&place.read("a.png"))
    };
    let cells = draw("--slice x=12");
    assert_eq!(cells.dimensions(), (400, 300));
    assert!(
        difference(&cells, &draw("--slice x=125m")) == 0.0,
        "cell 12 goes from 120 m to 130 m"
    );
    assert!(difference(&cells, &draw("--slice x=135m")) > 0.0);
    // The air above the ground is cropped unless `--whole` is given.
    assert!(difference(&cells, &draw("--slice x=12 --whole")) > 0.01);
}

#[test]
fn camera_and_style_flags_change_the_picture() {
    let place = Place::new();
    let draw = |flags: &str| {
        place.done(&format!(
            "render small.toml --force --picture a.png --steps 10 --size 64x48 {flags}"
        ));
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
        assert!(
            difference(&plain, &draw(flags)) > 0.01,
            "{flags} changes nothing"
        );
    }
    assert!(difference(&plain, &draw("--style cinematic --orbit 0 --clip y=0..1")) == 0.0);
    let (south, north) = (draw("--clip z=0.5..1"), draw("--clip z=0..0.5"));
    assert!(
        difference(&south, &north) > 0.01,
        "halves that look the same"
    );
    assert_eq!(draw("--picture-size 33x21").dimensions(), (33, 21));
}

#[test]
fn an_orbit_turns_the_camera_from_frame_to_frame() {
    let place = Place::new();
    // Without lava only the camera can change the picture.
    place.write_file(
        "still.toml",
        SMALL
            .replace("\"plane\"", "\"volcano\"")
            .replace("rate = 1.5", "rate = 0.0"),
    );
    place.done("render still.toml --animation still.png");
    place.done("render still.toml --animation turn.png --orbit 180");
    let (still, turn) = (
        apng_frames(&place.read("still.png")),
        apng_frames(&place.read("turn.png")),
    );
    assert!(
        still
            .windows(2)
            .all(|pair| pair[0].buffer() == pair[1].buffer())
    );
    assert!(
        turn.windows(2)
            .all(|pair| pair[0].buffer() != pair[1].buffer())
    );
    assert!(still[0].buffer() == turn[0].buffer());
}

#[test]
fn files_that_nobody_named_get_free_names() {
    let place = Place::new();
    place.done("render small.toml");
    let first = [
        "lavoxel-out/small-scene.png",
        "lavoxel-out/small-scene.webp",
    ]
    .map(|name| place.read(name));
    place.done("render small.toml --seed 9");
    place.done("render small.toml");
    let expected = ["-2.png", "-2.webp", "-3.png", "-3.webp", ".png", ".webp"];
    let mut expected = expected
        .map(|end| format!("lavoxel-out/small-scene{end}"))
        .to_vec();
    expected.push("small.toml".to_owned());
    assert_eq!(place.files(), expected);
    assert!(
        first[0] == place.read("lavoxel-out/small-scene.png"),
        "the old picture is untouched"
    );
    assert!(
        first[0] == place.read("lavoxel-out/small-scene-3.png"),
        "the same scene gives the same picture"
    );
    assert!(
        first[1] == place.read("lavoxel-out/small-scene-3.webp"),
        "the same scene gives the same animation"
    );
    assert!(first[0] != place.read("lavoxel-out/small-scene-2.png"));
}

#[test]
fn a_name_full_of_signs_stays_in_the_folder() {
    let place = Place::new();
    place.write_file(
        "odd.toml",
        SMALL.replace("Small scene", "../../\u{e4}\\n/ .. Etna"),
    );
    place.done("render odd.toml --steps 1");
    let files = place.files();
    assert!(
        files
            .iter()
            .any(|name| name.starts_with("lavoxel-out/") && name.ends_with("etna.png")),
        "{files:?}"
    );
}

#[test]
fn force_replaces_and_nothing_else_does() {
    let place = Place::new();
    for name in ["a.png", "a.webp", "a.gif"] {
        place.write_file(name, "old");
        let flag = if name == "a.png" {
            "--picture"
        } else {
            "--animation"
        };
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

/// Checks that a camera inside rock, which would draw a black picture, is raised with one message.
#[test]
fn a_camera_in_rock_is_raised_over_the_ground() {
    let place = Place::new();
    let args = "render small.toml --steps 4 --elevation 5 --distance 0.05 --target 0.5,0.05,0.5 --size 48x32 --picture in.png";
    let output = place.run(args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(
        said.matches("warning: the camera stood in rock, ").count(),
        1,
        "{said}"
    );
    assert!(
        said.contains("another --elevation, --distance or --target"),
        "{said}"
    );
    let bright = |name: &str| {
        let pixels = image::open(place.path(name)).unwrap().to_rgb8();
        pixels
            .pixels()
            .filter(|pixel| pixel.0.iter().any(|&value| value > 24))
            .count()
    };
    assert!(
        bright("in.png") > 48 * 32 / 4,
        "{} bright pixels",
        bright("in.png")
    );
}
