//! Time: the rate of steps, the history of a session, recordings and the journal.

pub(in crate::viewer) mod history;
pub(in crate::viewer) mod journal;
pub(in crate::viewer) mod pace;
pub(in crate::viewer) mod record;
pub(in crate::viewer) mod times;
