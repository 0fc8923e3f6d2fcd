//! Time: the rate of steps, the history of a session, recordings, key frames and the journal.

pub(in crate::viewer) mod film;
pub(in crate::viewer) mod history;
pub(in crate::viewer) mod journal;
pub(in crate::viewer) mod pace;
pub(in crate::viewer) mod record;
pub(in crate::viewer) mod times;
