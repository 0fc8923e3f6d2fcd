//! The automaton with its rules, engines and accounts, and the air: the fast engine against the
//! plain one, published rules, worlds at rest.

#[path = "../../../../tests/common/air2d.rs"]
mod air2d;
#[path = "../../../../tests/common/mod.rs"]
mod common;
#[path = "../../../../tests/common/vessels.rs"]
mod vessels;

mod agreement;
mod air_2d;
mod air_incompressible;
mod air_practical_fluid;
mod conservation;
mod float;
mod fluids;
mod ground;
mod isotropy;
mod lowpass;
mod patterns;
mod records;
mod rules;
mod sand;
mod storage;
mod water;
