//! Foundation of all crates of Lavoxel: the grid, fixed-point units, accounts, parameters of
//! tables, range checks with messages, random numbers, threads, and the memory limit.
//!
//! The crate must not know models, scenes, files or pictures: code that names a material, a rule or
//! a colour belongs to a crate that depends on this one.
//!
//! - Invariant: an account ([`account`]) balances exactly, to the integer unit.
//! - Invariant: an allocation whose size depends on a file or a flag is checked by [`memory`]
//!   first.
//! - Invariant: `unsafe` occurs in [`simd`] alone; each vector lane equals the scalar form bit for
//!   bit.
//!
//! Begin with [`grid`], then [`param`], which declares a table of a scene as one list of keys.

#![warn(missing_docs, clippy::print_stdout)]

pub mod account;
pub mod body;
#[doc(hidden)]
pub mod fixed_len;
pub mod grid;
pub mod measure;
pub mod memory;
#[doc(hidden)]
pub mod parallel;
pub mod param;
pub mod random;
#[doc(hidden)]
pub mod round;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod stamp;
pub mod units;
pub mod validate;
pub mod words;
