//! Cellular automaton over a 3D grid of cells: materials ([`matter`], [`view`]), the state of the
//! grid ([`world`]), the local rules that exchange matter between cells ([`rules`]) and the engines
//! that apply the rules to the whole grid ([`engine`]).
//!
//! The crate must not know file formats, scenes, renderers or the other models of lava and air;
//! [`view`] only describes the appearance of materials.
//!
//! - Invariant: amounts and energies are integers, and no rule creates or destroys a unit.
//! - Invariant: the plain engine is the specification; the tiled engine gives the same bits with
//!   any number of threads and on any instruction set.
//! - Invariant: engines know only the shape of a rule (which cells it reads and writes), never its
//!   name; the list of rules is in `rules/schedule.rs`.
//!
//! Begin with [`rules::gravity`]. A new rule is one file next to `gravity.rs` and one line in
//! `rules/schedule.rs`.

#![warn(missing_docs, clippy::print_stdout)]

pub mod engine;
pub mod matter;
pub mod rules;
pub mod view;
pub mod world;
