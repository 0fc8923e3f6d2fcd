//! Motion of a flow: fluxes across faces, the plan of due columns and faces, and the threads that
//! share them.

pub(crate) mod cross;
pub(crate) mod demand;
pub(crate) mod face;
pub(crate) mod gather;
pub(crate) mod lanes;
pub(crate) mod layers;
pub(crate) mod mag;
pub(crate) mod plan;
pub(crate) mod strips;
pub mod tables;
pub(crate) mod watch;
