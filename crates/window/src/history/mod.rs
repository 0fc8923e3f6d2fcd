//! Time of a session: speed of the simulation, history, recordings, key frames, and the journal.

pub(crate) mod film;
pub(crate) mod journal;
pub(crate) mod pace;
pub(crate) mod record;
pub(crate) mod times;
pub(crate) mod tree;
