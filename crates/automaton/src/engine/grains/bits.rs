//! Bit operations on bit words of tiles (32-bit words with one bit for each of a tile's 32 cells: 8
//! along x, 4 along z), and sets of tiles.

use crate::world::Rows;
use lavoxel_base::grid::tile::{ROW, TILE_X};

/// Bit mask of the western column (x = 0) of a tile.
const WEST: u32 = 0x0101_0101;
/// Bit mask of the eastern column (x = 7) of a tile.
const EAST: u32 = WEST << 7;

/// Bit words (one bit per cell) of a tile and of the three horizontally adjacent tiles around one
/// of its four corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quad {
    pub(super) here: u32,
    /// Bit word of the adjacent tile in the x direction of the quad's offset: to the west if its
    /// `dx` is negative, to the east if positive.
    pub(super) aside: u32,
    /// Bit word of the adjacent tile in the z direction of the quad's offset: to the north if its
    /// `dz` is negative, to the south if positive.
    pub(super) across: u32,
    /// Bit word of the diagonally adjacent tile, between `aside` and `across`.
    pub(super) corner: u32,
}

impl Quad {
    /// Returns the middle tile's word shifted by an offset: bit i is the bit of the cell that lies
    /// `dx` cells east and `dz` cells south of cell i; `dx` and `dz` from −2 to 2.
    #[inline(always)]
    pub(super) fn seen(self, [dx, dz]: [isize; 2]) -> u32 {
        let here = rows_seen(dz, self.here, self.across);
        let aside = rows_seen(dz, self.aside, self.corner);
        match dx {
            0 => here,
            1 => here >> 1 & !EAST | aside << 7 & EAST,
            -1 => here << 1 & !WEST | aside >> 7 & WEST,
            2 => here >> 2 & !(EAST | EAST >> 1) | aside << 6 & (EAST | EAST >> 1),
            _ => here << 2 & !(WEST | WEST << 1) | aside >> 6 & (WEST | WEST << 1),
        }
    }
}

/// Returns a tile's bit word `here` shifted by `dz` rows: each cell gets the bit of the cell `dz`
/// cells to the south, taken from the bit word `across` of the neighbour tile where needed.
#[inline(always)]
fn rows_seen(dz: isize, here: u32, across: u32) -> u32 {
    const ROW: usize = TILE_X;
    match dz {
        0 => here,
        1 => here >> ROW | across << (3 * ROW),
        -1 => here << ROW | across >> (3 * ROW),
        2 => here >> (2 * ROW) | across << (2 * ROW),
        _ => here << (2 * ROW) | across >> (2 * ROW),
    }
}

/// Moves the cells marked in `cells` by `dx` (−1, 0 or 1) cells to the east; returns the resulting
/// bit words of the tile itself and of the neighbour tile that they enter.
#[inline(always)]
pub(super) fn moved_along_x(dx: isize, cells: u32) -> [u32; 2] {
    match dx {
        0 => [cells, 0],
        1 => [cells << 1 & !WEST, cells >> 7 & WEST],
        _ => [cells >> 1 & !EAST, cells << 7 & EAST],
    }
}

/// Moves the cells marked in `cells` by `dz` (−1, 0 or 1) cells to the south; returns the resulting
/// bit words of the tile itself and of the neighbour tile that they enter.
#[inline(always)]
pub(super) fn moved_along_z(dz: isize, cells: u32) -> [u32; 2] {
    match dz {
        0 => [cells, 0],
        1 => [cells << TILE_X, cells >> (3 * TILE_X)],
        _ => [cells >> TILE_X, cells << (3 * TILE_X)],
    }
}

/// Returns the bit word `here` of a tile with the cells directly west and east of each marked cell
/// added; `west` and `east` are the bit words of the neighbour tiles.
#[inline(always)]
fn spread_along_x(here: u32, west: u32, east: u32) -> u32 {
    here | here << 1 & !WEST | west >> 7 & WEST | here >> 1 & !EAST | east << 7 & EAST
}

/// Returns the bit word of the middle of 3 × 3 tiles (`tiles`: outer axis z, inner axis x) with the
/// eight horizontal neighbours of each marked cell added.
#[inline(always)]
pub(super) fn dilated(tiles: [[u32; 3]; 3]) -> u32 {
    let [north, here, south] = tiles.map(|[west, here, east]| spread_along_x(here, west, east));
    here | rows_seen(-1, here, north) | rows_seen(1, here, south)
}

/// Set of tiles of a strip: one bit per tile, by [`Strip::index`](crate::world::Strip::index).
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    words: Vec<u64>,
    /// Number of 64-bit words per height y.
    width: usize,
    /// Range of y that contains all tiles of the set.
    pub(super) rows: Rows,
}

