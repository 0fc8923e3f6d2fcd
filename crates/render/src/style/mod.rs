//! Styles of pictures: tracing of one ray into light.

pub mod cinematic;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod tracer;
pub mod transfer;
