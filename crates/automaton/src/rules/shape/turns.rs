//! Shape of rules for bodies that fill a cell each: they fall, and then take turns; in a turn all
//! bodies that can move the same way move at once.

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

/// Turn: one action that all grains take that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Go down to one of the first four of [`SIDES`] instead of falling.
    Scatter(usize),
    /// Slide down to one of [`SIDES`].
    Slide(usize),
    /// Flow to one of the first four of [`SIDES`].
    Flow(usize),
    /// Slip to one of the first four of [`SIDES`].
    Slip(usize),
}

impl Turn {
    /// Displacement of a grain in cells along x, y and z.
    pub fn way(self) -> [isize; 3] {
        let (side, dy) = match self {
            Self::Scatter(side) | Self::Slide(side) => (side, -1),
            Self::Flow(side) | Self::Slip(side) => (side, 0),
        };
        let (dx, dz) = SIDES[side];
        [dx, dy, dz]
    }
}

/// Rule by which grains fall and take turns.
pub(crate) trait Turns: Sync {
    /// Least amounts in units that bar the way in a cell: of still matter and heavier grains, and
    /// of denser fluids.
    const BARS: [u16; 2];
    /// Largest amount of lighter matter in a cell that holds no grain up, in units.
    const THIN: u16;

    /// Returns all numbers on which the rule depends in a run with a `seed`.
    fn numbers(&self, seed: u64) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns the turns of falling grains in a step of the layer with index `layer`, in their
    /// order, before the fall.
    fn scatters(&self, draw: Draw, layer: usize) -> impl Iterator<Item = Turn>;

    /// Returns the turns of a step of the layer with index `layer`, in their order, after the fall.
    fn turns(&self, draw: Draw, layer: usize) -> Vec<Turn>;

    /// Returns two flags: a grain above lets the grains below go; some turn goes to a side without
    /// going down.
    fn goes_level(&self) -> [bool; 2];

    /// Returns key and share, of 256, of the grains that lighter matter holds up in a step.
    fn held_up(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Returns key and share, of 256, of the grains that do not fall in a step.
    fn hangs(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Returns true if the grain at `place` takes a turn, as far as its surroundings allow.
    fn goes(&self, turn: Turn, place: Place, draw: Draw, around: &impl Around) -> bool;

    /// [`Turns::goes`] for the 32 cells of a tile.
    fn going(&self, turn: Turn, tile: TilePlace, draw: Draw, around: &impl TilesAround) -> u32;
}

/// Surroundings of a grain, by cells along x, y and z from the grain.
pub(crate) trait Around {
    /// Returns true if the grain could be there.
    fn is_free(&self, by: [isize; 3]) -> bool;
    /// Returns true if a grain of this kind or a heavier one is in the cell above.
    fn is_laden(&self) -> bool;
}

/// Surroundings of the cells of a tile, a bit per cell.
pub(crate) trait TilesAround {
    /// Returns bits of the cells with room `on` cells further in the turn's direction across, at
    /// the same height or, if `below`, one cell below.
    fn free(&self, on: isize, below: bool) -> u32;
    /// Returns bits of the cells with room at the side and below that side.
    fn slope(&self) -> u32;
    /// Returns bits of the cells with room at one of the two sides that meet at the turn's corner.
    fn corner(&self) -> u32;
    /// Returns bits of the cells with a grain of this kind or a heavier one above.
    fn laden(&self) -> u32;
}
