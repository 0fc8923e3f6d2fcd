//! The runs of a hazard map on all threads, each run on one of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lavoxel::hazard::{Ground, Plan};

use super::folder::Folder;
use crate::cli::NoThreads;
use crate::cli::process::stop;
use crate::cli::show::progress::Runs;

/// Inputs that all runs have in common.
pub(super) struct Pool<'a> {
    pub(super) plan: &'a Plan,
    pub(super) ground: &'a Ground,
    pub(super) folder: &'a Folder,
    pub(super) quiet: bool,
}

/// Runs that are to be made, and what came of them.
struct Work<'a> {
    missing: &'a [u64],
    next: AtomicUsize,
    made: Mutex<Vec<u64>>,
    failed: AtomicBool,
    progress: Runs,
}

impl Pool<'_> {
    /// Makes the missing runs, up to a Ctrl-C, and returns their numbers; `done` of `all` are there already.
    pub(super) fn make(&self, missing: &[u64], (done, all): (u64, u64)) -> anyhow::Result<Vec<u64>> {
        let progress = Runs::new(all, done, self.quiet);
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = Work { missing, next, made: Mutex::default(), failed, progress };
        let threads = rayon::current_num_threads().min(missing.len());
        let results: Vec<anyhow::Result<()>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.worker(&work))).collect();
            let end = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(end).collect()
        });
        work.progress.finish();
        results.into_iter().collect::<anyhow::Result<()>>()?;
        Ok(work.made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Makes runs until none is left. The loops inside of a run have a pool of this one thread: many runs at once need
    /// no sharing within them.
    fn worker(&self, work: &Work<'_>) -> anyhow::Result<()> {
        let result = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(NoThreads);
        let result = result.map_err(anyhow::Error::from).and_then(|pool| pool.install(|| self.runs(work)));
        // The others end after a failure, too.
        work.failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    }

    fn runs(&self, work: &Work<'_>) -> anyhow::Result<()> {
        let ends = || stop::asked() || work.failed.load(Ordering::Relaxed);
        while let Some(run) = work.missing.get(work.next.fetch_add(1, Ordering::Relaxed)).filter(|_| !ends()) {
            let sample = self.plan.sample(*run);
            let Some(record) = self.plan.run(self.ground, &sample, &ends)? else { break };
            record.write(&self.folder.runs_path(), self.folder.fingerprint)?;
            work.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(*run);
            work.progress.add_one();
        }
        Ok(())
    }
}
