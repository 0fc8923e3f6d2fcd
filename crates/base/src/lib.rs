//! What every other crate of Lavoxel stands on: the grid, fixed-point units, accounts, parameters of tables, checks with their words, the
//! memory walk, and the two lists of all files that are read ([`input`]) and written ([`output`]).
//!
//! It knows no model, no scene and no picture, and must not: whatever names a material, a rule or a colour belongs above.
//!
//! - Invariant: an account ([`account`]) closes to the unit.
//! - Invariant: no file is opened but by a reader of [`input::READERS`], and none written but whole or not at all ([`output`]).
//! - Invariant: nothing whose size a file or a flag decides is made before [`memory`] has been asked.
//! - Invariant: `unsafe` is in [`simd`] alone; each lane does what the scalar form does, to the bit.
//!
//! Begin with [`grid`], then [`param`], which declares a table of a scene in one list.

#![warn(missing_docs, clippy::print_stdout)]

pub mod account;
pub mod body;
#[doc(hidden)]
pub mod exact;
pub mod grid;
pub mod input;
pub mod inside;
pub mod measure;
pub mod memory;
pub mod output;
#[doc(hidden)]
pub mod parallel;
pub mod param;
pub mod random;
#[doc(hidden)]
pub mod round;
pub mod shipped;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod stamp;
#[doc(hidden)]
pub mod table;
pub mod units;
pub mod validate;
pub mod words;
