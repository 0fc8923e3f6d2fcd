//! Output of commands: text lines, progress bars and pictures.

pub(super) mod beside;
pub(super) mod painter;
pub(super) mod progress;
pub(super) mod reel;
pub(super) mod say;
