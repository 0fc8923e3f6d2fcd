//! The process: signals, limits and the machine it runs on.

pub(super) mod file_limit;
pub(super) mod machine;
pub(super) mod stop;
