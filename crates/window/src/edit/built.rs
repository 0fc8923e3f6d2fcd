//! Marks on the ground where the user placed rock: finds the columns whose top is such rock,
//! computes the corners of their marks, and tests whether the ground occludes a mark.

use std::collections::HashSet;
use std::sync::Arc;

use nalgebra::Point3;
use ndarray::Array2;

use crate::messages::Rock;

/// Upper bound of the number of columns that get a mark as rock placed by the user.
const MOST: usize = 6000;
/// Largest vertical distance in cells between the top of a placed ball of rock and the ground at
/// which the column is marked. The ground's surface lies at whole cells, the ball's does not.
const GIVE: f32 = 1.1;
/// Height in cells above the ground at which a mark is drawn, so that the ground does not hide the
/// mark.
const ABOVE: f32 = 0.15;
/// Number of points on the line from a mark to the eye at which the ground's height is tested.
const SAMPLES: usize = 96;
/// Depth in cells by which a line of sight may pass below the ground without being occluded: the
/// drawn ground is smoother than its columns.
const GRAZE: f32 = 1.0;

/// Column of cells, given by its indices `[x, z]`.
pub(crate) type Column = [usize; 2];

/// Columns whose top is rock that the user placed; recomputed only if the placed rock or the ground
/// changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Built {
    rocks: Arc<Vec<Rock>>,
    columns: Vec<Column>,
    all: HashSet<Column>,
}

impl Built {
    /// Returns the marked columns in the order in which the user placed the rock, at most `MOST`.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns true if the neighbour of the given column in the direction `side` (0 north, 1 east,
    /// 2 south, 3 west) is not a marked column, so that an outline is drawn between the two.
    pub(crate) fn is_edge(&self, [x, z]: Column, side: usize) -> bool {
        let (x, z) = (x as isize, z as isize);
        let [x, z] = [[x, z - 1], [x + 1, z], [x, z + 1], [x - 1, z]][side];
        x < 0 || z < 0 || !self.all.contains(&[x as usize, z as usize])
    }

    /// Recomputes the marked columns if `rocks` differs from the last call or `changed` is true.
    /// `rocks`: rock that the user placed; `ground`: heights in cells, shape (nz, nx); `changed`:
    /// true if the ground has changed.
    pub(crate) fn follow(&mut self, rocks: &Arc<Vec<Rock>>, ground: &Array2<f32>, changed: bool) {
        if !changed && (Arc::ptr_eq(&self.rocks, rocks) || self.rocks == *rocks) {
            return;
        }
        self.rocks = rocks.clone();
        self.columns.clear();
        self.all.clear();
        for rock in rocks.iter() {
            match rock {
                Rock::Ball(ball) => under(*ball, ground).for_each(|column| self.add(column)),
                Rock::Dam(columns) => columns.iter().for_each(|column| self.add(*column)),
            }
        }
    }

    fn add(&mut self, column: Column) {
        if self.columns.len() < MOST && self.all.insert(column) {
            self.columns.push(column);
        }
    }
}

/// Returns the columns `[x, z]` whose ground lies within `GIVE` cells of the upper surface of a
/// ball. First parameter: centre (x, y, z) and radius of the ball, in cells.
fn under([cx, cy, cz, radius]: [f32; 4], ground: &Array2<f32>) -> impl Iterator<Item = Column> {
    let (depth, width) = ground.dim();
    let range = |c: f32, n: usize| {
        ((c - radius).floor().max(0.0) as usize)
            ..((c + radius).ceil().clamp(0.0, n as f32) as usize)
    };
    let (xs, zs) = (range(cx, width), range(cz, depth));
    let top = move |x: usize, z: usize| {
        let away = (x as f32 + 0.5 - cx).powi(2) + (z as f32 + 0.5 - cz).powi(2);
        (away <= radius * radius).then(|| cy + (radius * radius - away).sqrt())
    };
    zs.flat_map(move |z| xs.clone().map(move |x| (x, z)))
        .filter_map(move |(x, z)| {
            let top = top(x, z)?;
            ((ground[[z, x]] - top).abs() <= GIVE).then_some([x, z])
        })
}

