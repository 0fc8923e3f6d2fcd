//! Rule shape for random vertical motion: randomly selected cells give to the cell above (columns
//! from the top down), then to the cell below (columns from the bottom up).

use crate::world::RuleNumbers;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Simd;

/// Rule by which matter rises and sinks at random.
pub(crate) trait UpDown: Sync {
    /// Returns all parameters that decide which cells can give matter, as raw bits for comparison.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the hash key of the rule's random numbers in the step that `draw` identifies.
    fn key(&self, draw: Draw) -> StepKey;

    /// Returns true if the random numbers of `key` (the key of the step) select the cell `place` to
    /// give matter upwards (`up` is true) or downwards.
    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool;

    /// Returns the bit mask of the cells of `tile` for which [`UpDown::acts`] is true.
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32;

    /// Returns true if some random numbers select cells to give matter upwards (`up` is true) or
    /// downwards; false if the probability is 0.
    fn ever_acts(&self, up: bool) -> bool;

    /// Filling of the cell above, in units of amount, from which on the matter in a cell does not
    /// sink.
    fn blocking_filling(&self) -> u16;

    /// Returns the amount that moves from a selected cell with the amount `amount` to the open cell
    /// above (`up` is true) or below (`up` is false), whose filling is `full`; all in units.
    fn moved(&self, amount: u16, full: u16, up: bool) -> u16;

    /// Returns, for the 32 cells of a tile, the amounts that [`UpDown::moved`] returns for one
    /// cell.
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V;
}
