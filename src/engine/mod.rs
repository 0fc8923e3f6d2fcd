//! How the rules are carried over the whole box.
//!
//! Two engines give the same bits: [`plain`] reads like the specification and is the oracle of the tests; [`tiled`]
//! is the one that users get.

mod deltas;
mod fall;
pub mod plain;
mod spread;
pub mod tiled;

pub use crate::simd::Path;

use crate::random::StepKey;
use crate::rules::Rules;
use crate::world::World;

/// A way to carry the rules over the box. Engines may keep scratch memory; the state is in the world alone.
pub trait Engine: Send {
    /// One gravity step, in place.
    fn gravity(&mut self, world: &mut World, rules: &Rules);

    /// One spreading step; `key` holds the random patterns of this step.
    fn spreading(&mut self, world: &mut World, rules: &Rules, key: StepKey);
}
