//! The styles: how one ray becomes light.

pub(crate) mod cinematic;
pub(crate) mod plain;
pub(in crate::render) mod shading;
pub(in crate::render) mod tracer;
pub(crate) mod transfer;
