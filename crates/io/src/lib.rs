//! Output and resumption: pictures, films, maps, volumes and meshes ([`export`]), checkpoints
//! ([`checkpoint`]) and reports ([`report`]).
//!
//! The crate knows neither command-line flags, windows nor studies of many runs.
//!
//! - Invariant: a file appears completely or not at all; its size is estimated first.
//! - Invariant: a resumed run has the hash, report and warnings of one that was never stopped.
//!
//! Begin with [`export`]; a new format is a writer there and a line of `output::WRITERS` in the
//! base crate.

#![warn(missing_docs, clippy::print_stdout)]

pub mod checkpoint;
pub mod export;
pub mod report;
