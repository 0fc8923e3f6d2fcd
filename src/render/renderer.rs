//! Frames: one volume, one camera, one picture.

use ndarray::Array2;
use rayon::prelude::*;

use crate::grid::Grid;
use crate::lowpass::{LowPass, Moment, Volume};
use crate::simd::{Path, Simd, Work};
use crate::validate::Invalid;

use super::blackbody::BlackBody;
use super::bricks::Skipping;
use super::camera::{Bounds, Camera, Ray};
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
use super::tiles::{Depths, Live, Tiles};
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
    /// The instructions that rows of pixels are drawn with.
    pub(super) path: Path,
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
    /// How far there is anything to see.
    depths: Depths,
    /// The picture without lava, in styles in which lava changes no pixel that it does not cover.
    bare: Option<Bare>,
}

/// A picture without lava, and what the last frame drew over it.
#[derive(Clone, Debug)]
struct Bare {
    /// The finished picture.
    image: Image,
    /// Light of one ray through the middle of each pixel, without lava except where it was drawn.
    film: Film,
    /// Where the last frame drew lava into the film.
    drawn: Live,
}

/// One frame: how its rays become light, and from where.
struct Frame<'a, T: Tracer> {
    tracer: &'a T,
    camera: &'a Camera,
    tiles: &'a Tiles,
    /// Which tiles are drawn; the others are known.
    live: &'a Live,
    path: Path,
}

/// What the rays through the middles of a row of pixels meet behind the lava.
struct Behinds<'a, T: Tracer> {
    tracer: &'a T,
    camera: &'a Camera,
    y: usize,
    row: &'a mut Vec<T::Behind>,
}

/// The pixels of a row that are drawn, one ray through the middle of each.
struct Exposed<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    y: usize,
    behind: &'a [T::Behind],
    light: &'a mut [V3],
}

/// The light of those pixels of a row that are wanted, with four rays.
struct Refined<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    y: usize,
    film: &'a Film,
    wanted: Wanted,
    /// What their rays meet behind the lava, where that is kept.
    closer: Option<&'a mut [Option<Closer<T>>]>,
    light: &'a mut [V3],
}

/// The bytes of the pixels of a row that are drawn, with four rays in those that are wanted.
struct Developed<'a, T: Tracer> {
    frame: &'a Frame<'a, T>,
    y: usize,
    film: &'a Film,
    wanted: Option<Wanted>,
    /// What the rays of closer looks meet behind the lava, where that is kept.
    closer: Option<&'a mut [Option<Closer<T>>]>,
    row: &'a mut [u8],
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
        let path = Path::fastest();
        Ok(Self { grid, look, land, sky, blackbody, transfer, steps: 0.0, seen: None, prepared, last: None, path })
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

    /// How far `ray` goes until it meets the ground as it is drawn, with its relief and its cut sides, in cells; `None`
    /// where it misses the ground. Lava may hide that point.
    pub fn distance_to_ground(&self, ray: &Ray) -> Option<f32> {
        self.land.block.hit(ray).map(|hit| hit.t)
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
        let seen = self.seen.take().filter(|seen| seen.camera == *camera).map(|seen| seen.behind);
        let (image, behind) = match self.look.style {
            Style::Cinematic => {
                let ember = self.prepared.light(volume, news, Glow::from(&self.look));
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let stage = self.stage(&field, &ember);
                let mut kept = match seen {
                    Some(Behind::Cinematic(kept)) => kept,
                    _ => Kept::new(&stage, camera, self.look.antialias, self.path),
                };
                let tiles = self.tiles(camera, &kept.depths, skipping);
                (self.everything(&stage, camera, &tiles, &mut kept), Behind::Cinematic(kept))
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let field = self.prepared.field(volume, interest, skipping).clipped(self.look.clip);
                let specimen = Specimen { field: &field, land: &self.land, transfer: &self.transfer, look: &self.look };
                let mut kept = match seen {
                    Some(Behind::Plain(kept)) => kept,
                    _ => Kept::new(&specimen, camera, self.look.antialias, self.path),
                };
                let tiles = self.tiles(camera, &kept.depths, skipping);
                (self.over_bare(&specimen, camera, &tiles, &mut kept), Behind::Plain(kept))
            }
        };
        self.seen = Some(Seen { camera: camera.clone(), behind });
        image
    }

    fn tiles(&self, camera: &Camera, depths: &Depths, skipping: Skipping) -> Tiles {
        match skipping {
            Skipping::Never => Tiles::whole(camera),
            Skipping::Bricks => Tiles::new(self.prepared.bricks(), camera, depths),
        }
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
        let frame = Frame { tracer, camera, tiles, live: &Live::whole(camera), path: self.path };
        let mut film = frame.film();
        frame.expose(&kept.centres, &mut film);
        if let Some(wanted) = self.closer() {
            film.light = frame.refine(&film, &mut kept.closer, wanted);
        }
        film.develop(Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow })
    }

    /// The picture without lava, drawn again where there may be lava in it.
    fn over_bare<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let mut bare = kept.bare.take().unwrap_or_else(|| self.bare(tracer, camera, kept));
        let live = tiles.live(camera, self.look.antialias != Antialias::Off);
        // Where lava was and is no more, its light has to go.
        bare.drawn.add(&live);
        let frame = Frame { tracer, camera, tiles, live: &bare.drawn, path: self.path };
        frame.expose(&kept.centres, &mut bare.film);
        let mut image = bare.image.clone();
        frame.develop(&bare.film, kept, self.closer(), &mut image);
        self.transfer.legend(&mut image);
        bare.drawn = live;
        kept.bare = Some(bare);
        image
    }

    fn bare<T: Tracer>(&self, tracer: &T, camera: &Camera, kept: &mut Kept<T::Behind>) -> Bare {
        let tiles = Tiles::none(camera);
        let frame = Frame { tracer, camera, tiles: &tiles, live: &Live::whole(camera), path: self.path };
        let mut film = frame.film();
        frame.expose(&kept.centres, &mut film);
        let mut image = Image::filled(film.width, film.height, [0; 3]);
        frame.develop(&film, kept, self.closer(), &mut image);
        Bare { image, film, drawn: tiles.live(camera, false) }
    }

    /// Which pixels the look wants more rays in, if any.
    fn closer(&self) -> Option<Wanted> {
        match self.look.antialias {
            Antialias::Off => None,
            Antialias::Edges => Some(on_edge),
            Antialias::Full => Some(|_, _, _| true),
        }
    }
}

