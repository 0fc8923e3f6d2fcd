//! Ground of a scene: generated from noise ([`generate`]), or read from heightmaps ([`terrain`])
//! and meshes ([`mesh`]), with its place on the Earth ([`map`]); worlds of blocks ([`blocks`]).
//!
//! The crate knows files, projections and heights; it must not know the matter that flows over the
//! ground.
//!
//! - Invariant: the memory for a file is checked by the file's header before the file is decoded.
//! - Invariant: in memory, row 0 is north and column 0 is west, whatever the order in a file. Units
//!   are read from the file or given by the user, never guessed.
//!
//! Begin with [`terrain::load()`]. A new format of heightmaps is a reader in `terrain/formats` and
//! a line of the table of formats.

#![warn(missing_docs, clippy::print_stdout)]

pub mod blocks;
pub mod generate;
pub mod map;
pub mod mesh;
pub mod terrain;
