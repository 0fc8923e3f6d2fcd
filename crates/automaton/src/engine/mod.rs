//! Engines, which apply the rules to the whole grid.
//!
//! Invariant: both engines give the same bits. [`plain`] is written like the specification and is
//! the reference in the tests; [`tiled`] is the engine that users get.

mod deltas;
mod drift;
mod fall;
mod grains;
mod heavier;
pub mod plain;
mod points;
mod spread;
pub mod tiled;
mod trace;

pub use lavoxel_base::simd::Level;

use crate::rules::{Due, Point, Rule};
use crate::world::World;
use lavoxel_base::parallel::*;
use lavoxel_base::random::Draw;

/// Calls `act` with the index of and a reference to each of `items`; on all threads if `parallel`
/// is true.
fn each<T: Send>(items: &mut [T], parallel: bool, act: impl Fn(usize, &mut T) + Sync) {
    if parallel {
        items
            .par_iter_mut()
            .enumerate()
            .for_each(|(number, item)| act(number, item));
    } else {
        items
            .iter_mut()
            .enumerate()
            .for_each(|(number, item)| act(number, item));
    }
}

/// Applies rules to a world. An engine may keep scratch memory, but all state is in the world.
pub trait Engine: Send {
    /// Applies `rule`, a pair of layer index and rule, to `world` for the step that `draw`
    /// identifies.
    fn run(&mut self, world: &mut World, rule: (usize, &Rule), draw: Draw);

    /// Returns the events of `rule` (such as a reaction) with their cells, in any order, in round
    /// `round` of the step that `draw` identifies; a step may have several rounds. Does not change
    /// the world: the caller carries out the events, because a reaction with the flow model needs
    /// more than the rules know.
    fn due(&mut self, world: &World, rule: &dyn Point, draw: Draw, round: u64) -> Vec<Due> {
        world
            .grid()
            .places()
            .filter_map(|place| rule.due(world, place, draw, round))
            .collect()
    }
}
