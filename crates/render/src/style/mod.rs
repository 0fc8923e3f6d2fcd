//! Styles of pictures: each computes the light along a ray in its own way.

pub mod cinematic;
pub(crate) mod clouded;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod tracer;
pub mod transfer;
