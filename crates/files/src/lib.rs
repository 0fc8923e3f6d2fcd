//! Files: the lists of all input ([`input`]) and output formats ([`output`]), files inside of the
//! program ([`shipped`]) and of a session ([`inside`]), and the one reader of tables of numbers
//! ([`table`]).
//!
//! It must not know the content of any format: parsers belong to the crates above.
//!
//! - Invariant: no file is opened but by a reader of [`input::READERS`]; only regular files are
//!   opened, and none longer than its limit.
//! - Invariant: a file appears whole or not at all ([`output`]).
//!
//! Begin with [`input`], the list of readers.

#![warn(missing_docs, clippy::print_stdout)]

pub mod archive;
pub mod input;
pub mod output;
pub mod shipped;
#[doc(hidden)]
pub mod table;
