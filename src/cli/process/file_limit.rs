//! File size limits (`ulimit -f`).

/// Installs a signal handler so that a write beyond the limit fails like a write on a full disk:
/// the temporary file is removed and a message printed. Without a handler the system would end the
/// program at this write.
#[cfg(unix)]
pub(in crate::cli) fn outlive() {
    // The flag is never read: the handler alone makes the write fail.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}

/// Does nothing: systems other than Unix have no such limits.
#[cfg(not(unix))]
pub(in crate::cli) fn outlive() {}
