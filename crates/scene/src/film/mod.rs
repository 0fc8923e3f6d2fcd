//! Films as data: the simulation step and the camera of each frame.
//!
//! [`FilmSpec`] is the table of a scene, [`Plan`] computes step and camera of each frame, and
//! [`Follower`] moves cameras that follow the lava.

mod curve;
mod follow;
mod keys;
mod notes;
mod plan;
mod simplify;
mod vantage;

pub use self::follow::{Follower, Sight};
pub use self::keys::{Ease, FilmKey, FilmSpec, KeyCamera, MAX_KEYS, Move};
pub use self::notes::NotesSpec;
pub use self::plan::{Plan, Shot};
pub use self::simplify::{Sample, thinned};
pub use self::vantage::Vantage;
