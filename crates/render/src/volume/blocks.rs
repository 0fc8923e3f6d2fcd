//! Blocks of a coarse grid (gases, smoke, haze) with a flag that is set if a block contains matter;
//! rays skip the empty blocks.

use std::ops::Range;

use crate::camera::Ray;
use crate::math::V3;
use crate::volume::bricks::Drawn;
use crate::volume::field::span_in;
use crate::volume::places::Skipping;
use lavoxel_base::grid::Grid;

/// Distance in cells before the exit from a block within which a point may already count to the
/// next block because of rounding.
// Absorbs the rounding of distances, so that a jump does not pass a sample of the next block.
const SLACK: f32 = 1e-3;
/// Number of coarse cells along the edge of a block.
const BLOCK: usize = 4;

/// Blocks of a coarse grid (gases, smoke, haze), each with a flag that is set if rays may meet
/// matter in the block. The grid may lie anywhere in space.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    /// Lower corner of the coarse grid, in cells of the simulation.
    low: V3,
    /// Upper corner of the coarse grid, in cells of the simulation.
    high: V3,
    /// Edge length of a block, in cells of the simulation.
    side: f32,
    /// Number of blocks along x, y and z.
    count: [usize; 3],
    /// One flag per block, x fastest: set if a sample in the block may read a coarse cell that is
    /// not empty.
    filled: Vec<bool>,
    /// Set if all blocks are empty.
    is_empty: bool,
}

/// Sampling parameters of a ray that passes through blocks of a coarse grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    /// Distance between samples, in cells of the simulation.
    pub(crate) step: f32,
    /// Offset of the first sample along the ray, as a fraction (0 to 1) of `step`.
    pub(crate) jitter: f32,
    /// Method by which empty blocks are skipped; tests turn skipping off.
    pub(crate) skipping: Skipping,
}

impl Blocks {
    /// Computes the blocks of a coarse grid of shape `grid`, whose cells have an edge of `edge`
    /// cells of the simulation and fill the box from `low` to `high` (cells of the simulation).
    ///
    /// `span` returns the range along x of the non-empty coarse cells in a row (row index `z · ny +
    /// y`); `holds` returns true if the coarse cell with a given index contains matter, and is
    /// called only inside `span`. A cell with matter also marks the blocks of its neighbours,
    /// because samples between two cells read both.
    pub(crate) fn new(
        grid: Grid,
        edge: usize,
        [low, high]: [V3; 2],
        span: impl Fn(usize) -> Range<usize>,
        holds: impl Fn(usize) -> bool,
    ) -> Self {
        let count = [grid.nx, grid.ny, grid.nz].map(|n| n.div_ceil(BLOCK));
        let mut filled = vec![false; count.iter().product()];
        // A sample reads up to half a cell beyond a cell's sides, so blocks there are marked too.
        let reach = |i: usize, count: usize| {
            let block = |place: f32| ((place.max(0.0) / BLOCK as f32) as usize).min(count - 1);
            block(i as f32 - 0.5)..=block(i as f32 + 1.5)
        };
        let columns: Vec<_> = (0..grid.nx).map(|x| reach(x, count[0])).collect();
        let mut along = vec![false; count[0]];
        for row in 0..grid.ny * grid.nz {
            let span = span(row);
            if span.is_empty() {
                continue;
            }
            along.fill(false);
            for (x, columns) in span.clone().zip(&columns[span]) {
                if holds(row * grid.nx + x) {
                    along[columns.clone()].fill(true);
                }
            }
            for k in reach(row / grid.ny, count[2]) {
                for j in reach(row % grid.ny, count[1]) {
                    let blocks = &mut filled[(k * count[1] + j) * count[0]..][..count[0]];
                    blocks
                        .iter_mut()
                        .zip(&along)
                        .for_each(|(filled, along)| *filled |= along);
                }
            }
        }
        let is_empty = !filled.contains(&true);
        Self {
            low,
            high,
            side: (BLOCK * edge) as f32,
            count,
            filled,
            is_empty,
        }
    }

    /// Returns the lower and upper bound of the whole coarse grid along x, y and z, in cells of the
    /// simulation.
    pub(crate) fn whole(&self) -> [[f32; 2]; 3] {
        std::array::from_fn(|axis| [self.low[axis], self.high[axis]])
    }

    /// Returns true if all blocks are empty. The answer is stored, because every ray asks for it.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the bounding boxes of the blocks that are not empty, in cells of the simulation.
    pub(crate) fn boxes(&self) -> impl Iterator<Item = Drawn> {
        let filled = self
            .filled
            .iter()
            .enumerate()
            .filter(|(_, filled)| **filled);
        filled.map(move |(b, _)| {
            let block = [
                b % self.count[0],
                b / self.count[0] % self.count[1],
                b / (self.count[0] * self.count[1]),
            ];
            let low: [f32; 3] =
                std::array::from_fn(|axis| self.low[axis] + block[axis] as f32 * self.side);
            let high: [f32; 3] =
                std::array::from_fn(|axis| (low[axis] + self.side).min(self.high[axis]));
            let (low, high) = (V3::from(low), V3::from(high));
            Drawn {
                middle: (low + high) * 0.5,
                half: (high - low) * 0.5,
            }
        })
    }

