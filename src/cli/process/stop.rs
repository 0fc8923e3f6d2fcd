//! Ctrl-C and the termination signal: the first one ends long work after its current step, or within a long step and within a
//! long frame; the second ends the program at once. Before long work has begun, as while a scene is read from a pipe,
//! the first one ends the program. Files that can be made again from what is kept are given up after a moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use lavoxel::output;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether frames are to be given up, and steps cut: the moment in which they could end is over.
static OVERDUE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether long work runs, which checks [`asked`].
static LONG_WORK: AtomicBool = AtomicBool::new(false);
/// Whether only files are left that can be made again.
static EXPENDABLE: AtomicBool = AtomicBool::new(false);

/// How long a step, a frame or a file that was begun may take after a signal.
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
        crate::cli::show::say::note(&format!("lavoxel: Ctrl-C will end the program at once: {e}"));
    }
}

/// Does something in a moment, beside whatever is done until then.
fn after_a_moment(what: impl FnOnce() + Send + 'static) {
    std::thread::spawn(|| {
        std::thread::sleep(MOMENT);
        what();
    });
}

/// Ends the program, and leaves no half of a file behind.
fn end() -> ! {
    for path in output::abandon() {
        crate::cli::show::say::note(&format!("stopped before {} was written", path.display()));
    }
    std::process::exit(i32::from(crate::cli::STOPPED))
}

/// Marks the begin of long work, which checks [`asked`] and ends itself.
pub(in crate::cli) fn after_the_step() {
    LONG_WORK.store(true, Ordering::Relaxed);
}

/// Marks the end of the work that is kept: from now on a signal gives up what is being written. After a signal in the work itself
/// files are given up where a checkpoint can make them again, and else written to their end.
pub(in crate::cli) fn only_files_are_left(are_kept: bool) {
    if !asked() || are_kept {
        EXPENDABLE.store(true, Ordering::Relaxed);
    }
    if asked() && are_kept {
        after_a_moment(|| end());
    }
}

/// Flag that long steps read; they give up once it is set.
pub(in crate::cli) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&ASKED)
}

/// Flag that frames and stages read; frames are given up and steps cut once it is set, a moment after a signal.
pub(in crate::cli) fn overdue() -> Arc<AtomicBool> {
    Arc::clone(&OVERDUE)
}

/// Whether Ctrl-C was pressed.
pub(in crate::cli) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
