//! Drawing a view: two layers of light, and what is made of them.

use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use std::time::Instant;

use super::canvas::Canvas;
use super::film::{Development, FilmRoom, Outlet};
use super::frame::{Frame, FrameSpec};
use super::gpu::Gpu;
use super::stage::Layer;
use super::{FRAMES, PAUSE, Painter, View};
use crate::render::Camera;

/// The layers of one picture, and what develops them.
#[derive(Default)]
pub(super) struct Easel {
    backdrop: Canvas,
    lava: Canvas,
    development: Option<Development>,
    /// The textures that the development reads.
    of: (u64, u64),
}

impl Easel {
    /// Frames in the average of the layer that has fewest.
    pub(super) fn averaged(&self) -> u32 {
        self.backdrop.averaged().min(self.lava.averaged())
    }

    /// Begins new averages.
    pub(super) fn forget(&mut self) {
        self.backdrop.forget();
        self.lava.forget();
    }

    fn canvas(&mut self, layer: Layer) -> &mut Canvas {
        match layer {
            Layer::Backdrop => &mut self.backdrop,
            Layer::Lava => &mut self.lava,
        }
    }

    /// What develops the layers, once both are drawn.
    pub(super) fn development(&mut self, gpu: &Gpu, film: &FilmRoom) -> Option<&Development> {
        let ((backdrop, first), (lava, second)) = (self.backdrop.sheet()?, self.lava.sheet()?);
        if self.development.is_none() || self.of != (first, second) {
            self.development = Some(film.development(gpu, backdrop, lava));
            self.of = (first, second);
        }
        self.development.as_ref()
    }
}

impl Painter {
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
            empty: self.transfer.of_interest(&self.look).empty,
            steps: self.steps,
            shift,
            cuts: [cut(0), cut(1), cut(2)],
            volume_shown: view.volume_shown,
            ground_shown: view.ground_shown,
        }))
    }

    /// Draws one more frame for the average of a layer, or the first of a new picture; false when `most` are there.
    fn draw_layer(&self, canvas: &mut Canvas, layer: Layer, view: &View, camera: &Camera, most: u32) -> bool {
        self.try_layer(canvas, layer, view, camera, most).is_some()
    }

    fn try_layer(&self, canvas: &mut Canvas, layer: Layer, view: &View, camera: &Camera, most: u32) -> Option<()> {
        let still = self.frame(view, camera, [0.0; 3])?;
        let turn = match layer {
            Layer::Backdrop => canvas.turn(&still.without_flow(), self.scenery, most)?,
            Layer::Lava => canvas.turn(&still, self.content, most)?,
        };
        let frame = self.frame(view, camera, turn.shift())?;
        let (ground, lava) = (self.ground.as_ref()?, self.lava.as_ref()?);
        let (width, height) = camera.size();
        let exposed = canvas.prepare(
            [width, height],
            self.bindings,
            |size| FilmRoom::sheet(&self.gpu, size),
            |sheet| self.stage.bind(&self.gpu, &ground.maps, lava, sheet),
        );
        self.stage.set_frame(&self.gpu, &frame);
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if exposed.ground_moved(&frame, self.bindings) {
            self.stage.hit(&mut encoder, exposed.bound(), &ground.maps, exposed.sheet());
        }
        self.stage.trace(&mut encoder, layer, exposed.bound(), exposed.sheet(), turn.share());
        self.gpu.queue.submit(Some(encoder.finish()));
        Some(())
    }

    /// Brings both layers up to date, each for its camera and with at most so many frames, and the bloom with them.
    /// Says which layers had something to do.
    pub(super) fn draw(&mut self, which: Which, view: &View, layers: [(&Camera, u32); 2]) -> [bool; 2] {
        let mut easel = std::mem::take(self.easel(which));
        let [backdrop, lava] = layers;
        let drawn = [(Layer::Backdrop, backdrop), (Layer::Lava, lava)]
            .map(|(layer, (camera, most))| self.draw_layer(easel.canvas(layer), layer, view, camera, most));
        if drawn.contains(&true)
            && let Some(development) = easel.development(&self.gpu, &self.film)
        {
            let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.film.bloom(&self.gpu, &mut encoder, development, &self.look);
            self.gpu.queue.submit(Some(encoder.finish()));
        }
        *self.easel(which) = easel;
        drawn
    }

    pub(super) fn easel(&mut self, which: Which) -> &mut Easel {
        match which {
            Which::Window => &mut self.window,
            Which::Picture => &mut self.pictures,
        }
    }

    /// Whether nothing visible, or at least the camera, has changed for long enough to take time for a fine picture.
    fn at_rest(&mut self, view: &View) -> (bool, bool) {
        if self.seen.as_ref().is_none_or(|(last, content, _)| last != view || *content != self.content) {
            self.seen = Some((view.clone(), self.content, Instant::now()));
        }
        if self.rested.as_ref().is_none_or(|(last, _)| *last != view.camera) {
            self.rested = Some((view.camera.clone(), Instant::now()));
        }
        let all = self.seen.as_ref().is_some_and(|(_, _, since)| since.elapsed() > PAUSE);
        (all, self.rested.as_ref().is_some_and(|(_, since)| since.elapsed() > PAUSE))
    }
}

/// For what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Window,
    Picture,
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
        let Some(view) = self.view.clone().filter(|_| self.lava.is_some()) else { return };
        if let Some(ground) = &mut self.ground
            && ground.tend(&self.gpu, &self.look)
        {
            self.bindings += 1;
            self.changed();
        }
        let window = [context.viewport_width as usize, context.viewport_height as usize];
        let (all_still, camera_still) = self.at_rest(&view);
        let lava = self.resolution.choose(view.quality, window, all_still, self.clock.last());
        // The backdrop waits for nothing but the camera.
        let backdrop =
            if camera_still { self.resolution.finest(view.quality, window, self.clock.last()) } else { lava.size };
        self.frames = self.resolution.frames(FRAMES, self.clock.last());
        let camera = |size: [usize; 2]| view.camera.resized((size[0], size[1]));
        let (far, near) = (camera(backdrop), camera(lava.size));
        let frames = |still: bool| if still { self.frames } else { lava.repeats };
        let most = [frames(camera_still), frames(all_still)];
        let mut drawn = [false; 2];
        let start = self.clock.begin(&self.gpu);
        for _ in 0..lava.repeats {
            let now = self.draw(Which::Window, &view, [(&far, most[0]), (&near, most[1])]);
            drawn = [drawn[0] | now[0], drawn[1] | now[1]];
        }
        // A fine backdrop says nothing of how long a frame of running lava takes.
        if let Some(start) = start
            && drawn[1]
            && (!drawn[0] || !camera_still)
        {
            self.clock.end(&self.gpu, start);
            self.resolution.timed();
        }
        if let Some(development) = self.window.development(&self.gpu, &self.film) {
            self.film.aim(&self.gpu, development, &self.look, Outlet::Window, window);
        }
        if let Some(development) = self.window.development(&self.gpu, &self.film) {
            self.film.show(&self.gpu, render_pass, development, context.sample_count);
        }
    }
}
