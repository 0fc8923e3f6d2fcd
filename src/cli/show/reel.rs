//! Frames on their way into the files of a film: each is kept until the film is whole, so that a program that is killed goes on.

use std::path::{Path, PathBuf};

use lavoxel::export::{Animation, Film, Part, Parts, create_animation};
use lavoxel::output::{Existing, OutputError, check_free};
use lavoxel::render::Image;

use crate::cli::show::say;

/// Room on the disk from which the frames of a film are worth a line, in bytes.
const LARGE: f64 = 1e9;

/// Name of the checkpoint among the frames.
pub(in crate::cli) const STATE: &str = "state.lavoxel";

/// Name of the checkpoint before it.
const STATE_BEFORE: &str = "state.lavoxel.previous";

/// Where frames go.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Targets {
    pub(in crate::cli) animations: Vec<PathBuf>,
    /// Folder of single frames, and the beginning of their names.
    pub(in crate::cli) folder: Option<(PathBuf, String)>,
    pub(in crate::cli) existing: Existing,
}

impl Targets {
    /// Folder in which frames wait for the rest of the film; none where no film is wanted.
    pub(in crate::cli) fn parts(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref().map(|(folder, _)| folder);
        self.animations.first().or(folder).map(|path| Parts::folder_of(path))
    }

    /// The file of a frame, of this number, of a film or of a step.
    pub(in crate::cli) fn frame_path(&self, number: u64) -> Option<PathBuf> {
        self.folder.as_ref().map(|(folder, name)| folder.join(format!("{name}_{number:06}.png")))
    }

    /// Checks that the files of frames, by their numbers in the film and in their names, are free, or are those of a film that was
    /// not finished.
    pub(in crate::cli) fn check_frames(
        &self,
        names: impl Iterator<Item = (u64, u64)>,
        parts: Option<&Parts>,
    ) -> Result<(), OutputError> {
        for (i, (frame, name)) in names.enumerate() {
            let Some(path) = self.frame_path(name) else { return Ok(()) };
            let is_ours = || parts.is_some_and(|parts| parts.is_handed_out(frame, &path));
            // The first one tells whether the folder can be written.
            if i == 0 && !path.exists() || path.exists() && !is_ours() {
                check_free(&path, self.existing)?;
            }
        }
        Ok(())
    }
}

/// A film that is being written.
pub(in crate::cli) struct Reel {
    targets: Targets,
    /// Films that were ended early, which this one replaces.
    replaced: Vec<PathBuf>,
    parts: Parts,
    fps: u32,
    /// Frames of the whole film.
    frames: u64,
    animations: Vec<Box<dyn Animation>>,
    /// The last picture, which waits to know how long it stays, and its frames so far.
    last: Option<(Vec<u8>, u32)>,
    /// Frames that were added.
    added: u64,
    told: bool,
}

impl Reel {
    /// A film of so many frames, which follow from `plan`, a text.
    pub(in crate::cli) fn open(
        targets: &Targets,
        plan: &str,
        (frames, fps): (u64, u32),
    ) -> anyhow::Result<Option<Self>> {
        let Some(folder) = targets.parts() else { return Ok(None) };
        let parts = Parts::open(&folder, plan, &[STATE, STATE_BEFORE], targets.existing)?;
        let replaced = parts.unfinished();
        // A frame of the step at which a film was ended is none of the whole film.
        let among = |path: &&PathBuf| targets.folder.as_ref().is_some_and(|(folder, _)| path.parent() == Some(folder));
        for path in replaced.iter().filter(among) {
            std::fs::remove_file(path).map_err(|cause| OutputError::io(path, cause))?;
        }
        let (targets, animations) = (targets.clone(), Vec::new());
        Ok(Some(Self { targets, replaced, parts, fps, frames, animations, last: None, added: 0, told: false }))
    }

    /// The frames on the disk.
    pub(in crate::cli) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Frames that were added so far.
    pub(in crate::cli) fn added(&self) -> u64 {
        self.added
    }

