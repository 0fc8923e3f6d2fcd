//! Light that enters matter such as wax, is scattered many times inside and leaves elsewhere: a walk
//! of random steps (Chiang, Kutz and Burley, *Practical and controllable subsurface scattering for
//! production path tracing*, 2016).

use crate::camera::Ray;
use crate::math::{V3, times};
use crate::print::optics::{cosine_drawn, phase_drawn};
use crate::print::random::Draws;
use crate::print::world::{Meeting, Step, World};

/// Largest number of steps of a walk.
const MOST: usize = 160;

/// Place where light leaves matter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    pub(crate) place: V3,
    /// Outward unit normal.
    pub(crate) normal: V3,
    /// Share of the light that got there.
    pub(crate) weight: V3,
}

/// Follows light that enters the matter of `meeting` at the point and against the unit normal
/// `start` until it leaves; `None` if it is absorbed. `albedo`: share of light that leaves a thick
/// body again; `reach`: mean distance that it gets, in cell widths. Both for red, green and blue.
pub(crate) fn wander<W: World>(
    world: &W,
    meeting: &Meeting<W::What>,
    start: (V3, V3),
    (albedo, reach): (V3, V3),
    draws: &mut Draws,
) -> Option<Out> {
    let scattered = albedo.map(scattering);
    let rate = albedo.zip_map(&reach, extinction);
    // One colour decides the lengths of the steps; weights are over what all three would have
    // drawn.
    let hue = ((draws.one() * 3.0) as usize).min(2);
    let mut ray = Ray {
        origin: start.0,
        direction: cosine_drawn(-start.1, draws.two()),
    };
    let (mut kept, mut density) = (V3::repeat(1.0), V3::repeat(1.0));
    for _ in 0..MOST {
        let free = -(1.0 - draws.free()).ln() / rate[hue];
        let step = world.step_inside(meeting, &ray, free);
        let length = match step {
            Step::Inside => free,
            Step::Wall(t) | Step::Out(t, _) => t,
        };
        let passed = rate.map(|rate| (-rate * length).exp());
        let (share, drawn) = match step {
            Step::Inside => (times(times(passed, rate), scattered), times(passed, rate)),
            Step::Wall(_) | Step::Out(..) => (passed, passed),
        };
        (kept, density) = (times(kept, share), times(density, drawn));
        let most = density.max();
        if most.is_nan() || most <= 0.0 {
            return None;
        }
        (kept, density) = (kept / most, density / most);
        let place = ray.at(length);
        if let Step::Out(_, normal) = step {
            let weight = kept / (density.sum() / 3.0);
            return Some(Out {
                place,
                normal,
                weight,
            });
        }
        let places = [draws.free(), draws.free()];
        ray = Ray {
            origin: place,
            direction: phase_drawn(0.0, ray.direction, places),
        };
    }
    None
}

/// Returns the share of light that is scattered at each step in matter of which a thick body sends
/// back the share `albedo` (equation 5.1 of the paper).
pub(crate) fn scattering(albedo: f32) -> f32 {
    let a = albedo.clamp(0.0, 0.999);
    1.0 - (-5.09406 * a + 2.61188 * a * a - 4.31805 * a * a * a).exp()
}

/// Returns the number of scatterings and absorptions per length in matter of the albedo `albedo` in
/// which light gets as far as `reach` (equation 5.2 of the paper).
fn extinction(albedo: f32, reach: f32) -> f32 {
    let stretch = 1.9 - albedo + 3.5 * (albedo - 0.8) * (albedo - 0.8);
    1.0 / (reach * stretch).max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::world::{Inside, Surface};

    /// Half-space of matter below the plane at height 0.
    struct Deep;

    impl World for Deep {
        type What = ();

        fn meet(&self, _: &Ray, _: Inside) -> Option<Meeting<()>> {
            None
        }

        fn surface(&self, _: &Ray, _: &Meeting<()>, _: f32) -> Surface {
            unreachable!("nothing is met")
        }

        fn is_blocked(&self, _: &Ray, _: f32) -> bool {
            false
        }

        fn backdrop(&self, _: V3, _: bool) -> V3 {
            V3::zeros()
        }

        fn step_inside(&self, _: &Meeting<()>, ray: &Ray, far: f32) -> Step {
            let t = -ray.origin.y / ray.direction.y;
            if ray.direction.y > 0.0 && t < far {
                Step::Out(t, V3::y())
            } else {
                Step::Inside
            }
        }
    }

    /// Returns the share of light that leaves `Deep` again, and the mean distance at which it does,
    /// for red, green and blue.
    fn outcome(albedo: V3, reach: V3) -> (V3, V3) {
        let (mut share, mut moved) = (V3::zeros(), V3::zeros());
        let n = 8192;
        for k in 0..n {
            let meeting = Meeting { t: 0.0, what: () };
            let start = (V3::zeros(), V3::y());
            let draws = &mut Draws::new(11, k);
            if let Some(out) = wander(&Deep, &meeting, start, (albedo, reach), draws) {
                share += out.weight;
                moved += out.weight * out.place.norm();
            }
        }
        (share / n as f32, moved.component_div(&share))
    }

    #[test]
    fn a_thick_body_sends_back_its_albedo() {
        let albedo = V3::new(0.8, 0.5, 0.2);
        let (share, _) = outcome(albedo, V3::new(3.4, 2.0, 1.2));
        // The paper's fit and the end of walks after `MOST` steps leave some percent.
        for k in 0..3 {
            assert!((share[k] - albedo[k]).abs() < 0.03, "{share:?}");
        }
    }

    #[test]
    fn light_gets_farther_where_it_is_said_to() {
        let albedo = V3::repeat(0.6);
        let (_, moved) = outcome(albedo, V3::new(3.0, 2.0, 1.0));
        assert!((moved.x / moved.z - 3.0).abs() < 0.3, "{moved:?}");
        assert!((moved.y / moved.z - 2.0).abs() < 0.2, "{moved:?}");
        assert!(moved.z > 0.3 && moved.z < 3.0, "{moved:?}");
    }
}
