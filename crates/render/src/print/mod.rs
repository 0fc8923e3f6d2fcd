//! Style *print*: pictures by path tracing, for stills. They take a hundred times as long as the
//! cinematic style's and show what its light leaves out: refraction, light from matter to matter,
//! many scatterings in clouds.
//!
//! Three layers know of each other only downwards:
//!
//! ```text
//! path        how light gets there: paths, next-event sampling       knows world, light, material
//! scene       what is there, and what it is made of                  knows the frame's fields
//! optics      Fresnel, Snell, Beer, GGX, phase functions             knows numbers
//! ```
//!
//! - Invariant: a sample depends on the pixel and on its number alone, so that pictures have the
//!   same bits on any number of threads.
//!
//! Stated deviations from physics: `path` lists those of light; the sky lights matter as strongly
//! as the presets' ambient light says, which is more than it shows; lava lights its surroundings
//! `LAVA` times as strongly as it shows, times `LookSpec::lava_light`.

pub(crate) mod cloud;
mod denoise;
mod layers;
mod light;
mod material;
mod optics;
mod path;
mod random;
pub(crate) mod relief;
mod scene;
#[cfg(test)]
mod tests;
mod wander;
mod world;

pub use self::layers::PrintLayers;

use std::f32::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::light::{Dome, Embers, Glowing, Lamp, Sun};
use self::path::{Lights, Traced, Tracing};
use self::random::Draws;
use self::scene::Scene;
use crate::camera::{Camera, Ray};
use crate::film::{Develop, Film};
use crate::ground::sky::Sky;
use crate::image::Image;
use crate::math::{V3, in_widths, luminance, unit_or_up};
use crate::style::shading::ShadeContext;
use lavoxel_base::parallel::*;

/// Factor on the light of lava that falls on the surroundings; the light that the eye sees of lava
/// is not changed.
const LAVA: f32 = 4.0;
/// Factor on the light of a studio's lamps: they then light a surface as the key light does in the
/// cinematic style.
const STUDIO: f32 = 2.6;
/// Radius of the ball of gas that stands for a flame as a light, in flame heights.
const FLAME: f32 = 0.12;
/// Factor on the light of a flame on what is around it, as `LAVA` for lava.
const FLAME_LIGHT: f32 = 4.0;
/// Number of pieces of glowing surface along an edge of a cell.
pub(crate) const PIECES: usize = 2;
/// Steepest slope of a glowing surface, as the vertical part of its normal, for which its area
/// grows.
const STEEPEST: f32 = 0.2;
/// Half width in pixels of the tent by which samples are spread over their pixel.
const TENT: f32 = 0.75;
/// Distances by which rays start off a surface: cells, and share of the distance from the eye.
const OFF: [f32; 2] = [0.015, 1e-4];

/// Sums of the samples of a pixel.
#[derive(Clone, Copy, Debug, Default)]
struct Pixel {
    samples: u32,
    light: V3,
    emission: V3,
    /// Sums of the luminance and of its square, for the noise.
    sums: [f32; 2],
    albedo: V3,
    normal: V3,
    depth: f32,
    /// Number of samples that met a surface, which alone have a depth.
    surfaces: u32,
}

impl Pixel {
    fn add(&mut self, traced: &Traced) {
        let bright = luminance(traced.light);
        self.samples += 1;
        self.light += traced.light;
        self.emission += traced.emission;
        self.sums[0] += bright;
        self.sums[1] += bright * bright;
        self.albedo += traced.albedo;
        self.normal += traced.normal;
        self.depth += traced.depth;
        self.surfaces += u32::from(traced.depth > 0.0);
    }

    /// Returns the reciprocal of the number of samples, 0 without samples.
    fn share(&self) -> f32 {
        if self.samples == 0 {
            0.0
        } else {
            1.0 / self.samples as f32
        }
    }

    /// Returns the squared standard error of the mean luminance; infinite below two samples.
    fn variance(&self) -> f32 {
        if self.samples < 2 {
            return f32::INFINITY;
        }
        let n = self.samples as f32;
        let mean = self.sums[0] / n;
        ((self.sums[1] / n - mean * mean).max(0.0)) / (n - 1.0)
    }
}

