//! Films as data: frames along a film's own time, and the step and the camera of each.
//!
//! [`FilmSpec`] is the table of a scene, [`Plan`] answers which step and which camera frame n shows, and [`Follower`] is for
//! cameras that go with the lava.

mod curve;
mod front;
mod keys;
mod notes;
mod plan;
mod thin;
mod vantage;

pub use self::front::{Follower, Sight};
pub use self::keys::{Ease, FilmKey, FilmSpec, KeyCamera, MAX_KEYS, Move};
pub use self::notes::NotesSpec;
pub use self::plan::{Plan, Shot};
pub use self::thin::{Sample, thinned};
pub use self::vantage::Vantage;
