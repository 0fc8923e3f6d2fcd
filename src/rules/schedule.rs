//! The rules in force, and the order of a step.

use super::calm;
use super::compress::Compressing;
use super::drift::{Drifting, Wafting};
use super::float::Floating;
use super::grains::FallingGrains;
use super::gravity::Gravity;
use super::level::Leveling;
use super::params::{Roof, RulesSpec};
use super::react::Reacting;
use super::spreading::Spreading;
use super::squeeze::Squeezing;
use super::trace::Tracing;
use crate::grid::Grid;
use crate::matter::{Kind, Material, Pressure, Reaction};

/// Declares [`Rule`]: a variant with the numbers of each rule, and its name in reports and tables.
macro_rules! rules {
    ($($rule:ident($numbers:ty) = $name:literal: $what:literal),+ $(,)?) => {
        /// A rule with its numbers.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Rule {
            $(#[doc = $what] $rule($numbers),)+
        }

        impl Rule {
            /// The names of all rules, in the order of a step.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its place in [`Rule::NAMES`].
            pub fn number(&self) -> usize {
                enum Number { $($rule),+ }
                match self {
                    $(Self::$rule(_) => Number::$rule as usize,)+
                }
            }
        }
    };
}

rules! {
    Gravity(Gravity) = "gravity": "Lava falls.",
    Spreading(Spreading) = "spreading": "Lava spreads.",
    Squeeze(Squeezing) = "squeeze": "Another liquid climbs past heavier matter, and falls.",
    Level(Leveling) = "level": "Another liquid runs to where it stands lower.",
    Trace(Tracing) = "trace": "A liquid passes through its bodies to their low surfaces.",
    Compress(Compressing) = "compress": "A liquid that can be compressed runs, also up.",
    Drift(Drifting) = "drift": "A gas rises and sinks.",
    Waft(Wafting) = "waft": "A gas spreads.",
    Grains(FallingGrains) = "grains": "Grains fall, slide, flow and slip.",
    Stay(()) = "stay": "Still matter stays.",
    Float(Floating) = "float": "Pieces of matter fall, sink and rise.",
    React(Reacting) = "react": "Materials turn into other materials.",
    Set(()) = "set": "A liquid that lies on the ground turns to ground.",
    Calm(Spreading) = "calm": "Lava that nothing feeds comes to rest.",
    Leave(()) = "leave": "A gas leaves through the roof.",
}

impl Rule {
    /// Its name in reports and tables.
    pub fn name(&self) -> &'static str {
        Self::NAMES[self.number()]
    }

    /// Whether it runs in `step`.
    pub fn is_due(&self, step: u64) -> bool {
        match self {
            Self::Spreading(rule) => (step + 1).is_multiple_of(u64::from(rule.every)),
            Self::Trace(rule) => (step + 1).is_multiple_of(u64::from(rule.every)),
            Self::Calm(_) => (step + 1).is_multiple_of(calm::EVERY),
            Self::Gravity(_) | Self::Squeeze(_) | Self::Level(_) | Self::Compress(_) => true,
            Self::Drift(_) | Self::Waft(_) | Self::Grains(_) | Self::Stay(()) => true,
            Self::Float(_) | Self::React(_) | Self::Set(()) | Self::Leave(()) => true,
        }
    }
}

/// The rules of a step in their order, each with the place of its layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules(Vec<(usize, Rule)>);

impl Rules {
    /// The rules of a world of lava and of `materials`: those that move each layer, what floats, then the reactions in the order
    /// of their tables, what sets, and what leaves through the roof.
    pub fn new(spec: &RulesSpec, materials: &[Material], reactions: &[Reaction], grid: Grid) -> Self {
        let materials = Material::with_lava(materials.to_vec());
        let layers = || materials.iter().enumerate();
        let of_layer = |(layer, material): (usize, &Material)| {
            let rules = match material.is_lava() {
                true => of_lava(spec),
                false => of_material(material, layer, grid, spec),
            };
            rules.into_iter().map(move |rule| (layer, rule))
        };
        let react = |(number, reaction)| {
            let rule = Reacting::new(reaction, number, &materials);
            Some((rule.takes.first()?.layer, Rule::React(rule)))
        };
        let sets = layers().filter(|(_, material)| material.sets).map(|(layer, _)| (layer, Rule::Set(())));
        let leaves = layers().filter(|(_, material)| spec.roof == Roof::Open && material.kind == Kind::Gas);
        let leaves = leaves.map(|(layer, _)| (layer, Rule::Leave(())));
        let moved = layers().flat_map(of_layer);
        let floats = Floating::new(&materials).map(|rule| (rule.first(), Rule::Float(rule)));
        Self(
            moved
                .chain(floats)
                .chain(reactions.iter().enumerate().filter_map(react))
                .chain(sets)
                .chain(leaves)
                .collect(),
        )
    }

    /// The rules, each with the place of its layer.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.0.iter().map(|(layer, rule)| (*layer, rule))
    }
}

impl From<&RulesSpec> for Rules {
    /// The rules of a world of lava alone.
    fn from(spec: &RulesSpec) -> Self {
        Self(of_lava(spec).into_iter().map(|rule| (0, rule)).collect())
    }
}

fn of_lava(spec: &RulesSpec) -> Vec<Rule> {
    vec![Rule::Gravity(spec.into()), Rule::Spreading(spec.into()), Rule::Calm(spec.into())]
}

fn of_material(material: &Material, layer: usize, grid: Grid, spec: &RulesSpec) -> Vec<Rule> {
    let walls = spec.walls;
    match (material.kind, material.pressure) {
        (Kind::Liquid, Pressure::None) => {
            vec![Rule::Squeeze(material.into()), Rule::Level(Leveling::new(material, grid, walls))]
        }
        (Kind::Liquid, Pressure::Trace) => {
            let level = Rule::Level(Leveling::new(material, grid, walls));
            vec![Rule::Squeeze(material.into()), level, Rule::Trace(Tracing::new(material, walls))]
        }
        (Kind::Liquid, Pressure::Compress) => {
            vec![Rule::Squeeze(material.into()), Rule::Compress(Compressing::new(material, grid, walls))]
        }
        (Kind::Gas, _) => {
            let waft = Wafting::new(material, layer, grid, walls);
            vec![Rule::Squeeze(material.into()), Rule::Drift(Drifting::new(material, layer)), Rule::Waft(waft)]
        }
        (Kind::Grain, _) => vec![Rule::Grains(FallingGrains::new(material, spec))],
        (Kind::Still, _) => vec![Rule::Stay(())],
    }
}
