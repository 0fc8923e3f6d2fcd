//! Stages of a step: rules, which an engine runs, and the couplings and models around them.

use crate::coupling::flow_reactions;
use crate::source::Vents;
use crate::state::State;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::rules::{Rule, Rules};
use lavoxel_automaton::world::Layer;
use lavoxel_base::random::Draw;

/// Stage of a step, with its inputs.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Vents pour into the flow of the physical model, and the flow advances.
    Flow(&'a Vents),
    /// Vents and sources pour into the cells of the automaton.
    Sources(&'a Vents),
    /// A rule of the automaton moves a layer.
    Rule {
        /// Index of the layer in [`World::layers`](lavoxel_automaton::world::World::layers).
        layer: usize,
        /// Rule to be run.
        rule: &'a Rule,
    },
    /// Sources of the air: ground, lava, steam and vents.
    Emission(&'a Vents),
    /// The air solver advances.
    Air,
    /// Advection of light grains by the air.
    Blown,
    /// Deposition of settled ash on the ground.
    Fallout,
}

/// Names of the stages that follow the rules in [`Stage::names`].
const AFTER_RULES: [&str; 5] = ["emission", "air", "fallout", "flow", "blown"];

impl<'a> Stage<'a> {
    /// Number of kinds of stages.
    pub const COUNT: usize = 1 + Rule::NAMES.len() + AFTER_RULES.len();

    /// Number of leading stage kinds that every world has; the other kinds occur only with further
    /// materials.
    pub const OF_LAVA: usize = 3;

    /// Iterates over the names of all stage kinds.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        std::iter::once("sources")
            .chain(Rule::NAMES.iter().copied())
            .chain(AFTER_RULES)
    }

    /// Rules of a step as stages in order: the rules of each layer, then reactions and their
    /// consequences. A step skips rules that are not [due](Stage::is_due), and the rule that
    /// [calms](Stage::calms) lava down while lava is fed.
    pub fn of_rules(rules: &Rules) -> impl Iterator<Item = Stage<'_>> {
        rules
            .iter()
            .map(|(layer, rule)| Stage::Rule { layer, rule })
    }

    /// Stages of a state's air in order; empty without air.
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

    /// Returns true for the rule that calms lava down.
    pub fn calms(&self) -> bool {
        matches!(
            self,
            Self::Rule {
                rule: Rule::Calm(_),
                ..
            }
        )
    }

    /// Name of the stage in reports and tables.
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

    /// Index of the stage's name in [`Stage::names`].
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

    /// Returns true if a step can be interrupted before this stage, so that the state can be saved.
    /// False before the air's own step, which may clear cells that contain fresh input; and, with a
    /// flow, before the stages of the cells, because the flow uses the covers as of the beginning
    /// of the step.
    pub(super) fn can_wait(self, state: &State) -> bool {
        match self {
            Self::Air => false,
            Self::Emission(_) | Self::Blown | Self::Fallout => true,
            _ => state.flow().is_none(),
        }
    }

    /// Returns true if the stage runs in step `step`.
    pub fn is_due(self, step: u64) -> bool {
        match self {
            Self::Rule { rule, .. } => rule.is_due(step),
            _ => true,
        }
    }

    /// Runs the stage for the step of `draw`; `engine` runs the rules of the automaton.
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
                    rule: Rule::Set(rule),
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