    /// A frame that was finished before.
    pub(in crate::cli) fn known(&self, frame: u64, size: [u32; 2]) -> Option<Part> {
        self.parts.read(frame, (size[0], size[1]))
    }

    /// Keeps a frame that was drawn.
    pub(in crate::cli) fn keep(
        &mut self,
        frame: u64,
        image: &Image,
        labels: &[(&'static str, String)],
    ) -> anyhow::Result<()> {
        let size = (image.width as u32, image.height as u32);
        self.parts.write(frame, size, &image.rgb, (labels, self.targets.folder.is_some()))?;
        Ok(())
    }

    /// Adds a frame that is kept, under its number in names of files.
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

    /// Adds a frame that looks like the one before it, and is kept under the number `kept`.
    pub(in crate::cli) fn repeat(&mut self, kept: u64, name: u64) -> anyhow::Result<()> {
        self.added += 1;
        self.last.iter_mut().for_each(|(_, times)| *times += 1);
        self.hand_out(kept, name)
    }

    /// Adds the frame of a step at which the film is ended early, of which nothing is kept.
    pub(in crate::cli) fn add_last(&mut self, path: Option<&Path>, size: (u32, u32), rgb: &[u8]) -> anyhow::Result<()> {
        self.show(size, rgb)?;
        path.map_or(Ok(()), |path| Ok(self.parts.note_unfinished(path)?))
    }

    fn hand_out(&self, frame: u64, name: u64) -> anyhow::Result<()> {
        let Some(path) = self.targets.frame_path(name) else { return Ok(()) };
        Ok(self.parts.hand_out(frame, &path, self.targets.existing)?)
    }

    fn show(&mut self, (width, height): (u32, u32), rgb: &[u8]) -> anyhow::Result<()> {
        if self.added == 0 {
            let film = Film { width, height, fps: self.fps };
            for path in &self.targets.animations {
                let existing = if self.replaced.contains(path) { Existing::Replace } else { self.targets.existing };
                self.animations.push(create_animation(path, film, existing)?);
            }
        }
        self.flush()?;
        self.added += 1;
        if !self.animations.is_empty() {
            self.last = Some((rgb.to_vec(), 1));
        }
        Ok(())
    }

    /// Writes the picture that waits.
    fn flush(&mut self) -> anyhow::Result<()> {
        if let Some((rgb, times)) = self.last.take() {
            for animation in &mut self.animations {
                animation.hold(&rgb, times)?;
            }
        }
        Ok(())
    }

    /// Says once how much room the frames take until the film is whole, where it is much.
    fn tell_room(&mut self, frame: u64) {
        let about = self.parts.bytes() as f64 / (frame + 1) as f64 * self.frames as f64;
        if !self.told && about >= LARGE && self.targets.folder.is_none() {
            self.told = true;
            let folder = self.parts.folder().display();
            say::note(&format!("until the film is whole, its frames take about {:.1} GB in {folder}", about / 1e9));
        }
    }

    /// Completes the animations. They may be replaced as long as the frames are kept.
    pub(in crate::cli) fn finish(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        for (animation, path) in std::mem::take(&mut self.animations).into_iter().zip(&self.targets.animations) {
            animation.finish()?;
            self.parts.note_unfinished(path)?;
        }
        Ok(())
    }

    /// Notes a file that a longer film replaces.
    pub(in crate::cli) fn note_unfinished(&mut self, path: &Path) -> anyhow::Result<()> {
        Ok(self.parts.note_unfinished(path)?)
    }

    /// Removes the frames that were kept, once all files are whole.
    pub(in crate::cli) fn remove(self) -> anyhow::Result<()> {
        Ok(self.parts.finish()?)
    }

    /// How the film goes on that was ended early.
    pub(in crate::cli) fn how_to_go_on(&self) -> String {
        let (folder, size) = (self.parts.folder().display(), self.parts.bytes() as f64 / 1e6);
        format!(
            "the same command goes on with the frames in {folder} ({size:.1} MB); remove it if you do not want them"
        )
    }
}
