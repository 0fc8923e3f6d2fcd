//! How much memory pictures take, estimated before the first one is drawn.

use crate::ground::beyond::{self, Ends};
use crate::ground::land;
use lavoxel_automaton::view::LookSpec;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_sim::lowpass::LowPass;

/// Bytes of a cell while it is drawn: density and energy with their rims, one of them smoothed, the bricks, and a page of
/// cells with their slopes for one brick in eight. (A brick of 64 cells has a page where it has lava.)
const BYTES_A_CELL: f64 = 4.5;

/// Bytes of a node of the drawn ground: height, colour, normal, light, and what they are made from.
const BYTES_A_NODE: f64 = 80.0;

/// Bytes of a pixel: where it meets the ground, its light before and after smoothing, its colour, and its share of what smoke does
/// to the rays around it.
const BYTES_A_PIXEL: f64 = 72.0;

/// Memory of pictures of a box in so many pixels, with the low-pass that they show.
pub fn need(grid: Grid, [width, height]: [u32; 2]) -> MemoryEstimate {
    LowPass::need(grid)
        .and(MemoryEstimate::of("drawing the volume", grid.cells(), BYTES_A_CELL))
        .and(MemoryEstimate::of("the drawn ground", land::nodes(grid), BYTES_A_NODE))
        .and(need_of_picture([width, height]))
}

/// Memory of the drawn ground beyond the sides of a box of this shape, by its look: none over a table and under the open sky.
pub fn need_of_surroundings(grid: Grid, look: &LookSpec) -> MemoryEstimate {
    let nodes = Ends::of(look).map_or(0, |ends| beyond::nodes([grid.nx, grid.nz], ends));
    MemoryEstimate::of("the drawn ground around the box", nodes, BYTES_A_NODE)
}

/// Bytes of a cell for each material besides the lava: a smoothed copy, bricks, and pages.
const BYTES_A_CELL_OF_MEDIUM: f64 = 1.6;

/// Memory for drawing so many materials besides the lava, with their low-pass.
pub fn need_of_media(grid: Grid, media: usize) -> MemoryEstimate {
    let bytes = BYTES_A_CELL_OF_MEDIUM * media as f64;
    LowPass::need_of_media(grid, media).and(MemoryEstimate::of("drawing the other materials", grid.cells(), bytes))
}

/// Memory of a picture alone, of whatever it shows.
pub fn need_of_picture([width, height]: [u32; 2]) -> MemoryEstimate {
    MemoryEstimate::of("the picture", width as usize * height as usize, BYTES_A_PIXEL)
}

/// Bytes of a cell of the air in a picture: its smoke and the light in it, 8, or its haze, 1; while they are found, what light is
/// left from the sun, from the sky and from the lava, which takes 24 more and is gone before the next frame; and what was carried
/// in the frame before, of which the smoke is made, 8.
const BYTES_A_CELL_OF_AIR: f64 = 40.0;

/// Memory for drawing what an air of so many cells carries, with what pictures read of it.
pub fn need_of_air(cells: usize) -> MemoryEstimate {
    LowPass::need_of_air(cells).and(need_of_smoke(cells))
}

/// Memory of pictures alone for what an air of so many cells carries: volumes of density, motion and light.
pub fn need_of_smoke(cells: usize) -> MemoryEstimate {
    MemoryEstimate::of("drawing ash and steam in the air", cells, BYTES_A_CELL_OF_AIR)
}