/// End of the tracing of a picture: whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintEnd {
    /// Number of samples of light a pixel.
    pub samples: u32,
    /// Noise at which the picture is good enough; see `Print::noise`. 0 for none.
    pub noise: f64,
    /// Time of tracing; a pass that has begun is finished.
    pub time: Duration,
}

impl Default for PrintEnd {
    fn default() -> Self {
        Self {
            samples: 64,
            noise: 0.0,
            time: Duration::MAX,
        }
    }
}

/// Number of samples below which the estimate of the noise ends no picture.
const LEAST_FOR_NOISE: u32 = 8;

/// Path-traced picture that becomes better with every pass.
pub struct Print<'a> {
    scene: Scene<'a>,
    lights: Lights,
    camera: &'a Camera,
    tall: f32,
    develop: Develop,
    stop: &'a AtomicBool,
    pixels: Vec<Pixel>,
}

impl<'a> Print<'a> {
    /// Prepares the world of `context` as seen by `camera`. `develop`: conversion of light to
    /// pixels; `stop`: stops a pass when set.
    pub(crate) fn new(
        context: &'a ShadeContext<'a>,
        camera: &'a Camera,
        develop: Develop,
        stop: &'a AtomicBool,
    ) -> Self {
        let scene = Scene::new(context, stop);
        let lights = lights(context, &scene);
        let (width, height) = camera.size();
        Self {
            scene,
            lights,
            camera,
            tall: context.look.cell_height,
            develop,
            stop,
            pixels: vec![Pixel::default(); width * height],
        }
    }

    /// Adds a sample to each pixel. Returns false if the flag of `Renderer::stop_switch` was set
    /// before the pass was finished; the picture then stays usable.
    pub fn pass(&mut self) -> bool {
        let Self {
            scene,
            lights,
            camera,
            tall,
            stop,
            ..
        } = self;
        let (tracing, width) = (
            Tracing {
                world: &*scene,
                lights: &*lights,
                off: OFF,
            },
            camera.size().0,
        );
        let rows = self.pixels.par_chunks_mut(width).enumerate();
        rows.for_each(|(y, row)| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            for (x, pixel) in row.iter_mut().enumerate() {
                let number = (y * width + x) as u32;
                let mut draws = Draws::new(number, pixel.samples);
                let [right, down] = draws.two().map(tent);
                let (x, y) = (x as f32 + 0.5 + right, y as f32 + 0.5 + down);
                let ray = if camera.has_lens() {
                    camera.lens_ray([x, y], draws.two())
                } else {
                    camera.ray(x, y)
                };
                let ray = Ray {
                    origin: in_widths(ray.origin, *tall),
                    direction: unit_or_up(in_widths(ray.direction, *tall)),
                };
                pixel.add(&tracing.trace(ray, &mut draws));
            }
        });
        !self.stop.load(Ordering::Relaxed)
    }

    /// Adds passes until `end` or until the flag of `Renderer::stop_switch` is set, and returns the
    /// smoothed picture.
    pub fn finished(&mut self, end: PrintEnd) -> Image {
        self.trace(end, |_| {});
        self.smoothed()
    }

    /// Adds passes until `end`, and calls `watch` after each. Returns false if the flag of
    /// `Renderer::stop_switch` was set before the end.
    pub fn trace(&mut self, end: PrintEnd, mut watch: impl FnMut(&Self)) -> bool {
        let begin = Instant::now();
        let is_enough = |print: &Self| {
            let samples = print.samples();
            samples >= end.samples
                || begin.elapsed() >= end.time
                || samples >= LEAST_FOR_NOISE && print.noise() <= end.noise
        };
        while self.pass() {
            watch(self);
            if is_enough(self) {
                return true;
            }
        }
        false
    }

    /// Returns the number of samples of the pixel that has fewest.
    pub fn samples(&self) -> u32 {
        let samples = self.pixels.iter().map(|pixel| pixel.samples);
        samples.min().unwrap_or(0)
    }

    /// Returns an estimate of the noise: mean standard error of the pixels' luminance, relative to
    /// the mean luminance of the picture. Infinite below two samples a pixel. The estimate takes
    /// samples as independent, which errs on the safe side, since they are spread evenly.
    pub fn noise(&self) -> f64 {
        let (mut error, mut light) = (0.0_f64, 0.0_f64);
        for pixel in &self.pixels {
            error += f64::from(pixel.variance().sqrt());
            light += f64::from(pixel.sums[0] * pixel.share());
        }
        error / light.max(1e-9)
    }

    /// Returns the mean light of each pixel, linear RGB, rows from the top.
    fn means(&self) -> Vec<V3> {
        self.pixels
            .iter()
            .map(|pixel| pixel.light * pixel.share())
            .collect()
    }

    /// Returns the picture of `light` (linear RGB a pixel).
    fn developed(&self, light: Vec<V3>) -> Image {
        let (width, height) = self.camera.size();
        let film = Film {
            light,
            ..Film::dark((width, height))
        };
        film.develop(self.develop)
    }

    /// Returns the picture so far, with its noise.
    pub fn image(&self) -> Image {
        self.developed(self.means())
    }

    /// Returns the picture so far, its noise smoothed where albedo, normals and distances say that
    /// neighbours show the same surface.
    pub fn smoothed(&self) -> Image {
        self.developed(self.smoothed_light())
    }

    /// Returns the light of `Print::smoothed`, linear RGB a pixel, rows from the top.
    fn smoothed_light(&self) -> Vec<V3> {
        let guides: Vec<denoise::Guide> = self
            .pixels
            .iter()
            .map(|pixel| denoise::Guide {
                albedo: pixel.albedo * pixel.share(),
                normal: pixel.normal * pixel.share(),
                depth: pixel.depth * pixel.share(),
                variance: pixel.variance().min(1e6),
            })
            .collect();
        denoise::smoothed(&self.means(), &guides, self.camera.size().0)
    }
}

