//! Draws the simulation thread's updates, in kiss3d's window or into a picture.
//!
//! Two painters make the same pictures:
//!
//! ```text
//! gpu   passes of the graphics card
//! cpu   `render::Renderer` on a thread, its pictures sent to the window as one texture
//! ```
//!
//! [`DrawOn::Auto`] takes the second one where the adapter is a processor: software that runs the
//! passes of a graphics card (llvmpipe) needs several times as long for a picture as the
//! ray-marcher, and the window waits for such a picture. `quality` chooses the resolution of both.

mod bake;
mod cpu;
mod device;
#[cfg(test)]
mod fixture;
mod gpu;
mod quality;

use std::ops::Range;
use std::time::{Duration, Instant};

use image::RgbaImage;
use kiss3d::camera::Camera3d;
use kiss3d::renderer::Renderer3d;
use kiss3d::resource::RenderContext;

use self::cpu::CpuPainter;
use self::device::Gpu;
use self::gpu::GpuPainter;
pub use self::gpu::TooLarge;
pub use self::quality::Quality;
use super::messages::Update;
use lavoxel_base::validate::Invalid;
use lavoxel_render::{Bounds, Camera, LookSpec};

/// Choice of the painter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOn {
    /// The graphics card; the processor where the adapter is software.
    #[default]
    Auto,
    /// The adapter, even if it is software.
    Gpu,
    /// The processor.
    Cpu,
}

/// Camera and options of the next frames.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Camera; its picture has the window's size in pixels.
    pub camera: Camera,
    /// Pixel columns at the left of the window that the panel hides: the processor draws nothing
    /// there.
    pub covered: usize,
    /// Resolution of moving and of still pictures.
    pub quality: Quality,
    /// Slices across x, y and z to show, of those that the simulation thread sends.
    pub cuts_shown: [bool; 3],
    /// Lava flag: true draws the lava.
    pub volume_shown: bool,
    /// Ground flag: true draws the ground.
    pub ground_shown: bool,
}

impl View {
    /// Camera of the part of the window that the panel does not hide.
    fn visible(&self) -> Camera {
        self.camera.right_of(self.covered)
    }
}

/// Timing of the last picture.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Time to take over the last update.
    pub upload: Duration,
    /// Bytes of the volume in the last update.
    pub uploaded_bytes: usize,
    /// Time to draw the picture that is shown, on the processor that draws.
    pub draw: Duration,
    /// Linear share of the window's resolution that was traced, 0 to 1.
    pub scale: f32,
    /// Time of the last visible change; `None` before the first.
    pub changed: Option<Instant>,
    /// Number of different pictures that the window has shown.
    pub shown: u64,
}

/// Runs `work` in a pool of `count` threads named `name`. In a pool shared with the simulation,
/// drawing and simulation would each wait until all work of the other has finished.
fn on_own_threads<T: Send>((name, count): (&'static str, usize), work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(move |k| format!("{name} {k}")).build() {
        Ok(pool) => pool.install(work),
        // The system gives no more threads: the present ones, shared with the simulation, have to
        // do.
        Err(_) => work(),
    }
}

/// Scene, ready to be drawn.
pub enum Painter {
    /// Painter on a graphics card.
    Gpu(Box<GpuPainter>),
    /// Painter on the processor.
    Cpu(Box<CpuPainter>),
}

impl Painter {
    /// Creates a painter on kiss3d's device: the window or off-screen surface must exist.
    ///
    /// # Errors
    /// When `look` is invalid.
    pub fn new(look: &LookSpec, draw_on: DrawOn) -> Result<Self, Invalid> {
        let gpu = Gpu::of_window();
        let on_gpu = match draw_on {
            DrawOn::Auto => !gpu.is_cpu,
            DrawOn::Gpu => true,
            DrawOn::Cpu => false,
        };
        Ok(match on_gpu {
            true => Self::Gpu(Box::new(GpuPainter::new(gpu, look)?)),
            false => Self::Cpu(Box::new(CpuPainter::new(gpu, look)?)),
        })
    }

    /// Name of kiss3d's adapter if that is software on the processor; `None` for a graphics card.
    pub fn software_adapter() -> Option<String> {
        Gpu::software_name()
    }

    /// True if the processor draws.
    pub fn is_on_cpu(&self) -> bool {
        matches!(self, Self::Cpu(_))
    }

    /// Gamma that kiss3d's film must apply before its own coding: the processor draws coded bytes,
    /// the graphics card linear light.
    pub fn film_gamma(&self) -> f32 {
        if self.is_on_cpu() { CpuPainter::film_gamma() } else { 1.0 }
    }

    /// Usual frame rate in frames per second.
    pub fn usual_fps(&self) -> f32 {
        // A frame may take a quarter longer than asked before the resolution goes down: 18 frames
        // per second keep 14.
        if self.is_on_cpu() { 18.0 } else { 25.0 }
    }

