//! A step: the stages that run the models and carry what one gives to another ([`coupling`]), sources, records and goals around them, and the
//! low-pass that pictures are made of ([`lowpass`]).
//!
//! It must not know files, scenes as text or pictures.
//!
//! - Invariant: [`simulation::Simulation`] alone steps; between steps a state is plain data.
//! - Invariant: hash, memory, undo and checkpoints go over one list of the parts of a state (`state/parts.rs`).
//! - Invariant: what is at rest costs nothing.
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
