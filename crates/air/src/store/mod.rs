//! Contents of the air: amounts in cells, their accounts, and the saved state for snapshots and
//! checkpoints.

pub(crate) mod account;
pub(crate) mod amounts;
pub(crate) mod saved;
