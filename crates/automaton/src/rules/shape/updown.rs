//! Rule shape for random vertical motion: randomly selected cells give to the cell above (columns
//! from the top down), then to the cell below (columns from the bottom up).

use crate::world::RuleNumbers;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Simd;

/// Rule by which matter rises and sinks at random.
pub(crate) trait UpDown: Sync {
    /// Returns all parameters that decide which cells can give, as raw bits.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the hash key of the rule's random numbers in the step.
    fn key(&self, draw: Draw) -> StepKey;

    /// Returns true if the random numbers select the cell `place` to give upwards (`up` is true) or
    /// downwards in the step with the key `key`.
    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool;

    /// [`UpDown::acts`] for the 32 cells of a tile, as a bit mask.
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32;

    /// Returns true if random numbers can ever select a cell to give upwards (`up` is true) or
    /// downwards.
    fn ever_acts(&self, up: bool) -> bool;

    /// Filling of the cell above from which on a cell does not sink, in the smallest unit of
    /// amount.
    fn blocking_filling(&self) -> u16;

    /// Returns the amount that a selected cell with the amount `amount` gives to the open cell
    /// above (`up` is true) or below, which has the filling `full`; in the smallest unit.
    fn moved(&self, amount: u16, full: u16, up: bool) -> u16;

    /// [`UpDown::moved`] for the 32 cells of a tile.
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V;
}
