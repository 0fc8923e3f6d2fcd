//! Animations: files whose frames are written one after another.

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
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Frames per second, 1..=60.
    pub fps: u32,
}

impl Film {
    /// Returns the start of frame `frame` in milliseconds.
    pub(super) fn start_ms(self, frame: u32) -> u32 {
        (u64::from(frame) * 1000 / u64::from(self.fps)) as u32
    }
}

/// Animation file that is being written.
pub trait Animation {
    /// Appends a frame: 8-bit sRGB, row-major from the top, `3 · width · height` bytes.
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError>;

    /// Appends a frame that is shown for `frames` frame durations.
    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        (0..frames).try_for_each(|_| self.frame(rgb))
    }

    /// Completes the file and moves it to its final path; the animation has all frames appended so
    /// far.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// Functions of an animation format.
#[derive(Debug)]
struct Begin {
    /// Fails if the format needs a program that is not installed.
    check: fn(&Path) -> Result<(), ExportError>,
    begin: fn(WholeFile, Film) -> Result<Box<dyn Animation>, ExportError>,
}

const FORMATS: Formats<Begin> = Formats {
    purpose: "animation",
    list: &[
        Format {
            endings: &["png", "apng"],
            about: "APNG",
            how: Begin {
                check: |_| Ok(()),
                begin: |file, film| Ok(Box::new(Apng::new(file, film)?)),
            },
        },
        Format {
            endings: &["webp"],
            about: "",
            how: Begin {
                check: |_| Ok(()),
                begin: |file, film| Ok(Box::new(WebP::new(file, film)?)),
            },
        },
        Format {
            endings: &["gif"],
            about: "",
            how: Begin {
                check: |_| Ok(()),
                begin: |file, film| Ok(Box::new(Gif::new(file, film)?)),
            },
        },
        Format {
            endings: &["mp4"],
            about: "needs ffmpeg",
            how: Begin {
                check: mp4::check_ffmpeg,
                begin: |file, film| Ok(Box::new(Mp4::new(file, film)?)),
            },
        },
    ],
};

/// Returns the file extensions of all animation formats as text.
pub fn animation_formats() -> String {
    FORMATS.words()
}

/// Checks that an animation can be written to `path`; called before long computations.
pub fn check_animation(path: &Path, existing: Existing) -> Result<(), ExportError> {
    (FORMATS.of(path)?.check)(path)?;
    Ok(check_free(path, existing)?)
}

/// Creates an animation at `path` in the format of its file extension.
pub fn create_animation(
    path: &Path,
    film: Film,
    existing: Existing,
) -> Result<Box<dyn Animation>, ExportError> {
    check_animation(path, existing)?;
    (FORMATS.of(path)?.begin)(WholeFile::create(path, existing)?, film)
}
