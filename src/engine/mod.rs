//! How the rules are carried over the whole box.
//!
//! Two engines give the same bits: [`plain`] reads like the specification and is the oracle of the tests; [`tiled`]
//! is the one that users get.

mod deltas;
mod drift;
mod fall;
mod grains;
mod heavier;
pub mod plain;
mod react;
mod spread;
pub mod tiled;
mod trace;

pub use crate::simd::Level;

use crate::random::Draw;
use crate::rules::{Rule, Rules};
use crate::source::Vents;
use crate::world::World;

/// A part of a step, with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Vents and sources pour.
    Sources(&'a Vents),
    /// A rule moves a layer.
    Rule {
        /// Its place in [`World::layers`].
        layer: usize,
        /// The rule.
        rule: &'a Rule,
    },
    /// The air takes what vents and lava give, and moves.
    Air(&'a Vents),
    /// Vents pour into the flow of a world of the physical model, and it moves; the only stage of such a world.
    Flow(&'a Vents),
}

impl Stage<'_> {
    /// How many kinds of stages there are.
    pub const COUNT: usize = 3 + Rule::NAMES.len();

    /// How many of them, the first ones, every world has; the rest belong to further materials.
    pub const OF_LAVA: usize = 3;

    /// The names of all kinds, in the order of a step.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once("sources").chain(Rule::NAMES.iter().copied()).chain(["air", "flow"])
    }

    /// The rules of a step, in order: those of the layers in their order, then reactions and what follows them. One that is not
    /// [due](Stage::is_due) is left out of a step, and so is the one that [calms](Stage::calms) lava down while lava is fed.
    pub fn of_rules(rules: &Rules) -> impl Iterator<Item = Stage<'_>> {
        rules.iter().map(|(layer, rule)| Stage::Rule { layer, rule })
    }

    /// Whether it calms lava down.
    pub fn calms(&self) -> bool {
        matches!(self, Self::Rule { rule: Rule::Calm(_), .. })
    }

    /// Its name in reports and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sources(_) => "sources",
            Self::Rule { rule, .. } => rule.name(),
            Self::Air(_) => "air",
            Self::Flow(_) => "flow",
        }
    }

    /// Its place in [`Stage::names`].
    pub fn number(self) -> usize {
        match self {
            Self::Sources(_) => 0,
            Self::Rule { rule, .. } => 1 + rule.number(),
            Self::Air(_) => Self::COUNT - 2,
            Self::Flow(_) => Self::COUNT - 1,
        }
    }

    /// Whether it runs in `step`.
    pub fn is_due(self, step: u64) -> bool {
        match self {
            Self::Sources(_) | Self::Air(_) | Self::Flow(_) => true,
            Self::Rule { rule, .. } => rule.is_due(step),
        }
    }
}

/// A way to carry the stages over the box. Engines may keep scratch memory; the state is in the world alone.
pub trait Engine: Send {
    /// Runs one stage of the step that `draw` names.
    fn run(&mut self, world: &mut World, stage: Stage<'_>, draw: Draw);
}
