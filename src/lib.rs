//! Lavoxel: 3D volumetric viscous flow in a voxel cellular automaton.

pub mod grid;
pub mod lowpass;
pub mod render;
pub mod terrain;
pub mod validate;
