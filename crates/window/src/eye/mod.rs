//! Viewpoint of the user: the camera rig and its poses.

pub(crate) mod camera;
pub(crate) mod viewpoint;
