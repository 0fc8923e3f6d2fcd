//! Tools, handles and marks of what the user changes.

pub(crate) mod built;
pub(crate) mod slices;
pub(crate) mod tools;
pub(crate) mod vent_drag;
pub(crate) mod vent_handles;
