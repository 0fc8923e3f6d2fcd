//! Rule shape for events at single places, such as reactions: all events of a round are found from
//! the same state.

use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::Draw;

/// Event of a rule: the cells in which it takes place, and its extent.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Cells of the first and of the second material; equal if the rule acts within one cell.
    pub places: [Place; 2],
    /// Extent of the event: the amounts change by the extent times the stoichiometric coefficients.
    pub parts: u32,
}

/// Layer whose matter must be in a tile, or next to it, for any event of the rule in the tile.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Index of the layer.
    pub layer: usize,
    /// True if it is enough that a tile that shares a face contains the layer.
    pub beside: bool,
}

/// Rule whose events take place at single places and are found from the state before the round.
pub trait Point: Sync {
    /// Returns the index of the layer in whose cells events can take place, and the smallest amount
    /// that such a cell contains, in the smallest unit.
    fn site(&self) -> (usize, u16);

    /// Returns up to two other layers that the rule needs.
    fn needs(&self) -> [Option<Needed>; 2] {
        [None; 2]
    }

    /// Returns the bit mask of the cells of a tile in which the random numbers of the step allow an
    /// event.
    fn chosen(&self, _tile: TilePlace, _draw: Draw) -> u32 {
        u32::MAX
    }

    /// Returns the event at `place` in round `round` of the step; `None` if there is none.
    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due>;
}
