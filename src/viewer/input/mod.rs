//! Input: keys, mouse and pointer become actions.

pub(in crate::viewer) mod actions;
pub(in crate::viewer) mod complete;
pub(in crate::viewer) mod filming;
pub mod keys;
pub(in crate::viewer) mod meet;
pub(in crate::viewer) mod mouse;
pub(in crate::viewer) mod pointer;
