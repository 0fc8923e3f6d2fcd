//! Distribution of the z-slabs of the fields over the threads.

use std::ops::Range;

use crate::{AirGrid, BEYOND, Side};
use lavoxel_base::parallel::*;

/// Range of slabs of several planes, for one thread.
pub(super) struct Chunk<'a, T> {
    /// Range of slabs; slab 0 is the first of the halo.
    slabs: Range<usize>,
    /// Index of the first cell in the fields.
    offset: usize,
    planes: Vec<&'a mut [T]>,
}

/// Splits planes into chunks of slabs, two chunks per thread.
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
    /// Range of z of the chunk's slabs within the box, without the halo.
    pub(super) fn inside(&self, grid: AirGrid) -> Range<usize> {
        let clamp = |slab: usize| slab.clamp(BEYOND, BEYOND + grid.cells.nz) - BEYOND;
        clamp(self.slabs.start)..clamp(self.slabs.end)
    }

    /// Slices of `cells` cells from index `start` of the first `N` planes.
    #[inline(always)]
    pub(super) fn rows<const N: usize>(&mut self, start: usize, cells: usize) -> [&mut [T]; N] {
        let mut planes = self.planes.iter_mut();
        std::array::from_fn(|_| {
            let plane = planes.next().expect("as many planes as were shared out");
            &mut plane[start - self.offset..][..cells]
        })
    }
}

/// Range of slabs whose cells give shares, with write access to these slabs and to one slab before
/// and after.
pub(super) struct Part<'a, T> {
    pub(super) slabs: Range<usize>,
    /// Index of the first cell of `to` in the fields.
    pub(super) offset: usize,
    pub(super) to: &'a mut [T],
}

/// Runs `work` on all slabs in blocks: first on every second block, then on the blocks between, so
/// that no two threads write to the same slab. Shares are summed as integers, so the order does not
/// matter.
pub(super) fn by_turns<T: Send>(
    grid: AirGrid,
    to: &mut [T],
    work: impl Fn(Part<'_, T>) + Sync + Send,
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
                    work(Part {
                        slabs,
                        offset: (start - 1) * slab,
                        to,
                    });
                }
            });
    }
}
