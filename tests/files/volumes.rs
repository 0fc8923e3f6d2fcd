//! Tests of volumes and meshes: written files are read back by readers in these tests, bit for bit,
//! and by the formats' own libraries (VTK, OpenVDB, trimesh) where Python finds them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod reading;
mod state;

mod all_formats;
mod layers;
mod mesh;
mod physical;
mod program;
mod vdb;
mod vti;
