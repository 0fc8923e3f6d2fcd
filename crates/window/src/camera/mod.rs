//! Camera of the window: its movements, and its poses (target, distance and view angles).

pub(crate) mod rig;
pub(crate) mod viewpoint;
