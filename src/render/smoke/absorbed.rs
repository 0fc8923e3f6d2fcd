//! How much light each cell of the air absorbs.

use crate::air::{AirGrid, Side};
use crate::lowpass::AirVolume;
use crate::parallel::*;
use crate::render::math::smoothstep;
use crate::world::Span;

/// Smoke fades over one part in so many of the box before an open side, and over at most so many cells.
const FADING: usize = 6;
const MOST_FADING: usize = 16;

/// Absorption to a voxel of way in each cell of the air.
pub(super) struct Absorbed {
    pub(super) cells: Vec<f32>,
    /// For each row along x, the cells outside of which it holds nothing.
    pub(super) held: Vec<Span>,
    /// The largest.
    pub(super) most: f32,
}

impl Absorbed {
    /// Of ash and steam of which a kilogram in a cubic metre absorbs so much.
    pub(super) fn of(air: &AirVolume, per_kg: f32) -> Self {
        let (grid, fade) = (air.grid.cells, Fade::of(&air.grid));
        let mut cells = vec![0.0_f32; grid.cells()];
        let mut held = vec![Span::EMPTY; grid.ny * grid.nz];
        let slabs = cells.par_chunks_mut(grid.slab()).zip(held.par_chunks_mut(grid.ny)).enumerate();
        slabs.for_each(|(z, (cells, held))| {
            for (y, (cells, held)) in cells.chunks_mut(grid.nx).zip(held).enumerate() {
                let row = z * grid.ny + y;
                let carried = &air.carried[row * grid.nx..][..grid.nx];
                // Most rows are empty, and the bits of a whole row are found many cells at a time.
                if carried.iter().fold(0, |bits, [ash, steam]| bits | ash | steam) == 0 {
                    continue;
                }
                *held = span(carried);
                let share = per_kg * fade.of_row(row);
                let part = held.range();
                let fading = cells[part.clone()].iter_mut().zip(&carried[part.clone()]).zip(&fade.along[0][part]);
                fading.for_each(|((cell, kept), fade)| *cell = AirVolume::sum_kg_m3(*kept) * (share * fade));
            }
        });
        let largest = |cells: &[f32]| cells.iter().fold(0.0_f32, |most, &cell| if cell > most { cell } else { most });
        let most = cells.par_chunks(grid.slab()).map(largest).reduce(|| 0.0, f32::max).max(1e-6);
        Self { cells, held, most }
    }
}

/// The cells of a row outside of which it carries nothing; there is at least one.
fn span(carried: &[[u16; 2]]) -> Span {
    let held = |[ash, steam]: &[u16; 2]| ash | steam != 0;
    let from = carried.iter().position(held).unwrap_or(0);
    Span { from: from as u16, to: carried.iter().rposition(held).map_or(0, |last| last as u16 + 1) }
}

/// How smoke thins out towards open sides of the air's box, where it would end as if cut.
struct Fade {
    size: [usize; 3],
    /// By the cell along each axis, the share that is left.
    along: [Vec<f32>; 3],
}

impl Fade {
    fn of(grid: &AirGrid) -> Self {
        let size = grid.size();
        let share = |away: usize, over: usize| if away < over { (away as f32 + 0.5) / over as f32 } else { 1.0 };
        let along = std::array::from_fn(|axis| {
            let over = if grid.sides[axis] == Side::Open { (size[axis] / FADING).min(MOST_FADING) } else { 0 };
            // The floor is always a wall.
            let first = if axis == 1 { 0 } else { over };
            let left = |cell: usize| {
                let near = share(cell, first) * share(size[axis] - 1 - cell, over);
                // Dense smoke has to lose most of it to let any light through.
                smoothstep(0.0, 1.0, near).powi(4)
            };
            (0..size[axis]).map(left).collect()
        });
        Self { size, along }
    }

    /// The share along y and z, for a row of cells along x.
    fn of_row(&self, row: usize) -> f32 {
        self.along[1][row % self.size[1]] * self.along[2][row / self.size[1]]
    }
}
