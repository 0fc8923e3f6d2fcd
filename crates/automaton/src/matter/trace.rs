//! Parameters of tracing, the pressure transport through connected liquid.

use serde::{Deserialize, Serialize};

/// Parameters of [`crate::rules::trace`]: the `trace` table of a material. Amounts are fractions of
/// a full cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Trace {
    /// Least amount of a cell through which liquid is transported, in cells; exclusive.
    pub through: f64,
    /// Least amount of a donor cell, in cells.
    pub min_liquid: f64,
    /// Least free volume above a donor or receiver cell, in cells.
    pub min_pressure: f64,
    /// Threshold of motion: least free volume at a height, and least difference between cells of
    /// that height, in cells.
    pub min_flow: f64,
    /// Upper bound of the amount that a free cell next to a body receives per run while under half
    /// a cell of liquid, in cells.
    pub press: f64,
    /// Rest flag: liquid that stands on top of a body belongs to the body even though the cell is
    /// too empty to transport liquid.
    pub rest: bool,
    /// Treatment of trapped air above a liquid surface.
    pub air: Air,
    /// Period of the rule: runs once every `every` steps.
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

/// Treatment of air above a liquid surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Air {
    /// Air is ignored and always gives way.
    #[default]
    Ignored,
    /// Trapped air blocks the liquid: a surface moves only below air that is connected to the roof.
    Kept,
}
