//! The ground as a block with a smooth top, and where rays meet it.
//!
//! ```text
//!      ___/\__      top: bilinear patches between fine nodes
//!     |       |     sides at x = 0, nx and z = 0, nz
//!     |_______|     foot: some cells below the box floor, so that flat ground has thickness too
//! ```

use super::camera::Ray;
use super::math::{V3, unit_or_up, v3};
use super::raster::Raster;

/// What part of the block a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Face {
    Top,
    /// A cut side or the foot, with its outward normal.
    Cut(V3),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundHit {
    pub(crate) t: f32,
    pub(crate) point: V3,
    pub(crate) face: Face,
}

impl GroundHit {
    /// Distance up to which lava may cover this point.
    #[inline(always)]
    pub(crate) fn front(&self) -> f32 {
        if self.face == Face::Top { self.t } else { before_cut(self.t) }
    }
}

/// Distance up to which lava may cover a cut side met at `t`. The box's sides cut lava and ground in one plane, where
/// rounding must not decide which of the two is seen: density reaches into the rock.
pub(crate) fn before_cut(t: f32) -> f32 {
    t * 0.999_9 - 1e-3
}

/// Greatest heights over squares of 2^level patches.
#[derive(Clone, Debug)]
struct Level {
    width: usize,
    depth: usize,
    highest: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Heightfield {
    /// Heights of the top at the nodes, in cells above the box floor.
    pub(crate) heights: Raster<f32>,
    /// Height of the foot; below the box floor.
    pub(crate) foot: f32,
    /// Greatest of the heights.
    pub(crate) top: f32,
    levels: Vec<Level>,
}

impl Heightfield {
    pub(crate) fn new(heights: Raster<f32>, foot: f32) -> Self {
        let mut levels = vec![finest(&heights)];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.depth > 1) {
            levels.push(coarser(last));
        }
        let top = heights.data.iter().copied().fold(f32::MIN, f32::max);
        Self { heights, foot, top, levels }
    }

    /// Unit normal of the top at (x, z).
    #[inline(always)]
    pub(crate) fn normal(&self, x: f32, z: f32, reach: f32) -> V3 {
        let (east, south) = self.heights.slope(x, z, reach);
        unit_or_up(v3(-east, 1.0, -south))
    }

    /// The first point at which a ray enters the block.
    #[inline(always)]
    pub(crate) fn hit(&self, ray: &Ray) -> Option<GroundHit> {
        let scale = self.heights.per_cell;
        // Traversal counts x and z in patches; y and t stay in cells.
        let o = v3(ray.origin.x * scale, ray.origin.y, ray.origin.z * scale);
        let d = v3(ray.direction.x * scale, ray.direction.y, ray.direction.z * scale);
        let (near, far, entry) = self.bounds(o, d)?;
        let p = o + d * near;
        if let Some(normal) = entry
            && (normal.y < 0.0 || (normal.y == 0.0 && p.y <= self.heights.at(p.x / scale, p.z / scale)))
        {
            return Some(GroundHit { t: near, point: ray.at(near), face: Face::Cut(normal) });
        }
        let t = self.descend(o, d, (near, far))?;
        Some(GroundHit { t, point: ray.at(t), face: Face::Top })
    }

    /// True when nothing of the block lies between a point above the ground and the sun.
    pub(crate) fn lit(&self, from: V3, sun: V3) -> bool {
        self.hit(&Ray { origin: from, direction: sun }).is_none()
    }

