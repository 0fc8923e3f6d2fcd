//! Ground: from noise ([`generate`]), from heightmaps ([`terrain`]), from meshes ([`mesh`]), and where it lies in the world ([`map`]).
//!
//! It knows files, projections and heights; it must not know what flows over them.
//!
//! - Invariant: a file is weighed by its header before it is decoded.
//! - Invariant: row 0 is north and column 0 is west, whatever the file says; units are read or asked for, never guessed.
//!
//! Begin with [`terrain::load()`]; a format of heightmaps is a reader in `terrain/formats` and a line of its table.

#![warn(missing_docs, clippy::print_stdout)]

pub mod generate;
pub mod map;
pub mod mesh;
pub mod terrain;
