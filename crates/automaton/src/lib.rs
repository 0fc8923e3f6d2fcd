//! The voxel automaton: matter that fills cells ([`matter`], [`view`]), the box that holds the
//! cells ([`world`]), the exchange between cells ([`rules`]) and the sweeps that apply the rules to
//! the whole box ([`engine`]).
//!
//! This crate must not know files, scenes or pictures, nor the other models: [`view`] only
//! describes how matter is to be drawn.
//!
//! - Invariant: amounts and energies are integers, and no rule makes or loses a unit.
//! - Invariant: the plain engine is the specification; the tiled engine gives the same bits with
//!   any number of threads and lanes.
//! - Invariant: an engine knows shapes of rules, and no rule by name; the list is
//!   `rules/schedule.rs`.
//!
//! Begin with [`rules::gravity`]; a new rule is one file next to `gravity.rs` and a line of the
//! list.

#![warn(missing_docs, clippy::print_stdout)]

pub mod engine;
pub mod matter;
pub mod rules;
pub mod view;
pub mod world;
