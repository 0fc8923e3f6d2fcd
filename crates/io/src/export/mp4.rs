//! MP4 (H.264), encoded by an installed ffmpeg, which receives raw frames on its standard input.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::{Animation, ExportError, Film};
use lavoxel_files::output::WholeFile;

/// Number of encoder threads of ffmpeg. Fixed, because the encoded bytes depend on the number, and
/// files must be equal on all machines.
const ENCODER_THREADS: &str = "4";

pub(super) struct Mp4 {
    file: WholeFile,
    ffmpeg: Child,
    frames: Option<ChildStdin>,
}

/// Fails if ffmpeg cannot be started; `path`: file to be written, for the message.
pub(super) fn check_ffmpeg(path: &Path) -> Result<(), ExportError> {
    let quiet = Command::new("ffmpeg")
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let is_there = quiet.is_ok_and(|status| status.success());
    if is_there {
        Ok(())
    } else {
        Err(ExportError::NoFfmpeg {
            path: path.to_owned(),
        })
    }
}

impl Mp4 {
    pub(super) fn new(file: WholeFile, film: Film) -> Result<Self, ExportError> {
        let mut command = Command::new("ffmpeg");
        // In its own process group: Ctrl-C at the terminal stops this program only, and ffmpeg
        // completes the file.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut ffmpeg = command
            .args([
                "-hide_banner",
                "-loglevel",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgb24",
            ])
            .args([
                "-s",
                &format!("{}x{}", film.width, film.height),
                "-r",
                &film.fps.to_string(),
                "-i",
                "-",
            ])
            // Players expect 4:2:0 colour, which needs even sides.
            .args([
                "-vf",
                "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                "-sws_flags",
                "+bicubic+accurate_rnd+bitexact",
            ])
            .args(["-pix_fmt", "yuv420p", "-crf", "18"])
            // The output bits of the encoder depend on its thread count, so it is fixed.
            .args([
                "-threads",
                ENCODER_THREADS,
                "-flags:v",
                "+bitexact",
                "-fflags",
                "+bitexact",
                "-map_metadata",
                "-1",
            ])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(file.temporary_path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|_| ExportError::NoFfmpeg {
                path: file.path().to_owned(),
            })?;
        let frames = ffmpeg.stdin.take();
        Ok(Self {
            file,
            ffmpeg,
            frames,
        })
    }

    /// Waits until ffmpeg ends, and returns what it wrote to its standard error as an error.
    fn complaint(&mut self) -> ExportError {
        self.frames = None;
        let mut text = String::new();
        if let Some(stderr) = &mut self.ffmpeg.stderr {
            // An unreadable error text counts as empty.
            stderr.read_to_string(&mut text).ok();
        }
        ExportError::encoder(self.file.path(), format!("ffmpeg failed: {}", text.trim()))
    }
}

impl Animation for Mp4 {
    fn frame(&mut self, rgb: &[u8]) -> Result<(), ExportError> {
        let written = self
            .frames
            .as_mut()
            .is_some_and(|pipe| pipe.write_all(rgb).is_ok());
        if written {
            Ok(())
        } else {
            Err(self.complaint())
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.frames = None;
        match self.ffmpeg.wait() {
            Ok(status) if status.success() => Ok(self.file.commit()?),
            _ => Err(self.complaint()),
        }
    }
}
