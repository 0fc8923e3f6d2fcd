//! Bricks (cubic blocks of the volume) on the graphics card: stores the distance of each brick to
//! the nearest brick with visible content, so that rays skip empty space.

use crate::changes::BRICK;
use lavoxel_base::grid::Grid;
use lavoxel_render::volume::bricks::chessboard;

/// Upper bound of the stored distances to the nearest brick with content, in bricks.
pub(super) const FARTHEST: u8 = 16;

/// Error: the textures of a simulation box are too large for the graphics card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a box of {}×{}×{} cells is too large for this graphics card ({reason}); it runs all the same, and \
    `lavoxel render` draws it",
    size[0], size[1], size[2]
)]
pub struct TooLarge {
    /// Number of texels along x, y and z of the texture that is too large.
    pub(super) size: [usize; 3],
    pub(super) reason: String,
}

/// Returns the number of bricks along x, y and z that cover `grid`.
pub(super) fn brick_count(grid: Grid) -> [usize; 3] {
    [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK))
}

/// Returns for each brick (x fastest) the Chebyshev distance to the nearest occupied brick, in
/// bricks, at most `FARTHEST`. `full` yields true for each occupied brick (x fastest).
pub(super) fn distances(grid: Grid, full: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut distance: Vec<u8> = full.map(|full| if full { 0 } else { FARTHEST }).collect();
    chessboard(&mut distance, brick_count(grid), FARTHEST);
    distance
}
