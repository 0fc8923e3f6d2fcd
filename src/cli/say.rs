//! Lines for people and programs. A reader that has gone is a quiet end, not a panic.

use std::io::{self, Write};

/// Prints a line of data on standard output.
pub(super) fn data(text: &str) -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints a remark on standard error.
pub(super) fn note(text: &str) {
    // Nobody is left to be told when standard error is gone.
    writeln!(io::stderr().lock(), "{text}").ok();
}

/// Prints what went wrong on standard error.
pub(super) fn error(text: &str) {
    note(&format!("lavoxel: {text}"));
}
