//! The window: lava that pours while the user watches, steers and measures it.
//!
//! [`open()`] shows a scene until the window is closed. Data goes in a circle:
//!
//! ```text
//!   mouse, keys ──► mouse, actions ──┐                     ┌── worker: the simulation's thread
//!   panel (ui) ──► requests ─────┴─► messages::Command ──►─┤
//!                                                      └──► messages::Update ──► state, paint ──► frame
//! ```
//!
//! [`messages`] holds the messages between the window and the simulation thread, `worker` is that thread, `paint` draws
//! its updates with the graphics card, and `ui` draws the panel and the marks over the picture. [`keys`], `camera`,
//! `tools`, `pointer`, `pace` and [`display`] need no window and are tested without one.

mod actions;
mod app;
mod built;
mod camera;
mod clock;
mod complete;
mod dialog;
pub mod display;
mod flow;
mod frame;
mod history;
mod journal;
pub mod keys;
mod meet;
pub mod messages;
mod mouse;
mod pace;
pub mod paint;
mod pointer;
mod recent;
mod record;
mod rewind;
mod screen;
mod slices;
mod state;
mod straight;
mod toasts;
mod tools;
mod ui;
mod vent_drag;
mod vent_handles;
mod viewpoint;
pub mod worker;

pub use app::{Options, ViewerError, open};
pub use journal::Log;
pub use paint::DrawOn;
pub use state::HEIGHTMAP_PACE;
pub use tools::Tool;
pub use viewpoint::Side;
