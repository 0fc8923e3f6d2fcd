//! Editing with the mouse: tools, handles of vents and slices, and marks of what the user built.

pub(crate) mod built;
pub(crate) mod slices;
pub(crate) mod tools;
pub(crate) mod vent_drag;
pub(crate) mod vent_handles;
