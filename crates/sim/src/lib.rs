//! Simulation step: runs the models as stages, couples them ([`coupling`]), adds sources, records
//! and goals, and computes the low-pass filtered volume for pictures ([`lowpass`]).
//!
//! It must not know files, scenes as text or pictures.
//!
//! - Invariant: [`simulation::Simulation`] alone steps; between steps a state is plain data.
//! - Invariant: hash, memory, undo and checkpoints go over one list of the parts of a state
//!   (`state/parts.rs`).
//! - Invariant: matter at rest costs no time.
//!
//! Begin with [`simulation::Stage`]; a coupling is a file of `coupling` and a stage.

#![warn(missing_docs, clippy::print_stdout)]

pub mod coupling;
pub mod goals;
pub mod lowpass;
pub mod records;
pub mod simulation;
pub mod source;
pub mod state;
