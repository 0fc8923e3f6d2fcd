//! Lines, bars and pictures that a command shows.

pub(super) mod beside;
pub(super) mod painter;
pub(super) mod progress;
pub(super) mod reel;
pub(super) mod say;
