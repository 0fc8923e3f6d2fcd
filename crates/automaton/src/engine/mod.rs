//! Engines, which carry the rules over the whole box.
//!
//! Invariant: both engines give the same bits. [`plain`] reads like the specification and is the
//! oracle of the tests; [`tiled`] is the engine that users get.

mod bodies;
mod deltas;
mod fall;
mod heavier;
pub mod plain;
mod points;
mod spread;
pub mod tiled;
mod turns;
mod updown;

pub use lavoxel_base::simd::Level;

use crate::rules::{Due, Point, Rule};
use crate::world::World;
use lavoxel_base::random::Draw;

/// Way to carry the rules over the box. Engines may keep scratch memory; the state is in the world
/// alone.
pub trait Engine: Send {
    /// Runs a rule of the layer with the given index in the step that `draw` names.
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw);

    /// Finds where a rule is due in a round of the step that `draw` names, in any order. The caller
    /// decides what to do there: a reaction that meets a flow is not carried out by rules alone.
    fn due(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        world.grid().places().filter_map(|place| rule.due(world, place, draw, round)).collect()
    }
}
