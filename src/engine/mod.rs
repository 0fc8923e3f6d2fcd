//! How the rules are carried over the whole box.
//!
//! Two engines give the same bits: [`plain`] reads like the specification and is the oracle of the tests; [`tiled`]
//! is the one that users get.

mod deltas;
mod fall;
mod heavier;
pub mod plain;
mod spread;
pub mod tiled;

pub use crate::simd::Level;

use crate::random::Draw;
use crate::rules::Rules;
use crate::rules::gravity::Gravity;
use crate::rules::level::Leveling;
use crate::rules::spreading::Spreading;
use crate::rules::squeeze::Squeezing;
use crate::source::Vents;
use crate::world::World;

/// A part of a step, with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Vents pour.
    Sources(&'a Vents),
    /// Lava falls.
    Gravity(&'a Gravity),
    /// Lava spreads.
    Spreading(&'a Spreading),
    /// Another liquid climbs past heavier matter, and falls.
    Squeeze {
        /// Its place in [`World::layers`].
        layer: usize,
        /// The rule.
        rule: &'a Squeezing,
    },
    /// It runs to where it stands lower.
    Level {
        /// Its place in [`World::layers`].
        layer: usize,
        /// The rule.
        rule: &'a Leveling,
    },
}

impl Stage<'_> {
    /// The names of all stages, in the order of a step.
    pub const NAMES: [&'static str; 5] = ["sources", "gravity", "spreading", "squeeze", "level"];

    /// How many of them, the first ones, every world has; the others belong to further materials.
    pub const OF_LAVA: usize = 3;

    /// The rules of a step, in order: those of the heaviest layer first.
    pub fn of_rules(rules: &Rules) -> impl Iterator<Item = Stage<'_>> {
        let fluids = rules.fluids.iter().zip(1..).flat_map(|(fluid, layer)| {
            [Stage::Squeeze { layer, rule: &fluid.squeezing }, Stage::Level { layer, rule: &fluid.leveling }]
        });
        [Stage::Gravity(&rules.gravity), Stage::Spreading(&rules.spreading)].into_iter().chain(fluids)
    }

    /// Its name in reports and tables.
    pub fn name(self) -> &'static str {
        Self::NAMES[self.number()]
    }

    /// Its place in [`Stage::NAMES`].
    pub fn number(self) -> usize {
        match self {
            Self::Sources(_) => 0,
            Self::Gravity(_) => 1,
            Self::Spreading(_) => 2,
            Self::Squeeze { .. } => 3,
            Self::Level { .. } => 4,
        }
    }

    /// Whether it runs in `step`.
    pub fn is_due(self, step: u64) -> bool {
        match self {
            Self::Spreading(rule) => (step + 1).is_multiple_of(u64::from(rule.every)),
            Self::Sources(_) | Self::Gravity(_) | Self::Squeeze { .. } | Self::Level { .. } => true,
        }
    }
}

/// A way to carry the stages over the box. Engines may keep scratch memory; the state is in the world alone.
pub trait Engine: Send {
    /// Runs one stage of the step that `draw` names.
    fn run(&mut self, world: &mut World, stage: Stage<'_>, draw: Draw);
}
