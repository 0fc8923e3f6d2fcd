//! Numbers of tracing in a material.

use serde::{Deserialize, Serialize};

/// Numbers of [`crate::rules::trace`], as a `trace` table of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Trace {
    /// Amount above which liquid passes through a cell.
    pub through: f64,
    /// Least amount of a cell that gives.
    pub min_liquid: f64,
    /// Least room above a cell that gives or takes.
    pub min_pressure: f64,
    /// Least room of a height, and least difference between its cells, for which anything moves.
    pub min_flow: f64,
    /// Largest amount that a free cell next to a body takes in a run under half a cell of liquid.
    pub press: f64,
    /// Rest flag: liquid that stands on a body belongs to the body, though nothing passes through
    /// it.
    pub rest: bool,
    /// Law of the air above a surface.
    pub air: Air,
    /// Period of the rule in steps.
    pub every: u32,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            through: 0.95,
            min_liquid: 0.02,
            min_pressure: 0.1,
            min_flow: 1.0 / 256.0,
            press: 0.05,
            rest: true,
            air: Air::Ignored,
            every: 1,
        }
    }
}

/// Law of the air above a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Air {
    /// Air makes way.
    #[default]
    Ignored,
    /// Air stays where it cannot leave: a surface moves only below air that reaches the roof.
    Kept,
}
