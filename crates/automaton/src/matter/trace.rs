//! Parameters of tracing, the rule by which pressure acts through connected cells of a liquid.

use serde::{Deserialize, Serialize};

/// Parameters of the rule [`crate::rules::trace`]: the table `trace` of a material. Amounts are in
/// full cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Trace {
    /// Amount of a cell above which liquid passes through the cell, in full cells.
    pub through: f64,
    /// Smallest amount of a surface cell from which liquid is taken, in full cells.
    pub min_liquid: f64,
    /// Smallest free volume in the cell above a surface cell with which the surface cell can give
    /// or take liquid, in full cells.
    pub min_pressure: f64,
    /// Differences below which nothing moves, in full cells: of the total free volume of the cells
    /// at one height, and of the amounts of cells at the same height.
    pub min_flow: f64,
    /// Largest amount that pressure drives into a free cell next to a connected body of liquid per
    /// application of the rule, while the cell is less than half full; in full cells.
    pub press: f64,
    /// True if liquid on top of a connected body of liquid belongs to the body even in cells that
    /// contain too little for liquid to pass through.
    pub rest: bool,
    /// Effect of trapped air above a liquid surface.
    pub air: Air,
    /// Number of steps from one application of the tracing rule to the next.
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

/// Effect of air that is not connected to the outside (trapped air) on a liquid surface below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Air {
    /// No effect: liquid can rise into any air.
    #[default]
    Ignored,
    /// Trapped air stops the liquid: a surface rises only below air that is connected to the roof
    /// or to an open side of the simulation box.
    Kept,
}
