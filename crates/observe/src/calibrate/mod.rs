//! Calibration: finds the values of scene parameters whose runs agree best with observations of an
//! eruption, and the range of values that agree as well.
//!
//! A [`Vary`] states a scene parameter and its bounds. Observations are outlines, thicknesses and
//! positions of the front, each at a time. A run gets a score from 0 to 1 against each observation;
//! the score of the run is their weighted mean.
//!
//! 1. A population of runs searches for the best numbers by differential evolution (Storn and
//!    Price, Journal of Global Optimization 11, 1997, with the mutation of JADE: Zhang and
//!    Sanderson, IEEE Transactions on Evolutionary Computation 13, 2009).
//! 2. The best run is repeated with other seeds and, where the scene has one, another heightmap
//!    error.
//! 3. Numbers whose runs score no worse than these repetitions are plausible (after GLUE: Beven and
//!    Binley, Hydrological Processes 6, 1992); the remaining runs spread over the plausible region.
//!
//! - Invariant: run n follows from the seed, the runs of earlier generations and n alone, so a
//!   calibration gives the same result on any number of threads, in any number of shards, and after
//!   any interruption.
//!
//! `docs/calibrate.md` is the guide for users.

mod fronts;
mod observed;
mod record;
mod report;
mod search;
mod space;
mod study;
mod trial;

pub use self::report::Report;
pub use self::space::Vary;
pub use self::study::{Fit, Settings};
