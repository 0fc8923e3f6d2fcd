//! Limits on the size of files (`ulimit -f`).

/// Lets a write beyond the limit fail like one on a full disk, so that the temporary file goes and a message comes.
/// Without a handler the system ends the program there.
#[cfg(unix)]
pub(super) fn outlive() {
    // The flag is not read: that there is a handler is enough.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}

/// Other systems have no such limits.
#[cfg(not(unix))]
pub(super) fn outlive() {}
