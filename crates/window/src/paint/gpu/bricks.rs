//! Bricks of the volume on the graphics card: distance of each brick to the nearest brick worth
//! sampling, for empty-space skipping.

use crate::messages::BRICK;
use lavoxel_base::grid::Grid;
use lavoxel_render::volume::bricks::chessboard;

/// Upper bound of the stored distances, in bricks.
pub(super) const FARTHEST: u8 = 16;

/// Reason why a box cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a box of {}×{}×{} cells is too large for this graphics card ({reason}); it runs all the same, and \
    `lavoxel render` draws it",
    size[0], size[1], size[2]
)]
pub struct TooLarge {
    /// Number of cells along x, y and z.
    pub(super) size: [usize; 3],
    pub(super) reason: String,
}

/// Returns the number of bricks along x, y and z.
pub(super) fn brick_count(grid: Grid) -> [usize; 3] {
    [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BRICK))
}

/// Returns the Chebyshev distance in bricks from each brick (x fastest) to the nearest brick for
/// which `full` is true, at most `FARTHEST`.
pub(super) fn distances(grid: Grid, full: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut distance: Vec<u8> = full.map(|full| if full { 0 } else { FARTHEST }).collect();
    chessboard(&mut distance, brick_count(grid), FARTHEST);
    distance
}