impl<B: Clone + Send + Sync> Kept<B> {
    /// Looks past the lava through the middle of every pixel.
    fn new<T: Tracer<Behind = B>>(tracer: &T, camera: &Camera, antialias: Antialias, path: Path) -> Self {
        let (width, height) = camera.size();
        let row = |y: usize| {
            let mut row = Vec::with_capacity(width);
            path.run(Behinds { tracer, camera, y, row: &mut row });
            row
        };
        let centres = (0..height).into_par_iter().map(row).collect::<Vec<Vec<B>>>().concat();
        let far: Vec<f32> = centres.iter().map(T::far).collect();
        let depths = Depths::new(camera, &far, antialias != Antialias::Off);
        let closer = if width * height <= MOST_KEPT { vec![None; width * height] } else { Vec::new() };
        Self { centres, closer, depths, bare: None }
    }
}

impl<T: Tracer> Frame<'_, T> {
    /// A film on which nothing was seen yet.
    fn film(&self) -> Film {
        let (width, height) = self.camera.size();
        Film { width, height, light: vec![V3::zeros(); width * height] }
    }

    /// One ray through the middle of every pixel that is drawn; the others stay as they are.
    fn expose(&self, behind: &[T::Behind], film: &mut Film) {
        let width = film.width;
        let rows = film.light.par_chunks_mut(width).zip(behind.par_chunks(width)).enumerate();
        rows.for_each(|(y, (light, behind))| self.path.run(Exposed { frame: self, y, behind, light }));
    }

    /// The plain picture of a film where it is drawn, with four rays in the pixels that are `wanted`.
    fn develop(&self, film: &Film, kept: &mut Kept<T::Behind>, wanted: Option<Wanted>, image: &mut Image) {
        let rows = image.rgb.par_chunks_mut(3 * film.width).enumerate();
        let develop = |y: usize, row: &mut [u8], closer: Option<&mut [Option<Closer<T>>]>| {
            self.path.run(Developed { frame: self, y, film, wanted, closer, row });
        };
        if kept.closer.is_empty() {
            rows.for_each(|(y, row)| develop(y, row, None));
        } else {
            let closer = kept.closer.par_chunks_mut(film.width);
            rows.zip(closer).for_each(|((y, row), closer)| develop(y, row, Some(closer)));
        }
    }

    /// Light at a place in a pixel; rays with another `shift` have another jitter.
    #[inline(always)]
    fn light<S: Simd>(&self, s: S, pixel: (usize, usize), (u, v): (f32, f32), shift: f32, behind: &T::Behind) -> V3 {
        let (x, y) = pixel;
        let reach = self.tiles.at(x, y);
        if (reach.is_empty() || reach.near >= T::far(behind))
            && let Some(light) = self.tracer.bare(behind)
        {
            return light;
        }
        let ray = self.camera.ray(x as f32 + u, y as f32 + v);
        let jitter = noise::interleaved(x as f32 + shift, y as f32);
        self.tracer.trace(s, &ray, behind, Sight { jitter, reach })
    }

    /// The light of the film with four rays in the pixels that are `wanted`.
    fn refine(&self, film: &Film, closer: &mut [Option<Closer<T>>], wanted: Wanted) -> Vec<V3> {
        let mut light = film.light.clone();
        let rows = light.par_chunks_mut(film.width).enumerate();
        let refine = |y: usize, light: &mut [V3], closer: Option<&mut [Option<Closer<T>>]>| {
            self.path.run(Refined { frame: self, y, film, wanted, closer, light });
        };
        if closer.is_empty() {
            rows.for_each(|(y, light)| refine(y, light, None));
        } else {
            rows.zip(closer.par_chunks_mut(film.width)).for_each(|((y, light), closer)| refine(y, light, Some(closer)));
        }
        light
    }

    /// What the rays of a closer look meet behind the lava.
    fn closer(&self, x: usize, y: usize) -> Closer<T> {
        Box::new(SUBPIXELS.map(|(u, v)| self.tracer.behind(&self.camera.ray(x as f32 + u, y as f32 + v))))
    }

    /// The mean light of four rays in a pixel; what they meet behind the lava is kept in its row of `kept`.
    #[inline(always)]
    fn look_closer<S: Simd>(&self, s: S, x: usize, y: usize, kept: Option<&mut [Option<Closer<T>>]>) -> V3 {
        match kept {
            Some(kept) => self.mean(s, x, y, kept[x].get_or_insert_with(|| self.closer(x, y))),
            None => self.mean(s, x, y, &self.closer(x, y)),
        }
    }

    #[inline(always)]
    fn mean<S: Simd>(&self, s: S, x: usize, y: usize, behind: &Closer<T>) -> V3 {
        let mut sum = V3::zeros();
        for (index, (place, behind)) in SUBPIXELS.into_iter().zip(behind.iter()).enumerate() {
            // Averaging what the eye sees, not raw light: one very bright ray must not win the pixel.
            let seen = self.light(s, (x, y), place, 5.588 * index as f32, behind);
            sum += seen / (1.0 + seen.max());
        }
        let mean = sum / SUBPIXELS.len() as f32;
        mean / (1.0 - mean.max()).max(1e-3)
    }
}

