//! Estimates of the memory that rendering needs, known before the first picture is drawn.

use crate::ground::land;
use crate::ground::surroundings::{self, Ends};
use lavoxel_automaton::view::LookSpec;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_sim::lowpass::LowPass;

/// Bytes per cell for the lava: density and energy with halo, one smoothed copy, the bricks, and
/// pages for one brick in eight. (A brick of 64 cells has a page if it contains lava.)
const BYTES_A_CELL: f64 = 4.5;

/// Bytes per node of the drawn ground: height, colour, normal, light, and the data from which these
/// are computed.
const BYTES_A_NODE: f64 = 80.0;

/// Bytes per pixel of a picture: hit of the ground, light before and after smoothing, colour, and
/// the interpolated smoke.
const BYTES_A_PIXEL: f64 = 72.0;

/// Returns the memory that pictures of `width` × `height` pixels of a box of shape `grid` need,
/// including the low-pass volume.
pub fn need(grid: Grid, [width, height]: [u32; 2]) -> MemoryEstimate {
    LowPass::need(grid)
        .and(MemoryEstimate::new(
            "drawing the volume",
            grid.cells(),
            BYTES_A_CELL,
        ))
        .and(MemoryEstimate::new(
            "the drawn ground",
            land::nodes(grid),
            BYTES_A_NODE,
        ))
        .and(need_of_picture([width, height]))
}

/// Returns the memory that the land around a box of shape `grid` needs; 0 for looks without such
/// land, such as a table or open sky.
pub fn need_of_surroundings(grid: Grid, look: &LookSpec) -> MemoryEstimate {
    let nodes =
        Ends::from_look(look).map_or(0, |ends| surroundings::nodes([grid.nx, grid.nz], ends));
    MemoryEstimate::new("the drawn ground around the box", nodes, BYTES_A_NODE)
}

/// Bytes per cell for each material other than the lava: a smoothed copy, bricks and pages.
const BYTES_A_CELL_OF_MEDIUM: f64 = 1.6;

/// Returns the memory that drawing `media` materials other than the lava needs, including their
/// low-pass volumes.
pub fn need_of_media(grid: Grid, media: usize) -> MemoryEstimate {
    let bytes = BYTES_A_CELL_OF_MEDIUM * media as f64;
    LowPass::need_of_media(grid, media).and(MemoryEstimate::new(
        "drawing the other materials",
        grid.cells(),
        bytes,
    ))
}

/// Returns the memory that a picture of `width` × `height` pixels needs by itself, without the
/// scene.
pub fn need_of_picture([width, height]: [u32; 2]) -> MemoryEstimate {
    MemoryEstimate::new(
        "the picture",
        width as usize * height as usize,
        BYTES_A_PIXEL,
    )
}

/// Bytes per air cell: 8 for smoke with its light, or 1 for haze; 24 for the transmittances of sun,
/// sky and lava light while these are computed (freed before the next frame); and 8 for the
/// previous frame's data, whose allocations are reused.
const BYTES_A_CELL_OF_AIR: f64 = 40.0;

/// Returns the memory that drawing the ash and steam of an air of `cells` cells needs, including
/// the volumes that pictures read.
pub fn need_of_air(cells: usize) -> MemoryEstimate {
    LowPass::need_of_air(cells).and(need_of_smoke(cells))
}

/// Returns the memory that rendering by itself needs for an air of `cells` cells: volumes of
/// density, motion and light.
pub fn need_of_smoke(cells: usize) -> MemoryEstimate {
    MemoryEstimate::new(
        "drawing ash and steam in the air",
        cells,
        BYTES_A_CELL_OF_AIR,
    )
}
