//! Rule shape for grains, which fill one cell each: all grains fall, then move sideways in a
//! sequence of *turns*. In a turn all grains that can make the same move do so at once.

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

/// Kind and direction of a sideways move of grains; all grains that can make the move do so at
/// once. The field is the index of the direction in [`SIDES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A falling grain moves diagonally down, to one of the first four [`SIDES`].
    Scatter(usize),
    /// A grain slides diagonally down, to any of the [`SIDES`].
    Slide(usize),
    /// A grain below another grain moves sideways at the same height, to one of the first four
    /// [`SIDES`].
    Flow(usize),
    /// A grain moves sideways at the same height, to one of the first four [`SIDES`], where it can
    /// slide down in a later step.
    Slip(usize),
}

impl Turn {
    /// Displacement (dx, dy, dz) of a grain by the move, in cells.
    pub fn way(self) -> [isize; 3] {
        let (side, dy) = match self {
            Self::Scatter(side) | Self::Slide(side) => (side, -1),
            Self::Flow(side) | Self::Slip(side) => (side, 0),
        };
        let (dx, dz) = SIDES[side];
        [dx, dy, dz]
    }
}

/// Rule of the motion of grains: the fall, and sideways moves before and after it.
pub(crate) trait Turns: Sync {
    /// Smallest amounts in a cell that block a grain, in units: of still matter and heavier grains,
    /// and of denser fluids.
    const BARS: [u16; 2];
    /// Largest amount of lighter matter in a cell with which this matter exerts no drag on a grain,
    /// in units.
    const THIN: u16;

    /// Returns all parameters that influence the result in a simulation with this `seed`, as raw
    /// bits.
    fn numbers(&self, seed: u64) -> RuleNumbers;

    /// Boundary condition at the sides of the simulation box.
    fn walls(&self) -> Walls;

    /// Returns the sideways moves that scatter falling grains before the fall, in their order
    /// within the step; `draw`: seed and step.
    fn scatters(&self, draw: Draw) -> impl Iterator<Item = Turn>;

    /// Returns the sideways moves after the fall, in their order within the step; `draw`: seed and
    /// step.
    fn turns(&self, draw: Draw) -> Vec<Turn>;

    /// Returns two flags: true if grains below other grains can move sideways (`Flow`), and true if
    /// the rule has any sideways move at the same height.
    fn goes_level(&self) -> [bool; 2];

    /// Returns the drag of lighter matter in the step: hash key of the random numbers, and
    /// probability (in 1/256) with which a grain is held up.
    fn held_up(&self, draw: Draw) -> (StepKey, u16);

    /// Returns the drag of the air in the step: hash key of the random numbers, and probability (in
    /// 1/256) with which a falling grain stays suspended.
    fn hangs(&self, draw: Draw) -> (StepKey, u16);

    /// Returns true if the grain in the cell `place` makes the move `turn`, given its surroundings
    /// `around`. `draw`: seed and step, which select the random numbers.
    fn goes(&self, turn: Turn, place: Place, draw: Draw, around: &impl Around) -> bool;

    /// Returns the bit mask of the cells of `tile` for whose grains [`Turns::goes`] is true.
    fn going(&self, turn: Turn, tile: TilePlace, draw: Draw, around: &impl TilesAround) -> u32;
}

/// Surroundings of one grain; cells are given by their offsets along x, y and z from the grain.
pub(crate) trait Around {
    /// Returns true if the grain can enter the cell at the offset `by`.
    fn is_free(&self, by: [isize; 3]) -> bool;
    /// Returns true if the cell above the grain contains a grain of the same or a heavier material.
    fn is_laden(&self) -> bool;
}

/// Surroundings of the grains in the 32 cells of a tile, as bit masks.
pub(crate) trait TilesAround {
    /// Returns the bit mask of the cells whose grain could enter the cell `on` cells away in the
    /// horizontal direction of the move: the cell at the same height, or, if `below` is true, one
    /// cell lower.
    fn free(&self, on: isize, below: bool) -> u32;
    /// Returns the bit mask of the cells for which both the neighbour in the horizontal direction
    /// of the move and the cell below that neighbour are free.
    fn slope(&self) -> u32;
    /// Returns the bit mask of the cells for which at least one of the two cells that the diagonal
    /// move passes at the same height is free.
    fn corner(&self) -> u32;
    /// Returns the bit mask of the cells with a grain of the same or a heavier material above.
    fn laden(&self) -> u32;
}
