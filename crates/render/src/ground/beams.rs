//! Lower bounds of the distances at which a camera's rays meet the ground, for small squares of
//! pixels; a ray starts its search for the ground at the bound.
//!
//! A beam is the bundle of all rays through a square of pixels: a pyramid with its tip at the eye.
//! The part of a beam between two depths fits into a box; where that box lies above the highest
//! ground under the box, no ray of the beam meets the ground. Large beams find the depth up to
//! which there is only air, the smaller beams inside continue from this depth, and a ray begins its
//! own search a few patches (squares between nodes of the height field) before the ground.
//!
//! Invariant: a ray that begins at the bound meets the ground where a ray from the eye does.

use lavoxel_base::parallel::*;

use crate::camera::{Camera, Ray};
use crate::ground::heightfield::{Heightfield, ShownPart};
use crate::math::V3;
use lavoxel_base::simd::{Level, Simd, Work};

/// Edge lengths in pixels of the squares of pixels on each level of the subdivision, from the
/// largest.
const SIDES: [usize; 4] = [64, 16, 4, LEAF];
/// Edge length in pixels of the smallest squares of pixels.
const LEAF: usize = 2;

/// Depth in cells up to which rays meet no ground, for each square of `LEAF` × `LEAF` pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beams {
    /// Number of squares of `LEAF` × `LEAF` pixels in a row.
    across: usize,
    /// Depth in cells up to which the rays of a square of pixels meet no ground, row-major;
    /// [`f32::MAX`] for squares without ground.
    free: Vec<f32>,
}

impl Beams {
    /// Computes the depths up to which the rays of `camera` meet no ground. `part`: visible region
    /// of the ground; `level`: instruction set of the CPU; reuses the allocations of `old`.
    pub(crate) fn new(
        block: &Heightfield,
        part: &ShownPart,
        camera: &Camera,
        level: Level,
        old: Self,
    ) -> Self {
        let (width, height) = camera.size();
        // Begins with one square for the whole picture, of which only depth 0 is known.
        let (mut coarse, mut across, mut large) = (vec![0.0], 1, SIDES[0] * width.max(height));
        let mut fine = old.free;
        for side in SIDES {
            let (rows, ratio, row) = (height.div_ceil(side), large / side, across);
            across = width.div_ceil(side);
            fine.clear();
            fine.resize(across * rows, 0.0);
            fine.par_chunks_mut(across)
                .enumerate()
                .for_each(|(j, free)| {
                    let coarse = &coarse[j / ratio * row..];
                    level.run(RowTask {
                        block,
                        part,
                        camera,
                        side,
                        j,
                        coarse,
                        ratio,
                        free,
                    });
                });
            (coarse, fine, large) = (fine, coarse, side);
        }
        Self {
            across,
            free: coarse,
        }
    }

    /// Returns the ray through the position (`u`, `v`) (0 to 1) in the pixel (`x`, `y`), and a
    /// lower bound of the ray's distance to the ground in cells; infinite if the ray does not meet
    /// the ground.
    #[inline(always)]
    pub(crate) fn ray(
        &self,
        camera: &Camera,
        (x, y): (usize, usize),
        (u, v): (f32, f32),
    ) -> (Ray, f32) {
        let (ray, length) = camera.ray_and_length(x as f32 + u, y as f32 + v);
        let free = self.free[y / LEAF * self.across + x / LEAF];
        (
            ray,
            if free < f32::MAX {
                (free * length * 0.999_99 - 1e-3).max(0.0)
            } else {
                f32::INFINITY
            },
        )
    }
}

/// Task that computes the free depths (up to which rays meet no ground) of one row of squares of
/// pixels from the free depths of larger squares.
struct RowTask<'a> {
    /// Ground of the simulation box.
    block: &'a Heightfield,
    /// Visible region of the ground.
    part: &'a ShownPart,
    camera: &'a Camera,
    /// Edge length in pixels of the squares whose free depths are computed.
    side: usize,
    /// Index of the row of squares, counted from the top of the picture.
    j: usize,
    /// Free depths in cells of the row of larger squares that contains this row.
    coarse: &'a [f32],
    /// Number of squares, along an axis, per larger square.
    ratio: usize,
    /// Free depths in cells of the squares of this row: the output of the task.
    free: &'a mut [f32],
}

