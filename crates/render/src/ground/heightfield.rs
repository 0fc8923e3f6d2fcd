//! The ground as a block with a smooth top, and the intersection of rays with the block.
//!
//! ```text
//!      ___/\__      top: bilinear patches between fine nodes
//!     |       |     sides at x = 0, nx and z = 0, nz
//!     |_______|     foot: some cells below the box floor, so that flat ground has thickness too
//! ```
//!
//! Nodes are the points of a horizontal grid at which heights are stored, one or several per cell;
//! a patch is the square between four nodes. Rays see a `ShownPart` of the block: a box with sides,
//! roof and floor that cut the rock open. A pyramid of maximum heights lets rays pass over large
//! squares in one stride; intersections with a patch are exact.

mod caves;
mod hollows;
mod walls;

use std::ops::Range;

pub use self::caves::Caves;
pub use self::caves::{DRAWN, HALVINGS, NEAR, PIECES, Top};
pub use self::hollows::{HOLLOW_HALVINGS, HOLLOW_OPEN, HOLLOW_SLOPE, HOLLOW_STEP};

pub use crate::camera::Ray;
pub use crate::ground::raster::Raster;
use crate::math::{V3, in_cells, unit_or_up, v3};

/// Kind of surface at which a ray hits the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Face {
    /// Smooth top of the ground, given by the heights at nodes.
    Top,
    /// Side, top or bottom plane of the visible region, which cuts the ground open; with the
    /// outward normal of the plane.
    Cut(V3),
    /// Face of a cell in a column that is drawn cell by cell, or wall of a rounded hollow; with the
    /// outward normal.
    Block(V3),
}

/// Visible part of the ground block, a box with x and z in patches (squares between nodes) and y in
/// cells. Empty if any component of `low` is not less than that of `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShownPart {
    /// Corner of the visible region with the smallest coordinates.
    pub(crate) low: V3,
    /// Corner of the visible region with the largest coordinates.
    pub(crate) high: V3,
}

/// Intersection of a ray with the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundHit {
    /// Distance from the ray's start, in cells.
    pub(crate) t: f32,
    /// Point of intersection, in cells.
    pub(crate) point: V3,
    /// Kind of surface that the ray meets.
    pub(crate) face: Face,
}

impl GroundHit {
    /// Returns the distance along the ray, in cells, up to which lava is drawn in front of this
    /// point: `t`, or slightly less if the point lies on a plane that cuts the ground open.
    #[inline(always)]
    pub(crate) fn front(&self) -> f32 {
        if matches!(self.face, Face::Cut(_)) {
            before_cut(self.t)
        } else {
            self.t
        }
    }
}

/// Returns the distance along the ray, in cells, up to which lava is drawn in front of ground that
/// a plane cuts open at the distance `t`: slightly less than `t`.
// A side cuts lava and ground in one plane, where rounding must not decide which of the two is
// seen: density reaches into the rock.
pub(crate) fn before_cut(t: f32) -> f32 {
    t * 0.999_9 - 1e-3
}

/// Returns the distance along the ray, in cells, up to which slices are drawn in front of the
/// ground: slightly beyond a plane that cuts the ground open, so that a slice in this plane is
/// drawn. `front`: `GroundHit::front` of the ground.
pub(crate) fn up_to_cut(front: f32) -> f32 {
    front * 1.000_2 + 4e-3
}

/// Tolerance in cells: the top plane of the visible region does not count as cutting the ground
/// open if it lies at most this far below the smooth top.
const TOUCHES: f32 = 1e-3;
/// Number of patches (squares between nodes) that a ray tests one by one before the pyramid of
/// maximum heights is used.
const STEPS: usize = 32;
/// Level of the pyramid of maximum heights at which a ray begins to skip squares of 2^level ×
/// 2^level patches.
const FIRST: usize = 2;

/// Result of following a ray for at most `STEPS` patches; distances in cells from the ray's start.
enum Steps {
    /// The ray meets the ground at this distance, in cells.
    Hit(f32),
    /// The ray has left the visible region without meeting the ground.
    Missed,
    /// The ray is still above the ground at this distance, in cells, after `STEPS` patches.
    Ongoing(f32),
}

