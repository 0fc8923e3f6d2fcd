//! Contents of the air: units in cells, their accounts, and the state that snapshots and checkpoints keep.

pub(crate) mod account;
pub(crate) mod amounts;
pub(crate) mod saved;
