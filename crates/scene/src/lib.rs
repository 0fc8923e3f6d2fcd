//! Scenes: a TOML file or a heightmap in, checked and built into a state with its simulation ([`scene`]); which step and camera each frame of
//! a film shows ([`film`]).
//!
//! It must not know pictures or what is written but scenes and sessions.
//!
//! - Invariant: a wrong key is refused with its line and the mend before anything is built.
//! - Invariant: a scene that is saved and opened again gives the same bits.
//!
//! Begin with [`scene::SceneSpec`], the list of all keys, then [`scene::Scene::build`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod film;
pub mod scene;
