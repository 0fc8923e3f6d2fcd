//! Rule shape for events at single places: evaluated on the state before, without side effects on
//! other places.

use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::Draw;

/// Event of a rule: place and extent.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Cells of the first and of the second material; equal if the rule acts within one cell.
    pub places: [Place; 2],
    /// Extent of the reaction: multiple of the stoichiometric coefficients.
    pub parts: u32,
}

/// Layer that must be present in or next to a tile for any event of the rule.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Layer index.
    pub layer: usize,
    /// Neighbour flag: a tile that shares a face with the tile may contain the layer instead.
    pub beside: bool,
}

/// Rule of single places; events are found from the state before.
pub trait Point: Sync {
    /// Returns the index of the layer in whose cells the rule may act, and the least amount there
    /// in units.
    fn site(&self) -> (usize, u16);

    /// Returns other layers whose presence the rule requires; `None` entries are unused.
    fn needs(&self) -> [Option<Needed>; 2] {
        [None; 2]
    }

    /// Returns the bit mask of cells of a tile selected by the step's random numbers.
    fn chosen(&self, _tile: TilePlace, _draw: Draw) -> u32 {
        u32::MAX
    }

    /// Returns the event at `place` in round `round` of the step; `None` if the rule does not act
    /// there.
    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due>;
}
