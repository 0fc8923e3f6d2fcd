//! Distribution of the slabs (planes of cells with equal z) of the fields over the threads.

use std::ops::Range;

use crate::{AirGrid, BEYOND, Side};
use lavoxel_base::parallel::*;

/// Slabs (planes of cells with equal z) of several fields, for one thread.
pub(super) struct Chunk<'a, T> {
    /// Range of slabs, halo included: slab 0 is the first one of the halo.
    slabs: Range<usize>,
    /// Index in the fields of the first cell of the range of slabs.
    offset: usize,
    planes: Vec<&'a mut [T]>,
}

/// Splits the fields `planes` into ranges of slabs, two for each thread.
pub(super) fn chunks<'a, T>(grid: AirGrid, planes: &'a mut [Vec<T>]) -> Vec<Chunk<'a, T>> {
    let slab = grid.strides()[2];
    let slabs = grid.len() / slab;
    let threads = current_num_threads();
    let each = slabs.div_ceil(if threads > 1 { 2 * threads } else { 1 });
    let mut parts: Vec<_> = (0..slabs.div_ceil(each))
        .map(|n| {
            let slabs = n * each..((n + 1) * each).min(slabs);
            Chunk {
                offset: slabs.start * slab,
                slabs,
                planes: Vec::new(),
            }
        })
        .collect();
    for plane in planes {
        parts
            .iter_mut()
            .zip(plane.chunks_mut(each * slab))
            .for_each(|(part, plane)| part.planes.push(plane));
    }
    parts
}

impl<T> Chunk<'_, T> {
    /// Range of z in cells that the slabs cover inside the air's box, without the halo.
    pub(super) fn inside(&self, grid: AirGrid) -> Range<usize> {
        let clamp = |slab: usize| slab.clamp(BEYOND, BEYOND + grid.cells.nz) - BEYOND;
        clamp(self.slabs.start)..clamp(self.slabs.end)
    }

    /// Mutable values of `cells` cells from the index `start` on, for each of the first `N` fields.
    #[inline(always)]
    pub(super) fn rows<const N: usize>(&mut self, start: usize, cells: usize) -> [&mut [T]; N] {
        let mut planes = self.planes.iter_mut();
        std::array::from_fn(|_| {
            let plane = planes.next().expect("as many planes as were shared out");
            &mut plane[start - self.offset..][..cells]
        })
    }
}

/// Slabs whose cells one thread processes in an advection pass, with write access to these slabs
/// and one more on either side.
pub(super) struct SlabRange<'a, T> {
    pub(super) slabs: Range<usize>,
    /// Index in the field of the first cell of `to`.
    pub(super) offset: usize,
    pub(super) to: &'a mut [T],
}

/// Calls `work` in parallel for groups of slabs, in two rounds: first every second group, then
/// those between, so that no two threads write to the same slab. The order does not matter, because
/// shares are added as integers.
pub(super) fn by_turns<T: Send>(
    grid: AirGrid,
    to: &mut [T],
    work: impl Fn(SlabRange<'_, T>) + Sync + Send,
) {
    let slab = grid.strides()[2];
    let beyond = usize::from(grid.sides[2] != Side::Wall);
    let all = BEYOND - beyond..BEYOND + grid.cells.nz + beyond;
    let threads = current_num_threads();
    // A block writes to one slab before and one after its own, so it must have at least two.
    let each = if threads > 1 {
        all.len().div_ceil(2 * threads).max(2)
    } else {
        all.len().max(2)
    };
    for first in [all.start, all.start + each]
        .into_iter()
        .filter(|&first| first < all.end)
    {
        to[(first - 1) * slab..]
            .par_chunks_mut(2 * each * slab)
            .enumerate()
            .for_each(|(n, to)| {
                let start = first + 2 * n * each;
                if start < all.end {
                    let slabs = start..(start + each).min(all.end);
                    work(SlabRange {
                        slabs,
                        offset: (start - 1) * slab,
                        to,
                    });
                }
            });
    }
}
