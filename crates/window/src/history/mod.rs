//! Time of a session: speed of the simulation, recordings, key
//! frames, and the journal.

pub(crate) mod film;
pub(crate) mod journal;
pub(crate) mod pace;
pub(crate) mod record;
pub(crate) mod times;
