//! Contents of the air: units in cells, their accounts, and the state for snapshots and
//! checkpoints.

pub(crate) mod account;
pub(crate) mod amounts;
pub(crate) mod saved;
