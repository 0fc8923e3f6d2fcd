//! Engines: executors that apply the rules to the whole grid.
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

/// Executor of rules. Engines may keep scratch memory, but all state is in the world.
pub trait Engine: Send {
    /// Applies `rule`, a pair (layer index, rule), in the step that `draw` identifies.
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw);

    /// Returns the places where `rule` acts in round `round` of the step that `draw` identifies, in
    /// any order. The caller applies the events, because a reaction that involves a flow needs more
    /// than the rules.
    fn due(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        world
            .grid()
            .places()
            .filter_map(|place| rule.due(world, place, draw, round))
            .collect()
    }
}
