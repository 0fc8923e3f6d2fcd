//! Frames: one volume, one camera, one picture.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
use super::contents::{Contents, Slices};
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
use super::tiles::{Depths, Live, Reach, Tiles};
use super::tracer::{Sight, Tracer};
use super::transfer::Transfer;

/// Contrast between neighbours from which a pixel is traced again with more rays.
const EDGE_CONTRAST: f32 = 0.05;
/// Four places in a pixel, no two in one row or column.
const SUBPIXELS: [(f32, f32); 4] = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)];

/// A clip box that shows no part of the lava.
const NOWHERE: [[f32; 2]; 3] = [[2.0, -1.0]; 3];

/// Closer looks are kept for pictures of no more pixels than this: they take up to 200 bytes for each.
const MOST_KEPT: usize = 1 << 21;

/// Draws volumes over one ground with one look; keeps what does not change between frames.
#[derive(Clone, Debug)]
pub struct Renderer {
    grid: Grid,
    look: LookSpec,
    land: Arc<TerrainLook>,
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
    contents: Contents,
    /// Whether what four rays in every pixel meet behind the lava is kept: up to 200 bytes a pixel.
    keeps_closer: bool,
    /// Gives up the frame that is being drawn when set.
    stop: Arc<AtomicBool>,
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
    stop: &'a AtomicBool,
}

