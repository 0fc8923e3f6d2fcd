//! The models in true units: air, and lava that flows by its pressure and cools.

#[path = "../common/air2d.rs"]
mod air2d;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "files")]
#[path = "../common/meets.rs"]
mod meets;

#[cfg(feature = "files")]
mod air;
mod air_2d;
mod air_article;
mod air_incompressible;
#[cfg(feature = "files")]
mod flow;
#[cfg(feature = "files")]
mod flow_meets;
mod flow_verify;
#[cfg(feature = "files")]
mod melt_meets;
#[cfg(feature = "files")]
mod wind;
