//! Ctrl-C and the termination signal.
//!
//! The first signal ends long work after its current step, or after a grace period also within a
//! long step or frame; the second ends the program at once. Before long work has begun, as while a
//! scene is read from a pipe, the first signal ends the program. Files that can be made again from
//! kept data are abandoned after the grace period.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use lavoxel::output;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Overdue flag: the grace period is over, frames are to be abandoned and steps cut.
static OVERDUE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Set while long work runs, which checks [`asked`].
static LONG_WORK: AtomicBool = AtomicBool::new(false);
/// Set while only files are being written that can be made again.
static EXPENDABLE: AtomicBool = AtomicBool::new(false);

/// Grace period after a signal for a step, a frame or a file in progress.
const MOMENT: Duration = Duration::from_secs(1);

/// Installs the handler of Ctrl-C and of the termination signal.
pub(in crate::cli) fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) || !LONG_WORK.load(Ordering::Relaxed) {
            end();
        }
        after_a_moment(|| {
            OVERDUE.store(true, Ordering::Relaxed);
            if EXPENDABLE.load(Ordering::Relaxed) {
                end();
            }
        });
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        crate::cli::show::messages::note(&format!(
            "lavoxel: Ctrl-C will end the program at once: {e}"
        ));
    }
}

/// Runs `what` on a new thread after `MOMENT`, while other work continues.
fn after_a_moment(what: impl FnOnce() + Send + 'static) {
    std::thread::spawn(|| {
        std::thread::sleep(MOMENT);
        what();
    });
}

/// Ends the program, and leaves no partial file behind.
fn end() -> ! {
    for path in output::abandon() {
        crate::cli::show::messages::note(&format!("stopped before {} was written", path.display()));
    }
    std::process::exit(i32::from(crate::cli::STOPPED))
}

/// Marks the beginning of long work, which checks [`asked`] and ends itself.
pub(in crate::cli) fn after_the_step() {
    LONG_WORK.store(true, Ordering::Relaxed);
}

/// Marks the end of the work whose results are kept: from now on a signal abandons the file being
/// written. If a signal came during the work itself, files are abandoned only if `are_kept`, since
/// a checkpoint can make them again; else they are written to the end.
pub(in crate::cli) fn only_files_are_left(are_kept: bool) {
    if !asked() || are_kept {
        EXPENDABLE.store(true, Ordering::Relaxed);
    }
    if asked() && are_kept {
        after_a_moment(|| end());
    }
}

/// Flag that long steps read; steps end early once it is set.
pub(in crate::cli) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&ASKED)
}

/// Flag that frames and steps read; set a grace period after a signal, it abandons frames and cuts
/// steps.
pub(in crate::cli) fn overdue() -> Arc<AtomicBool> {
    Arc::clone(&OVERDUE)
}

/// Returns true if Ctrl-C was pressed.
pub(in crate::cli) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
