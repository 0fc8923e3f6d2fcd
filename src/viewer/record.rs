//! Screenshots and recordings: encoded on threads of their own, so that the window never waits for a file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::JoinHandle;

use image::RgbaImage;

use super::link::Notice;
use crate::export::{ExportError, Film, check_animation, create_animation, write_png};
use crate::output::{Existing, FOLDER, OutputError, free_name};

/// Most frames a second of a recording.
pub(crate) const MOST_FPS: u32 = 20;
/// Frames that may wait for the encoder; more are left out, and the frame before stays longer.
const WAITING: usize = 6;

/// A screenshot to be written.
pub(crate) struct Shot {
    /// The picture.
    pub(crate) image: RgbaImage,
    /// Whether its opacity matters.
    pub(crate) transparent: bool,
    /// Beginning of the file's name.
    pub(crate) name: String,
    /// Text put into the file.
    pub(crate) labels: Vec<(&'static str, String)>,
}

/// Writes files while the window goes on, and tells when they are there.
pub(crate) struct Files {
    shots: Option<Sender<Shot>>,
    told: (Sender<Notice>, Receiver<Notice>),
    threads: Vec<JoinHandle<()>>,
    recorder: Option<Recorder>,
    /// Files of all recordings so far.
    promised: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self { shots: None, told: channel(), threads: Vec::new(), recorder: None, promised: Vec::new() }
    }

    /// Writes a screenshot into the folder for unnamed files, under a name that is free.
    pub(crate) fn write(&mut self, shot: Shot) {
        let told = self.told.0.clone();
        let threads = &mut self.threads;
        // One thread for all screenshots: names are taken one after the other.
        let shots = self.shots.get_or_insert_with(|| {
            let (sender, receiver) = channel::<Shot>();
            threads.push(std::thread::spawn(move || {
                for shot in receiver {
                    tell(&told, write_shot(&shot).map(|path| saved(&path)));
                }
            }));
            sender
        });
        // The thread lives as long as the sender.
        shots.send(shot).ok();
    }

    /// Starts a recording, into `path` or under a free name.
    pub(crate) fn record(&mut self, path: Option<&Path>, name: &str, film: Film) -> Result<PathBuf, ExportError> {
        let path = match path {
            Some(path) => path.to_owned(),
            // A film that is still being completed has its name already.
            None => {
                let film = |path: &Path| path.with_extension("webp");
                let taken = |path: &Path| film(path).exists() || self.promised.contains(&film(path));
                film(&free_name(Path::new(FOLDER), name, taken))
            }
        };
        self.recorder = Some(Recorder::start(&path, film)?);
        self.promised.push(path.clone());
        Ok(path)
    }

    /// The recording under way.
    pub(crate) fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_mut()
    }

    /// Ends the recording; its file is completed in the background.
    pub(crate) fn end_recording(&mut self) {
        if let Some(recorder) = self.recorder.take() {
            let told = self.told.0.clone();
            self.threads.push(std::thread::spawn(move || tell(&told, recorder.finish())));
        }
    }

    /// What has been written since the last call.
    pub(crate) fn notices(&mut self) -> Vec<Notice> {
        self.threads.retain(|thread| !thread.is_finished());
        self.told.1.try_iter().collect()
    }

    /// Completes everything, and tells what became of it.
    pub(crate) fn close(mut self) -> Vec<Notice> {
        self.end_recording();
        self.shots = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has no more to say; the hook has said it.
            thread.join().ok();
        }
        self.told.1.try_iter().collect()
    }
}

fn tell(told: &Sender<Notice>, result: Result<String, ExportError>) {
    let notice = match result {
        Ok(text) => Notice { wrong: false, text },
        Err(error) => Notice { wrong: true, text: error.to_string() },
    };
    // A window that is gone needs no notice.
    told.send(notice).ok();
}

fn saved(path: &Path) -> String {
    format!("saved {}", path.display())
}

fn write_shot(shot: &Shot) -> Result<PathBuf, ExportError> {
    let pixels = if shot.transparent { shot.image.as_raw().clone() } else { without_alpha(&shot.image) };
    loop {
        let path = free_name(Path::new(FOLDER), &shot.name, |path| path.with_extension("png").exists());
        let path = path.with_extension("png");
        match write_png(&path, shot.image.dimensions(), &pixels, &shot.labels, Existing::Keep) {
            // Somebody else took the name meanwhile.
            Err(ExportError::Output(OutputError::Exists { .. })) => {}
            result => return result.map(|()| path),
        }
    }
}

fn without_alpha(image: &RgbaImage) -> Vec<u8> {
    image.pixels().flat_map(|p| [p.0[0], p.0[1], p.0[2]]).collect()
}

/// A frame and how often it is shown.
type Shown = (Vec<u8>, u32);

