//! The look of lava: its skin and its glow.

pub(crate) mod blackbody;
pub(crate) mod crust;
pub(crate) mod plates;
pub(crate) mod sparks;
