//! The ground and the light on it.

pub(in crate::render) mod beams;
pub(crate) mod beyond;
pub(crate) mod ember;
pub(crate) mod floor;
pub(crate) mod heightfield;
pub(crate) mod land;
pub(crate) mod raster;
pub(crate) mod sky;
