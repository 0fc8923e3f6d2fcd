//! Proofs of light beside another program, Mitsuba, and by hand.
//!
//! Mitsuba is not asked here: numbers of version 3.9.1 (PyPI, variant `scalar_rgb`, integrator
//! `volpath` with `max_depth = -1`, `rr_depth = 100`) are written in. Each is the mean of 1,000,000
//! paths. Its sensors are `orthographic`: 2e-3 wide around a ray, or 2 wide around a ball, where
//! those of 64 × 64 pixels count that lie wholly on the disc. y is up; lights and bodies are those
//! of `Bodies` below: skies of `constant` or `envmap`, the sun `directional`, or a far `disk` of 10°
//! half angle where paths must find the sun through glass.
//!
//! Cost of the deviations that `path` states: smoke in a sun three times as bright loses up to 1 %
//! to the cut of indirect light; a ball of the optical depth 50 per radius that absorbs nothing loses
//! 9 % to the end after `MOST` events; the tests below say what unbent sunlight costs.

use super::super::light::{Dome, Embers, Sun};
use super::super::material::Material;
use super::super::optics::{fresnel, kept};
use super::super::path::{Lights, Tracing};
use super::super::random::Draws;
use super::super::world::{Collision, Inside, Kind, Medium, Meeting, Surface, World};
use crate::camera::Ray;
use crate::math::{V3, v3};
use std::f32::consts::{FRAC_1_SQRT_2, PI};

/// Smoke between y = 0 and y = `HIGH`.
#[derive(Clone, Copy)]
struct Smoke {
    /// Extinction per length.
    dense: f32,
    albedo: f32,
    /// Asymmetry of the phase function.
    ahead: f32,
}

const HIGH: f32 = 10.0;

/// Level ground.
#[derive(Clone, Copy)]
struct Ground {
    height: f32,
    /// Returns the albedo at x and z.
    albedo: fn(f32, f32) -> f32,
}

/// Shape of a transparent body.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// Ball of radius 1 around the origin.
    Ball,
    /// Everything below y = 0.
    Pool,
}

/// Radiance of the sky in a direction.
type Sky = fn(V3) -> f32;

/// World of a transparent body, endless smoke and endless ground, each of which may be missing.
struct Bodies {
    clear: Option<(Form, Medium)>,
    smoke: Option<Smoke>,
    ground: Option<Ground>,
    sky: Sky,
}

/// Body that a ray meets.
#[derive(Clone, Copy)]
enum Met {
    Clear(Form),
    Ground(Ground),
}

impl Bodies {
    const NONE: Self = Self {
        clear: None,
        smoke: None,
        ground: None,
        sky: |_| 0.0,
    };

    /// Returns the distances at which `ray` enters and leaves the transparent body.
    fn in_clear(&self, ray: &Ray) -> Option<[f32; 2]> {
        if self.clear?.0 == Form::Pool {
            let t = -ray.origin.y / ray.direction.y;
            let span = if ray.direction.y < 0.0 {
                [t, f32::INFINITY]
            } else {
                [f32::NEG_INFINITY, t]
            };
            return t.is_finite().then_some(span);
        }
        let along = ray.origin.dot(&ray.direction);
        let square = along * along - ray.origin.norm_squared() + 1.0;
        (square > 0.0).then(|| [-along - square.sqrt(), -along + square.sqrt()])
    }

    /// Returns the part of `ray` in the smoke's layer, nearer than `far`.
    fn in_layer(ray: &Ray, far: f32) -> [f32; 2] {
        let [a, b] = [0.0, HIGH].map(|y| (y - ray.origin.y) / ray.direction.y);
        [a.min(b).max(0.0), a.max(b).min(far)]
    }

    /// Returns the distance to the ground.
    fn to_ground(&self, ray: &Ray) -> Option<(f32, Ground)> {
        let ground = self.ground?;
        let t = (ground.height - ray.origin.y) / ray.direction.y;
        (t > 0.0 && t.is_finite()).then_some((t, ground))
    }

    /// Returns the lights of this world, with a sun of the irradiance π, 30° from the zenith, if
    /// `is_sunny`.
    fn lights(&self, is_sunny: bool) -> Lights {
        let sun = Sun {
            toward: v3(0.5, 0.75_f32.sqrt(), 0.0),
            light: V3::repeat(PI),
        };
        Lights {
            sun: is_sunny.then_some(sun),
            dome: Dome::new(|d| V3::repeat((self.sky)(d))),
            shown: V3::repeat(1.0),
            has_lamps: false,
            embers: Embers::default(),
            lifted: 1.0,
            flame: None,
        }
    }

