//! The models by scenes and with files: lava in true units, what meets it, air over scenes, wind. `crates/sim/tests` has the models alone.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/meets.rs"]
mod meets;
#[path = "../common/vessels.rs"]
mod vessels;

mod air;
mod flow;
mod flow_meets;
mod flow_verify;
mod melt_meets;
mod pressure;
mod reactions;
mod scenes;
mod trace;
mod wind;
