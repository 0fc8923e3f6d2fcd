//! Hazard maps: many eruptions are simulated with sampled vents, rates and volumes, and their
//! results are reduced to maps of probability, arrival and thickness of lava.
//!
//! A [`Plan`] contains the distributions of vents ([`Places`]), effusion rates and volumes
//! ([`Distribution`]). Each run ([`Plan::run`]) leaves a small file ([`RunRecord`]) with the
//! fingerprint of the plan file ([`PlanFile`](crate::study::PlanFile)). [`Summary`] is computed
//! from those run files alone, and [`Drawing`] writes the maps. A [`Study`] executes all steps,
//! from its [`Settings`] to the maps.
//!
//! - Invariant: a run follows from the seed of the plan and its own number alone
//!   ([`Plan::sample`]), so runs can be made in any order, on any number of threads or machines.
//! - Invariant: [`Summary`] and [`Drawing`] give the same bytes whatever that order was.
//!
//! Only scenes of the flow model ([`lavoxel_flow`]) have rates and volumes in physical units.
//! `docs/hazard.md` is the guide for users.

mod crest;
mod curve;
mod distribution;
mod draw;
mod exposed;
mod places;
mod plan;
mod record;
mod reduce;
mod report;
mod rules;
mod run;
mod study;
pub mod table;
mod vents;
mod weights;
mod write;

pub use self::curve::Curve;
pub use self::distribution::Distribution;
pub use self::places::{MOST_POINTS, Metres, Places};
pub use self::plan::{Ground, MAX_RUNS, Plan, Sample, Seeds, Size};
pub use self::record::{Ending, Outcome, Reached, RecordError, RunRecord};
pub use self::reduce::{Quantiles, Reduction, RunFiles, RunRow, Summary};
pub use self::report::Report;
pub(crate) use self::rules::FINGERPRINT;
pub use self::study::{Settings, Source, Study, overrides_of_heightmap};
pub use self::weights::Weights;
pub use self::write::{Drawing, from_the_map, names, on_the_map};
