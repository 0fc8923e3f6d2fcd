//! Motion of a flow: fluxes across faces, the schedule of columns and faces in sub-steps, and the
//! distribution over threads.

pub(crate) mod cross;
pub(crate) mod demand;
pub(crate) mod face;
pub(crate) mod gather;
pub(crate) mod lanes;
pub(crate) mod layers;
pub(crate) mod parcel;
pub(crate) mod plan;
pub(crate) mod soft_float;
pub(crate) mod strips;
pub mod tables;
pub(crate) mod watch;
