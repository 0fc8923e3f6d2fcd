//! Editing with the mouse: tools, draggable handles of vents and slices, and marks on rock that the
//! user placed.

pub(crate) mod built;
pub(crate) mod slices;
pub(crate) mod tools;
pub(crate) mod vent_drag;
pub(crate) mod vent_handles;
