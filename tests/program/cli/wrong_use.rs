//! Tests of flags and outputs that the program rejects.

use serde_json::Value;

use super::place::{Place, text};

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
        "render small.toml --slice x=3 --azimuth 40",
        "render small.toml --slice x=3 --elevation 40",
        "render small.toml --slice x=3 --distance 2",
        "render small.toml --slice x=3 --target 0,0,0",
        "render small.toml --slice x=3 --fov 30",
        "render small.toml --slice x=3 --orbit 30",
        "render small.toml --slice x=3 --move turntable",
        "render small.toml --slice x=3 --style surface",
        "render small.toml --slice x=3 --clip x=0..0.5",
        "render small.toml --clip x",
        "render small.toml --clip w=0..1",
        "render small.toml --clip x=0.5",
        "render small.toml --clip x=a..b",
        "render small.toml --target 1,2",
        "bench --steps 0",
        "terrain",
        "terrain volcano --size 0x1x1",
        "terrain volcano --size 9000x9x9",
        "verify --field",
        "verify --quick cliff",
        "erupt",
        "scene small.toml --defaults",
    ] {
        let output = place.run(args);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}\n{err}");
        assert!(
            err.starts_with("error: ") && !err.contains("panicked"),
            "{args}\n{err}"
        );
        assert_eq!(place.files(), ["small.toml"], "{args}");
    }
}

#[test]
fn the_tip_is_the_flag_that_was_meant() {
    let place = Place::new();
    for (args, tip) in [
        (
            "run small.toml --duration 3 hours",
            "tip: a number and its unit are one word: --duration 3h",
        ),
        (
            "run small.toml --duration 10 Days",
            "tip: a number and its unit are one word: --duration 10d",
        ),
        (
            "run small.toml --rates 5",
            "tip: --rates is a flag of lavoxel resume, lavoxel hazard",
        ),
        (
            "run small.toml --vent-area area.geojson",
            "tip: --vent-area is a flag of lavoxel hazard",
        ),
        (
            "hazard small.toml --npz=a.npz",
            "tip: --npz is a flag of lavoxel run, lavoxel resume",
        ),
        (
            "run small.toml --stepz 4",
            "tip: a similar argument exists: '--steps'",
        ),
    ] {
        let err = text(&place.run(args).stderr);
        assert!(
            err.contains(tip) && err.matches("tip: ").count() == 1,
            "{args}\n{err}"
        );
    }
}

#[test]
fn numbers_out_of_range_name_their_flag_or_key() {
    let place = Place::new();
    for (flags, key) in [
        (
            "--slice z=24",
            "--slice z=24: must be 0 to 23 (cells), or 0m to 240m",
        ),
        ("--slice x=241m", "--slice x=241m: must be 0m to 240m"),
        ("--slice x=map:5", "the terrain has no map coordinates"),
        (
            "--size 0x10",
            "--size 0x10: must be a number from 1 to 8192 pixels along each side",
        ),
        ("--size 9000x10", "--size 9000x10: must be"),
        ("--picture-size 10x0", "--picture-size 10x0: must be"),
        (
            "--fps 0",
            "--fps 0: must be a number from 1 to 60 frames a second",
        ),
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
    place.write_file("file", "");
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

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let place = Place::new();
    let bench = "bench --steps 1 --only open --pictures 1";
    place.done(&format!("{bench} --save a.json"));
    let mut table: Value = serde_json::from_slice(&place.read("a.json")).unwrap();
    table["label"] = "\u{1b}]0;mine\u{7}".into();
    table["machine"] = "\u{1b}[31mloom".into();
    place.write_file("b.json", table.to_string());
    place.write_file(
        "format.json",
        r#"{"format": "\u001b[2J"#.to_owned() + &"x".repeat(100_000) + "\"}",
    );
    for args in [
        format!("{bench} --compare b.json"),
        "bench --compare format.json".to_owned(),
        "run \u{1b}[31mred.toml".to_owned(),
        "terrain \u{1b}[31mred.asc".to_owned(),
        "run small.toml --steps \u{1b}[31m".to_owned(),
    ] {
        let output = place.run(&args);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(
            !printed.contains(['\u{1b}', '\u{7}']) && printed.len() < 4000,
            "{args}: {printed:?}"
        );
    }
}

/// Checks that outputs never replace the command's own inputs, whatever the flags say.
#[test]
fn force_does_not_replace_what_is_read() {
    let place = Place::new();
    place.write_file("m.asc", super::place::TINY_ASC);
    place.write_file(
        "m.toml",
        "[grid]\nsize = [8, 20, 8]\n[terrain]\nkind = \"heightmap\"\nfile = \"m.asc\"\n",
    );
    place.write_file("p.png", b"no picture");
    place.write_file("p.prj", b"LOCAL_CS[\"none\"]");
    for (args, name) in [
        ("run m.asc --steps 1 --map thickness=m.asc --force", "m.asc"),
        (
            "run m.asc --steps 1 --map thickness=./m.asc --force",
            "m.asc",
        ),
        (
            "run m.toml --steps 1 --map thickness=m.asc --force",
            "m.asc",
        ),
        ("run m.toml --steps 1 --checkpoint m.toml --force", "m.toml"),
        ("run m.asc --steps 1 --checkpoint m.asc --force", "m.asc"),
        ("terrain m.asc --out m.asc --force", "m.asc"),
    ] {
        let line = place.refused(args);
        assert!(
            line.contains(name) && line.contains("is read by this command"),
            "{args}: {line}"
        );
    }
    // The program's own earlier output is replaced.
    place.done("run m.asc --steps 1 --map thickness=out.asc --force --quiet");
    place.done("run m.asc --steps 1 --map thickness=out.asc --force --quiet");
    // A resumed checkpoint is kept up to date, and not replaced by another kind of output.
    place.done("run m.asc --steps 1 --checkpoint run.tif --quiet");
    place.done("resume run.tif --steps 2 --quiet");
    let line = place.refused("resume run.tif --steps 3 --map thickness=run.tif --force");
    assert!(line.contains("run.tif"), "{line}");
    let line =
        place.refused("run m.asc --steps 1 --checkpoint new.tif --map thickness=new.tif --force");
    assert!(
        line.contains("new.tif: two outputs cannot have the same name"),
        "{line}"
    );
}

#[cfg(unix)]
#[test]
fn a_line_feed_in_a_name_makes_no_second_line() {
    let place = Place::new();
    place.write_file("a\nb.asc", "x");
    place.write_file("a\nb.toml", "[grid]\nsize = [8, 20, 8]\n");
    let run = |args: &[&str]| {
        let output = super::place::lavoxel()
            .current_dir(place.0.path())
            .args(args)
            .output()
            .unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, _, err) = run(&["run", "a\nb.asc", "--steps", "1"]);
    assert!(
        code == Some(2) && err.lines().count() == 1 && err.contains("a?b.asc"),
        "{err}"
    );
    let (code, _, err) = run(&["run", "no\nne.asc"]);
    assert!(code == Some(2) && err.lines().count() == 1, "{err}");
    let (code, out, err) = run(&["scene", "a\nb.toml"]);
    assert!(
        code == Some(0) && out.starts_with("a b.toml: fine"),
        "{out}{err}"
    );
    let (_, _, err) = run(&[
        "run",
        "small.toml",
        "--steps",
        "1",
        "--map",
        "ground=c\nd.asc",
    ]);
    assert!(err.lines().any(|line| line == "c?d.asc (step 1)"), "{err}");
}