impl Default for Tiles {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            width: 1,
            rows: Rows::NONE,
        }
    }
}

impl Tiles {
    /// Removes all tiles and sets the length of the set to `words` 64-bit words, with `width` words
    /// for each height y.
    pub(super) fn clear(&mut self, words: usize, width: usize) {
        if self.words.len() == words && self.width == width {
            let rows = std::mem::replace(&mut self.rows, Rows::NONE).range();
            self.words[rows.start * width..rows.end * width].fill(0);
        } else {
            *self = Self {
                words: vec![0; words],
                width,
                rows: Rows::NONE,
            };
        }
    }

    /// Removes all tiles.
    pub(super) fn clear_all(&mut self) {
        self.clear(self.words.len(), self.width);
    }

    /// Returns the tiles from 64 `w` to 64 `w` + 63 at height `y` that are in the set, as a bit
    /// set.
    #[inline]
    pub(super) fn word(&self, y: usize, w: usize) -> u64 {
        self.words.get(y * self.width + w).copied().unwrap_or(0)
    }

    /// Adds the tiles in the bit set `tiles`, which stands for the tiles 64 `w` to 64 `w` + 63 at
    /// height `y`.
    #[inline]
    pub(super) fn add(&mut self, y: usize, w: usize, tiles: u64) {
        self.words[y * self.width + w] |= tiles;
        self.rows.add(y);
    }

    /// Adds the tile at (`tx`, `y`), x in tiles and y in cells, to the set.
    #[inline]
    pub(super) fn insert(&mut self, tx: usize, y: usize) {
        self.add(y, tx / ROW, 1 << (tx % ROW));
    }

    /// Number of 64-bit words per height y.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Number of heights y (in cells) for which the set has words: the height of the strip.
    pub(super) fn height(&self) -> usize {
        self.words.len() / self.width
    }

    /// Number of tiles in the set.
    pub(super) fn count(&self) -> usize {
        let rows = self.rows.range();
        self.words[rows.start * self.width..rows.end * self.width]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    /// Returns the bit of the cell (x, z) in the bit words of 3 × 3 tiles; (0, 0) is the first cell
    /// of the middle tile.
    fn bit(tiles: &[[u32; 3]; 3], x: isize, z: isize) -> u32 {
        let (tx, tz) = (x.div_euclid(8) + 1, z.div_euclid(4) + 1);
        tiles[tz as usize][tx as usize] >> (z.rem_euclid(4) * 8 + x.rem_euclid(8)) & 1
    }

    #[test]
    fn cells_see_and_reach_their_neighbours() {
        for seed in 0..50 {
            let tiles: [[u32; 3]; 3] = std::array::from_fn(|z| {
                std::array::from_fn(|x| mix64(seed * 9 + z as u64 * 3 + x as u64) as u32)
            });
            let near = dilated(tiles);
            for (x, z) in (0..4).flat_map(|z| (0..8).map(move |x| (x, z))) {
                let lane = z * 8 + x;
                let any = (-1..=1).any(|dz| (-1..=1).any(|dx| bit(&tiles, x + dx, z + dz) == 1));
                assert_eq!(near >> lane & 1 == 1, any);
                for (dx, dz) in [
                    (-1, 0),
                    (1, 0),
                    (0, -1),
                    (0, 1),
                    (-1, -1),
                    (1, -1),
                    (-1, 1),
                    (1, 1),
                    (2, 0),
                    (0, -2),
                ] {
                    let at = |n: isize| (n.signum() + 1) as usize;
                    let [here, aside] = [tiles[1][1], tiles[1][at(dx)]];
                    let quad = Quad {
                        here,
                        aside,
                        across: tiles[at(dz)][1],
                        corner: tiles[at(dz)][at(dx)],
                    };
                    assert_eq!(
                        quad.seen([dx, dz]) >> lane & 1,
                        bit(&tiles, x + dx, z + dz),
                        "({dx}, {dz})"
                    );
                    if dx.abs() > 1 || dz.abs() > 1 {
                        continue;
                    }
                    let mut arrived = [[0; 3]; 3];
                    for (across, cells) in moved_along_z(dz, 1 << lane).into_iter().enumerate() {
                        for (aside, cells) in moved_along_x(dx, cells).into_iter().enumerate() {
                            arrived[if across == 1 { at(dz) } else { 1 }]
                                [if aside == 1 { at(dx) } else { 1 }] |= cells;
                        }
                    }
                    assert_eq!(bit(&arrived, x + dx, z + dz), 1);
                    assert_eq!(
                        arrived
                            .as_flattened()
                            .iter()
                            .map(|word| word.count_ones())
                            .sum::<u32>(),
                        1
                    );
                }
            }
        }
    }
}
