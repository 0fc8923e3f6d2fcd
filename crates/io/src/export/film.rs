//! Animations: a file whose frames are written one after another.

use std::path::Path;

use super::ExportError;
use super::apng::Apng;
use super::format::{Format, Formats};
use super::gif::Gif;
use super::mp4::{self, Mp4};
use super::webp::WebP;
use lavoxel_files::output::{Existing, WholeFile, check_free};

/// Size and speed of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Film {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Frames per second, 1..=60.
    pub fps: u32,
}

impl Film {
    /// Start of a frame in milliseconds.
    pub(super) fn start_ms(self, frame: u32) -> u32 {
        (u64::from(frame) * 1000 / u64::from(self.fps)) as u32
    }
}

/// An animation that is being written.
pub trait Animation {
    /// Adds a frame: rows from the top, 8-bit sRGB, `3 · width · height` bytes.
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError>;

    /// Adds a frame that is shown as long as `frames` of them.
    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        (0..frames).try_for_each(|_| self.frame(rgb))
    }

    /// Completes the file and puts it in its place; the frames so far are the whole animation.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// How an animation of a format is begun.
#[derive(Debug)]
struct Begin {
    /// Refuses it where something is missing on this machine.
    check: fn(&Path) -> Result<(), ExportError>,
    begin: fn(WholeFile, Film) -> Result<Box<dyn Animation>, ExportError>,
}

const FORMATS: Formats<Begin> = Formats {
    purpose: "animation",
    list: &[
        Format {
            endings: &["png", "apng"],
            about: "APNG",
            how: Begin { check: |_| Ok(()), begin: |file, film| Ok(Box::new(Apng::new(file, film)?)) },
        },
        Format {
            endings: &["webp"],
            about: "",
            how: Begin { check: |_| Ok(()), begin: |file, film| Ok(Box::new(WebP::new(file, film)?)) },
        },
        Format {
            endings: &["gif"],
            about: "",
            how: Begin { check: |_| Ok(()), begin: |file, film| Ok(Box::new(Gif::new(file, film)?)) },
        },
        Format {
            endings: &["mp4"],
            about: "needs ffmpeg",
            how: Begin { check: mp4::check_ffmpeg, begin: |file, film| Ok(Box::new(Mp4::new(file, film)?)) },
        },
    ],
};

/// Endings of animations that can be written, in words.
pub fn animation_formats() -> String {
    FORMATS.words()
}

/// Checks, before long work, that an animation can be written at `path`.
pub fn check_animation(path: &Path, existing: Existing) -> Result<(), ExportError> {
    (FORMATS.of(path)?.check)(path)?;
    Ok(check_free(path, existing)?)
}

/// Starts an animation in the format that the ending of `path` names.
pub fn create_animation(path: &Path, film: Film, existing: Existing) -> Result<Box<dyn Animation>, ExportError> {
    check_animation(path, existing)?;
    (FORMATS.of(path)?.begin)(WholeFile::create(path, existing)?, film)
}
