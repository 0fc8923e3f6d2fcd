//! Constants and types that bricks, pages and rays share: size of a brick, cells on which a brick
//! depends, and the smallest density that a style draws.

/// Number of places (cubes between eight cell centres) along a brick's edge.
pub(crate) const EDGE: usize = 4;
/// Edge in cells of the cube on whose densities a brick depends: the `EDGE` + 1 cells around its
/// places, and one more cell on each side for central differences.
pub(crate) const AROUND: usize = EDGE + 3;

/// Skipping of empty space by rays; a test checks that pictures are equal with and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    /// Rays skip empty blocks and bricks.
    Bricks,
    /// Rays take every sample; for tests.
    Never,
}

/// Densities (0 to 255) of the cells on which a brick depends, indexed `[z][y][x]`; the last entry
/// of each row is padding to 8 bytes.
pub(crate) type Around = [[[u8; AROUND + 1]; AROUND]; AROUND];

/// Properties of a style on which the bricks depend: smallest density to draw, smoothing and
/// shading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Height of a cell in cell widths.
    pub(crate) tall: f32,
    /// Largest density that is not drawn, 0 to 255 for 0 to 1.
    pub empty: u8,
    /// Standard deviation in cells of the Gaussian by which density and energy are smoothed before
    /// rays sample either; 0 for no smoothing.
    pub(crate) smoothing: f32,
    /// Set if the style shades every sample; then gradients of the density are computed in advance
    /// and stored in pages.
    pub(crate) shaded: bool,
}