    /// Returns an iterator over the samples along `ray` in blocks that are not empty, between the
    /// distances `from` and `to` (cells of the simulation).
    ///
    /// Invariant: samples lie at the distances (n + jitter) · step for integers n, whichever empty
    /// blocks are skipped.
    #[inline(always)]
    pub(crate) fn places<'a>(
        &'a self,
        ray: &'a Ray,
        (from, to): (f32, f32),
        stride: Stride,
    ) -> Places<'a> {
        let inverse = ray.direction.map(|d| 1.0 / d);
        let mut places = Places {
            blocks: self,
            ray,
            inverse,
            from,
            to,
            stride,
            filled: f32::MIN,
            next: 0.0,
        };
        places.next = places.first(from);
        places
    }

    /// Calls `put` with the distance and position (cells of the simulation) of each sample of
    /// `Blocks::places` along `ray` between the distances `from` and `to` that lies inside the
    /// bounds `shown` (lower and upper bound along x, y and z), until `put` returns false.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        ray: &Ray,
        shown: &[[f32; 2]; 3],
        (from, to): (f32, f32),
        stride: Stride,
        mut put: impl FnMut(f32, V3) -> bool,
    ) {
        let Some((near, far, _)) = span_in(shown, ray, to) else {
            return;
        };
        let mut places = self.places(ray, (near.max(from), far), stride);
        while let Some((t, p)) = places.next() {
            if !put(t, p) {
                return;
            }
        }
    }

    /// Returns the flag of the block that contains the point `p` (cells of the simulation), and the
    /// distance at which `ray` leaves this block; `inverse`: component-wise reciprocal of the ray's
    /// direction.
    #[inline(always)]
    fn occupancy_at(&self, ray: &Ray, inverse: V3, p: V3) -> (bool, f32) {
        // The side is a power of two, so its reciprocal is exact.
        let (side, per_side, count, p) = (self.side, 1.0 / self.side, self.count, p - self.low);
        let (mut block, mut leave) = ([0; 3], f32::MAX);
        for axis in 0..3 {
            block[axis] = ((p[axis].max(0.0) * per_side) as u32 as usize).min(count[axis] - 1);
            let d = ray.direction[axis];
            let wall = (block[axis] + usize::from(d > 0.0)) as f32 * side + self.low[axis];
            let there = (wall - ray.origin[axis]) * inverse[axis];
            leave = if d.abs() < 1e-9 {
                leave
            } else {
                leave.min(there)
            };
        }
        (
            self.filled[(block[2] * count[1] + block[1]) * count[0] + block[0]],
            leave,
        )
    }
}

/// Iterator over the samples along a ray in blocks that are not empty, in order of distance.
pub(crate) struct Places<'a> {
    blocks: &'a Blocks,
    ray: &'a Ray,
    /// Component-wise reciprocal of the ray's direction vector.
    inverse: V3,
    from: f32,
    to: f32,
    stride: Stride,
    /// Distance, in cells of the simulation, up to which the ray certainly is in a block that is
    /// not empty.
    filled: f32,
    /// Number n of the next sample, which lies at the distance (n + jitter) · step; stored as f32.
    next: f32,
}

impl Places<'_> {
    /// Returns the distance and position (cells of the simulation) of the next sample; `None` at
    /// the end of the ray.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(f32, V3)> {
        let Stride {
            step,
            jitter,
            skipping,
        } = self.stride;
        loop {
            let t = (self.next + jitter) * step;
            // Very far away the next sample has the same number in f32: the walk ends.
            if t >= self.to || self.next + 1.0 <= self.next {
                return None;
            }
            let p = self.ray.at(t);
            self.next += 1.0;
            if t >= self.filled && skipping == Skipping::Bricks {
                let (is_filled, leave) = self.blocks.occupancy_at(self.ray, self.inverse, p);
                if !is_filled {
                    self.next = self.first(leave - SLACK).max(self.next);
                    continue;
                }
                self.filled = leave - SLACK;
            }
            if t >= self.from {
                return Some((t, p));
            }
        }
    }

    /// Returns the number n of the ray's first sample whose distance (n + jitter) · step is at
    /// least `t` (cells).
    #[inline(always)]
    fn first(&self, t: f32) -> f32 {
        (t / self.stride.step - self.stride.jitter).ceil()
    }
}