    /// Part of the ray inside the block's bounding box, and the face of that box it comes in by.
    #[inline(always)]
    fn bounds(&self, o: V3, d: V3) -> Option<(f32, f32, Option<V3>)> {
        let low = [0.0, self.foot, 0.0];
        let high = [(self.heights.width - 1) as f32, self.top, (self.heights.depth - 1) as f32];
        let (mut near, mut far, mut entry) = (0.0_f32, f32::MAX, None);
        for axis in 0..3 {
            if d[axis].abs() < 1e-9 {
                if o[axis] < low[axis] || o[axis] > high[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((low[axis] - o[axis]) / d[axis], (high[axis] - o[axis]) / d[axis]);
            if a.min(b) > near {
                near = a.min(b);
                let mut normal = V3::zeros();
                normal[axis] = -d[axis].signum();
                entry = Some(normal);
            }
            far = far.min(a.max(b));
        }
        (near <= far).then_some((near, far, entry))
    }

    /// Walks the pyramid of highest points: large squares that the ray passes over are left in one stride.
    #[inline(always)]
    fn descend(&self, o: V3, d: V3, (near, far): (f32, f32)) -> Option<f32> {
        let coarsest = self.levels.len() - 1;
        let mut level = coarsest.min(3);
        let nudge = 1e-4 * (1.0 + near.abs() * 0.05);
        let mut t = near;
        while t < far {
            let p = o + d * (t + nudge);
            let square = &self.levels[level];
            let i = ((p.x.max(0.0) as usize) >> level).min(square.width - 1);
            let j = ((p.z.max(0.0) as usize) >> level).min(square.depth - 1);
            let side = (1_usize << level) as f32;
            let leave = exit(o.x, d.x, i as f32 * side, side).min(exit(o.z, d.z, j as f32 * side, side));
            let leave = leave.min(far).max(t + nudge);
            let lowest = o.y + d.y * if d.y < 0.0 { leave } else { t };
            if lowest > square.highest[j * square.width + i] {
                t = leave;
                level = (level + 1).min(coarsest);
            } else if level > 0 {
                level -= 1;
            } else if let Some(hit) = self.patch(o, d, (i, j), (t, leave)) {
                return Some(hit);
            } else {
                t = leave;
            }
        }
        None
    }

    /// Where the ray goes below the bilinear patch (i, j) between `span`, exactly: the root of a quadratic.
    #[inline(always)]
    fn patch(&self, o: V3, d: V3, (i, j): (usize, usize), span: (f32, f32)) -> Option<f32> {
        let (w, h) = (self.heights.width, &self.heights.data);
        let k = j * w + i;
        let (h00, h10, h01, h11) = (h[k], h[k + 1], h[k + w], h[k + w + 1]);
        let (b, c, e) = (h10 - h00, h01 - h00, h00 - h10 - h01 + h11);
        let (u, v) = (o.x + d.x * span.0 - i as f32, o.z + d.z * span.0 - j as f32);
        let above = |s: f32| {
            let (u, v) = (u + d.x * s, v + d.z * s);
            o.y + d.y * (span.0 + s) - (h00 + b * u + c * v + e * u * v)
        };
        let length = span.1 - span.0;
        let start = above(0.0);
        if start <= 0.0 {
            return Some(span.0);
        }
        let square = -e * d.x * d.z;
        let linear = d.y - b * d.x - c * d.z - e * (u * d.z + v * d.x);
        let root = first_root(square, linear, start)?;
        (root <= length).then_some(span.0 + root)
    }
}

/// Smallest non-negative root of `a s² + b s + c` with c > 0.
#[inline(always)]
fn first_root(a: f32, b: f32, c: f32) -> Option<f32> {
    if a.abs() < 1e-9 {
        return (b < 0.0).then(|| -c / b);
    }
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return None;
    }
    let q = -0.5 * (b + b.signum() * discriminant.sqrt());
    let roots = [q / a, c / q];
    roots.into_iter().filter(|s| *s >= 0.0).min_by(f32::total_cmp)
}

/// Ray parameter at which a coordinate leaves `[start, start + side]`.
#[inline(always)]
fn exit(o: f32, d: f32, start: f32, side: f32) -> f32 {
    if d.abs() < 1e-9 { f32::MAX } else { (if d > 0.0 { start + side - o } else { start - o }) / d }
}

fn finest(heights: &Raster<f32>) -> Level {
    let (width, depth) = (heights.width - 1, heights.depth - 1);
    let h = &heights.data;
    let highest = (0..width * depth)
        .map(|k| {
            let n = (k / width) * heights.width + k % width;
            h[n].max(h[n + 1]).max(h[n + heights.width]).max(h[n + heights.width + 1])
        })
        .collect();
    Level { width, depth, highest }
}

fn coarser(fine: &Level) -> Level {
    let (width, depth) = (fine.width.div_ceil(2), fine.depth.div_ceil(2));
    let at = |i: usize, j: usize| fine.highest[j.min(fine.depth - 1) * fine.width + i.min(fine.width - 1)];
    let highest = (0..width * depth)
        .map(|k| {
            let (i, j) = (2 * (k % width), 2 * (k / width));
            at(i, j).max(at(i + 1, j)).max(at(i, j + 1)).max(at(i + 1, j + 1))
        })
        .collect();
    Level { width, depth, highest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hill() -> Heightfield {
        let heights = Raster::nodes((20, 14), 2, |x, z| 4.0 + 3.0 * (x * 0.5).sin() * (z * 0.4).cos());
        Heightfield::new(heights, -2.0)
    }

    /// The first crossing found by very small steps.
    fn patient(field: &Heightfield, ray: &Ray) -> Option<f32> {
        (0..60_000).map(|i| i as f32 * 1e-3).find(|t| {
            let p = ray.at(*t);
            let inside = (0.0..=20.0).contains(&p.x) && (0.0..=14.0).contains(&p.z) && p.y >= field.foot;
            inside && p.y <= field.heights.at(p.x, p.z)
        })
    }

    #[test]
    fn the_pyramid_walk_finds_the_crossing_that_small_steps_find() {
        let field = hill();
        for k in 0..60 {
            let angle = k as f32 * 0.37;
            let origin = v3(10.0 + 24.0 * angle.cos(), 3.0 + (k % 9) as f32, 7.0 + 24.0 * angle.sin());
            let goal = v3((k % 7) as f32 * 3.0, (k % 5) as f32, (k % 4) as f32 * 3.0);
            let ray = Ray { origin, direction: (goal - origin).normalize() };
            match (field.hit(&ray), patient(&field, &ray)) {
                (Some(hit), Some(t)) => assert!((hit.t - t).abs() < 5e-3, "ray {k}: {} against {t}", hit.t),
                (None, None) => {}
                (fast, slow) => panic!("ray {k}: {fast:?} against {slow:?}"),
            }
        }
    }

    #[test]
    fn sides_and_foot_are_cut_faces() {
        let field = hill();
        let from = |origin: V3, direction: V3| field.hit(&Ray { origin, direction }).map(|h| h.face);
        assert_eq!(from(v3(-5.0, 0.0, 7.0), V3::x()), Some(Face::Cut(-V3::x())));
        assert_eq!(from(v3(9.0, -9.0, 7.0), V3::y()), Some(Face::Cut(-V3::y())));
        assert_eq!(from(v3(9.0, 50.0, 7.0), -V3::y()), Some(Face::Top));
        assert_eq!(from(v3(9.0, 50.0, 7.0), V3::y()), None);
    }
}
