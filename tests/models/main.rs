//! The models: the automaton with its rules, engines and accounts; air; and lava in true units.

#[path = "../common/air2d.rs"]
mod air2d;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "files")]
#[path = "../common/meets.rs"]
mod meets;
#[path = "../common/vessels.rs"]
mod vessels;

mod agreement;
#[cfg(feature = "files")]
mod air;
mod air_2d;
mod air_article;
mod air_incompressible;
mod arrows;
mod conservation;
mod float;
#[cfg(feature = "files")]
mod flow;
#[cfg(feature = "files")]
mod flow_meets;
mod flow_verify;
mod fluids;
mod ground;
mod isotropy;
mod lowpass;
#[cfg(feature = "files")]
mod melt_meets;
mod patterns;
mod pressure;
mod public_items;
#[cfg(feature = "files")]
mod reactions;
mod records;
mod rules;
mod sand;
#[cfg(feature = "scene")]
mod scenes;
mod storage;
mod trace;
mod water;
#[cfg(feature = "files")]
mod wind;
