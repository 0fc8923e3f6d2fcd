//! Accumulation of the window's picture in two partial images, backdrop and lava. Each has a
//! reduced resolution while its content moves and the full resolution while it is still.

use web_time::Instant;

use super::canvas::Canvas;
use super::film::{Development, Outlet, PostProcess};
use super::frame::{Frame, FrameSpec};
use super::stage::Layer;
use super::{FRAMES, GpuPainter};
use crate::device::Gpu;
use crate::rest::Still;
use crate::{Screen, View, limit};
use lavoxel_render::Camera;
use lavoxel_render::running::{Effort, still};

/// Partial images of a picture, in the order of drawing.
const LAYERS: [Layer; 2] = [Layer::Backdrop, Layer::Lava];

/// Canvases of both partial images of one picture (backdrop, lava), and the post-processing that
/// combines the two.
#[derive(Default)]
pub(super) struct Accumulator {
    /// Canvases of backdrop and lava at reduced resolution, used while the content moves.
    coarse: [Canvas; 2],
    /// Canvases of backdrop and lava at full resolution, used while the content is still.
    fine: [Canvas; 2],
    /// Set for each partial image (backdrop, lava) whose fine canvas is on the screen.
    shows_fine: [bool; 2],
    development: Option<Development>,
    /// Canvases that `development` reads, for backdrop and lava: true for the fine canvas, and the
    /// serial number of the canvas's render targets.
    of: [(bool, u64); 2],
}

/// Settings for drawing a partial image: camera, largest number of averaged frames, and number of
/// bands per frame.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) camera: &'a Camera,
    pub(super) most: u32,
    pub(super) bands: u32,
}

impl Accumulator {
    /// Discards the averages of all canvases.
    pub(super) fn forget(&mut self) {
        self.coarse
            .iter_mut()
            .chain(&mut self.fine)
            .for_each(Canvas::forget);
    }

    /// Returns true if the lava is shown at full resolution.
    pub(super) fn is_fine(&self) -> bool {
        self.shows_fine[Layer::Lava as usize]
    }

    /// Returns the bind groups and targets that combine backdrop and lava into a picture, recreated
    /// if the textures of either have changed; `None` until both are drawn.
    pub(super) fn development(&mut self, gpu: &Gpu, film: &PostProcess) -> Option<&Development> {
        let canvas = |layer: usize| {
            if self.shows_fine[layer] {
                &self.fine[layer]
            } else {
                &self.coarse[layer]
            }
        };
        let ((backdrop, first), (lava, second)) = (canvas(0).sheet()?, canvas(1).sheet()?);
        let of = [(self.shows_fine[0], first), (self.shows_fine[1], second)];
        if self.development.is_none() || self.of != of {
            self.development = Some(film.development(gpu, backdrop, lava));
            self.of = of;
        }
        self.development.as_ref()
    }
}

