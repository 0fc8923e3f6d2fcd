//! List of all rules, and the order in which they run in a step.

use super::Param;
use super::dry::Drying;
use super::float::Floating;
use super::params::{Roof, RulesSpec};
use super::react::Reacting;
use super::roof_outflow::RoofOutflow;
use super::shape::{Driver, Listed, Site};
use super::solidify::Solidifying;
use crate::matter::{Kind, Material, Motion, Reaction};
use crate::world::World;
use lavoxel_base::grid::Grid;
use lavoxel_base::random::Draw;

/// Declares [`Rule`], with one variant for each rule: type of its parameters, name in reports and
/// tables, kinds of motion for which it moves a material, and kinds of motion for which it reads a
/// material's parameters. The rules of one layer run in this order.
macro_rules! rules {
    ($($rule:ident($numbers:ty) = $name:literal moves [$($moves:ident)*] reads [$($reads:ident)*]: $what:literal,)+) => {
        /// Rule of the automaton with its parameters, as integers in units or in fixed point.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Rule {
            $(#[doc = $what] $rule($numbers),)+
        }

        impl Rule {
            /// Names of all rules, in the order of execution within a step.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Parameters of each rule in the table of a material, and the kinds of motion for
            /// which they have an effect.
            pub(super) const PARAMS: &'static [(&'static [Param<Material>], &'static [Motion])] =
                &[$((<$numbers as Listed>::PARAMS, &[$(Motion::$reads),*])),+];

            /// Index of the name of this rule in [`Rule::NAMES`].
            pub fn number(&self) -> usize {
                enum Number { $($rule),+ }
                match self {
                    $(Self::$rule(_) => Number::$rule as usize,)+
                }
            }

            /// Name of the rule in reports and tables.
            pub fn name(&self) -> &'static str {
                Self::NAMES[self.number()]
            }

            /// Returns true if the rule runs in the step with the number `step`.
            pub fn is_due(&self, step: u64) -> bool {
                match self {
                    $(Self::$rule(rule) => rule.is_due(step),)+
                }
            }

            /// Applies the rule to a layer by means of `driver`; `on`: the world and the index of
            /// the layer; `draw`: seed and step of the random numbers.
            pub(crate) fn run<D: Driver>(&self, driver: &mut D, on: (&mut World, usize), draw: Draw) {
                match self {
                    $(Self::$rule(rule) => rule.run(driver, on, draw),)+
                }
            }

            /// Returns the rules that move the layer described by `site`, in the order in which
            /// they run.
            fn from_site(site: &Site<'_>) -> Vec<Self> {
                let (motion, mut rules) = (site.material.motion(), Vec::new());
                $(if <[Motion]>::contains(&[$(Motion::$moves),*], &motion) {
                    rules.extend(<$numbers>::from_site(site).map(Self::$rule));
                })+
                rules
            }
        }
    };
}

rules! {
    Gravity(super::gravity::Gravity) = "gravity" moves [Viscous] reads []: "Lava falls.",
    Spreading(super::spreading::Spreading) = "spreading" moves [Viscous] reads []: "Lava spreads.",
    Squeeze(super::squeeze::Squeezing) = "squeeze" moves [Level Trace Compress Gas] reads [Level Trace]:
        "Another liquid climbs past heavier matter, and falls.",
    Level(super::level::Leveling) = "level" moves [Level Trace] reads [Level Trace Gas]:
        "Another liquid runs to where it stands lower.",
    Compress(super::compress::Compressing) = "compress" moves [Compress] reads [Compress]:
        "A liquid that can be compressed runs, also up.",
    Trace(super::trace::Tracing) = "trace" moves [Trace] reads [Trace]:
        "A liquid passes through its bodies to their low surfaces.",
    Drift(super::drift::Drifting) = "drift" moves [Gas] reads [Gas]: "A gas rises and sinks.",
    Waft(super::drift::Wafting) = "waft" moves [Gas] reads []: "A gas spreads.",
    Grains(super::grains::FallingGrains) = "grains" moves [Grain] reads [Grain]: "Grains fall, slide, flow and slip.",
    Inert(super::inert::Inert) = "stay" moves [Still] reads []: "Still matter stays.",
    Float(super::float::Floating) = "float" moves [] reads [Grain Still]: "Pieces of matter fall, sink and rise.",
    React(super::react::Reacting) = "react" moves [] reads []: "Materials turn into other materials.",
    Solidify(super::solidify::Solidifying) = "set" moves [] reads []: "A liquid that lies on the ground turns to ground.",
    Damping(super::damping::Damping) = "calm" moves [Viscous] reads []: "Lava that nothing feeds comes to rest.",
    RoofOutflow(super::roof_outflow::RoofOutflow) = "leave" moves [] reads []: "A gas leaves through the roof.",
    Dry(super::dry::Drying) = "dry" moves [] reads [Level Trace Compress Gas]: "Films of a liquid or a gas dry.",
}

/// All rules of a step in the order in which they run, each with the index of the layer to which it
/// is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules(Vec<(usize, Rule)>);

impl Rules {
    /// Creates the rules for a world with the lava and `materials`: first the rules that move each
    /// layer, then floating, `reactions` in their order in the scene, turning to rock, outflow
    /// through the roof, and drying.
    pub fn new(
        spec: &RulesSpec,
        materials: &[Material],
        reactions: &[Reaction],
        grid: Grid,
    ) -> Self {
        let materials = Material::with_lava(materials.to_vec());
        let layers = || materials.iter().enumerate();
        let moved = layers().flat_map(|(layer, material)| {
            Rule::from_site(&Site {
                material,
                grid,
                spec,
            })
            .into_iter()
            .map(move |rule| (layer, rule))
        });
        let react = |(reaction, stream)| {
            let rule = Reacting::new(reaction, stream, &materials);
            Some((rule.takes.first()?.layer, Rule::React(rule)))
        };
        let sets = layers()
            .filter(|(_, material)| material.sets)
            .map(|(layer, _)| (layer, Rule::Solidify(Solidifying { layer })));
        let leaves =
            layers().filter(|(_, material)| spec.roof == Roof::Open && material.kind == Kind::Gas);
        let leaves = leaves.map(|(layer, _)| (layer, Rule::RoofOutflow(RoofOutflow)));
        let dries = layers()
            .filter_map(|(layer, material)| Some((layer, Rule::Dry(Drying::new(material)?))));
        let floats = Floating::new(&materials).map(|rule| (rule.first(), Rule::Float(rule)));
        // The order of a step: all motion first, so that reactions see the moved layers; films dry
        // at the end.
        Self(
            moved
                .chain(floats)
                .chain(
                    reactions
                        .iter()
                        .zip(Reaction::streams(reactions))
                        .filter_map(react),
                )
                .chain(sets)
                .chain(leaves)
                .chain(dries)
                .collect(),
        )
    }

    /// Iterates over the rules in the order in which they run, each with the index of its layer.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.0.iter().map(|(layer, rule)| (*layer, rule))
    }
}

impl From<&RulesSpec> for Rules {
    /// Creates the rules for a world that contains lava only; these rules are the same for all
    /// sizes of the simulation box.
    fn from(spec: &RulesSpec) -> Self {
        Self::new(
            spec,
            &[],
            &[],
            Grid {
                nx: 1,
                ny: 1,
                nz: 1,
            },
        )
    }
}
