//! Tests of everything that the library reads and writes: scenes, ground, meshes, maps,
//! checkpoints.

#[path = "../common/child.rs"]
mod child;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/needs.rs"]
mod needs;

mod checkpoint;
mod circles;
mod features;
mod finer;
mod formats_in;
mod goals;
mod lava;
mod lists;
mod maps;
mod meshes;
mod parameters;
mod placing;
mod replay;
mod resampling;
mod scenes;
mod schema;
mod shipped;
mod small_scenes;
mod soak;
mod states;
mod terrain;
mod volumes;
