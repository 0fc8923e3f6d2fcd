//! Ground: from noise ([`generate`]), from heightmaps ([`terrain`]), from meshes ([`mesh`]), and
//! its place in the world ([`map`]).
//!
//! It knows files, projections and heights; it must not know the matter that flows over them.
//!
//! - Invariant: the memory for a file is checked by its header before the file is decoded.
//! - Invariant: row 0 is north and column 0 is west in memory, whatever the order in a file; units
//!   are read or asked for, never guessed.
//!
//! Begin with [`terrain::load()`]; a format of heightmaps is a reader in `terrain/formats` and a
//! line of its table.

#![warn(missing_docs, clippy::print_stdout)]

pub mod generate;
pub mod map;
pub mod mesh;
pub mod terrain;
