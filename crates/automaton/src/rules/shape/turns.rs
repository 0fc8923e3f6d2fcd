//! Bodies that fill a cell each: they fall, and then take turns, in each of which all that can go the same way at once.

use super::sweep::DIRECTIONS;
use crate::world::RuleNumbers;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::random::{Draw, StepKey};

/// The eight sides as (dx, dz): [`DIRECTIONS`], then the corners.
pub const SIDES: [(isize, isize); 8] = {
    let [west, east, north, south] = DIRECTIONS;
    [west, east, north, south, (-1, -1), (1, -1), (-1, 1), (1, 1)]
};

/// A turn: what all grains do that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Go down to one of the first four of [`SIDES`] instead of falling.
    Scatter(usize),
    /// Slide to one of [`SIDES`].
    Slide(usize),
    /// Flow to one of the first four.
    Flow(usize),
    /// Slip to one of the first four.
    Slip(usize),
}

impl Turn {
    /// Where a grain goes: by so many cells along x, y and z.
    pub fn way(self) -> [isize; 3] {
        let (side, dy) = match self {
            Self::Scatter(side) | Self::Slide(side) => (side, -1),
            Self::Flow(side) | Self::Slip(side) => (side, 0),
        };
        let (dx, dz) = SIDES[side];
        [dx, dy, dz]
    }
}

/// A rule by which grains fall and take turns.
pub(crate) trait Turns: Sync {
    /// Least amounts that bar the way in a cell: of still matter and heavier grains, and of fluids that are denser.
    const BARS: [u16; 2];
    /// Most lighter matter in a cell that holds no grain up.
    const THIN: u16;

    /// All numbers on which the rule depends in a run with a seed.
    fn numbers(&self, seed: u64) -> RuleNumbers;

    /// The sides of the box.
    fn walls(&self) -> Walls;

    /// The turns of falling grains in a step of the layer with a number, in their order, before the fall.
    fn scatters(&self, draw: Draw, layer: usize) -> impl Iterator<Item = Turn>;

    /// The turns of a step of the layer with a number, in their order, after the fall.
    fn turns(&self, draw: Draw, layer: usize) -> Vec<Turn>;

    /// Whether a grain above lets those below go, and whether any turn goes to a side without going down.
    fn goes_level(&self) -> [bool; 2];

    /// Key and share, of 256, of the grains that lighter matter holds up in a step.
    fn held_up(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Key and share, of 256, of the grains that do not fall in a step.
    fn hangs(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Whether the grain at a place takes a turn, as far as its surroundings allow.
    fn goes(&self, turn: Turn, place: Place, draw: Draw, around: &impl Around) -> bool;

    /// [`Turns::goes`] for the 32 cells of a tile.
    fn going(&self, turn: Turn, tile: TilePlace, draw: Draw, around: &impl TilesAround) -> u32;
}

/// Surroundings of a grain, by cells along x, y and z from it.
pub(crate) trait Around {
    /// Whether the grain could be there.
    fn is_free(&self, by: [isize; 3]) -> bool;
    /// Whether a grain of this kind or a heavier one is in the cell above.
    fn is_laden(&self) -> bool;
}

/// Surroundings of the cells of a tile, by a bit for each.
pub(crate) trait TilesAround {
    /// Those with room so many cells on in the turn's direction across, there or one cell below.
    fn free(&self, on: isize, below: bool) -> u32;
    /// Those with room at the side and below that.
    fn slope(&self) -> u32;
    /// Those with room at one of the two sides that meet at the turn's corner.
    fn corner(&self) -> u32;
    /// Those with a grain of this kind or a heavier one above.
    fn laden(&self) -> u32;
}
