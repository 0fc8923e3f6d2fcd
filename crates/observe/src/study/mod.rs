//! Code that hazard maps and calibrations share: the error type, the folder of runs, checks of
//! varied scene parameters, and the steps of a run.

mod folder;
mod numbers;
mod run;

use std::fmt::Debug;

use xxhash_rust::xxh3::Xxh3;

pub(crate) use self::folder::check_part;
pub use self::folder::{Folder, Opening, PlanFile, plan_of};
pub(crate) use self::numbers::{DRAWN, VARIED};
pub(crate) use self::run::{BUILDING, MEND, Watched, Weighed, need_of_runs};
use crate::hazard::RecordError;
use crate::plot::PlotError;
use lavoxel_base::memory::TooMuchMemory;
use lavoxel_files::output::OutputError;
use lavoxel_io::export::ExportError;
use lavoxel_scene::scene::SceneError;

/// Error while a hazard study or a calibration is prepared, simulated or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// Invalid setting or folder; the text is the complete error message.
    #[error("{0}")]
    Wrong(String),
    /// Scene that cannot be read, or from which no simulation can be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Runs or maps that need more than the available memory.
    #[error(transparent)]
    Memory(#[from] TooMuchMemory),
    /// Run file that cannot be read, is damaged, or belongs to another plan.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Result or run file that cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Hazard map that cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Plot of results that cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// Worker thread that could not be started, with the error of the operating system.
    #[error("cannot start the threads: {0}; ask for fewer with --threads")]
    Threads(#[from] std::io::Error),
}

impl From<String> for StudyError {
    fn from(words: String) -> Self {
        Self::Wrong(words)
    }
}

/// Returns a hash of the debug text of `value`. The text is hashed in pieces as it is produced,
/// because the whole text of a map is many times larger than the map in memory.
pub(crate) fn hash_of_debug(value: &dyn Debug) -> u64 {
    struct Words(Xxh3);
    impl std::fmt::Write for Words {
        fn write_str(&mut self, words: &str) -> std::fmt::Result {
            self.0.update(words.as_bytes());
            Ok(())
        }
    }
    let mut words = Words(Xxh3::new());
    std::fmt::Write::write_fmt(&mut words, format_args!("{value:?}"))
        .expect("a hash takes all words");
    words.0.digest()
}
