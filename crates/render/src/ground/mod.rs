//! The ground and the light on it.

pub(crate) mod beams;
pub mod beyond;
pub mod ember;
pub mod floor;
pub mod heightfield;
pub mod land;
pub(crate) mod raster;
pub mod sky;
