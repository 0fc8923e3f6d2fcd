//! Screenshots and recordings of the window, encoded and written on separate threads.
//!
//! Invariant: the window never waits for a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use image::{RgbaImage, imageops};

use crate::messages::Notice;
use lavoxel_files::output::{Existing, FOLDER, OutputError, free_name};
use lavoxel_io::export::{
    Animation, ExportError, Film, check_animation, create_animation, write_png,
};

/// Frame rate of recordings, in frames per second.
const FPS: u32 = 20;
/// Capacity of the encoder's queue, in pictures. If the queue is full, a new picture is dropped,
/// and the previous picture is shown longer.
const WAITING: usize = 6;

/// Screenshot that is to be written as a PNG file.
pub(crate) struct Shot {
    /// Picture of the window with its alpha channel.
    pub(crate) image: RgbaImage,
    /// Set to write the alpha channel; otherwise the file has no transparency.
    pub(crate) transparent: bool,
    /// Base of the file name, without extension; if a file of this name exists, "-2", "-3", … is
    /// appended.
    pub(crate) name: String,
    /// Text entries of the PNG file, as (keyword, text).
    pub(crate) labels: Vec<(&'static str, String)>,
}

/// Writes screenshots and recordings in the background, and produces a notice for each completed
/// file.
pub(crate) struct Files {
    shots: Option<Sender<Shot>>,
    notices: (Sender<Notice>, Receiver<Notice>),
    threads: Vec<JoinHandle<()>>,
    recorder: Option<Recorder>,
    /// Paths given to the recordings of this session so far, so that no two recordings get the same
    /// file name.
    promised: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self {
            shots: None,
            notices: channel(),
            threads: Vec::new(),
            recorder: None,
            promised: Vec::new(),
        }
    }

    /// Writes a screenshot on a separate thread, under a name that no file has yet, into the
    /// default folder for written files.
    pub(crate) fn write(&mut self, shot: Shot) {
        let notices = self.notices.0.clone();
        let threads = &mut self.threads;
        // A single thread writes all screenshots, which avoids races for names.
        let shots = self.shots.get_or_insert_with(|| {
            let (sender, receiver) = channel::<Shot>();
            threads.push(std::thread::spawn(move || {
                for shot in receiver {
                    report(
                        &notices,
                        write_shot(&shot).map(|path| Notice::new(saved(&path))),
                    );
                }
            }));
            sender
        });
        // The thread lives as long as the sender, so sending cannot fail.
        shots.send(shot).ok();
    }

    /// Starts a recording of the rectangle `part` of the window into the file `path`; if `path` is
    /// `None`, into a file whose name begins with `name` and is not in use. Returns the path of the
    /// file.
    pub(crate) fn record(
        &mut self,
        path: Option<&Path>,
        name: &str,
        part: Cutout,
    ) -> Result<PathBuf, ExportError> {
        let path = match path {
            Some(path) => path.to_owned(),
            // A recording that is still being completed may have no file yet, but its name is
            // taken.
            None => {
                let film = |path: &Path| path.with_extension("webp");
                let taken =
                    |path: &Path| film(path).exists() || self.promised.contains(&film(path));
                film(&free_name(Path::new(FOLDER), name, taken))
            }
        };
        self.recorder = Some(Recorder::start(&path, part)?);
        self.promised.push(path.clone());
        Ok(path)
    }

    /// Returns the recording in progress; `None` if there is none.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_mut()
    }

    /// Ends the recording in progress, `seconds` after its start; its file is completed in the
    /// background.
    pub(crate) fn end_recording(&mut self, seconds: f64) {
        if let Some(recorder) = self.recorder.take() {
            let notices = self.notices.0.clone();
            self.threads.push(std::thread::spawn(move || {
                report(&notices, recorder.finish(seconds))
            }));
        }
    }

    /// Returns the notices about the files completed since the last call.
    pub(crate) fn notices(&mut self) -> Vec<Notice> {
        self.threads.retain(|thread| !thread.is_finished());
        self.notices.1.try_iter().collect()
    }

    /// Waits until all files are written and returns the remaining notices. A recording in progress
    /// ends with the last picture that was added.
    pub(crate) fn close(mut self) -> Vec<Notice> {
        let last = self
            .recorder
            .as_ref()
            .and_then(|recorder| recorder.last.as_ref());
        let seconds = last.map_or(0.0, |(_, frame)| *frame as f64 / f64::from(FPS));
        self.end_recording(seconds);
        self.shots = None;
        for thread in self.threads.drain(..) {
            // The panic hook has already printed the message of a thread that panicked.
            thread.join().ok();
        }
        self.notices.1.try_iter().collect()
    }
}

