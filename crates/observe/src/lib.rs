//! Many runs and outside data: hazard maps ([`hazard`]), fits ([`calibrate`]), footprints side by side ([`compare`]), what lies in the way
//! ([`exposure`]), set-ups with a known answer ([`verify`]), and their sheets and plots ([`sheet`], [`plot`]).
//!
//! It must not know flags or windows.
//!
//! - Invariant: run *n* of a study depends on the seed and *n* alone, so that a study may be cut, spread over machines and resumed.
//!
//! Begin with [`hazard::Study`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod calibrate;
pub mod compare;
pub mod exposure;
pub mod hazard;
pub mod plot;
pub mod sheet;
pub mod verify;
