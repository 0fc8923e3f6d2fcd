//! Bit masks of the marked cells of a tile and of the six tiles that share a face with it.

/// Bit mask of the cells at the western edge of a tile (x = 0).
pub(super) const WEST: u32 = 0x0101_0101;
/// Bit mask of the cells at the eastern edge of a tile (x = 7).
pub(super) const EAST: u32 = 0x8080_8080;
/// Bit mask of the cells at the northern edge of a tile (z = 0).
pub(super) const NORTH: u32 = 0xff;
/// Bit mask of the cells at the southern edge of a tile (z = 3).
pub(super) const SOUTH: u32 = 0xff << 24;

/// Bit masks of the marked cells of a tile and of the six tiles that share a face with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) here: u32,
    pub(super) below: u32,
    pub(super) above: u32,
    /// Masks of the marked cells in the tiles to the west, east, north and south, in this order.
    pub(super) beside: [u32; 4],
}

impl Near {
    /// Returns the bit mask of the tile's cells that have a marked horizontal neighbour.
    #[inline(always)]
    pub(super) fn lateral_mask(&self) -> u32 {
        let Self {
            here,
            beside: [west, east, north, south],
            ..
        } = *self;
        let inside = (here & !WEST) >> 1 | (here & !EAST) << 1 | here >> 8 | here << 8;
        let across =
            (west & EAST) >> 7 | (east & WEST) << 7 | (north & SOUTH) >> 24 | (south & NORTH) << 24;
        inside | across
    }

    /// Returns the bit mask of the tile's cells that have a marked neighbour below or at one of the
    /// four sides.
    #[inline(always)]
    pub(super) fn beside_or_below(&self) -> u32 {
        self.lateral_mask() | self.below
    }

    /// Iterates over those of the seven tiles that have marked cells, as offsets (x, y, z, in
    /// tiles) from the middle tile.
    #[inline(always)]
    pub(super) fn tiles(&self) -> impl Iterator<Item = [isize; 3]> {
        let Self {
            here,
            below,
            above,
            beside: [west, east, north, south],
        } = *self;
        let tiles = [
            (here, [0, 0, 0]),
            (below, [0, -1, 0]),
            (above, [0, 1, 0]),
            (west, [-1, 0, 0]),
            (east, [1, 0, 0]),
            (north, [0, 0, -1]),
            (south, [0, 0, 1]),
        ];
        tiles
            .into_iter()
            .filter(|&(cells, _)| cells != 0)
            .map(|(_, by)| by)
    }
}

/// Returns the five neighbours of a tile's cell with index `lane` (0–31), the one below first, then
/// those at the four sides: offset of the neighbour's tile (x, y, z, in tiles), and bit of the
/// neighbour in that tile.
pub(super) fn lane_neighbours(lane: u32) -> [([isize; 3], u32); 5] {
    let bit = 1_u32 << lane;
    let across = |edge: u32, inside: u32, outside: u32, by: [isize; 3]| {
        if bit & edge == 0 {
            ([0; 3], inside)
        } else {
            (by, outside)
        }
    };
    [
        ([0, -1, 0], bit),
        across(WEST, bit >> 1, bit << 7 & EAST, [-1, 0, 0]),
        across(EAST, bit << 1, bit >> 7 & WEST, [1, 0, 0]),
        across(NORTH, bit >> 8, bit << 24, [0, 0, -1]),
        across(SOUTH, bit << 8, bit >> 24, [0, 0, 1]),
    ]
}
