//! Rule shape of random vertical motion: randomly selected cells give to the cell above (columns
//! from the top down), then to the cell below (from the bottom up).

use crate::world::RuleNumbers;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Simd;

/// Rule of random rising and sinking.
pub(crate) trait UpDown: Sync {
    /// Returns all parameters that influence which cells may move, as raw numbers.
    fn numbers(&self) -> RuleNumbers;

    /// Returns the hash key of the step's random draws.
    fn key(&self, draw: Draw) -> StepKey;

    /// Returns true if the cell `place` is selected to give upwards (`up` set) or downwards in this
    /// step.
    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool;

    /// [`UpDown::acts`] for the 32 cells of a tile.
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32;

    /// Returns true if cells can ever be selected in this direction.
    fn ever_acts(&self, up: bool) -> bool;

    /// Least filling of the cell above that prevents sinking, in units.
    fn holds(&self) -> u16;

    /// Returns the amount that a selected cell with `amount` units gives to the open cell above
    /// (`up` set) or below, whose filling is `full` units.
    fn moved(&self, amount: u16, full: u16, up: bool) -> u16;

    /// [`UpDown::moved`] for the 32 cells of a tile.
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V;
}
