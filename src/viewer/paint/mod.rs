//! Draws what the simulation thread reports with the graphics card, in kiss3d's window or into a picture.
//!
//! The pictures are those of `render::Renderer`: the same baked ground, transfer function, camera and formulas (in
//! WGSL under `shaders/`), so that a scene looks the same in the window and in a file. The passes:
//!
//! ```text
//! ground   triangles → distance and face per pixel         only when the camera or the ground changed
//! backdrop one ray per pixel: ground, slices, sky          the same; averaged over frames
//! lava     one ray per pixel through the volume            averaged over frames while nothing changes
//! bloom    bright light, blurred narrowly and widely       cinematic only
//! develop  light → screen
//! ```

mod canvas;
mod easel;
mod film;
mod frame;
mod gpu;
mod ground;
mod lava;
mod picture;
mod quality;
mod stage;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use self::easel::Easel;
use self::film::FilmRoom;
use self::gpu::Gpu;
use self::ground::GroundRoom;
use self::lava::LavaRoom;
pub use self::lava::TooLarge;
pub use self::quality::Quality;
use self::quality::{DrawClock, Resolution};
use self::stage::Stage;
use super::link::Update;
use crate::render::sky::Sky;
use crate::render::transfer::Transfer;
use crate::render::{Bounds, Camera, LookSpec};
use crate::validate::Invalid;

/// Frames that are averaged while nothing changes.
const FRAMES: u32 = 12;
/// A picture counts as still when nothing has changed for so long.
const PAUSE: Duration = Duration::from_millis(200);

/// What the next frames show.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// From where, and the size of the window in pixels.
    pub camera: Camera,
    /// How finely.
    pub quality: Quality,
    /// Which slices, along x, y and z, of those that the simulation thread sends.
    pub cuts_shown: [bool; 3],
    /// Whether the lava is drawn.
    pub volume_shown: bool,
    /// Whether the ground is drawn.
    pub ground_shown: bool,
}

/// Where the time of the last frame went.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Sending what changed.
    pub upload: Duration,
    /// Bytes of the volume that were sent.
    pub uploaded_bytes: usize,
    /// The graphics card's work, from handing it over to its end.
    pub draw: Duration,
    /// Share of the window's resolution that was traced.
    pub scale: f32,
}

/// The scene on the graphics card.
pub struct Painter {
    gpu: Gpu,
    stage: Stage,
    film: FilmRoom,
    look: LookSpec,
    sky: Sky,
    transfer: Transfer,
    ground: Option<GroundRoom>,
    lava: Option<LavaRoom>,
    view: Option<View>,
    /// Steps simulated so far.
    steps: u64,
    /// Counts up when textures were replaced.
    bindings: u64,
    /// Counts up when something visible changed.
    content: u64,
    /// Counts up when something visible changed besides the lava.
    scenery: u64,
    skipping: bool,
    window: Easel,
    pictures: Easel,
    resolution: Resolution,
    clock: DrawClock,
    upload: (Duration, usize),
    /// Frames to average while nothing changes.
    frames: u32,
    /// The camera of the last frame, and since when it is at rest.
    rested: Option<(Camera, Instant)>,
    /// The view and content of the last frame, and since when they are the same.
    seen: Option<(View, u64, Instant)>,
}

impl Painter {
    /// A painter on kiss3d's device: the window or off-screen surface must be there.
    pub fn new(look: &LookSpec) -> Result<Self, Invalid> {
        look.validate()?;
        let gpu = Gpu::of_window();
        let transfer = Transfer::new(look, look.palette.build("look.palette")?);
        let stage = Stage::new(&gpu);
        stage.set_transfer(&gpu, &transfer);
        Ok(Self {
            film: FilmRoom::new(&gpu),
            stage,
            gpu,
            look: look.clone(),
            sky: Sky::new(look),
            transfer,
            ground: None,
            lava: None,
            view: None,
            steps: 0,
            bindings: 0,
            content: 0,
            scenery: 0,
            skipping: true,
            window: Easel::default(),
            pictures: Easel::default(),
            resolution: Resolution::default(),
            clock: DrawClock::default(),
            upload: (Duration::ZERO, 0),
            frames: FRAMES,
            rested: None,
            seen: None,
        })
    }

