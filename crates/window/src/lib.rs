//! Window of Lavoxel: shows a running simulation while the user watches, steers and measures it.
//!
//! [`open()`] shows a scene until the window is closed. Data flows in a circle:
//!
//! ```text
//!  mouse, keys ──► actions ─────┐
//!  panel (ui) ──► requests ─────┴─► messages::Command ──► worker: simulation thread
//!  user ◄── frame ◄── paint ◄── state ◄── messages::Update ◄── worker
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `shell` | the window itself: event loop, frames, dialogs, notices; [`display`] opens it |
//! | `input` | [`keys`], mouse and pointer, which become actions |
//! | `camera` | the camera and its movements |
//! | `edit` | mouse tools, handles of vents and slices, and marks on rock that the user placed |
//! | `history` | speed, history, recordings, key frames and the journal of the session |
//! | `state` | last report, and working copies of the values that the user edits |
//! | `plots`, `flow` | time series of the live plots; report of the physical model |
//! | `ui` | the panel, and the marks over the picture |
//! | `paint` | pictures, drawn by the graphics card or the processor |
//! | [`messages`] | messages between the window and the simulation thread |
//! | `worker` | the simulation thread |
//!
//! Most of `input`, `camera`, `edit` and `history` needs no window and is tested without one.
//!
//! Only this crate depends on a window system (kiss3d, egui). It must not
//! know how a model computes a step, or studies of many runs.
//!
//! - Invariant: the crate changes a simulation's state only by commands, which can be saved as a
//!   scene.
//! - Invariant: the panel stays responsive while anything is simulated, drawn or written.
//!
//! Begin with `shell/app.rs`, the event loop; each section of the panel is a file of `ui`.

#![warn(missing_docs, clippy::print_stdout)]

mod camera;
mod edit;
mod flow;
mod history;
mod input;
pub mod messages;
pub mod paint;
mod plots;
mod shell;
mod state;
mod ui;
pub mod worker;

pub use self::camera::viewpoint::Side;
pub use self::history::journal::Log;
pub use self::input::keys;
pub use self::paint::DrawOn;
pub use self::shell::app::{Options, ViewerError, open};
pub use self::shell::display;
pub use self::state::HEIGHTMAP_PACE;
pub use lavoxel_session::Tool;