    /// Returns the mean light of `samples` paths that begin along the ray that `ray` makes of their
    /// random numbers.
    fn seen(&self, is_sunny: bool, samples: u32, ray: impl Fn(&mut Draws) -> Ray) -> f32 {
        let tracing = Tracing {
            world: self,
            lights: &self.lights(is_sunny),
            off: [1e-3, 0.0],
        };
        let light = |k: u32| {
            let mut draws = Draws::new(7, k);
            let ray = ray(&mut draws);
            f64::from(tracing.trace(ray, &mut draws).light.x)
        };
        ((0..samples).map(light).sum::<f64>() / f64::from(samples)) as f32
    }

    /// Returns the mean light along the ray from `origin` towards `direction`.
    fn at(&self, is_sunny: bool, samples: u32, origin: [f32; 3], direction: [f32; 3]) -> f32 {
        let (origin, direction) = (V3::from(origin), V3::from(direction).normalize());
        self.seen(is_sunny, samples, |_| Ray { origin, direction })
    }

    /// Returns the mean light of the ball, seen from `from` (a unit direction at right angles to
    /// x): of those squares of a film of 64 × 64 that lie wholly on the disc.
    fn disc(&self, is_sunny: bool, samples: u32, from: V3) -> f32 {
        let up = from.cross(&V3::x());
        let outer = |x: f32| ((x.abs() * 32.0).floor() + 1.0) / 32.0;
        self.seen(is_sunny, samples, |draws| {
            let [x, y] = loop {
                let place = draws.two().map(|u| 2.0 * u - 1.0);
                if outer(place[0]).hypot(outer(place[1])) <= 1.0 {
                    break place;
                }
            };
            Ray {
                origin: from * 4.0 + V3::x() * x + up * y,
                direction: -from,
            }
        })
    }
}

impl World for Bodies {
    type What = Met;

    fn meet(&self, ray: &Ray, inside: Inside) -> Option<Meeting<Met>> {
        let ends = usize::from(inside.medium().is_some());
        let clear = self.clear.zip(self.in_clear(ray));
        let clear = clear.map(|((form, _), span)| Meeting {
            t: span[ends],
            what: Met::Clear(form),
        });
        let ground = self.to_ground(ray).map(|(t, ground)| Meeting {
            t,
            what: Met::Ground(ground),
        });
        let met = [clear, ground].into_iter().flatten();
        met.filter(|met| met.t > 0.0 && met.t.is_finite())
            .min_by(|a, b| a.t.total_cmp(&b.t))
    }

    fn surface(&self, ray: &Ray, meeting: &Meeting<Met>, _: f32) -> Surface {
        let p = ray.at(meeting.t);
        match meeting.what {
            Met::Clear(form) => {
                let normal = match form {
                    Form::Ball => p.normalize(),
                    Form::Pool => V3::y(),
                };
                Surface {
                    shape: normal,
                    kind: Kind::Border {
                        medium: 0,
                        enters: normal.dot(&ray.direction) < 0.0,
                        normal,
                        rough: 0.0,
                        foam: 0.0,
                    },
                }
            }
            Met::Ground(ground) => {
                let albedo = V3::repeat((ground.albedo)(p.x, p.z));
                Surface {
                    shape: V3::y(),
                    kind: Kind::Opaque(Material::matt(V3::y(), albedo)),
                }
            }
        }
    }

    fn medium(&self, _: usize) -> Medium {
        self.clear.map_or(Medium::AIR, |(_, medium)| medium)
    }

    fn is_blocked(&self, ray: &Ray, far: f32) -> bool {
        self.to_ground(ray).is_some_and(|(t, _)| t < far)
    }

    // As `Scene` does: straight on, less what each border reflects at normal incidence.
    fn straight(&self, ray: &Ray, _: f32, inside: Inside) -> Option<V3> {
        let (_, medium) = self.clear?;
        let [near, far] = self.in_clear(ray).filter(|[_, far]| *far > 0.0)?;
        let reflected = ((medium.refracts - 1.0) / (medium.refracts + 1.0)).powi(2);
        let borders = if inside.medium().is_some() { 1 } else { 2 };
        let lost = medium.absorbed.add_scalar(medium.scattered);
        Some(kept(lost, far - near.max(0.0)) * (1.0 - reflected).powi(borders))
    }

