//! Couplings: where the automaton, the flow and the air meet, one file for each meeting.
//!
//! A model knows its own state and nothing of the others. Here one gives to another, as a stage of a step of its own
//! ([`crate::simulation::Stage`]):
//!
//! - `flow_cells`: what vents pour comes into the flow, other matter covers it, and the cells show where it is;
//! - `flow_reactions`: reactions take heat and liquid from the flow, and give it liquid;
//! - `flow_sets`: matter that sets becomes rock of the flow;
//! - `air_sources` (with `blocked`): the ground shuts cells of the air; lava, vents and steam warm and fill it;
//! - `blown`: the air carries light grains along;
//! - `ash`: ash that fell lies down as grains;
//! - `stir`: an edit stirs the air.

mod air_sources;
#[cfg(test)]
mod air_tests;
mod ash;
mod blocked;
mod blown;
mod flow_cells;
pub(crate) mod flow_reactions;
mod flow_sets;
mod stir;

use self::blocked::Blocked;
pub use self::flow_cells::FlowInCells;
use lavoxel_air::Air;

/// An air and what it has read of the cells below it.
#[derive(Clone, Debug)]
pub struct AirOverGround {
    pub(crate) air: Air,
    blocked: Blocked,
}
