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
/// Set after the grace period of a signal; frames are then abandoned and steps cut short.
static OVERDUE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Set once long work has begun, which checks [`asked`] and ends itself.
static LONG_WORK: AtomicBool = AtomicBool::new(false);
/// Set while the only work left is writing files that can be made again.
static EXPENDABLE: AtomicBool = AtomicBool::new(false);

/// Grace period after a signal, in which a step, a frame or a file in progress may be completed.
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

/// Runs `what` on a new thread after `MOMENT` (the grace period), while other work continues.
fn after_a_moment(what: impl FnOnce() + Send + 'static) {
    std::thread::spawn(|| {
        std::thread::sleep(MOMENT);
        what();
    });
}

/// Ends the program with the exit status of a stopped run; partial files are removed and named in
/// messages.
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
/// written. If a signal came during the work itself, files are abandoned only if `are_kept` is
/// true, since a checkpoint can make them again; otherwise they are completed.
pub(in crate::cli) fn only_files_are_left(are_kept: bool) {
    if !asked() || are_kept {
        EXPENDABLE.store(true, Ordering::Relaxed);
    }
    if asked() && are_kept {
        after_a_moment(|| end());
    }
}

/// Returns the flag that is set by the first signal. Long steps read the flag and end early once it
/// is set.
pub(in crate::cli) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&ASKED)
}

/// Returns the flag that is set a grace period after the first signal. Frames and steps read the
/// flag: frames are then abandoned and steps cut short.
pub(in crate::cli) fn overdue() -> Arc<AtomicBool> {
    Arc::clone(&OVERDUE)
}

/// Returns true once Ctrl-C was pressed or the termination signal came.
pub(in crate::cli) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
