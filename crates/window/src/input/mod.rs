//! Input of the user: turns keys and movements of the mouse into actions.

pub(crate) mod actions;
pub(crate) mod complete;
pub(crate) mod filming;
pub(crate) mod ground_pick;
pub mod keys;
pub(crate) mod mouse;
pub(crate) mod pointer;
