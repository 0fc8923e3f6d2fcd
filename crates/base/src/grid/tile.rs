//! Tiles of 8 × 1 × 4 cells: the common unit of storage, vector instructions and random hashes.
//!
//! Lava is a thin skin on the ground, which flat tiles fit better than cubes do. 32 lanes of 16
//! bits fill one AVX-512 register.

/// Number of cells of a tile along x.
pub const TILE_X: usize = 8;
/// Number of cells of a tile along z.
pub const TILE_Z: usize = 4;

/// Number of tiles along x in one row of storage: a `u64` has one flag bit for each.
pub const ROW: usize = 64;

/// Index of a tile (tx, y, tz): tiles along x, cells along y, tiles along z.
pub type TilePlace = [usize; 3];

/// One 16-bit value for each cell of a tile; the value of the cell (x, z) has the index `8 · (z mod
/// 4) + x mod 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lanes(pub [u16; 32]);

impl Lanes {
    /// Values of a tile that are all 0.
    pub const ZERO: Self = Self([0; 32]);

    /// Returns the values of the eight cells of the tile's row `z` (0 to 3).
    #[inline]
    pub fn row(&self, z: usize) -> &[u16; TILE_X] {
        &self.0.as_chunks().0[z % TILE_Z]
    }

    /// Sum of the values of all 32 cells.
    pub fn sum(&self) -> u64 {
        self.0.iter().map(|&v| u64::from(v)).sum()
    }
}

/// Iterates over the indices of the set bits of `word`, in ascending order.
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
