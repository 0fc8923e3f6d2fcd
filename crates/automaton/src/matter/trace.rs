//! Parameters of tracing, the rule by which pressure acts through connected cells of a liquid.

use serde::{Deserialize, Serialize};

/// Parameters of the rule [`crate::rules::trace`]: the table `trace` of a material. Amounts are in
/// full cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Trace {
    /// Amount above which liquid passes through a cell, in full cells.
    pub through: f64,
    /// Smallest amount of a surface cell from which liquid is taken, in full cells.
    pub min_liquid: f64,
    /// Smallest free volume in the cell above a surface cell with which the surface cell can give
    /// or take liquid, in full cells.
    pub min_pressure: f64,
    /// Differences below which nothing moves, in full cells: of the free volume at a height, and of
    /// the amounts of cells at the same height.
    pub min_flow: f64,
    /// Largest amount that pressure drives into a free cell next to a body in one run, while the
    /// cell is less than half full; in full cells.
    pub press: f64,
    /// True if liquid on top of a body belongs to the body even where the cell is too empty for
    /// liquid to pass through.
    pub rest: bool,
    /// Effect of trapped air above a liquid surface.
    pub air: Air,
    /// Number of steps from one run of the rule to the next.
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

/// Effect of air above a liquid surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Air {
    /// None: liquid can rise into any air.
    #[default]
    Ignored,
    /// Trapped air stops the liquid: a surface rises only below air that is connected to the roof
    /// or to an open side of the simulation box.
    Kept,
}
