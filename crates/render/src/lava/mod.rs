//! The look of lava: its skin and its glow.

pub mod blackbody;
pub mod crust;
pub mod plates;
pub mod sparks;
