//! Couplings: interactions between the cells, the flow and the air, one file per interaction.
//!
//! Each model has access to its own state only. A coupling transfers matter or heat between models,
//! as a stage of a step ([`crate::simulation::Stage`]):
//!
//! - `flow_cells`: vents pour into the flow, other matter covers the flow, and the cells display
//!   the flow;
//! - `flow_reactions`: reactions take heat and liquid from the flow, and give liquid to the flow;
//! - `flow_sets`: matter that sets becomes rock of the flow;
//! - `air_sources` (with `blocked`): the ground closes cells of the air; lava, vents and steam add
//!   heat and matter to the air;
//! - `blown`: the air carries light grains along;
//! - `ash`: fallen ash becomes grains on the ground;
//! - `stir`: an edit adds matter, heat or wind to the air.

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

/// Air, together with the bit map of the voxels that displace air.
#[derive(Clone, Debug)]
pub struct AirOverGround {
    pub(crate) air: Air,
    blocked: Blocked,
}