/// One level of the pyramid of maximum heights: the maximum height in cells of each square of
/// 2^level × 2^level patches.
#[derive(Clone, Debug)]
struct Level {
    /// Number of squares along x at this level.
    width: usize,
    /// Number of squares along z at this level.
    depth: usize,
    /// Maximum height in cells of each square of this level, row-major with x fastest.
    highest: Vec<f32>,
}

/// The ground as a block with a smooth top, which is given by heights on a horizontal grid of
/// nodes.
#[derive(Clone, Debug)]
pub struct Heightfield {
    /// Heights of the top at the nodes, in cells above the floor of the simulation box.
    pub heights: Raster<f32>,
    /// y of the block's bottom in cells; negative, because the bottom lies below the floor of the
    /// simulation box.
    pub foot: f32,
    /// Maximum height of the top in cells.
    pub top: f32,
    /// Pyramid of maximum heights, from single patches to one square for the whole block; see
    /// `Level`.
    levels: Vec<Level>,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    pub(crate) tall: f32,
    /// Columns that a height field cannot represent, because they have caves or vertical walls.
    pub caves: Caves,
}

impl Heightfield {
    /// Builds the block of ground from the heights of its top at the nodes (`heights`) and the
    /// height of its bottom (`foot`), both in cells.
    pub(crate) fn new(heights: Raster<f32>, foot: f32) -> Self {
        let mut levels = vec![finest(&heights)];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.depth > 1) {
            levels.push(coarser(last));
        }
        let top = heights.data.iter().copied().fold(f32::MIN, f32::max);
        Self {
            heights,
            foot,
            top,
            levels,
            tall: 1.0,
            caves: Caves::default(),
        }
    }

    /// Returns the width of the block along x in cells.
    pub(crate) fn width(&self) -> f32 {
        (self.heights.width - 1) as f32 / self.heights.per_cell
    }

    /// Returns the depth of the block along z in cells.
    pub(crate) fn depth(&self) -> f32 {
        (self.heights.depth - 1) as f32 / self.heights.per_cell
    }

    /// Returns the mean height in cells of the top along the border of the block.
    pub(crate) fn side(&self) -> f32 {
        let border = self.sides();
        border.iter().sum::<f32>() / border.len() as f32
    }

    /// Returns the heights in cells of the nodes along the border of the block; the heights of
    /// corner nodes occur twice.
    pub(super) fn sides(&self) -> Vec<f32> {
        let Raster {
            width, depth, data, ..
        } = &self.heights;
        let rows = [0, depth - 1]
            .into_iter()
            .flat_map(|j| (0..*width).map(move |i| j * width + i));
        let columns = [0, width - 1]
            .into_iter()
            .flat_map(|i| (0..*depth).map(move |j| j * width + i));
        rows.chain(columns).map(|k| data[k]).collect()
    }

    /// Updates the pyramid of maximum heights after the heights of the nodes in the index ranges
    /// `across` (along x) and `rows` (along z) changed.
    pub(crate) fn refresh(&mut self, across: Range<usize>, rows: Range<usize>) {
        let squares =
            |nodes: Range<usize>, count: usize| nodes.start.saturating_sub(1)..nodes.end.min(count);
        let finest = &mut self.levels[0];
        let (mut xs, mut zs) = (squares(across, finest.width), squares(rows, finest.depth));
        for (i, j) in zs.clone().flat_map(|j| xs.clone().map(move |i| (i, j))) {
            finest.highest[j * finest.width + i] = highest_corner(&self.heights, i, j);
        }
        for level in 1..self.levels.len() {
            let (fine, coarse) = self.levels.split_at_mut(level);
            let (Some(fine), Some(coarse)) = (fine.last(), coarse.first_mut()) else {
                continue;
            };
            (xs, zs) = (
                xs.start / 2..xs.end.div_ceil(2),
                zs.start / 2..zs.end.div_ceil(2),
            );
            for (i, j) in zs.clone().flat_map(|j| xs.clone().map(move |i| (i, j))) {
                coarse.highest[j * coarse.width + i] = highest_of_four(fine, i, j);
            }
        }
        // The coarsest level is one square over all nodes.
        self.top = self
            .levels
            .last()
            .map_or(self.top, |level| level.highest[0]);
    }

    /// Returns true if the pyramids of maximum heights of `self` and `other` are equal.
    #[cfg(test)]
    pub(crate) fn has_levels_of(&self, other: &Self) -> bool {
        self.levels
            .iter()
            .zip(&other.levels)
            .all(|(a, b)| a.highest == b.highest)
    }

    /// Returns the unit normal of the smooth top at (`x`, `z`) in cells, in true proportions, from
    /// height differences over ± `reach` cells.
    #[inline(always)]
    pub(crate) fn normal(&self, x: f32, z: f32, reach: f32) -> V3 {
        let (east, south) = self.heights.slope(x, z, reach);
        unit_or_up(v3(-east * self.tall, 1.0, -south * self.tall))
    }

    /// Returns the region that contains the whole block.
    pub(crate) fn whole(&self) -> ShownPart {
        let [width, depth] =
            [self.heights.width, self.heights.depth].map(|nodes| (nodes - 1) as f32);
        ShownPart {
            low: v3(0.0, self.foot, 0.0),
            high: v3(width, self.top.max(self.caves.roof()), depth),
        }
    }

    /// Returns the part of the block between the fractions `shares` (lower and upper bound along x,
    /// y and z) of a simulation box of `cells` cells. A lower bound of 0 along y includes the
    /// block's bottom.
    pub(crate) fn part_between(&self, shares: [[f32; 2]; 3], cells: [f32; 3]) -> ShownPart {
        let mut part = self.whole();
        for axis in 0..3 {
            let patches = if axis == 1 {
                1.0
            } else {
                self.heights.per_cell
            };
            let [low, high] = shares[axis].map(|share| share * cells[axis] * patches);
            if shares[axis][0] > 0.0 {
                part.low[axis] = low;
            }
            if shares[axis][1] < 1.0 {
                part.high[axis] = part.high[axis].min(high);
            }
        }
        part
    }

    /// Converts the x and z of a point or direction from cells to patches (squares between nodes).
    #[inline(always)]
    pub(crate) fn patches(&self, v: V3) -> V3 {
        v3(
            v.x * self.heights.per_cell,
            v.y,
            v.z * self.heights.per_cell,
        )
    }

    /// Returns the first intersection of `ray` with the ground in `part`; `None` if the ray misses.
    ///
    /// The ray is known to meet no ground before the distance `start` (cells): 0, or a bound from
    /// [`crate::ground::beams`]; infinite for a ray that meets no ground.
    #[inline(always)]
    pub(crate) fn hit(&self, ray: &Ray, part: &ShownPart, start: f32) -> Option<GroundHit> {
        if start == f32::INFINITY {
            return None;
        }
        let line = Line::new(self.patches(ray.origin), self.patches(ray.direction));
        if self.caves.is_empty() {
            return self.hit_top(ray, &line, part, start);
        }
        self.hit_between_caves(ray, &line, part, start)
    }

    /// Returns the first intersection of `ray` with the ground in `part` from the distance `start`
    /// (cells) on, for ground with caves, walls or hollows; `None` if the ray misses. `line`: the
    /// same ray with x and z in patches.
    #[inline(never)]
    fn hit_between_caves(
        &self,
        ray: &Ray,
        line: &Line,
        part: &ShownPart,
        start: f32,
    ) -> Option<GroundHit> {
        if !self.caves.kinds.cornered {
            return self.hit_with_hollows(ray, line, part, start);
        }
        let (near, far, entry) = line.within(part, start)?;
        let normal = entry.map(|axis| line.outward(axis));
        self.hit_with_caves(ray, [near, far], normal, |from| {
            self.hit_with_hollows(ray, line, part, if from > near { from } else { start })
        })
    }

    /// Returns the first intersection of `ray` with the smooth top of the ground or with a plane
    /// that cuts the ground open in `part`, from the distance `start` (cells) on; ignores caves.
    /// `line`: the same ray with x and z in patches.
    #[inline(always)]
    fn hit_top(&self, ray: &Ray, line: &Line, part: &ShownPart, start: f32) -> Option<GroundHit> {
        let scale = self.heights.per_cell;
        let (near, far, entry) = line.within(part, start)?;
        if let Some(axis) = entry {
            let p = line.at(near);
            let height = self.heights.at(p.x / scale, p.z / scale);
            // The highest nodes touch the roof of a block that nothing cuts: rounding must not make
            // a cut face of flat ground.
            let least = if axis == 1 {
                height - TOUCHES
            } else {
                height.next_up()
            };
            if p.y < least {
                return Some(GroundHit {
                    t: near,
                    point: ray.at(near),
                    face: Face::Cut(line.outward(axis)),
                });
            }
        }
        let t = match self.step(line, (near, far)) {
            Steps::Hit(t) => t,
            Steps::Missed => return None,
            Steps::Ongoing(t) => self.descend(line, (t, far))?,
        };
        Some(GroundHit {
            t,
            point: ray.at(t),
            face: Face::Top,
        })
    }

    /// Returns true if the ray from the point `from` (cells) towards the sun meets no ground;
    /// `sun`: direction of the sun in true proportions.
    pub(crate) fn lit(&self, from: V3, sun: V3) -> bool {
        let direction = in_cells(sun, self.tall);
        self.hit(
            &Ray {
                origin: from,
                direction,
            },
            &self.whole(),
            0.0,
        )
        .is_none()
    }

    /// Returns an upper bound, in cells, of the heights of the smooth top over the patches with
    /// indices from `low` to `high` (along x and z). Neighbouring patches may raise the bound.
    #[inline(always)]
    pub(crate) fn highest(&self, low: [usize; 2], high: [usize; 2]) -> f32 {
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        // On this level the patches touch two squares along each axis at most.
        let level = ((usize::BITS - extent.leading_zeros()) as usize).min(self.levels.len() - 1);
        let square = &self.levels[level];
        let (near, far) = (
            &square.highest[(low[1] >> level) * square.width..],
            (high[1] >> level) * square.width,
        );
        let far = &square.highest[far..];
        let (west, east) = (low[0] >> level, high[0] >> level);
        near[west].max(near[east]).max(far[west].max(far[east]))
    }

    /// Returns an upper bound, in cells, of the heights of all rock over the patches with indices
    /// from `low` to `high`: of the smooth top, and of the columns with caves.
    #[inline(always)]
    pub(crate) fn highest_with_caves(&self, low: [usize; 2], high: [usize; 2]) -> f32 {
        let smooth = self.highest(low, high);
        if self.caves.is_empty() {
            return smooth;
        }
        let cells = |patch: usize| patch as f32 / self.heights.per_cell;
        smooth.max(
            self.caves
                .roof_over(low.map(cells), high.map(|patch| cells(patch + 1))),
        )
    }

    /// Returns the height in cells of the first ground below the point `p` (cells): the top of the
    /// ground, or the floor of the cave that contains the point.
    pub(crate) fn floor_below(&self, p: V3) -> f32 {
        self.caves
            .floor_below(self, p)
            .unwrap_or_else(|| self.heights.at(p.x, p.z))
    }

    /// Follows `line` from patch to patch between the distances `near` and `far` (cells), for at
    /// most `STEPS` patches. Faster than `descend` if the ray is already near the ground.
    #[inline(always)]
    fn step(&self, line: &Line, (near, far): (f32, f32)) -> Steps {
        let (o, d, finest) = (line.origin, line.direction, &self.levels[0]);
        // The nudge puts a start on a wall into the patch that the ray enters.
        let p = line.at(near + 1e-4 * (1.0 + near * 0.05));
        let (width, depth) = (finest.width as i32, finest.depth as i32);
        let (mut i, mut j) = (
            (p.x as i32).clamp(0, width - 1),
            (p.z as i32).clamp(0, depth - 1),
        );
        let [east, south] = [line.inverse.x > 0.0, line.inverse.z > 0.0];
        let turns = |sign: bool| if sign { 1 } else { -1 };
        let (di, dj) = (turns(east), turns(south));
        let (mut x, mut z) = (
            line.leave(0, i + i32::from(east)),
            line.leave(2, j + i32::from(south)),
        );
        let (dx, dz) = (line.inverse.x.abs(), line.inverse.z.abs());
        let mut t = near;
        for _ in 0..STEPS {
            let along_x = x < z;
            let leave = if along_x { x } else { z };
            let leave = if leave < far { leave } else { far };
            let lowest = o.y + d.y * if d.y < 0.0 { leave } else { t };
            if lowest <= finest.highest[(j * width + i) as usize]
                && let Some(hit) = self.patch(o, d, (i as usize, j as usize), (t, leave.max(t)))
            {
                return Steps::Hit(hit);
            }
            t = leave;
            (i, x) = if along_x { (i + di, x + dx) } else { (i, x) };
            (j, z) = if along_x { (j, z) } else { (j + dj, z + dz) };
            if t >= far || i < 0 || j < 0 || i >= width || j >= depth {
                return Steps::Missed;
            }
        }
        Steps::Ongoing(t)
    }

    /// Follows `line` between the distances `near` and `far` (cells) and returns the distance at
    /// which the line meets the smooth top; `None` if it does not. Skips squares of the pyramid of
    /// maximum heights that lie below the ray.
    #[inline(always)]
    fn descend(&self, line: &Line, (near, far): (f32, f32)) -> Option<f32> {
        let (o, d) = (line.origin, line.direction);
        let coarsest = self.levels.len() - 1;
        let last = [self.levels[0].width - 1, self.levels[0].depth - 1];
        let ahead = [
            usize::from(line.inverse.x > 0.0),
            usize::from(line.inverse.z > 0.0),
        ];
        let nudge = 1e-4 * (1.0 + near.abs() * 0.05);
        let (mut level, mut t) = (coarsest.min(FIRST), near);
        // Patch at which the last square was left, if the walk has just left one.
        let mut left = None;
        while t < far {
            let p = o + d * (t + nudge);
            let (i, j) = (
                (p.x.max(0.0) as usize).min(last[0]),
                (p.z.max(0.0) as usize).min(last[1]),
            );
            // A larger square is worth a look when the walk has entered another one.
            if let Some((a, b)) = left.take()
                && level < coarsest
                && ((i ^ a) | (j ^ b)) >> (level + 1) != 0
            {
                level += 1;
            }
            let square = &self.levels[level];
            let (a, b) = (i >> level, j >> level);
            let wall = |n: usize, ahead: usize| ((n + ahead) << level) as f32;
            let x = (wall(a, ahead[0]) - o.x) * line.inverse.x;
            let z = (wall(b, ahead[1]) - o.z) * line.inverse.z;
            // A ray along a wall gives NaN, which compares as false.
            let (x, z) = (if x < far { x } else { far }, if z < far { z } else { far });
            let leave = (if x < z { x } else { z }).max(t + nudge);
            let lowest = o.y + d.y * if d.y < 0.0 { leave } else { t };
            if lowest > square.highest[b * square.width + a] {
                (t, left) = (leave, Some((i, j)));
            } else if level > 0 {
                level -= 1;
            } else if let Some(hit) = self.patch(o, d, (i, j), (t, leave)) {
                return Some(hit);
            } else {
                (t, left) = (leave, Some((i, j)));
            }
        }
        None
    }

    /// Returns the distance within `span` (first, last) at which the ray from `o` in direction `d`
    /// (x and z in patches) first lies below the bilinear patch (`i`, `j`), computed exactly as the
    /// root of a quadratic. `None` if the ray stays above.
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

