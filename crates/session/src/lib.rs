//! Session: an open scene that a person steers, with undo, branches and a time line.
//!
//! A [`Session`] has a simulation, the history of the commands that it received (acts), and
//! snapshots from which it returns to earlier moments. The window and the web page are two users of
//! it; neither draws anything here.
//!
//! | module | contents |
//! |---|---|
//! | [`history`] | acts as a tree, branches, and their text in session files |
//! | `session` | [`Session`]: steps, commands, brush strokes, saving |
//! | `travel` | seeks to other moments, in time slices |
//! | `snapshots` | states to which a seek returns |
//! | `tools` | what each tool does, and its settings |
//! | `stroke` | path of the pointer to dabs of the brush |
//! | `pick` | first cell along the pointer's ray, and its values |
//! | `timeline`, `notice` | what a user interface shows of the session |
//!
//! The crate must not know how pictures are drawn, nor any user interface; it takes rays, looks and
//! cameras as plain data.
//!
//! - Invariant: a simulation's state changes only by commands, which the history records.
//! - Invariant: the state at a moment is bit for bit the same each time the session reaches it.
//!
//! Begin with [`Session`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod history;
mod notice;
mod pick;
mod session;
mod snapshots;
mod stroke;
mod timeline;
mod tools;
mod travel;
#[cfg(test)]
mod undo_tests;

pub use self::notice::{Mend, Notice};
pub use self::pick::{FlowProbe, Probe, ZERO_CELSIUS_K, entered, lies_in, probe};
pub use self::session::{BranchChange, Rock, Session};
pub use self::stroke::Stroke;
pub use self::timeline::{BranchReport, DeedReport, TimeLine};
pub use self::tools::{BREATH, BRUSH_RADIUS, Brush, CellSize, Dam, Tool};
pub use self::travel::Way;
