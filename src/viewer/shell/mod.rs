//! The window itself: event loop, frames, dialogs, messages, and opening it at all.

pub(in crate::viewer) mod app;
pub(in crate::viewer) mod clock;
pub(in crate::viewer) mod compare;
pub(in crate::viewer) mod dialog;
pub mod display;
pub(in crate::viewer) mod frame;
pub(in crate::viewer) mod recent;
pub(in crate::viewer) mod screen;
pub(in crate::viewer) mod straight;
pub(in crate::viewer) mod toasts;
