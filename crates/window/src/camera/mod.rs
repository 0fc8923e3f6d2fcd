//! Camera of the window: the rig that turns input into camera movements, and the camera's pose
//! (target, distance and view angles).

pub(crate) mod rig;
pub(crate) mod viewpoint;
