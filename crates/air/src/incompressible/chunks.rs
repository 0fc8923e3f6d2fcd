//! Distribution of the planes (cells with equal z) of the fields over the threads.

use crate::AirGrid;
use lavoxel_base::parallel::*;

/// Number of cells of the air's box below which a single thread processes all planes.
const FEW: usize = 8192;

/// Number of planes of equal z that each thread processes, halo included.
pub(super) fn planes(grid: AirGrid) -> usize {
    let threads = if grid.cells.cells() < FEW {
        1
    } else {
        current_num_threads()
    };
    grid.len().div_ceil(grid.strides()[2]).div_ceil(threads)
}

/// Calls `work` in parallel for ranges of planes of three fields. Arguments of `work`: index of the
/// first plane, halo included, and the planes of the three fields.
pub(super) fn each_chunk(
    grid: AirGrid,
    fields: &mut [Vec<f32>; 3],
    work: impl Fn(usize, [&mut [f32]; 3]) + Sync + Send,
) {
    let planes = planes(grid);
    let size = planes * grid.strides()[2];
    let [a, b, c] = fields;
    a.par_chunks_mut(size)
        .zip(b.par_chunks_mut(size))
        .zip(c.par_chunks_mut(size))
        .enumerate()
        .for_each(|(j, ((a, b), c))| work(j * planes, [a, b, c]));
}