impl Work for RowTask<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        for (i, free) in self.free.iter_mut().enumerate() {
            let known = self.coarse[i / self.ratio];
            *free = if known < f32::MAX {
                Beam::new(self.block, self.camera, [i, self.j], self.side)
                    .free_from(self.block, self.part, known)
            } else {
                known
            };
        }
    }
}

/// Bundle of the rays through a square of pixels, given by the range of their directions, scaled to
/// depth 1. x and z are in patches (squares between nodes of the height field), y in cells.
struct Beam {
    /// Position of the camera, x and z in patches (squares between nodes), y in cells.
    origin: V3,
    /// Smallest component along each axis among the directions of the beam's rays.
    low: V3,
    /// Largest component along each axis among the directions of the beam's rays.
    high: V3,
    /// Width in cells of the beam at depth 1.
    spread: f32,
    /// Number of patches (squares between nodes of the height field) per cell.
    scale: f32,
}

impl Beam {
    #[inline(always)]
    fn new(block: &Heightfield, camera: &Camera, [i, j]: [usize; 2], side: usize) -> Self {
        /// Margin added around each square in pixels; keeps every ray inside its beam in spite of
        /// rounding.
        const SLACK: f32 = 0.01;
        let ([across, down], [right, up, forward]) = (camera.middle(), camera.axes());
        let pixel = camera.pixel();
        let ends = |n: usize, middle: f32| {
            [
                (n * side) as f32 - SLACK - middle,
                ((n + 1) * side) as f32 + SLACK - middle,
            ]
            .map(|end| end * pixel)
        };
        let (xs, ys) = (ends(i, across), ends(j, down));
        // Directions are linear in both coordinates, so the extremes are at the ends.
        let (mut low, mut high) = (block.patches(forward), block.patches(forward));
        for (axis, [a, b]) in [(block.patches(right), xs), (block.patches(-up), ys)] {
            for k in 0..3 {
                let (a, b) = (axis[k] * a, axis[k] * b);
                low[k] += if a < b { a } else { b };
                high[k] += if a < b { b } else { a };
            }
        }
        let origin = block.patches(camera.eye().coords);
        Self {
            origin,
            low,
            high,
            spread: pixel * side as f32,
            scale: block.heights.per_cell,
        }
    }

    /// Returns the depth in cells up to which the beam meets no ground, `f32::MAX` if the beam
    /// meets none. `known`: depth up to which there is certainly no ground.
    #[inline(always)]
    // Few tests cover a long way: the stride doubles in free air, is quartered before ground, and
    // ends at half the width of the beam or half a patch.
    fn free_from(&self, block: &Heightfield, part: &ShownPart, known: f32) -> f32 {
        let (entry, exit) = self.inside(part);
        let mut depth = known.max(entry);
        let shortest = 0.5 / self.scale;
        let mut least = (0.5 * self.spread * depth).max(shortest);
        let mut stride = if known > 0.0 {
            4.0 * least
        } else {
            0.25 * (exit - depth)
        };
        loop {
            if depth >= exit {
                return f32::MAX;
            }
            let to = (depth + stride).min(exit);
            if self.is_free(block, part, [depth, to]) {
                (depth, stride) = (to, 2.0 * stride);
                least = (0.5 * self.spread * depth).max(shortest);
            } else if stride < 2.0 * least {
                return depth;
            } else {
                stride *= 0.25;
            }
        }
    }

    /// Returns the range of depths (cells) in which the beam may touch `part`, the bounding box of
    /// the visible ground; (0, 0) if the beam misses that box.
    #[inline(always)]
    fn inside(&self, part: &ShownPart) -> (f32, f32) {
        let (mut entry, mut far) = (0.0_f32, (part.high - part.low).norm());
        far += (0.5 * (part.high + part.low) - self.origin).norm();
        for axis in 0..3 {
            let (o, low, high) = (self.origin[axis], part.low[axis], part.high[axis]);
            let (down, up) = (self.low[axis], self.high[axis]);
            if low >= high {
                return (0.0, 0.0);
            }
            // The fastest ray comes in first, the slowest leaves last.
            let (to, fast) = if o < low {
                (low - o, up)
            } else {
                (o - high, -down)
            };
            if to > 0.0 {
                entry = entry.max(if fast > 0.0 {
                    0.999_99 * to / fast
                } else {
                    f32::MAX
                });
            }
            if down > 0.0 {
                far = far.min(1.000_01 * (high - o) / down);
            } else if up < 0.0 {
                far = far.min(1.000_01 * (low - o) / up);
            }
        }
        (entry, far)
    }

