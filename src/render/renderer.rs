//! Frames: one volume, one camera, one picture.

use ndarray::Array2;
use rayon::prelude::*;

use crate::grid::Grid;
use crate::lowpass::Volume;
use crate::validate::Invalid;

use super::blackbody::BlackBody;
use super::bricks::Skipping;
use super::camera::{Bounds, Camera, Ray};
use super::cinematic;
use super::crust::Stage;
use super::ember::{EmberLight, Glow};
use super::field::LavaField;
use super::film::{Develop, Film};
use super::heightfield::GroundHit;
use super::image::Image;
use super::land::{NODES, TerrainLook};
use super::look::{Antialias, LookSpec, Style};
use super::math::V3;
use super::noise;
use super::plain::{self, Specimen};
use super::sky::Sky;
use super::transfer::Transfer;

/// Contrast between neighbours from which a pixel is traced again with more rays.
const EDGE_CONTRAST: f32 = 0.05;
/// Four places in a pixel, no two in one row or column.
const SUBPIXELS: [(f32, f32); 4] = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)];

/// Draws volumes over one ground with one look; keeps what does not change between frames.
#[derive(Clone, Debug)]
pub struct Renderer {
    grid: Grid,
    look: LookSpec,
    land: TerrainLook,
    sky: Sky,
    blackbody: BlackBody,
    transfer: Transfer,
    /// Steps simulated so far, for the crust that rides on the flow.
    steps: f64,
    /// Where the pixel centres of the last camera meet the ground: most animations do not move the camera.
    seen: Option<(Camera, Vec<Option<GroundHit>>)>,
}

