//! Rounded hollows: caves that lava leaves below its own solidified roof, cut out of the smooth
//! ground with rounded walls.
//!
//! ```text
//!     ____________      rock: below the smooth top, and where the hollow's share is small
//!    /   ______   \__
//!  _/   /      \          open: cells of the hollow, spread over their neighbours
//!       \______/         by a quadratic B-spline along each axis
//! ```
//!
//! The spline is the narrowest whose surfaces have no edges; a hollow one column wide keeps three
//! quarters of its width.

use super::caves::{Caves, after};
use super::{Face, GroundHit, Heightfield, Line, ShownPart};
use crate::camera::Ray;
use crate::math::{V3, in_cells, unit_or_up, v3};

/// Threshold of the smoothed hollow (0: rock, 1: open; see `Caves::hollow`) at and above which a
/// point counts as open.
// With this value a hollow that is a column wide extends to its ends.
pub const HOLLOW_OPEN: f32 = 0.36;
/// Distance between samples along a ray in a rounded hollow, in cells along the axis of the ray's
/// largest component.
pub const HOLLOW_STEP: f32 = 0.3;
/// Number of bisections that refine the intersection of a ray with a hollow's wall between two
/// samples.
pub const HOLLOW_HALVINGS: usize = 9;
/// Half the distance in cells between the two samples along each axis from which the normal of a
/// hollow's wall is computed.
pub const HOLLOW_SLOPE: f32 = 0.35;
/// Maximum number of times that a ray may leave rounded hollows into the air before the search for
/// the ground is given up.
const MOST: usize = 64;

/// Returns the index of the cell that contains the coordinate `place` (cells), and the quadratic
/// B-spline weights of the cell below, of this cell and of the cell above.
fn spline(place: f32) -> (i32, [f32; 3]) {
    let cell = place.floor();
    let u = place - cell;
    (
        cell as i32,
        [
            0.5 * (1.0 - u) * (1.0 - u),
            0.5 + u * (1.0 - u),
            0.5 * u * u,
        ],
    )
}

impl Caves {
    /// Returns the smoothed value (0: rock, 1: open) of rounded hollows at the point `p` (cells): a
    /// quadratic B-spline over the 27 cells around.
    pub(super) fn hollow(&self, p: V3) -> f32 {
        if !self.kinds.rounded
            || self
                .hollow_cells(p.x.floor() as i32, p.z.floor() as i32)
                .is_empty()
        {
            return 0.0;
        }
        let ((x, xs), (y, ys), (z, zs)) = (spline(p.x), spline(p.y), spline(p.z));
        let mut open = 0.0;
        for (dz, wz) in (-1..=1).zip(zs) {
            for (dx, wx) in (-1..=1).zip(xs) {
                let cells = self.hollow_cells(x + dx, z + dz);
                let bit = |y: i32| match cells.get((y >> 6) as usize) {
                    Some(word) if y >= 0 => (word >> (y & 63) & 1) as f32,
                    _ => 0.0,
                };
                open += wz * wx * (ys[0] * bit(y - 1) + ys[1] * bit(y) + ys[2] * bit(y + 1));
            }
        }
        open
    }

    /// Returns the unit normal of a rounded hollow's wall at the point `p` (cells), pointing out of
    /// the rock; `tall`: height of a cell in cell widths.
    fn hollow_normal(&self, p: V3, tall: f32) -> V3 {
        let along = |e: V3| self.hollow(p + e) - self.hollow(p - e);
        let [x, y, z] = [V3::x(), V3::y(), V3::z()].map(|axis| along(axis * HOLLOW_SLOPE));
        unit_or_up(in_cells(v3(x, y, z), tall))
    }
}

impl Heightfield {
    /// Returns the first intersection of `ray` with the ground in `part` without the rock of
    /// rounded hollows, from the distance `start` on; `None` if the ray misses. `line`: the same
    /// ray with x and z in patches.
    pub(super) fn hit_with_hollows(
        &self,
        ray: &Ray,
        line: &Line,
        part: &ShownPart,
        start: f32,
    ) -> Option<GroundHit> {
        let (_, far, _) = line.within(part, start)?;
        let mut from = start;
        for _ in 0..MOST {
            let hit = self.hit_top(ray, line, part, from)?;
            if self.caves.hollow(hit.point) < HOLLOW_OPEN {
                return Some(hit);
            }
            match self.cross_hollow(ray, hit.t, far) {
                Left::Rock(hit) => return Some(hit),
                Left::Air(t) => from = t,
                Left::Part => return None,
            }
        }
        None
    }

    /// Follows `ray` through a rounded hollow from the distance `from` (cells) until the ray meets
    /// rock, leaves through the smooth top, or reaches the distance `far`.
    fn cross_hollow(&self, ray: &Ray, from: f32, far: f32) -> Left {
        // Steps of 0.3 cells along the fastest axis give a wall of one cell several samples.
        let step = HOLLOW_STEP / ray.direction.amax();
        let (mut inside, mut t) = (from, from);
        while t < far {
            t = (t + step).min(far);
            let p = ray.at(t);
            if p.y > self.heights.at(p.x, p.z) {
                return Left::Air(after(t));
            }
            if self.caves.hollow(p) < HOLLOW_OPEN {
                let mut rock = t;
                for _ in 0..HOLLOW_HALVINGS {
                    let middle = 0.5 * (inside + rock);
                    if self.caves.hollow(ray.at(middle)) < HOLLOW_OPEN {
                        rock = middle
                    } else {
                        inside = middle
                    }
                }
                let point = ray.at(inside);
                let normal = self.caves.hollow_normal(point, self.tall);
                return Left::Rock(GroundHit {
                    t: inside,
                    point,
                    face: Face::Block(normal),
                });
            }
            inside = t;
        }
        Left::Part
    }
}

