//! The styles: how one ray becomes light.

pub mod cinematic;
pub mod plain;
pub(crate) mod shading;
pub(crate) mod tracer;
pub mod transfer;
