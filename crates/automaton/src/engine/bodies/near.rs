//! The masks of a tile and of those around it.

/// The cells of a tile at its sides.
pub(super) const WEST: u32 = 0x0101_0101;
pub(super) const EAST: u32 = 0x8080_8080;
pub(super) const NORTH: u32 = 0xff;
pub(super) const SOUTH: u32 = 0xff << 24;

/// Cells of a tile and of the six around it, a bit for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) here: u32,
    pub(super) below: u32,
    pub(super) above: u32,
    /// West, east, north, south.
    pub(super) beside: [u32; 4],
}

impl Near {
    /// Cells that have one of them at a side.
    #[inline(always)]
    pub(super) fn beside(&self) -> u32 {
        let Self { here, beside: [west, east, north, south], .. } = *self;
        let inside = (here & !WEST) >> 1 | (here & !EAST) << 1 | here >> 8 | here << 8;
        let across = (west & EAST) >> 7 | (east & WEST) << 7 | (north & SOUTH) >> 24 | (south & NORTH) << 24;
        inside | across
    }

    /// Cells that have one of them at a side or below.
    #[inline(always)]
    pub(super) fn beside_or_below(&self) -> u32 {
        self.beside() | self.below
    }

    /// The tiles that have such cells: by how many tiles away along x, y and z.
    #[inline(always)]
    pub(super) fn tiles(&self) -> impl Iterator<Item = [isize; 3]> {
        let Self { here, below, above, beside: [west, east, north, south] } = *self;
        let tiles = [
            (here, [0, 0, 0]),
            (below, [0, -1, 0]),
            (above, [0, 1, 0]),
            (west, [-1, 0, 0]),
            (east, [1, 0, 0]),
            (north, [0, 0, -1]),
            (south, [0, 0, 1]),
        ];
        tiles.into_iter().filter(|&(cells, _)| cells != 0).map(|(_, by)| by)
    }
}

/// The cells below one of a tile and at its sides: by how many tiles away each is along x, y and z, and its bit there.
pub(super) fn around(lane: u32) -> [([isize; 3], u32); 5] {
    let bit = 1_u32 << lane;
    let across = |edge: u32, inside: u32, outside: u32, by: [isize; 3]| {
        if bit & edge == 0 { ([0; 3], inside) } else { (by, outside) }
    };
    [
        ([0, -1, 0], bit),
        across(WEST, bit >> 1, bit << 7 & EAST, [-1, 0, 0]),
        across(EAST, bit << 1, bit >> 7 & WEST, [1, 0, 0]),
        across(NORTH, bit >> 8, bit << 24, [0, 0, -1]),
        across(SOUTH, bit << 8, bit >> 24, [0, 0, 1]),
    ]
}
