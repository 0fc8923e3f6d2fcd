//! Frames: one volume, one camera, one picture.

use ndarray::Array2;
use rayon::prelude::*;

use crate::grid::Grid;
use crate::lowpass::{LowPass, Moment, Volume};
use crate::validate::Invalid;

use super::blackbody::BlackBody;
use super::bricks::Skipping;
use super::camera::{Bounds, Camera};
use super::cinematic;
use super::crust::Stage;
use super::ember::{EmberLight, Glow};
use super::field::LavaField;
use super::film::{Develop, Film};
use super::image::Image;
use super::land::{NODES, TerrainLook};
use super::look::{Antialias, LookSpec, Style};
use super::math::V3;
use super::noise;
use super::plain::{self, Specimen};
use super::prepared::{News, Prepared, rows};
use super::sky::Sky;
use super::tiles::Tiles;
use super::tracer::{Sight, Tracer};
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
    /// What is behind the lava: most animations do not move the camera.
    seen: Option<Seen>,
    /// What is kept of the last volume.
    prepared: Prepared,
    /// When changes were last taken from a low-pass, if that drew the last frame.
    last: Option<Moment>,
}

/// What the rays through the pixels' centres meet behind the lava.
#[derive(Clone, Debug)]
struct Seen {
    camera: Camera,
    behind: Behind,
}

/// The same by style, in rows from the top.
#[derive(Clone, Debug)]
enum Behind {
    Cinematic(Vec<cinematic::Behind>),
    Plain(Vec<plain::Behind>),
}

/// One frame: how its rays become light, and from where.
struct Frame<'a, T: Tracer> {
    tracer: &'a T,
    camera: &'a Camera,
    tiles: &'a Tiles,
    behind: &'a [T::Behind],
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
        let blackbody = BlackBody::new();
        let prepared = Prepared::new(grid);
        Ok(Self { grid, look, land, sky, blackbody, transfer, steps: 0.0, seen: None, prepared, last: None })
    }

    /// The look this renderer was made for.
    pub fn look(&self) -> &LookSpec {
        &self.look
    }

    /// Changes the look and keeps what was baked: only another sun makes its light be worked out again.
    pub fn set_look(&mut self, look: LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        if look != self.look {
            self.seen = None;
        }
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
    /// Nothing is known of the volume, so every cell of it is looked at. [`Self::frame_of`] gives the same picture and
    /// does not.
    ///
    /// # Panics
    /// When the volume has another shape.
    pub fn frame(&mut self, volume: &Volume, camera: &Camera) -> Image {
        self.draw(volume, camera, Skipping::Bricks)
    }

    /// Draws what `lowpass` filtered last. If it drew the last frame too, only cells that changed since then are looked
    /// at; to know them, its changes are taken.
    ///
    /// # Panics
    /// When the low-pass has another shape than this renderer.
    pub fn frame_of(&mut self, lowpass: &mut LowPass, camera: &Camera) -> Image {
        let changed = lowpass.take_changes_since(&mut self.last);
        let news = News { rows: lowpass.rows(), changed: changed.as_deref() };
        self.draw_news(lowpass.volume(), &news, camera, Skipping::Bricks)
    }

    pub(super) fn draw(&mut self, volume: &Volume, camera: &Camera, skipping: Skipping) -> Image {
        self.last = None;
        let rows = rows(volume);
        self.draw_news(volume, &News { rows: &rows, changed: None }, camera, skipping)
    }

    fn draw_news(&mut self, volume: &Volume, news: &News, camera: &Camera, skipping: Skipping) -> Image {
        assert_eq!(volume.grid, self.grid, "the volume has the renderer's shape");
        let interest = self.transfer.of_interest(&self.look);
        self.prepared.follow(volume, news, interest);
        let everywhere = skipping == Skipping::Never;
        let tiles = if everywhere { Tiles::whole(camera) } else { Tiles::new(self.prepared.bricks(), camera) };
        let seen = self.seen.take().filter(|seen| seen.camera == *camera).map(|seen| seen.behind);
        let (film, behind) = match self.look.style {
            Style::Cinematic => {
                let ember = self.prepared.light(volume, news, Glow::from(&self.look));
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let stage = self.stage(&field, &ember);
                let kept = match seen {
                    Some(Behind::Cinematic(kept)) => kept,
                    _ => look_past(&stage, camera),
                };
                (self.film(&stage, camera, &tiles, &kept), Behind::Cinematic(kept))
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let specimen =
                    Specimen { field: &field, land: &self.land, transfer: &self.transfer, look: &self.look };
                let kept = match seen {
                    Some(Behind::Plain(kept)) => kept,
                    _ => look_past(&specimen, camera),
                };
                (self.film(&specimen, camera, &tiles, &kept), Behind::Plain(kept))
            }
        };
        self.seen = Some(Seen { camera: camera.clone(), behind });
        self.develop(&film)
    }

    fn develop(&self, film: &Film) -> Image {
        if self.look.style == Style::Cinematic {
            return film.develop(Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow });
        }
        let mut image = film.develop(Develop::Plain);
        self.transfer.legend(&mut image);
        image
    }

    fn stage<'a>(&'a self, field: &'a LavaField<'a>, ember: &'a EmberLight) -> Stage<'a> {
        Stage {
            field,
            land: &self.land,
            ember,
            sky: &self.sky,
            look: &self.look,
            blackbody: &self.blackbody,
            steps: self.steps,
        }
    }

    /// One ray through the middle of every pixel, and more where the look asks for them.
    fn film<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, behind: &[T::Behind]) -> Film {
        let frame = Frame { tracer, camera, tiles, behind };
        let mut film = frame.expose();
        if self.look.antialias != Antialias::Off {
            film.light = frame.refine(&film, self.look.antialias == Antialias::Full);
        }
        film
    }
}

