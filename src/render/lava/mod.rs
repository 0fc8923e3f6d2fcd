//! The look of lava: its skin and its glow.

pub(crate) mod blackbody;
pub(in crate::render) mod crust;
pub(crate) mod plates;
