//! Output and resumption of runs: pictures, films, maps, volumes and meshes ([`export`]),
//! checkpoints ([`checkpoint`]) and reports ([`report`]).
//!
//! The crate must not know command-line flags, windows or studies of many runs.
//!
//! - Invariant: a file appears completely or not at all; its size is estimated before it is
//!   written.
//! - Invariant: a resumed run has the hash, report and warnings of a run that was never stopped.
//!
//! Begin with [`export`]. A new format is a writer there and a line of `output::WRITERS` in the
//! `files` crate.

#![warn(missing_docs, clippy::print_stdout)]

pub mod checkpoint;
pub mod export;
pub mod report;
