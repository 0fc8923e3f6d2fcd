//! Shape of rules for matter that rises and sinks: cells drawn in a step give to the cell above,
//! columns from the top down, and then to the cell below, from the bottom up.

use crate::world::RuleNumbers;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Simd;

/// Rule by which matter rises and sinks at random.
pub(crate) trait UpDown: Sync {
    /// Returns all numbers on which the set of cells that may move depends.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the key of the draws of a step.
    fn key(&self, draw: Draw) -> StepKey;

    /// Returns true if a cell gives up (`up`) or down by the draws of its step.
    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool;

    /// [`UpDown::acts`] for the 32 cells of a tile.
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32;

    /// Returns true if a cell may ever act.
    fn ever_acts(&self, up: bool) -> bool;

    /// Least filling of the cell above that holds a cell down, in units.
    fn holds(&self) -> u16;

    /// Returns the amount that an acting cell with `amount` gives to an open cell above or below
    /// with filling `full`.
    fn moved(&self, amount: u16, full: u16, up: bool) -> u16;

    /// [`UpDown::moved`] for the 32 cells of a tile.
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V;
}
