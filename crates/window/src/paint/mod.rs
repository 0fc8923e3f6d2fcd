//! Draws what the simulation thread reports, in kiss3d's window or into a picture.
//!
//! Two ways lead to the same pictures:
//!
//! ```text
//! gpu   passes of the graphics card
//! cpu   `render::Renderer` on a thread, its pictures sent to the window as one texture
//! ```
//!
//! [`DrawOn::Auto`] takes the second where the adapter is a processor: software that runs the passes of a graphics card
//! (llvmpipe) needs several times as long for a picture as the ray-marcher, and the window waits for it. `quality`
//! decides for both how finely they draw.

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

/// Which processor draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOn {
    /// The graphics card, or where the adapter is none, the processor.
    #[default]
    Auto,
    /// The adapter, whatever it is.
    Gpu,
    /// The processor.
    Cpu,
}

/// View of the next frames.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// From where, and the size of the window in pixels.
    pub camera: Camera,
    /// Columns of pixels at the left of the window that the panel hides: the processor draws nothing there.
    pub covered: usize,
    /// How finely.
    pub quality: Quality,
    /// Which slices, along x, y and z, of those that the simulation thread sends.
    pub cuts_shown: [bool; 3],
    /// Whether the lava is drawn.
    pub volume_shown: bool,
    /// Whether the ground is drawn.
    pub ground_shown: bool,
}

impl View {
    /// Camera of what is seen beside the panel.
    fn visible(&self) -> Camera {
        self.camera.right_of(self.covered)
    }
}

/// Where the time of the last picture went.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaintTimes {
    /// Sending what changed.
    pub upload: Duration,
    /// Bytes of the volume that were sent.
    pub uploaded_bytes: usize,
    /// Drawing the picture that is shown: from its beginning to its end, on the processor that draws.
    pub draw: Duration,
    /// Share of the window's resolution that was traced.
    pub scale: f32,
    /// When something visible last changed.
    pub changed: Option<Instant>,
    /// Different pictures that the window has shown.
    pub shown: u64,
}

/// Works on so many threads of its own, with this name. In a pool shared with the simulation, either would wait until the other has done all of
/// its work.
fn on_own_threads<T: Send>((name, count): (&'static str, usize), work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(move |k| format!("{name} {k}")).build() {
        Ok(pool) => pool.install(work),
        // No more threads are to be had: those of the simulation have to do.
        Err(_) => work(),
    }
}

/// The scene, ready to be drawn.
pub enum Painter {
    /// By a graphics card.
    Gpu(Box<GpuPainter>),
    /// By the processor.
    Cpu(Box<CpuPainter>),
}

impl Painter {
    /// A painter on kiss3d's device: the window or off-screen surface must be there.
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

    /// Name of the adapter of kiss3d's device where it is software that runs on the processor.
    pub fn software_adapter() -> Option<String> {
        Gpu::software_name()
    }

    /// Whether the processor draws.
    pub fn is_on_cpu(&self) -> bool {
        matches!(self, Self::Cpu(_))
    }

    /// The power that kiss3d's film is to take of what is drawn into it before it codes that: the processor draws bytes, the graphics card light.
    pub fn film_gamma(&self) -> f32 {
        if self.is_on_cpu() { CpuPainter::film_gamma() } else { 1.0 }
    }

    /// Frames a second that suit what draws.
    pub fn usual_fps(&self) -> f32 {
        // A frame may take a quarter longer before the resolution goes down: 18 keep 14.
        if self.is_on_cpu() { 18.0 } else { 25.0 }
    }

