//! Limits on the size of files (`ulimit -f`).

/// Makes a write beyond the limit fail like one on a full disk, so that the temporary file is removed and a message
/// printed. Without a handler the system ends the program there.
#[cfg(unix)]
pub(in crate::cli) fn outlive() {
    // The flag is not read: the handler alone makes the write fail.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}

/// Systems other than Unix have no such limits.
#[cfg(not(unix))]
pub(in crate::cli) fn outlive() {}
