//! Draws what the simulation thread reports with the graphics card, in kiss3d's window or into a picture.
//!
//! The pictures are those of `render::Renderer`: the same baked ground, transfer function, camera and formulas (in
//! WGSL under `shaders/`), so that a scene looks the same in the window and in a file. The passes:
//!
//! ```text
//! ground   triangles → distance and face per pixel     only when the camera or the ground changed
//! trace    one ray per pixel through the volume → light   averaged over frames while nothing changes
//! bloom    bright light, blurred narrowly and widely       cinematic only
//! develop  light → screen
//! ```

mod canvas;
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

use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::canvas::Canvas;
use self::film::{FilmRoom, Outlet};
use self::frame::{Frame, FrameSpec};
use self::gpu::Gpu;
use self::ground::GroundRoom;
use self::lava::LavaRoom;
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
    skipping: bool,
    window: Canvas,
    pictures: Canvas,
    resolution: Resolution,
    clock: DrawClock,
    upload: (Duration, usize),
    /// Frames to average while nothing changes.
    frames: u32,
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
            skipping: true,
            window: Canvas::default(),
            pictures: Canvas::default(),
            resolution: Resolution::default(),
            clock: DrawClock::default(),
            upload: (Duration::ZERO, 0),
            frames: FRAMES,
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
        self.content += 1;
        Ok(())
    }

    /// Whether rays jump over empty bricks, which makes the same pictures faster; for measuring.
    pub fn set_skipping(&mut self, skipping: bool) {
        self.skipping = skipping;
        self.set_empty();
        self.content += 1;
    }

    fn set_empty(&mut self) {
        if let Some(lava) = &mut self.lava {
            lava.set_empty(&self.gpu, self.transfer.of_interest(&self.look).0, self.skipping);
        }
    }

    /// Sends what changed to the graphics card.
    pub fn apply(&mut self, update: &mut Update) {
        let start = Instant::now();
        if update.anew || self.lava.is_none() {
            self.lava = Some(LavaRoom::new(&self.gpu, update.report.grid));
            self.set_empty();
            self.bindings += 1;
        }
        self.apply_ground(update);
        let Some(lava) = &mut self.lava else { return };
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
        let same = bytes == 0 && update.ember.is_none() && update.cuts.iter().all(Option::is_none) && !drifts;
        self.content += u64::from(!same || update.anew || update.ground.is_some());
        self.upload = (start.elapsed(), bytes);
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

    /// The numbers of a frame; `None` before the first scene has come.
    fn frame(&self, view: &View, camera: &Camera, shift: [f32; 3]) -> Option<Frame> {
        let (ground, lava) = (self.ground.as_ref()?, self.lava.as_ref()?);
        let cut = |axis: usize| lava.cut_cells[axis].filter(|_| view.cuts_shown[axis]);
        Some(Frame::new(&FrameSpec {
            camera,
            grid: lava.grid,
            land: &ground.maps.land,
            look: &self.look,
            sky: &self.sky,
            transfer: &self.transfer,
            empty: self.transfer.of_interest(&self.look).0,
            steps: self.steps,
            shift,
            cuts: [cut(0), cut(1), cut(2)],
            volume_shown: view.volume_shown,
            ground_shown: view.ground_shown,
        }))
    }

    /// Whether the view has shown the same for long enough to take time for a fine picture.
    fn still(&mut self, view: &View) -> bool {
        if self.seen.as_ref().is_none_or(|(last, content, _)| last != view || *content != self.content) {
            self.seen = Some((view.clone(), self.content, Instant::now()));
        }
        self.seen.as_ref().is_some_and(|(_, _, since)| since.elapsed() > PAUSE)
    }

    /// Brings a canvas up to date with one more frame for its average, or the first of a new picture; false when
    /// nothing was due.
    fn draw(&mut self, which: fn(&mut Self) -> &mut Canvas, view: &View, camera: &Camera) -> bool {
        let mut canvas = std::mem::take(which(self));
        let drawn = self.draw_on(&mut canvas, view, camera);
        *which(self) = canvas;
        drawn.is_some()
    }

    fn draw_on(&mut self, canvas: &mut Canvas, view: &View, camera: &Camera) -> Option<()> {
        let still = self.frame(view, camera, [0.0; 3])?;
        let turn = canvas.turn(&still, self.content, self.frames)?;
        let frame = self.frame(view, camera, turn.shift())?;
        let (ground, lava) = (self.ground.as_ref()?, self.lava.as_ref()?);
        let (width, height) = camera.size();
        let exposure = canvas.prepare(
            [width, height],
            self.bindings,
            |size| self.film.expose(&self.gpu, size),
            |to| self.stage.bind(&self.gpu, &ground.maps, lava, to),
        );
        self.stage.set_frame(&self.gpu, &frame);
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if exposure.ground_moved(&frame, self.bindings) {
            self.stage.hit(&mut encoder, exposure.bound(), &ground.maps, exposure.textures());
        }
        self.stage.trace(&mut encoder, exposure.bound(), exposure.textures(), turn.share());
        self.film.bloom(&self.gpu, &mut encoder, exposure.textures(), &self.look);
        self.gpu.queue.submit(Some(encoder.finish()));
        Some(())
    }
}

impl Renderer3d for Painter {
    /// Draws the view over what kiss3d has drawn; its camera is not asked.
    fn render(
        &mut self,
        _pass: usize,
        _camera: &mut dyn Camera3d,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        let Some(view) = self.view.clone() else { return };
        if let Some(ground) = &mut self.ground
            && ground.tend(&self.gpu, &self.look)
        {
            self.bindings += 1;
            self.content += 1;
        }
        let window = [context.viewport_width as usize, context.viewport_height as usize];
        let still = self.still(&view);
        let effort = self.resolution.choose(view.quality, window, still, self.clock.last());
        self.frames = self.resolution.frames(FRAMES, self.clock.last());
        let camera = view.camera.resized((effort.size[0], effort.size[1]));
        let drawn = (0..effort.repeats).filter(|_| self.draw(|painter| &mut painter.window, &view, &camera)).count();
        if drawn > 0 {
            self.clock.start(&self.gpu.queue);
        }
        if let Some(exposure) = self.window.textures() {
            self.film.aim(&self.gpu, exposure, &self.look, Outlet::Window, window);
            self.film.show(&self.gpu, render_pass, exposure, context.sample_count);
        }
    }
}