fn report(notices: &Sender<Notice>, result: Result<Notice, ExportError>) {
    let notice = result.unwrap_or_else(|error| Notice::wrong(error.to_string()));
    // The receiver may be gone, since the window may be closed already.
    notices.send(notice).ok();
}

fn saved(path: &Path) -> String {
    format!("saved {}", path.display())
}

fn write_shot(shot: &Shot) -> Result<PathBuf, ExportError> {
    let pixels = if shot.transparent {
        shot.image.as_raw().clone()
    } else {
        without_alpha(&shot.image)
    };
    loop {
        let path = free_name(Path::new(FOLDER), &shot.name, |path| {
            path.with_extension("png").exists()
        });
        let path = path.with_extension("png");
        match write_png(
            &path,
            shot.image.dimensions(),
            &pixels,
            &shot.labels,
            Existing::Keep,
        ) {
            // Another program has taken the name meanwhile: try the next free name.
            Err(ExportError::Output(OutputError::Exists { .. })) => {}
            result => return result.map(|()| path),
        }
    }
}

fn without_alpha(image: &RgbaImage) -> Vec<u8> {
    image
        .pixels()
        .flat_map(|p| [p.0[0], p.0[1], p.0[2]])
        .collect()
}

/// Rectangle of the window that a recording shows; its upper edge is that of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cutout {
    /// Distance in pixels from the left edge of the window to the rectangle.
    pub(crate) left: u32,
    /// Width and height of the rectangle in pixels; both are even, since some players reject odd
    /// sizes.
    pub(crate) size: (u32, u32),
}

impl Cutout {
    /// Returns the rectangle to the right of the `covered` pixel columns under the panel, in a
    /// window of `width` × `height` pixels.
    pub(crate) fn uncovered(covered: u32, (width, height): (u32, u32)) -> Self {
        let even = |n: u32| (n & !1).max(2);
        Self {
            left: covered,
            size: (even(width.saturating_sub(covered)), even(height)),
        }
    }

    fn film(self) -> Film {
        Film {
            width: self.size.0,
            height: self.size.1,
            fps: FPS,
        }
    }

    /// Returns the RGB bytes of this rectangle in the window's picture `window`; scaled to the
    /// recording's size if the window's size has changed since the start.
    fn crop(self, window: &RgbaImage) -> Vec<u8> {
        let (width, height) = self.size;
        let left = if self.left + width <= window.width() {
            self.left
        } else {
            0
        };
        let part = imageops::crop_imm(window, left, 0, width, height).to_image();
        if part.dimensions() == self.size {
            return without_alpha(&part);
        }
        without_alpha(&imageops::resize(
            &part,
            width,
            height,
            imageops::FilterType::Triangle,
        ))
    }
}

/// Message to the encoder thread of a recording.
enum Reel {
    /// Picture of the window, and the index of the first frame of the recording that shows this
    /// picture.
    Picture(Arc<RgbaImage>, u64),
    /// End of the recording, with its total number of frames.
    End(u64),
}

/// Recording in progress. Each picture is shown until the next one, so the recording plays in real
/// time even if the window draws slowly.
pub(crate) struct Recorder {
    pictures: SyncSender<Reel>,
    /// Picture sent to the encoder last, and the index of the first frame that shows this picture;
    /// `None` before the first picture.
    last: Option<(Arc<RgbaImage>, u64)>,
    encoder: JoinHandle<Result<u64, ExportError>>,
    path: PathBuf,
}