    fn collide(&self, ray: &Ray, far: f32, draws: &mut Draws) -> Option<Collision> {
        let smoke = self.smoke?;
        let [near, end] = Self::in_layer(ray, far);
        let t = near - (1.0 - draws.free()).ln() / smoke.dense;
        (t < end).then_some(Collision {
            t,
            albedo: V3::repeat(smoke.albedo),
            ahead: smoke.ahead,
            glow: 1.0,
        })
    }

    fn passed(&self, ray: &Ray, far: f32, _: &mut Draws) -> f32 {
        let Some(smoke) = self.smoke else { return 1.0 };
        let [near, end] = Self::in_layer(ray, far);
        (-smoke.dense * (end - near).max(0.0)).exp()
    }

    fn backdrop(&self, toward: V3, _: bool) -> V3 {
        V3::repeat((self.sky)(toward))
    }
}

/// Asserts that `light` differs from `theirs` by at most the share `near`.
fn assert_near(what: &str, light: f32, theirs: f32, near: f32) {
    assert!(
        (light / theirs - 1.0).abs() < near,
        "{what}: {light}, and {theirs} as reference"
    );
}

/// Asserts that smoke of the optical depth 10 and the albedo 0.99 over black ground shows the light
/// `theirs`: for each asymmetry of the phase function, seen from above, from above at 45°, and from
/// below.
fn assert_smoke(is_sunny: bool, theirs: [(f32, [f32; 3]); 2]) {
    let aslant = FRAC_1_SQRT_2;
    let views = [
        ("from above", 1 << 14, [0.0, 12.0, 0.0], [0.0, -1.0, 0.0]),
        ("at 45°", 1 << 14, [0.0, 12.0, 0.0], [aslant, -aslant, 0.0]),
        ("from below", 1 << 16, [0.0, -0.01, 0.0], [0.0, 1.0, 0.0]),
    ];
    for (ahead, theirs) in theirs {
        let world = Bodies {
            smoke: Some(Smoke {
                dense: 1.0,
                albedo: 0.99,
                ahead,
            }),
            ground: Some(Ground {
                height: -0.02,
                albedo: |_, _| 0.0,
            }),
            sky: if is_sunny { |_| 0.0 } else { |_| 1.0 },
            ..Bodies::NONE
        };
        for ((name, samples, origin, direction), theirs) in views.into_iter().zip(theirs) {
            let light = world.at(is_sunny, samples, origin, direction);
            assert_near(&format!("{name}, g {ahead}"), light, theirs, 0.04);
        }
    }
}

/// Mitsuba: `homogeneous` in a `cube` of 4000 × 10 × 4000, sky of the radiance 1; standard errors
/// below 0.0006.
#[test]
fn smoke_below_an_even_sky_is_as_bright_as_mitsubas() {
    let even = (0.0, [0.7408, 0.7774, 0.0850]);
    let ahead = (0.65, [0.5508, 0.6184, 0.2585]);
    assert_smoke(false, [even, ahead]);
}

/// Mitsuba: the same smoke in a sun of the irradiance π, 30° from the zenith; standard errors below
/// 0.0008.
#[test]
fn smoke_in_the_sun_is_as_bright_as_mitsubas() {
    let even = (0.0, [0.6468, 0.6601, 0.0849]);
    let ahead = (0.65, [0.4882, 0.5590, 0.2625]);
    assert_smoke(true, [even, ahead]);
}

/// Returns the world of a ball of the index of refraction `refracts`, with the absorption
/// `absorbed` and the scattering `scattered` per radius, below a sky of the radiance 1 + y.
fn ball(refracts: f32, absorbed: f32, scattered: f32) -> Bodies {
    let medium = Medium {
        refracts,
        absorbed: V3::repeat(absorbed),
        scattered,
        is_asked: false,
    };
    Bodies {
        clear: Some((Form::Ball, medium)),
        sky: |d| 1.0 + d.y,
        ..Bodies::NONE
    }
}

