//! Which parts of the volume hold nothing to draw, and how far a ray may jump there.
//!
//! ```text
//!  brick: 2³ cells, the largest density a sample inside can meet   ■ ■ · ·
//!  block: 8³ bricks, the distance to the nearest one with           ■ · · ·   1   2   3 …
//!         something to draw, in blocks                              · · · ·
//! ```
//!
//! Bricks are worked out again where cells changed, blocks only compare the bricks with what a look wants to see.

use rayon::prelude::*;

use crate::grid::Grid;
use crate::lowpass::{self, Volume};
use crate::world::Span;

use super::math::{V3, v3};

/// Cells along a brick's edge.
pub(crate) const EDGE: usize = 2;
/// Bricks along a block's edge.
const BLOCK: usize = 8;
/// Distances are not told beyond this many blocks.
const FARTHEST: u8 = 16;

/// Whether empty space is jumped over. Pictures are the same either way; a test holds us to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    Bricks,
    Never,
}

/// A part of a ray inside one brick or block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The ray parameter at which it ends.
    pub(crate) leave: f32,
    /// Nothing needs to be sampled in it.
    pub(crate) empty: bool,
}

/// The bricks and blocks of a volume, for the densities that a look wants to see.
#[derive(Clone, Debug)]
pub(crate) struct Bricks {
    bricks: lowpass::Bricks,
    /// Densities up to this need not be sampled.
    empty: u8,
    /// Blocks along x, y and z.
    blocks: [usize; 3],
    /// For each block, the distance to the nearest block with something to draw, in blocks (largest of the three axes):
    /// 0 means that its bricks have to be asked.
    distance: Vec<u8>,
}

impl Bricks {
    /// The bricks of an empty volume.
    pub(crate) fn new(grid: Grid) -> Self {
        let bricks = lowpass::Bricks::with_edge(grid, EDGE);
        let blocks = bricks.count().map(|n| n.div_ceil(BLOCK));
        Self { bricks, empty: 0, blocks, distance: vec![FARTHEST; blocks.iter().product()] }
    }

    /// Follows the changes of a volume (one span for each row, numbered `z · ny + y`) and looks for densities above
    /// `empty` from now on.
    pub(crate) fn refresh(&mut self, volume: &Volume, changed: &[Span], empty: u8) {
        let others = self.bricks.refresh(volume, changed);
        if others || self.empty != empty {
            self.empty = empty;
            self.measure();
        }
    }

    /// Marks the blocks with something to draw and measures the distances of the others.
    fn measure(&mut self) {
        let [nx, ny, _] = self.blocks;
        let (densest, [across, high, _]) = (self.bricks.densest(), self.bricks.count());
        let empty = self.empty;
        self.distance.fill(FARTHEST);
        self.distance.par_chunks_mut(nx * ny).zip(densest.par_chunks(across * high * BLOCK)).for_each(
            |(marks, densest)| {
                for (row, densest) in densest.chunks(across).enumerate() {
                    let marks = &mut marks[row % high / BLOCK * nx..][..nx];
                    for (mark, densest) in marks.iter_mut().zip(densest.chunks(BLOCK)) {
                        if densest.iter().any(|&density| density > empty) {
                            *mark = 0;
                        }
                    }
                }
            },
        );
        chessboard(&mut self.distance, self.blocks, FARTHEST);
    }

    /// The largest density that a sample at `point` can meet; outside of the box as at its side.
    #[inline]
    pub(crate) fn densest(&self, point: V3) -> u8 {
        let ([i, j, k], [nx, ny, _]) = (self.brick(point), self.bricks.count());
        self.bricks.densest()[(k * ny + j) * nx + i]
    }

    /// The brick around a point, or the nearest to it.
    #[inline]
    fn brick(&self, point: V3) -> [usize; 3] {
        let count = self.bricks.count();
        std::array::from_fn(|axis| ((point[axis] as i32).max(0) as usize / EDGE).min(count[axis] - 1))
    }

    /// Where the ray from `origin`, with one over its direction in `inverse`, leaves the empty part or the brick around
    /// `point`, which lies inside the box.
    #[inline]
    pub(crate) fn stretch(&self, point: V3, origin: V3, inverse: V3) -> Stretch {
        let (brick, count) = (self.brick(point), self.bricks.count());
        let [i, j, k] = brick.map(|n| n / BLOCK);
        let free = i32::from(self.distance[(k * self.blocks[1] + j) * self.blocks[0] + i]);
        if free > 0 {
            let leave = leave([i, j, k], free, (EDGE * BLOCK) as i32, origin, inverse);
            return Stretch { leave, empty: true };
        }
        let densest = self.bricks.densest()[(brick[2] * count[1] + brick[1]) * count[0] + brick[0]];
        Stretch { leave: leave(brick, 1, EDGE as i32, origin, inverse), empty: densest <= self.empty }
    }

