//! Ray traversal from cell to cell (3D DDA) through the columns that are drawn cell by cell.

use super::{HALVINGS, MOST, PIECES, Top, surface};
use crate::camera::Ray;
use crate::ground::heightfield::{Face, GroundHit, Heightfield};
use crate::math::{V3, v3};

/// State of a ray that is followed from cell to cell.
struct Walk<'a> {
    ray: &'a Ray,
    /// Indices of the current cell along x, y and z.
    cell: [i32; 3],
    /// Distances along the ray, in cells, at which it crosses the next grid plane perpendicular to
    /// x, y and z.
    leave: [f32; 3],
    /// Distance along the ray, in cells, between two neighbouring grid planes perpendicular to x, y
    /// and z; `f32::MAX` for a ray parallel to these planes.
    stride: [f32; 3],
    /// Sign of the ray's direction along x, y and z: 1 or −1.
    turn: [i32; 3],
    /// Distance along the ray, in cells, at which the ray entered the current cell.
    t: f32,
    /// Axis perpendicular to the face through which the ray entered the current cell; `None` in the
    /// first cell.
    axis: Option<usize>,
}

impl<'a> Walk<'a> {
    /// Returns the state of `ray` in the cell that the ray is in at the distance `t`.
    fn new(ray: &'a Ray, t: f32) -> Self {
        // A point on a wall belongs to the cell that the ray enters.
        let p = ray.at(after(t));
        let cell: [i32; 3] = std::array::from_fn(|k| p[k].floor() as i32);
        let turn: [i32; 3] = std::array::from_fn(|k| if ray.direction[k] < 0.0 { -1 } else { 1 });
        let still = |k: usize| ray.direction[k].abs() < 1e-9;
        let wall = |k: usize| (cell[k] + i32::from(turn[k] > 0)) as f32;
        let leave = |k: usize| {
            if still(k) {
                f32::MAX
            } else {
                (wall(k) - ray.origin[k]) / ray.direction[k]
            }
        };
        let stride = |k: usize| {
            if still(k) {
                f32::MAX
            } else {
                1.0 / ray.direction[k].abs()
            }
        };
        Self {
            ray,
            cell,
            leave: [0, 1, 2].map(leave),
            stride: [0, 1, 2].map(stride),
            turn,
            t,
            axis: None,
        }
    }

    /// Returns the distance along the ray at which the ray leaves the current cell.
    fn end(&self) -> f32 {
        self.leave[0]
            .min(self.leave[1])
            .min(self.leave[2])
            .max(self.t)
    }

    /// Moves the state to the next cell along the ray.
    fn step(&mut self) {
        let axis = if self.leave[0] <= self.leave[1] && self.leave[0] <= self.leave[2] {
            0
        } else if self.leave[1] <= self.leave[2] {
            1
        } else {
            2
        };
        self.t = self.end();
        self.cell[axis] += self.turn[axis];
        self.leave[axis] += self.stride[axis];
        self.axis = Some(axis);
    }

    /// Returns the outward normal of the face through which the ray entered the current cell; in
    /// the first cell, the reversed direction of the ray.
    fn normal(&self) -> V3 {
        let mut normal = V3::zeros();
        match self.axis {
            Some(axis) => normal[axis] = -self.turn[axis] as f32,
            None => normal = -self.ray.direction,
        }
        normal
    }
}

impl Heightfield {
    /// Returns the first intersection of `ray` with the ground between the two distances `limits`,
    /// for ground with columns that are drawn cell by cell. `smooth` returns the intersection with
    /// the smooth ground from a given distance on; `entry`: normal of the visible region's side
    /// through which the ray enters.
    #[inline(never)]
    pub(in crate::ground::heightfield) fn hit_with_caves(
        &self,
        ray: &Ray,
        limits: [f32; 2],
        entry: Option<V3>,
        smooth: impl Fn(f32) -> Option<GroundHit>,
    ) -> Option<GroundHit> {
        let [near, far] = limits;
        // The smooth ground, which does not count here, may be higher than the rock.
        let roof = self.caves.roof().max(self.top);
        let mut from = near;
        let mut wall = None;
        for _ in 0..MOST {
            // Hits of the smooth ground are valid only outside of the columns with caves.
            let ground = smooth(from);
            let limit = ground.map_or(far, |hit| hit.t);
            let Some(inside) = self
                .caves
                .inside(ray, [from, far], roof)
                .filter(|inside| inside[0] <= limit + 1e-3)
            else {
                return walled(ground, from, wall);
            };
            match self.walk(ray, inside, limit, if from == near { entry } else { None }) {
                Walked::Rock(hit) => return Some(hit),
                Walked::Out(t, normal) if t < far => (from, wall) = (t, Some(normal)),
                Walked::Out(..) => return None,
                Walked::Smooth => return walled(ground, from, wall),
            }
        }
        None
    }

