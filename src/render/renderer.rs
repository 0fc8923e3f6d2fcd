//! Frames: one volume, one camera, one picture.

use ndarray::Array2;

use crate::grid::Grid;
use crate::lowpass::{LowPass, Moment, Volume};
use crate::simd::Path;
use crate::validate::Invalid;

use super::blackbody::BlackBody;
use super::bricks::Skipping;
use super::camera::{Bounds, Camera, Ray};
use super::cinematic;
use super::crust::Stage;
use super::ember::{EmberLight, Glow};
use super::field::LavaField;
use super::film::{Develop, Film};
use super::frame::{Frame, Keeping, Kept, Scene, Wanted};
use super::heightfield::Part;
use super::image::Image;
use super::land::{NODES, TerrainLook};
use super::look::{Antialias, LookSpec, Style, opened};
use super::math::V3;
use super::plain::{self, Specimen};
use super::prepared::{News, Prepared, rows};
use super::sky::Sky;
use super::tiles::{Depths, Live, Tiles};
use super::tracer::Tracer;
use super::transfer::Transfer;

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
    /// Cells of the slices across x, y and z that cut the box open.
    slices: [Option<usize>; 3],
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
        Ok(Self {
            grid,
            look,
            land,
            sky,
            blackbody,
            transfer,
            steps: 0.0,
            slices: [None; 3],
            seen: None,
            prepared,
            last: None,
            path,
        })
    }

    /// The look this renderer was made for.
    pub fn look(&self) -> &LookSpec {
        &self.look
    }

    /// Changes the look and keeps what was baked: only another sun makes its light be baked again.
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

    /// Shows slices through these cells across x, y and z: ground and lava on the eye's side of them are not drawn, up to the
    /// middle of the cell. The slices themselves are not drawn either. Cells outside the box count as the last one.
    pub fn set_slices(&mut self, slices: [Option<usize>; 3]) {
        if slices != self.slices {
            self.seen = None;
        }
        self.slices = slices;
    }

    /// What a camera should frame: the ground block, in cells.
    pub fn subject(&self) -> Bounds {
        self.land.subject(self.grid)
    }

    /// How far `ray` goes until it meets the ground as it is drawn, with its relief and its cut sides, in cells; `None`
    /// where it misses the ground. Lava may hide that point.
    pub fn distance_to_ground(&self, ray: &Ray) -> Option<f32> {
        let part = self.land.block.part(self.shown_from(ray.origin), self.sides());
        self.land.block.hit(ray, &part, 0.0).map(|hit| hit.t)
    }

    /// Shares of the box that are drawn for an eye at this place.
    fn shown_from(&self, eye: V3) -> [[f32; 2]; 3] {
        let sides = self.sides();
        let share = |axis: usize| {
            let middle = |cell: usize| (cell as f32 + 0.5).min(sides[axis] - 0.5) / sides[axis];
            self.slices[axis].map(middle)
        };
        opened(self.look.clip, [0, 1, 2].map(share), [0, 1, 2].map(|axis| eye[axis] / sides[axis]))
    }

    /// Cells along x, y and z.
    fn sides(&self) -> [f32; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|n| n as f32)
    }

    /// Draws `volume`, whose grid is this renderer's. Pictures do not depend on the number of threads.
    ///
    /// Every cell of the volume is read. [`Self::frame_of`] gives the same picture and reads changed cells only.
    ///
    /// # Panics
    /// When the volume has another shape.
    pub fn frame(&mut self, volume: &Volume, camera: &Camera) -> Image {
        self.draw(volume, camera, Skipping::Bricks)
    }

    /// Draws what `lowpass` filtered last. If it drew the last frame too, only cells that changed since then are read; to
    /// know them, its changes are taken.
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
        let seen = self.seen.take();
        let still = seen.as_ref().is_some_and(|seen| seen.camera == *camera);
        let shown = self.shown_from(camera.eye().coords);
        let part = self.land.block.part(shown, self.sides());
        let scene = Scene { camera, block: &self.land.block, part, antialias: self.look.antialias, path: self.path };
        let (image, behind) = match self.look.style {
            Style::Cinematic => {
                let ember = self.prepared.light(volume, news, Glow::from(&self.look));
                let field = self.prepared.field(volume, interest, skipping).clipped(shown);
                let stage = self.stage(&field, part, &ember);
                let mut kept = match seen.map(|seen| seen.behind) {
                    Some(Behind::Cinematic(kept)) if still => kept,
                    Some(Behind::Cinematic(kept)) => kept.turned(&stage, &scene),
                    _ => Kept::default().turned(&stage, &scene),
                };
                let tiles = self.tiles(camera, &kept.depths, skipping);
                (self.everything(&stage, camera, &tiles, &mut kept), Behind::Cinematic(kept))
            }
            Style::Scientific | Style::Surface | Style::Maximum => {
                let field = self.prepared.field(volume, interest, skipping).clipped(shown);
                let (land, transfer, look) = (&self.land, &self.transfer, &self.look);
                let specimen = Specimen { field: &field, land, part, transfer, look };
                let mut kept = match seen.map(|seen| seen.behind) {
                    Some(Behind::Plain(kept)) if still => kept,
                    Some(Behind::Plain(kept)) => kept.turned(&specimen, &scene),
                    _ => Kept::default().turned(&specimen, &scene),
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

    fn stage<'a>(&'a self, field: &'a LavaField<'a>, part: Part, ember: &'a EmberLight) -> Stage<'a> {
        Stage {
            field,
            land: &self.land,
            part,
            ember,
            sky: &self.sky,
            look: &self.look,
            blackbody: &self.blackbody,
            steps: self.steps,
        }
    }

    /// A picture in which lava may change every pixel, because it lights and outshines what is around it.
    fn everything<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let frame = Frame { tracer, camera, tiles, live: &Live::whole(camera), path: self.path };
        let mut film = Film::dark(camera.size());
        frame.expose(&kept.centres, &mut film);
        if let Some(wanted) = self.closer() {
            film.light = frame.refine(&film, kept, wanted);
        }
        film.develop(Develop::Filmic { exposure: self.look.exposure.exp2(), glow: self.look.glow })
    }

    /// The picture without lava, drawn again where there may be lava in it.
    fn over_bare<T: Tracer>(&self, tracer: &T, camera: &Camera, tiles: &Tiles, kept: &mut Kept<T::Behind>) -> Image {
        let live = tiles.live(camera, self.look.antialias != Antialias::Off);
        if kept.bare.drawn.is_none() {
            self.draw_bare(tracer, camera, kept);
        }
        let mut bare = std::mem::take(&mut kept.bare);
        // The light of lava that is gone has to go too.
        let drawn = bare.drawn.take().map_or_else(|| live.clone(), |drawn| drawn.and(&live));
        let frame = Frame { tracer, camera, tiles, live: &drawn, path: self.path };
        frame.expose(&kept.centres, &mut bare.film);
        let mut image = bare.image.clone();
        frame.develop(&bare.film, kept, self.closer().map(|wanted| (wanted, Keeping::Kept)), &mut image);
        self.transfer.legend(&mut image);
        bare.drawn = Some(live);
        kept.bare = bare;
        image
    }

    /// Draws the picture without lava.
    fn draw_bare<T: Tracer>(&self, tracer: &T, camera: &Camera, kept: &mut Kept<T::Behind>) {
        let mut bare = std::mem::take(&mut kept.bare);
        let tiles = Tiles::none(camera);
        let frame = Frame { tracer, camera, tiles: &tiles, live: &Live::whole(camera), path: self.path };
        bare.film.resize(camera.size());
        bare.image.resize(camera.size());
        frame.expose_bare(&kept.centres, &mut bare.film);
        // Closer looks are kept where lava comes into the picture; here most are taken once.
        frame.develop(&bare.film, kept, self.closer().map(|wanted| (wanted, Keeping::Not)), &mut bare.image);
        bare.drawn = Some(tiles.live(camera, false));
        kept.bare = bare;
    }

    /// Which pixels the look wants more rays in, if any.
    fn closer(&self) -> Option<Wanted> {
        match self.look.antialias {
            Antialias::Off => None,
            Antialias::Edges => Some(Wanted::Edges),
            Antialias::Full => Some(Wanted::All),
        }
    }
}
