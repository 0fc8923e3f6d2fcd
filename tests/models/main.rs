//! Tests of the models in scenes and with files: lava in SI units and its contact with other
//! materials, air over scenes, wind. `crates/sim/tests` tests the models alone.

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