    /// Changes the look; only another sun makes the ground's light be worked out again, on a thread of its own.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        look.validate()?;
        if *look == self.look {
            return Ok(());
        }
        self.transfer = Transfer::new(look, look.palette.build("look.palette")?);
        self.stage.set_transfer(&self.gpu, &self.transfer);
        let sky = Sky::new(look);
        if sky.sun != self.sky.sun
            && let Some(ground) = &mut self.ground
        {
            ground.relight();
        }
        self.sky = sky;
        self.look = look.clone();
        self.set_empty();
        self.changed();
        Ok(())
    }

    /// Whether rays jump over empty bricks, which makes the same pictures faster; for measuring.
    pub fn set_skipping(&mut self, skipping: bool) {
        self.skipping = skipping;
        self.set_empty();
        self.changed();
    }

    /// Nothing of the last picture holds any more.
    fn changed(&mut self) {
        self.content += 1;
        self.scenery += 1;
    }

    fn set_empty(&mut self) {
        if let Some(lava) = &mut self.lava {
            lava.set_empty(&self.gpu, self.transfer.of_interest(&self.look).empty, self.skipping);
        }
    }

    /// Sends what changed to the graphics card.
    ///
    /// # Errors
    /// When a new box is too large for it; until the next box comes, nothing is drawn.
    pub fn apply(&mut self, update: &mut Update) -> Result<(), TooLarge> {
        let start = Instant::now();
        if update.anew {
            (self.lava, self.ground) = (None, None);
            self.lava = Some(LavaRoom::new(&self.gpu, update.report.grid)?);
            self.set_empty();
            self.bindings += 1;
        }
        let Some(lava) = &mut self.lava else { return Ok(()) };
        let bytes = lava.patch(&self.gpu, &update.patches);
        if let Some(maxima) = update.bricks.take() {
            lava.set_bricks(&self.gpu, maxima);
        }
        if let Some(ember) = &update.ember {
            lava.set_ember(&self.gpu, ember);
        }
        for (axis, cut) in update.cuts.iter().enumerate() {
            if let Some(cut) = cut
                && lava.set_cut(&self.gpu, axis, cut)
            {
                self.bindings += 1;
            }
        }
        let drifts = self.steps != update.report.step;
        self.steps = update.report.step;
        let scenery = update.anew || update.ground.is_some() || update.cuts.iter().any(Option::is_some);
        self.scenery += u64::from(scenery);
        self.content += u64::from(scenery || bytes > 0 || update.ember.is_some() || drifts);
        self.apply_ground(update);
        self.upload = (start.elapsed(), bytes);
        Ok(())
    }

    fn apply_ground(&mut self, update: &Update) {
        let Some(heights) = update.ground.clone() else { return };
        let grid = update.report.grid;
        match &mut self.ground {
            Some(ground) if !update.anew => {
                ground.set_heights(&self.gpu, heights, &self.look);
            }
            _ => self.ground = Some(GroundRoom::new(&self.gpu, heights, grid, &self.look)),
        }
        self.bindings += 1;
    }

    /// What a camera should frame: the ground block, in cells.
    pub fn subject(&self) -> Option<Bounds> {
        self.ground.as_ref().map(|ground| ground.maps.land.subject(ground.grid))
    }

    /// What the next frames show.
    pub fn show(&mut self, view: &View) {
        self.view = Some(view.clone());
    }

    /// Whether the next frame would be the same as the last one.
    pub fn idle(&self) -> bool {
        self.window.averaged() >= self.frames && self.ground.as_ref().is_none_or(GroundRoom::settled)
    }

    /// Where the time went.
    pub fn times(&self) -> PaintTimes {
        PaintTimes {
            upload: self.upload.0,
            uploaded_bytes: self.upload.1,
            draw: self.clock.last(),
            scale: self.resolution.scale(),
        }
    }
}
