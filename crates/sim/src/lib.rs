//! Simulation step: runs the models (automaton, flow, air) as stages, transfers matter and energy
//! between the models ([`coupling`]), adds matter from vents and sources ([`source`]), keeps
//! records ([`records`]), judges goals ([`goals`]), and smooths the amounts into the volume that
//! pictures show ([`lowpass`]).
//!
//! The crate must not know files, the text of scenes, or pictures.
//!
//! - Invariant: only [`simulation::Simulation`] makes steps; between steps, a state is plain data.
//! - Invariant: hash, memory, undo and checkpoints go over one list of the parts of a state
//!   (`state/parts.rs`).
//! - Invariant: matter at rest costs no computing time.
//!
//! Begin with [`simulation::Stage`]. A new coupling is a file of `coupling` and a stage.

#![warn(missing_docs, clippy::print_stdout)]

pub mod coupling;
pub mod goals;
pub mod lowpass;
pub mod records;
pub mod simulation;
pub mod source;
pub mod state;
