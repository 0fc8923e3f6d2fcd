//! Tests of the gallery: a film of each shipped scene, next to the command that renders the film.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::one_in;
use lavoxel::shipped;

/// Upper bound of a film's size in bytes, and lower bound of its number of frames.
const MOST: usize = 1_500_000;
const FEWEST: usize = 30;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Returns the arguments of `lavoxel` for each film.
fn commands() -> Vec<Vec<String>> {
    let page = fs::read_to_string(docs().join("gallery.md")).unwrap();
    let lines = page
        .lines()
        .filter_map(|line| line.strip_prefix("`lavoxel ")?.strip_suffix('`'));
    lines
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect()
}

/// Returns the argument that follows `flag`; `None` if the flag is absent.
fn after<'a>(command: &'a [String], flag: &str) -> Option<&'a str> {
    Some(command.get(command.iter().position(|word| word == flag)? + 1)?)
}

/// Returns the chunks of a WebP file: names and contents.
fn chunks(file: &[u8]) -> Vec<(&[u8], &[u8])> {
    assert!(file.starts_with(b"RIFF") && &file[8..12] == b"WEBP");
    let (mut rest, mut found) = (&file[12..], Vec::new());
    while rest.len() >= 8 {
        let long = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        found.push((&rest[..4], &rest[8..8 + long]));
        rest = rest.get(8 + long + long % 2..).unwrap_or_default();
    }
    found
}

#[test]
fn every_scene_has_a_film_of_its_own_that_is_small() {
    let commands = commands();
    let mut named: Vec<&str> = commands.iter().map(|command| command[1].as_str()).collect();
    named.sort_unstable();
    let mut scenes: Vec<&str> = shipped::scenes().map(|scene| scene.name).collect();
    scenes.sort_unstable();
    assert_eq!(named, scenes);
    for command in &commands {
        let name = after(command, "--animation").unwrap();
        assert_eq!(name, format!("{}.webp", command[1]));
        let film = fs::read(docs().join("gallery").join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(film.len() <= MOST, "{name} has {} bytes", film.len());
        let chunks = chunks(&film);
        let frames = chunks.iter().filter(|(name, _)| name == b"ANMF").count();
        assert!(frames >= FEWEST, "{name} has {frames} frames");
        let (_, canvas) = chunks.iter().find(|(name, _)| name == b"VP8X").unwrap();
        let side =
            |at: usize| u32::from_le_bytes([canvas[at], canvas[at + 1], canvas[at + 2], 0]) + 1;
        assert_eq!(
            after(command, "--size"),
            Some(&*format!("{}x{}", side(4), side(7))),
            "{name}"
        );
    }
}

/// Returns the command changed to one step and small pictures, for a quick test.
fn shortened(command: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    let mut all = command.iter();
    while let Some(word) = all.next() {
        match word.as_str() {
            "--steps" | "--duration" | "--every" | "--size" | "--hold" => drop(all.next()),
            _ => words.push(word.clone()),
        }
    }
    words.extend(["--steps", "1", "--every", "1", "--size", "96x64", "-q"].map(str::to_owned));
    words
}

#[test]
fn commands_of_the_gallery_draw_a_film() {
    let folder = tempfile::tempdir().unwrap();
    for command in commands().into_iter().step_by(one_in(7)) {
        let done = Command::new(env!("CARGO_BIN_EXE_lavoxel"))
            .args(shortened(&command))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{command:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert!(
            folder
                .path()
                .join(after(&command, "--animation").unwrap())
                .exists()
        );
    }
}