impl GpuPainter {
    /// Returns the shader parameters of a frame; `None` before the first scene has arrived.
    /// `shift`: offset (x, y) of the rays within a pixel, in pixels, and offset of the rays' first
    /// samples as a fraction of the sampling distance.
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
            cuts_of_amounts: lava.cuts_of_amounts,
            volume_shown: view.volume_shown,
            ground_shown: view.ground_shown,
            media: &lava.media.looks,
            fog: &lava.fog,
            smoke: lava.smoke.there,
            sea: self.sea,
            mouths: &self.mouths,
        }))
    }

    /// Returns the cache key of the partial image `layer`: the shader parameters, and the change
    /// counter of its content. `None` before the first scene.
    fn identity(&self, layer: Layer, view: &View, camera: &Camera) -> Option<(Frame, u64)> {
        let frame = self.frame(view, camera, [0.0; 3])?;
        Some(match layer {
            Layer::Backdrop => (frame.without_flow(), self.scenery),
            Layer::Lava => (frame, self.content),
        })
    }

    /// Draws the next band of the partial image `layer` into `canvas`; after a change of the cache
    /// key, a new average begins. Returns false if nothing was drawn because there is no scene or
    /// the average is complete.
    fn draw_layer(&self, canvas: &mut Canvas, layer: Layer, view: &View, task: Task) -> bool {
        self.try_layer(canvas, layer, view, task).is_some()
    }

    /// Implements [`Self::draw_layer`]; returns `None` where that function returns false.
    fn try_layer(&self, canvas: &mut Canvas, layer: Layer, view: &View, task: Task) -> Option<()> {
        let (still, content) = self.identity(layer, view, task.camera)?;
        let turn = canvas.turn(&still, content, task.most, task.bands)?;
        let frame = self.frame(view, task.camera, turn.shift())?;
        let (ground, lava) = (self.ground.as_ref()?, self.lava.as_ref()?);
        let (width, height) = task.camera.size();
        let exposed = canvas.prepare(
            [width, height],
            self.bindings,
            |size| PostProcess::sheet(&self.gpu, size),
            |sheet| self.stage.bind(&self.gpu, ground, lava, sheet),
        );
        self.stage.set_frame(&self.gpu, &frame);
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if exposed.ground_moved(&frame, self.bindings) {
            self.stage.hit(
                &mut encoder,
                exposed.bound(),
                (ground, frame.goes_on()),
                exposed.sheet(),
            );
        }
        self.stage
            .trace(&mut encoder, layer, exposed.bound(), exposed.sheet(), turn);
        self.gpu.queue.submit(Some(encoder.finish()));
        Some(())
    }

    /// Draws the next bands of backdrop and lava for a picture in an image file, and afterwards the
    /// picture's bloom.
    pub(super) fn draw_picture(&mut self, view: &View, task: Task) {
        let mut accumulator = std::mem::take(&mut self.pictures);
        for layer in LAYERS {
            self.draw_layer(&mut accumulator.coarse[layer as usize], layer, view, task);
        }
        self.bloom(&mut accumulator);
        self.pictures = accumulator;
    }

    /// Draws the bloom of the picture whose backdrop and lava `accumulator` contains.
    fn bloom(&self, accumulator: &mut Accumulator) {
        if let Some(development) = accumulator.development(&self.gpu, &self.film) {
            let mut encoder = self
                .gpu
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.film
                .bloom(&self.gpu, &mut encoder, development, &self.look);
            self.gpu.queue.submit(Some(encoder.finish()));
        }
    }

    /// Draws the next bands of backdrop and lava of the window's picture. `window`: width and
    /// height of the window in pixels; `effort`: resolution while something moves; `rests`: flags
    /// of unchanged content. Returns true for each of the two (backdrop, lava) of which a band was
    /// drawn.
    fn draw_window(
        &mut self,
        view: &View,
        window: [usize; 2],
        effort: Effort,
        rests: Still,
    ) -> [bool; 2] {
        let mut accumulator = std::mem::take(&mut self.window);
        let camera = |size: [usize; 2]| view.camera.resized((size[0], size[1]));
        let whole = still(view.quality, window);
        let (near, far) = (camera(effort.size), camera(whole));
        let (frames, bands) = (self.frames, self.resolution.bands(self.clock.last()));
        let drawn = LAYERS.map(|layer| {
            let k = layer as usize;
            let resting = if layer == Layer::Lava {
                rests.all
            } else {
                rests.camera
            };
            if !resting || effort.size == whole {
                let most = if resting { frames } else { effort.repeats };
                accumulator.shows_fine[k] = false;
                return self.draw_layer(
                    &mut accumulator.coarse[k],
                    layer,
                    view,
                    Task {
                        camera: &near,
                        most,
                        bands: 1,
                    },
                );
            }
            // When a layer comes to rest, its coarse canvas stays visible until the fine canvas has
            // a whole frame.
            let identity = self.identity(layer, view, &far);
            let is_whole = |canvas: &Canvas| {
                identity
                    .as_ref()
                    .is_some_and(|(of, content)| canvas.is_whole(of, *content))
            };
            let once = Task {
                camera: &near,
                most: 1,
                bands: 1,
            };
            let coarse = !is_whole(&accumulator.fine[k])
                && self.draw_layer(&mut accumulator.coarse[k], layer, view, once);
            let fine = Task {
                camera: &far,
                most: frames,
                bands,
            };
            let fine = self.draw_layer(&mut accumulator.fine[k], layer, view, fine);
            accumulator.shows_fine[k] = is_whole(&accumulator.fine[k]);
            coarse || fine
        });
        if drawn.contains(&true) {
            self.bloom(&mut accumulator);
        }
        self.window = accumulator;
        drawn
    }
}

impl GpuPainter {
    /// Draws the next frame of the picture onto a screen of `target` pixels (width, height), within
    /// its render pass `pass`.
    pub fn draw(&mut self, pass: &mut wgpu::RenderPass<'_>, target: [u32; 2], screen: &Screen) {
        let Some(view) = self.view.clone().filter(|_| self.lava.is_some()) else {
            return;
        };
        if let Some(ground) = &mut self.ground
            && ground.tend(&self.gpu, &self.look)
        {
            self.bindings += 1;
            self.changed();
        }
        let columns = self.part.clone().unwrap_or(0..target[0]);
        let window = [columns.len().max(1), target[1] as usize];
        let rests = self.rest.note(&view, self.content, Instant::now());
        let effort = self
            .resolution
            .moving(view.quality, window, self.clock.last());
        self.frames = self.resolution.frames(FRAMES, self.clock.last());
        let mut drawn = [false; 2];
        let start = self.clock.begin(&self.gpu);
        for _ in 0..if rests.all { 1 } else { effort.repeats } {
            let now = self.draw_window(&view, window, effort, rests);
            drawn = [drawn[0] | now[0], drawn[1] | now[1]];
        }
        // Only coarse frames are timed: the time of a fine layer says nothing about a frame of a
        // moving picture.
        if let Some(start) = start
            && drawn[1]
            && !rests.all
            && (!drawn[0] || !rests.camera)
        {
            self.clock.end(&self.gpu, start);
            self.resolution.timed();
        }
        self.settled = rests.all && !drawn.contains(&true);
        self.shown += u64::from(drawn.contains(&true));
        if let Some(development) = self.window.development(&self.gpu, &self.film) {
            let outlet = match screen.is_coded {
                true => Outlet::Picture,
                false => Outlet::Window {
                    left: columns.start,
                },
            };
            self.film.aim(
                &self.gpu,
                development,
                (&self.look, self.steps),
                outlet,
                window,
            );
        }
        limit(pass, &self.part, target);
        if let Some(development) = self.window.development(&self.gpu, &self.film) {
            self.film.show(&self.gpu, pass, development, screen);
        }
        limit(pass, &self.part.as_ref().map(|_| 0..u32::MAX), target);
    }
}
