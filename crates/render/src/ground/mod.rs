//! The ground, the light on the ground, and the surroundings of the simulation box.

pub(crate) mod beams;
pub mod beyond;
pub mod ember;
pub mod floor;
pub mod heightfield;
pub mod land;
pub(crate) mod raster;
pub mod sky;
