//! The look of lava: crust pattern, shading of the skin, colours of hot rock and flying clots.

pub mod blackbody;
pub mod crust;
pub mod plates;
pub mod sparks;
