//! The models: the automaton with its rules, engines and accounts; air; and lava in true units.

#[path = "../common/air2d.rs"]
mod air2d;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/meets.rs"]
mod meets;
#[path = "../common/vessels.rs"]
mod vessels;

mod agreement;
mod air;
mod air_2d;
mod air_article;
mod air_incompressible;
mod conservation;
mod float;
mod flow;
mod flow_meets;
mod flow_verify;
mod fluids;
mod ground;
mod isotropy;
mod lowpass;
mod melt_meets;
mod patterns;
mod pressure;
mod reactions;
mod records;
mod rules;
mod sand;
mod scenes;
mod storage;
mod trace;
mod water;
mod wind;
