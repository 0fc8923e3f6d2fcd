//! Output of commands: text lines, progress bars and pictures.

pub(super) mod messages;
pub(super) mod painter;
pub(super) mod progress;
pub(super) mod reel;
pub(super) mod side_by_side;