/// Places on the disc of a ball, right and up, at which rays along −z meet it.
const PLACES: [[f32; 2]; 6] = [
    [0.0, 0.0],
    [0.0, 0.5],
    [0.0, -0.5],
    [0.8, 0.0],
    [0.0, 0.9],
    [0.0, -0.9],
];

/// Asserts that `world` is seen along −z at the first of `PLACES` with the light `theirs`.
fn assert_places(world: &Bodies, theirs: &[f32]) {
    for ([x, y], theirs) in PLACES.into_iter().zip(theirs) {
        let light = world.at(false, 1 << 15, [x, y, 4.0], [0.0, 0.0, -1.0]);
        assert_near(&format!("at {x}, {y}"), light, *theirs, 0.02);
    }
}

/// Mitsuba: `sphere` of `dielectric` around `homogeneous`; standard errors below 0.0008.
#[test]
fn balls_of_glass_and_ice_refract_the_sky_as_mitsubas_do() {
    let glass = [0.6745, 0.4941, 0.8852, 0.7183, 0.3488, 1.1217];
    let ice = [0.6724, 0.5318, 0.8544, 0.7312, 0.3664, 1.1396];
    for (refracts, theirs, of_disc) in [(1.5, glass, 0.7103), (1.31, ice, 0.7188)] {
        let world = ball(refracts, 0.2, 0.0);
        assert_places(&world, &theirs);
        let light = world.disc(false, 1 << 16, V3::z());
        assert_near("disc", light, of_disc, 0.02);
    }
}

/// Mitsuba: as above, with scattering in all directions; standard errors below 0.0005 (ice) and
/// 0.0015 (wax).
#[test]
fn milky_balls_are_as_bright_below_a_sky_as_mitsubas() {
    let ice = ball(1.31, 0.2, 2.0);
    assert_places(&ice, &[0.6476, 0.7490, 0.5608, 0.6720]);
    for (name, world, theirs) in [
        ("ice", ice, 0.6726),
        ("wax", ball(1.44, 0.05, 10.0), 0.8828),
    ] {
        let light = world.disc(false, 1 << 15, V3::z());
        assert_near(name, light, theirs, 0.02);
    }
}

/// Sunlight reaches particles below a smooth surface unbent, and the sun's mirror image is cut.
/// Mitsuba: sun of 10° half angle; standard errors 0.0033 (ice) and 0.0023 (wax).
#[test]
fn milky_balls_are_almost_as_bright_in_the_sun_as_mitsubas() {
    for (name, world, theirs) in [
        ("ice", ball(1.31, 0.2, 2.0), 0.1580),
        ("wax", ball(1.44, 0.05, 10.0), 0.1991),
    ] {
        let world = Bodies {
            sky: |_| 0.0,
            ..world
        };
        let light = world.disc(true, 1 << 15, V3::z());
        assert_near(name, light, theirs, 0.12);
    }
}

/// Returns the world of a ball of glass 0.1 above a board of squares of edge 1.
fn on_board() -> Bodies {
    let albedo = |x: f32, z: f32| {
        let is_bright = (x.floor() + z.floor()) as i32 % 2 == 0;
        if is_bright { 0.7 } else { 0.1 }
    };
    Bodies {
        ground: Some(Ground {
            height: -1.1,
            albedo,
        }),
        ..ball(1.5, 0.2, 0.0)
    }
}

/// Rays to the ground beside the ball, on the side of the sun and in the ball's shadow, and below
/// the ball.
const GROUND: [([f32; 3], [f32; 3]); 3] = [
    ([1.2, 3.0, 0.3], [0.0, -1.0, 0.0]),
    ([-1.2, 3.0, 0.3], [0.0, -1.0, 0.0]),
    ([-3.64, -0.05, 0.25], [1.0, -0.35, 0.0]),
];

