//! Motion of a flow: fluxes across faces, the choice of the columns and faces that each sub-step
//! updates, and the distribution of this work over threads.

pub(crate) mod cross;
pub(crate) mod demand;
pub(crate) mod face;
pub(crate) mod face_lanes;
pub(crate) mod gather;
pub(crate) mod lanes;
pub(crate) mod layers;
pub(crate) mod parcel;
pub(crate) mod plan;
pub(crate) mod soft_float;
pub(crate) mod strips;
pub mod tables;
pub(crate) mod watch;
