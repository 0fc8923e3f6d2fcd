//! Shape of rules for single places, which change nothing elsewhere and are found by the state
//! before.

use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::Draw;

/// Place where a rule is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Cells of the first material and of the second.
    pub places: [Place; 2],
    /// Number of parts that react.
    pub parts: u32,
}

/// Layer without which no cell of a tile is due.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Index of the layer.
    pub layer: usize,
    /// Neighbour flag: a tile that shares a face may hold the layer instead.
    pub beside: bool,
}

/// Rule that finds by the state before where it is due.
pub trait Point: Sync {
    /// Returns the layer in whose cells the rule may be due, and the least amount there in units.
    fn site(&self) -> (usize, u16);

    /// Returns other layers that the rule needs.
    fn needs(&self) -> [Option<Needed>; 2] {
        [None; 2]
    }

    /// Returns bits of the cells of a tile that the step chooses.
    fn chosen(&self, _tile: TilePlace, _draw: Draw) -> u32 {
        u32::MAX
    }

    /// Finds the action due at a place in a round of a step.
    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due>;
}