/// How one ray becomes light, in the style of the look.
enum Tracer<'a> {
    Cinematic(Stage<'a>),
    Scientific(Specimen<'a>),
    Surface(Specimen<'a>),
    Maximum(Specimen<'a>),
}

impl Renderer {
    /// Prepares `ground` (heights in cells above the box floor at column centres, shape (nz, nx)) for `look`.
    ///
    /// # Panics
    /// When the shape of `ground` is not (nz, nx) of `grid`.
    pub fn new(ground: &Array2<f32>, grid: Grid, look: LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        let land = TerrainLook::bake(ground, grid, &look, NODES);
        let sky = Sky::new(&look);
        Ok(Self { grid, look, land, sky, blackbody: BlackBody::new(), transfer, steps: 0.0, seen: None })
    }

    /// The look this renderer was made for.
    pub fn look(&self) -> &LookSpec {
        &self.look
    }

    /// Changes the look and keeps what was baked: only another sun makes its light be worked out again.
    pub fn set_look(&mut self, look: LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        self.transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        let sky = Sky::new(&look);
        if sky.sun != self.sky.sun {
            self.land.relight(&look);
        }
        self.sky = sky;
        self.look = look;
        Ok(())
    }

    /// Says which step the next volumes show: the crust rides on the flow as steps go by ([`LookSpec::drift`]).
    pub fn set_steps(&mut self, steps: u64) {
        self.steps = steps as f64;
    }

    /// What a camera should frame: the ground block, in cells.
    pub fn subject(&self) -> Bounds {
        self.land.subject(self.grid)
    }

    /// Draws `volume`, whose grid is this renderer's. Pictures do not depend on the number of threads.
    ///
    /// # Panics
    /// When the volume has another shape.
    pub fn frame(&mut self, volume: &Volume, camera: &Camera) -> Image {
        self.draw(volume, camera, Skipping::Bricks)
    }

    pub(super) fn draw(&mut self, volume: &Volume, camera: &Camera, skipping: Skipping) -> Image {
        assert_eq!(volume.grid, self.grid, "the volume has the renderer's shape");
        self.look_at(camera);
        let (empty, smoothing) = self.transfer.of_interest(&self.look);
        let field = LavaField::new(volume, smoothing, empty, skipping).clipped(self.look.clip);
        let ember = EmberLight::new(volume, None, Glow::from(&self.look));
        let tracer = self.tracer(&field, &ember);
        let hits = self.seen.as_ref().map_or(&[][..], |(_, hits)| hits);
        let mut film = self.expose(&tracer, camera, hits);
        if self.look.antialias != Antialias::Off {
            film.light = self.refine(&tracer, camera, &film);
        }
        match self.look.style {
            Style::Cinematic => {
                film.develop(Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow })
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let mut image = film.develop(Develop::Plain);
                self.transfer.legend(&mut image);
                image
            }
        }
    }

    fn tracer<'a>(&'a self, field: &'a LavaField, ember: &'a EmberLight) -> Tracer<'a> {
        let (look, land) = (&self.look, &self.land);
        let specimen = Specimen { field, land, transfer: &self.transfer, look };
        match look.style {
            Style::Cinematic => Tracer::Cinematic(Stage {
                field,
                land,
                ember,
                sky: &self.sky,
                look,
                blackbody: &self.blackbody,
                steps: self.steps,
            }),
            Style::Scientific => Tracer::Scientific(specimen),
            Style::Surface => Tracer::Surface(specimen),
            Style::Maximum => Tracer::Maximum(specimen),
        }
    }

    /// Finds the ground under every pixel, unless the camera has not moved.
    fn look_at(&mut self, camera: &Camera) {
        if self.seen.as_ref().is_some_and(|(last, _)| last == camera) {
            return;
        }
        let (width, height) = camera.size();
        let block = &self.land.block;
        let hits = (0..width * height)
            .into_par_iter()
            .map(|k| block.hit(&camera.ray((k % width) as f32 + 0.5, (k / width) as f32 + 0.5)))
            .collect();
        self.seen = Some((camera.clone(), hits));
    }

    /// One ray through the middle of every pixel.
    fn expose(&self, tracer: &Tracer, camera: &Camera, hits: &[Option<GroundHit>]) -> Film {
        let (width, height) = camera.size();
        let mut light = vec![V3::zeros(); width * height];
        light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let ray = camera.ray(x as f32 + 0.5, y as f32 + 0.5);
                let jitter = noise::interleaved(x as f32, y as f32);
                *pixel = tracer.trace(&ray, hits[y * width + x].as_ref(), jitter);
            }
        });
        Film { width, height, light }
    }

    /// The film with four rays in every pixel that differs from a neighbour, or in all.
    fn refine(&self, tracer: &Tracer, camera: &Camera, film: &Film) -> Vec<V3> {
        let (width, height) = (film.width, film.height);
        let everywhere = self.look.antialias == Antialias::Full;
        let mut light = film.light.clone();
        light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                if !everywhere && !on_edge(film, x, y, height) {
                    continue;
                }
                let mut sum = V3::zeros();
                for (index, (u, v)) in SUBPIXELS.into_iter().enumerate() {
                    let ray = camera.ray(x as f32 + u, y as f32 + v);
                    let jitter = noise::interleaved(x as f32 + 5.588 * index as f32, y as f32);
                    // Averaging what the eye sees, not raw light: one very bright ray must not win the pixel.
                    let seen = tracer.trace(&ray, self.land.block.hit(&ray).as_ref(), jitter);
                    sum += seen / (1.0 + seen.max());
                }
                let mean = sum / SUBPIXELS.len() as f32;
                *pixel = mean / (1.0 - mean.max()).max(1e-3);
            }
        });
        light
    }
}

fn on_edge(film: &Film, x: usize, y: usize, height: usize) -> bool {
    let at = |x: usize, y: usize| film.light[y * film.width + x];
    let here = at(x, y);
    let differs = |x: usize, y: usize| cinematic::contrast(here, at(x, y)) > EDGE_CONTRAST;
    (x > 0 && differs(x - 1, y))
        || (y > 0 && differs(x, y - 1))
        || (x + 1 < film.width && differs(x + 1, y))
        || (y + 1 < height && differs(x, y + 1))
}

impl Tracer<'_> {
    fn trace(&self, ray: &Ray, ground: Option<&GroundHit>, jitter: f32) -> V3 {
        match self {
            Self::Cinematic(stage) => cinematic::trace(stage, ray, ground, jitter),
            Self::Scientific(specimen) => plain::volume(specimen, ray, ground, jitter),
            Self::Surface(specimen) => plain::surface(specimen, ray, ground, jitter),
            Self::Maximum(specimen) => plain::maximum(specimen, ray, ground, jitter),
        }
    }
}
