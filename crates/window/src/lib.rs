//! Window of Lavoxel: shows a running simulation while the user watches, steers and measures.
//!
//! [`open()`] shows a scene until the window is closed. Data flows in a circle:
//!
//! ```text
//!   mouse, keys ──► mouse, actions ──┐                     ┌── worker: the simulation's thread
//!   panel (ui) ──► requests ─────┴─► messages::Command ──►─┤
//!                                                      └──► messages::Update ──► state, paint ──► frame
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `shell` | the window itself: event loop, frames, dialogs, notices; [`display`] opens it |
//! | `input` | [`keys`], mouse and pointer, which become actions |
//! | `eye` | the camera |
//! | `edit` | tools, handles and slices, and marks of user-built rock |
//! | `past` | rates of steps, kept moments, recordings, the journal |
//! | `ui` | the panel and the marks over the picture |
//! | `paint` | pictures, by the graphics card or the processor |
//! | [`messages`] | messages between the window and the simulation's thread |
//! | `worker` | the simulation's thread |
//!
//! Most of `input`, `eye`, `edit` and `past` needs no window and is tested without one.
//!
//! The crate must change a state only by commands, which can be saved as a scene.
//!
//! - Invariant: the panel answers while anything is simulated, drawn or written.
//!
//! Begin with `shell/mod.rs`; a panel is a file of `ui`, a tool a file of `edit/tools`.

#![warn(missing_docs, clippy::print_stdout)]

mod edit;
mod eye;
mod flow;
mod input;
pub mod messages;
pub mod paint;
mod past;
mod plots;
mod shell;
mod state;
mod ui;
pub mod worker;

pub use self::edit::tools::Tool;
pub use self::eye::viewpoint::Side;
pub use self::input::keys;
pub use self::paint::DrawOn;
pub use self::past::journal::Log;
pub use self::shell::app::{Options, ViewerError, open};
pub use self::shell::display;
pub use self::state::HEIGHTMAP_PACE;