impl Recorder {
    fn start(path: &Path, cutout: Cutout) -> Result<Self, ExportError> {
        check_animation(path, Existing::Keep)?;
        let (pictures, waiting) = sync_channel(WAITING);
        let target = path.to_owned();
        let encoder = std::thread::spawn(move || encode(&target, cutout, &waiting));
        Ok(Self {
            pictures,
            last: None,
            encoder,
            path: path.to_owned(),
        })
    }

    /// Returns true if the encoder has ended early because of an error, such as a full disk.
    pub(crate) fn has_failed(&self) -> bool {
        self.encoder.is_finished()
    }

    /// Returns true if the recording needs another picture at the time `seconds` after its start.
    pub(crate) fn wants(&self, seconds: f64) -> bool {
        self.last
            .as_ref()
            .is_none_or(|(_, frame)| frame_at(seconds) > *frame)
    }

    /// Adds the window's picture to the recording, at the time `seconds` after its start. Drops a
    /// picture that equals the last one, and a picture for which the encoder's queue has no room.
    pub(crate) fn take(&mut self, picture: RgbaImage, seconds: f64) {
        let first = self.last.is_none();
        if self
            .last
            .as_ref()
            .is_some_and(|(last, _)| **last == picture)
        {
            return;
        }
        let (picture, frame) = (Arc::new(picture), if first { 0 } else { frame_at(seconds) });
        // Errors of sending are ignored: once the encoder has ended, `finish` returns its error.
        if self
            .pictures
            .try_send(Reel::Picture(picture.clone(), frame))
            .is_ok()
        {
            self.last = Some((picture, frame));
        }
    }

    /// Returns true if the recording contains at least one picture.
    pub(crate) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Completes the recording, whose length is `seconds`, and returns the notice about its file.
    fn finish(self, seconds: f64) -> Result<Notice, ExportError> {
        let Self {
            pictures,
            encoder,
            path,
            ..
        } = self;
        // Errors of sending are ignored: once the encoder has ended, joining returns its error.
        pictures.send(Reel::End(frame_at(seconds) + 1)).ok();
        drop(pictures);
        match encoder.join() {
            Ok(frames) => Ok(recorded(&path, frames?)),
            Err(_) => Err(ExportError::Encoder {
                path,
                reason: "the encoder broke down".to_owned(),
            }),
        }
    }
}

fn recorded(path: &Path, frames: u64) -> Notice {
    if frames == 0 {
        let text = "nothing was recorded: the recording ended before the first picture was drawn"
            .to_owned();
        return Notice::wrong(text);
    }
    let seconds = frames as f64 / f64::from(FPS);
    Notice::new(format!("{} ({frames} frames, {seconds:.1} s)", saved(path)))
}

/// Returns the index of the recording's frame that is shown `seconds` after the start.
fn frame_at(seconds: f64) -> u64 {
    (seconds * f64::from(FPS)) as u64
}

