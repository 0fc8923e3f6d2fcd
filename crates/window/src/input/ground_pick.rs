//! Intersection of the pointer's ray with the ground, computed by the window itself: while a handle
//! follows the pointer, an answer of the simulation thread would come too late.
//!
//! Algorithm: ray marching in steps of `STRIDE`, then bisection of the crossing.

use ndarray::Array2;

use crate::edit::vent_handles::ground_at;
use lavoxel_render::Ray;

/// Distance between the samples of a ray, in cells.
const STRIDE: f32 = 0.25;
/// Number of bisections between two samples; the error of the crossing is at most `STRIDE` / 2¹² ≈
/// 6e-5 cells.
const HALVINGS: usize = 12;

/// Returns the first point of the ground along `ray` inside `part`, as x, y, z in cells; if the ray
/// enters `part` below the ground, the entry point on the cut face. `None` if the ray misses the
/// ground. `ground`: heights in cells, shape (nz, nx); `part`: visible region of the simulation
/// box, lower and upper bound in cells along x, y and z (y does not limit the search).
pub(crate) fn meet_ground(
    ground: &Array2<f32>,
    ray: &Ray,
    part: [[f32; 2]; 3],
) -> Option<[f32; 3]> {
    let (mut near, far) = inside(ray, part)?;
    let above = |t: f32| {
        let p = ray.at(t);
        p.y - ground_at(ground, p.x.into(), p.z.into())
    };
    if above(near) <= 0.0 {
        return Some(ray.at(near).into());
    }
    while near < far {
        let next = (near + STRIDE).min(far);
        if above(next) <= 0.0 {
            let (mut low, mut high) = (near, next);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if above(middle) > 0.0 {
                    low = middle
                } else {
                    high = middle
                }
            }
            return Some(ray.at(high).into());
        }
        near = next;
    }
    None
}

/// Returns the distances along `ray`, in lengths of its direction, at which the ray enters and
/// leaves `part` along x and z; `None` if the ray misses `part`.
fn inside(ray: &Ray, part: [[f32; 2]; 3]) -> Option<(f32, f32)> {
    let (mut near, mut far) = (0.0_f32, 1e5_f32);
    for k in [0, 2] {
        let (o, d) = (ray.origin[k], ray.direction[k]);
        let [low, high] = part[k];
        if d.abs() < 1e-9 {
            if !(low..=high).contains(&o) {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - o) / d, (high - o) / d);
        near = near.max(a.min(b));
        far = far.min(a.max(b));
    }
    // The sides do not bound a vertical ray; the ground lies within the height of the box.
    let reach = near + (ray.origin.y - part[1][0]).abs() + part[1][1] - part[1][0] + 1.0;
    let far = if far >= 1e5 { reach } else { far };
    (near < far).then_some((near, far))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use lavoxel_session::{entered, lies_in};

    const PART: [[f32; 2]; 3] = [[0.0, 40.0], [0.0, 30.0], [0.0, 40.0]];

    fn slope() -> Array2<f32> {
        // Heights rise from 5 in the west to 25 in the east.
        Array2::from_shape_fn((40, 40), |(_, x)| 5.0 + 0.5 * (x as f32 + 0.5))
    }

    fn ray(from: [f32; 3], to: [f32; 3]) -> Ray {
        let origin = Vector3::from(from);
        Ray {
            origin,
            direction: (Vector3::from(to) - origin).normalize(),
        }
    }

    #[test]
    fn a_slope_is_met_where_it_is_and_not_at_a_level() {
        for to in [[10.0, 10.0, 20.0], [30.0, 20.0, 5.0], [20.0, 15.0, 38.0]] {
            let met = meet_ground(&slope(), &ray([-30.0, 60.0, 70.0], to), PART).expect("met");
            assert!(
                (0..3).all(|k| (met[k] - to[k]).abs() < 0.02),
                "{met:?} instead of {to:?}"
            );
        }
        let down =
            meet_ground(&slope(), &ray([10.0, 60.0, 20.0], [10.0, 0.0, 20.0]), PART).expect("met");
        assert!((down[1] - 10.0).abs() < 0.02, "{down:?}");
    }

    #[test]
    fn what_was_cut_away_is_not_picked() {
        let sides = [40.0, 30.0, 40.0];
        let part = [[0.0, 20.0], [0.0, 30.0], [10.0, 40.0]];
        let seen = ray([80.0, 40.0, 20.0], [20.0, 10.0, 20.0]);
        let from = entered(&seen, part, sides).origin;
        assert!(
            (from.x - 20.0).abs() < 1e-3 && (from.y - 10.0).abs() < 1e-3,
            "{from:?}"
        );
        assert!(lies_in([20.5, 5.0, 9.5], part) && !lies_in([20.0, 5.0, 5.0], part));
        let free = ray([-10.0, 40.0, 20.0], [20.0, 10.0, 20.0]);
        assert_eq!(
            entered(&free, part, sides).origin,
            free.origin,
            "nothing was cut away on this side"
        );
    }

    #[test]
    fn the_sky_is_no_ground_and_a_cut_face_is() {
        assert_eq!(
            meet_ground(
                &slope(),
                &ray([-30.0, 60.0, 20.0], [70.0, 60.0, 20.0]),
                PART
            ),
            None
        );
        let cut = [[0.0, 20.0], [0.0, 30.0], [0.0, 40.0]];
        let met = meet_ground(&slope(), &ray([80.0, 12.0, 20.0], [0.0, 8.0, 20.0]), cut)
            .expect("the cut face");
        assert!(
            (met[0] - 20.0).abs() < 1e-3 && (met[1] - 9.0).abs() < 0.01,
            "{met:?}"
        );
    }
}
