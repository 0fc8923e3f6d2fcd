//! Shell of the window: opening, event loop, frames, file dialog, notices, and the picture of the
//! second run.

pub(crate) mod app;
pub(crate) mod clock;
pub(crate) mod compare;
pub(crate) mod dialog;
pub(crate) mod direct_present;
pub mod display;
pub(crate) mod frame;
pub(crate) mod print;
pub(crate) mod recent;
pub(crate) mod screen;
pub(crate) mod second;
pub(crate) mod toasts;
