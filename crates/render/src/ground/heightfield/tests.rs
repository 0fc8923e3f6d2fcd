//! Tests of the intersection of rays with the ground: results with the pyramid of maximum heights
//! against small steps along the same rays.

use super::*;

pub(crate) fn hill() -> Heightfield {
    let heights = Raster::nodes((20, 14), 2, |x, z| {
        4.0 + 3.0 * (x * 0.5).sin() * (z * 0.4).cos()
    });
    Heightfield::new(heights, -2.0)
}

/// Returns visible regions of the test ground `field`: the whole block, a region cut along x and z,
/// and regions cut above and below the summits.
pub(crate) fn parts(field: &Heightfield) -> Vec<ShownPart> {
    let whole = [0.0, 1.0];
    let shares = [
        [whole; 3],
        [[0.3, 1.0], whole, [0.0, 0.61]],
        [whole, [0.0, 0.4], whole],
        [[0.2, 0.3], [0.3, 0.6], [0.1, 0.9]],
    ];
    shares
        .map(|shares| field.part_between(shares, [20.0, 10.0, 14.0]))
        .into()
}

/// Returns rays towards the block from all around and from above.
fn rays() -> impl Iterator<Item = Ray> {
    (0..60).map(|k| {
        let angle = k as f32 * 0.37;
        let origin = v3(
            10.0 + 24.0 * angle.cos(),
            3.0 + (k % 9) as f32,
            7.0 + 24.0 * angle.sin(),
        );
        let goal = v3((k % 7) as f32 * 3.0, (k % 5) as f32, (k % 4) as f32 * 3.0);
        Ray {
            origin,
            direction: (goal - origin).normalize(),
        }
    })
}

/// Returns the distance at which `ray` first meets rock in `part`, found by steps of 0.001 cells;
/// `None` if the ray misses.
fn patient(field: &Heightfield, part: &ShownPart, ray: &Ray) -> Option<f32> {
    (0..60_000).map(|i| i as f32 * 1e-3).find(|t| {
        let (p, q) = (ray.at(*t), field.patches(ray.at(*t)));
        let inside = (0..3).all(|axis| (part.low[axis]..=part.high[axis]).contains(&q[axis]));
        inside && p.y <= field.heights.at(p.x, p.z)
    })
}

#[test]
fn the_pyramid_walk_finds_the_crossing_that_small_steps_find() {
    let (field, mut unclear) = (hill(), 0);
    for part in parts(&field) {
        for (k, ray) in rays().enumerate() {
            // Where a ray grazes an edge of the part, rounding decides.
            let moved = |by: f32| ShownPart {
                low: part.low.add_scalar(-by),
                high: part.high.add_scalar(by),
            };
            let ends =
                [-2e-3, 2e-3].map(|by| field.hit(&ray, &moved(by), 0.0).map_or(-1.0, |hit| hit.t));
            if (ends[0] - ends[1]).abs() > 0.05 {
                unclear += 1;
                continue;
            }
            match (field.hit(&ray, &part, 0.0), patient(&field, &part, &ray)) {
                (Some(hit), Some(t)) => {
                    assert!((hit.t - t).abs() < 5e-3, "ray {k}: {} against {t}", hit.t)
                }
                (None, None) => {}
                (fast, slow) => panic!("ray {k} and {part:?}: {fast:?} against {slow:?}"),
            }
        }
    }
    assert!(unclear < 24, "{unclear} of 240 rays graze an edge");
}

#[test]
fn sides_and_foot_are_cut_faces() {
    let field = hill();
    let parts = parts(&field);
    let from = |part: usize, origin: V3, direction: V3| {
        field
            .hit(&Ray { origin, direction }, &parts[part], 0.0)
            .map(|hit| (hit.face, hit.t))
    };
    assert_eq!(
        from(0, v3(-5.0, 0.0, 7.0), V3::x()),
        Some((Face::Cut(-V3::x()), 5.0))
    );
    assert_eq!(
        from(0, v3(9.0, -9.0, 7.0), V3::y()),
        Some((Face::Cut(-V3::y()), 7.0))
    );
    assert_eq!(
        from(0, v3(9.0, 50.0, 7.0), -V3::y()).map(|(face, _)| face),
        Some(Face::Top)
    );
    assert_eq!(from(0, v3(9.0, 50.0, 7.0), V3::y()), None);
    // Cut at x = 6, at y = 4 above, and at y = 3 below.
    assert_eq!(
        from(1, v3(-5.0, 0.0, 7.0), V3::x()),
        Some((Face::Cut(-V3::x()), 11.0))
    );
    assert_eq!(
        from(2, v3(3.0, 50.0, 2.0), -V3::y()),
        Some((Face::Cut(V3::y()), 46.0))
    );
    assert_eq!(
        from(3, v3(5.0, -9.0, 2.0), V3::y()),
        Some((Face::Cut(-V3::y()), 12.0))
    );
}

#[test]
fn the_first_root_is_the_smallest_that_is_not_negative() {
    for (a, b, c, root) in [
        (1.0, -3.0, 2.0, Some(1.0)),
        (-1.0, 1.0, 2.0, Some(2.0)),
        (-1.0, -1.0, 2.0, Some(1.0)),
        (0.0, -2.0, 3.0, Some(1.5)),
        (0.0, 2.0, 3.0, None),
        (1.0, 3.0, 2.0, None),
        (1.0, -1.0, 2.0, None),
    ] {
        assert_eq!(first_root(a, b, c), root, "{a} s² + {b} s + {c}");
    }
}

#[test]
fn rays_along_the_walls_of_patches_end() {
    let field = hill();
    for part in parts(&field) {
        for x in [0.0, 6.0, 20.0] {
            let level = Ray {
                origin: v3(x, 6.9, -5.0),
                direction: V3::z(),
            };
            let steep = Ray {
                origin: v3(x, 9.0, -5.0),
                direction: v3(0.0, -0.3, 1.0).normalize(),
            };
            for ray in [level, steep] {
                let (fast, slow) = (field.hit(&ray, &part, 0.0), patient(&field, &part, &ray));
                assert!(
                    fast.is_none()
                        || slow.is_none_or(|t| (fast.map_or(0.0, |hit| hit.t) - t).abs() < 5e-3)
                );
            }
        }
    }
}
