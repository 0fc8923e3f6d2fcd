//! Tools, handles and marks of what the user changes.

pub(in crate::viewer) mod built;
pub(in crate::viewer) mod slices;
pub(in crate::viewer) mod tools;
pub(in crate::viewer) mod vent_drag;
pub(in crate::viewer) mod vent_handles;
