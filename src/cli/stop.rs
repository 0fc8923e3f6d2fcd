//! Ctrl-C: the first one ends long work after its current step or frame, or within a long step of a flow; the second ends the program at once. Before
//! long work has begun, as while a scene is read from a pipe, the first one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// Whether long work runs, which checks [`asked`].
static LONG_WORK: AtomicBool = AtomicBool::new(false);

/// Installs the handler of Ctrl-C and of the termination signal.
pub(super) fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) || !LONG_WORK.load(Ordering::Relaxed) {
            std::process::exit(i32::from(super::STOPPED));
        }
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        super::say::note(&format!("lavoxel: Ctrl-C will end the program at once: {e}"));
    }
}

/// Marks the begin of long work, which checks [`asked`] and ends itself.
pub(super) fn after_the_step() {
    LONG_WORK.store(true, Ordering::Relaxed);
}

/// Flag that long steps read; they give up once it is set.
pub(super) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&ASKED)
}

/// Whether Ctrl-C was pressed.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