/// How the ground behind the lava is looked for.
struct Viewing<'a> {
    antialias: Antialias,
    keeps_closer: bool,
    path: Path,
    stop: &'a AtomicBool,
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
        let land = TerrainLook::bake(ground, grid, &look, NODES);
        Ok(Self { keeps_closer: true, ..Self::over(Arc::new(land), grid, look)? })
    }

    /// A renderer over a ground that is baked already, for the sun of `look`. It draws pictures with four rays in every
    /// pixel once only, so that it keeps nothing for the next one.
    pub(crate) fn over(land: Arc<TerrainLook>, grid: Grid, look: LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        let sky = Sky::new(&look);
        let blackbody = BlackBody::new();
        let prepared = Prepared::new(grid);
        let path = Path::fastest();
        Ok(Self {
            grid,
            look,
            land,
            sky,
            blackbody,
            transfer,
            steps: 0.0,
            seen: None,
            prepared,
            last: None,
            path,
            contents: Contents::default(),
            keeps_closer: false,
            stop: Arc::default(),
        })
    }

    /// The look this renderer was made for.
    pub fn look(&self) -> &LookSpec {
        &self.look
    }

    /// Changes the look and keeps what was baked: only another sun makes its light be worked out again.
    pub fn set_look(&mut self, look: LookSpec) -> Result<(), Invalid> {
        let sun = self.sky.sun;
        self.set_look_but_sunlight(look)?;
        if self.sky.sun != sun {
            Arc::make_mut(&mut self.land).relight(&self.look);
        }
        Ok(())
    }

    /// The same, but another sun leaves the light on the ground as it is until [`Self::set_land`] brings another.
    pub(crate) fn set_look_but_sunlight(&mut self, look: LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        if look != self.look {
            self.seen = None;
        }
        self.transfer = Transfer::new(&look, look.palette.build("look.palette")?);
        self.sky = Sky::new(&look);
        self.look = look;
        Ok(())
    }

    /// Whether this is the ground that is drawn.
    pub(crate) fn is_over(&self, land: &Arc<TerrainLook>) -> bool {
        Arc::ptr_eq(&self.land, land)
    }

    /// Whether the next picture from this camera needs no search for the ground.
    pub(crate) fn knows_ground(&self, camera: &Camera) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.camera == *camera)
    }

    /// Replaces the ground by another for the same box.
    pub(crate) fn set_land(&mut self, land: Arc<TerrainLook>) {
        self.land = land;
        self.seen = None;
    }

    /// Changes what is drawn of the scene.
    pub(crate) fn set_contents(&mut self, contents: Contents) {
        if contents.ground != self.contents.ground {
            self.seen = None;
        }
        self.contents = contents;
    }

    /// A switch that gives up the frame that is being drawn.
    pub(crate) fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
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

    /// Draws `volume`, of which `news` is known; `None` when the switch of [`Self::stop_switch`] was set meanwhile.
    pub(crate) fn frame_with(&mut self, volume: &Volume, news: &News, camera: &Camera) -> Option<Image> {
        self.last = None;
        let image = self.draw_news(volume, news, camera, Skipping::Bricks);
        if self.stop.load(Ordering::Relaxed) {
            self.seen = None;
            return None;
        }
        Some(image)
    }

    /// How much of the sky each pixel of `image` hides, the last picture of `volume` and from `camera`.
    pub(crate) fn coverage(&self, volume: &Volume, camera: &Camera, image: &Image) -> Vec<u8> {
        let interest = self.transfer.of_interest(&self.look);
        let field = self.prepared.field(volume, interest, Skipping::Bricks).clipped(self.clip());
        match self.look.style {
            Style::Cinematic => {
                let ember = EmberLight::none(volume.grid);
                let how = Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow };
                cover(&self.stage(&field, &ember), camera, image, how)
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                cover(&self.specimen(&field), camera, image, Develop::Plain)
            }
        }
    }

    fn draw_news(&mut self, volume: &Volume, news: &News, camera: &Camera, skipping: Skipping) -> Image {
        assert_eq!(volume.grid, self.grid, "the volume has the renderer's shape");
        let interest = self.transfer.of_interest(&self.look);
        self.prepared.follow(volume, news, interest);
        let seen = self.seen.take().filter(|seen| seen.camera == *camera).map(|seen| seen.behind);
        let (image, behind) = match self.look.style {
            Style::Cinematic => {
                let ember = match self.contents.lava {
                    true => self.prepared.light(volume, news, Glow::from(&self.look)),
                    false => Arc::new(EmberLight::none(volume.grid)),
                };
                let field = self.prepared.field(volume, interest, skipping).clipped(self.clip());
                let stage = self.stage(&field, &ember);
                let mut kept = match seen {
                    Some(Behind::Cinematic(kept)) => kept,
                    _ => Kept::new(&stage, camera, &self.viewing()),
                };
                let tiles = self.tiles(camera, &kept.depths, skipping);
                (self.everything(&stage, camera, &tiles, &mut kept), Behind::Cinematic(kept))
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let field = self.prepared.field(volume, interest, skipping).clipped(self.clip());
                let specimen = self.specimen(&field);
                let mut kept = match seen {
                    Some(Behind::Plain(kept)) => kept,
                    _ => Kept::new(&specimen, camera, &self.viewing()),
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
            _ if !self.contents.lava => Tiles::none(camera),
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
            slices: self.slices(),
            ground: self.contents.ground,
            steps: self.steps,
        }
    }

    fn specimen<'a>(&'a self, field: &'a LavaField<'a>) -> Specimen<'a> {
        Specimen {
            field,
            land: &self.land,
            transfer: &self.transfer,
            look: &self.look,
            slices: self.slices(),
            ground: self.contents.ground,
        }
    }

    /// The part of the box in which lava is drawn.
    fn clip(&self) -> [[f32; 2]; 3] {
        if self.contents.lava { self.look.clip } else { NOWHERE }
    }

    fn slices(&self) -> Slices<'_> {
        Slices::new([self.grid.nx, self.grid.ny, self.grid.nz], &self.contents, &self.transfer)
    }

    fn viewing(&self) -> Viewing<'_> {
        let keeps_closer = self.keeps_closer || self.look.antialias != Antialias::Full;
        Viewing { antialias: self.look.antialias, keeps_closer, path: self.path, stop: &self.stop }
    }

    /// A picture of which no pixel is known, because lava lights and outshines what is around it.
    fn everything<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let frame = Frame { tracer, camera, tiles, live: &Live::whole(camera), path: self.path, stop: &self.stop };
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
        // Slices change with the lava, so they are no part of the picture without it.
        let live = match tracer.slices().is_empty() {
            true => tiles.live(camera, self.look.antialias != Antialias::Off),
            false => Live::whole(camera),
        };
        // Where lava was and is no more, its light has to go.
        bare.drawn.add(&live);
        let frame = Frame { tracer, camera, tiles, live: &bare.drawn, path: self.path, stop: &self.stop };
        frame.expose(&kept.centres, &mut bare.film);
        let mut image = bare.image.clone();
        frame.develop(&bare.film, kept, self.closer(), &mut image);
        if self.contents.legend {
            self.transfer.legend(&mut image);
        }
        bare.drawn = live;
        kept.bare = Some(bare);
        image
    }

    fn bare<T: Tracer>(&self, tracer: &T, camera: &Camera, kept: &mut Kept<T::Behind>) -> Bare {
        let tiles = Tiles::none(camera);
        let live = Live::whole(camera);
        let frame = Frame { tracer, camera, tiles: &tiles, live: &live, path: self.path, stop: &self.stop };
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

/// How much of the sky each pixel hides: ground and slices all, lava by its opacity, light that spills over as far as it
/// is seen.
fn cover<T: Tracer>(tracer: &T, camera: &Camera, image: &Image, how: Develop) -> Vec<u8> {
    let pixel = |k: usize| {
        let (x, y) = (k % image.width, k / image.width);
        let mut opacity = 0.0;
        let mut sky = V3::zeros();
        for (u, v) in SUBPIXELS {
            let ray = camera.ray(x as f32 + u, y as f32 + v);
            let behind = tracer.behind(&ray);
            let hidden = T::far(&behind) < f32::MAX || tracer.slices().nearest(&ray, f32::MAX).is_some();
            let sight = Sight { jitter: noise::interleaved(x as f32, y as f32), reach: Reach::ALL };
            opacity += if hidden { 1.0 } else { tracer.opacity(&ray, &behind, sight) };
            sky += tracer.bare(&behind).unwrap_or_default();
        }
        let n = SUBPIXELS.len() as f32;
        let bare = how.pixel(sky / n, (x, y));
        let spill = image.pixel(x, y).iter().zip(bare).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0);
        // One level of difference is noise.
        ((opacity / n * 255.0).round() as u8).max(spill.saturating_sub(1))
    };
    (0..image.width * image.height).into_par_iter().map(pixel).collect()
}

