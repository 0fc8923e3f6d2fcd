//! Layout that the bricks, their pages and the rays share: how many places a brick has, which cells it depends on, and which
//! densities a style reads.

/// Places along a brick's edge.
pub(crate) const EDGE: usize = 4;
/// Cells along the edge of the cube whose values a brick depends on: those of its places, and one more on each side for
/// the slopes there.
pub(crate) const AROUND: usize = EDGE + 3;

/// Whether rays skip empty space. A test checks that pictures are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    Bricks,
    Never,
}

/// The densities of the cells around a brick, x in the last index; one of each row is unused.
pub(crate) type Around = [[[u8; AROUND + 1]; AROUND]; AROUND];

/// Fields that a style reads of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Height of a cell in its widths.
    pub(crate) tall: f32,
    /// Densities up to this, 0..255, are not drawn.
    pub empty: u8,
    /// Gaussian radius in cells.
    pub(crate) smoothing: f32,
    /// Every sample is shaded: slopes of the density are computed beforehand.
    pub(crate) shaded: bool,
}
