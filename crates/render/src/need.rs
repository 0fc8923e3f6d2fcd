//! Estimates, before the first picture is drawn, of the memory in bytes that rendering needs.

use crate::ground::land;
use crate::ground::surroundings::{self, Ends};
use crate::print::{PIECES, cloud, relief};
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

/// Bytes per pixel for tracing a picture: sums of its samples, and the guides, bases and two copies
/// of the light while noise is smoothed.
const BYTES_A_TRACED_PIXEL: f64 = 170.0;

/// Bytes per pixel of the layers of a traced picture, with the channel that is being written.
const BYTES_A_PIXEL_OF_LAYERS: f64 = 75.0;

/// Bytes per node of smoke that is baked for paths: its density, and shares of the bounds of blocks
/// and of the coarser sunlight.
const BYTES_A_NODE_OF_CLOUD: f64 = 1.15;

/// Bytes per node of the ground's stones: heights, the pyramid of the highest, and the list from
/// which the heights are collected.
const BYTES_A_NODE_OF_RELIEF: f64 = 14.0;

/// Bytes per piece of glowing surface, in the list of its row and in that of all, with its power.
const BYTES_A_PIECE: f64 = 92.0;

/// Returns the estimated memory for tracing a picture of `width` × `height` pixels of a simulation
/// box of shape `grid`, beside that of a picture in another style. `clouds`: number of cells of
/// each field of smoke or gas, such as the air.
pub fn need_of_print(
    grid: Grid,
    [width, height]: [u32; 2],
    clouds: impl IntoIterator<Item = usize>,
) -> MemoryEstimate {
    let nodes = |cells: usize| {
        let finest = cells.saturating_mul(cloud::FINEST.pow(3));
        finest.min(cloud::MOST_NODES).max(cells)
    };
    let smoke = clouds.into_iter().map(nodes).sum();
    let finer = (relief::NODES / grid.nx.max(grid.nz)).clamp(1, relief::FINEST);
    let stones = (grid.nx * finer + 1) * (grid.nz * finer + 1);
    let pieces = grid.columns() * PIECES * PIECES;
    let pixels = width as usize * height as usize;
    MemoryEstimate::new("tracing the picture", pixels, BYTES_A_TRACED_PIXEL)
        .and(MemoryEstimate::new(
            "the traced smoke",
            smoke,
            BYTES_A_NODE_OF_CLOUD,
        ))
        .and(MemoryEstimate::new(
            "the traced ground",
            stones,
            BYTES_A_NODE_OF_RELIEF,
        ))
        .and(MemoryEstimate::new(
            "the glowing lava",
            pieces,
            BYTES_A_PIECE,
        ))
}

/// Returns the estimated memory for the layers of a traced picture of `width` × `height` pixels.
pub fn need_of_layers([width, height]: [u32; 2]) -> MemoryEstimate {
    MemoryEstimate::new(
        "the layers of the picture",
        width as usize * height as usize,
        BYTES_A_PIXEL_OF_LAYERS,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoke_is_weighed_by_the_nodes_that_are_baked() {
        let grid = Grid::new(32, 32, 32);
        let bytes = |cells: usize| need_of_print(grid, [8, 8], [cells]).bytes();
        let none = need_of_print(grid, [8, 8], []).bytes();
        let smoke = |cells: usize| (bytes(cells) - none) as f64 / BYTES_A_NODE_OF_CLOUD;
        assert!((smoke(1000) - 216_000.0).abs() < 2.0, "fine");
        assert!(
            (smoke(1_000_000) - 64e6).abs() < 2.0,
            "as fine as it may be"
        );
        assert!(
            (smoke(100_000_000) - 1e8).abs() < 2.0,
            "as coarse as the air"
        );
    }
}
