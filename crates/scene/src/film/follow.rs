//! Camera targets that follow the lava from frame to frame of a film.

use super::Move;
use lavoxel_automaton::world::World;
use lavoxel_base::units::AMOUNT_ONE;

/// Minimum amount of lava in a column, in full cells, for the column to count as part of the flow.
const LEAST: f64 = 0.15;

/// Exponent of a column's distance from the eruption site in the column's weight for the mean
/// position of the front. The front is a weighted mean over all columns and not the farthest
/// column, because the farthest column could jump from one lobe to another.
const FARTHEST: i32 = 16;

/// Width of the ring of columns around the eruption site whose mean position is the camera target
/// of `AlongFront`, as a fraction of the lava's reach.
const RING: f64 = 0.08;

/// Time constant with which the camera target follows the front, in seconds of film time.
const LAG_S: f64 = 0.7;

/// Camera target in one frame of a film, and distance of the lava's front from the eruption site in
/// this frame, in cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Camera target as a point on the ground (x, y, z), in cells.
    pub point: [f64; 3],
    /// Horizontal distance in cells from the eruption site to the front.
    pub reach: f64,
}

/// Smoothed camera target that follows the lava. It must be advanced for every frame in order,
/// because the target depends on all earlier frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Follower {
    kind: Move,
    /// Eruption site (x, z) in cells.
    origin: [f64; 2],
    /// Duration of a frame of the film in seconds of film time.
    frame_s: f64,
    /// Camera target and distance of the front in the frame with the largest distance so far;
    /// `None` before the first frame.
    farthest: Option<Sight>,
    /// Smoothed camera target (x, y, z) in cells, and its velocity in cells per second of film
    /// time; `None` before the first frame.
    now: Option<([f64; 3], [f64; 3])>,
}

impl Follower {
    /// Creates a follower for the camera movement `kind` in a film of `fps` frames per second. The
    /// eruption site is the mean of `vents` (x, z in cells) or, without vents, the centroid of the
    /// lava in `world`, the world of the first frame.
    pub fn new(kind: Move, vents: &[[f64; 2]], world: &World, fps: u32) -> Self {
        let mean = |places: &[[f64; 2]]| {
            let sum = places.iter().fold([0.0, 0.0], |sum, place| {
                [sum[0] + place[0], sum[1] + place[1]]
            });
            (!places.is_empty()).then(|| sum.map(|sum| sum / places.len() as f64))
        };
        let grid = world.grid();
        let there = || mean(&lava(world).map(|(place, _)| place).collect::<Vec<_>>());
        let origin = mean(vents)
            .or_else(there)
            .unwrap_or([0.5 * grid.nx as f64, 0.5 * grid.nz as f64]);
        Self {
            kind,
            origin,
            frame_s: 1.0 / f64::from(fps.max(1)),
            farthest: None,
            now: None,
        }
    }

    /// Returns the camera target, not smoothed, for the lava in `world`, and the distance of the
    /// front. `share`: position of the frame in the film, 0 (first frame) to 1 (last frame).
    pub fn sight(&self, world: &World, share: f64) -> Sight {
        let columns: Vec<([f64; 2], f64)> = lava(world)
            .map(|(place, _)| (place, self.away(place)))
            .collect();
        let reach = columns.iter().map(|(_, away)| *away).fold(0.0, f64::max);
        let eased = share * share * (3.0 - 2.0 * share);
        let weight = |away: f64| match self.kind {
            Move::AlongFront => (-((away - eased * reach) / (RING * reach).max(1.0)).powi(2)).exp(),
            _ => (away / reach.max(1e-9)).powi(FARTHEST),
        };
        let mut sums = [0.0; 3];
        for ([x, z], away) in &columns {
            let weight = weight(*away);
            sums = [sums[0] + weight * x, sums[1] + weight * z, sums[2] + weight];
        }
        let place = if sums[2] > 1e-9 {
            [sums[0] / sums[2], sums[1] / sums[2]]
        } else {
            self.origin
        };
        Sight {
            point: on_ground(world, place),
            reach,
        }
    }

    /// Moves the smoothed target towards `sight` for the duration of a frame and returns the new
    /// target (x, y, z) in cells.
    pub fn follow(&mut self, sight: Sight) -> [f64; 3] {
        // The front recedes where lava solidifies, but the camera stays at the farthest front
        // reached.
        let far = match self
            .farthest
            .filter(|far| self.kind == Move::FollowFront && far.reach > sight.reach)
        {
            Some(far) => far,
            None => *self.farthest.insert(sight),
        };
        let (mut at, mut speed) = self.now.unwrap_or((far.point, [0.0; 3]));
        // Exact solution of a critically damped spring: independent of the frame duration.
        let rate = 2.0 / LAG_S;
        let decay = (-rate * self.frame_s).exp();
        for axis in 0..3 {
            let lag = at[axis] - far.point[axis];
            let pull = (speed[axis] + rate * lag) * self.frame_s;
            at[axis] = far.point[axis] + (lag + pull) * decay;
            speed[axis] = (speed[axis] - rate * pull) * decay;
        }
        self.now = Some((at, speed));
        at
    }