/// Reason why a ray's path through a rounded hollow ends.
enum Left {
    /// The ray meets rock.
    Rock(GroundHit),
    /// The ray leaves the ground through the smooth top at this distance, in cells.
    Air(f32),
    /// The ray leaves the visible region of the ground.
    Part,
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::ground::land::TerrainLook;
    use lavoxel_automaton::view::LookSpec;
    use lavoxel_automaton::world::{Edit, Ground, Matter, Shape, World};
    use lavoxel_base::grid::Grid;
    use lavoxel_base::random::mix64;

    const GRID: Grid = Grid {
        nx: 22,
        ny: 18,
        nz: 19,
    };

    /// Returns flat ground at height 4.2 with a tunnel along x, 4 cells high, under a roof of
    /// solidified lava.
    fn block() -> Heightfield {
        let mut world = World::new(Ground::from_surface(
            GRID.ny,
            Array2::from_elem((GRID.nz, GRID.nx), 4.2),
        ));
        let roof = Shape::Box {
            from: [5.0, 8.0, 7.0],
            to: [15.0, 10.0, 11.0],
        };
        let walls = [5.0, 11.0].map(|z| Shape::Box {
            from: [5.0, 4.0, z],
            to: [15.0, 10.0, z + 2.0],
        });
        for shape in walls.into_iter().chain([roof]) {
            world.edit(&Edit {
                shape,
                matter: Matter::Rock,
            });
        }
        (5..13)
            .flat_map(|z| (5..15).map(move |x| (x, z)))
            .for_each(|(x, z)| world.ground.set_fresh(x, z, true));
        let caves = Caves::from_ground(world.ground(), 1.0);
        assert!(caves.kinds.rounded && !caves.kinds.cornered);
        TerrainLook::bake_with(world.ground().surface(), caves, &LookSpec::default(), 2).block
    }

    #[test]
    fn a_tunnel_is_open_from_end_to_end_and_vaulted() {
        let block = block();
        let met =
            |origin: V3, direction: V3| block.hit(&Ray { origin, direction }, &block.whole(), 0.0);
        assert!(
            met(v3(-5.0, 6.2, 9.0), V3::x()).is_none(),
            "through both mouths"
        );
        assert!(met(v3(-5.0, 6.2, 6.0), V3::x()).is_some(), "beside it");
        for (direction, height) in [(V3::y(), 8.0), (-V3::y(), 4.0)] {
            let hit = met(v3(10.0, 6.0, 9.0), direction).expect("roof and floor");
            assert!((hit.point.y - height).abs() < 0.4, "{hit:?}");
            assert!(
                matches!(hit.face, Face::Block(normal) if normal.dot(&direction) < -0.99),
                "{hit:?}"
            );
        }
        // In the corner between wall and roof the rock turns.
        let corner = met(v3(10.0, 6.0, 9.0), v3(0.0, 1.6, 2.0).normalize()).expect("the corner");
        assert!(
            matches!(corner.face, Face::Block(normal) if normal.y < -0.3 && normal.z < -0.3),
            "{corner:?}"
        );
    }

    #[test]
    fn rays_meet_the_rock_that_small_steps_meet() {
        let block = block();
        let (part, mut met) = (
            block.part_between([[0.0, 0.5], [0.0, 1.0], [0.0, 1.0]], [22.0, 18.0, 19.0]),
            0,
        );
        let mut unclear = 0;
        for k in 0..200_u64 {
            let random = |n: u64| (mix64(8 * k + n) >> 40) as f32 / (1 << 24) as f32;
            let origin = v3(
                30.0 - 10.0 * random(0),
                3.0 + 12.0 * random(1),
                19.0 * random(2),
            );
            let goal = v3(
                6.0 + 5.0 * random(3),
                4.0 + 5.0 * random(4),
                6.0 + 6.0 * random(5),
            );
            let ray = Ray {
                origin,
                direction: (goal - origin).normalize(),
            };
            let is_rock = |t: f32| {
                let (p, q) = (ray.at(t), block.patches(ray.at(t)));
                let inside =
                    (0..3).all(|axis| (part.low[axis]..=part.high[axis]).contains(&q[axis]));
                inside && p.y <= block.heights.at(p.x, p.z) && block.caves.hollow(p) < HOLLOW_OPEN
            };
            let slow = (0..60_000).map(|i| i as f32 * 1e-3).find(|t| is_rock(*t));
            let fast = block.hit(&ray, &part, 0.0).map(|hit| hit.t);
            met += usize::from(fast.is_some());
            let is_near = fast
                .zip(slow)
                .map_or(fast.is_none() && slow.is_none(), |(a, b)| {
                    (a - b).abs() < 0.02
                });
            unclear += usize::from(!is_near);
        }
        assert!(
            met > 150 && unclear < 6,
            "{met} rays met rock, {unclear} of them elsewhere"
        );
    }
}
