//! Output of frames to the files of a film.
//!
//! Invariant: each frame is stored on disk until the film is complete, so that the film can be
//! continued after the program was killed.

use std::path::{Path, PathBuf};

use lavoxel::export::{Animation, CachedFrame, Film, Parts, create_animation};
use lavoxel::output::{Existing, OutputError, check_free};
use lavoxel::render::Image;

use crate::cli::show::messages;

/// Size in bytes of a film's stored frames above which a message tells the user the needed disk
/// space.
const LARGE: f64 = 1e9;

/// Name of the checkpoint file in the folder of stored frames.
pub(in crate::cli) const STATE: &str = "state.lavoxel";

/// Name of the file with the previous checkpoint in the folder of stored frames.
const STATE_BEFORE: &str = "state.lavoxel.previous";

/// Output paths of a film: those of animation files, and that of single-frame files.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Targets {
    pub(in crate::cli) animations: Vec<PathBuf>,
    /// Folder of the single-frame files, and the stem of their names; `None` without single-frame
    /// files.
    pub(in crate::cli) folder: Option<(PathBuf, String)>,
    pub(in crate::cli) existing: Existing,
}

impl Targets {
    /// Returns the folder in which frames are stored until the film is complete; `None` if neither
    /// animations nor single-frame files are requested.
    pub(in crate::cli) fn parts(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref().map(|(folder, _)| folder);
        self.animations
            .first()
            .or(folder)
            .map(|path| Parts::folder_of(path))
    }

    /// Returns the path of a single-frame file; `None` without single-frame files. `number`: number
    /// in the file name (frame index or step).
    pub(in crate::cli) fn frame_path(&self, number: u64) -> Option<PathBuf> {
        self.folder
            .as_ref()
            .map(|(folder, name)| folder.join(format!("{name}_{number:06}.png")))
    }

    /// Fails if a single-frame file exists that must not be replaced and that no unfinished version
    /// of this film wrote. `names`: pairs (frame index, number in the file name); `parts`: stored
    /// frames of the unfinished version.
    pub(in crate::cli) fn check_frames(
        &self,
        names: impl Iterator<Item = (u64, u64)>,
        parts: Option<&Parts>,
    ) -> Result<(), OutputError> {
        for (i, (frame, name)) in names.enumerate() {
            let Some(path) = self.frame_path(name) else {
                return Ok(());
            };
            let is_ours = || parts.is_some_and(|parts| parts.is_handed_out(frame, &path));
            // The first file shows whether the folder is writable.
            if i == 0 && !path.exists() || path.exists() && !is_ours() {
                check_free(&path, self.existing)?;
            }
        }
        Ok(())
    }
}

/// Film whose files are being written.
pub(in crate::cli) struct Reel {
    targets: Targets,
    /// Files written by an earlier, unfinished version of the film, which this version replaces.
    replaced: Vec<PathBuf>,
    parts: Parts,
    fps: u32,
    /// Total number of frames of the film.
    frames: u64,
    animations: Vec<Box<dyn Animation>>,
    /// Last picture as RGB bytes, with its number of repetitions so far. The picture is written
    /// when another picture arrives, because its duration is unknown before. `None` if no picture
    /// waits.
    last: Option<(Vec<u8>, u32)>,
    /// Number of frames that have been added to the film so far.
    added: u64,
    told: bool,
}

impl Reel {
    /// Begins or continues a film of `frames` frames at `fps` frames per second; `None` if no film
    /// is requested. `plan`: text that contains all inputs of the frames; stored frames are reused
    /// only if they were stored with an equal text.
    pub(in crate::cli) fn open(
        targets: &Targets,
        plan: &str,
        (frames, fps): (u64, u32),
    ) -> anyhow::Result<Option<Self>> {
        let Some(folder) = targets.parts() else {
            return Ok(None);
        };
        let parts = Parts::open(&folder, plan, &[STATE, STATE_BEFORE], targets.existing)?;
        let replaced = parts.unfinished();
        // The extra frame at the step of an early end is no frame of the whole film.
        let among = |path: &&PathBuf| {
            targets
                .folder
                .as_ref()
                .is_some_and(|(folder, _)| path.parent() == Some(folder))
        };
        for path in replaced.iter().filter(among) {
            std::fs::remove_file(path).map_err(|cause| OutputError::io(path, cause))?;
        }
        let (targets, animations) = (targets.clone(), Vec::new());
        Ok(Some(Self {
            targets,
            replaced,
            parts,
            fps,
            frames,
            animations,
            last: None,
            added: 0,
            told: false,
        }))
    }

    /// Returns the collection of the film's frames that are stored on disk.
    pub(in crate::cli) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the number of frames that have been added to the film so far.
    pub(in crate::cli) fn added(&self) -> u64 {
        self.added
    }

    /// Returns the stored frame with index `frame`, which an earlier command for this film has
    /// drawn; `None` if the frame is missing or does not have `size` (width, height) pixels.
    pub(in crate::cli) fn known(&self, frame: u64, size: [u32; 2]) -> Option<CachedFrame> {
        self.parts.read(frame, (size[0], size[1]))
    }

