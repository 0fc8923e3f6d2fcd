//! Process: signals, limits and the name of the machine.

pub(super) mod file_limit;
pub(super) mod machine;
pub(super) mod stop;