/// Ray with x and z in patches (squares between nodes) and y in cells.
struct Line {
    origin: V3,
    direction: V3,
    /// Reciprocal of each component of the direction; infinite for components close to 0.
    inverse: V3,
}

impl Line {
    #[inline(always)]
    fn new(origin: V3, direction: V3) -> Self {
        let inverse = |d: f32| {
            if d.abs() < 1e-9 {
                f32::INFINITY
            } else {
                1.0 / d
            }
        };
        let inverse = v3(
            inverse(direction.x),
            inverse(direction.y),
            inverse(direction.z),
        );
        Self {
            origin,
            direction,
            inverse,
        }
    }

    /// Returns the distance at which the ray crosses the grid plane with the index `n`
    /// perpendicular to `axis`; `f32::MAX` if the ray is parallel to the plane.
    #[inline(always)]
    fn leave(&self, axis: usize, n: i32) -> f32 {
        let leave = (n as f32 - self.origin[axis]) * self.inverse[axis];
        // A ray along the wall gives NaN, which compares as false.
        if leave < f32::MAX { leave } else { f32::MAX }
    }

    /// Returns the point at the distance `t` along the ray.
    #[inline(always)]
    fn at(&self, t: f32) -> V3 {
        self.origin + self.direction * t
    }

    /// Returns the outward normal of a box's side perpendicular to `axis` through which the ray
    /// enters the box.
    #[inline(always)]
    fn outward(&self, axis: usize) -> V3 {
        let mut normal = V3::zeros();
        normal[axis] = -self.direction[axis].signum();
        normal
    }

