//! Files: the lists of all that are read ([`input`]) and written ([`output`]), those inside of the program ([`shipped`]) and of a session
//! ([`inside`]), and the one reader of tables of numbers ([`table`]).
//!
//! It must not know what a file says: formats belong to the crates above.
//!
//! - Invariant: no file is opened but by a reader of [`input::READERS`]; only regular files are, and none beyond its most bytes.
//! - Invariant: a file appears whole or not at all ([`output`]).
//!
//! Begin with the list in [`input`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod input;
pub mod inside;
pub mod output;
pub mod shipped;
#[doc(hidden)]
pub mod table;
