//! The ground, the light on the ground, and the surroundings of the simulation box.

pub(crate) mod beams;
pub mod floor;
pub mod heightfield;
pub mod land;
pub mod lava_glow;
pub(crate) mod raster;
pub mod sky;
pub mod surroundings;
