//! Proofs of light: white furnace, Beer's law, equal bits on any number of threads.

mod reference;

use super::light::{Dome, Embers};
use super::material::Material;
use super::path::{Lights, Tracing};
use super::random::Draws;
use super::world::{Collision, Inside, Kind, Medium, Meeting, Surface, World};
use crate::camera::{Camera, Ray};
use crate::math::{V3, v3};
use crate::print::PrintEnd;
use crate::{CameraSpec, Image, LookSpec, Renderer};
use lavoxel_automaton::view::{MaterialLook, Preset, Surroundings};
use lavoxel_base::grid::Grid;
use lavoxel_sim::lowpass::{Medium as OfVolume, Volume};
use ndarray::Array2;
use rayon::ThreadPoolBuilder;

/// Ball of radius 1 around the origin, opaque or transparent, or a cloud of the same shape.
struct Ball {
    material: Option<Material>,
    medium: Medium,
    /// Width of the microfacets of the border.
    rough: f32,
    /// Extinction of the cloud, 0 for none.
    cloud: f32,
}

impl Ball {
    const NOTHING: Self = Self {
        material: None,
        medium: Medium::AIR,
        rough: 0.0,
        cloud: 0.0,
    };

    /// Returns the distances at which `ray` enters and leaves the ball.
    fn span(ray: &Ray) -> Option<[f32; 2]> {
        let along = ray.origin.dot(&ray.direction);
        let square = along * along - ray.origin.norm_squared() + 1.0;
        (square > 0.0).then(|| [-along - square.sqrt(), -along + square.sqrt()])
    }
}

impl World for Ball {
    type What = bool;

    fn meet(&self, ray: &Ray, inside: Inside) -> Option<Meeting<bool>> {
        if self.material.is_none() && self.medium.refracts == 1.0 {
            return None;
        }
        let [enters, leaves] = Self::span(ray)?;
        let (t, what) = if inside.medium().is_some() {
            (leaves, false)
        } else {
            (enters, true)
        };
        (t > 0.0).then_some(Meeting { t, what })
    }

    fn surface(&self, ray: &Ray, meeting: &Meeting<bool>, _: f32) -> Surface {
        let shape = ray.at(meeting.t).normalize();
        let kind = match self.material {
            Some(material) => Kind::Opaque(Material {
                normal: shape,
                ..material
            }),
            None => Kind::Border {
                medium: 0,
                enters: meeting.what,
                normal: shape,
                rough: self.rough,
                foam: 0.0,
            },
        };
        Surface { shape, kind }
    }

    fn medium(&self, _: usize) -> Medium {
        self.medium
    }

    fn is_blocked(&self, ray: &Ray, _: f32) -> bool {
        self.material.is_some() && Self::span(ray).is_some_and(|[enters, _]| enters > 0.0)
    }

    fn straight(&self, _: &Ray, _: f32, _: Inside) -> Option<V3> {
        (self.medium.refracts != 1.0).then(|| V3::repeat(1.0))
    }

    fn collide(&self, ray: &Ray, _: f32, draws: &mut Draws) -> Option<Collision> {
        let [enters, leaves] = Self::span(ray).filter(|_| self.cloud > 0.0)?;
        let t = enters.max(0.0) - (1.0 - draws.free()).ln() / self.cloud;
        (t < leaves).then_some(Collision {
            t,
            albedo: V3::repeat(1.0),
            ahead: 0.5,
            glow: 1.0,
        })
    }

    fn passed(&self, ray: &Ray, _: f32, _: &mut Draws) -> f32 {
        match Self::span(ray).filter(|[_, leaves]| self.cloud > 0.0 && *leaves > 0.0) {
            Some([enters, leaves]) => (-self.cloud * (leaves - enters.max(0.0))).exp(),
            None => 1.0,
        }
    }

    fn backdrop(&self, _: V3, _: bool) -> V3 {
        V3::repeat(1.0)
    }
}

/// Returns lights of a sky of the light 1 in all directions.
fn furnace(has_lamps: bool) -> Lights {
    Lights {
        sun: None,
        dome: Dome::new(|_| V3::repeat(1.0)),
        shown: V3::repeat(1.0),
        has_lamps,
        embers: Embers::default(),
        lifted: 1.0,
        flame: None,
    }
}

/// Returns the mean light of `samples` paths along rays that meet different places of the ball.
fn mean<W: World>(world: &W, lights: &Lights, samples: u32) -> f32 {
    let tracing = Tracing {
        world,
        lights,
        off: [1e-3, 0.0],
    };
    let light = |k: u32| {
        let mut draws = Draws::new(k % 61, k / 61);
        let aside = (k % 61) as f32 / 61.0 * 0.95;
        let ray = Ray {
            origin: v3(aside, 0.1, 5.0),
            direction: -V3::z(),
        };
        tracing.trace(ray, &mut draws).light.x
    };
    (0..samples).map(light).sum::<f32>() / samples as f32
}