    fn away(&self, [x, z]: [f64; 2]) -> f64 {
        (x - self.origin[0]).hypot(z - self.origin[1])
    }
}

/// Iterates over the columns with at least `LEAST` full cells of lava, as pairs of column centre
/// (x, z) in cells and amount in full cells.
fn lava(world: &World) -> impl Iterator<Item = ([f64; 2], f64)> {
    let amounts = world.lava().column_amounts();
    let columns: Vec<_> = amounts
        .indexed_iter()
        .map(|((z, x), amount)| ([x, z], *amount))
        .collect();
    let full = |([x, z], amount): ([usize; 2], u64)| {
        (
            [x as f64 + 0.5, z as f64 + 0.5],
            amount as f64 / f64::from(AMOUNT_ONE),
        )
    };
    columns
        .into_iter()
        .map(full)
        .filter(|(_, cells)| *cells >= LEAST)
}

/// Returns the point (x, y, z) on the ground at (x, z), in cells; the height y is interpolated
/// between column centres.
fn on_ground(world: &World, [x, z]: [f64; 2]) -> [f64; 3] {
    let surface = world.ground().surface();
    let (nz, nx) = surface.dim();
    let around = |at: f64, n: usize| {
        let at = (at - 0.5).clamp(0.0, (n - 1) as f64);
        let low = (at as usize).min(n.saturating_sub(2));
        (low, (low + 1).min(n - 1), at - low as f64)
    };
    let ((x0, x1, u), (z0, z1, v)) = (around(x, nx), around(z, nz));
    let height = |z: usize, x: usize| f64::from(surface[[z, x]]);
    let row = |z: usize| height(z, x0) * (1.0 - u) + height(z, x1) * u;
    [x, row(z0) * (1.0 - v) + row(z1) * v, z]
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use lavoxel_automaton::world::Ground;

    /// Returns a world whose ground slopes down towards +x, with lava in the columns whose index x
    /// is at most `to`.
    fn flow(to: usize) -> World {
        let surface = Array2::from_shape_fn((16, 64), |(_, x)| 30.0 - 0.25 * x as f32);
        let mut world = World::new(Ground::from_surface(40, surface));
        for x in 4..to {
            for z in 7..9 {
                world.place([x, 31, z], AMOUNT_ONE / 2, 0);
            }
        }
        world
    }

    #[test]
    fn the_front_is_where_the_lava_ends_and_the_way_there_lies_on_it() {
        let start = flow(5);
        let front = Follower::new(Move::FollowFront, &[[4.5, 8.0]], &start, 20);
        let sight = front.sight(&flow(50), 0.0);
        assert!(
            sight.point[0] > 45.0 && (sight.point[2] - 8.0).abs() < 0.1,
            "{sight:?}"
        );
        assert!(
            (sight.point[1] - (30.0 - 0.25 * (sight.point[0] - 0.5))).abs() < 1e-6,
            "{sight:?} is on the ground"
        );
        let along = Follower::new(Move::AlongFront, &[[4.5, 8.0]], &start, 20);
        let xs = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| along.sight(&flow(50), share).point[0]);
        assert!(
            xs.windows(2).all(|pair| pair[0] < pair[1]) && xs[0] < 9.0 && xs[4] > 44.0,
            "{xs:?}"
        );
        let nothing =
            Follower::new(Move::FollowFront, &[[4.5, 8.0]], &flow(4), 20).sight(&flow(4), 0.5);
        assert_eq!(
            (nothing.point[0], nothing.point[2], nothing.reach),
            (4.5, 8.0, 0.0)
        );
    }

    #[test]
    fn a_follower_has_no_jerks_and_arrives() {
        let mut follower = Follower::new(Move::FollowFront, &[[4.5, 8.0]], &flow(5), 20);
        let worlds = [5, 20, 21, 22, 40, 12];
        let mut targets = Vec::new();
        for to in worlds {
            let world = flow(to);
            (0..40).for_each(|_| targets.push(follower.follow(follower.sight(&world, 0.0))[0]));
        }
        let steps: Vec<f64> = targets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(
            steps.iter().all(|step| (-1e-9..1.2).contains(step)),
            "it goes on and never jumps"
        );
        assert!(
            steps
                .windows(2)
                .all(|pair| (pair[1] - pair[0]).abs() < 0.35),
            "and its speed does not jump"
        );
        let front = follower.sight(&flow(40), 0.0).point[0];
        assert!(
            (targets[targets.len() - 1] - front).abs() < 0.1,
            "it stays at the front when lava draws back"
        );
    }
}
