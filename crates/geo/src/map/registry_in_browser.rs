//! Placeholder for browsers, where the five megabytes of definitions are left out: only what a file
//! states about its coordinate system is known.

/// Returns `None`: no definition is known.
pub(super) fn text_of(_: u16) -> Option<&'static str> {
    None
}

/// Returns `None`: no definition is known.
pub(super) fn projection_of(_: u16) -> Option<&'static str> {
    None
}
