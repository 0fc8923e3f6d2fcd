//! Access to files: the lists of all input formats ([`input`]) and output formats ([`output`]), the
//! built-in files ([`shipped`]), the files inside a session file ([`archive`]), and the common
//! reader of tables of numbers ([`table`]).
//!
//! The crate must not know the content of any format: parsers belong to the crates that depend on
//! this one.
//!
//! - Invariant: only a reader of [`input::READERS`] opens an input file; it opens only regular
//!   files, and none longer than its limit.
//! - Invariant: an output file appears completely or not at all ([`output`]).
//!
//! Begin with [`input`], the list of readers.

#![warn(missing_docs, clippy::print_stdout)]

pub mod archive;
pub mod input;
pub mod output;
pub mod shipped;
#[doc(hidden)]
pub mod table;
