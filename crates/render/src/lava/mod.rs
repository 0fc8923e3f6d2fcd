//! Appearance of lava: crust pattern, shading of the surface, colours of hot rock, and sparks.

pub mod age;
pub mod blackbody;
pub mod crust;
pub mod plates;
pub mod sparks;
