//! Limits of the operating system on the size of files (`ulimit -f`).

/// Installs a signal handler with which a write beyond the file size limit fails like a write to a
/// full disk: the temporary file is removed and a message is printed. Without this handler, the
/// system would end the program.
#[cfg(unix)]
pub(in crate::cli) fn outlive() {
    // The flag is never read: the handler alone makes the write fail.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()).ok();
}

/// Does nothing, since systems other than Unix have no file size limits.
#[cfg(not(unix))]
pub(in crate::cli) fn outlive() {}
