//! Tests that requests that would exceed the memory limit are rejected.

use assert_cmd::Command;
use predicates::prelude::*;

use super::place::{Place, text};

/// Checks that the largest boxes, pictures and maps are refused at once under a small limit, with a
/// remedy.
#[test]
fn what_takes_too_much_memory_is_refused_at_once() {
    let place = Place::new();
    place.write_file("box.toml", "[grid]\nsize = [8192, 2048, 8192]");
    place.write_file(
        "wide.asc",
        format!(
            "ncols 4000\nnrows 4000\ncellsize 10\n{}",
            "1 ".repeat(16_000_000)
        ),
    );
    place.write_file(
        "wide.toml",
        "[terrain]\nkind = \"heightmap\"\nfile = \"wide.asc\"",
    );
    let vent = "[[vent]]\nx = 60.0\nz = 60.0\nradius = 60.0\nrate = 900000.0\n";
    place.write_file(
        "flood.toml",
        format!("threads = 2\n[grid]\nsize = [128, 900, 128]\n[terrain]\nkind = \"plane\"\n{vent}"),
    );
    let shape = "shape = { kind = \"box\", from = [0, 0, 0], to = [8000, 900, 8000] }";
    let put = format!("{shape}\nmatter = {{ kind = \"lava\", amount = 1.0, energy = 1.0 }}\n");
    place.write_file(
        "body.toml",
        format!("[grid]\nsize = [1000, 1000, 1000]\n[[body]]\n{put}"),
    );
    for (args, what) in [
        (
            "run box.toml --max-memory 64M",
            "box.toml: the ground would need",
        ),
        (
            "scene box.toml --max-memory 64M",
            "box.toml: the ground would need",
        ),
        (
            "render box.toml --max-memory 4G --picture a.png",
            "box.toml: drawing the volume would need",
        ),
        (
            "render --size 8192x8192 --picture a.png --max-memory 1G",
            "the picture would need",
        ),
        (
            "render --size 8192x8192 --slice x=3 --picture a.png --max-memory 1G",
            "the picture would need",
        ),
        (
            "render small.toml --style print --size 1920x1080 --picture a.png --max-memory 300M",
            "tracing the picture would need",
        ),
        (
            "terrain wide.asc --max-memory 64M",
            "wide.asc: the heights of the file would need",
        ),
        (
            "run wide.toml --max-memory 64M",
            "wide.asc: the heights of the file would need",
        ),
        (
            "run body.toml --max-memory 2G",
            "body.toml: the lava would need",
        ),
    ] {
        let line = place.refused(args);
        assert!(
            line.contains(what) && line.contains("--max-memory"),
            "{args}: {line}"
        );
    }
    // The memory of incoming lava is checked during the run.
    let line = place.refused("run flood.toml --steps 100000 --quiet --max-memory 64M");
    assert!(line.contains("the lava would need"), "{line}");
    place.done("run small.toml --steps 2 --quiet --max-memory 64M");
    let output = place.run("run small.toml --max-memory lots");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("is not a size such as 512M"),
        "{}",
        text(&output.stderr)
    );
}

/// Checks that files that announce more data than any memory holds are rejected within the memory
/// limit.
#[cfg(target_os = "linux")]
#[test]
fn huge_promises_take_no_memory() {
    let place = Place::new();
    let values = "1 ".repeat(450);
    let header =
        |n: u64| format!("ncols {n}\nnrows {n}\nxllcorner 0\nyllcorner 0\ncellsize 10\n{values}");
    place.write_file("huge.asc", header(60_000));
    place.write_file("overflow.asc", header(u64::MAX));
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([
        0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 16, 0, 0, 0, 0, 0xcc, 0xe1, 0x28, 0xf1,
    ]);
    png.extend([0; 1000]);
    place.write_file("huge.png", png);
    for name in ["huge.asc", "overflow.asc", "huge.png"] {
        let terrain =
            format!("[terrain]\nkind = \"heightmap\"\nfile = \"{name}\"\ncell_size_m = 10.0\n");
        place.write_file(
            &format!("{name}.toml"),
            format!("threads = 2\n[grid]\nsize = [24, 20, 24]\n{terrain}"),
        );
    }
    place.write_file("grid.toml", "[grid]\nsize = [60000, 60000, 60000]");
    place.write_file(
        "cells.toml",
        "threads = 2\n[grid]\nsize = [1024, 1024, 1024]",
    );
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
        command
            .current_dir(place.0.path())
            .args(["-c", &limited, env!("CARGO_BIN_EXE_lavoxel")]);
        let one_line = predicate::function(|err: &str| {
            err.lines().count() == 1 && err.starts_with("lavoxel: ")
        });
        command.assert().code(2).stderr(one_line);
    }
    // A scene too large to draw can still be run: memory depends on the ground's surface and the
    // lava.
    let mut command = Command::new("sh");
    let limited = "ulimit -v 400000; exec \"$0\" run cells.toml --steps 2 --quiet";
    command
        .current_dir(place.0.path())
        .args(["-c", limited, env!("CARGO_BIN_EXE_lavoxel")])
        .assert()
        .success();
}

/// Checks that the built-in scene is refused like any other, however low the limit.
#[test]
fn the_built_in_scene_is_refused_too() {
    let place = Place::new();
    for args in [
        "run --max-memory 8M",
        "run --steps 1 --max-memory 1",
        "render --max-memory 8M --picture a.png",
    ] {
        let line = place.refused(args);
        assert!(
            line.contains("(built-in volcano): ") && line.contains("would need"),
            "{args}: {line}"
        );
    }
}

/// Checks that commands without a memory limit do not accept the flag.
#[test]
fn the_benchmarks_take_no_limit() {
    let place = Place::new();
    let line = place.refused("verify --quick --max-memory 1M");
    assert!(
        line.contains("--max-memory: ") && line.contains("leave it out"),
        "{line}"
    );
    assert!(!place.done("verify --help").contains("--max-memory"));
    assert!(place.done("run --help").contains("--max-memory"));
}