impl<B: Clone + Send + Sync> Kept<B> {
    /// Looks past the lava through the middle of every pixel.
    fn new<T: Tracer<Behind = B>>(tracer: &T, camera: &Camera, how: &Viewing) -> Self {
        let (width, height) = camera.size();
        let row = |y: usize| {
            let mut row = Vec::with_capacity(width);
            // A picture that is given up still needs a row of some kind.
            let y = if how.stop.load(Ordering::Relaxed) { 0 } else { y };
            how.path.run(Behinds { tracer, camera, y, row: &mut row });
            row
        };
        let centres = (0..height).into_par_iter().map(row).collect::<Vec<Vec<B>>>().concat();
        let far: Vec<f32> = centres.iter().map(T::far).collect();
        let depths = Depths::new(camera, &far, how.antialias != Antialias::Off);
        let keeps = how.keeps_closer && width * height <= MOST_KEPT;
        let closer = if keeps { vec![None; width * height] } else { Vec::new() };
        Self { centres, closer, depths, bare: None }
    }
}

impl<T: Tracer> Frame<'_, T> {
    /// Whether the frame is still wanted.
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// A film on which nothing was seen yet.
    fn film(&self) -> Film {
        let (width, height) = self.camera.size();
        Film { width, height, light: vec![V3::zeros(); width * height] }
    }

    /// One ray through the middle of every pixel that is drawn; the others stay as they are.
    fn expose(&self, behind: &[T::Behind], film: &mut Film) {
        let width = film.width;
        let rows = film.light.par_chunks_mut(width).zip(behind.par_chunks(width)).enumerate();
        rows.filter(|_| self.goes_on())
            .for_each(|(y, (light, behind))| self.path.run(Exposed { frame: self, y, behind, light }));
    }

    /// The plain picture of a film where it is drawn, with four rays in the pixels that are `wanted`.
    fn develop(&self, film: &Film, kept: &mut Kept<T::Behind>, wanted: Option<Wanted>, image: &mut Image) {
        let rows = image.rgb.par_chunks_mut(3 * film.width).enumerate();
        let develop = |y: usize, row: &mut [u8], closer: Option<&mut [Option<Closer<T>>]>| {
            self.path.run(Developed { frame: self, y, film, wanted, closer, row });
        };
        if kept.closer.is_empty() {
            rows.filter(|_| self.goes_on()).for_each(|(y, row)| develop(y, row, None));
        } else {
            let closer = kept.closer.par_chunks_mut(film.width);
            rows.zip(closer).filter(|_| self.goes_on()).for_each(|((y, row), closer)| develop(y, row, Some(closer)));
        }
    }

    /// Light at a place in a pixel; rays with another `shift` have another jitter.
    #[inline(always)]
    fn light<S: Simd>(&self, s: S, pixel: (usize, usize), (u, v): (f32, f32), shift: f32, behind: &T::Behind) -> V3 {
        let (x, y) = pixel;
        let slices = self.tracer.slices();
        if !slices.is_empty()
            && let Some(hit) = slices.nearest(&self.camera.ray(x as f32 + u, y as f32 + v), T::far(behind))
        {
            return self.light_before(s, pixel, (u, v), shift, &T::slice(hit));
        }
        self.light_before(s, pixel, (u, v), shift, behind)
    }

    /// Light at a place in a pixel, with what is really behind the lava there.
    #[inline(always)]
    fn light_before<S: Simd>(
        &self,
        s: S,
        pixel: (usize, usize),
        (u, v): (f32, f32),
        shift: f32,
        behind: &T::Behind,
    ) -> V3 {
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
            rows.filter(|_| self.goes_on()).for_each(|(y, light)| refine(y, light, None));
        } else {
            rows.zip(closer.par_chunks_mut(film.width))
                .filter(|_| self.goes_on())
                .for_each(|((y, light), closer)| refine(y, light, Some(closer)));
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
