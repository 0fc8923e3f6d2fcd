//! Rules of single places, which change nothing else and are found by the state before.

use crate::world::World;
use lavoxel_base::grid::Place;
use lavoxel_base::grid::tile::TilePlace;
use lavoxel_base::random::Draw;

/// A place where a rule is due.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// Where the first material is, and the second.
    pub places: [Place; 2],
    /// Parts that react.
    pub parts: u32,
}

/// A layer without which no cell of a tile is due.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Its number.
    pub layer: usize,
    /// Whether a tile that shares a face may hold it too.
    pub beside: bool,
}

/// A rule that says where it is due by the state before.
pub trait Point: Sync {
    /// The layer in whose cells it may be due, and its least amount there.
    fn site(&self) -> (usize, u16);

    /// Other layers that it needs.
    fn needs(&self) -> [Option<Needed>; 2] {
        [None; 2]
    }

    /// Cells of a tile that the step chooses.
    fn chosen(&self, _tile: TilePlace, _draw: Draw) -> u32 {
        u32::MAX
    }

    /// Finds if something is due at a place in a round of a step.
    fn due(&self, world: &World, place: Place, draw: Draw, round: u64) -> Option<Due>;
}
