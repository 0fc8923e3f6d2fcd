//! Styles of pictures: computation of the light along a ray.

pub mod cinematic;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod tracer;
pub mod transfer;