/// Returns the corners of a column's mark, `ABOVE` cells above the ground, as points in cells in
/// the order north-west, north-east, south-east, south-west.
pub(crate) fn corners(ground: &Array2<f32>, [x, z]: Column) -> [Point3<f32>; 4] {
    [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[dx, dz]| {
        let (x, z) = (x + dx, z + dz);
        let level = crate::edit::vent_handles::ground_at(ground, x as f64, z as f64);
        Point3::new(x as f32, level + ABOVE, z as f32)
    })
}

/// Returns the centre of a column's mark, `ABOVE` cells above the ground, as a point in cells.
pub(crate) fn middle(ground: &Array2<f32>, [x, z]: Column) -> Point3<f32> {
    Point3::new(x as f32 + 0.5, ground[[z, x]] + ABOVE, z as f32 + 0.5)
}

/// Returns true if no ground occludes the line from `eye` to `point` (both in cells). `ground`:
/// heights in cells, shape (nz, nx).
pub(crate) fn is_seen(ground: &Array2<f32>, eye: Point3<f32>, point: Point3<f32>) -> bool {
    let (depth, width) = ground.dim();
    let way = eye - point;
    // The ray ends at the edge of the simulation box; the lower bound 1 of the divisor covers an
    // eye straight above.
    let reach = (width + depth) as f32 / (way.x.hypot(way.z)).max(1.0);
    (1..SAMPLES).all(|i| {
        let share = i as f32 / SAMPLES as f32;
        let p = point + way * (share * share * reach.min(1.0));
        let inside = p.x >= 0.0 && p.z >= 0.0 && p.x < width as f32 && p.z < depth as f32;
        !inside || ground[[p.z as usize, p.x as usize]] - GRAZE <= p.y
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_ball_are_marked_until_they_are_dug_away() {
        let mut ground = Array2::from_elem((20, 20), 5.0_f32);
        let balls = Arc::new(vec![Rock::Ball([10.0, 5.0, 10.0, 3.0])]);
        let mut built = Built::default();
        built.follow(&balls, &ground, true);
        assert!(
            built
                .columns()
                .iter()
                .all(|[x, z]| (*x as f32 - 9.5).hypot(*z as f32 - 9.5) > 2.0),
            "nothing rose yet"
        );
        // Raises the ground like the simulation does: whole cells whose centres lie inside the
        // ball.
        for ((z, x), height) in ground.indexed_iter_mut() {
            let away = (x as f32 - 9.5).powi(2) + (z as f32 - 9.5).powi(2);
            let rises = (0..3)
                .filter(|y| away + (*y as f32 + 0.5).powi(2) <= 9.0)
                .count();
            *height += rises as f32;
        }
        built.follow(&balls, &ground, true);
        assert!(built.columns().contains(&[10, 10]) && built.columns().contains(&[8, 10]));
        assert!(!built.columns().contains(&[3, 10]));
        assert!(built.is_edge([12, 9], 1) && !built.is_edge([10, 10], 1));
        let mut dug = ground.clone();
        dug[[10, 10]] = 2.0;
        built.follow(&balls, &dug, true);
        assert!(!built.columns().contains(&[10, 10]));
    }

    #[test]
    fn what_lies_behind_a_ridge_is_not_seen() {
        let ground =
            Array2::from_shape_fn(
                (40, 40),
                |(_, x)| if (18..22).contains(&x) { 20.0 } else { 5.0 },
            );
        let point = middle(&ground, [30, 20]);
        assert!(!is_seen(&ground, Point3::new(-40.0, 12.0, 20.0), point));
        assert!(is_seen(&ground, Point3::new(80.0, 12.0, 20.0), point));
        assert!(is_seen(&ground, Point3::new(-40.0, 120.0, 20.0), point));
    }
}