impl<T: Tracer> Work for Behinds<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        for x in 0..self.camera.size().0 {
            self.row.push(self.tracer.behind(&self.camera.ray(x as f32 + 0.5, self.y as f32 + 0.5)));
        }
    }
}

impl<T: Tracer> Work for Exposed<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(self, s: S) {
        for run in self.frame.live.runs(self.y) {
            for x in run {
                self.light[x] = self.frame.light(s, (x, self.y), (0.5, 0.5), 0.0, &self.behind[x]);
            }
        }
    }
}

impl<T: Tracer> Work for Refined<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        for run in self.frame.live.runs(self.y) {
            for x in run {
                if (self.wanted)(self.film, x, self.y) {
                    self.light[x] = self.frame.look_closer(s, x, self.y, self.closer.as_deref_mut());
                }
            }
        }
    }
}

impl<T: Tracer> Work for Developed<'_, T> {
    #[inline(always)]
    fn with<S: Simd>(mut self, s: S) {
        let (film, y) = (self.film, self.y);
        for run in self.frame.live.runs(y) {
            for x in run {
                let light = match self.wanted {
                    Some(wanted) if wanted(film, x, y) => self.frame.look_closer(s, x, y, self.closer.as_deref_mut()),
                    _ => film.light[y * film.width + x],
                };
                self.row[3 * x..3 * x + 3].copy_from_slice(&Develop::Plain.pixel(light, (x, y)));
            }
        }
    }
}

/// What the rays of a closer look at a pixel meet behind the lava.
type Closer<T> = Box<[<T as Tracer>::Behind; SUBPIXELS.len()]>;

/// Whether a closer look at the pixel (x, y) of a film is wanted.
type Wanted = fn(&Film, usize, usize) -> bool;

fn on_edge(film: &Film, x: usize, y: usize) -> bool {
    let at = |x: usize, y: usize| film.light[y * film.width + x];
    let here = at(x, y);
    let differs = |x: usize, y: usize| cinematic::contrast(here, at(x, y)) > EDGE_CONTRAST;
    (x > 0 && differs(x - 1, y))
        || (y > 0 && differs(x, y - 1))
        || (x + 1 < film.width && differs(x + 1, y))
        || (y + 1 < film.height && differs(x, y + 1))
}
