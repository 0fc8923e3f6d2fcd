//! Export of animations, frame by frame; the file extension selects the format.

use std::path::Path;

use super::ExportError;
use super::apng::Apng;
use super::format::{Format, Formats};
use super::gif::Gif;
use super::mp4::{self, Mp4};
use super::webp::WebP;
use lavoxel_files::output::{Existing, WholeFile, check_free};

/// Size of the pictures and frame rate of an animation.
#[derive(Clone, Copy, Debug)]
pub struct Film {
    /// Width of a frame in pixels.
    pub width: u32,
    /// Height of a frame in pixels.
    pub height: u32,
    /// Frame rate in frames per second, 1 to 60.
    pub fps: u32,
}

impl Film {
    /// Returns the time at which the frame with the index `frame` (from 0) begins, in milliseconds
    /// from the beginning of the animation.
    pub(super) fn start_ms(self, frame: u32) -> u32 {
        (u64::from(frame) * 1000 / u64::from(self.fps)) as u32
    }
}

/// Animation file that is being written frame by frame.
pub trait Animation {
    /// Appends a frame that is shown for 1/`fps` seconds. `rgb`: 8-bit sRGB, row-major from the
    /// top, `3 · width · height` bytes.
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError>;

    /// Appends a frame that is shown for `frames`/`fps` seconds. `rgb`: pixels as for `frame`.
    fn hold(&mut self, rgb: &[u8], frames: u32) -> Result<(), ExportError> {
        (0..frames).try_for_each(|_| self.frame(rgb))
    }

    /// Completes the file with all frames appended so far and moves the file to its final path.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// Functions of one animation format: availability check, and constructor of an animation.
#[derive(Debug)]
struct Begin {
    /// Function that fails if the format needs an external program that is not installed.
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

/// Returns the file extensions of all animation formats as text, for messages.
pub fn animation_formats() -> String {
    FORMATS.words()
}

/// Checks that an animation can be written to `path`; called before long computations, so that
/// these are not lost.
pub fn check_animation(path: &Path, existing: Existing) -> Result<(), ExportError> {
    (FORMATS.for_path(path)?.check)(path)?;
    Ok(check_free(path, existing)?)
}

/// Creates an animation of the size and frame rate `film` at `path`. The file extension selects the
/// format.
pub fn create_animation(
    path: &Path,
    film: Film,
    existing: Existing,
) -> Result<Box<dyn Animation>, ExportError> {
    check_animation(path, existing)?;
    (FORMATS.for_path(path)?.begin)(WholeFile::create(path, existing)?, film)
}
