//! Matter that rises and sinks: cells that a step draws give to the cell above them, columns from the top down, and then to the
//! one below, from the bottom up.

use crate::world::RuleNumbers;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::{Draw, StepKey};
use lavoxel_base::simd::Simd;

/// A rule by which matter rises and sinks at random.
pub(crate) trait UpDown: Sync {
    /// All numbers on which it depends where cells may move.
    fn numbers(&self) -> RuleNumbers;

    /// Key of the draws of a step.
    fn key(&self, draw: Draw) -> StepKey;

    /// Whether a cell gives up, or down, by the draws of its step.
    fn acts(&self, key: StepKey, place: Place, up: bool) -> bool;

    /// [`UpDown::acts`] for the 32 cells of a tile.
    fn acting(&self, key: StepKey, tile: TilePlace, up: bool) -> u32;

    /// Whether a cell may ever act.
    fn ever_acts(&self, up: bool) -> bool;

    /// How full the cell above must be to hold a cell, so that it does not sink.
    fn holds(&self) -> u16;

    /// Amount that a cell that acts and holds `amount` gives to one that is `full`, open, and above or below it.
    fn moved(&self, amount: u16, full: u16, up: bool) -> u16;

    /// [`UpDown::moved`] for the 32 cells of a tile.
    fn moved_lanes<S: Simd>(&self, s: S, amount: S::V, full: S::V, up: bool) -> S::V;
}
