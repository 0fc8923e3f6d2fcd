//! Handling of Ctrl-C and of the termination signal.
//!
//! The first signal ends long work after its current step; after a grace period, even a step or
//! frame in progress is ended. The second signal ends the program at once. Before long work has
//! begun (for example while a scene is read from a pipe), the first signal ends the program. Files
//! that can be made again from kept data are abandoned after the grace period.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use lavoxel::output;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Set when the grace period after a signal is over; from then on, frames in progress are abandoned
/// and steps in progress cut short.
static OVERDUE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Set once long work has begun, which checks [`asked`] and ends by itself after a signal.
static LONG_WORK: AtomicBool = AtomicBool::new(false);
/// Set while the only remaining work is to write files that a later command can write again.
static EXPENDABLE: AtomicBool = AtomicBool::new(false);

/// Grace period after a signal, in which the step, frame or file in progress may be completed.
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

/// Ends the program with the exit code of a stopped command; removes partial files and prints a
/// message for each.
fn end() -> ! {
    for path in output::abandon() {
        crate::cli::show::messages::note(&format!("stopped before {} was written", path.display()));
    }
    std::process::exit(i32::from(crate::cli::STOPPED))
}

/// Marks the beginning of long work, which checks [`asked`] and ends by itself after a signal.
pub(in crate::cli) fn after_the_step() {
    LONG_WORK.store(true, Ordering::Relaxed);
}

/// Marks the end of the work whose results are kept: a signal from then on abandons the file being
/// written. If a signal came during that work, files are abandoned only if `are_kept` is true (a
/// checkpoint can produce the files again); otherwise they are completed.
pub(in crate::cli) fn only_files_are_left(are_kept: bool) {
    if !asked() || are_kept {
        EXPENDABLE.store(true, Ordering::Relaxed);
    }
    if asked() && are_kept {
        after_a_moment(|| end());
    }
}

/// Returns the flag that the first signal sets; long steps end early once the flag is set.
pub(in crate::cli) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&ASKED)
}

/// Returns the flag that is set when the grace period after the first signal is over; from then on,
/// frames are abandoned and steps cut short.
pub(in crate::cli) fn overdue() -> Arc<AtomicBool> {
    Arc::clone(&OVERDUE)
}

/// Returns true once a signal has arrived: Ctrl-C was pressed, or the termination signal was sent.
pub(in crate::cli) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
