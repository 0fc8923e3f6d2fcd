//! Keeping the checkpoints of a long run: the last one, and the one before it in case the last one gets damaged.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Checkpoint, CheckpointError, CheckpointWriter};
use lavoxel_automaton::engine::plain::Plain;
use lavoxel_files::output::{Existing, OutputError, WholeFile, check_free, second_name, sweep};

/// End of the name of the checkpoint before the last one.
const PREVIOUS: &str = ".previous";

/// Where a [`Keeper`] of `path` keeps the checkpoint before the last one.
pub fn previous(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(PREVIOUS);
    name.into()
}

/// The place of the last checkpoint, given that of the one before it.
fn last(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(PREVIOUS)?;
    (!name.is_empty()).then(|| path.with_file_name(name))
}

/// The steps of the checkpoint at `path`, if it is a good one.
pub fn steps_of(path: &Path) -> Option<u64> {
    Checkpoint::load(path, Box::new(Plain)).ok().map(|checkpoint| checkpoint.stage.simulation.steps())
}

/// Writes checkpoints to one place. From the first one on, there is a whole one at any moment, however the program
/// ends.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    every: u64,
    /// Steps of the checkpoint at `path`, where it is known to be a good one of this run.
    kept: Option<u64>,
    /// Whether the file at [`previous`] is of another run.
    stale: bool,
}

impl Keeper {
    /// A keeper for a new run that writes every `every` steps. Files left by writers that were killed are removed.
    ///
    /// # Errors
    /// [`CheckpointError::InTheWay`] where a checkpoint of another run, or any file, would be replaced and `existing`
    /// does not allow it; [`CheckpointError::Output`] where nothing can be written.
    pub fn new(path: &Path, every: u64, existing: Existing) -> Result<Self, CheckpointError> {
        let old = [path.to_owned(), previous(path)].into_iter().find(|old| old.exists());
        if let Some(old) = old.filter(|_| existing == Existing::Keep) {
            let mend = "go on from it with lavoxel resume, choose another name, or pass --force to replace it";
            return Err(CheckpointError::InTheWay { path: old, mend: mend.to_owned() });
        }
        check_free(path, Existing::Replace)?;
        sweep(path);
        Ok(Self { path: path.to_owned(), every, kept: None, stale: true })
    }

    /// A keeper for a run that goes on from the good checkpoint at `path`, of this step. The checkpoint before the last
    /// is gone on from where the last one was damaged or lost, which is then replaced.
    ///
    /// # Errors
    /// [`CheckpointError::InTheWay`] where the last checkpoint is good, too, and `existing` does not allow to replace
    /// it; [`CheckpointError::Output`] where nothing can be written.
    pub fn going_on(path: &Path, step: u64, every: u64, existing: Existing) -> Result<Self, CheckpointError> {
        let (path, kept) = match last(path) {
            Some(last) => (last, None),
            None => (path.to_owned(), Some(step)),
        };
        if kept.is_none()
            && existing == Existing::Keep
            && let Some(steps) = steps_of(&path)
        {
            let mend = format!("it is good and has step {steps}; go on from it, or pass --force to replace it");
            return Err(CheckpointError::InTheWay { path, mend });
        }
        check_free(&path, Existing::Replace)?;
        sweep(&path);
        Ok(Self { path, every, kept, stale: false })
    }

    /// Where the checkpoints are kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a checkpoint is due after this many steps.
    pub fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.every) && self.kept != Some(steps)
    }

    /// Writes a checkpoint, unless the last one is of the same step.
    ///
    /// # Errors
    /// Those of [`CheckpointWriter::write`]; the last checkpoint is then as it was.
    pub fn keep(&mut self, snapshot: &CheckpointWriter<'_>) -> Result<(), CheckpointError> {
        let steps = snapshot.stage.simulation.steps();
        if self.kept == Some(steps) {
            return Ok(());
        }
        let mut file = WholeFile::create(&self.path, Existing::Replace)?;
        snapshot.write(&self.path, &mut file)?;
        file.sync()?;
        // The one before the last is replaced only now, when the new one is whole on the disk.
        if self.kept.is_some() {
            self.move_aside().map_err(|cause| OutputError::io(&previous(&self.path), cause))?;
        }
        file.commit()?;
        if std::mem::take(&mut self.stale) {
            remove(&previous(&self.path)).map_err(|cause| OutputError::io(&previous(&self.path), cause))?;
        }
        self.kept = Some(steps);
        Ok(())
    }

    /// Makes the last checkpoint the one before it. It keeps its name, too, where the system knows files of two names.
    fn move_aside(&self) -> io::Result<()> {
        let second = second_name(&self.path);
        remove(&second)?;
        let moved = match fs::hard_link(&self.path, &second) {
            Ok(()) => fs::rename(&second, previous(&self.path)),
            Err(_) => fs::rename(&self.path, previous(&self.path)),
        };
        // The user may have removed the last one.
        moved.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
        // Two names of the same file are not renamed to one.
        remove(&second)
    }
}

/// Removes a file if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