    /// Returns the interval of distances from `start` on in which the ray is inside `part` (first,
    /// last), and the axis perpendicular to the side through which the ray enters; that axis is
    /// `None` if the ray starts inside. Returns `None` if the ray misses `part`.
    #[inline(always)]
    fn within(&self, part: &ShownPart, start: f32) -> Option<(f32, f32, Option<usize>)> {
        let (mut near, mut far, mut entry) = (start, f32::MAX, None);
        for axis in 0..3 {
            let (o, inverse) = (self.origin[axis], self.inverse[axis]);
            let (low, high) = (part.low[axis], part.high[axis]);
            if low >= high || (inverse == f32::INFINITY && (o < low || o > high)) {
                return None;
            }
            if inverse != f32::INFINITY {
                let (a, b) = ((low - o) * inverse, (high - o) * inverse);
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                if a > near {
                    (near, entry) = (a, Some(axis));
                }
                far = if b < far { b } else { far };
            }
        }
        (near <= far).then_some((near, far, entry))
    }
}

/// Returns the smallest non-negative root s of a s² + b s + c = 0 for c > 0; `None` if there is
/// none.
#[inline(always)]
fn first_root(a: f32, b: f32, c: f32) -> Option<f32> {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    // Of the two forms the one without a difference of nearly equal numbers; the other root is
    // negative or larger.
    if b < 0.0 {
        Some(2.0 * c / (root - b))
    } else if a < 0.0 {
        Some(-0.5 * (b + root) / a)
    } else {
        None
    }
}

