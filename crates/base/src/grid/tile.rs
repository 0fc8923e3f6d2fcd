//! Tiles: the 8 × 1 × 4 cells that storage, instructions and random hashes handle together.
//!
//! Lava is a thin skin on the ground, and flat tiles fit it better than cubes. 32 lanes of 16 bits fill one AVX-512 register.

/// Cells of a tile along x.
pub const TILE_X: usize = 8;
/// Cells of a tile along z, which are the slabs of a strip.
pub const TILE_Z: usize = 4;

/// Tiles of a row, which share a row of storage: a bit each in a `u64`.
pub const ROW: usize = 64;

/// The place of a tile: tiles along x, cells along y and tiles along z.
pub type TilePlace = [usize; 3];

/// A value for each cell of a tile; lane `8 · (z mod 4) + x mod 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lanes(pub [u16; 32]);

impl Lanes {
    /// Nothing in any cell.
    pub const ZERO: Self = Self([0; 32]);

    /// The cells with one z.
    #[inline]
    pub fn row(&self, z: usize) -> &[u16; TILE_X] {
        &self.0.as_chunks().0[z % TILE_Z]
    }

    /// Sum over all cells.
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|&v| u64::from(v)).sum()
    }
}

/// Numbers of the bits that are set, from the lowest.
#[inline]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}
