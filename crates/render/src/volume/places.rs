//! Constants and types that bricks, pages and rays share: size of a brick, cells that a brick
//! depends on, and density thresholds of a style.

/// Number of places (cubes between eight cell centres) along a brick's edge.
pub(crate) const EDGE: usize = 4;
/// Edge in cells of the cube whose densities a brick depends on: the `EDGE` + 1 cells of its
/// places, and one more cell on each side for central differences.
pub(crate) const AROUND: usize = EDGE + 3;

/// Empty-space skipping of rays; a test checks that pictures are equal with and without skipping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    /// Rays jump over empty blocks and bricks.
    Bricks,
    /// Rays take every sample; used by tests.
    Never,
}

/// Densities (0 to 255) of the cells that a brick depends on, indexed `[z][y][x]`; the last entry
/// of each row is padding to 8 bytes.
pub(crate) type Around = [[[u8; AROUND + 1]; AROUND]; AROUND];

/// Inputs of the occupancy grid that a style decides: density threshold, smoothing and shading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Height of a cell in cell widths.
    pub(crate) tall: f32,
    /// Largest density that is not drawn, 0 to 255.
    pub empty: u8,
    /// Standard deviation in cells of the Gaussian that smooths the fields before rays sample them;
    /// 0 for none.
    pub(crate) smoothing: f32,
    /// Shading flag: gradients of the density are precomputed in pages, because the style shades
    /// every sample.
    pub(crate) shaded: bool,
}
