//! The voxel automaton: what fills cells ([`matter`], [`view`]), the box that holds them ([`world`]), what happens between cells
//! ([`rules`]) and what carries that over the box ([`engine`]).
//!
//! It must not know files, scenes or pictures, nor the other models: [`view`] only describes how matter is to be drawn.
//!
//! - Invariant: amounts and energies are integers, and no rule makes or loses a unit.
//! - Invariant: the plain engine is the specification; the tiled one gives the same bits with any number of threads and lanes.
//! - Invariant: an engine knows shapes of rules, and no rule by name; the list is `rules/schedule.rs`.
//!
//! Begin with [`rules::gravity`]; a new rule is one file beside it and a line of the list.

#![warn(missing_docs, clippy::print_stdout)]

pub mod engine;
pub mod matter;
pub mod rules;
pub mod view;
pub mod world;