/// Encodes the pictures received from `waiting` into the file `path`, and returns the number of
/// frames. Writes no file if no picture arrives.
fn encode(path: &Path, cutout: Cutout, waiting: &Receiver<Reel>) -> Result<u64, ExportError> {
    let mut seen: Option<(Vec<u8>, u64)> = None;
    let mut animation: Option<Box<dyn Animation>> = None;
    let mut frames = 0;
    for reel in waiting {
        let end = match &reel {
            Reel::Picture(_, frame) | Reel::End(frame) => *frame,
        };
        // A picture is written only when the next one arrives, which determines its number of
        // frames.
        if let Some((rgb, since)) = &seen {
            let animation = match &mut animation {
                Some(animation) => animation,
                none => none.insert(create_animation(path, cutout.film(), Existing::Keep)?),
            };
            let held = end.saturating_sub(*since).max(1);
            animation.hold(rgb, held as u32)?;
            frames += held;
        }
        seen = match reel {
            Reel::Picture(picture, frame) => Some((cutout.crop(&picture), frame)),
            Reel::End(_) => break,
        };
    }
    if let Some(animation) = animation {
        animation.finish()?;
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use image::AnimationDecoder;

    use super::*;

    const CUTOUT: Cutout = Cutout {
        left: 4,
        size: (16, 8),
    };

    /// Returns a picture of a window of 20 × 9 pixels: grey level `shade`, but white where the
    /// panel lies.
    fn picture(shade: u8) -> RgbaImage {
        RgbaImage::from_fn(20, 9, |x, _| {
            image::Rgba(if x < 4 {
                [255; 4]
            } else {
                [shade, 40, 10, 255]
            })
        })
    }

    fn frames(path: &Path) -> Vec<(u8, u32)> {
        let file = std::io::BufReader::new(std::fs::File::open(path).expect("there"));
        let frames = image::codecs::webp::WebPDecoder::new(file)
            .expect("WebP")
            .into_frames();
        let frames = frames.map(|frame| frame.expect("whole"));
        frames
            .map(|frame| {
                (
                    frame.buffer().get_pixel(8, 4).0[0],
                    frame.delay().numer_denom_ms().0,
                )
            })
            .collect()
    }

    #[test]
    fn a_recording_runs_in_real_time_however_slowly_it_is_drawn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.webp");
        let mut files = Files::new();
        files
            .record(Some(&path), "film", CUTOUT)
            .expect("it can be written");
        let recorder = files.recorder().expect("under way");
        // Drawn at 0.3, 0.32 (too early), 1.0, 1.5 (equal to the one before) and 4.0 seconds.
        let drawn = [
            (0.3, true, 200),
            (0.32, false, 0),
            (1.0, true, 120),
            (1.5, true, 120),
            (4.0, true, 40),
        ];
        for (seconds, wanted, shade) in drawn {
            assert_eq!(
                recorder.wants(seconds) || !recorder.has_begun(),
                wanted || seconds == 0.32,
                "{seconds}"
            );
            if wanted {
                recorder.take(picture(shade), seconds);
            }
        }
        files.end_recording(5.0);
        let notices = files.close();
        assert!(
            !notices[0].wrong && notices[0].text.contains("101 frames, 5.0 s"),
            "{notices:?}"
        );
        let lengths: Vec<u32> = frames(&path).iter().map(|(_, ms)| *ms).collect();
        assert_eq!(lengths, [1000, 3000, 1050]);
        let shades: Vec<u8> = frames(&path).iter().map(|(shade, _)| *shade).collect();
        for (shade, wanted) in shades.iter().zip([200_u8, 120, 40]) {
            assert!(shade.abs_diff(wanted) < 12, "{shades:?}");
        }
    }

    #[test]
    fn the_shortest_recording_has_a_picture_and_one_without_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.webp");
        let mut files = Files::new();
        files
            .record(Some(&path), "film", CUTOUT)
            .expect("it can be written");
        files.recorder().expect("under way").take(picture(90), 0.0);
        files.end_recording(0.01);
        files
            .record(Some(&folder.path().join("none.webp")), "film", CUTOUT)
            .expect("it can be written");
        files.end_recording(3.0);
        let notices = files.close();
        assert!(
            image::open(&path)
                .is_ok_and(|picture| (picture.width(), picture.height()) == CUTOUT.size)
        );
        assert_eq!(
            notices
                .iter()
                .filter(|n| n.wrong && n.text.contains("nothing was recorded"))
                .count(),
            1,
            "{notices:?}"
        );
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("there").count(),
            1,
            "no empty file"
        );
    }

    #[test]
    fn a_window_of_another_size_still_fills_the_film() {
        assert_eq!(CUTOUT.crop(&picture(7))[..3], [7, 40, 10]);
        assert_eq!(CUTOUT.crop(&RgbaImage::new(10, 4)).len(), 3 * 16 * 8);
        assert_eq!(
            Cutout::uncovered(346, (1280, 661)),
            Cutout {
                left: 346,
                size: (934, 660)
            }
        );
    }

    #[test]
    fn a_name_that_is_taken_is_refused_before_the_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.gif");
        std::fs::write(&path, "mine").expect("written");
        let mut files = Files::new();
        assert!(files.record(Some(&path), "film", CUTOUT).is_err());
        assert!(
            files
                .record(Some(&folder.path().join("film.xyz")), "film", CUTOUT)
                .is_err()
        );
        assert!(files.recorder().is_none() && files.close().is_empty());
        assert_eq!(std::fs::read(&path).expect("there"), b"mine");
    }
}
