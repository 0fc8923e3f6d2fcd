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
use super::tiles::{Live, Tiles};
use super::tracer::{Sight, Tracer};
use super::transfer::Transfer;

/// Contrast between neighbours from which a pixel is traced again with more rays.
const EDGE_CONTRAST: f32 = 0.05;
/// Four places in a pixel, no two in one row or column.
const SUBPIXELS: [(f32, f32); 4] = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)];

/// Closer looks are kept for pictures of no more pixels than this: they take up to 200 bytes for each.
const MOST_KEPT: usize = 1 << 21;

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

/// What the rays of a camera meet behind the lava, by style.
#[derive(Clone, Debug)]
struct Seen {
    camera: Camera,
    behind: Behind,
}

#[derive(Clone, Debug)]
enum Behind {
    Cinematic(Kept<cinematic::Behind>),
    Plain(Kept<plain::Behind>),
}

/// What is behind the lava in each pixel, in rows from the top.
#[derive(Clone, Debug)]
struct Kept<B> {
    /// By the ray through its centre.
    centres: Vec<B>,
    /// By the rays of a closer look, where one was needed. Empty for pictures of more than [`MOST_KEPT`] pixels.
    closer: Vec<Option<Box<[B; SUBPIXELS.len()]>>>,
    /// The picture without lava, in styles in which lava changes no pixel that it does not cover.
    bare: Option<Bare>,
}

/// A picture without lava.
#[derive(Clone, Debug)]
struct Bare {
    /// Light of one ray through the middle of each pixel.
    light: Vec<V3>,
    /// The finished picture.
    image: Image,
}

/// One frame: how its rays become light, and from where.
struct Frame<'a, T: Tracer> {
    tracer: &'a T,
    camera: &'a Camera,
    tiles: &'a Tiles,
    /// Which tiles are drawn; the others are known.
    live: &'a Live,
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
        let (image, behind) = match self.look.style {
            Style::Cinematic => {
                let ember = self.prepared.light(volume, news, Glow::from(&self.look));
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let stage = self.stage(&field, &ember);
                let mut kept = match seen {
                    Some(Behind::Cinematic(kept)) => kept,
                    _ => Kept::new(&stage, camera),
                };
                (self.everything(&stage, camera, &tiles, &mut kept), Behind::Cinematic(kept))
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let specimen = Specimen { field: &field, land: &self.land, transfer: &self.transfer, look: &self.look };
                let mut kept = match seen {
                    Some(Behind::Plain(kept)) => kept,
                    _ => Kept::new(&specimen, camera),
                };
                (self.over_bare(&specimen, camera, &tiles, &mut kept), Behind::Plain(kept))
            }
        };
        self.seen = Some(Seen { camera: camera.clone(), behind });
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

    /// A picture of which no pixel is known, because lava lights and outshines what is around it.
    fn everything<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let frame = Frame { tracer, camera, tiles, live: &Live::whole(camera) };
        let mut film = frame.expose(&kept.centres, None);
        self.refine(&frame, &mut film, kept);
        film.develop(Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow })
    }

    /// The picture without lava, drawn again where there may be lava in it.
    fn over_bare<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let bare = kept.bare.take().unwrap_or_else(|| self.bare(tracer, camera, kept));
        let frame = Frame { tracer, camera, tiles, live: &tiles.live() };
        let mut film = frame.expose(&kept.centres, Some(&bare.light));
        self.refine(&frame, &mut film, kept);
        let mut image = bare.image.clone();
        film.develop_where(Develop::Plain, &mut image, |x, y| frame.live.at(x, y));
        self.transfer.legend(&mut image);
        kept.bare = Some(bare);
        image
    }

    fn bare<T: Tracer>(&self, tracer: &T, camera: &Camera, kept: &mut Kept<T::Behind>) -> Bare {
        let frame = Frame { tracer, camera, tiles: &Tiles::none(camera), live: &Live::whole(camera) };
        let mut film = frame.expose(&kept.centres, None);
        let light = film.light.clone();
        self.refine(&frame, &mut film, kept);
        Bare { light, image: film.develop(Develop::Plain) }
    }

    /// More rays where the look asks for them.
    fn refine<T: Tracer>(&self, frame: &Frame<T>, film: &mut Film, kept: &mut Kept<T::Behind>) {
        match self.look.antialias {
            Antialias::Off => {}
            Antialias::Edges => film.light = frame.refine(film, &mut kept.closer, |x, y| on_edge(film, x, y)),
            Antialias::Full => film.light = frame.refine(film, &mut kept.closer, |_, _| true),
        }
    }
}

