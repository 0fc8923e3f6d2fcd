//! Ctrl-C: the first one asks long work to end after its current step or frame, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Starts to listen for Ctrl-C and a termination signal.
pub(super) fn listen() {
    let handler = || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(super::STOPPED));
        }
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        super::say::note(&format!("lavoxel: Ctrl-C will end the program at once: {e}"));
    }
}

/// Whether somebody asked to stop.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
