//! The automaton: its rules, engines and accounts.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/vessels.rs"]
mod vessels;

mod agreement;
mod conservation;
mod fluids;
mod ground;
mod isotropy;
mod lowpass;
mod patterns;
mod pressure;
#[cfg(feature = "files")]
mod reactions;
mod records;
mod rules;
mod sand;
mod storage;
mod trace;
mod water;
