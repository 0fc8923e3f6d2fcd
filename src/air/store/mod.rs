//! Contents of the air: units in cells, their accounts, and the state that snapshots and checkpoints keep.

pub(in crate::air) mod account;
pub(in crate::air) mod amounts;
pub(in crate::air) mod saved;
