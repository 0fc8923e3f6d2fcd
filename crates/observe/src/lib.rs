//! Studies that make many runs, and comparisons with outside data: hazard maps ([`hazard`]),
//! calibration ([`calibrate`]), comparison of footprints ([`compare`]), exposure of roads and
//! buildings ([`exposure`]), verification cases with known answers ([`verify`]), and map sheets and
//! plots of the results ([`sheet`], [`plot`]). Hazard maps and calibrations share [`study`].
//!
//! The crate must not know command-line flags or windows; callers pass parsed settings.
//!
//! - Invariant: run *n* of a study depends only on the seed and *n*, so that a study can be
//!   interrupted, distributed over machines and resumed.
//!
//! Begin with [`hazard::Study`].

#![warn(missing_docs, clippy::print_stdout)]

pub mod calibrate;
pub mod compare;
pub mod exposure;
pub mod hazard;
pub mod plot;
pub mod sheet;
pub mod study;
pub mod verify;
