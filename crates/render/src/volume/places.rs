//! Constants and types that the grid of bricks, its pages and rays share: size of a brick, cells on
//! which a brick depends, and properties of a style on which bricks depend.

/// Number of places (cubes between eight cell centres) along a brick's edge.
pub(crate) const EDGE: usize = 4;
/// Edge length in cells of the cube of cells on whose densities a brick depends: `EDGE` + 1 cells
/// around its places, and one more cell on each side for central differences.
pub(crate) const AROUND: usize = EDGE + 3;

/// Method by which rays skip empty space; pictures must be equal with all methods, which a test
/// checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    /// Rays skip empty blocks, bricks and places.
    Bricks,
    /// Rays take every sample; used by tests only.
    Never,
}

/// Densities (0 to 255) of the cells on which a brick depends, indexed `[z][y][x]`; the last entry
/// of each row is padding to 8 bytes.
pub(crate) type Around = [[[u8; AROUND + 1]; AROUND]; AROUND];

/// Properties of a style on which the bricks depend: height of a cell, smallest density to draw,
/// smoothing and shading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    pub(crate) tall: f32,
    /// Largest density that is not drawn, 0 to 255 for 0 to 1.
    pub empty: u8,
    /// Standard deviation, in cells, of the Gaussian with which density and energy are smoothed
    /// before rays sample them; 0 for no smoothing.
    pub(crate) smoothing: f32,
    /// Set if the style shades every sample, for which gradients of the density are computed in
    /// advance and stored in pages.
    pub(crate) shaded: bool,
}
