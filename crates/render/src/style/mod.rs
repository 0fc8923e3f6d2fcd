//! Picture styles: light of one ray.

pub mod cinematic;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod tracer;
pub mod transfer;
