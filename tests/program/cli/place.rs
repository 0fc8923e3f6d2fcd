//! Temporary folder in which tests run the program, and readers of its output files.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use image::AnimationDecoder;
use image::codecs::png::PngDecoder;
use serde_json::Value;
use tempfile::TempDir;

/// Scene of twenty steps on a plain, with small pictures.
pub(crate) const SMALL: &str = r#"
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

/// Further tables for [`SMALL`]: a pool of water and a spring.
pub(crate) const WATER: &str = r#"
[[material]]
name = "water"

[[body]]
shape = { kind = "box", from = [0.0, 10.0, 0.0], to = [24.0, 12.0, 6.0] }
matter = { kind = "material", name = "water", amount = 1.0 }

[[source]]
material = "water"
x = 6.0
z = 18.0
radius = 2.0
rate = 0.75
"#;

/// ASCII grid of a heightmap of 4 × 3 cells.
pub(crate) const TINY_ASC: &str =
    "ncols 4\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3 4\n2 3 4 5\n3 4 5 9\n";

pub(crate) fn lavoxel() -> Command {
    assert_cmd::cargo::cargo_bin_cmd!("lavoxel")
}

/// Temporary folder in which the program runs.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    /// Creates a folder with [`SMALL`] as `small.toml`.
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write_file("small.toml", SMALL);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write_file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Returns the paths of all files below the folder, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(
                        path.strip_prefix(self.0.path())
                            .unwrap()
                            .display()
                            .to_string(),
                    );
                }
            }
        }
        files.sort();
        files
    }

    /// Runs the program in the folder with the arguments `args`, separated by spaces.
    pub(crate) fn run(&self, args: &str) -> Output {
        lavoxel()
            .current_dir(self.0.path())
            .args(args.split_whitespace())
            .output()
            .unwrap()
    }

    /// Runs a command, which must succeed, and returns its standard output.
    pub(crate) fn done(&self, args: &str) -> String {
        let output = self.run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{args}\n{out}\n{err}");
        out
    }

    pub(crate) fn json(&self, args: &str) -> Value {
        serde_json::from_str(&self.done(args)).unwrap()
    }

    /// Runs a command, which must fail with the exit status `code` and one line of error message,
    /// leaving every file unchanged; returns the line.
    pub(crate) fn refused_with(&self, code: i32, args: &str) -> String {
        let contents = || {
            self.files()
                .into_iter()
                .map(|name| (self.read(&name), name))
                .collect::<Vec<_>>()
        };
        let before = contents();
        let output = self.run(args);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args}\n{err}");
        assert_eq!(text(&output.stdout), "", "{args}");
        assert!(
            err.starts_with("lavoxel: ") && err.ends_with('\n'),
            "{args}\n{err}"
        );
        assert_eq!(err.lines().count(), 1, "{args}\n{err}");
        assert!(!err.contains("panicked"), "{args}\n{err}");
        let parts: Vec<_> = err.trim_end().split(": ").collect();
        let twice = parts
            .iter()
            .enumerate()
            .find(|(i, part)| part.len() > 20 && parts[..*i].contains(part));
        assert!(twice.is_none(), "{args} says something twice\n{err}");
        assert!(contents() == before, "{args} left {:?}", self.files());
        err
    }

    /// Runs a command, which must fail because of wrong use or wrong input (exit status 2); returns
    /// the error message.
    pub(crate) fn refused(&self, args: &str) -> String {
        self.refused_with(2, args)
    }

    /// Runs the scene with the text `scene`, which must be rejected; returns the error message.
    pub(crate) fn refused_scene(&self, scene: impl AsRef<[u8]>) -> String {
        self.write_file("wrong.toml", scene);
        self.refused("run wrong.toml --quiet --steps 1")
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn picture(bytes: &[u8]) -> image::RgbImage {
    image::load_from_memory_with_format(bytes, image::ImageFormat::Png)
        .unwrap()
        .to_rgb8()
}

pub(crate) fn frames<'a>(decoder: impl AnimationDecoder<'a>) -> Vec<image::Frame> {
    decoder.into_frames().collect_frames().unwrap()
}

/// Returns the number of frames that the header of an animated PNG gives.
pub(crate) fn apng_header_frames(bytes: &[u8]) -> u32 {
    let at = bytes
        .windows(4)
        .position(|chunk| chunk == b"acTL")
        .expect("an animation has this chunk");
    u32::from_be_bytes(bytes[at + 4..at + 8].try_into().unwrap())
}

pub(crate) fn apng_frames(bytes: &[u8]) -> Vec<image::Frame> {
    frames(PngDecoder::new(Cursor::new(bytes)).unwrap().apng().unwrap())
}
