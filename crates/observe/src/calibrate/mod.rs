//! Numbers of a scene that agree best with what was observed of an eruption, and how far others agree as well.
//!
//! A [`Vary`] names a number of the scene and its bounds. What was observed are outlines, thicknesses and positions of the front, each at
//! a time; a run scores from 0 to 1 against each, and its score is their mean. A population of runs searches for the best numbers by
//! differential evolution (Storn and Price, Journal of Global Optimization 11, 1997, with the moves of JADE: Zhang and Sanderson, IEEE
//! Transactions on Evolutionary Computation 13, 2009). The best is then repeated with other seeds and, where the scene has
//! one, another error of the heightmap; all numbers whose runs agree no worse than those repetitions are
//! plausible (after GLUE: Beven and Binley, Hydrological Processes 6, 1992), and the rest of the runs spreads over them.
//!
//! Run n follows from the seed, the runs before its generation and n alone, so a fit is the same on any number of threads, in any number
//! of shards, and after any interruption. `docs/calibrate.md` is for users.

mod folder;
mod fronts;
mod observed;
mod report;
mod search;
mod space;
mod study;
mod trial;

pub use self::report::Report;
pub use self::space::Vary;
pub use self::study::{CalibrateError, Fit, Settings};
