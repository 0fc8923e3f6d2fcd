//! Which parts of the volume hold nothing to draw, and how far a ray may jump there.

use super::math::V3;

/// Cells along a brick's edge.
const EDGE: usize = 4;
/// Distances are not told beyond this many bricks.
const FARTHEST: u8 = 16;

/// Whether empty space is jumped over. Pictures are the same either way; a test holds us to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipping {
    Bricks,
    Never,
}

/// For each brick of 4³ cells, the distance to the nearest brick with something to draw, in bricks (largest of the
/// three axes): 0 means the brick itself must be sampled.
#[derive(Clone, Debug)]
pub(crate) struct Bricks {
    count: [usize; 3],
    distance: Vec<u8>,
}

impl Bricks {
    /// Marks bricks in which interpolation may give a value above `empty`. `padded` has one more cell on each side
    /// than the grid, repeating the edge; `shape` is the grid's cells.
    pub(crate) fn new(padded: &[u8], shape: [usize; 3], empty: u8, skipping: Skipping) -> Self {
        let count = shape.map(|n| n.div_ceil(EDGE));
        let total = count[0] * count[1] * count[2];
        if skipping == Skipping::Never {
            return Self { count, distance: vec![0; total] };
        }
        let mut bricks = Self { count, distance: vec![FARTHEST; total] };
        for k in 0..shape[2] + 2 {
            for j in 0..shape[1] + 2 {
                let row = (k * (shape[1] + 2) + j) * (shape[0] + 2);
                let cells = &padded[row..row + shape[0] + 2];
                // Most rows are empty, and the largest of a row is found many cells at a time.
                if cells.iter().copied().max() <= Some(empty) {
                    continue;
                }
                for (i, _) in cells.iter().enumerate().filter(|(_, value)| **value > empty) {
                    bricks.mark([i, j, k]);
                }
            }
        }
        chessboard(&mut bricks.distance, count, FARTHEST);
        bricks
    }

    /// A padded cell is read by points up to one cell away, so it may belong to two bricks along each axis.
    fn mark(&mut self, padded: [usize; 3]) {
        let range = |axis: usize| {
            let centre = padded[axis] as isize - 1;
            let last = self.count[axis] as isize - 1;
            let low = (centre - 1).div_euclid(EDGE as isize).clamp(0, last);
            low..=(centre + 1).div_euclid(EDGE as isize).clamp(0, last)
        };
        let (is, js, ks) = (range(0), range(1), range(2));
        for k in ks {
            for j in js.clone() {
                for i in is.clone() {
                    let brick = (k as usize * self.count[1] + j as usize) * self.count[0] + i as usize;
                    self.distance[brick] = 0;
                }
            }
        }
    }

    /// From a point inside an empty brick, the ray parameter up to which nothing needs to be sampled; `None` in a
    /// brick that must be sampled.
    #[inline]
    pub(crate) fn jump(&self, point: V3, origin: V3, inverse: V3) -> Option<f32> {
        let at = |axis: usize| ((point[axis].max(0.0) as usize) / EDGE).min(self.count[axis] - 1);
        let brick = [at(0), at(1), at(2)];
        let free = i32::from(self.distance[(brick[2] * self.count[1] + brick[1]) * self.count[0] + brick[0]]);
        if free == 0 {
            return None;
        }
        let mut leave = f32::MAX;
        for axis in 0..3 {
            let here = brick[axis] as i32;
            let wall = if inverse[axis] > 0.0 { here + free } else { here - free + 1 };
            leave = leave.min(((wall * EDGE as i32) as f32 - origin[axis]) * inverse[axis]);
        }
        Some(leave)
    }
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
    fn distance_counts_bricks_along_the_largest_axis() {
        let shape = [40, 8, 24];
        let mut padded = vec![0; 42 * 10 * 26];
        padded[(13 * 10 + 2) * 42 + 3] = 9;
        let bricks = Bricks::new(&padded, shape, 0, Skipping::Bricks);
        let at = |i: usize, j: usize, k: usize| bricks.distance[(k * 2 + j) * 10 + i];
        // Padded (3, 2, 13) is cell (2, 1, 12), read from x 1..3, y 0..2, z 11..13: bricks k = 2 and 3.
        assert_eq!([at(0, 0, 2), at(0, 0, 3), at(1, 0, 3), at(9, 1, 0), at(0, 1, 0)], [0, 0, 1, 9, 2]);
    }
}