/// A recording under way. Frames are repeated when drawing is slow, so that the film runs in real time.
pub(crate) struct Recorder {
    film: Film,
    /// Frames of the film that have been sent.
    sent: u64,
    frames: SyncSender<Shown>,
    encoder: JoinHandle<Result<u32, ExportError>>,
    path: PathBuf,
}

impl Recorder {
    fn start(path: &Path, film: Film) -> Result<Self, ExportError> {
        check_animation(path, Existing::Keep)?;
        let (frames, waiting) = sync_channel(WAITING);
        let target = path.to_owned();
        let encoder = std::thread::spawn(move || encode(&target, film, &waiting));
        Ok(Self { film, sent: 0, frames, encoder, path: path.to_owned() })
    }

    /// Pixels across and down.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.film.width as usize, self.film.height as usize)
    }

    /// Whether the encoder has given up, for want of space or the like.
    pub(crate) fn has_failed(&self) -> bool {
        self.encoder.is_finished()
    }

    /// Frames of the film up to a time in seconds since the recording began.
    fn due(&self, seconds: f64) -> u64 {
        (seconds * f64::from(self.film.fps)) as u64 + 1
    }

    /// Whether a frame is due.
    pub(crate) fn wants(&self, seconds: f64) -> bool {
        self.due(seconds) > self.sent
    }

    /// Takes the picture of this moment. When the encoder is behind it is left out.
    pub(crate) fn take(&mut self, image: &RgbaImage, seconds: f64) {
        let repeats = self.due(seconds).saturating_sub(self.sent);
        match self.frames.try_send((without_alpha(image), repeats as u32)) {
            Ok(()) => self.sent += repeats,
            // Left out; the next frame makes up for the time.
            Err(TrySendError::Full(_)) => {}
            // The encoder has ended; `finish` says why.
            Err(TrySendError::Disconnected(_)) => {}
        }
    }

    /// Completes the file.
    fn finish(self) -> Result<String, ExportError> {
        let Self { frames, encoder, path, film, .. } = self;
        drop(frames);
        match encoder.join() {
            Ok(count) => {
                let count = count?;
                let seconds = f64::from(count) / f64::from(film.fps);
                Ok(format!("{} ({count} frames, {seconds:.1} s)", saved(&path)))
            }
            Err(_) => Err(ExportError::Encoder { path, reason: "the encoder broke down".to_owned() }),
        }
    }
}

fn encode(path: &Path, film: Film, waiting: &Receiver<Shown>) -> Result<u32, ExportError> {
    let mut animation = create_animation(path, film, Existing::Keep)?;
    let mut count = 0;
    for (rgb, repeats) in waiting {
        for _ in 0..repeats {
            animation.frame(&rgb)?;
            count += 1;
        }
    }
    animation.finish()?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use image::AnimationDecoder;

    use super::*;

    const FILM: Film = Film { width: 16, height: 8, fps: 10 };

    fn picture(shade: u8) -> RgbaImage {
        RgbaImage::from_pixel(16, 8, image::Rgba([shade, 40, 10, 255]))
    }

    #[test]
    fn a_recording_runs_in_real_time_however_slowly_it_is_drawn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.webp");
        let mut files = Files::new();
        files.record(Some(&path), "film", FILM).expect("it can be written");
        let recorder = files.recorder().expect("under way");
        // Drawn at 0, 0.05 (too early), 0.1 and 0.95 seconds.
        for (seconds, wanted, shade) in [(0.0, true, 200), (0.05, false, 0), (0.1, true, 120), (0.95, true, 40)] {
            assert_eq!(recorder.wants(seconds), wanted, "{seconds}");
            if wanted {
                recorder.take(&picture(shade), seconds);
            }
        }
        let notices = files.close();
        assert_eq!(notices.len(), 1);
        assert!(!notices[0].wrong && notices[0].text.contains("10 frames, 1.0 s"), "{notices:?}");
        let file = std::io::BufReader::new(std::fs::File::open(&path).expect("there"));
        let frames = image::codecs::webp::WebPDecoder::new(file).expect("WebP").into_frames();
        let lengths: Vec<u32> = frames.map(|f| f.expect("whole").delay().numer_denom_ms().0).collect();
        assert_eq!(lengths.iter().sum::<u32>(), 1000, "{lengths:?}");
    }

    #[test]
    fn a_name_that_is_taken_is_refused_before_the_recording() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("film.gif");
        std::fs::write(&path, "mine").expect("written");
        let mut files = Files::new();
        assert!(files.record(Some(&path), "film", FILM).is_err());
        assert!(files.record(Some(&folder.path().join("film.xyz")), "film", FILM).is_err());
        assert!(files.recorder().is_none() && files.close().is_empty());
        assert_eq!(std::fs::read(&path).expect("there"), b"mine");
    }
}
