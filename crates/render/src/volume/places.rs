//! Layout shared by bricks, pages and rays: places per brick, cells that a brick depends on, and
//! the densities that a style reads.

/// Places along a brick's edge.
pub(crate) const EDGE: usize = 4;
/// Edge in cells of the cube whose values a brick depends on: the cells of its places, and one more
/// on each side for the slopes there.
pub(crate) const AROUND: usize = EDGE + 3;

/// Skipping of empty space by rays; a test checks that pictures are the same with and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    /// Empty blocks and bricks are skipped.
    Bricks,
    /// Every sample is taken.
    Never,
}

/// Densities of the cells around a brick, indexed `[z][y][x]`; the last entry of each row is
/// unused.
pub(crate) type Around = [[[u8; AROUND + 1]; AROUND]; AROUND];

/// Fields of a volume that a style reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Height of a cell in its widths.
    pub(crate) tall: f32,
    /// Largest density that is not drawn, 0 to 255.
    pub empty: u8,
    /// Radius of the Gaussian smoothing in cells.
    pub(crate) smoothing: f32,
    /// Set if every sample is shaded: slopes of the density are computed beforehand.
    pub(crate) shaded: bool,
}
