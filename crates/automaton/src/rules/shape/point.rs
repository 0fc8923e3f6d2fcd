//! Rule shape for events in single cells or pairs of cells, such as reactions: all events of a
//! round are found from the same state.

use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::Draw;

/// Event of a rule: the cells in which it takes place, and its extent.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Cells of the first and of the second material; equal if the rule acts within one cell.
    pub places: [Place; 2],
    /// Extent of the event, as a whole number: a material's amount (units) changes by the extent
    /// times its stoichiometric coefficient.
    pub parts: u32,
}

/// Layer that a rule needs in addition to that of its site: no event takes place in a tile that
/// lacks matter of this layer and, where neighbours count, shares no face with a tile that contains
/// some.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Index of the layer.
    pub layer: usize,
    /// True if neighbours count: the rule also acts in tiles that contain none of the matter but
    /// share a face with a tile that does.
    pub beside: bool,
}

/// Rule whose events take place in single cells or pairs of cells and are found from the state
/// before the round.
pub trait Point: Sync {
    /// Returns the index of the layer in whose cells events can take place, and the smallest amount
    /// that such a cell contains, in units.
    fn site(&self) -> (usize, u16);

    /// Returns up to two layers whose matter the rule needs in addition to that of `site`.
    fn needs(&self) -> [Option<Needed>; 2] {
        [None; 2]
    }

    /// Returns the bit mask of the cells of `tile` in which the random numbers of the step allow an
    /// event; `draw`: seed and step.
    fn chosen(&self, _tile: TilePlace, _draw: Draw) -> u32 {
        u32::MAX
    }

    /// Returns the event of the rule in the cell `place` in round `round` of the step; `None` if
    /// none takes place. `draw`: seed and step of the random numbers.
    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due>;
}
