//! Scenes: reads a TOML file or a heightmap, checks it and builds a state with its simulation
//! ([`scene`]); plans the step and the camera of each frame of a film ([`film`]).
//!
//! It must not know pictures, nor files that are written other than scenes and sessions.
//!
//! - Invariant: a wrong key is refused with its line and a remedy before anything is built.
//! - Invariant: a scene that is saved and opened again gives the same bits.
//!
//! Begin with [`scene::SceneSpec`], the list of all keys, then [`scene::Scene::build`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod film;
pub mod scene;