/// Returns the finest level of the pyramid of maximum heights, with one entry per patch (square
/// between four nodes).
fn finest(heights: &Raster<f32>) -> Level {
    let (width, depth) = (heights.width - 1, heights.depth - 1);
    let highest = (0..width * depth)
        .map(|k| highest_corner(heights, k % width, k / width))
        .collect();
    Level {
        width,
        depth,
        highest,
    }
}

/// Returns the maximum of the heights at the four nodes of the patch (`i`, `j`), in cells.
fn highest_corner(heights: &Raster<f32>, i: usize, j: usize) -> f32 {
    let (n, h) = (j * heights.width + i, &heights.data);
    h[n].max(h[n + 1])
        .max(h[n + heights.width])
        .max(h[n + heights.width + 1])
}

/// Returns the next coarser level of the pyramid of maximum heights, whose squares have twice the
/// edge length of those of `fine`.
fn coarser(fine: &Level) -> Level {
    let (width, depth) = (fine.width.div_ceil(2), fine.depth.div_ceil(2));
    let highest = (0..width * depth)
        .map(|k| highest_of_four(fine, k % width, k / width))
        .collect();
    Level {
        width,
        depth,
        highest,
    }
}

/// Returns the maximum height, in cells, of the square (`i`, `j`) on the next coarser level than
/// `fine`.
fn highest_of_four(fine: &Level, i: usize, j: usize) -> f32 {
    let at = |i: usize, j: usize| {
        fine.highest[j.min(fine.depth - 1) * fine.width + i.min(fine.width - 1)]
    };
    let (i, j) = (2 * i, 2 * j);
    at(i, j)
        .max(at(i + 1, j))
        .max(at(i, j + 1))
        .max(at(i + 1, j + 1))
}

#[cfg(test)]
pub(crate) mod tests;
