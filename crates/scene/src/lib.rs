//! Scenes: reads a TOML file or a heightmap, checks all values, and builds the state and simulation
//! ([`scene`]); plans the step and the camera of each frame of a film ([`film`]).
//!
//! The crate must not know pictures; the only files that it writes are scenes and session files.
//!
//! - Invariant: an invalid key or value is reported with its line and a remedy before anything is
//!   built.
//! - Invariant: a scene that is saved and opened again gives the same bits.
//!
//! Begin with [`scene::SceneSpec`], the list of all keys, then [`scene::Scene::build`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod film;
pub mod scene;