    /// Follows `ray` from cell to cell between the distances `near` and `far` (cells) until the ray
    /// meets rock or leaves the columns that are drawn cell by cell. `limit`: distance at which the
    /// ray meets the smooth ground; `entry`: normal of the plane that cuts the ground open at
    /// `near`, if any.
    fn walk(&self, ray: &Ray, [near, far]: [f32; 2], limit: f32, entry: Option<V3>) -> Walked {
        let mut walk = Walk::new(ray, near);
        let mut is_inside = false;
        while walk.t < far {
            let [x, y, z] = walk.cell;
            let place = [x, z].map(|v| v.max(0) as usize);
            let column = match place[0] < self.caves.size[0]
                && place[1] < self.caves.size[1]
                && x >= 0
                && z >= 0
            {
                true => self
                    .caves
                    .column(place[0], place[1])
                    .filter(|(_, top)| !top.rounded),
                false => None,
            };
            match column {
                // The smooth ground comes first; the margin absorbs the rounding of both distances.
                _ if !is_inside && walk.t > limit + 1e-3 => return Walked::Smooth,
                Some((n, top)) => {
                    is_inside = true;
                    if let Some(mut hit) = self.meet(&walk, n, top, y) {
                        if let (Some(normal), true) = (entry, hit.t <= near + 1e-3) {
                            hit.face = Face::Cut(normal);
                        }
                        return Walked::Rock(hit);
                    }
                }
                None if is_inside => return Walked::Out(after(walk.t), walk.normal()),
                None => {}
            }
            walk.step();
        }
        if is_inside {
            Walked::Out(after(walk.t.max(far)), walk.normal())
        } else {
            Walked::Smooth
        }
    }

    /// Returns the intersection of the ray with rock in the current cell of `walk`, which is the
    /// cell `y` of the stored column at the position `n` in `tops`, with the top `top`; `None` if
    /// the ray passes through the cell.
    fn meet(&self, walk: &Walk<'_>, n: usize, top: Top, y: i32) -> Option<GroundHit> {
        let at = |t: f32, face: Face| {
            Some(GroundHit {
                t,
                point: walk.ray.at(t),
                face,
            })
        };
        if y < 0 || (y as usize) + 1 < top.cell {
            let solid = y < 0 || self.caves.is_solid(n, y as usize);
            return if solid {
                at(walk.t, Face::Block(walk.normal()))
            } else {
                None
            };
        }
        if y as usize > top.cell {
            return None;
        }
        // The drawn surface may pass through the highest cell, or through the cell above.
        let above = |t: f32| {
            let p = walk.ray.at(t);
            p.y - surface(self, top, p)
        };
        let (mut from, end) = (walk.t, walk.end());
        if above(from + 1e-3 * (end - from)) <= 0.0 {
            return at(from, Face::Block(walk.normal()));
        }
        for piece in 1..=PIECES {
            let to = walk.t + (end - walk.t) * piece as f32 / PIECES as f32;
            if above(to) <= 0.0 {
                let (mut low, mut high) = (from, to);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    if above(middle) > 0.0 {
                        low = middle
                    } else {
                        high = middle
                    }
                }
                let p = walk.ray.at(high);
                let smooth = (self.heights.at(p.x, p.z) - surface(self, top, p)).abs() < 1e-3;
                return at(
                    high,
                    if smooth {
                        Face::Top
                    } else {
                        Face::Block(v3(0.0, 1.0, 0.0))
                    },
                );
            }
            from = to;
        }
        None
    }
}

/// Returns a distance slightly larger than `t`, so that rounding does not put the point back before
/// the border of two cells.
pub(in crate::ground::heightfield) fn after(t: f32) -> f32 {
    t + 1e-4 + 5e-7 * t
}

/// Result of following a ray from cell to cell.
enum Walked {
    /// The ray meets rock.
    Rock(GroundHit),
    /// The ray enters a column that is not drawn cell by cell, at this distance (cells) and through
    /// a cell side with this normal.
    Out(f32, V3),
    /// The ray meets the smooth ground before any column that is drawn cell by cell.
    Smooth,
}

/// Returns `hit`, an intersection with the smooth ground. If `hit` lies at the distance `from`,
/// where the ray left a column drawn cell by cell, the point is on the wall of a cave and its
/// normal is replaced by `wall`.
fn walled(hit: Option<GroundHit>, from: f32, wall: Option<V3>) -> Option<GroundHit> {
    match (hit, wall) {
        (Some(hit), Some(normal)) if hit.t <= from + 1e-3 => Some(GroundHit {
            face: Face::Block(normal),
            ..hit
        }),
        _ => hit,
    }
}