    /// Returns true if no ray of the beam meets the ground between the depths `from` and `to`
    /// (cells).
    #[inline(always)]
    fn is_free(&self, block: &Heightfield, part: &ShownPart, [from, to]: [f32; 2]) -> bool {
        let away = self
            .origin
            .x
            .abs()
            .max(self.origin.y.abs())
            .max(self.origin.z.abs());
        let slack = (2e-3 + 2e-6 * (to + away)) * self.scale;
        // Not closures: they are not compiled for wide instructions.
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let (o, a, b) = (self.origin[axis], self.low[axis], self.high[axis]);
            low[axis] = o + a * if a < 0.0 { to } else { from } - slack;
            high[axis] = o + b * if b < 0.0 { from } else { to } + slack;
            if high[axis] < part.low[axis] || low[axis] > part.high[axis] {
                return true;
            }
        }
        let last = [block.heights.width - 2, block.heights.depth - 2];
        let (mut first, mut end) = ([0; 2], [0; 2]);
        for (k, axis) in [0, 2].into_iter().enumerate() {
            first[k] = (low[axis].max(part.low[axis]) as u32 as usize).min(last[k]);
            end[k] = (high[axis].min(part.high[axis]) as u32 as usize).min(last[k]);
        }
        low[1] > block.highest_with_caves(first, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::heightfield::tests::{hill, parts};

    fn cameras() -> Vec<Camera> {
        let pose = |eye: [f32; 3], turn: (f32, f32), fov: f32| {
            Camera::from_pose(eye.into(), turn, fov, (71, 53))
        };
        vec![
            pose([40.0, 24.0, 38.0], (130.0, 30.0), 40.0),
            pose([10.0, 60.0, 7.0], (20.0, 89.0), 30.0),
            pose([10.0, 7.3, 7.0], (250.0, 2.0), 100.0),
            pose([-30.0, 0.0, 7.0], (270.0, 0.0), 50.0),
            pose([12.0, -20.0, 9.0], (0.0, -70.0), 60.0),
            pose([900.0, 400.0, -700.0], (52.0, 20.0), 2.0),
        ]
    }

    #[test]
    fn rays_that_start_late_meet_the_ground_where_they_always_did() {
        let field = hill();
        let (mut met, mut air) = (0, 0.0);
        for part in parts(&field) {
            for camera in cameras() {
                let beams = Beams::new(&field, &part, &camera, Level::fastest(), Beams::default());
                for pixel in 0..71 * 53 {
                    let (x, y) = (pixel % 71, pixel / 71);
                    for (u, v) in [(0.5, 0.5), (0.0, 1.0), (0.99, 0.01)] {
                        let (ray, start) = beams.ray(&camera, (x, y), (u, v));
                        match (field.hit(&ray, &part, start), field.hit(&ray, &part, 0.0)) {
                            (Some(late), Some(hit)) => {
                                assert!(
                                    (late.t - hit.t).abs() < 1e-3 + 2e-6 * hit.t,
                                    "{late:?} against {hit:?}"
                                );
                                (met, air) = (met + 1, air + (hit.t - start) / hit.t);
                            }
                            (None, None) => {}
                            (late, hit) => {
                                panic!("{part:?}, {camera:?} at {x}, {y}: {late:?} against {hit:?}")
                            }
                        }
                    }
                }
            }
        }
        assert!(
            met > 10_000 && air < 0.3 * met as f32,
            "{met} rays, on average {} of them walked",
            air / met as f32
        );
    }

    #[test]
    fn an_empty_part_has_no_ground() {
        let field = hill();
        let mut part = field.whole();
        part.high.x = part.low.x;
        for camera in cameras() {
            let beams = Beams::new(&field, &part, &camera, Level::fastest(), Beams::default());
            assert!(beams.free.iter().all(|free| *free == f32::MAX));
        }
    }
}
