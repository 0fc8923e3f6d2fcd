//! Lavoxel: 3D volumetric viscous flow in a voxel cellular automaton.

pub mod engine;
pub mod export;
pub mod grid;
pub mod lowpass;
pub mod output;
pub mod random;
pub mod render;
pub mod rules;
pub mod simulation;
pub mod source;
pub mod terrain;
pub mod units;
pub mod validate;
pub mod world;
