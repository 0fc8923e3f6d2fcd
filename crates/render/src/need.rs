//! Estimates, before the first picture is drawn, of the memory in bytes that rendering needs.

use crate::ground::land;
use crate::ground::surroundings::{self, Ends};
use lavoxel_automaton::view::LookSpec;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_sim::lowpass::LowPass;

/// Bytes per cell for drawing the lava: density and energy with halo, one smoothed copy, the
/// bricks, and pages for one brick in eight. (A brick of 64 places has a page if lava occupies the
/// brick.)
const BYTES_A_CELL: f64 = 4.5;

/// Bytes per node of the drawn ground (nodes: the points at which the ground's maps are stored):
/// height, colour, normal, light, and the data from which the maps are computed.
const BYTES_A_NODE: f64 = 80.0;

/// Bytes per pixel of a picture: the background behind all lava, light before and after smoothing,
/// colour, and the interpolated smoke.
const BYTES_A_PIXEL: f64 = 72.0;

/// Returns the estimated memory for drawing pictures of `width` × `height` pixels of a simulation
/// box of shape `grid`, including the low-pass volume of the lava.
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

/// Returns the estimated memory for drawing the land around a simulation box of shape `grid`; 0 for
/// looks without such land, such as a table or open sky.
pub fn need_of_surroundings(grid: Grid, look: &LookSpec) -> MemoryEstimate {
    let nodes =
        Ends::from_look(look).map_or(0, |ends| surroundings::nodes([grid.nx, grid.nz], ends));
    MemoryEstimate::new("the drawn ground around the box", nodes, BYTES_A_NODE)
}

/// Bytes per cell for drawing one material other than the lava: a smoothed copy, bricks and pages.
const BYTES_A_CELL_OF_MEDIUM: f64 = 1.6;

/// Returns the estimated memory for drawing `media` materials other than the lava in a simulation
/// box of shape `grid`, including their low-pass volumes.
pub fn need_of_media(grid: Grid, media: usize) -> MemoryEstimate {
    let bytes = BYTES_A_CELL_OF_MEDIUM * media as f64;
    LowPass::need_of_media(grid, media).and(MemoryEstimate::new(
        "drawing the other materials",
        grid.cells(),
        bytes,
    ))
}

/// Returns the estimated memory for one picture of `width` × `height` pixels, without the memory of
/// the scene that it shows.
pub fn need_of_picture([width, height]: [u32; 2]) -> MemoryEstimate {
    MemoryEstimate::new(
        "the picture",
        width as usize * height as usize,
        BYTES_A_PIXEL,
    )
}

/// Bytes per air cell for drawing the air: 8 for smoke with its light, or 1 for haze; 24 for the
/// transmittances of sun, sky and lava light while these are computed (freed before the next
/// frame); and 8 for the previous frame's data, whose allocations are reused.
const BYTES_A_CELL_OF_AIR: f64 = 40.0;

/// Returns the estimated memory for drawing the ash and steam of an air of `cells` cells, including
/// the low-pass volumes.
pub fn need_of_air(cells: usize) -> MemoryEstimate {
    LowPass::need_of_air(cells).and(need_of_smoke(cells))
}

/// Returns the estimated memory of the renderer's own volumes (density, motion and light) for an
/// air of `cells` cells.
pub fn need_of_smoke(cells: usize) -> MemoryEstimate {
    MemoryEstimate::new(
        "drawing ash and steam in the air",
        cells,
        BYTES_A_CELL_OF_AIR,
    )
}
