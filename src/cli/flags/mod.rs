//! Flags shared by several commands, and the output files that these flags request.

pub(super) mod barriers;
pub(super) mod count;
pub(super) mod exposure;
pub(super) mod flag_names;
pub(super) mod maps;
pub(super) mod memory;
pub(super) mod place;
pub(super) mod shard;
pub(super) mod tips;
pub(super) mod volumes;
