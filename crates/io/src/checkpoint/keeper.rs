//! Rotation of the checkpoints of a long run: keeps the latest checkpoint, and the one before it as
//! a fallback in case the latest is damaged.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Checkpoint, CheckpointError, CheckpointWriter};
use lavoxel_automaton::engine::plain::Plain;
use lavoxel_files::output::{Existing, OutputError, WholeFile, check_free, second_name, sweep};

/// Text that is appended to the file name of the latest checkpoint to get the name of the previous
/// one.
const PREVIOUS: &str = ".previous";

/// Returns the path at which a `Keeper` with the path `path` keeps the previous checkpoint.
pub fn previous(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(PREVIOUS);
    name.into()
}

/// Returns the path of the latest checkpoint, given the path `path` of the previous checkpoint;
/// `None` if `path` does not end in `.previous`.
fn last(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(PREVIOUS)?;
    (!name.is_empty()).then(|| path.with_file_name(name))
}

/// Returns the number of completed steps in the checkpoint at `path`; `None` if the file is missing
/// or not a valid checkpoint.
pub fn steps_of(path: &Path) -> Option<u64> {
    Checkpoint::load(path, Box::new(Plain))
        .ok()
        .map(|checkpoint| checkpoint.stage.simulation.steps())
}

/// Writer of checkpoints of a run, at a fixed interval of steps, to one path; keeps the previous
/// checkpoint.
///
/// - Invariant: after the first checkpoint, a complete checkpoint exists at any moment, however the
///   program ends.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    every: u64,
    /// Number of completed steps in the checkpoint file at `path`; `None` if there is no file, or
    /// the file is not a valid checkpoint of this run.
    kept: Option<u64>,
    /// Set while the file of the previous checkpoint belongs to another run.
    stale: bool,
}

impl Keeper {
    /// Creates a keeper for a new run that writes a checkpoint to `path` every `every` steps.
    /// Removes temporary files that killed programs left.
    ///
    /// # Errors
    /// [`CheckpointError::InTheWay`] if `path` or its previous checkpoint exists and `existing`
    /// does not allow to replace the file; [`CheckpointError::Output`] if the folder is not
    /// writable.
    pub fn new(path: &Path, every: u64, existing: Existing) -> Result<Self, CheckpointError> {
        let old = [path.to_owned(), previous(path)]
            .into_iter()
            .find(|old| old.exists());
        if let Some(old) = old.filter(|_| existing == Existing::Keep) {
            let mend = "go on from it with lavoxel resume, choose another name, or pass --force to replace it";
            return Err(CheckpointError::InTheWay {
                path: old,
                mend: mend.to_owned(),
            });
        }
        check_free(path, Existing::Replace)?;
        sweep(path);
        Ok(Self {
            path: path.to_owned(),
            every,
            kept: None,
            stale: true,
        })
    }

    /// Creates a keeper for a run that resumes from the valid checkpoint at `path`, which was
    /// written after `step` steps. If `path` is that of a previous checkpoint, the latest
    /// checkpoint counts as damaged or lost and will be replaced.
    ///
    /// # Errors
    /// [`CheckpointError::InTheWay`] if `path` is a previous checkpoint, the latest checkpoint is
    /// valid too, and `existing` does not allow to replace the latest; [`CheckpointError::Output`]
    /// if the folder is not writable.
    pub fn going_on(
        path: &Path,
        step: u64,
        every: u64,
        existing: Existing,
    ) -> Result<Self, CheckpointError> {
        let (path, kept) = match last(path) {
            Some(last) => (last, None),
            None => (path.to_owned(), Some(step)),
        };
        if kept.is_none()
            && existing == Existing::Keep
            && let Some(steps) = steps_of(&path)
        {
            let mend = format!(
                "it is good and has step {steps}; go on from it, or pass --force to replace it"
            );
            return Err(CheckpointError::InTheWay { path, mend });
        }
        check_free(&path, Existing::Replace)?;
        sweep(&path);
        Ok(Self {
            path,
            every,
            kept,
            stale: false,
        })
    }

    /// Returns the path of the latest checkpoint.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if a checkpoint must be written after `steps` steps: `steps` is a multiple of
    /// the interval, and the checkpoint on disk is not that of step `steps`.
    pub fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.every) && self.kept != Some(steps)
    }

    /// Writes the checkpoint `snapshot`, unless the checkpoint on disk is that of the same step.
    ///
    /// # Errors
    /// The errors of [`CheckpointWriter::write`]; the checkpoint on disk then stays unchanged.
    pub fn keep(&mut self, snapshot: &CheckpointWriter<'_>) -> Result<(), CheckpointError> {
        let steps = snapshot.stage.simulation.steps();
        if self.kept == Some(steps) {
            return Ok(());
        }
        let mut file = WholeFile::create(&self.path, Existing::Replace)?;
        snapshot.write(&self.path, &mut file)?;
        file.sync()?;
        // The previous checkpoint is replaced only now that the new one is complete on disk.
        if self.kept.is_some() {
            self.move_aside()
                .map_err(|cause| OutputError::io(&previous(&self.path), cause))?;
        }
        file.commit()?;
        if std::mem::take(&mut self.stale) {
            remove(&previous(&self.path))
                .map_err(|cause| OutputError::io(&previous(&self.path), cause))?;
        }
        self.kept = Some(steps);
        Ok(())
    }

    /// Renames the latest checkpoint to the name of the previous one. On file systems with hard
    /// links, a file with the name of the latest checkpoint exists at every moment.
    fn move_aside(&self) -> io::Result<()> {
        let second = second_name(&self.path);
        remove(&second)?;
        let moved = match fs::hard_link(&self.path, &second) {
            Ok(()) => fs::rename(&second, previous(&self.path)),
            Err(_) => fs::rename(&self.path, previous(&self.path)),
        };
        // The user may have removed the last checkpoint.
        moved.or_else(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                Ok(())
            } else {
                Err(error)
            }
        })?;
        // POSIX `rename` does nothing between two names of the same file, so the second name must
        // be removed.
        remove(&second)
    }
}

/// Removes the file at `path`; a missing file is no error.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