#[test]
fn in_a_white_furnace_nothing_white_is_seen() {
    let white = Material::matt(V3::y(), V3::repeat(1.0));
    let opaque = |material| Ball {
        material: Some(material),
        ..Ball::NOTHING
    };
    let glass = |refracts, scattered, rough| Ball {
        medium: Medium {
            refracts,
            scattered,
            ..Medium::AIR
        },
        rough,
        ..Ball::NOTHING
    };
    let coated = Material {
        coat: 0.04,
        rough: 0.3,
        ..white
    };
    let metal = |rough| {
        opaque(Material {
            is_metal: true,
            rough,
            ..white
        })
    };
    let worlds = [
        ("matt", opaque(white)),
        ("coated", opaque(coated)),
        ("mirror", metal(0.0)),
        ("rough metal", metal(0.4)),
        ("glass", glass(1.5, 0.0, 0.0)),
        ("glass with ripples", glass(1.5, 0.0, 0.3)),
        ("ice with bubbles", glass(1.31, 0.5, 0.0)),
        ("wax", glass(1.44, 4.0, 0.0)),
        (
            "cloud",
            Ball {
                cloud: 3.0,
                ..Ball::NOTHING
            },
        ),
    ];
    for (name, world) in worlds {
        for has_lamps in [false, true] {
            let mean = mean(&world, &furnace(has_lamps), 61 * 128);
            assert!((mean - 1.0).abs() < 0.01, "{name}: {mean}");
        }
    }
}

#[test]
fn dark_surfaces_keep_their_albedo_in_the_furnace() {
    let dark = Ball {
        material: Some(Material::matt(V3::y(), V3::repeat(0.3))),
        ..Ball::NOTHING
    };
    let mean = mean(&dark, &furnace(false), 61 * 64);
    assert!((mean - 0.3).abs() < 0.005, "{mean}");
}

/// Slab of an absorbing medium between y = 0 and y = 1, over a lamp below.
struct Slab(Medium);

impl World for Slab {
    /// Height of the plane.
    type What = f32;

    fn meet(&self, ray: &Ray, inside: Inside) -> Option<Meeting<f32>> {
        let planes = if inside.medium().is_some() {
            [0.0, 1.0].as_slice()
        } else {
            &[0.0, 1.0, -1.0]
        };
        let meetings = planes.iter().map(|&what| Meeting {
            t: (what - ray.origin.y) / ray.direction.y,
            what,
        });
        meetings
            .filter(|met| met.t > 1e-4)
            .min_by(|a, b| a.t.total_cmp(&b.t))
    }

    fn surface(&self, ray: &Ray, meeting: &Meeting<f32>, _: f32) -> Surface {
        if meeting.what < 0.0 {
            let lamp = Material {
                emission: V3::repeat(1.0),
                ..Material::matt(V3::y(), V3::zeros())
            };
            return Surface {
                shape: V3::y(),
                kind: Kind::Opaque(lamp),
            };
        }
        let shape = if meeting.what > 0.5 {
            V3::y()
        } else {
            -V3::y()
        };
        Surface {
            shape,
            kind: Kind::Border {
                medium: 0,
                enters: shape.dot(&ray.direction) < 0.0,
                normal: shape,
                rough: 0.0,
                foam: 0.0,
            },
        }
    }

    fn medium(&self, _: usize) -> Medium {
        self.0
    }

    fn is_blocked(&self, _: &Ray, _: f32) -> bool {
        false
    }

    fn backdrop(&self, _: V3, _: bool) -> V3 {
        V3::zeros()
    }
}

#[test]
fn a_slab_keeps_what_beer_and_fresnel_say() {
    for (refracts, absorbed, degrees) in [(1.333, 0.7, 0.0_f32), (1.5, 0.3, 50.0)] {
        let slab = Slab(Medium {
            refracts,
            absorbed: V3::repeat(absorbed),
            ..Medium::AIR
        });
        let dark = Lights {
            dome: Dome::new(|_| V3::zeros()),
            ..furnace(false)
        };
        let tracing = Tracing {
            world: &slab,
            lights: &dark,
            off: [1e-4, 0.0],
        };
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let ray = Ray {
            origin: v3(0.0, 3.0, 0.0),
            direction: v3(sine, -cosine, 0.0),
        };
        let n = 20_000;
        let sum: f32 = (0..n)
            .map(|k| tracing.trace(ray, &mut Draws::new(5, k)).light.x)
            .sum();
        // Light between both sides of the slab to and fro: a geometric series.
        let share = super::optics::fresnel(cosine, 1.0, refracts);
        let inner = (1.0 - (sine / refracts).powi(2)).sqrt();
        let kept = (-absorbed / inner).exp();
        let theory = (1.0 - share).powi(2) * kept / (1.0 - (share * kept).powi(2));
        let mean = sum / n as f32;
        assert!(
            (mean / theory - 1.0).abs() < 0.01,
            "{mean} instead of {theory}"
        );
    }
}