    /// Stores a newly drawn frame on disk. `frame`: index of the frame; `labels`: texts (key,
    /// value) stored with the frame.
    pub(in crate::cli) fn keep(
        &mut self,
        frame: u64,
        image: &Image,
        labels: &[(&'static str, String)],
    ) -> anyhow::Result<()> {
        let size = (image.width as u32, image.height as u32);
        self.parts.write(
            frame,
            size,
            &image.rgb,
            (labels, self.targets.folder.is_some()),
        )?;
        Ok(())
    }

    /// Adds a picture that is stored on disk to the film. `frame`: index of the frame; `name`:
    /// number in the name of the single-frame file; `rgb`: picture of `size` (width, height)
    /// pixels.
    pub(in crate::cli) fn add(
        &mut self,
        (frame, name): (u64, u64),
        size: (u32, u32),
        rgb: &[u8],
    ) -> anyhow::Result<()> {
        self.show(size, rgb)?;
        self.hand_out(frame, name)?;
        self.tell_room(frame);
        Ok(())
    }

    /// Adds a frame that is identical to the preceding one. `kept`: index of the preceding frame's
    /// stored picture; `name`: number in the name of the single-frame file.
    pub(in crate::cli) fn repeat(&mut self, kept: u64, name: u64) -> anyhow::Result<()> {
        self.added += 1;
        self.last.iter_mut().for_each(|(_, times)| *times += 1);
        self.hand_out(kept, name)
    }

    /// Adds the last frame of a film that ends early, without storing the frame on disk. `path`:
    /// single-frame file to register as unfinished, `None` for no such file; `rgb`: picture of
    /// `size` (width, height) pixels.
    pub(in crate::cli) fn add_last(
        &mut self,
        path: Option<&Path>,
        size: (u32, u32),
        rgb: &[u8],
    ) -> anyhow::Result<()> {
        self.show(size, rgb)?;
        path.map_or(Ok(()), |path| Ok(self.parts.note_unfinished(path)?))
    }

    fn hand_out(&self, frame: u64, name: u64) -> anyhow::Result<()> {
        let Some(path) = self.targets.frame_path(name) else {
            return Ok(());
        };
        Ok(self.parts.hand_out(frame, &path, self.targets.existing)?)
    }

    fn show(&mut self, (width, height): (u32, u32), rgb: &[u8]) -> anyhow::Result<()> {
        if self.added == 0 {
            let film = Film {
                width,
                height,
                fps: self.fps,
            };
            for path in &self.targets.animations {
                let existing = if self.replaced.contains(path) {
                    Existing::Replace
                } else {
                    self.targets.existing
                };
                self.animations
                    .push(create_animation(path, film, existing)?);
            }
        }
        self.flush()?;
        self.added += 1;
        if !self.animations.is_empty() {
            self.last = Some((rgb.to_vec(), 1));
        }
        Ok(())
    }

    /// Writes the last picture to all animation files, if there is a picture that was not written
    /// yet.
    fn flush(&mut self) -> anyhow::Result<()> {
        if let Some((rgb, times)) = self.last.take() {
            for animation in &mut self.animations {
                animation.hold(&rgb, times)?;
            }
        }
        Ok(())
    }

    /// Prints, once per film, the disk space that the stored frames will need, if this is at least
    /// `LARGE` and there are no single-frame files. `frame`: index of the last stored frame.
    fn tell_room(&mut self, frame: u64) {
        let about = self.parts.bytes() as f64 / (frame + 1) as f64 * self.frames as f64;
        if !self.told && about >= LARGE && self.targets.folder.is_none() {
            self.told = true;
            let folder = self.parts.folder().display();
            messages::note(&format!(
                "until the film is whole, its frames take about {:.1} GB in {folder}",
                about / 1e9
            ));
        }
    }

    /// Completes the animation files. A later command may replace these files as long as the stored
    /// frames exist.
    pub(in crate::cli) fn finish(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        for (animation, path) in std::mem::take(&mut self.animations)
            .into_iter()
            .zip(&self.targets.animations)
        {
            animation.finish()?;
            self.parts.note_unfinished(path)?;
        }
        Ok(())
    }

    /// Registers the output file `path` as unfinished, so that a longer version of the film may
    /// replace the file.
    pub(in crate::cli) fn note_unfinished(&mut self, path: &Path) -> anyhow::Result<()> {
        Ok(self.parts.note_unfinished(path)?)
    }

    /// Deletes the stored frames. Must be called only when all output files are complete, because
    /// an unfinished film is continued from its stored frames.
    pub(in crate::cli) fn remove(self) -> anyhow::Result<()> {
        Ok(self.parts.finish()?)
    }

    /// Returns a message about how to continue a film that ended early.
    pub(in crate::cli) fn how_to_go_on(&self) -> String {
        let (folder, size) = (
            self.parts.folder().display(),
            self.parts.bytes() as f64 / 1e6,
        );
        format!(
            "the same command goes on with the frames in {folder} ({size:.1} MB); remove it if you do not want them"
        )
    }
}