/// Returns the offset in pixels (−`TENT` to `TENT`) that the even number `u` (0 to 1) draws from a
/// tent.
fn tent(u: f32) -> f32 {
    let offset = if u < 0.5 {
        (2.0 * u).sqrt() - 1.0
    } else {
        1.0 - (2.0 - 2.0 * u).sqrt()
    };
    TENT * offset
}

/// Returns the light of the studio `sky` on matter from the unit direction `d`.
fn studio(sky: &Sky, d: V3) -> V3 {
    let mut lamps = V3::zeros();
    sky.add_lamps(d, 0.0, &mut lamps);
    sky.room(d) + lamps * STUDIO
}

/// Returns the lights of `scene`, the world of `context`.
fn lights(context: &ShadeContext, scene: &Scene) -> Lights {
    let sky = context.sky;
    let lifted = LAVA * context.look.lava_light;
    let embers = embers(context, scene, lifted);
    let flame = context.flame.map(|flame| {
        let (middle, spread, light) = flame.lamp();
        Lamp {
            middle,
            radius: FLAME * flame.height,
            spread,
            power: light * (PI * FLAME_LIGHT),
        }
    });
    if sky.is_indoors {
        return Lights {
            sun: None,
            dome: Dome::new(|d| studio(sky, d)),
            shown: V3::repeat(1.0),
            has_lamps: true,
            embers,
            lifted,
            flame,
        };
    }
    let shown = Dome::new(|d| sky.backdrop(d));
    let gain = sky.ambient[0].component_div(&shown.on_level_ground().map(|c| c.max(1e-6)));
    Lights {
        sun: Some(Sun {
            toward: sky.sun,
            light: sky.sun_color * PI,
        }),
        dome: shown.scaled(gain),
        shown: gain.map(|factor| 1.0 / factor.max(1e-6)),
        has_lamps: false,
        embers,
        lifted,
        flame,
    }
}

/// Returns the glowing surfaces of `scene`, the world of `context`, as seen from above, their light
/// multiplied by `strength`.
fn embers(context: &ShadeContext, scene: &Scene, strength: f32) -> Embers {
    if strength <= 0.0 {
        return Embers::default();
    }
    let [wide, deep] = [context.land.block.width(), context.land.block.depth()]
        .map(|cells| cells as usize * PIECES);
    let edge = 1.0 / PIECES as f32;
    let row = |j: usize| {
        let piece = |i: usize| {
            let (x, z) = ((i as f32 + 0.5) * edge, (j as f32 + 0.5) * edge);
            let (place, normal, light) = scene.glow_below(x, z)?;
            Some(Glowing {
                place,
                normal,
                area: edge * edge / normal.y.max(STEEPEST),
                light: light * strength,
            })
        };
        (0..wide).filter_map(piece).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Glowing>> = (0..deep).into_par_iter().map(row).collect();
    Embers::new(rows.concat())
}