/// Mitsuba: `rectangle` with a `checkerboard`; standard errors below 0.0007.
#[test]
fn glass_on_a_board_below_the_sky_looks_as_mitsubas_does() {
    let world = on_board();
    let from = v3(0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    let light = world.disc(false, 1 << 16, from);
    assert_near("ball", light, 0.5034, 0.02);
    for ((origin, toward), theirs) in GROUND.into_iter().zip([0.1518, 1.0619, 0.1374]) {
        let light = world.at(false, 1 << 15, origin, toward);
        assert_near(&format!("ground at {origin:?}"), light, theirs, 0.02);
    }
}

/// Glass bends most sunlight out of the ball's shadow into a bright spot; unbent, the light stays in
/// the shadow: 0.406 there instead of 0.063, of 0.606 in the open. Mitsuba: sun of 10° half angle;
/// standard errors below 0.0012.
#[test]
fn sunlight_passes_glass_straight_on() {
    let world = Bodies {
        sky: |_| 0.0,
        ..on_board()
    };
    let from = v3(0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2);
    let light = world.disc(true, 1 << 16, from);
    assert_near("ball", light, 0.2002, 0.1);
    let [beside, shadow] =
        [GROUND[0], GROUND[1]].map(|(origin, toward)| world.at(true, 1 << 12, origin, toward));
    assert_near("beside the ball", beside, 0.0883, 0.03);
    assert_near("shadow", shadow, 0.406, 0.02);
}

/// Matt ground of the albedo 0.5 by hand: 0.5 E cos θ / π in the sun alone, 0.5 below a sky of the
/// radiance 1, and 0.5 (1 + 2/3) below a sky of 1 + y.
#[test]
fn a_lit_plane_sends_back_what_it_should() {
    let in_sun = 0.5 * 0.75_f32.sqrt();
    let skies: [(bool, Sky, f32); 4] = [
        (true, |_| 0.0, in_sun),
        (false, |_| 1.0, 0.5),
        (false, |d| 1.0 + d.y, 0.5 * 5.0 / 3.0),
        (true, |_| 1.0, in_sun + 0.5),
    ];
    for (is_sunny, sky, theory) in skies {
        let world = Bodies {
            ground: Some(Ground {
                height: 0.0,
                albedo: |_, _| 0.5,
            }),
            sky,
            ..Bodies::NONE
        };
        let light = world.at(is_sunny, 4096, [0.0, 2.0, 0.0], [0.6, -0.8, 0.0]);
        assert_near("plane", light, theory, 0.002);
    }
}

/// Ground of the albedo a below clear water and an even sky of the radiance 1 by hand: the share 1 −
/// 0.0665 comes in, and goes on as in the sun; the surface mirrors F₀ of the sky.
#[test]
fn ground_below_water_and_an_even_sky_sends_back_what_it_should() {
    let (refracts, world) = pool();
    let world = Bodies {
        sky: |_| 1.0,
        ..world
    };
    let light = world.at(false, 1 << 14, [0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    let turned_back = 1.0 - (1.0 - 0.0665) / refracts.powi(2);
    let radiance = 0.5 * (1.0 - 0.0665) / (1.0 - 0.5 * turned_back);
    let mirrored = fresnel(1.0, 1.0, refracts);
    let theory = radiance * (1.0 - mirrored) / refracts.powi(2) + mirrored;
    assert_near("ground", light, theory, 0.02);
}

/// Returns the index of refraction of a pool of clear water, and its world, with ground of the
/// albedo 0.5 a cell below the surface.
fn pool() -> (f32, Bodies) {
    let refracts = 1.333;
    let water = Medium {
        refracts,
        ..Medium::AIR
    };
    let world = Bodies {
        clear: Some((Form::Pool, water)),
        ground: Some(Ground {
            height: -1.0,
            albedo: |_, _| 0.5,
        }),
        ..Bodies::NONE
    };
    (refracts, world)
}

/// Ground of the albedo a below clear water in the sun by hand: of the irradiance E cos θ (1 − F),
/// water turns the share r back to the ground each time; of the ground's radiance, (1 − F₀) / n²
/// comes out. r = 1 − (1 − 0.0665) / n² is the mean reflectance from within, 0.0665 that from air.
#[test]
fn ground_below_water_in_the_sun_sends_back_what_it_should() {
    let (refracts, world) = pool();
    let light = world.at(true, 1 << 14, [0.0, 2.0, 0.0], [0.0, -1.0, 0.0]);
    let cosine = 0.75_f32.sqrt();
    let comes_in = PI * cosine * (1.0 - fresnel(cosine, 1.0, refracts));
    let turned_back = 1.0 - (1.0 - 0.0665) / refracts.powi(2);
    let radiance = 0.5 * comes_in / (1.0 - 0.5 * turned_back) / PI;
    let theory = radiance * (1.0 - fresnel(1.0, 1.0, refracts)) / refracts.powi(2);
    assert_near("ground", light, theory, 0.01);
}