/// Returns a hill with a pool of lava, a pond and a block of ice.
fn pond() -> (Array2<f32>, Volume) {
    let grid = Grid::new(24, 20, 22);
    let ground = Array2::from_shape_fn((grid.nz, grid.nx), |(z, x)| {
        (9.0 - 0.5 * (x as f32 - 12.0).hypot(z as f32 - 11.0)).max(3.0)
    });
    let mut volume = Volume::empty(grid);
    let full = |inside: &dyn Fn([usize; 3]) -> bool| {
        let byte = |place: [usize; 3]| if inside(place) { 255 } else { 0 };
        grid.places().map(byte).collect::<Vec<u8>>()
    };
    volume.density = full(&|[x, y, z]| y < 12 && x.abs_diff(12) < 3 && z.abs_diff(11) < 3);
    volume.energy = volume.density.iter().map(|amount| amount / 2).collect();
    let medium = |preset: Preset, density: Vec<u8>| OfVolume {
        name: "matter".into(),
        look: MaterialLook::from_preset(preset),
        density,
    };
    volume.media = vec![
        medium(Preset::Water, full(&|[x, y, _]| y < 6 && x < 8)),
        medium(
            Preset::Ice,
            full(&|[x, y, z]| (4..10).contains(&y) && x > 16 && z > 12),
        ),
        medium(
            Preset::Gloss,
            full(&|[x, y, z]| (4..8).contains(&y) && x > 16 && z < 8),
        ),
    ];
    (ground, volume)
}

/// Returns a picture of `pond` with `samples` samples a pixel, and its noise.
fn traced(samples: u32, surroundings: Surroundings) -> (Image, f64) {
    let (ground, volume) = pond();
    let look = LookSpec {
        surroundings,
        ..LookSpec::default()
    };
    let mut renderer = Renderer::new(&ground, volume.grid, look).expect("a valid look");
    let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), (36, 24));
    let done = renderer.print(&volume, &camera, |print| {
        while print.samples() < samples && print.pass() {}
        assert_eq!(print.samples(), samples);
        (print.smoothed(), print.noise())
    });
    done.expect("nobody stops it")
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for surroundings in [Surroundings::Land, Surroundings::Table] {
        let on = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a pool").install(|| traced(3, surroundings))
        };
        let alone = on(1);
        assert!(alone == on(2) && alone == on(5), "{surroundings:?}");
    }
}

#[test]
fn a_flame_is_seen_and_lights_what_is_around_it() {
    let (ground, volume) = pond();
    let light = |flame: Option<[f32; 4]>| {
        let look = LookSpec {
            surroundings: Surroundings::Table,
            lava_light: 0.0,
            flame,
            ..LookSpec::default()
        };
        let mut renderer = Renderer::new(&ground, volume.grid, look).expect("a valid look");
        let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), (36, 24));
        let end = PrintEnd {
            samples: 8,
            ..PrintEnd::default()
        };
        let done = renderer.print(&volume, &camera, |print| print.finished(end));
        let sum = |image: Image, k: usize| -> u32 {
            image
                .rgb
                .iter()
                .skip(k)
                .step_by(3)
                .map(|v| u32::from(*v))
                .sum()
        };
        let image = done.expect("nobody stops it");
        [sum(image.clone(), 0), sum(image, 2)]
    };
    let (dark, lit) = (light(None), light(Some([4.0, 14.0, 11.0, 4.0])));
    // Firelight is red.
    let [red, blue] = [0, 1].map(|k| lit[k] - dark[k]);
    assert!(red > dark[0] / 20 && red > 2 * blue, "{dark:?}, {lit:?}");
}

#[test]
fn noise_falls_with_the_root_of_the_samples() {
    let [few, many] = [8, 32].map(|samples| traced(samples, Surroundings::Sky).1);
    assert!((0.35..0.65).contains(&(many / few)), "{few} and {many}");
}

#[test]
fn a_stopped_pass_says_so_and_keeps_the_picture() {
    let (ground, volume) = pond();
    let mut renderer =
        Renderer::new(&ground, volume.grid, LookSpec::default()).expect("a valid look");
    let camera = Camera::new(&CameraSpec::default(), &renderer.subject(), (30, 20));
    let stop = renderer.stop_switch();
    let done = renderer.print(&volume, &camera, |print| {
        assert!(print.pass());
        let before = print.image();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(!print.pass() && print.samples() == 1);
        before == print.image()
    });
    assert_eq!(done, Some(true));
}
