//! Stages of a step: the rules of the cellular automaton, which an engine computes, and the
//! couplings and models around these rules.

use crate::coupling::flow_reactions;
use crate::source::Vents;
use crate::state::State;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::rules::{Rule, Rules};
use lavoxel_automaton::world::Layer;
use lavoxel_base::random::Draw;

/// Stage of a step: a rule, a model or a coupling, with its input.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// The vents pour into the flow of the physical model, and the flow solver advances by one
    /// step.
    Flow(&'a Vents),
    /// Vents and sources pour into the cells.
    Sources(&'a Vents),
    /// A rule of the cellular automaton changes a layer.
    Rule {
        /// Index in [`World::layers`](lavoxel_automaton::world::World::layers) of the layer that
        /// the rule changes.
        layer: usize,
        /// Rule of the cellular automaton that changes the layer.
        rule: &'a Rule,
    },
    /// Ground, lava, steam and vents change the air: closed cells, heat, ash and steam.
    Emission(&'a Vents),
    /// The air solver advances by one step.
    Air,
    /// The air carries light grains along.
    Blown,
    /// Settled ash becomes grains on the ground.
    Fallout,
}

/// Names of the stages that follow the rules in the list of [`Stage::names`].
const AFTER_RULES: [&str; 5] = ["emission", "air", "fallout", "flow", "blown"];

impl<'a> Stage<'a> {
    /// Number of kinds of stages; rules with the same name on different layers are one kind.
    pub const COUNT: usize = 1 + Rule::NAMES.len() + AFTER_RULES.len();

    /// Number of kinds of stages that occur in every world; they come first in the list of
    /// `Stage::names`. The other kinds need materials other than lava, air or the physical model.
    pub const OF_LAVA: usize = 3;

    /// Iterates over the names of all kinds of stages.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once("sources")
            .chain(Rule::NAMES.iter().copied())
            .chain(AFTER_RULES)
    }

    /// Iterates over the rules of a step as stages, in order: the rules of each layer, then
    /// reactions and the rules that follow them. A step skips stages that are not
    /// [due](Stage::is_due), and while vents pour also the rule that [calms](Stage::calms) lava
    /// down.
    pub fn of_rules(rules: &Rules) -> impl Iterator<Item = Stage<'_>> {
        rules
            .iter()
            .map(|(layer, rule)| Stage::Rule { layer, rule })
    }

    /// Iterates over the stages of the air in the order in which they run; empty without air.
    pub fn of_air(state: &State, vents: &'a Vents) -> impl Iterator<Item = Self> + use<'a> {
        let ash = state.air().map(|air| air.spec().ash.is_some());
        let moves = ash.map(|_| [Self::Emission(vents), Self::Air]);
        let light = |layer: &Layer| layer.is_grains() && layer.material().grains.carried > 0.0;
        let blown = ash
            .filter(|_| state.layers().iter().any(light))
            .map(|_| Self::Blown);
        moves
            .into_iter()
            .flatten()
            .chain(blown)
            .chain(ash.filter(|ash| *ash).map(|_| Self::Fallout))
    }

    /// Returns true if the stage is the rule that calms lava down (damps its motion).
    pub fn calms(&self) -> bool {
        matches!(
            self,
            Self::Rule {
                rule: Rule::Damping(_),
                ..
            }
        )
    }

    /// Returns the name of the stage in reports and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sources(_) => "sources",
            Self::Rule { rule, .. } => rule.name(),
            Self::Emission(_) => AFTER_RULES[0],
            Self::Air => AFTER_RULES[1],
            Self::Fallout => AFTER_RULES[2],
            Self::Flow(_) => AFTER_RULES[3],
            Self::Blown => AFTER_RULES[4],
        }
    }

    /// Returns the index of the stage's kind in the list of [`Stage::names`].
    pub fn number(self) -> usize {
        let after_rules = 1 + Rule::NAMES.len();
        match self {
            Self::Sources(_) => 0,
            Self::Rule { rule, .. } => 1 + rule.number(),
            Self::Emission(_) => after_rules,
            Self::Air => after_rules + 1,
            Self::Fallout => after_rules + 2,
            Self::Flow(_) => after_rules + 3,
            Self::Blown => after_rules + 4,
        }
    }

    /// Returns true if a step can be interrupted before this stage, so that the state can be saved
    /// there. False before the step of the air solver, which may clear cells that contain fresh
    /// input. In a world with a flow also false before the stages of the cells, because the flow
    /// uses the covers at the beginning of the step.
    pub(super) fn can_wait(self, state: &State) -> bool {
        match self {
            Self::Air => false,
            Self::Emission(_) | Self::Blown | Self::Fallout => true,
            _ => state.flow().is_none(),
        }
    }

    /// Returns true if the stage is computed in step `step`; some rules are computed only every few
    /// steps.
    pub fn is_due(self, step: u64) -> bool {
        match self {
            Self::Rule { rule, .. } => rule.is_due(step),
            _ => true,
        }
    }

    /// Runs the stage on `state`; `engine` computes rules of the cellular automaton. `draw`: seed
    /// and number of the step.
    pub fn run(self, state: &mut State, engine: &mut dyn Engine, draw: Draw) {
        let State { world, flow, air } = state;
        match (self, flow, air) {
            (Self::Flow(vents), Some(flow), _) => flow.step(world, vents, draw.step),
            (Self::Sources(vents), ..) => vents.pour(world, draw),
            (
                Self::Rule {
                    rule: Rule::React(rule),
                    ..
                },
                Some(flow),
                _,
            ) if flow_reactions::meets(world, rule) => {
                flow_reactions::react(world, flow, rule, (engine, draw));
            }
            (
                Self::Rule {
                    rule: Rule::Solidify(rule),
                    ..
                },
                Some(flow),
                _,
            ) => flow.set_rock(world, rule, (engine, draw)),
            (Self::Rule { layer, rule }, ..) => engine.run(world, (layer, rule), draw),
            (Self::Emission(vents), flow, Some(air)) => {
                air.take(world, flow.as_deref(), vents, draw)
            }
            (Self::Air, _, Some(air)) => air.air.step(),
            (Self::Blown, _, Some(air)) => air.blow_grains(world, draw),
            (Self::Fallout, _, Some(air)) => air.lay_ash(world),
            // The state lacks the model of this stage.
            (Self::Flow(_), None, _)
            | (Self::Emission(_) | Self::Air | Self::Blown | Self::Fallout, _, None) => {}
        }
    }
}
