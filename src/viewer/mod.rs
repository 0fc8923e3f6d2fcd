//! The window: lava that pours while one watches, steers and measures it.
//!
//! [`open()`] shows a scene until the window is closed. Data goes round:
//!
//! ```text
//!   mouse, keys ──► hands, act ──┐                     ┌── worker: the simulation's thread
//!   panel (ui) ──► requests ─────┴─► link::Command ──►─┤
//!                                                      └──► link::Update ──► state, paint ──► frame
//! ```
//!
//! [`link`] is what the window and the simulation thread say to each other, `worker` is that thread, `paint` draws what
//! it reports with the graphics card, and `ui` draws the panel and the marks over it. [`keys`], `camera`, `tools`,
//! `pointer`, `pace` and [`display`] know no window and are tested without one.

mod act;
mod app;
mod camera;
mod clock;
mod complete;
mod cuts;
mod dialog;
pub mod display;
mod frame;
mod grab;
mod handles;
mod hands;
mod history;
mod journal;
pub mod keys;
pub mod link;
mod meet;
mod pace;
pub mod paint;
mod pointer;
mod pose;
mod record;
mod rewind;
mod screen;
mod state;
mod toasts;
mod tools;
mod ui;
pub mod worker;

pub use app::{Options, ViewerError, open};
pub use journal::Log;
pub use paint::DrawOn;
pub use pose::Side;
pub use tools::Tool;