    /// Changes the look; only another sun, height of cells, surroundings or drape starts a new bake
    /// of the ground's light, on a thread of its own.
    ///
    /// # Errors
    /// When `look` is invalid; the old look stays.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        match self {
            Self::Gpu(painter) => painter.set_look(look),
            Self::Cpu(painter) => painter.set_look(look),
        }
    }

    /// Turns jumps of the graphics card's rays over empty bricks on or off. Pictures are the same
    /// either way, only faster with jumps; for measuring.
    pub fn set_skipping(&mut self, skipping: bool) {
        if let Self::Gpu(painter) = self {
            painter.set_skipping(skipping);
        }
    }

    /// True if [`Self::apply`] can take another update now: the painter is not too far behind.
    pub fn has_room(&self) -> bool {
        match self {
            Self::Gpu(_) => true,
            Self::Cpu(painter) => painter.has_room(),
        }
    }

    /// Bakes ground edits soon instead of in batches; called while the user works on the ground.
    pub fn hurry_ground(&mut self) {
        match self {
            Self::Gpu(painter) => painter.hurry_ground(),
            Self::Cpu(painter) => painter.hurry_ground(),
        }
    }

    /// Takes the changes of an update.
    ///
    /// # Errors
    /// When a new box is too large for the graphics card; until the next box arrives, nothing is
    /// drawn.
    pub fn apply(&mut self, update: &mut Update) -> Result<(), TooLarge> {
        match self {
            Self::Gpu(painter) => painter.apply(update),
            Self::Cpu(painter) => {
                painter.apply(update);
                Ok(())
            }
        }
    }

    /// True if updates must carry the lava's light on the ground; otherwise the painter computes
    /// that light.
    pub fn needs_ember(&self) -> bool {
        !self.is_on_cpu()
    }

    /// Bounds for a camera to frame: the ground block, in cells. `None` before the first ground.
    pub fn subject(&self) -> Option<Bounds> {
        match self {
            Self::Gpu(painter) => painter.subject(),
            Self::Cpu(painter) => painter.subject(),
        }
    }

    /// Sets camera and options of the next frames.
    pub fn show(&mut self, view: &View) {
        match self {
            Self::Gpu(painter) => painter.show(view),
            Self::Cpu(painter) => painter.show(view),
        }
    }

    /// Camera of the picture that the next frame shows, on the processor; that picture may be older
    /// than the last view given to [`Self::show`]. `None` where each frame shows the last view.
    pub fn shown_camera(&self) -> Option<&Camera> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => painter.shown_camera(),
        }
    }

    /// True if the next frame of the window would show another picture than the last one.
    pub fn has_news(&mut self) -> bool {
        match self {
            Self::Gpu(painter) => !painter.idle(),
            Self::Cpu(painter) => painter.fetch(),
        }
    }

    /// True if the picture is final: without a change, no finer one follows.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.idle(),
            Self::Cpu(painter) => painter.is_finished(),
        }
    }

    /// True if a scene has arrived that can be drawn.
    pub fn has_scene(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.has_scene(),
            Self::Cpu(painter) => painter.subject().is_some(),
        }
    }

    /// Timing of the last picture.
    pub fn times(&self) -> PaintTimes {
        match self {
            Self::Gpu(painter) => painter.times(),
            Self::Cpu(painter) => painter.times(),
        }
    }

    /// Draws `view` and waits for the picture; with `frames` > 1, edges are smoothed. With
    /// `transparent`, sky and backdrop have no opacity. `None` before the first scene has arrived.
    pub fn picture(&mut self, view: &View, frames: u32, transparent: bool) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.picture(view, frames, transparent),
            Self::Cpu(painter) => painter.picture(view, frames, transparent),
        }
    }

    /// Picture that the window showed last, without panel and marks, in the window's size; `None`
    /// before the first one. Traces no ray.
    pub fn seen(&mut self) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.seen(),
            Self::Cpu(painter) => painter.seen(),
        }
    }

    /// Copies pixel columns of the processor's latest picture onto a surface; false if there is no
    /// picture.
    pub(super) fn lay(&mut self, on: &wgpu::TextureView, format: wgpu::TextureFormat, columns: Range<u32>) -> bool {
        match self {
            Self::Gpu(_) => false,
            Self::Cpu(painter) => painter.lay(on, format, columns),
        }
    }

    /// Cleared texture of `size` pixels to draw the panel on, where the processor draws; `None` on
    /// a graphics card.
    pub(super) fn sheet(&mut self, size: [usize; 2], format: wgpu::TextureFormat) -> Option<wgpu::TextureView> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => Some(painter.sheet(size, format)),
        }
    }

    /// Copies pixel columns of the panel's texture onto a surface.
    pub(super) fn lay_sheet(&mut self, on: &wgpu::TextureView, format: wgpu::TextureFormat, columns: Range<u32>) {
        if let Self::Cpu(painter) = self {
            painter.lay_sheet(on, format, columns);
        }
    }

    /// Frees the textures of pictures for files.
    pub fn forget_pictures(&mut self) {
        if let Self::Gpu(painter) = self {
            painter.forget_pictures();
        }
    }
}

impl Renderer3d for Painter {
    fn render(
        &mut self,
        pass: usize,
        camera: &mut dyn Camera3d,
        render_pass: &mut wgpu::RenderPass<'_>,
        context: &RenderContext,
    ) {
        match self {
            Self::Gpu(painter) => painter.render(pass, camera, render_pass, context),
            Self::Cpu(painter) => painter.render(pass, camera, render_pass, context),
        }
    }
}