    /// The middles of the bricks with something to draw in one layer of blocks along z, in cells.
    pub(crate) fn middles(&self, layer: usize) -> impl Iterator<Item = V3> {
        let (densest, [nx, ny, nz]) = (self.bricks.densest(), self.bricks.count());
        let middle = |n: usize| ((n * EDGE) as f32) + 0.5 * EDGE as f32;
        let blocks = &self.distance[layer * self.blocks[0] * self.blocks[1]..];
        (layer * BLOCK..((layer + 1) * BLOCK).min(nz)).flat_map(move |k| {
            (0..ny).flat_map(move |j| {
                let row = densest[(k * ny + j) * nx..][..nx].chunks(BLOCK);
                let blocks = &blocks[j / BLOCK * self.blocks[0]..];
                let drawn = row.zip(blocks).enumerate().filter(|(_, (_, distance))| **distance == 0);
                drawn.flat_map(move |(block, (bricks, _))| {
                    let drawn = bricks.iter().enumerate().filter(|(_, density)| **density > self.empty);
                    drawn.map(move |(i, _)| v3(middle(block * BLOCK + i), middle(j), middle(k)))
                })
            })
        })
    }

    /// Layers of blocks along z.
    pub(crate) fn layers(&self) -> usize {
        self.blocks[2]
    }
}

/// Where a ray leaves the cubes of `edge` cells that are less than `free` away from this one.
#[inline]
fn leave(cube: [usize; 3], free: i32, edge: i32, origin: V3, inverse: V3) -> f32 {
    let wall = |axis: usize| {
        let here = cube[axis] as i32;
        let wall = if inverse[axis] > 0.0 { here + free } else { here - free + 1 };
        ((wall * edge) as f32 - origin[axis]) * inverse[axis]
    };
    wall(0).min(wall(1)).min(wall(2))
}

/// Turns marks (0 where there is something, `farthest` elsewhere) over a box of `count` bricks, x fastest, into
/// chessboard distances to the nearest mark, told up to `farthest`, in two sweeps.
pub(crate) fn chessboard(distance: &mut [u8], count: [usize; 3], farthest: u8) {
    let [nx, ny, nz] = count;
    let sweep = |distance: &mut [u8], index: usize, sign: isize| {
        let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
        let mut best = distance[index];
        for [dx, dy, dz] in BEFORE {
            let (i, j, k) = (x as isize + sign * dx, y as isize + sign * dy, z as isize + sign * dz);
            let inside = (0..nx as isize).contains(&i) && (0..ny as isize).contains(&j);
            if inside && (0..nz as isize).contains(&k) {
                best = best.min(distance[(k as usize * ny + j as usize) * nx + i as usize] + 1);
            }
        }
        distance[index] = best.min(farthest);
    };
    (0..distance.len()).for_each(|index| sweep(distance, index, 1));
    (0..distance.len()).rev().for_each(|index| sweep(distance, index, -1));
}

/// The 13 neighbours that a forward sweep has already seen.
const BEFORE: [[isize; 3]; 13] = [
    [-1, 0, 0],
    [-1, -1, 0],
    [0, -1, 0],
    [1, -1, 0],
    [-1, -1, -1],
    [0, -1, -1],
    [1, -1, -1],
    [-1, 0, -1],
    [0, 0, -1],
    [1, 0, -1],
    [-1, 1, -1],
    [0, 1, -1],
    [1, 1, -1],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_blocks_along_the_largest_axis() {
        let mut volume = Volume::empty(Grid::new(160, 32, 96));
        let mut bricks = Bricks::new(volume.grid);
        let cell = volume.grid.index(2, 1, 48);
        volume.density[cell] = 9;
        let whole = vec![Span { from: 0, to: 160 }; 32 * 96];
        bricks.refresh(&volume, &whole, 0);
        let at = |i: usize, j: usize, k: usize| bricks.distance[(k * 2 + j) * 10 + i];
        // Cell 48 along z is read from 47 to 49: blocks 2 and 3.
        assert_eq!([at(0, 0, 2), at(0, 0, 3), at(1, 0, 3), at(9, 1, 0), at(0, 1, 0)], [0, 0, 1, 9, 2]);
        let middles = [[1.0, 1.0], [3.0, 1.0], [1.0, 3.0], [3.0, 3.0]].map(|[x, y]| v3(x, y, 47.0));
        assert_eq!(bricks.middles(2).collect::<Vec<_>>(), middles);
        bricks.refresh(&volume, &[], 9);
        assert!(bricks.distance.iter().all(|&distance| distance == FARTHEST), "9 is empty now");
    }
}
