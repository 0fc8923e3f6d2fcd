//! Styles of pictures: each computes the light along a ray in its own way.

pub mod cinematic;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod sparks;
pub(crate) mod tracer;
pub mod transfer;
