//! The place from which the user looks.

pub(crate) mod camera;
pub(crate) mod viewpoint;
