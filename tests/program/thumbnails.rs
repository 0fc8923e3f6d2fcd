//! Tests that the pictures of the shipped scenes for the window's start screen show the current
//! scenes.
//!
//! `UPDATE_THUMBNAILS=1 cargo test --test program -- thumbnails` draws those whose scene or line in
//! the list changed; `UPDATE_THUMBNAILS=island,wax` draws only the named scenes. A line of `list`
//! has a scene's name, the steps and flags for `lavoxel render`, and the hash of scene and flags.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::imageops::{FilterType, resize};
use lavoxel::export::{Film, create_animation};
use lavoxel::output::Existing;
use lavoxel::shipped;

/// Width and height of a picture in pixels.
const SIZE: [u32; 2] = [192, 128];
/// Factor by which the picture is rendered larger before it is scaled down.
const LARGER: u32 = 4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/window/src/ui/gallery/pictures")
}

/// Returns the hash (FNV-1a) of a scene's text and the flags of its picture.
fn hash(text: &str, flags: &str) -> String {
    let bytes = text.lines().flat_map(str::bytes).chain(flags.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// One line of the file `list`.
struct Line {
    name: String,
    hash: String,
    flags: String,
}

fn list() -> Vec<Line> {
    let text = fs::read_to_string(folder().join("list")).unwrap();
    let line = |line: &str| {
        let mut parts = line.splitn(3, ' ').map(str::to_owned);
        let mut next = || {
            parts
                .next()
                .unwrap_or_else(|| panic!("name, hash and flags: {line}"))
        };
        Line {
            name: next(),
            hash: next(),
            flags: next(),
        }
    };
    text.lines().map(line).collect()
}

fn draw(line: &Line) {
    let folder = tempfile::tempdir().unwrap();
    let png = folder.path().join("picture.png");
    let size = SIZE.map(|side| side * LARGER);
    let done = Command::new(env!("CARGO_BIN_EXE_lavoxel"))
        .args([
            "render",
            &line.name,
            "-q",
            "--size",
            &format!("{}x{}", size[0], size[1]),
        ])
        .args(line.flags.split(' '))
        .arg("--picture")
        .arg(&png)
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(done.success(), "{}", line.name);
    let picture = resize(
        &image::open(&png).unwrap().to_rgb8(),
        SIZE[0],
        SIZE[1],
        FilterType::Lanczos3,
    );
    let file = self::folder().join(&line.name).with_extension("webp");
    let film = Film {
        width: SIZE[0],
        height: SIZE[1],
        fps: 1,
    };
    let mut webp = create_animation(&file, film, Existing::Replace).unwrap();
    webp.frame(picture.as_raw()).unwrap();
    webp.finish().unwrap();
}

#[test]
fn thumbnails_are_those_of_the_scenes_as_they_are() {
    let asked = std::env::var("UPDATE_THUMBNAILS").unwrap_or_default();
    let mut lines = list();
    let scenes: Vec<_> = shipped::scenes().collect();
    assert_eq!(
        lines.iter().map(|line| &line.name).collect::<Vec<_>>(),
        scenes.iter().map(|s| s.name).collect::<Vec<_>>()
    );
    let mut stale = Vec::new();
    for (line, scene) in lines.iter_mut().zip(scenes) {
        let hash = hash(scene.text, &line.flags);
        let is_named = asked.split(',').any(|name| name == line.name);
        if !asked.is_empty() && (is_named || (asked == "1" && hash != line.hash)) {
            draw(line);
            line.hash = hash;
        } else if hash != line.hash {
            stale.push(line.name.clone());
        }
    }
    if !asked.is_empty() {
        let text: String = lines
            .iter()
            .map(|line| format!("{} {} {}\n", line.name, line.hash, line.flags))
            .collect();
        fs::write(folder().join("list"), text).unwrap();
    }
    assert!(
        stale.is_empty(),
        "UPDATE_THUMBNAILS=1 draws those of {stale:?} again"
    );
}