impl<B: Clone + Send + Sync> Kept<B> {
    /// Looks past the lava through the middle of every pixel.
    fn new<T: Tracer<Behind = B>>(tracer: &T, camera: &Camera) -> Self {
        let (width, height) = camera.size();
        let centre = |k: usize| camera.ray((k % width) as f32 + 0.5, (k / width) as f32 + 0.5);
        let centres = (0..width * height).into_par_iter().map(|k| tracer.behind(&centre(k))).collect();
        let closer = if width * height <= MOST_KEPT { vec![None; width * height] } else { Vec::new() };
        Self { centres, closer, bare: None }
    }
}

impl<T: Tracer> Frame<'_, T> {
    /// One ray through the middle of every pixel that is drawn; the others are as they were.
    fn expose(&self, behind: &[T::Behind], before: Option<&[V3]>) -> Film {
        let (width, height) = self.camera.size();
        let mut light = before.map_or_else(|| vec![V3::zeros(); width * height], <[V3]>::to_vec);
        light.par_chunks_mut(width).zip(behind.par_chunks(width)).enumerate().for_each(|(y, (row, behind))| {
            let drawn = row.iter_mut().zip(behind).enumerate().filter(|(x, _)| self.live.at(*x, y));
            for (x, (pixel, behind)) in drawn {
                *pixel = self.light((x, y), (0.5, 0.5), 0.0, behind);
            }
        });
        Film { width, height, light }
    }

    /// Light at a place in a pixel; rays with another `shift` have another jitter.
    fn light(&self, (x, y): (usize, usize), (u, v): (f32, f32), shift: f32, behind: &T::Behind) -> V3 {
        let reach = self.tiles.at(x, y);
        if reach.is_empty()
            && let Some(light) = self.tracer.bare(behind)
        {
            return light;
        }
        let ray = self.camera.ray(x as f32 + u, y as f32 + v);
        let jitter = noise::interleaved(x as f32 + shift, y as f32);
        self.tracer.trace(&ray, behind, Sight { jitter, reach })
    }

    /// The light of the film with four rays in the pixels that are `wanted`.
    fn refine(
        &self,
        film: &Film,
        closer: &mut [Option<Closer<T>>],
        wanted: impl Fn(usize, usize) -> bool + Sync,
    ) -> Vec<V3> {
        let mut light = film.light.clone();
        let row = |y: usize, row: &mut [V3], mut closer: Option<&mut [Option<Closer<T>>]>| {
            for (x, pixel) in row.iter_mut().enumerate().filter(|(x, _)| self.live.at(*x, y) && wanted(*x, y)) {
                *pixel = match &mut closer {
                    Some(closer) => self.look_closer(x, y, closer[x].get_or_insert_with(|| self.closer(x, y))),
                    None => self.look_closer(x, y, &self.closer(x, y)),
                };
            }
        };
        let rows = light.par_chunks_mut(film.width).enumerate();
        if closer.is_empty() {
            rows.for_each(|(y, light)| row(y, light, None));
        } else {
            rows.zip(closer.par_chunks_mut(film.width)).for_each(|((y, light), closer)| row(y, light, Some(closer)));
        }
        light
    }

    /// What the rays of a closer look meet behind the lava.
    fn closer(&self, x: usize, y: usize) -> Closer<T> {
        Box::new(SUBPIXELS.map(|(u, v)| self.tracer.behind(&self.camera.ray(x as f32 + u, y as f32 + v))))
    }

    /// The mean of their light.
    fn look_closer(&self, x: usize, y: usize, behind: &Closer<T>) -> V3 {
        let mut sum = V3::zeros();
        for (index, (place, behind)) in SUBPIXELS.into_iter().zip(behind.iter()).enumerate() {
            // Averaging what the eye sees, not raw light: one very bright ray must not win the pixel.
            let seen = self.light((x, y), place, 5.588 * index as f32, behind);
            sum += seen / (1.0 + seen.max());
        }
        let mean = sum / SUBPIXELS.len() as f32;
        mean / (1.0 - mean.max()).max(1e-3)
    }
}

/// What the rays of a closer look at a pixel meet behind the lava.
type Closer<T> = Box<[<T as Tracer>::Behind; SUBPIXELS.len()]>;

fn on_edge(film: &Film, x: usize, y: usize) -> bool {
    let at = |x: usize, y: usize| film.light[y * film.width + x];
    let here = at(x, y);
    let differs = |x: usize, y: usize| cinematic::contrast(here, at(x, y)) > EDGE_CONTRAST;
    (x > 0 && differs(x - 1, y))
        || (y > 0 && differs(x, y - 1))
        || (x + 1 < film.width && differs(x + 1, y))
        || (y + 1 < film.height && differs(x, y + 1))
}