/// Looks past the lava through the middle of every pixel.
fn look_past<T: Tracer>(tracer: &T, camera: &Camera) -> Vec<T::Behind> {
    let (width, height) = camera.size();
    (0..width * height)
        .into_par_iter()
        .map(|k| tracer.behind(&camera.ray((k % width) as f32 + 0.5, (k / width) as f32 + 0.5)))
        .collect()
}

impl<T: Tracer> Frame<'_, T> {
    /// One ray through the middle of every pixel.
    fn expose(&self) -> Film {
        let (width, height) = self.camera.size();
        let mut light = vec![V3::zeros(); width * height];
        light.par_chunks_mut(width).zip(self.behind.par_chunks(width)).enumerate().for_each(|(y, (row, behind))| {
            for (x, (pixel, behind)) in row.iter_mut().zip(behind).enumerate() {
                let reach = self.tiles.at(x, y);
                *pixel = match self.tracer.bare(behind) {
                    Some(light) if reach.is_empty() => light,
                    _ => {
                        let ray = self.camera.ray(x as f32 + 0.5, y as f32 + 0.5);
                        let jitter = noise::interleaved(x as f32, y as f32);
                        self.tracer.trace(&ray, behind, Sight { jitter, reach })
                    }
                };
            }
        });
        Film { width, height, light }
    }

    /// The film with four rays in every pixel that differs from a neighbour, or in all.
    fn refine(&self, film: &Film, everywhere: bool) -> Vec<V3> {
        let (width, height) = (film.width, film.height);
        let mut light = film.light.clone();
        light.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                if everywhere || on_edge(film, x, y, height) {
                    *pixel = self.look_closer(x, y);
                }
            }
        });
        light
    }

    /// The mean of four rays in a pixel.
    fn look_closer(&self, x: usize, y: usize) -> V3 {
        let reach = self.tiles.at(x, y);
        let mut sum = V3::zeros();
        for (index, (u, v)) in SUBPIXELS.into_iter().enumerate() {
            let ray = self.camera.ray(x as f32 + u, y as f32 + v);
            let jitter = noise::interleaved(x as f32 + 5.588 * index as f32, y as f32);
            let behind = self.tracer.behind(&ray);
            // Averaging what the eye sees, not raw light: one very bright ray must not win the pixel.
            let seen = self.tracer.trace(&ray, &behind, Sight { jitter, reach });
            sum += seen / (1.0 + seen.max());
        }
        let mean = sum / SUBPIXELS.len() as f32;
        mean / (1.0 - mean.max()).max(1e-3)
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
