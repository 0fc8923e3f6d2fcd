//! Tests of heightmaps in common formats, made by other programs where these are installed, or byte
//! by byte.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::needs;
use lavoxel::terrain::{Heightmap, LoadOptions, TerrainError, load, write};
use ndarray::{Array2, Axis, s};
use tempfile::TempDir;

mod by_hand;
mod clouds;
mod gdal;
mod misread;
mod real;
mod sidecar;
mod tiff;

/// Returns true if the GDAL program `program` is installed; otherwise records a skipped test.
fn there(program: &str) -> bool {
    needs::program(program, "gdal-bin")
}

/// Runs a program, which must succeed, and returns its standard output.
fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(
        output.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn plain(path: &Path) -> Result<Heightmap, TerrainError> {
    load(path, &LoadOptions::default())
}

fn cells_of(metres: f64) -> LoadOptions {
    LoadOptions {
        cell_size_m: Some(metres),
        ..LoadOptions::default()
    }
}

/// Checks that two heightmaps are equal bit for bit, and lack data in the same cells.
fn assert_same(found: &Array2<f32>, expected: &Array2<f32>, what: &str) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    for ((at, a), b) in found.indexed_iter().zip(expected) {
        assert!(
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            "{what} {at:?}: {a} is not {b}"
        );
    }
}

fn assert_near(found: f64, expected: f64, within: f64, what: &str) {
    assert!(
        (found - expected).abs() <= within,
        "{what}: {found} is not {expected}"
    );
}

/// Checks that a file is rejected with a one-line error that names the file and contains `words`.
fn assert_refused(path: &Path, options: &LoadOptions, words: &[&str]) {
    let message = load(path, options).unwrap_err().to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
    assert!(!message.contains('\n') && message.len() < 400, "{message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
}
