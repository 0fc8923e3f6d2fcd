//! The place from which the user looks.

pub(in crate::viewer) mod camera;
pub(in crate::viewer) mod viewpoint;