    /// Changes the look; only another sun makes the ground's light be worked out again, on a thread of its own.
    pub fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        match self {
            Self::Gpu(painter) => painter.set_look(look),
            Self::Cpu(painter) => painter.set_look(look),
        }
    }

    /// Whether a graphics card's rays jump over empty bricks, which makes the same pictures faster; for measuring.
    pub fn set_skipping(&mut self, skipping: bool) {
        if let Self::Gpu(painter) = self {
            painter.set_skipping(skipping);
        }
    }

    /// Whether [`Self::apply`] can take another update now: what it took before is not too far behind.
    pub fn has_room(&self) -> bool {
        match self {
            Self::Gpu(_) => true,
            Self::Cpu(painter) => painter.has_room(),
        }
    }

    /// The user works on the ground: what changes of it is shown soon, even where it changes all the time.
    pub fn hurry_ground(&mut self) {
        match self {
            Self::Gpu(painter) => painter.hurry_ground(),
            Self::Cpu(painter) => painter.hurry_ground(),
        }
    }

    /// Takes what changed.
    ///
    /// # Errors
    /// When a new box is too large for the graphics card; until the next box comes, nothing is drawn.
    pub fn apply(&mut self, update: &mut Update) -> Result<(), TooLarge> {
        match self {
            Self::Gpu(painter) => painter.apply(update),
            Self::Cpu(painter) => {
                painter.apply(update);
                Ok(())
            }
        }
    }

    /// Whether updates must carry the light that lava throws on the ground; otherwise it is worked out here.
    pub fn needs_ember(&self) -> bool {
        !self.is_on_cpu()
    }

    /// Bounds for a camera to frame: the ground block, in cells.
    pub fn subject(&self) -> Option<Bounds> {
        match self {
            Self::Gpu(painter) => painter.subject(),
            Self::Cpu(painter) => painter.subject(),
        }
    }

    /// View of the next frames.
    pub fn show(&mut self, view: &View) {
        match self {
            Self::Gpu(painter) => painter.show(view),
            Self::Cpu(painter) => painter.show(view),
        }
    }

    /// The camera of the picture that the next frame of the window shows, where that is another than the last one given
    /// to [`Self::show`]: the processor draws while the window goes on.
    pub fn shown_camera(&self) -> Option<&Camera> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => painter.shown_camera(),
        }
    }

    /// Whether the next frame of the window would show another picture than the last one.
    pub fn has_news(&mut self) -> bool {
        match self {
            Self::Gpu(painter) => !painter.idle(),
            Self::Cpu(painter) => painter.fetch(),
        }
    }

    /// Whether the picture is as fine as it becomes.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.idle(),
            Self::Cpu(painter) => painter.is_finished(),
        }
    }

    /// Whether a scene has come that can be drawn.
    pub fn has_scene(&self) -> bool {
        match self {
            Self::Gpu(painter) => painter.has_scene(),
            Self::Cpu(painter) => painter.subject().is_some(),
        }
    }

    /// Where the time went.
    pub fn times(&self) -> PaintTimes {
        match self {
            Self::Gpu(painter) => painter.times(),
            Self::Cpu(painter) => painter.times(),
        }
    }

    /// Draws a view, smoothed by `frames` slightly shifted rays for each pixel, and waits for it. With `transparent`,
    /// sky and backdrop have no opacity. `None` before the first scene has come.
    pub fn picture(&mut self, view: &View, frames: u32, transparent: bool) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.picture(view, frames, transparent),
            Self::Cpu(painter) => painter.picture(view, frames, transparent),
        }
    }

    /// The picture that the window showed last, without panel and marks, in the window's size; `None` before the first.
    /// No ray is traced for it.
    pub fn seen(&mut self) -> Option<RgbaImage> {
        match self {
            Self::Gpu(painter) => painter.seen(),
            Self::Cpu(painter) => painter.seen(),
        }
    }

    /// Lays these columns of the latest picture by the processor over a surface; false where there is none.
    pub(super) fn lay(&mut self, on: &wgpu::TextureView, format: wgpu::TextureFormat, columns: Range<u32>) -> bool {
        match self {
            Self::Gpu(_) => false,
            Self::Cpu(painter) => painter.lay(on, format, columns),
        }
    }

    /// An empty sheet as large as a surface, to draw the panel on, where the processor draws.
    pub(super) fn sheet(&mut self, size: [usize; 2], format: wgpu::TextureFormat) -> Option<wgpu::TextureView> {
        match self {
            Self::Gpu(_) => None,
            Self::Cpu(painter) => Some(painter.sheet(size, format)),
        }
    }

    /// Lays these columns of the sheet over a surface.
    pub(super) fn lay_sheet(&mut self, on: &wgpu::TextureView, format: wgpu::TextureFormat, columns: Range<u32>) {
        if let Self::Cpu(painter) = self {
            painter.lay_sheet(on, format, columns);
        }
    }

    /// Frees the memory of pictures.
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
