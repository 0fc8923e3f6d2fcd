//! Rule shape of grains, which fill one cell each: all grains fall, then move sideways in a
//! sequence of turns; in a turn, all grains able to make the same move do so simultaneously.

use super::sweep::DIRECTIONS;
use crate::world::RuleNumbers;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::grid::{Place, Walls};
use lavoxel_base::random::{Draw, StepKey};

/// Horizontal directions as (dx, dz): the four [`DIRECTIONS`], then the four diagonals.
pub const SIDES: [(isize, isize); 8] = {
    let [west, east, north, south] = DIRECTIONS;
    [west, east, north, south, (-1, -1), (1, -1), (-1, 1), (1, 1)]
};

/// Turn: one kind of move, made by all grains that can; the field is an index into [`SIDES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Falls diagonally to one of the first four [`SIDES`].
    Scatter(usize),
    /// Slides diagonally down to one of the [`SIDES`].
    Slide(usize),
    /// Moves level to one of the first four [`SIDES`] under the weight of a grain above.
    Flow(usize),
    /// Moves level to one of the first four [`SIDES`] from which the grain can then slide on.
    Slip(usize),
}

impl Turn {
    /// Displacement (dx, dy, dz) of a grain, in cells.
    pub fn way(self) -> [isize; 3] {
        let (side, dy) = match self {
            Self::Scatter(side) | Self::Slide(side) => (side, -1),
            Self::Flow(side) | Self::Slip(side) => (side, 0),
        };
        let (dx, dz) = SIDES[side];
        [dx, dy, dz]
    }
}

/// Rule of grain motion by falls and turns.
pub(crate) trait Turns: Sync {
    /// Least blocking amounts per cell, in units: of still matter and heavier grains, of denser
    /// fluids.
    const BARS: [u16; 2];
    /// Largest amount of lighter matter in a cell that exerts no drag on a grain, in units.
    const THIN: u16;

    /// Returns all parameters that influence the result in a run with this `seed`, as raw numbers.
    fn numbers(&self, seed: u64) -> RuleNumbers;

    /// Boundary at the sides of the box.
    fn walls(&self) -> Walls;

    /// Returns the ordered turns before the fall, in which falling grains scatter, for the layer
    /// with index `layer`.
    fn scatters(&self, draw: Draw, layer: usize) -> impl Iterator<Item = Turn>;

    /// Returns the ordered turns after the fall for the layer with index `layer`.
    fn turns(&self, draw: Draw, layer: usize) -> Vec<Turn>;

    /// Returns two flags: a grain above lets the grains below flow; some turn moves level.
    fn goes_level(&self) -> [bool; 2];

    /// Returns hash key and probability (of 256) that lighter matter holds a grain up in a step.
    fn held_up(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Returns hash key and probability (of 256) that a grain does not fall in a step.
    fn hangs(&self, draw: Draw, layer: usize) -> (StepKey, u16);

    /// Returns true if the grain at `place` makes the move `turn`, given its surroundings `around`.
    fn goes(&self, turn: Turn, place: Place, draw: Draw, around: &impl Around) -> bool;

    /// [`Turns::goes`] for the 32 cells of a tile.
    fn going(&self, turn: Turn, tile: TilePlace, draw: Draw, around: &impl TilesAround) -> u32;
}

/// Surroundings of a grain, addressed by offsets in cells along x, y and z.
pub(crate) trait Around {
    /// Returns true if the cell at offset `by` is free for the grain.
    fn is_free(&self, by: [isize; 3]) -> bool;
    /// Returns true if the cell above contains a grain of this or a heavier kind.
    fn is_laden(&self) -> bool;
}

/// Surroundings of the 32 cells of a tile, as bit masks.
pub(crate) trait TilesAround {
    /// Returns the bit mask of cells whose target is free: `on` cells further in the turn's
    /// horizontal direction, at the same height or, if `below`, one cell lower.
    fn free(&self, on: isize, below: bool) -> u32;
    /// Returns the bit mask of cells whose lateral neighbour and the cell below that neighbour are
    /// free.
    fn slope(&self) -> u32;
    /// Returns the bit mask of cells with a free neighbour at one of the two sides adjacent to the
    /// turn's diagonal.
    fn corner(&self) -> u32;
    /// Returns the bit mask of cells with a grain of this or a heavier kind above.
    fn laden(&self) -> u32;
}
